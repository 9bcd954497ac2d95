"""Temporal formulas as code of the program: a run violates one if a loop goes on for ever."""
