"""Machine integers as unbounded integers."""
