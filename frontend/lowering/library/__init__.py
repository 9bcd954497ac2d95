"""Calls of the C library: how they are rewritten, and the models that are linked."""
