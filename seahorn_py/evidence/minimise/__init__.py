"""Shorter runs on smaller inputs; uses `runs`."""
