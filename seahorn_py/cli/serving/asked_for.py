"""How a server is asked for."""

FLAG = "--server"
VARIABLE = "SEA_PY_SERVER"
"""Set to 1, or to the path of a socket: whatever can be done by a server is done by it."""
