"""Vectors (GNU C) as arrays: each operation element by element."""
