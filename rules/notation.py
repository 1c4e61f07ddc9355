"""Play notation: writing it the way players do, and reading it in all its habits.

>>> from rules.plays import Move
>>> short((Move(13, 7), Move(13, 7), Move(7, 1), Move(7, 1)))
'13/1(2)'
>>> steps((Move(25, 22, True), Move(6, 0)))
'25/22* 6/0'
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rules.plays import LegalPlays, Move, Play, Roll, legal_plays
from rules.position import BAR, OFF, Player, Position

NO_PLAY = "no play"
"""What `short` writes for a dance."""


def point_name(point: int) -> str:
    """"bar", "off", or the number."""
    return "bar" if point == BAR else "off" if point == OFF else str(point)


def short(moves: Sequence[Move]) -> str:
    """Shortest natural notation: hops of one checker joined (a hit on the way is kept), equal journeys counted."""
    if not moves:
        return NO_PLAY
    journeys: list[list[Move]] = []
    for move in sorted(moves, key=lambda m: (-m.start, -m.end)):
        for journey in journeys:
            if journey[-1].end == move.start != OFF:
                journey.append(move)
                break
        else:
            journeys.append([move])
    groups: list[list[list[Move]]] = []
    for journey in sorted(journeys, key=lambda hops: (-hops[0].start, -hops[-1].end)):
        for group in groups:
            # A second checker on the same way hits nothing any more; the star of the first stands for both.
            if (group[0][0].start, group[0][-1].end) == (journey[0].start, journey[-1].end) and (
                _hit_points(journey) <= _hit_points(group[0])
            ):
                group.append(journey)
                break
        else:
            groups.append([journey])
    return " ".join(_journey(group[0], len(group)) for group in groups)


def _hit_points(journey: Sequence[Move]) -> frozenset[int]:
    return frozenset(hop.end for hop in journey if hop.hit)


def _journey(hops: Sequence[Move], times: int) -> str:
    text = point_name(hops[0].start)
    for i, hop in enumerate(hops):
        if hop.hit or i == len(hops) - 1:
            text += f"/{point_name(hop.end)}{'*' if hop.hit else ''}"
    return text if times == 1 else f"{text}({times})"


def steps(moves: Sequence[Move], *, bar: str = "25", off: str = "0") -> str:
    """One item a die, as gnubg writes `.mat`: "25/22* 6/0"; empty for a dance."""
    names = {BAR: bar, OFF: off}
    return " ".join(
        f"{names.get(m.start, str(m.start))}/{names.get(m.end, str(m.end))}{'*' if m.hit else ''}" for m in moves
    )


class NotationError(ValueError):
    """The text is no play, or not a legal one here."""


@dataclass(frozen=True, slots=True)
class Hop:
    """One written item: a checker's whole journey, perhaps of several dice, with the points named on the way."""

    points: tuple[int, ...]
    """Start, points written between, end; the mover's numbering."""
    hits: frozenset[int] = frozenset()
    """The points marked with a star."""
    times: int = 1


_ITEM = re.compile(r"(?:bar|off|\d{1,2})\*?(?:[/\-](?:bar|off|\d{1,2})\*?){1,4}(?:\([1-4]\))?\*?", re.IGNORECASE | re.ASCII)
_NOTHING = re.compile(r"(?:\(?no (?:legal )?(?:play|move)\)?|cannot move|dance[sd]?|pass(?:es)?|fan|-+)?\.?", re.IGNORECASE)


def parse_hops(text: str) -> tuple[Hop, ...]:
    """The items of a written play, unchecked; empty for a dance in any wording. Stars are optional."""
    text = text.strip()
    if _NOTHING.fullmatch(text):
        return ()
    hops: list[Hop] = []
    for item in text.replace(",", " ").replace(";", " ").split():
        if not _ITEM.fullmatch(item):
            raise NotationError(f"expected a move such as 13/7, bar/22* or 6/off(2), found {item!r}")
        body, _, rest = item.lower().partition("(")
        times = int(rest[0]) if rest else 1
        points: list[int] = []
        hits: set[int] = set()
        for part in re.split(r"[/\-]", body):
            name = part.rstrip("*")
            point = BAR if name == "bar" else OFF if name == "off" else int(name)
            if point > BAR:
                raise NotationError(f"there is no {point}-point, in {item!r}")
            points.append(point)
            if part.endswith("*"):
                hits.add(point)
        if rest.endswith("*"):
            hits.add(points[-1])
        hops.append(Hop(tuple(points), frozenset(hits), times))
    return tuple(hops)


def parse_play(text: str, position: Position, player: Player, roll: Roll) -> Play:
    """The legal play that the text describes. Joined hops, missing stars and any order of items are understood."""
    hops = parse_hops(text)
    plays = legal_plays(position, player, roll)
    if not hops:
        if plays:
            raise NotationError(f"there is a play with {roll}, but none is written")
        return Play((), position)
    play = find_play(hops, plays)
    if play is None:
        raise NotationError(f"{text.strip()!r} is not a legal play of {roll}")
    return play


def find_play(hops: Sequence[Hop], plays: LegalPlays) -> Play | None:
    """The legal play with these hops. A blot on a point that is written has been hit, starred or not; where a joined hop could
    hit on the way or not, it is the play with fewer hits that would have been written without a word."""
    before = plays.before.counts(plays.player)
    wanted = list(before)
    named: set[int] = set()
    for hop in hops:
        wanted[hop.points[0]] -= hop.times
        wanted[hop.points[-1]] += hop.times
        named.update(hop.points)
    target = tuple(wanted)
    said = frozenset(p for p in named if 1 <= p <= 24 and plays.before.at(plays.player, p) == -1)
    candidates = [
        (len(hit_points(plays.before, result, plays.player) ^ said), n, result)
        for n, result in enumerate(plays)
        if result.counts(plays.player) == target
    ]
    return plays[min(candidates)[2]] if candidates else None


def hit_points(before: Position, after: Position, player: Player) -> frozenset[int]:
    """The player's own points where an opposing blot went to the bar."""
    if before.bar[player.other.side] == after.bar[player.other.side]:
        return frozenset()
    return frozenset(p for p in range(1, 25) if before.at(player, p) == -1 and after.at(player, p) >= 0)


def apply_hops(hops: Sequence[Hop], position: Position, player: Player) -> Position | None:
    """Where the written moves lead when carried out literally, legal or not; None when the checkers are not there, or the game was over
    and both sides would have borne off everything."""
    own, opposing = list(position.counts(player)), list(position.counts(player.other))
    for hop in hops:
        for _ in range(hop.times):
            if own[hop.points[0]] < 1:
                return None
            own[hop.points[0]] -= 1
            for point in hop.points[1:]:
                if 1 <= point <= 24 and opposing[25 - point] == 1:
                    opposing[25 - point] = 0
                    opposing[25] += 1
            own[hop.points[-1]] += 1
    if any(own[p] and opposing[25 - p] for p in range(1, 25)) or own[OFF] == opposing[OFF] == position.checkers:
        return None
    a, b = (own, opposing) if player is Player.A else (opposing, own)
    return Position.from_counts(a, b, position.checkers)


def written_play(text: str, position: Position, player: Player, roll: Roll) -> Play:
    """As `parse_play`, but what is written is carried out literally first: Galaxy writes one step a die and no stars, so
    "18/16 16/15" hits on the 16-point although nothing says so."""
    hops = parse_hops(text)
    if hops:
        result = apply_hops(hops, position, player)
        plays = legal_plays(position, player, roll)
        if result is not None and result in plays:
            return plays[result]
    return parse_play(text, position, player, roll)
