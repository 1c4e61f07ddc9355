"""Settings files: TOML, checked by a pydantic model; what is wrong with one is said in a sentence."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

Settings = TypeVar("Settings", bound=BaseModel)


class SettingsError(ValueError):
    """The settings file cannot be used; one plain sentence."""


def load_settings(path: Path, model: type[Settings], what: str) -> Settings:
    """The settings in a TOML file. `what`: what they are, for people. Raises SettingsError with the first thing that is wrong."""
    try:
        return model.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise SettingsError(f"cannot read the {what} {path}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"the {what} {path} is not TOML: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if not str(part).startswith(("function-", "[")))
        raise SettingsError(f"the {what} {path}: {where + ': ' if where else ''}{first['msg'].removeprefix('Value error, ')}") from error
