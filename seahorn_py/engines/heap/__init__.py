"""Facts about all blocks of the heap."""
