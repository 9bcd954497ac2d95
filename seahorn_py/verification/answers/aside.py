"""Questions beside the one that was asked."""

from __future__ import annotations

from dataclasses import replace

from seahorn_py.options import VerifyOptions


def aside(options: VerifyOptions, seconds: float) -> VerifyOptions:
    """The options for a question beside the one that was asked, in so many seconds."""
    return replace(
        options,
        timeout=max(seconds, 0.01),
        each_property=False,
        every_check=False,
        ask_default=False,
        certificate=False,
        witness=False,
    )
