from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from hall import Hall, Stage, pretend

MakeHall = Callable[..., Hall]


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    made = Stage()
    pretend(monkeypatch, made)
    return made


@pytest.fixture
def make_hall(stage: Stage, tmp_path: Path) -> Iterator[MakeHall]:
    open_now: list[Hall] = []

    def make(**options: Any) -> Hall:
        hall = Hall(options.pop("folder", tmp_path), stage, **options)
        open_now.append(hall)
        return hall

    yield make
    for hall in open_now:
        hall.close()


@pytest.fixture
def hall(make_hall: MakeHall) -> Hall:
    """A table where the match of the settings is being watched, its first game set up."""
    made = make_hall()
    made.until(lambda: "game_start" in made.kinds())
    return made
