"""Scenes and commands in, events out: the referee, the journal, the records and the command line."""
