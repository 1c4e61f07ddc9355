"""A report as one HTML file that needs nothing else: no script, no font, no picture from anywhere."""

from __future__ import annotations

import base64
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from controller.keeping.report import Report, minutes
from controller.keeping.story import Diagram
from rules.drawing import Home, Names, svg_board

_PAGES = Environment(
    loader=FileSystemLoader(Path(__file__).resolve().parent / "templates"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)


def draw(diagram: Diagram, home: Home, names: Names) -> str:
    """The diagram as SVG."""
    board = diagram.board
    return svg_board(board, home=home, dice=diagram.dice, roller=diagram.roller, cube=diagram.cube, names=names, lit=diagram.lit)


def html(report: Report) -> str:
    def picture(frame: int) -> str | None:
        data = report.stills.get(frame)
        return None if data is None else f"data:image/jpeg;base64,{base64.b64encode(data).decode()}"

    def drawn(diagram: Diagram) -> Markup:
        return Markup(draw(diagram, report.home, report.names))  # made by rules.drawing, which escapes the names

    return _PAGES.get_template("report.html").render(report=report, picture=picture, drawn=drawn, minutes=minutes)
