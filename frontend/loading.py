"""C files to a lowered program in one copy of this process, which meanwhile may do other things."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from seahorn_py.base.errors import SeaError, Stage
from seahorn_py.frontend.compiling import compiler
from seahorn_py.frontend.llvmtext.lowered import Lowered
from seahorn_py.frontend.lowering import optimizer
from seahorn_py.frontend.lowering.library import models
from seahorn_py.frontend.sources import of_objects
from seahorn_py.options import FrontendOptions
from seahorn_py.processes import scratch
from seahorn_py.processes.child import Fork
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.internal_errors import working


@contextmanager
def begin(paths: Sequence[Path], options: FrontendOptions, deadline: Deadline) -> Iterator[Fork]:
    """Compile and lower; `optimizer.lowered` has what comes of it.

    In the end the copy is killed, wherever it is, and its temporary files are removed.
    """
    with scratch.folder() as place:
        work = partial(_lowered, tuple(paths), options, deadline, str(place))
        with working(Stage.FRONT_END.value, "the front end"):
            copy = Fork(work, deadline)
        with copy:
            yield copy


def _lowered(
    paths: Sequence[Path], options: FrontendOptions, deadline: Deadline, place: str
) -> Lowered | SeaError:
    tempfile.tempdir = place
    assumed: tuple[str, ...] = ()
    try:
        paths, options = of_objects(paths, options)
        if options.rules:
            from seahorn_py.frontend.rules.known import rule
            from seahorn_py.frontend.rules.missed import unbuilt

            flags = unbuilt(map(rule, options.rules))
            options = replace(options, flags=(*options.flags, *flags))
        modules = compiler.compile_files(paths, options, deadline)
        if options.entries:
            from seahorn_py.frontend.compiling.entries import with_entries

            modules, assumed = with_entries(paths, modules, options, deadline)
        modules, gaps, blocks = _with_automata(paths, modules, options, deadline)
        assumed = (*assumed, *blocks)
        library = models.library(modules, options)
    except SeaError as error:
        return error
    lowered = optimizer.lower_here(modules, library, options)
    if isinstance(lowered, Lowered):
        assumptions = (*lowered.assumptions, *assumed)
        return replace(lowered, assumptions=assumptions, gaps=(*lowered.gaps, *gaps))
    return lowered


def _with_automata(
    paths: Sequence[Path], modules: tuple[str, ...], options: FrontendOptions, deadline: Deadline
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The modules with the automata of rules or of a formula, what these miss, what is assumed."""
    if options.rules:
        from seahorn_py.frontend.rules.known import rule
        from seahorn_py.frontend.rules.weaving import woven

        return woven(modules, map(rule, options.rules), options, deadline)
    if options.formula and options.fuel:
        from seahorn_py.frontend.temporal.insertion import with_formula

        return with_formula(paths, modules, options, deadline)
    return modules, (), ()
