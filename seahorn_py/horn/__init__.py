"""The waist: Horn systems, proofs, refutations and their checkers."""
