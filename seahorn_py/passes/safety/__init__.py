"""Memory safety as arithmetic over records of objects; uses `promotion`."""
