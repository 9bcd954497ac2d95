"""The commands that answer a question, one module each, and what all commands share."""
