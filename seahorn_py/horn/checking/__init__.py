"""The checkers of proofs and refutations, which share no code with engines."""
