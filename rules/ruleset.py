"""Rule sets: every place where clubs and federations differ is a field, with the seeds' text as the default.

>>> RuleSet().on_checker_stands
False
>>> preset("money").jacoby
True
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum

from rules.position import CHECKERS


class RuleSetError(ValueError):
    """A rule set that cannot be: an unknown name or field, or a value out of range."""


class CallUntil(StrEnum):
    """Until when an illegal play may be called (clause E1)."""

    OPPONENT_ROLLS = "opponent rolls"
    """Before the next roll: the seeds' text; USBGF policy 2014, WBGT 2010 4.2."""
    OPPONENT_ROLLS_OR_DOUBLES = "opponent rolls or doubles"
    """UKBGF: a valid roll or a valid double closes the time."""
    OPPONENT_PLAYED = "opponent played"
    """Bower/Horton/Simborg guide: until the opponent's next play is completed; his roll is withdrawn."""


class IllegalPlays(StrEnum):
    """Who has to point out an illegal play."""

    ANY_PLAYER = "any player"
    """Any player may call it (clause E1, the seeds' text; bkgm.com's rules leave it to the opponent's choice)."""
    LEGAL_MOVES = "legal moves"
    """Both players must point it out (USBGF policy 2014; WBGF 2.1 clause 4.2 iii)."""
    RESPONSIBLE_MOVES = "responsible moves"
    """Each answers for his own play; the opponent may condone it or demand a legal one (WBGF 2.1 clause 4.2 iv, as announced by the director)."""


class AutomaticDouble(StrEnum):
    """What an automatic double does to Jacoby's rule (clause S5)."""

    NO = "no"
    """An automatic double is nobody's offer: gammons still count single. The default."""
    YES = "yes"
    """A cube above 1 is a turned cube."""


@dataclass(frozen=True, slots=True)
class RuleSet:
    """One table's rules. All fields default to the seeds' text (rules.md)."""

    name: str = "club"

    # The board
    checkers: int = CHECKERS
    """Checkers a side (B2). 15; home-made boards may have fewer."""
    setup_stands_after: int = 1
    """B5: a wrong setup stands once the starter has played this many turns (WBGT: 2). The seeds speak only of before play."""

    # Rolls (D4, D6, D7)
    either_half: bool = False
    """Dice rolled in either half stand, if both lie in the same one. Off: the roller's right half only (all published rules;
    USBL 2006 allows the left by permission, and either with a baffle box)."""
    split_stands: bool = False
    """One die in each half stands. Needs `either_half`."""
    on_checker_stands: bool = False
    """A die flat on a checker stands (San Diego; Gammon Associates 2017; USBGF director's option). Off: US 2008 4.2."""
    premature_stands: bool = False
    """A roll before the opponent lifted his dice stands (US 2008 4.6, UKBGF). Off: void (bkgm.com, old text), but for D6's exceptions."""

    # The turn (D5, E1 to E3)
    clock_ends_turn: bool = False
    """Pressing the clock, not lifting the dice, ends the turn (Biba clock rules). Off: lifting (US 2008 4.5)."""
    illegal_plays: IllegalPlays = IllegalPlays.ANY_PLAYER
    """Who must speak."""
    call_until: CallUntil = CallUntil.OPPONENT_ROLLS
    """The deadline."""

    # Cube and scoring (C1 to C4, S1 to S7)
    crawford: bool = True
    """S3. In matches; never asked in money play."""
    holland: bool = False
    """S4: after the Crawford game the trailer may double only after both sides have rolled twice."""
    backgammon_points: int = 3
    """S1: a backgammon counts three times the cube; 2 in some countries."""
    jacoby: bool = False
    """S5, money only: gammons count single while the cube has not been turned."""
    automatic_double_turns_cube: AutomaticDouble = AutomaticDouble.NO
    """Whether an automatic double makes gammons count under Jacoby."""
    automatic_doubles: int = 0
    """S6, money only: at most so many ties of the opening roll turn the middle cube. Usually 1 where played."""
    beavers: bool = False
    """Money only: the player doubled may at once redouble and keep the cube (bkgm.com)."""
    raccoons: bool = False
    """Money only: the doubler may turn a beaver once more; the cube stays with the beaverer (backgammontips)."""
    cube_limit: int = 0
    """The highest cube value; 0 for none (C1)."""
    double_when_shut_out: bool = True
    """C2: a player shut out on the bar may double."""

    def __post_init__(self) -> None:
        if not 1 <= self.checkers <= CHECKERS:
            raise RuleSetError(f"checkers: a side has 1 to 15 checkers, not {self.checkers}")
        if self.setup_stands_after < 1:
            raise RuleSetError(f"setup_stands_after: a number of turns, 1 or more, not {self.setup_stands_after}")
        if self.backgammon_points not in (2, 3):
            raise RuleSetError(f"backgammon_points: a backgammon counts 2 or 3 times, not {self.backgammon_points}")
        if self.automatic_doubles < 0:
            raise RuleSetError(f"automatic_doubles: a number of doubles, 0 or more, not {self.automatic_doubles}")
        if self.cube_limit < 0 or self.cube_limit & self.cube_limit - 1:
            raise RuleSetError(f"cube_limit: a power of two, or 0 for none, not {self.cube_limit}")
        if self.split_stands and not self.either_half:
            raise RuleSetError("split_stands: needs either_half as well")
        if self.raccoons and not self.beavers:
            raise RuleSetError("raccoons: needs beavers as well")

    @classmethod
    def from_mapping(cls, values: Mapping[str, object]) -> RuleSet:
        """From a mapping as settings files give it: an optional "preset", then fields by name."""
        rest = dict(values)
        base = rest.pop("preset", None)
        if base is not None and not isinstance(base, str):
            raise RuleSetError(f"preset: a name, not {base!r}")
        return _with(preset(base) if base else DEFAULT, rest)


def _with(base: RuleSet, values: Mapping[str, object]) -> RuleSet:
    known = {f.name: getattr(base, f.name) for f in fields(base)}
    changed: dict[str, object] = {}
    for key, value in values.items():
        if key not in known:
            raise RuleSetError(f"{key}: no such rule; the rules are {', '.join(known)}")
        old = known[key]
        if isinstance(old, StrEnum):
            kind = type(old)
            try:
                changed[key] = kind(str(value))
            except ValueError:
                raise RuleSetError(f"{key}: one of {', '.join(repr(k.value) for k in kind)}, not {value!r}") from None
        elif type(value) is not type(old):
            wanted = {bool: "true or false", int: "a whole number", str: "a text"}[type(old)]
            raise RuleSetError(f"{key}: {wanted}, not {value!r}")
        else:
            changed[key] = value
    return replace(base, **changed)  # type: ignore[arg-type]  # checked against the fields' own types above


@dataclass(frozen=True, slots=True)
class _Preset:
    words: str
    values: dict[str, object] = field(default_factory=dict)


DEFAULT = RuleSet()

_PRESETS = {
    "club": _Preset("the seeds' text: Backgammon Circle"),
    "tournament": _Preset("the club rules with a clock: pressing it ends the turn", {"clock_ends_turn": True}),
    "usbgf legal moves": _Preset(
        "USBGF-style: both must point out illegal plays until the opponent's roll or double; a premature roll stands",
        {
            "illegal_plays": IllegalPlays.LEGAL_MOVES,
            "call_until": CallUntil.OPPONENT_ROLLS_OR_DOUBLES,
            "premature_stands": True,
            "clock_ends_turn": True,
        },
    ),
    "ukbgf": _Preset(
        "UKBGF-style: as USBGF's legal moves; the monitor speaks too",
        {
            "illegal_plays": IllegalPlays.LEGAL_MOVES,
            "call_until": CallUntil.OPPONENT_ROLLS_OR_DOUBLES,
            "premature_stands": True,
            "clock_ends_turn": True,
        },
    ),
    "us 2008": _Preset(
        "the US rules of 2008: a premature roll stands, lifting the dice ends the turn, a roll or a double accepts a play",
        {"call_until": CallUntil.OPPONENT_ROLLS_OR_DOUBLES, "premature_stands": True},
    ),
    "wbgt 2010": _Preset(
        "the WBGT rules of 2010: legal moves until the next roll, a wrong setup stands after the starter's second turn",
        {"illegal_plays": IllegalPlays.LEGAL_MOVES, "setup_stands_after": 2, "clock_ends_turn": True},
    ),
    "wbgf": _Preset(
        "WBGF-style: legal moves, the clock ends the turn",
        {"illegal_plays": IllegalPlays.LEGAL_MOVES, "clock_ends_turn": True},
    ),
    "responsible moves": _Preset(
        "WBGF-style with the director's announcement of responsible moves",
        {"illegal_plays": IllegalPlays.RESPONSIBLE_MOVES, "clock_ends_turn": True},
    ),
    "money without extras": _Preset("money play: Jacoby alone (Cambridge, eskgammon)", {"crawford": False, "jacoby": True}),
    "money": _Preset(
        "money play: Jacoby, beavers, one automatic double",
        {"crawford": False, "jacoby": True, "beavers": True, "automatic_doubles": 1},
    ),
    "either half": _Preset("the club rules, but dice may lie in either half", {"either_half": True}),
}

PRESETS: Mapping[str, str] = {name: made.words for name, made in _PRESETS.items()}
"""The names that `preset` knows, each with what it stands for."""


def preset(name: str) -> RuleSet:
    """A rule set by name; case, hyphens and underscores do not matter."""
    plain = " ".join(name.lower().replace("-", " ").replace("_", " ").split())
    plain = {"usbgf": "usbgf legal moves", "usbgf style legal moves": "usbgf legal moves", "wbgf style": "wbgf"}.get(plain, plain)
    if plain not in _PRESETS:
        raise RuleSetError(f"no rule set is called {name!r}; there are {', '.join(_PRESETS)}")
    return _with(DEFAULT, {"name": plain, **_PRESETS[plain].values})
