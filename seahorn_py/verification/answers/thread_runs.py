"""The program with threads of its own, for a second native replay.

Proofs, the interpreter and the first replay see the product of threads, one sequential program.  In
the run time each thread has its own code and stack (`frontend/runtime/baton.c`), so that a run
which is found can be repeated without the product.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from seahorn_py.evidence.runs.subject import Threaded
from seahorn_py.frontend.llvmtext.lowered import Lowered
from seahorn_py.frontend.runtime import native
from seahorn_py.frontend.runtime.native import Executable
from seahorn_py.processes.child import ChildError
from seahorn_py.processes.deadline import Deadline


def with_threads(lowered: Lowered, bits: int, place: Path, deadline: Deadline) -> Threaded | None:
    """The program with threads, built in the folder `place`; None if it has none."""
    if not lowered.threaded:
        return None
    from seahorn_py.frontend.lowering.threads.steps import SCHEDULE  # costs start-up time

    folder = Path(tempfile.mkdtemp(dir=place))  # both encodings may build at the same time
    try:
        built = native.build(lowered.threaded, bits, folder, deadline)
    except ChildError:
        return None
    schedule = frozenset(site.number for site in lowered.sites if site.name == SCHEDULE)
    checks = lowered.threaded_checks
    return Threaded(built, schedule, checks) if isinstance(built, Executable) else None
