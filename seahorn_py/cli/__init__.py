"""The command line: one module a command, and what commands print; above all but `bench`."""
