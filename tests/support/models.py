"""Programs that call models of the C library, run natively and in the interpreter."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from seahorn_py.evidence.runs import native
from seahorn_py.frontend.compiling.compiler import compile_files
from seahorn_py.frontend.llvmtext.lowered import Lowered
from seahorn_py.frontend.lowering.optimizer import lower
from seahorn_py.frontend.reading.reader import read
from seahorn_py.frontend.runtime.native import Executable, build
from seahorn_py.ir.interpreter import Interpreter
from seahorn_py.ir.program import Program, SiteKind
from seahorn_py.ir.run import Ending, Outcome, RunLimits
from seahorn_py.options import FrontendOptions
from seahorn_py.processes.deadline import Deadline

RUN = RunLimits(seconds=10.0, steps=3_000_000)
OPTIONS = FrontendOptions()
HEADER = """
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <time.h>
extern void reach_error(void);
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
#define SIGN(x) (((x) > 0) - ((x) < 0))
"""


def lowered(source: str, options: FrontendOptions = OPTIONS) -> Lowered:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "program.c"
        file.write_text(HEADER + source)
        deadline = Deadline.after(60)
        return lower(compile_files([file], options, deadline), options, deadline)


def holds(
    source: str, native_bits: int = 32, interpreted_bits: int = 64, *, is_open: bool = False
) -> None:
    """No check of the program fails, neither natively nor in the interpreter.

    No value of a function without a model is read, unless some may be left `is_open`.
    """
    low = lowered(source, replace(OPTIONS, bits=native_bits))
    with executable(low, native_bits) as built:
        outcome = native.run(built, {}, RUN)
    if outcome.ending is not Ending.REFUSED:
        assert shown(read(low), outcome) == "ended"
    program = read(lowered(source, replace(OPTIONS, bits=interpreted_bits)))
    unknown = [site.origin for site in program.sites if site.kind is SiteKind.HAVOC]
    assert is_open or not [at for at in unknown if at.span and not at.span.function.endswith("div")]
    assert shown(program, Interpreter(program).run({}, RUN)) == "ended"


@contextmanager
def executable(low: Lowered, bits: int) -> Iterator[Executable]:
    with tempfile.TemporaryDirectory() as folder:
        built = build(low.native, bits, Path(folder), Deadline.after(60))
        assert isinstance(built, Executable), built
        yield built


def shown(program: Program, outcome: Outcome) -> str:
    """How a run ended, and the lines of the check that failed."""
    failed = [check for check in program.checks if check.number == outcome.check]
    return " ".join([outcome.ending.value, *(str(check.origin) for check in failed)])
