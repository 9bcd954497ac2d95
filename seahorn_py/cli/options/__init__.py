"""Options: their values, groups and help, and the dataclasses that they fill."""
