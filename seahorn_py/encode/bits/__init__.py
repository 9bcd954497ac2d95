"""Machine integers as bit-vectors."""
