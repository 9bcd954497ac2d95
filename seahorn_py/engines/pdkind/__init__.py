"""Property-directed k-induction; uses `imc` for transitions, `frames` for refutations."""
