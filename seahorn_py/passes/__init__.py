"""Transformations of programs on the way to an encoding."""
