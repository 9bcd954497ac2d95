"""How a spurious counterexample gives new predicates: one strategy a module."""
