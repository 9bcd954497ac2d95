"""Programs made for questions about termination: ranks, bounds and accesses as checks."""
