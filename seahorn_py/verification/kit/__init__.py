"""Contracts that plug-ins are tested against; `seahorn_py.testing` is their face."""
