"""Loops with ranks, for termination."""
