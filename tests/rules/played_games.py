"""Random games and matches for the tests of records and formats, and the real gnubg to hold against."""

import os
import random
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from rules.cube import Cube
from rules.game import GameState
from rules.match import Ending, GameResult, MatchState, Win, finished
from rules.notation import steps
from rules.plays import Play, Roll, is_shut_out, legal_plays, winner
from rules.position import START, Player, Position
from rules.record import AnyTurn, Beaver, DanceTurn, Double, Drop, GameRecord, IllegalTurn, MatchRecord, PlayTurn, RollTurn, Take
from rules.ruleset import RuleSet

A, B = Player.A, Player.B
MATCHES = Path(os.environ.get("GAMMONWATCH_SHARED", Path(__file__).resolve().parents[3] / "shared")) / "matches"
needs_matches = pytest.mark.skipif(not MATCHES.is_dir(), reason="the shared matches are not here")
GNUBG = shutil.which("gnubg") or shutil.which("/usr/games/gnubg")
needs_gnubg = pytest.mark.skipif(GNUBG is None, reason="gnubg is not here")


def random_game(
    seed: int, plies: int = 10_000, *, cube: bool = False, first: Player | None = None, illegal: float = 0.0, beavers: bool = False
) -> GameRecord:
    """A random game, perhaps cut off after some plies; `illegal`: how often a play is one that the rules forbid, and stands."""
    rng = random.Random(seed)
    player = first or rng.choice([A, B])
    position, state = START, Cube()
    turns: list[AnyTurn] = []
    while plies > 0 and winner(position) is None:
        plies -= 1
        if cube and len(turns) > 6 and state.owner is not player.other and state.value < 16 and rng.random() < 0.05:
            turns.append(Double(player, state.value * 2))
            state = state.offer(player)
            if beavers and rng.random() < 0.5:
                state = state.beaver(player.other, RuleSet(beavers=True))
                turns.append(Beaver(player.other, state.stake))
                state = state.take(player)
            else:
                if rng.random() < 0.3:
                    turns.append(Drop(player.other))
                    return GameRecord((0, 0), tuple(turns), GameResult(player, state.drop(player.other), Win.SINGLE, Ending.DROPPED))
                turns.append(Take(player.other))
                state = state.take(player.other)
        if is_shut_out(position, player):
            player = player.other
            continue
        roll = Roll(rng.randint(1, 6), rng.randint(1, 6))
        if not turns and roll.double:
            roll = Roll(3, 1)
        legal = legal_plays(position, player, roll)
        other = illegal_result(position, player, roll, rng) if rng.random() < illegal else None
        if other is not None:
            position = other
            turns.append(IllegalTurn(player, roll, other))
        elif legal:
            play = legal[rng.choice(list(legal))]
            position = play.result
            turns.append(PlayTurn(player, roll, play))
        else:
            turns.append(DanceTurn(player, roll))
        player = player.other
    return GameRecord((0, 0), tuple(turns), finished(position, state))


def illegal_result(position: Position, player: Player, roll: Roll, rng: random.Random) -> Position | None:
    """A board that no play of this roll leads to: a play of another roll."""
    for _ in range(5):
        other = legal_plays(position, player, Roll(rng.randint(1, 6), rng.randint(1, 6)))
        legal = legal_plays(position, player, roll)
        wrong = [one for one in other if one not in legal and winner(one) is None]
        if wrong:
            return rng.choice(wrong)
    return None


def random_match(seed: int, length: int = 15, *, illegal: float = 0.0) -> MatchRecord:
    """Played to its end; the cube is in use while nobody is close, so that no double is a dead one."""
    scores: list[int] = [0, 0]
    games: list[GameRecord] = []
    while max(scores) < length:
        game = random_game(seed * 100 + len(games), cube=max(scores) == 0, illegal=illegal)
        assert game.result is not None
        games.append(replace(game, scores=(scores[0], scores[1])))
        scores[game.result.winner.side] += game.result.points
    return MatchRecord(("Joe", "Ann"), length, tuple(games))


def money_session(seed: int, games: int = 4, *, illegal: float = 0.0) -> MatchRecord:
    """Money games with beavers, and a resignation now and then."""
    scores = [0, 0]
    played: list[GameRecord] = []
    rng = random.Random(seed)
    for n in range(games):
        game = random_game(seed * 1000 + n, cube=True, illegal=illegal, beavers=True)
        assert game.result is not None
        if rng.random() < 0.4 and game.result.ending is Ending.PLAYED:
            game = resigned(game, rng)
        assert game.result is not None
        played.append(replace(game, scores=(scores[0], scores[1])))
        scores[game.result.winner.side] += game.result.points
    return MatchRecord(("Joe", "Ann"), 0, tuple(played), ruleset=RuleSet("money", crawford=False, beavers=True, raccoons=True))


def resigned(game: GameRecord, rng: random.Random) -> GameRecord:
    """The same game given up after a roll, at a level both agreed on."""
    assert game.result is not None
    turns = list(game.turns)
    while len(turns) > 4 and (rng.random() < 0.9 or not isinstance(turns[-1], PlayTurn)):
        turns.pop()
    last = turns[-1]
    assert isinstance(last, PlayTurn)
    turns[-1] = RollTurn(last.player, last.roll)
    value = max([turn.value for turn in turns if isinstance(turn, Double | Beaver)], default=1)
    level = rng.choice(list(Win))
    return replace(game, turns=tuple(turns), result=GameResult(last.player.other, value * level.times(), level, Ending.RESIGNED))


def plain(game: GameRecord, *, ordered: bool = True) -> list[object]:
    """What a game comes to, however it is written: each turn with the position it leads to."""
    state = GameState(MatchState(0), game.start, cube=game.first_cube)
    out: list[object] = []
    for turn in game.turns:
        kind = type(turn).__name__
        state = state.as_it_happened(turn)
        if isinstance(turn, Double | Beaver):
            out.append((kind, turn.player, state.cube.stake))
        elif isinstance(turn, Take | Drop):
            out.append((kind, turn.player))
        else:
            dice = (turn.roll.first, turn.roll.second) if ordered else tuple(sorted((turn.roll.first, turn.roll.second)))
            out.append((kind, turn.player, dice, state.board))
    return [*out, game.result, game.scores]


def notations(record: MatchRecord) -> list[str]:
    """The plays of the first game."""
    return [steps(t.moves.moves) if isinstance(t, PlayTurn) and isinstance(t.moves, Play) else str(t) for t in record.games[0].turns]


def gnubg(folder: Path, *commands: str) -> str:
    """What the real program says to these commands, run in `folder`."""
    script = folder / "s.cmd"
    script.write_text("\n".join(commands) + "\n")
    done = subprocess.run(
        [str(GNUBG), "-t", "-q", "-r", "-c", str(script)], check=False, stdin=subprocess.DEVNULL, cwd=folder,
        capture_output=True, text=True, timeout=120, env={"HOME": str(folder), "LC_ALL": "C", "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    return done.stdout + done.stderr


def complaints(said: str) -> list[str]:
    """Lines in which gnubg finds fault."""
    return [line for line in said.splitlines() if re.search(r"warning:|invalid|illegal|unrecogni|error", line, re.IGNORECASE)]
