"""A software model checker for C whose every answer is checked."""
