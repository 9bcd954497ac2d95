"""Explicit states: every state of a linear Horn system, one by one."""
