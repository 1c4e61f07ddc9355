"""Positions that several tests share: by hand, and hypothesis strategies."""

from hypothesis import strategies as st

from rules.notation import short
from rules.plays import LegalPlays, Roll
from rules.position import Board, Player, Position

ROLLS = st.builds(Roll, st.integers(1, 6), st.integers(1, 6))
PLAYERS = st.sampled_from(Player)


def stand(a: dict[int, int], b: dict[int, int]) -> Position:
    """15 a side: checkers by own point (25 the bar); whoever is not named is off."""
    sides = []
    for side in (a, b):
        counts = [side.get(p, 0) for p in range(26)]
        counts[0] = 15 - sum(counts[1:])
        sides.append(counts)
    return Position.from_counts(sides[0], sides[1])


def written(plays: LegalPlays) -> set[str]:
    return {short(play.moves) for play in plays.values()}


@st.composite
def positions(draw: st.DrawFn) -> Position:
    """Any 15 a side; each point is given to one of the sides first."""
    owners = draw(st.lists(PLAYERS, min_size=24, max_size=24))
    sides = []
    for player in Player:
        own = [p for p in range(1, 25) if owners[(p if player is Player.A else 25 - p) - 1] is player]
        places = draw(st.lists(st.sampled_from([0, 25, *own]), min_size=15, max_size=15))
        if all(p == 0 for p in places):
            places[0] = 25
        sides.append([places.count(p) for p in range(26)])
    return Position.from_counts(sides[0], sides[1])


@st.composite
def boards(draw: st.DrawFn) -> Board:
    """Anything a table may show: a position with some checkers put down, taken away, or mixed."""
    position = draw(positions())
    points = [list(pair) for pair in position.board.points]
    bar = list(position.bar)
    for place, side, change in draw(st.lists(st.tuples(st.integers(0, 24), st.integers(0, 1), st.integers(-2, 2)), max_size=4)):
        pair = bar if place == 24 else points[place]
        pair[side] = max(0, pair[side] + change)
    return Board(tuple((a, b) for a, b in points), (bar[0], bar[1]))
