"""The conductor of termination."""
