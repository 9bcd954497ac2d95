"""Numbers on the command line."""

from __future__ import annotations

import math
from typing import Any

import click


class Finite(click.FloatRange):
    """A range without `nan`, which no comparison refuses, and without infinity."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number; a usage error for one that is none or out of range."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            what = "a number" if math.isnan(number) else "finite"
            self.fail(f"{value} is not {what}", param, ctx)
        return number
