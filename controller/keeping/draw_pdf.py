"""A board drawn into a PDF, from the same picture that pages show: the shapes of `drawing.svg_board`, as lines and areas."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from fpdf import FPDF

from controller.keeping.story import Diagram
from rules.drawing import HEIGHT, WIDTH, Home, svg_board

__all__ = ["HEIGHT", "WIDTH", "draw_board"]

_POINTS_A_UNIT = 72 / 25.4
"""PDF fonts are measured in points, pages here in mm."""


def draw_board(pdf: FPDF, family: str, diagram: Diagram, home: Home, x: float, y: float, wide: float) -> None:
    """The board at (x, y), `wide` mm wide. Only what `svg_board` draws is known: rectangles, circles, triangles and text."""
    scale = wide / WIDTH
    text = svg_board(diagram.board, home=home, dice=diagram.dice, roller=diagram.roller, cube=diagram.cube, lit=diagram.lit)
    for shape in ElementTree.fromstring(text):
        kind = shape.tag.rpartition("}")[2]
        at = shape.attrib
        if kind == "title":
            continue
        opacity = float(at.get("fill-opacity", at.get("stroke-opacity", 1)))
        with pdf.local_context(fill_opacity=opacity, stroke_opacity=opacity):
            style = _paint(pdf, at, scale)
            if kind == "rect":
                _rect(pdf, at, style, x, y, scale)
            elif kind == "circle":
                pdf.circle(x + float(at["cx"]) * scale, y + float(at["cy"]) * scale, float(at["r"]) * scale, style)
            elif kind == "polygon":
                corners = [tuple(float(n) for n in pair.split(",")) for pair in at["points"].split()]
                pdf.polygon([(x + px * scale, y + py * scale) for px, py in corners], style=style)
            elif kind == "text":
                _text(pdf, family, at, shape.text or "", x, y, scale)


def _paint(pdf: FPDF, at: dict[str, str], scale: float) -> str:
    fill, stroke = at.get("fill", "none"), at.get("stroke", "none")
    if fill != "none":
        pdf.set_fill_color(*_rgb(fill))
    if stroke != "none":
        pdf.set_draw_color(*_rgb(stroke))
        pdf.set_line_width(scale)
    return ("D" if stroke != "none" else "") + ("F" if fill != "none" else "")


def _rect(pdf: FPDF, at: dict[str, str], style: str, x: float, y: float, scale: float) -> None:
    left, top, wide, high, radius = (float(at.get(name, 0)) * scale for name in ("x", "y", "width", "height", "rx"))
    if radius:
        pdf.rect(x + left, y + top, wide, high, style, round_corners=True, corner_radius=min(radius, wide / 2, high / 2))
    else:
        pdf.rect(x + left, y + top, wide, high, style)


def _text(pdf: FPDF, family: str, at: dict[str, str], text: str, x: float, y: float, scale: float) -> None:
    pdf.set_font(family, "B" if at.get("font-weight") == "bold" else "", float(at["font-size"]) * scale * _POINTS_A_UNIT)
    pdf.set_text_color(*_rgb(at.get("fill", "#000000")))
    pdf.text(x + float(at["x"]) * scale - pdf.get_string_width(text) / 2, y + float(at["y"]) * scale, text)


def _rgb(colour: str) -> tuple[int, int, int]:
    found = re.fullmatch("#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})", colour.lower())
    return (int(found[1], 16), int(found[2], 16), int(found[3], 16)) if found else (0, 0, 0)
