"""Facts about the elements of arrays."""
