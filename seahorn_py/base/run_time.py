"""The time limit of the run that this process works for: limits of its parts are shares of it.

A worker works for one run (`processes.supervision`); its copies inherit the number.
"""

USUAL_SECONDS = 30.0
"""Where no run has begun: of the runs on which the policy was measured."""

_seconds = USUAL_SECONDS


def begin(seconds: float) -> None:
    """A run begins that has so many seconds."""
    global _seconds
    _seconds = seconds


def whole() -> float:
    """The seconds that the run has, from its beginning to its end."""
    return _seconds
