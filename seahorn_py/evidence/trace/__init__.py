"""A violating run, told step by step."""
