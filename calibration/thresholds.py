"""Numbers that decide whether a board was found. None was chosen on a test picture."""

MARK_HEAT = 0.05
"""A corner mark fainter than this is not tried at all."""
BAR_NEAR_EDGE = 0.06
"""Of the board's size: a mark of the bar lies at most this far from the edge that it belongs to."""
SURFACE_AGREES = 0.6
"""Least intersection over union of four corners and the surface map: the wrong four corners of a board share less."""
BOARD_SURE = 0.55
"""Certainty from which a board found without help is read; below it the user is asked for the corners. Of 33 rendered boards that
nothing was trained on, 20 were this sure, all of them right; at 0.5 one of 22 was wrong, by 7 % of the board's width."""
