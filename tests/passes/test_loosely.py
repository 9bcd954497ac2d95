"""Summaries of functions of the library: they have the real outcome, and others; errors stay."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from programs import LIMITS

from seahorn_py.ir.interpreter import run
from seahorn_py.ir.program import Program, Site
from seahorn_py.ir.run import Ending
from seahorn_py.ir.types import IntType
from seahorn_py.options import MEMORY_SAFETY, FrontendOptions, Property, VerifyOptions
from seahorn_py.passes.loosely import loosely
from seahorn_py.processes.deadline import Deadline
from seahorn_py.verification.pipeline import load

HEAD = """
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
extern void reach_error(void);
"""
RUNS = 400


def read(folder: Path, body: str, *asked: Property) -> Program:
    file = folder / "program.c"
    file.write_text(f"{HEAD}int main(void) {{ {body} return 0; }}\n")
    frontend = FrontendOptions(properties=frozenset(asked or (Property.UNREACH_CALL,)))
    return load([file], VerifyOptions(frontend), Deadline.after(60))[1]


def failing(program: Program, number: int = 0) -> set[bool]:
    """Whether runs fail, on drawn inputs; wide ones are that number."""
    draw = random.Random(1)

    def drawn(site: Site) -> int:
        assert isinstance(site.type, IntType)
        width = site.type.width
        return int(draw.random() < 0.7) if width == 1 else number % (1 << width)

    outcomes = [run(program, {}, LIMITS, draw=drawn) for _ in range(RUNS)]
    return {outcome.ending is Ending.FAILED for outcome in outcomes}


# call: (text, what is true of the real outcome, the number in the text)
OUTCOMES = {
    "a number": ('" -12x"', "strtol(t, &e, 10) == -12 && e == t + 4", -12),
    "no number": ('"x1"', "strtol(t, &e, 10) == 0 && e == t", 5),
    "the whole text": ('"77"', "strtoul(t, &e, 8) == 63 && e == t + 2", 63),
    "hexadecimal": ('"0x1f,"', "strtoll(t, &e, 0) == 31 && e == t + 4", 31),
    "too large": (
        '"99999999999999999999"',
        "strtol(t, &e, 10) == LONG_MAX && *e == 0 && errno == ERANGE",
        (1 << 63) - 1,
    ),
    "of any text": ('"8 9"', "atoi(t) == 8", 8),
    "a span": ('"aab"', 'strspn(t, "a") == 2', 0),
    "a span of none": ('""', 'strspn(t, "a") == 0', 0),
    "up to one of a set": ('"ab,c"', 'strcspn(t, ",;") == 2', 0),
    "one of a set": ('"ab,c"', 'strpbrk(t, ",;") == t + 2', 0),
    "words": ('" ab c"', 'strtok(t, " ") == t + 1 && strtok(NULL, " ") == t + 4', 0),
    "fields": ('"a,,b"', 'e = t, strsep(&e, ",") == t && e == t + 2', 0),
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_the_real_outcome_is_one_of_those_of_the_summary(name: str, tmp_path: Path) -> None:
    text, real, number = OUTCOMES[name]
    body = f"char t[] = {text}, *e; errno = 0; if ({real}) reach_error();"
    program = read(tmp_path, body)
    assert failing(program) == {True}
    assert True in failing(loosely(program), number)


@pytest.mark.parametrize("name", ("a number", "a span", "words"))
def test_a_summary_has_other_outcomes(name: str, tmp_path: Path) -> None:
    text, real, number = OUTCOMES[name]
    program = read(tmp_path, f"char t[] = {text}, *e; if ({real}) reach_error();")
    assert failing(loosely(program), number) == {False, True}


UNTERMINATED = {
    "the text of a number": "char t[2] = {'1', '2'}; return (int)strtol(t, NULL, 10);",
    "the text of a span": "char t[2] = {'a', 'a'}; return (int)strspn(t, \"a\");",
    "the set of a span": "char t[1] = {'a'}; return (int)strcspn(\"b\", t);",
    "no text": "char *p = NULL; return atoi(p);",
}


@pytest.mark.parametrize("name", UNTERMINATED)
def test_an_invalid_access_stays(name: str, tmp_path: Path) -> None:
    program = read(tmp_path, UNTERMINATED[name], *MEMORY_SAFETY)
    assert failing(program) == {True}
    assert True in failing(loosely(program))


def test_a_program_without_such_calls_is_the_same(tmp_path: Path) -> None:
    program = read(tmp_path, 'return (int)strlen("a");')
    assert loosely(program) is program
