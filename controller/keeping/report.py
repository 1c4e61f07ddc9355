"""The report of a match: everything a director, a player or an appeal needs, as one value that is then laid out as HTML or PDF.

Pure but for the pictures, which are asked of a function; they are made smaller here, and there are only so many of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

import cv2
import numpy as np

from controller.keeping.clauses import CLAUSES
from controller.keeping.story import GameStory, Incident, Story, tell
from controller.past import Past
from rules.drawing import Home
from rules.position import Player
from rules.ruleset import RuleSet

Picture = Callable[[int], bytes | None]
"""The picture kept of a frame, as JPEG; None when there is none (any more)."""
WIDTH = 900
"""px of a picture in a report: pips can still be counted where the board fills it."""
QUALITY = 72
MOST_BYTES = 8_000_000
"""Of all pictures of one report: it has to go through a mail."""
COUNTED = (("illegal", "illegal play", "illegal plays"), ("roll_void", "void roll", "void rolls"), ("unsure", "question", "questions"))


@dataclass(frozen=True, slots=True)
class Report:
    names: tuple[str, str]
    when: datetime | None
    """The match began; local time."""
    length: int
    """Points, 0 for money."""
    rules: RuleSet
    clock: str
    """In words; empty without one."""
    home: Home
    story: Story
    finished: bool
    stills: Mapping[int, bytes]
    """By frame; JPEG."""
    left_out: int
    """Pictures that would have made the report too large."""

    @property
    def title(self) -> str:
        return f"{self.names[0]} – {self.names[1]}"

    @property
    def played_to(self) -> str:
        return f"match to {self.length} point{'s' * (self.length != 1)}" if self.length else "money play"

    @property
    def result(self) -> str:
        """One sentence on how it stands or ended."""
        a, b = self.story.score
        if self.length and max(a, b) >= self.length:
            won = self.names[0] if a >= b else self.names[1]
            return f"{won} won the match, {max(a, b)} to {min(a, b)}."
        if a == b:
            return f"It stands {a} all{'' if self.finished else '; the match was going on when this was written'}."
        ahead = self.names[0] if a > b else self.names[1]
        return f"{ahead} leads, {max(a, b)} to {min(a, b)}{'' if self.finished else '; the match was going on when this was written'}."

    @property
    def counts(self) -> tuple[str, ...]:
        turns = sum(turn.kind in ("play", "dance", "stands") for turn in self.story.turns)
        found = [f"{turns} turn{'s' * (turns != 1)}"]
        for kind, one, many in COUNTED:
            number = self.story.count(kind)
            found.append(f"{number or 'no'} {one if number == 1 else many}")
        return tuple(found)

    @property
    def date(self) -> str:
        return f"{self.when:%d %B %Y, %H:%M}".lstrip("0") if self.when else "date not known"

    @property
    def clauses(self) -> tuple[tuple[str, str], ...]:
        """Those that were applied, with what they say."""
        used = {incident.clause for incident in self.story.incidents}
        return tuple((clause, text) for clause, text in CLAUSES.items() if clause in used)

    @property
    def timed(self) -> bool:
        return any(row.seconds is not None for game in self.story.games for row in game.rows)

    def time_of(self, player: Player | str) -> float:
        """s that all the player's turns took."""
        return sum(row.seconds or 0.0 for game in self.story.games for row in game.rows if row.player == player)

    def game_result(self, game: GameStory) -> str:
        if game.winner is None:
            return {"broken off": "broken off without a result"}.get(game.how, "not finished")
        if game.resigned:
            loser = self.names[game.winner.other.side]
            return f"{self.names[game.winner.side]} wins {game.points} point{'s' * (game.points != 1)}, {loser} resigned"
        how = {"pass": "by a double that was passed", "single": "a single game"}.get(game.how, f"a {game.how}")
        return f"{self.names[game.winner.side]} wins {game.points} point{'s' * (game.points != 1)}, {how}"

    def still(self, incident: Incident) -> bytes | None:
        return self.stills.get(incident.frame)


def build(past: Past, picture: Picture = lambda frame: None, when: datetime | None = None, *, finished: bool = True, most: int = MOST_BYTES) -> Report:
    """`when`: the match began. `most`: bytes for pictures; an incident without its picture is in the report all the same."""
    state = past.state
    start = state.start.to_28() if state else ()
    story = tell(past.events, past.names, start) if start else tell(past.events, past.names)
    length = state.length if state else _whole(past.about.get("length", ""))
    delay = f"{state.clock.delay:g} s a turn, then the reserve" if state and state.clock else ""
    stills: dict[int, bytes] = {}
    total, left_out = 0, 0
    for frame in dict.fromkeys(incident.frame for incident in story.incidents):
        data = picture(frame)
        small = smaller(data) if data else None
        if small is None:
            continue
        if total + len(small) > most:
            left_out += 1
            continue
        stills[frame] = small
        total += len(small)
    rules = state.ruleset if state else RuleSet()
    return Report(past.names, when, length, rules, delay, state.home if state else "right", story, finished, stills, left_out)


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() else 0


def smaller(data: bytes, width: int = WIDTH) -> bytes | None:
    """The picture at most `width` px wide, as JPEG; None when it is no picture."""
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if data else None
    if image is None:
        return None
    high, wide = image.shape[:2]
    if wide > width:
        image = cv2.resize(image, (width, max(round(high * width / wide), 1)), interpolation=cv2.INTER_AREA)
    done, small = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    return small.tobytes() if done else None


def minutes(seconds: float) -> str:
    """ "2:05" """
    whole = max(round(seconds), 0)
    return f"{whole // 60}:{whole % 60:02d}"
