"""What becomes of a match afterwards: its story, its report, its files, the turns a director rules on, the analysis of its play."""
