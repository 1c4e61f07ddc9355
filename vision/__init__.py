"""What the camera sees: frames, the settle gate, and the readers of checkers, dice and cube. Knows no rules."""
