"""Numbers that decide between saying and not saying. Each was chosen on the training split; the reason stands with it."""

from __future__ import annotations

import numpy as np

CANDIDATE_HEAT = 0.15
"""A centre this likely is worth a close-up: on the training boards no die lies lower that the close-up would have accepted."""
DIE_CERTAINTY = 0.5
"""A candidate less likely a die than this is not reported."""
CUBE_CERTAINTY = 0.5
"""A candidate less likely a cube than this is not reported."""

COUNT_TEMPERATURE = 1.0
"""Divides the checker network's logits."""
OWNER_TEMPERATURE = 1.0
"""Divides the difference of squared distances to the two sides' looks; the training loss used 1."""
SIDES_APART = 1.5
"""Squared distance of two groups of looks below which a picture holds only one side's checkers. Training drives the two sides
of one board to 5 and more; what is left within a side is below 1."""
LANE_UNSURE = 0.6
"""A lane whose likeliest count is less likely than this is reported unsure."""
DIE_VALUE_SURE = 0.5
"""A die's value less likely than this is reported as not readable."""

STRIP_STEPS = 8
"""Samples a lane width along the strips outside the players' edges."""
STRIP_DEPTH = np.array([0.35, 0.5, 0.65, 0.8])
"""Lane widths outside the edge. Nearer, the tops of tall checkers lean over the edge; farther, the picture may end."""
STRIP_CHANGE = 22.0
"""Grey levels of 255 by which a hand or sleeve differs from the rail behind it."""
STRIP_SHARE = 0.75
"""Share of the strip's depth that must have changed: an arm crosses it all, a cube or a checker laid there does not."""
ARM_WIDTH = 0.9
"""Lane widths: a wrist is 5 to 7 cm, a lane 4 to 5; a cube on the rail is 3 cm at most."""
MOTION = 9.0
"""Grey levels of a 5 by 5 mean of the thumbnail between two frames: above the noise of a dim camera."""
QUIET_FRAMES = 3
"""Frames without motion before one is read: a die that spins on a corner looks still for two."""

KIND_TEMPERATURE = 1.0
"""Divides the logits of what a close-up shows; fitted on the validation part of the training split."""
VALUE_TEMPERATURE = 1.6
"""Divides the logits of a die's face; fitted as above."""
CUBE_TEMPERATURE = 2.6
"""Divides the logits of the cube's face; fitted as above."""
STATE_TEMPERATURE = 0.9
"""Divides the logits of how a die lies; fitted as above."""
HEAT_WEIGHT, KIND_WEIGHT = 1.0, 1.0
"""Weights of the log odds that the two networks give a candidate."""
FACE_UNREADABLE_PX, FACE_READABLE_PX = 7.0, 12.0
"""A die smaller than the first says nothing about its face, one larger than the second all that the network says: below
about 12 px a side two pips fall together in the picture."""
