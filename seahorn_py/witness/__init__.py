"""Witnesses, apart from how they are made: written, read, and annotations in ACSL."""
