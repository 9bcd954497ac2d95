"""Executable counterexamples and C tests; uses `runs`."""
