"""Witnesses: one model, what makes it from runs and proofs, two formats; annotations in ACSL."""
