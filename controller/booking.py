"""Which journal a match at the table is written to, and when the one that is there makes way for the next."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from calibration.profile import Profile
from controller import app as wiring
from controller import thresholds
from controller.evidence import Evidence
from controller.journal import Journal, OtherRun, set_aside
from controller.match import JOURNAL, Match
from controller.referee import new_game
from controller.state import RefereeState
from controller.weigh import is_board
from vision.frames import FrameSource
from vision.scene import Scene


def book(folder: Path, match: Match, source: FrameSource, profile: Profile, say: Callable[[str], object]) -> Journal:
    """The match's journal. Its board may be learned anew in the middle of it. One that nobody set up is told from others by its camera
    and by what it is judged by, and is set aside when it is over: the next begins by itself. One that was set up has a file of its own."""
    ruleset, path = wiring.load_rules(match.rules), folder / match.journal
    about = wiring.about(source, profile, ruleset, new_game().start, match.names, match.length, match.timed())
    del about["profile"]
    if match.journal != JOURNAL:
        del about["source"]
        about["began"] = match.began
        return Journal(path, about)
    try:
        journal = Journal(path, about)
    except OtherRun:
        say(f"another camera or match than before: the journal so far is set aside as {set_aside(path)}")
        return Journal(path, about)
    last = journal.last()
    if source.live and last and last[1] and RefereeState.from_json(last[1]).ended:
        journal.close()
        say(f"the last match is over: its journal is set aside as {set_aside(path)}, and the next begins")
        return Journal(path, about)
    return journal


def makes_way(match: Match, state: RefereeState, scene: Scene | None) -> bool:
    """A match that nobody set up is over, and the board stands as for the next one."""
    if match.journal != JOURNAL or not state.ended or scene is None:
        return False
    return is_board(Evidence.of(scene.board, state.home), state.start, in_play=False) >= thresholds.START_SURE
