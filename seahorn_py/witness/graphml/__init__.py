"""GraphML 1.0, and SeaHorn's dialect of it."""
