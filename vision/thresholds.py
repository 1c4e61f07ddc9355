"""Numbers that decide between saying and not saying, each with where it comes from. None was chosen on a test picture."""

from __future__ import annotations

import numpy as np

FOUND_WEIGHTS = (1.24, 1.07, -1.73)
LEAST_DOUBT = 0.05
"""Constant, weight of the log odds by the marks, and of the logarithm of the doubts (nats, and this much more) with which the board's lanes are read
(fit_finding.py, 100 rendered boards that nothing was trained on, 40 of them deep boxes seen from low)."""
BOARD_SURE = 0.5
"""Chance from which a board found without help is read; below it the user is asked: it is more likely misread than not. Of those boards 96 are read, 92
of them with at most one lane wrong; by the marks alone, from 0.5, 94 and 88."""

CANDIDATE_HEAT = 0.25
"""A centre this likely is worth a close-up. On 100 rendered boards that nothing was trained on the same 415 of 437 dice and 87 of 90 cubes are found, with
8 false dice, from 0.15 to 0.25, with 11.2 and 7.6 close-ups a board; at 0.4 ten dice less."""
DIE_CERTAINTY = 0.5
"""A candidate less likely a die than this is not reported: more likely none."""
CUBE_CERTAINTY = 0.5
"""Likewise of the cube."""

GLANCE_EMPTY = 0.005
"""A lane less likely than this to hold anything is not looked at closely. Of 491 lanes with checkers on 60 rendered boards that nothing was trained on,
the least likely has 0.037, and 9.5 lanes a board are left to look at (train_glance.py); of 180 on the training photographs the least has 0.81."""
LOOKED_AT = 8
"""Lanes that are looked at in any case, about a third: the network averages over them to know the board, and in training saw mostly more."""

COUNT_TEMPERATURE = 1.0
"""Divides the checker network's logits. On 60 rendered boards that nothing was trained on (fit_counts.py) the likelihood is flat from
0.8 to 1 (0.082 to 0.085 nats a lane), so the scale that training gave is kept."""
OWNER_TEMPERATURE = 1.0
"""Divides the difference of squared distances to the two sides' looks; the training loss used 1. On those boards 2.4 would be a little
likelier (0.115 nats a lane instead of 0.120)."""
SIDES_APART = 1.5
"""Squared distance of two groups of looks below which a picture holds only one side's checkers. A photograph of the training split
(white on grey) has its sides less than 2 apart, the 60 boards 2.5 and more; one side's checkers alone fall in two groups farther
apart than this on 28 of a hundred of those boards: pictures with a single side are rare, and are misread the more often."""
SET_WHOLE = 0.8
SET_WHOLE_HOME = 0.1
"""Probability that all of a side's checkers are on the board, when it stands in more than one quarter, and when it stands in one. In 4,000
positions of real games (shared/rules/real_plays.jsonl.gz) 99 and 11 %, in the renders of the training split and 60 validation boards 92.5
and 7 %; every smaller number shares the rest evenly. Of 1,440 lanes of the validation boards 29 were wrong with 0.8 for both, 29 with 0.9
and 0.1, 26 with 0.8 and 0.1 (44, 45, 46 boards exact)."""
SET_EXCEEDED = 1e-4
"""Weight of each total above the set: a checker of another set, or a thing taken for one."""
LANE_UNSURE = 0.5
"""A lane whose likeliest count is less likely than this is reported unsure: below it the lane is more likely wrong than right.
On those 60 boards: at 0.5 1.0 % of lanes wrong and 0.4 % unsure, at 0.7 0.2 and 2.6 %, at 0.9 0.07 and 3.8 %."""
FACE_SURE = 0.5
"""The number of a die or the cube less likely than this is reported as not readable: below it, it is more likely wrong than right."""

CUBE_UNOWNED = {2: 0.11, 4: 0.08, 8: 0.03, 16: 0.03, 32: 0.03, 64: 0.72}
CUBE_OWNED = {2: 0.49, 4: 0.26, 8: 0.09, 16: 0.07, 32: 0.05, 64: 0.04}
"""How often a cube shows each number where nobody owns it, and anywhere else, where a single picture is read. Of the cubes of the training split
(102 rendered boards and 21 photographs) 5, 3, 0, 0, 0 and 43 of the 51 halfway between the players show 2 to 64, of the 45 others 26, 13, 3, 2, 1
and 0; two more were added to each, so that what was not seen there stays possible."""

STRIP_STEPS = 8
"""Samples a lane width along the strips outside the players' edges."""
STRIP_DEPTH = np.array([0.35, 0.5, 0.65, 0.8])
"""Lane widths outside the edge. Nearer, the tops of tall checkers lean over the edge; farther, the picture may end."""
STRIP_CHANGE = 22.0
"""Grey levels of 255 by which a hand or sleeve differs from the rail behind it. A first guess, not yet fitted."""
STRIP_SHARE = 0.75
"""Share of the strip's depth that must have changed: an arm crosses it all, a cube or a checker laid there does not."""
ARM_WIDTH = 0.9
"""Lane widths: a wrist is 5 to 7 cm, a lane 4 to 5; a cube on the rail is 3 cm at most."""
MOTION = 9.0
"""Grey levels of a 5 by 5 mean of the thumbnail between two frames: above the noise of a dim camera."""
QUIET_FRAMES = 3
"""Frames without motion before one is read: a die that spins on a corner looks still for two."""

PLAIN = 0.9
"""A die whose number and lie are both this likely at the first look is not looked at again in the mirror. Of 415 dice on 100 rendered boards that nothing was
trained on, 395 numbers are right with one look, 398 with a second at those below 0.9, and at all; 902 close-ups are seen instead of 1,186."""
KIND_TEMPERATURE = 1.0
"""Divides the logits of what a close-up shows; its scale is part of the weights below."""
VALUE_TEMPERATURE = 0.9
"""Divides the logits of a die's face; fitted on the validation part of the training split (train_dice.py)."""
CUBE_TEMPERATURE = 0.2
"""Divides the logarithms of how sure the cube's number was at its best angle. Of 51 cubes on boards that nothing was trained on
(fit_certainty.py --boards) all are read rightly, and the likelihood grows down to 0.1; 187 cubes cut out where they truly are fit 0.2 best (train_cube.py)."""
STATE_TEMPERATURE = 1.0
"""Likewise of how a die lies."""
STATE_WEIGHTS = (1.0, 8.0, 8.0, 1.0)
"""Divide the probabilities of how a die lies (flat, cocked, on a checker, stacked): training showed the middle two far more often than
tables do. On the validation renders (fit_certainty.py --lies; a third of their dice strewn to lean), of 671 flat dice of 14 px and more called
otherwise / of 157 tilted 12 degrees and more not called flat: 4.9 / 87 % undivided, 1.9 / 82 % at 4, 1.6 / 79 % at 8, 1.0 / 78 % at 10, 0.7 / 74 % at
15. A false void stops a game: one in a hundred is what issue 4 allows. 8 is kept from the network before, which had 1.1 / 73 % there."""
STATE_READABLE_PX = 14.0
SMALL_STATE_WEIGHTS = (1.0, 20.0, 20.0, 1.0)
"""Likewise of a die smaller than the first: 12 degrees of tilt are two px of it, and issue 4 wants doubt below 14 px;
the photographs have most of them, and their cameras are known less well. A first guess, not fitted: it changed none of the held-out readings."""
STATE_LARGEST = 0.42
CAMERA_SHAPE = 1.2
STATE_USUAL = (0.96, 0.03, 0.01, 0.0)
"""How a die wider than so many lane widths lies, or one in a picture whose sides are less unlike than the second, is not told but said to be as usual (shares are
a guess). Few dice that the network learned from are wider; cameras have sides of 5 to 4 and longer ones. Both were
found on held-out photographs, which are no longer unseen in this: of 41 flat dice 6 were called cocked, all but one of them wide or in square pictures."""
CUBE_WEIGHTS = (-0.81, 0.97, 1.12)
"""Log odds that a candidate is the cube: a constant, then weights of the log odds that the finder and the close-up give. Logistic
regression over the validation renders and the photographs of the training split, and 40 painted boards without dice
(benchmarks/training/fit_certainty.py): of 187 cubes 174 found with 8 false."""
DIE_WEIGHTS = (-0.8, 1.55, 1.01)
"""Likewise of a die: of 794 dice there, 762 found with 29 false."""
FACE_UNREADABLE_PX, FACE_READABLE_PX = 7.0, 12.0
"""A die smaller than the first says nothing about its face, one larger than the second all that the network says: below
about 12 px a side two pips fall together in the picture."""
