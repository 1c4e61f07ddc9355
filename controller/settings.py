"""The settings file of the service: where its pictures come from, who plays, and where the page is to be found."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from controller.settings_file import load_settings


class Web(BaseModel):
    """The page. host: the address it listens at, only this computer's own unless told otherwise; "0.0.0.0" for every phone in the room."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    enabled: bool = True
    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8000
    names: tuple[str, ...] = ()
    """Further names that this computer is called by in browsers, such as "board1.club.example"; its own name and addresses are known."""
    device_page: bool = False
    """A browser on this computer itself is shown the director's link without a PIN. Not behind a proxy on this computer: whoever comes
    through one may look as if he sat here."""


class Service(BaseModel):
    """The settings file of the service. source: as for `gammonwatch watch`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str = "picamera2"
    players: tuple[str, str] = ("A", "B")
    rules: str | None = None
    match_length: int = 0
    start: Literal["by itself", "when told"] = "by itself"
    """When a match begins: as soon as the starting position is seen, or only when somebody says so on the page."""
    web: Web = Web()


def load_service(path: Path | None) -> Service:
    """Raises SettingsError with the first thing that is wrong."""
    return Service() if path is None else load_settings(path, Service, "settings file")
