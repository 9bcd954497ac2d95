"""Predicate abstraction with refinement, and lazy abstraction with interpolants."""
