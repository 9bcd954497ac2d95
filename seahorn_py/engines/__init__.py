"""Algorithms that solve Horn systems."""
