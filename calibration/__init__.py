"""Where the board lies in the picture and what its pieces look like, learned from the opening; knows no game state."""
