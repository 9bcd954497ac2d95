"""States that meet: made one, or kept apart."""
