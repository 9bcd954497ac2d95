"""Interpolation-based model checking; uses `kinduction` for refutations."""
