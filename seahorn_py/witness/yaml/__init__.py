"""Witnesses in YAML, formats 2.0 to 2.2."""
