"""Functions of the C library in programs whose checks the library of this machine passes.

Each program is linked with the real library (64 bits), and runs with what we have in its place:
natively with 32 bits, interpreted with 64.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import models as support
import pytest
import test_models
from models import HEADER, OPTIONS, holds

from seahorn_py.frontend.compiling.compiler import compile_files
from seahorn_py.frontend.runtime.native import zig
from seahorn_py.options import Libc
from seahorn_py.processes.deadline import Deadline

HEAD = """
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <getopt.h>
#include <inttypes.h>
#include <regex.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>
extern void reach_error(void);
#undef CHECK
#define CHECK(c) do { if (!(c)) reach_error(); } while (0)
"""
REAL = """
static int wrong;
int program(void);
void reach_error(void) { wrong++; }
int failed(void) { wrong = 0; program(); return wrong; }
"""

PROGRAMS = sorted((Path(__file__).parent / "libc").glob("*.c"), key=str)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("real")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_the_real_library_passes_the_checks(program: Path, folder: Path) -> None:
    text = program.read_text().replace("int main(", "int program(")
    source = folder / "program.c"
    source.write_text(f"{HEADER}{HEAD}{text}{REAL}")
    limit = Deadline.after(60)
    (module,) = compile_files([source], OPTIONS, limit)
    (folder / "program.ll").write_text(module.replace("dso_local ", ""))
    made = folder / f"{program.stem}.so"
    flags = ("-target", "x86_64-linux-gnu", "-w", "-fPIC", "-c", "-o", "program.o")
    assert zig(["clang", *flags, "program.ll"], folder, limit).code == 0
    assert zig(["ld.lld", "-shared", "-o", made.name, "program.o"], folder, limit).code == 0
    assert ctypes.CDLL(str(made)).failed() == 0


@pytest.mark.full
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_our_library_passes_them(program: Path) -> None:
    holds(HEAD + program.read_text(), is_open=True)


TABLES = (
    *(test_models.test_searches_and_comparisons_of_strings, test_models.test_what_is_written),
    *(test_models.test_tokens, test_models.test_numbers_in_text),
)


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=pytest.mark.full if k else ()) for k, case in enumerate(TABLES)],
    ids=lambda case: case.__name__,
)
def test_the_sources_of_exact_functions(
    case: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the library of this machine gave holds for them as it does for our models."""
    monkeypatch.setattr(support, "OPTIONS", replace(OPTIONS, libc=Libc.REAL))
    case()


@pytest.mark.full
def test_the_sources_of_functions_of_wide_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(support, "OPTIONS", replace(OPTIONS, libc=Libc.REAL))
    (program,) = (path for path in PROGRAMS if path.stem == "wide_text")
    holds(HEAD + program.read_text(), is_open=True)
