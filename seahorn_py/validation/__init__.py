"""Validation: witnesses and contracts, from wherever they are, checked against the program."""
