"""Which registers and memory may hold the address of which objects."""
