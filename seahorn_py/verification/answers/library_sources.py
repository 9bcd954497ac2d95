"""The program with sources of the C library in place of our models, for a second native replay.

An exact function has one outcome.  So a run whose error rests on the model of an exact function is
a run with the source of that function too.  A program is only built again if it calls a function
that has both.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from seahorn_py.base.errors import SeaError, StageFailure
from seahorn_py.evidence.runs.inputs import undefined_shifts
from seahorn_py.evidence.runs.subject import Sourced
from seahorn_py.frontend import loading
from seahorn_py.frontend.library.contracts import Kind, contract_of
from seahorn_py.frontend.llvmtext.lowered import Lowered, RawSite
from seahorn_py.frontend.lowering import optimizer
from seahorn_py.frontend.runtime import native
from seahorn_py.frontend.runtime.native import Executable
from seahorn_py.ir.program import SiteKind
from seahorn_py.options import FrontendOptions, Libc
from seahorn_py.processes.child import ChildError
from seahorn_py.processes.deadline import Deadline


def with_sources(
    paths: Sequence[Path],
    lowered: Lowered,
    options: FrontendOptions,
    place: Path,
    deadline: Deadline,
) -> Sourced | None:
    """The program with sources, built in the folder `place`; None if none can be compared with."""
    if not lowered.modelled:
        return None
    try:
        with loading.begin(paths, replace(options, libc=Libc.REAL), deadline) as lowering:
            other = optimizer.lowered(lowering)
        sites = matched(lowered.sites, other.sites)
        if sites is None or other.checks != lowered.checks:
            return None
        folder = Path(tempfile.mkdtemp(dir=place))  # both encodings may build at the same time
        built = native.build(other.native, options.bits, folder, deadline)
    except (SeaError, StageFailure, ChildError):
        return None
    return Sourced(built, lowered.modelled, sites) if isinstance(built, Executable) else None


def matched(ours: Sequence[RawSite], others: Sequence[RawSite]) -> Mapping[int, int] | None:
    """Number of a site of ours -> its number among the others; None if they do not match.

    The others may also have sites of the library: its shifts, and variables that begin without a
    value.  Ours may have those of summaries of exact functions, which no run takes.
    """
    shifts = undefined_shifts(others)
    further = {o.number for o in others if o.kind is SiteKind.UNINIT or o.number in shifts}
    found: dict[int, int] = {}
    waiting = iter(others)
    for site in (one for one in ours if not _is_of_summary(one)):
        for other in waiting:
            if replace(other, number=site.number) == site:
                found[site.number] = other.number
                break
            if other.number not in further:
                return None
        else:
            return None
    return found if all(other.number in further for other in waiting) else None


def _is_of_summary(site: RawSite) -> bool:
    """A function with one outcome reads nothing: where it has a site, it is that of a summary."""
    contract = contract_of(site.name) if site.kind is SiteKind.EXTERN else None
    return contract is not None and contract.kind is Kind.EXACT
