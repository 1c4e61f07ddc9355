"""Numbers that decide whether a board was found, and what is usual of boards and cameras. None was chosen on a test picture."""

MARK_HEAT = 0.05
"""A corner mark fainter than this is not tried at all."""
BAR_NEAR_EDGE = 0.06
"""Of the board's size: a mark of the bar lies at most this far from the edge that it belongs to."""
SURFACE_AGREES = 0.6
"""Least intersection over union of four corners and the surface map: the wrong four corners of a board share less."""
CORNER_MOVED = 20.0
"""Px of a close-up (0.6 lane widths, 4.5 % of the board) that one look moves a corner at most. Of 180 boards that nothing was trained on (100 rendered,
80 painted) 157 were found with every corner within 2 % of the width; one corner under a hand was moved by 6 % without this bound."""
CORNER_AGREES = 10.0
"""Px of a close-up: what of a corner's map lies this near the place that it expects agrees with it."""
CORNER_SEEN = 0.8
"""Share of a corner's map that must agree, else the other corners say where it is. On 99 rendered boards that nothing was
trained on, corners put 1.2 % of the width off: of 1,512 that agreed by 0.95 and more 93 % came nearer to the truth, of 71 from 0.8 to 0.95 62 %, of 17
below that 53 %, some of them 4 % of the width away from it."""

CORNERS_AGREE = 0.002
CORNER_CONTRADICTED = 0.025
"""Of the board's width: seven corners that fit one flat board this well outvote the eighth when it is so far off. Corners as labelled fit one within
0.0005 in the mean on half of the training boards, and 0.0014 on half of the photographs; none of 21 photographs and one of 257 rendered boards has one
that would be outvoted. Of 180 boards (100 rendered, 80 painted) one more was set right with it and one less, with 0.004 three less."""

USUAL_HEIGHT = 11.0
"""Height of a playing surface in lane widths; the training split's rendered boards have 9.5 to 11.8."""
HEIGHT_SPREAD = 0.15
"""Standard deviation of its logarithm: three times that of those boards, so that a home-made one of 8 is believed."""
USUAL_FOCAL, FOCAL_SPREAD = 1.0, 0.35
"""Focal length over the picture's longer side, and the standard deviation of its logarithm: those pictures have 0.67 to 1.41 (5th to
95th percentile, 0.98 in the middle, deviation 0.23)."""
SQUARE_SPREAD = 0.02
"""Cosine by which the board's corners may seem out of square: a lens bends lines, and corners are given to a few px."""

DARK = 45.0
"""Median brightness 0..255 of the lanes below which the user is told to put a lamp on. Of 55 rendered boards (every fourth single) the
darkest, which still reads, has 80."""
BURNT = 250
"""From this value in every colour a pixel is white with glare: no checker or board is."""
GLARE_SHARE = 0.25
"""Part of a lane that is burnt out before it is called glare. The worst lane of those 55 boards has 0.22."""
GLARE_LANES = 12
"""More lanes than this burnt out are no mirrored lamp but too much light."""
LANE_PX = 24.0
"""Least width of a lane in the picture, px; those boards have 40 and more."""
LOW = 0.5
"""Least height of the board in the picture for its width, next to one seen from straight above; those boards have 0.68 to 1.18."""
