"""Z3's Spacer: the border to its process, its models and refutations."""
