"""LLVM modules to one lowered program, in a forked copy that may crash without harm.

llvmlite comes with LLVM's assertions, which abort the process; a bad module must not take ours.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Sequence

from seahorn_py.base.errors import SeaError, Stage, StageFailure
from seahorn_py.frontend.llvmtext.lowered import Lowered, RawCheck, RawSite
from seahorn_py.frontend.lowering.library import models
from seahorn_py.options import FrontendOptions
from seahorn_py.processes.child import ChildError, Fork
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.internal_errors import working

__all__ = ["Lowered", "RawCheck", "RawSite", "lower", "lower_here", "lowered"]

_MEMORY_BYTES = 8 << 30


def lower(modules: Sequence[str], options: FrontendOptions, deadline: Deadline) -> Lowered:
    """Link, initialise, instrument, inline, number and simplify.

    `modules` are texts as `compile_files` gives them.  InputError: clashing definitions, no `main`.
    UnsupportedError: a construct that the program can reach and that has no meaning here.
    StageFailure: LLVM rejects the text or crashes, or the time is over.
    """
    library = models.library(modules, options)
    with working(Stage.FRONT_END.value, "the front end"):
        fork = Fork(lambda: lower_here(modules, library, options), deadline)
    with fork as copy:
        return lowered(copy)


def lowered(copy: Fork) -> Lowered:
    """What a copy that ends with `lower_here` has made."""
    try:
        answer = copy.result()
    except ChildError as error:
        raise StageFailure(Stage.FRONT_END, f"lowering: {error}") from None
    if isinstance(answer, SeaError):
        raise answer
    assert isinstance(answer, Lowered)
    return answer


def lower_here(
    modules: Sequence[str], library: models.Library, options: FrontendOptions
) -> Lowered | SeaError:
    """Lower in this process, which LLVM may abort."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    bounded = _MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(_MEMORY_BYTES, hard)
    resource.setrlimit(resource.RLIMIT_AS, (bounded, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    from seahorn_py.frontend.lowering.lowering import lower_modules

    try:
        return lower_modules(modules, library, options)
    except SeaError as error:
        return error
