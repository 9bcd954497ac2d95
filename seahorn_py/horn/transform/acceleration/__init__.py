"""Loops replaced by their closures: what leads to it, and the way back."""
