"""Checks that are inserted before any pass, and what the text tells of what they guard."""
