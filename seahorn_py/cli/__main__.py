"""`python -m seahorn_py.cli` is `sea-py`."""

from seahorn_py.cli.entry import run

run()
