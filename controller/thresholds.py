"""Every number the referee decides by, in one place, each with its reason."""

from __future__ import annotations

# The board
FLOOR = 1e-3
"""No reading is trusted further than this: a count that the network calls impossible is unlikely, not impossible."""
REPEAT_WEIGHT = 0.2
"""Each further scene of an unchanged board counts little: nine doubts in ten come back in the next picture (benchmarks/confusion.py)."""
MOST_SCENES = 1.6
"""Scenes of one board never weigh more than this many independent ones: a doubt of 3 to 1 that comes back look after look stays a doubt
(with 3, simulated seeds 200 to 207 had 8 wrong verdicts, with this and doubt counted once 2)."""
CHANGED = 0.08
"""Two scenes show different boards when, on some lane or the bar, the chance that both see the same count is below this. A board that
has changed must not be added to what was seen before it; one taken for changed costs no more than the looks before."""
LITERAL_ROW = 0.995
"""Lanes less sure than this also contribute their second reading to the boards read literally."""
LITERAL_ROWS = 6
"""At most so many doubtful lanes are varied: 2^6 boards."""
COVERED = 0.2
"""A lane whose likeliest count is below this says nothing: it is read as the explanation at hand has it."""

# The verdict
PRIOR_LEGAL = 0.97
"""Share of committed boards that are legal plays: most are, and a club illegal play is about one in fifty."""
PRIOR_ILLEGAL = 0.025
PRIOR_STRANGE = 0.005
"""Boards no play explains: a nudged checker, or a misreading. They are asked about, never called illegal."""
PRIOR_UNTOUCHED = 0.002
"""Share of turns in which the dice are lifted and nothing was played though something could be: the one slip that always looks the
same. (As one of the illegal boards alone, a misread die was sooner believed and a dance told: simulated match 2001.)"""
PRIOR_UNHIT = 0.02
"""Share of plays with a hit after which the checker is not put on the bar, all else being legal: the other slip with a look of its own. (As
one of the illegal boards, a play was told at 0.956 after one look at a bar that had nothing on it: own game 910005; and with one prior whatever
was rolled, a misread bar and a misread die together made an illegal play: simulated match 9023.)"""
PRIOR_HALF = 0.008
"""Share of turns that stop on the way, with a die unplayed that could be played: of the six illegal plays in the filmed games two."""
PRIOR_LEFT_ON_BAR = 0.02
"""Share of turns with a checker on the bar in which others are moved and it is left there: two of the six, and few turns begin so."""
PLAUSIBLE_ILLEGAL = 300.0
"""About so many illegal boards lie near a careless play; the illegal prior is spread over them."""
PLAUSIBLE_STRANGE = 3000.0
"""Every single-lane misreading of every legal result, in round numbers."""
VANISHED = 0.02
"""Factor on the prior of a board for each checker on it too few or too many: such a board is a misread stack far sooner than a play. Of
held-out stacks of six and more every third is misread (benchmarks/confusion.json)."""
VANISHED_MOST = 3
"""More than so many are not a misread stack: an empty board is an empty board."""
HARDLY = 0.05
"""Rolls less likely than this do not say how many checkers may have been borne off."""
SURE = 0.95
"""A verdict needs this posterior; below it the answer is unsure."""
PASSED_SURE = 0.97
"""The same where nothing was played: a checker on the bar that is not seen looks just so. Of 155 simulated turns called that, three below it were all
wrong, three of the 152 above it (500000 to 500119)."""
READ_OTHERWISE = 6.0
"""Log-likelihood behind the board as it is read from which a play is asked about, however unlikely everything else is: a row that alone is
surely read otherwise may be a checker that was moved, taken or put back unseen. Of 10,000 simulated verdicts 27 had this much, 15 of them
wrong; of 105 between 3 and 6 two were (100000 to 100099)."""
WAY_SURE = 0.7
"""A play is written down only when this surely it came from this position with this roll; else its board alone is kept. Of simulated plays that
were this sure by 0.7 to 0.8, 67 of 72 had the likeliest roll, as of those by 0.8 to 0.9 (121 of 131); by 0.6 to 0.7, 46 of 66."""
CAME_BACK = 0.02
"""Prior, each turn, that a checker missing since an illegal play lies on the bar after all. Without it one misread bar put every later
position of simulated match 5084 wrong by a checker (48 verdicts); between 0.002 and 0.1 nothing changes in matches 1000 to 1007."""
STANDS = 0.5
"""Prior that an illegal board is unchanged at the next look; the rest is shared by its corrections."""
ILLEGAL_SCENES = 2
"""Settled scenes without dice before an illegal play is called (or the next roll): dice overlooked once call nobody a cheat."""
ASK_AFTER = 8
"""Settled scenes without dice after which an open verdict is asked about; until then more scenes may settle it."""
NOTHING_SCENES = 3
"""Settled scenes without dice, nothing played, after which a roll that was announced counts as not played (M7)."""
CHANGED_AFTER = 0.1
"""Share of whole plays seen on the board, with nobody's dice lifted yet, that are changed before they are."""
TOO_UNLIKELY = 14.0
"""Log-likelihood behind the best explanation at which another is not looked into further: one in a million."""
HARDLY_LESS = 3.0
"""Log-likelihood behind the board as it is seen up to which a position, with a part of the next play made on it, explains it as well.
From 0.5 to 8 nothing changes in the simulated matches 1000 to 1007 (30 % of the frames lost; and noise 1, 10 % lost)."""
THREAD_LOST = 6.0
"""The same, beyond which it does not: one lane that is surely read otherwise. From 2 to 6 nothing changes there, at 12 0.2 % of the plies fewer are
asked about."""
SEEN_MAYBE = 0.01
"""Least weight of the board as it is seen among the positions in mind after a doubt."""
RESET_CHECKERS = 8
"""A board set up for a new game in the middle of one, at least so many checkers away from what is known: the game is over."""
RESET_SCENES = 2
"""Looks at such a board before it is believed."""
TAKEN_OUT = 0.5
"""Share of the look that left a doubt which is not kept with the positions in mind. All of it, and an illegal play that stood is never
believed however surely it is seen (simulated match 101 without noise); none, and doubt grows into certainty."""
TURNS_KEPT = 8
"""Turns that can be taken back, one after the other."""
BELIEFS = 80
"""Positions kept in mind after an unsure verdict: the legal results of one roll, rarely more."""
BELIEF = 1e-4
"""Positions and rolls less likely than this, beside the likeliest, are dropped."""

# The dice
DIE_CERTAIN = 0.5
"""Below this a die is taken for a reflection."""
LONE_SURE = 0.97
"""A die that lies alone begins a roll from here: what only looks like a die reached 0.94 in the dim game, dice are surer."""
DIE_SURE = 0.8
"""A third die, or one off the board, counts from here: it makes a roll void."""
PAIR_SURE = 0.85
"""Two dice in one half, each in doubt, begin a roll when this surely one of them is a die."""
SAME_PLACE = 0.7
"""Die sides: a die seen nearer than this to where one lay is the same die, still lying."""
UNMOVED = 0.25
"""Die sides: a die that lies still is seen within this (of 121 looks at dice lying in the rendered games 99 in a hundred within
0.18); farther off, other numbers are another throw."""
NUMBERS_AGREE = 0.05
"""Chance, by both looks, of the same number, below which the numbers are taken to differ."""
VALUE_FLOOR = 0.001
"""One look never makes a die's number surer than 1000 to 1: of 225 dice read with 0.98 or more in the filmed games none was wrong."""
STATE_FLOOR = 0.01
"""One look never makes a die's state (flat, cocked, ...) surer than 100 to 1."""
ROLLS_WEIGHED = 5e-3
"""Rolls less likely than this, by the dice alone, are not weighed: sure dice are not flipped to make an illegal play legal. Of the 20
dice misread in the filmed games each gave its true number 0.011 or more."""
DICE_REPEAT = 0.0
"""Further looks at a die are averaged, not added up: in the filmed games a wrong number came back in nine looks of ten."""
MISREAD = 0.02
"""Dice whose numbers could not be announced may show anything with this chance: so much is the reader wrong when it is nearly sure."""
FLIPPED = 0.3
"""A play that is legal only with a roll less likely than this, when another was announced, is asked about: the dice or the play."""
ROLL_DOUBT = 0.1
"""Lifting a roll unplayed is called only when it was void with less than this chance."""
ROLL_SURE = 0.8
"""A roll is called valid with this posterior; else more scenes, or what the players do, decide."""
VOID_SURE = 0.9
"""A roll is called void while it lies with this posterior: a false void stops the game, a late one is said when the dice go."""
VOID_UNPLAYED = 0.6
"""Dice lifted with nothing played were a void roll with this chance by the dice; below it, whose dice come next tells it from a roll that
was not played. Of simulated rolls called so at 0.6 and more 31 of 33 were void, below 0.5 7 of 19, below 0.3 none of 8 (100000 to 100099)."""
AGAIN_VOID = 0.3
"""When dice that are likely the same player's lie again, the roll before was void from here (21 of 25 so called in the same matches); below, it is
asked why."""
AGAIN_DANCED = 0.15
"""The same where he may have danced and the dice surely lie in his half. Then it was void, or the other player has thrown both dice into the wrong
half, which is rare, so that the same chance by the dice weighs more. Reasoned, not fitted: 40 simulated matches go the same with 0.3."""
VALUE_SURE = 0.95
"""The numbers of a roll are announced with this posterior; else they are weighed together with the play. In the filmed games 5 of 51
dice read with 0.9 to 0.98 were wrong, of 225 with more none."""
PLAYED_ON = 0.95
"""A roll called void stands after all when the board shows, this surely, that it was played."""
DANCE_LIKELY = 0.02
"""Share of rolls without a play from which dice in the wrong half may also mean that a dance was missed."""

GHOSTS = 24
"""At most so many places that only look like dice are remembered."""
ROLL_LIKELY = 0.6
"""With an illegal play, the roll is told from this posterior on: the play is illegal whatever was rolled."""

# Setup and cube
START_SURE = 0.9
"""Posterior of the starting position against one-lane errors, to begin a game."""
CUBE_SURE = 0.8
"""A cube this certainly one, with the doubled number read at least this surely, is a turned cube in one look."""
CUBE_SCENES = 2
"""Without its number, a cube that changed sides is believed when seen so often."""
