"""Which values of a few parameters occur together; uses `invariants` for rules in a solver."""
