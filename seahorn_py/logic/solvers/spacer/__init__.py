"""Spacer, the Horn solver in z3: what it is given, and its models, refutations and interpolants."""
