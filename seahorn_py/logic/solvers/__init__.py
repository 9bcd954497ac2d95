"""Satisfiability by z3, cvc5 and bitwuzla: in children by text, or natively."""
