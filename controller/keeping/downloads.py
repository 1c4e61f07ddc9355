"""One match as a file: for other programs, for the archive, for people."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from controller.keeping.library import Found, begun_of
from controller.keeping.report import Picture, Report, build
from controller.records import json_lines, to_record
from rules.formats.any_format import FORMATS
from rules.formats.ogxm import MissingLibrary
from rules.position import START
from rules.record import CannotHold, MatchRecord
from rules.ruleset import DEFAULT

__all__ = ["KINDS", "CannotHold", "Kind", "file_of", "name_of", "record_of"]


@dataclass(frozen=True, slots=True)
class Kind:
    """A sort of file."""

    ending: str
    name: str
    media: str
    make: Callable[[Found, Picture], bytes]


def record_of(found: Found) -> MatchRecord:
    """The match as match files hold it. Raises CannotHold with the reason."""
    past, state = found.past, found.past.state
    begun = begun_of(past)
    tags = [("EventDate", f"{begun:%Y.%m.%d}")] if begun else []
    start, rules = (state.start, state.ruleset) if state else (START, DEFAULT)
    return to_record(past.events, start, past.names, found.entry.length, rules, tags)


def _match_file(ending: str) -> Callable[[Found, Picture], bytes]:
    def make(found: Found, picture: Picture) -> bytes:
        record = record_of(found)
        if not record.games:
            raise CannotHold("no turn has been played yet")
        try:
            return FORMATS[ending].write(record)
        except MissingLibrary as error:
            raise CannotHold(str(error)) from error

    return make


def _report(found: Found, picture: Picture) -> Report:
    return build(found.past, picture, begun_of(found.past), finished=not found.entry.running)


def _html(found: Found, picture: Picture) -> bytes:
    from controller.keeping.report_html import html

    return html(_report(found, picture)).encode()


def _pdf(found: Found, picture: Picture) -> bytes:
    # The PDF library takes as long to import as all the rest of the page; most starts never write one.
    from controller.keeping.report_pdf import pdf

    return pdf(_report(found, picture))


KINDS = {
    kind.ending: kind
    for kind in (
        Kind("mat", ".mat, for gnubg, XG and most others", "text/plain; charset=utf-8", _match_file(".mat")),
        Kind("sgf", "SGF, for gnubg", "application/x-go-sgf", _match_file(".sgf")),
        Kind("ogxm", "OGXM, the most complete", "application/octet-stream", _match_file(".ogxm")),
        Kind("jsonl", "events as JSON lines", "application/x-ndjson", lambda found, picture: json_lines(found.past.events).encode()),
        Kind("html", "report, one HTML file", "text/html; charset=utf-8", _html),
        Kind("pdf", "report as PDF", "application/pdf", _pdf),
    )
}
"""By ending."""


def file_of(found: Found, ending: str, picture: Picture = lambda frame: None) -> bytes:
    """The file. Raises CannotHold with the reason in one sentence; KeyError for an ending that is none of KINDS."""
    return KINDS[ending].make(found, picture)


def name_of(found: Found, ending: str) -> str:
    """A name for the file: "2026-11-30-Ada-Ben.pdf", in letters that every system takes."""
    begun = begun_of(found.past)
    parts = [f"{begun:%Y-%m-%d}" if begun else "match", *(_safe(name) or side for name, side in zip(found.past.names, "AB", strict=True))]
    return f"{'-'.join(parts)}.{ending}"


def _safe(name: str) -> str:
    flat = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9]+", "", flat)[:20]
