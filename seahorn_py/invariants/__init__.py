"""Invariants of Horn systems, found before any engine works on them."""
