"""The rules of backgammon: positions, plays, dice, cube, matches, records. Pure Python; reads and writes nothing but text."""
