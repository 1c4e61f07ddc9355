"""Evidence within seconds: the picture of each settled roll and each judged board, in a folder beside the journal.

The folder is bounded together with those of the other journals in its place: when it grows too large the oldest pictures go, those of
other matches first, and never those of a match that is being watched by another gammonwatch. The records never depend on a picture.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import cv2

from calibration.geometry import Image
from controller.events import Event
from controller.journal import STILLS as ENDING
from controller.journal import JournalError, in_use
from controller.past import ROLLS, TURNS

SHOWN = (*ROLLS, *TURNS, "game_start", "unsure", "shut_out")
"""Events whose picture is kept."""
QUALITY = 85
"""JPEG: pips can still be counted."""
LIMIT_MB = 2000.0
"""Of all matches in one folder: about 40 hours of play in pictures of 1920x1080."""


class StillsError(Exception):
    """Pictures cannot be kept or found; one plain sentence."""


def folder_of(journal: Path) -> Path:
    return journal.with_name(journal.name + ENDING)


def still_of(journal: Path, frame: int) -> Path:
    return folder_of(journal) / f"{frame:08d}.jpg"


@dataclass(frozen=True, slots=True)
class Stills:
    """Keeps pictures for one journal. `limit` in bytes, for all journals in its folder together; 0 keeps none."""

    journal: Path
    limit: int = round(LIMIT_MB * 1e6)

    def keep(self, frame: int, image: Image, events: Sequence[Event]) -> Path | None:
        """The picture of a frame on which something was decided; None when it was not worth keeping.

        Raises StillsError on a full disk and the like: the game goes on, the caller says so.
        """
        if self.limit <= 0 or not any(e.event in SHOWN for e in events):
            return None
        path = still_of(self.journal, frame)
        part = path.with_name(f".{path.name}.part")
        try:
            path.parent.mkdir(exist_ok=True)
            done, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
            if not done:
                raise StillsError(f"the picture of frame {frame} cannot be written as JPEG")
            part.write_bytes(data.tobytes())
            part.replace(path)
            self.trim()
        except OSError as error:
            with suppress(OSError):
                part.unlink()
            raise StillsError(f"cannot keep a picture in {path.parent}: {error.strerror or error}") from error
        return path

    def trim(self) -> None:
        """Remove the oldest pictures until all of them fit, other matches' before this one's."""
        own = folder_of(self.journal)
        sizes: list[tuple[bool, float, Path, int]] = []
        for folder in self.journal.parent.glob(f"*{ENDING}"):
            if not folder.is_dir() or (folder != own and _watched(folder)):
                continue
            for entry in os.scandir(folder):
                if entry.name.endswith(".jpg"):
                    told = entry.stat()
                    sizes.append((folder == own, told.st_mtime, Path(entry.path), told.st_size))
        total = sum(size for *_, size in sizes)
        for _, _, path, size in sorted(sizes):
            if total <= self.limit:
                break
            path.unlink(missing_ok=True)
            total -= size
            if not any(path.parent.iterdir()):
                path.parent.rmdir()


def _watched(folder: Path) -> bool:
    journal = folder.with_name(folder.name.removesuffix(ENDING))
    try:
        return journal.exists() and in_use(journal)
    except JournalError:
        return True
