"""Validation: what witnesses of others say is checked against the program."""
