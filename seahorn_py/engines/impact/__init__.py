"""Lazy abstraction with interpolants, on what `refinement` has."""
