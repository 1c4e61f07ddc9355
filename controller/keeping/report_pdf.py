"""A report as PDF: A4 pages, boards drawn as lines and areas, the camera's pictures as they are in the report."""

from __future__ import annotations

import io
import logging
import unicodedata
import warnings
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
from fpdf import FPDF
from fpdf.enums import XPos, YPos

from controller.keeping.draw_pdf import HEIGHT, WIDTH, draw_board
from controller.keeping.report import Report, minutes
from controller.keeping.story import Diagram, GameStory, Incident, Row

FONTS = tuple(Path(folder) for folder in ("/usr/share/fonts/truetype/dejavu", "/usr/share/fonts/dejavu-sans-fonts", "/usr/share/fonts/TTF"))
"""Where Debian and others keep DejaVu Sans, which has the letters of most names. Without it the PDF's own Helvetica is used, and letters
that it lacks are written without their accents, or as a question mark."""
MARGIN = 16.0
GAP = 5.0
SOFT, INK, LINE = (90, 100, 94), (20, 28, 24), (205, 198, 184)
COLOURS = {"illegal": (163, 35, 26), "stands": (163, 35, 26), "roll_void": (170, 105, 0), "corrected": (170, 105, 0), "roll_stands": (170, 105, 0)}
OTHER = (28, 76, 134)


def pdf(report: Report) -> bytes:
    """The whole file."""
    made = _Pdf(report)
    made.whole()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bytes(made.output())


class _Pdf(FPDF):
    def __init__(self, report: Report) -> None:
        super().__init__(format="A4")
        # The font library tells at length what it leaves out of a subset.
        logging.getLogger("fontTools").setLevel(logging.ERROR)
        self.report = report
        self.set_margins(MARGIN, MARGIN)
        self.set_auto_page_break(True, 18)
        self.family_name = self._fonts()
        self.set_title(f"{report.title}, {report.date}")
        self.set_creator("gammonwatch")
        self.set_lang("en")
        self.alias_nb_pages()

    def _fonts(self) -> str:
        for folder in FONTS:
            plain, bold = folder / "DejaVuSans.ttf", folder / "DejaVuSans-Bold.ttf"
            if plain.is_file() and bold.is_file():
                self.add_font("DejaVu", "", str(plain))
                self.add_font("DejaVu", "B", str(bold))
                return "DejaVu"
        return "Helvetica"

    def footer(self) -> None:
        self.set_y(-13)
        self._font(8, colour=SOFT)
        self.cell(0, 5, self._can(f"{self.report.title} · {self.report.date}"), align="L")
        self.set_x(MARGIN)
        self.cell(0, 5, f"{self.page_no()} / {{nb}}", align="R")

    # Text

    def _font(self, size: float, style: str = "", colour: tuple[int, int, int] = INK) -> None:
        self.set_font(self.family_name, style, size)
        self.set_text_color(*colour)

    def _can(self, text: str) -> str:
        """What the font can show of it."""
        text = "".join(c if c.isprintable() else " " for c in text)
        if self.family_name != "Helvetica":
            known = self.fonts["dejavu"].cmap  # type: ignore[union-attr]
            return "".join(c if ord(c) in known else _plainer(c, lambda p: ord(p) in known) for c in text)
        text = text.translate(str.maketrans("–“”’", "-\"\"'"))
        return "".join(c if c.encode("latin-1", "ignore") else _plainer(c, lambda p: bool(p.encode("latin-1", "ignore"))) for c in text)

    def say(self, text: str, size: float = 10, style: str = "", colour: tuple[int, int, int] = INK, after: float = 1.5) -> None:
        self._font(size, style, colour)
        self.multi_cell(0, size * 0.48, self._can(text), new_x=XPos.LMARGIN, new_y=YPos.NEXT, align="L")
        self.ln(after)

    def heading(self, text: str, needs: float = 40) -> None:
        """Never alone at the foot of a page."""
        if self.will_page_break(needs):
            self.add_page()
        else:
            self.ln(4)
        self.say(text, 14, "B", after=0.5)
        self.set_draw_color(*LINE)
        self.line(self.l_margin, self.get_y(), self.w - self.r_margin, self.get_y())
        self.ln(2.5)

    # The parts

    def whole(self) -> None:
        report = self.report
        self.add_page()
        self.say("Match report · gammonwatch", 9, colour=SOFT)
        self.say(report.title, 20, "B")
        self.say(report.result, 13, "B", after=3)
        facts = [("Date", report.date), ("Played", f"{report.played_to}, rules “{report.rules.name}”")]
        if report.clock:
            facts.append(("Clock", report.clock))
        facts.append(("Seen", ", ".join(report.counts)))
        if report.timed:
            used = (f"{name} {minutes(report.time_of(player))}" for name, player in zip(report.names, "AB", strict=True))
            facts.append(("Time used", ", ".join(used)))
        for name, text in facts:
            self._fact(name, text)
        if report.story.games:
            self.heading("Score")
            self._scores()
        self.heading("What was out of the ordinary")
        if not report.story.incidents:
            self.say("Nothing: every roll was valid and every play legal, as far as was seen.")
        for incident in report.story.incidents:
            self._incident(incident)
        if report.left_out:
            self.say(f"{report.left_out} more pictures would have made this report too large; they lie beside the journal.", 9, colour=SOFT)
        if report.clauses:
            self.heading("The clauses named above")
            for clause, text in report.clauses:
                self._fact(clause, text, 16)
        for game in report.story.games:
            self._game(game)
        self.ln(3)
        self.say(
            "Points are numbered as their player sees them; 24 is farthest from home. "
            f"Diagrams are drawn from {report.names[0]}'s side. Yellow points are those in question.",
            8, colour=SOFT,
        )  # fmt: skip

    def _fact(self, name: str, text: str, wide: float = 26) -> None:
        if self.will_page_break(6):
            self.add_page()
        self._font(10, colour=SOFT)
        self.cell(wide, 5.6, self._can(name))
        self._font(10)
        self.multi_cell(0, 5.6, self._can(text), new_x=XPos.LMARGIN, new_y=YPos.NEXT, align="L")

    def _cells(self, cells: list[tuple[float, str, str]], style: str = "", colour: tuple[int, int, int] = INK) -> None:
        """One line of a table: (width, text, alignment) each; a text too long is cut."""
        if self.will_page_break(5.6):
            self.add_page()
        self._font(9.5, style, colour)
        for wide, text, align in cells:
            shown = self._can(text)
            while shown and self.get_string_width(shown) > wide - 2:
                shown = shown[:-2].rstrip() + "…" if self.family_name != "Helvetica" else shown[:-1]
                if shown == "…":
                    break
            self.cell(wide, 5.6, shown, align=align)
        self.ln(5.6)
        self.set_draw_color(*LINE)
        self.line(self.l_margin, self.get_y(), self.w - self.r_margin, self.get_y())

    def _scores(self) -> None:
        names = self.report.names
        self._cells([(14, "Game", "R"), (96, "Result", "L"), (34, names[0], "R"), (34, names[1], "R")], "B", SOFT)
        for game in self.report.story.games:
            a, b = game.score
            won = game.winner.side if game.winner else None
            after = (a + game.points * (won == 0), b + game.points * (won == 1))
            self._cells([(14, str(game.number), "R"), (96, self.report.game_result(game), "L"), (34, str(after[0]), "R"), (34, str(after[1]), "R")])

    def _incident(self, one: Incident) -> None:
        still = self.report.still(one)
        figures = len(one.boards) + (still is not None)
        columns = 3 if figures > 2 else 2
        wide = (self.epw - GAP * (columns - 1)) / columns
        high = wide * HEIGHT / WIDTH + 6
        if self.will_page_break(26 + (high if figures else 0)):
            self.add_page()
        top = self.get_y()
        self.set_fill_color(*COLOURS.get(one.kind, OTHER))
        self.rect(self.l_margin, top + 0.6, 2, 11, "F")
        self.set_left_margin(MARGIN + 5)
        self.set_x(MARGIN + 5)
        clause = f" · clause {one.clause}" if one.clause else ""
        self.say(f"{one.number}. {one.title}  ·  game {one.game}, turn {one.turn}{clause}", 9.5, colour=SOFT, after=0.3)
        self.say(one.words, 11, "B", after=0.8)
        if one.by:
            self.say(f"By {one.by}.", 9.5, colour=SOFT, after=0.8)
        if one.nearest:
            self.say(f"Nearest legal plays: {'; '.join(one.nearest)}", 9.5, after=0.8)
        if still is None:
            self.say("No picture is kept of this moment.", 8.5, colour=SOFT, after=0.8)
        self.set_left_margin(MARGIN)
        self._figures(one, still, wide, columns)
        self.ln(3)

    def _figures(self, one: Incident, still: bytes | None, wide: float, columns: int) -> None:
        """So many in a row."""
        figures: list[tuple[str, Diagram | bytes]] = [*one.boards]
        if still is not None:
            figures.append((f"the camera's picture then ({one.frame})", still))
        for first in range(0, len(figures), columns):
            row = figures[first : first + columns]
            high = max(wide * HEIGHT / WIDTH if isinstance(what, Diagram) else wide * _shape(what) for _, what in row)
            if self.will_page_break(high + 6):
                self.add_page()
            y = self.get_y()
            for n, (name, what) in enumerate(row):
                x = MARGIN + n * (wide + GAP)
                if isinstance(what, Diagram):
                    draw_board(self, self.family_name, what, self.report.home, x, y, wide)
                    tall = wide * HEIGHT / WIDTH
                else:
                    tall = wide * _shape(what)
                    self.image(io.BytesIO(what), x, y, wide)
                self._font(8.5, colour=SOFT)
                self.set_xy(x, y + tall + 0.6)
                self.cell(wide, 4, self._can(name[:1].upper() + name[1:]))
            self.set_xy(MARGIN, y + high + 5.6)

    def _game(self, game: GameStory) -> None:
        self.heading(f"Game {game.number}  at {game.score[0]}–{game.score[1]}", 60)
        timed = self.report.timed
        head = [(14.0, "Turn", "R"), (42.0, "Player", "L"), (16.0, "Roll", "L"), (86.0, "Play", "L")]
        self._cells([*head, (20, "Time", "R")] if timed else head, "B", SOFT)
        for row in game.rows:
            self._row(row, timed)
        self.ln(1.5)
        result = self.report.game_result(game)
        self.say(f"{result[:1].upper()}{result[1:]}.", 10, "B")
        wide = (self.epw - GAP) / 2
        if self.will_page_break(wide * HEIGHT / WIDTH + 6):
            self.add_page()
        y = self.get_y()
        draw_board(self, self.family_name, game.end, self.report.home, MARGIN, y, wide)
        self.set_xy(MARGIN, y + wide * HEIGHT / WIDTH + 0.6)
        self.say(f"The board at the end of game {game.number}; {self.report.names[0]} sits below", 8.5, colour=SOFT)

    def _row(self, row: Row, timed: bool) -> None:
        name = self.report.names[row.player.side] if row.player else ""
        text = row.text + (" (put right)" if row.kind == "corrected" else "")
        cells = [(14.0, str(row.turn or ""), "R"), (42.0, name, "L"), (16.0, "-".join(map(str, row.dice)), "L"), (86.0, text, "L")]
        if timed:
            cells.append((20.0, minutes(row.seconds) if row.seconds is not None else "", "R"))
        bad = row.kind in ("illegal", "stands")
        self._cells(cells, "B" if bad else "", COLOURS["illegal"] if bad else INK)


def _plainer(char: str, known: Callable[[str], bool]) -> str:
    """The letter without its accents, or a question mark."""
    plain = unicodedata.normalize("NFKD", char)[:1]
    return plain if plain and known(plain) else "?"


def _shape(jpeg: bytes) -> float:
    """Height over width."""
    image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    return 0.75 if image is None else image.shape[0] / image.shape[1]
