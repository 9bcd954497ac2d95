"""Terms, SMT-LIB text and solvers."""
