"""Arrays replaced by observed cells."""
