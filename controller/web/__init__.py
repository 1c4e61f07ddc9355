"""The page: what the table knows, on any phone in the room. `create_app` puts it together; each idea has its router."""

from controller.web.app import create_app

__all__ = ["create_app"]
