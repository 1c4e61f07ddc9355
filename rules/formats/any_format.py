"""A match from whatever file holds it, and into any format by the file's ending."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from rules.formats.mat import not_kept_in_mat, read_mat, write_mat
from rules.formats.ogxm import MAGIC, not_kept_in_ogxm, read_ogxm, write_ogxm
from rules.formats.sgf import not_kept_in_sgf, read_sgf, write_sgf
from rules.formats.snowie import not_kept_in_snowie, write_snowie
from rules.record import FormatError, MatchRecord

LARGEST = 4_000_000
"""Bytes. The longest match on record is a few hundred thousand; this keeps time and memory within bounds."""


def read_match(data: bytes) -> MatchRecord:
    """Any of the formats, known by its content; raises `FormatError` (or `ogxm.MissingLibrary`)."""
    if len(data) > LARGEST:
        raise FormatError(0, f"expected a match file, found {len(data):,} bytes; the most that is read is {LARGEST:,}")
    if data[:4] == MAGIC:
        return read_ogxm(data)
    remarks: tuple[str, ...] = ()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        text, remarks = data.decode("latin-1"), (f"line {line}: this is not UTF-8; the file is read as Latin-1",)
    record = read_sgf(text) if text.lstrip()[:1] == "(" else read_mat(text)
    return replace(record, remarks=(*remarks, *record.remarks)) if remarks else record


class Writer(Protocol):
    def __call__(self, record: MatchRecord, /) -> bytes: ...


class LeftOut(Protocol):
    def __call__(self, record: MatchRecord, /) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class Format:
    """One that can be written."""

    name: str
    write: Writer
    """Raises `CannotHold`."""
    left_out: LeftOut
    """What a file of this kind does not say, one sentence each."""


FORMATS = {
    ".mat": Format(".mat", lambda record: write_mat(record).encode(), not_kept_in_mat),
    ".sgf": Format("SGF", lambda record: write_sgf(record).encode(), not_kept_in_sgf),
    ".txt": Format("Snowie text", lambda record: write_snowie(record).encode(), not_kept_in_snowie),
    ".ogxm": Format("OGXM", write_ogxm, not_kept_in_ogxm),
}
"""By the file's ending."""
