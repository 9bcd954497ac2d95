"""Property-directed reachability; `logic.solvers.rulespace` has its rules in z3."""
