"""A distribution with plug-ins of every kind, right and wrong ones."""
