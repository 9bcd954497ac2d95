"""`python -m seahorn_py.cli` is `sea-py`."""

from seahorn_py.cli.main import run

run()
