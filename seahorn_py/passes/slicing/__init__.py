"""What can decide whether a check fails; uses `simplify`."""
