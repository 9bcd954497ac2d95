"""Accesses of objects: where they lead, whether they are valid, what they find."""
