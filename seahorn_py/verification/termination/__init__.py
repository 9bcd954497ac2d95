"""Answers about termination: whether all runs end, and what is told of each loop."""
