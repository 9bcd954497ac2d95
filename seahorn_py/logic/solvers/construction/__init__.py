"""Terms of solvers, built operation by operation; a solver is kept from question to question."""
