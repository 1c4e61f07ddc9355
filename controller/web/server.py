"""The page's server, in a thread beside the watch: it may fail, be slow or be stopped, and the watch goes on."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self

import uvicorn
from fastapi import FastAPI

STOP_SECONDS = 3.0


class PageError(Exception):
    """The page cannot be opened; one plain sentence."""


class Server:
    """Serves `app` until `close`. The address is taken at once: raises PageError when it cannot be."""

    def __init__(self, app: FastAPI, host: str, port: int, say: Callable[[str], object] = lambda sentence: None) -> None:
        self._app, self._say = app, say
        self._socket = _bound(host, port)
        self.port: int = self._socket.getsockname()[1]
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, lifespan="on", ws="none", loop="asyncio",
            timeout_graceful_shutdown=1, timeout_keep_alive=30, limit_concurrency=400, proxy_headers=False, log_config=None,
        )  # fmt: skip
        self._server = uvicorn.Server(config)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._run, name="the page", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        async def serve() -> None:
            self._loop = asyncio.get_running_loop()
            await self._server.serve(sockets=[self._socket])

        try:
            asyncio.run(serve())
        except Exception as error:
            logging.getLogger("gammonwatch").exception("the page has ended")
            self._say(f"the page has ended ({error}); the watch goes on")

    def close(self) -> None:
        """Ends the streams, then the server."""
        self._server.should_exit = True
        ending: asyncio.Event | None = getattr(self._app.state, "ending", None)
        self._app.state.room.table.feed.tell(None)
        if self._loop is not None and ending is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(ending.set)
        self._thread.join(STOP_SECONDS)
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        taken = socket.socket(family, socket.SOCK_STREAM)
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind((host, port))
        taken.listen(128)
    except OSError as error:
        raise PageError(f"the page cannot be opened at {host}:{port}: {error.strerror or error}") from error
    return taken
