"""The match at the table as it was set up: kept in the state folder, so that a restart carries on with it."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from calibration.whole_file import write_whole
from controller.app import Trouble, load_rules
from controller.clock import Clock, ClockError

MATCH = "match.json"
"""Its name in the state folder."""
JOURNAL = "journal.sqlite"
"""The journal of a match that nobody set up: its names and rules are those of the settings file."""
ENDING = ".gammonwatch.sqlite"
"""Of the journals of matches that were set up on the page."""
Speaks = Literal["club", "consent", "silent"]
"""Who may speak: a club's table (alerts at once); a tournament with both players' consent (alerts); a silent one (only the director is answered)."""


def _named(name: str) -> str:
    plain = " ".join(name.split())
    if not plain:
        raise ValueError("a player needs a name")
    if len(plain) > 40:
        raise ValueError("a name has 40 letters at most")
    if not plain.isprintable():
        raise ValueError("a name is made of letters that can be printed")
    return plain


def _known(rules: str) -> str:
    try:
        load_rules(rules)
    except Trouble as error:
        raise ValueError(str(error)) from None
    return rules


Name = Annotated[str, AfterValidator(_named)]


class Match(BaseModel):
    """What is agreed on before play. Raises ValidationError with sentences for people."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    names: tuple[Name, Name] = ("A", "B")
    length: Annotated[int, Field(ge=0, le=99)] = 0
    """Points; 0 for money."""
    rules: Annotated[str, AfterValidator(_known)] | None = None
    """A preset's name, or a file."""
    speaks: Speaks = "club"
    clock: str | None = None
    """Delay and reserve a point in s, such as "12+120"."""
    journal: str = JOURNAL
    """File name in the state folder."""
    began: str = ""
    """ISO 8601, UTC."""

    @model_validator(mode="after")
    def _timed(self) -> Match:
        if self.names[0] == self.names[1]:
            raise ValueError("the players need two different names")
        try:
            self.timed()
        except ClockError as error:
            raise ValueError(str(error)) from None
        return self

    def timed(self) -> Clock | None:
        return Clock.parse(self.clock, self.length) if self.clock else None

    def begun(self, folder: Path, now: datetime | None = None) -> Match:
        """The same agreement as a match of its own, with a journal of its own in `folder`."""
        moment = now or datetime.now(UTC)
        players = "-".join(re.sub(r"[^\w]+", "", name)[:16] or "x" for name in self.names)
        stem, number = f"{moment:%Y-%m-%d-%H%M%S}-{players}", 1
        while (folder / f"{stem}{ENDING}").exists():
            number += 1
            stem = f"{moment:%Y-%m-%d-%H%M%S}-{players}-{number}"
        return self.model_copy(update={"journal": f"{stem}{ENDING}", "began": moment.isoformat(timespec="seconds")})

    def save(self, folder: Path) -> None:
        write_whole(folder / MATCH, self.model_dump_json(indent=1) + "\n")


def load_match(folder: Path) -> Match | None:
    """The match that was set up last; None when none was. Raises Trouble when the file is damaged."""
    path = folder / MATCH
    if not path.exists():
        return None
    try:
        return Match.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValidationError, UnicodeDecodeError) as error:
        raise Trouble(f"{path} cannot be used; remove it to begin another match ({str(error).splitlines()[0]})") from error
