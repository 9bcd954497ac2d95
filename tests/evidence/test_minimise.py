"""Shorter runs on smaller inputs: what they are, and that nothing is lost on the way to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from seahorn_py import VerifyOptions, verify
from seahorn_py.evidence.minimise.candidates import MOST_STEPS
from seahorn_py.evidence.minimise.minimise import minimised, smallest
from seahorn_py.evidence.minimise.numbers import Integer, Numbers, Real
from seahorn_py.evidence.runs.execution import Execution
from seahorn_py.evidence.runs.random_values import drawing
from seahorn_py.evidence.runs.subject import Replay, Subject
from seahorn_py.ir.floats.floats import DOUBLE, SINGLE
from seahorn_py.ir.interpreter import Frame, Interpreter
from seahorn_py.ir.program import Bind, Program, Site
from seahorn_py.ir.run import Ending, Feed, Outcome, RunLimits
from seahorn_py.ir.types import IntType
from seahorn_py.options import EngineName, FrontendOptions, Property
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer
from seahorn_py.verification.pipeline import load

HEAD = """
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern double __VERIFIER_nondet_double(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);
extern int elsewhere(void);
#define nd __VERIFIER_nondet_int
"""
LIMITS = RunLimits(seconds=10.0)
SHORT = RunLimits(seconds=10.0, steps=5_000)
MIN = -(1 << 31)
WIDE = 10.0
"""Seconds, so that only the number of runs counts."""


@cache
def program(body: str, *properties: Property) -> Program:
    """A program with this `main`, read by the front end."""
    with TemporaryDirectory() as place:
        file = Path(place) / "a.c"
        file.write_text(f"{HEAD}int main(void) {{ {body} return 0; }}\n")
        options = VerifyOptions(frontend=FrontendOptions(properties=frozenset(properties)))
        return load([file], options, Deadline.after(60))[1]


def fed(source: Program, values: Sequence[int]) -> Outcome:
    """The run that reads these values one after the other, then zeros."""
    left = iter(values)
    outcome = Interpreter(source).run({}, LIMITS, draw=lambda site: next(left, 0))
    assert outcome.ending is Ending.FAILED
    return outcome


def best(source: Program, given: Outcome, words: Sequence[int] = (), runs: int = 1000) -> Outcome:
    found = smallest(Interpreter(source), given, words, Deadline.after(WIDE), runs)
    return given if found is None else found


class Passed:
    """Observes which blocks a run passes."""

    def __init__(self) -> None:
        self.blocks: list[tuple[str, str]] = []

    def at_block(self, function: str, label: str, frame: Frame) -> None:
        self.blocks.append((function, label))

    def at_return(self, *_: object) -> None:
        pass


def steps(interpreter: Interpreter, feed: Feed) -> int:
    """Statements that the run on a feed passes, and ends of blocks."""
    passed = Passed()
    interpreter.run(feed, LIMITS, passed)
    sizes = {
        (function.name, block.label): 1 + sum(not isinstance(s, Bind) for s in block.statements)
        for function in interpreter.program.functions.values()
        for block in function.blocks
    }
    return sum(sizes[block] for block in passed.blocks)


def numbers(source: Program, outcome: Outcome) -> list[int]:
    """The values read, as signed or unsigned numbers."""
    sites = {site.number: site for site in source.sites}
    return [_number(sites[number], value) for number, value in outcome.reads]


def _number(site: Site, value: int) -> int:
    width = site.type.width if isinstance(site.type, IntType) else 64
    negative = "unsigned" not in site.c_type and value >> (width - 1)
    return value - (1 << width) if negative else value


@dataclass(frozen=True)
class Case:
    """What the run on `given` becomes, as the numbers that it reads."""

    body: str
    given: Sequence[int]
    expected: Sequence[int]
    properties: tuple[Property, ...] = ()
    words: tuple[int, ...] = ()

    def source(self) -> Program:
        return program(self.body, *self.properties)


CASES = {
    "any value": Case("nd(); reach_error();", [77], [0]),
    "a bound": Case("int x = nd(); if (x > 100) reach_error();", [2**31 - 1], [101]),
    "-1 before INT_MIN": Case("if (nd() < 0) reach_error();", [MIN], [-1]),
    "1 before -1": Case("if (nd() != 0) reach_error();", [-1], [1]),
    "a negative bound": Case("if (nd() < -7) reach_error();", [MIN], [-8]),
    "unsigned": Case(
        "unsigned x = __VERIFIER_nondet_uint(); if (x > 2147483648u) reach_error();",
        [-1],
        [2**31 + 1],
    ),
    "the next number": Case(
        "int x = nd(), y = nd(); if (x > 100 && y == x + 1) reach_error();",
        [2**31 - 9, 2**31 - 8],
        [101, 102],
    ),
    "twice the number": Case(
        "int x = nd(), y = nd(); if (x > 10 && y == 2 * x + 1) reach_error();",
        [1000, 2001],
        [11, 23],
    ),
    "a sum": Case(
        "unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint();"
        "if (x + y == 100) reach_error();",
        [2**31, 2**31 + 100],
        [0, 100],
    ),
    "equal ones": Case(
        "int a = nd(), b = nd(), c = nd(); if (a == b && b == c && a > 5) reach_error();",
        [123456, 123456, 123456],
        [6, 6, 6],
    ),
    "bits": Case("if (__VERIFIER_nondet_uint() & 8) reach_error();", [0x7EADBEEF], [8]),
    "a loop to n": Case(
        "int n = nd(), s = 0; for (int i = 0; i < n; i++) s++; if (s >= 3) reach_error();",
        [1000],
        [3],
    ),
    "a loop while inputs go on": Case(
        "int n = 0; while (nd()) { if (nd() == 5) n++; } if (n == 2) reach_error();",
        [9, 1, 9, 5, 9, 2, 9, 7, 9, 5, 9, 0],
        [1, 5, 1, 5, 0],
    ),
    "an array": Case(
        "static int a[4]; for (int i = 0; i < 4; i++) a[i] = nd();"
        "if (a[1] < a[2] && a[3] == 7) reach_error();",
        [-5, -1000, 99, 7],
        [0, 0, 1, 7],
    ),
    "a sorted array": Case(
        "static int a[3]; for (int i = 0; i < 3; i++) a[i] = nd();"
        "if (a[0] > 0 && a[0] < a[1] && a[1] < a[2]) reach_error();",
        [1000, 20000, 300000],
        [1, 2, 3],
    ),
    "an assumption": Case(
        "int x = nd(); __VERIFIER_assume(x >= 10 && x % 2 == 0); reach_error();", [5000], [10]
    ),
    "an uninitialised variable": Case(
        "int x; if (x > 5 && nd()) reach_error();", [10**9, MIN], [6, 1]
    ),
    "an uninitialised array": Case(
        "int a[3]; int i = nd(); if (i >= 0 && i < 3 && a[i] == 9) reach_error();",
        [1, 2, 9, 2],
        [0, 0, 9, 2],
    ),
    "constants that end a loop": Case(
        "int n = nd(); while (n < 50) n++; if (n >= 50) reach_error();", [-5], [50], words=(50,)
    ),
    "an overflow": Case("return nd() + 10;", [2**31 - 1], [2**31 - 10], (Property.NO_OVERFLOW,)),
    "an access": Case(
        "static int a[10]; int i = nd(); if (i > 3) a[i] = 1;",
        [12],
        [10],
        (Property.VALID_MEMSAFETY,),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_smallest_run(name: str) -> None:
    case = CASES[name]
    given = fed(case.source(), case.given)
    found = best(case.source(), given, case.words)
    assert (numbers(case.source(), found), found.check) == ([*case.expected], given.check)


@pytest.mark.full
@pytest.mark.parametrize("runs", [3, 60])
def test_never_longer_and_the_same_check(runs: int) -> None:
    shrunk = 0
    for case in CASES.values():
        interpreter = Interpreter(case.source())
        for seed in range(8):
            given = interpreter.run({}, SHORT, draw=drawing(seed, (*case.given, *case.words)))
            if given.ending is not Ending.FAILED:
                continue
            found = best(case.source(), given, case.words, runs)
            again = interpreter.run(found.feed, LIMITS)
            assert (again.ending, again.check) == (Ending.FAILED, given.check)
            assert steps(interpreter, found.feed) <= steps(interpreter, given.feed)
            shrunk += found != given
    assert shrunk > 10


def test_the_same_run_each_time() -> None:
    source = program(CASES["an array"].body)
    given = fed(source, CASES["an array"].given)
    assert len({best(source, given, (7,), 40) for _ in range(3)}) == 1


TWO_CHECKS = "int x = nd(); if (x > 5) { if (x > 50) reach_error(); reach_error(); }"


@pytest.mark.parametrize(("value", "expected"), [(1000, 51), (40, 6)])
def test_another_check_does_not_count(value: int, expected: int) -> None:
    source = program(TWO_CHECKS)
    assert numbers(source, best(source, fed(source, [value]))) == [expected]


def test_no_new_value_of_a_function_without_body() -> None:
    """With n = 0 the run would be as short, but rest on `elsewhere`."""
    source = program("int n = nd(); if (n > 9 || elsewhere() == 0) reach_error();")
    assert numbers(source, best(source, fed(source, [77]))) == [10]
    assert numbers(source, best(source, fed(source, [0, 0]))) == [0, 0]


def test_no_value_of_an_undefined_shift() -> None:
    """The site of its result is read by every shift; what it gives in the given run stays."""
    source = program("int n = nd(); if ((1 << n) == 77) reach_error();")
    found = best(source, fed(source, [4000, 77]))
    assert numbers(source, found) == [-1, 77]


LONG = "int n = nd(), s = 0; for (int i = 0; i < n; i++) s += 3; if (s % 3 == 0%s) reach_error();"


def test_a_long_run_that_may_be_short() -> None:
    source = program(LONG.replace("%s", ""))
    given = Outcome(Ending.FAILED, 0, ((0, 100_000),))
    assert steps(Interpreter(source), given.feed) > MOST_STEPS
    assert numbers(source, best(source, given)) == [0]


def test_a_run_that_is_long_anyway() -> None:
    source = program(LONG.replace("%s", " && n > 99999"))
    given = Outcome(Ending.FAILED, 0, ((0, 100_000),))
    assert smallest(Interpreter(source), given, (), Deadline.after(WIDE)) is None


@pytest.mark.parametrize("length", [0, 9])
def test_very_many_inputs_that_may_be_few(length: int) -> None:
    source = program(f"int n = 0; while (nd()) n++; if (n >= {length}) reach_error();")
    given = Outcome(Ending.FAILED, 0, ((0, 1),) * 30_000)
    assert best(source, given).reads == (*((0, 1),) * length, (0, 0))


def test_a_long_text_that_may_be_short() -> None:
    """What says how long it is comes first, and is not near 0 in any shorter run."""
    source = program(
        "unsigned n = __VERIFIER_nondet_uint(); LOOP if (n > 2) reach_error();".replace(
            "LOOP", "for (unsigned k = 0; k < n; k++) nd();"
        )
    )
    given = Outcome(Ending.FAILED, 0, ((0, 30_000), *((1, 7),) * 30_000))
    assert best(source, given).reads == ((0, 3), *((1, 0),) * 3)


def test_very_many_inputs_that_are_needed() -> None:
    source = program("int n = 0; while (nd()) n++; if (n > 20000) reach_error();")
    given = Outcome(Ending.FAILED, 0, ((0, 1),) * 30_000)
    assert best(source, given) is given


def test_what_a_long_run_reads_at_its_end_may_not_be_known() -> None:
    source = program("while (nd() == 1); if (elsewhere() == 0) reach_error();")
    many = ((0, 1),) * 30_000
    short = ((0, 0), (1, 0))
    assert best(source, Outcome(Ending.FAILED, 0, many, all_read=False)).reads == short
    assert best(source, Outcome(Ending.FAILED, 0, many)).reads == many


FLOATS = {
    "whole": ("d > 2.5", 2.5000000001, 3.0),
    "a half": ("d > 0 && d < 1", 0.123456789, 0.5),
    "negative": ("d < -1e6 && d > -1e9", -123456789.25, -1000001.0),
    "huge": ("d > 1e30", 1e300, 2.0**100),
    "any": ("d == d", -1e-300, 0.0),
}


@pytest.mark.parametrize("name", FLOATS)
def test_floats(name: str) -> None:
    condition, value, expected = FLOATS[name]
    source = program(f"double d = __VERIFIER_nondet_double(); if ({condition}) reach_error();")
    found = best(source, fed(source, [DOUBLE.encode(value)]))
    assert [DOUBLE.decode(bits) for _, bits in found.reads] == [expected]


@pytest.mark.parametrize(
    ("kind", "raw", "size"),
    [
        (Integer(8, signed=True), 0x80, 128),
        (Integer(8, signed=False), 0xFF, 255),
        (Integer(1, signed=False), 1, 1),
        (Real(SINGLE), SINGLE.encode(-2.5), 4),
        (Real(DOUBLE), DOUBLE.encode(3.0), 3),
    ],
)
def test_sizes(kind: Numbers, raw: int, size: int) -> None:
    assert kind.size(raw) == size
    assert sorted(kind.size(v) for v in kind.near_zero())[0] == 0


@pytest.mark.parametrize("value", [float("inf"), -float("inf"), float("nan"), 1e308, -5e-324])
def test_floats_that_are_no_numbers(value: float) -> None:
    kind = Real(DOUBLE)
    raw = DOUBLE.encode(value)
    assert all(0 <= v < 1 << 64 for v in (*kind.simpler(raw), kind.moved(raw, -(1 << 64))))
    assert kind.size(raw) >= abs(kind.number(raw))


# ------------------------------------------------------------------------- where it is called


def broken() -> Execution:
    raise OSError("no execution")


@dataclass(frozen=True)
class Unrepeatable(Subject):
    """No run but the given one reaches the error natively."""

    def run(self, feed: Feed) -> Replay:
        return Replay(Outcome(Ending.ENDED), is_native=True)


def test_the_given_run_where_something_fails() -> None:
    source = program(CASES["a bound"].body)
    given, never = fed(source, [5000]), Deadline.after(1000)
    good = Subject(source, source, lambda: Execution(None), WIDE)
    assert numbers(source, minimised(good, given, never)) == [101]
    for subject in (
        Subject(source, source, broken, WIDE),
        Unrepeatable(source, source, lambda: Execution(None), WIDE),
        Subject(source, source, lambda: Execution(None), 0.0),
    ):
        assert minimised(subject, given, never) is given
    assert minimised(good, given, Deadline.after(0)) is given


PROGRAM = """
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int n = __VERIFIER_nondet_int(), s = 0;
  for (int i = 0; i < n; i++)
    s += __VERIFIER_nondet_int() > 0;
  if (s >= 2)
    reach_error();
  return 0;
}
"""


@pytest.mark.parametrize("engine", [EngineName.EXECUTE, EngineName.BMC])
def test_what_an_answer_shows(engine: EngineName, tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(PROGRAM)
    result = verify(file, VerifyOptions(engines=(engine,), minimise=WIDE, timeout=1000))
    assert result.answer is Answer.UNSAFE
    shown = result.violation
    assert shown is not None
    assert shown.run is not None
    assert [i.value for i in shown.inputs] == [value for _, value in shown.run.reads] == [2, 1, 1]
    assert [c.value for step in shown.trace for c in step.changes if c.name == "s"][-1] == "2"
