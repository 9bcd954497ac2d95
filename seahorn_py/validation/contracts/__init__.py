"""Contracts of functions and loops, and proofs of each function by itself."""
