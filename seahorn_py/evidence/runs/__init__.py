"""Executions, native and interpreted, and the inputs that are fed to them."""
