"""Every number the referee decides by, in one place, each with its reason."""

from __future__ import annotations

FLOOR = 1e-4
"""No reading is trusted further: a count that the network calls impossible is unlikely, not impossible."""
PRIOR_LEGAL = 0.97
"""Share of committed boards that are legal plays: a club illegal play is about one in fifty."""
PRIOR_ILLEGAL = 0.025
PLAUSIBLE_ILLEGAL = 300.0
"""About so many illegal boards lie near a careless play: the prior of each is PRIOR_ILLEGAL over this."""
SURE = 0.95
"""A verdict needs this share of the weight of all explanations; below it the answer is unsure."""
ROLLS_WEIGHED = 1e-3
"""Rolls less likely than this, by the dice alone, are not weighed."""
DIE_IN_PLAY = 0.5
"""Below this certainty a die is taken for a reflection."""
STATE_FLOOR = 0.02
"""One look never makes a die's state surer than 50 to 1."""
VALUE_FLOOR = 0.002
"""One look never makes a value surer than 500 to 1: two looks that agree outweigh the rarity of illegal plays, one does not."""
SAME_PLACE = 0.8
"""Die sides: a die seen nearer than this to where one lay is the same die, still lying."""
CUBE_SURE = 0.6
"""Certainty that a cube is one; its place alone never turns it: the number read must be the one expected, or two looks agree."""
VOID_SURE = 0.97
"""A roll is called void at once when the lie of both dice is this sure. Less sure, the next scene decides: dice lifted off an
unchanged board were void, dice that were played were not."""
VALID_SURE = 0.6
"""A roll is reported at once when both dice lie flat with this probability."""
