"""Formulas and what is done with them in this process; knows no solver and no text."""
