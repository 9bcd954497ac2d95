"""Programs with threads to one sequential program that has all interleavings."""
