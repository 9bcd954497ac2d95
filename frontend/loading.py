"""C files to a lowered program in one copy of this process, which meanwhile may do other things."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from seahorn_py.child import Deadline, Fork
from seahorn_py.errors import SeaError
from seahorn_py.frontend import compiler, models, optimizer
from seahorn_py.frontend.lowered import Lowered
from seahorn_py.options import FrontendOptions


def begin(paths: Sequence[Path], options: FrontendOptions, deadline: Deadline) -> Fork:
    """Compile and lower; `optimizer.lowered` has what comes of it.

    A context manager, which ends the copy.
    """
    return Fork(partial(_lowered, tuple(paths), options, deadline), deadline)


def _lowered(
    paths: Sequence[Path], options: FrontendOptions, deadline: Deadline
) -> Lowered | SeaError:
    try:
        modules = compiler.compile_files(paths, options, deadline)
        library = models.library(modules, options.bits)
    except SeaError as error:
        return error
    return optimizer.lower_here(modules, library, options)
