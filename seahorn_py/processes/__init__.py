"""Processes, bounded and always reaped, and what they note down; knows nothing else of ours."""
