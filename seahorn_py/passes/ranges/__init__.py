"""Intervals that hold in every run."""
