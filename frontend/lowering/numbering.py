"""The numbers of sites and checks: each copy that inlining made gets one of its own."""

from __future__ import annotations

import re
from dataclasses import replace

from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.llvmtext.inputs import Inputs
from seahorn_py.frontend.llvmtext.lowered import RawCheck, RawSite

_NUMBERED = pattern(r"(@sea\.(?:input\.\w+|havoc|check)\((?:.*, )?i32 )(\d+)\)")


def numbered(
    text: str, inputs: Inputs
) -> tuple[str, tuple[RawSite, ...], tuple[RawCheck, ...], tuple[int, ...]]:
    """Give every copy of a site and check its own number, and forbid merging and copying it.

    The last are the numbers that checks had before.
    """
    sites: list[RawSite] = []
    checks: list[RawCheck] = []
    before: list[int] = []

    def renumber(found: re.Match[str]) -> str:
        provisional = int(found[2])
        if found[1].startswith("@sea.check"):
            number = len(checks)
            checks.append(replace(inputs.checks[provisional], number=number))
            before.append(provisional)
        else:
            number = len(sites)
            sites.append(replace(inputs.sites[provisional], number=number))
        return f"{found[1]}{number}) nomerge noduplicate"

    lines = [
        _NUMBERED.sub(renumber, line) if "call " in line and "@sea." in line else line
        for line in text.split("\n")
    ]
    return "\n".join(lines), tuple(sites), tuple(checks), tuple(before)
