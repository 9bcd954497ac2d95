"""Commands in which `sea-py` tells of itself: its parts, messages, rules of use."""
