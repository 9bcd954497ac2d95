"""Native runs: what is built and refused, how runs end, what they may do, how inputs are drawn."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from seahorn_py.evidence.runs import native
from seahorn_py.evidence.runs.inputs import MASK, Drawn, dictionary, undefined_shifts
from seahorn_py.frontend.llvmtext.lowered import RawSite
from seahorn_py.frontend.runtime.native import LIBRARY, Executable, Refusal, build
from seahorn_py.ir.program import SiteKind
from seahorn_py.ir.run import Ending, Outcome, RunLimits
from seahorn_py.processes.deadline import Deadline

LIMITS = RunLimits(seconds=0.3)
SEA = """
declare void @sea.check(i1, i32)
declare void @sea.assume(i1)
declare void @sea.stop()
"""
COMPARE = """
declare i32 @sea.input.i32(i32)
define void @sea.main() {
  %x = call i32 @sea.input.i32(i32 3)
  %y = call i32 @sea.input.i32(i32 3)
  %ok = icmp ne i32 %y, 77777
  call void @sea.check(i1 %ok, i32 5)
  ret void
}
"""

READS = """
declare i32 @sea.input.i32(i32)
define void @sea.main() {
  %x = call i32 @sea.input.i32(i32 3)
  ret void
}
"""


@pytest.fixture(params=[32, 64])
def bits(request: pytest.FixtureRequest, runnable: dict[int, str]) -> int:
    width: int = request.param
    if runnable[width]:
        pytest.skip(runnable[width])
    return width


@pytest.fixture(scope="module")
def runnable() -> dict[int, str]:
    """Why this kernel cannot run programs of a width; empty where it can."""
    with tempfile.TemporaryDirectory() as folder:
        return {
            width: native.run(
                compiled("define void @sea.main() {\n  ret void\n}\n", width, Path(folder)),
                {},
                LIMITS,
            ).reason
            for width in (32, 64)
        }


@pytest.fixture
def place() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp())
    yield folder
    shutil.rmtree(folder)


def compiled(text: str, bits: int, place: Path) -> Executable:
    built = build(text, bits, place, Deadline.after(60))
    assert isinstance(built, Executable), built
    return built


def refused(text: str) -> str:
    """Why there is no native run of a text; nothing is written."""
    built = build(text, 64, Path("missing"), Deadline.after(1))
    assert isinstance(built, Refusal)
    return built.reason


def outcome_of(body: str, bits: int, place: Path, declarations: str = SEA) -> Outcome:
    text = f"{declarations}\ndefine void @sea.main() {{\n{body}\n}}\n"
    return native.run(compiled(text, bits, place), {}, LIMITS)


# ------------------------------------------------------------------------------------- endings


def test_inputs_are_fed_by_site_and_visit(bits: int, place: Path) -> None:
    executable = compiled(SEA + COMPARE, bits, place)
    assert native.run(executable, {3: (1, 77777)}, LIMITS) == Outcome(
        Ending.FAILED, 5, ((3, 1), (3, 77777))
    )
    assert native.run(executable, {3: (77777,)}, LIMITS) == Outcome(
        Ending.ENDED, None, ((3, 77777), (3, 0))
    )


@pytest.mark.parametrize(
    ("body", "ending"),
    [
        ("  ret void", Ending.ENDED),
        ("  call void @sea.stop()\n  unreachable", Ending.ENDED),
        ("  call void @sea.assume(i1 false)\n  ret void", Ending.BLOCKED),
        ("  call void @sea.assume(i1 true)\n  ret void", Ending.ENDED),
        ("  store volatile i32 1, ptr null\n  ret void", Ending.ENDED),
        ("  br label %loop\nloop:\n  br label %loop", Ending.LIMIT),
    ],
)
def test_how_a_run_ends(body: str, ending: Ending, bits: int, place: Path) -> None:
    assert outcome_of(body, bits, place).ending is ending


@pytest.mark.parametrize("operation", ["sdiv", "udiv", "srem", "urem"])
@pytest.mark.parametrize("width", [32, 64, 128])
def test_division_by_zero_ends_the_run(operation: str, width: int, bits: int, place: Path) -> None:
    if width == 128 and bits == 32:
        pytest.skip("C has no 128-bit integers in the 32-bit data model")
    text = f"""{SEA}
declare i{width} @sea.input.i{width}(i32)
define void @sea.main() {{
  %x = call i{width} @sea.input.i{width}(i32 0)
  %y = call i{width} @sea.input.i{width}(i32 1)
  %z = {operation} i{width} %x, %y
  %ok = icmp eq i{width} %z, 3
  call void @sea.check(i1 %ok, i32 0)
  ret void
}}
"""
    executable = compiled(text, bits, place)
    assert native.run(executable, {0: (3,)}, LIMITS).ending is Ending.ENDED
    assert native.run(executable, {0: (3,), 1: (2,)}, LIMITS).ending is Ending.FAILED
    smallest, minus_one = 1 << (width - 1), (1 << width) - 1
    if operation in ("sdiv", "srem"):
        overflow = {0: (smallest,), 1: (minus_one,)}
        assert native.run(executable, overflow, LIMITS).ending is Ending.ENDED


@pytest.mark.parametrize("width", [8, 32, 64])
@pytest.mark.parametrize("operation", ["sdiv", "srem"])
def test_division_by_a_constant_ends_the_run_too(
    operation: str, width: int, bits: int, place: Path
) -> None:
    """The code generator would fold these divisions away."""
    text = f"""{SEA}
declare i{width} @sea.input.i{width}(i32)
define void @sea.main() {{
  %x = call i{width} @sea.input.i{width}(i32 0)
  %minus = icmp eq i{width} %x, {-1 << (width - 1)}
  br i1 %minus, label %overflow, label %zero
overflow:
  %y = {operation} i{width} %x, -1
  call void @sea.check(i1 false, i32 1)
  ret void
zero:
  %z = {operation} i{width} %x, 0
  call void @sea.check(i1 false, i32 0)
  ret void
}}
"""
    executable = compiled(text, bits, place)
    assert native.run(executable, {0: (5,)}, LIMITS).ending is Ending.ENDED
    assert native.run(executable, {0: (1 << (width - 1),)}, LIMITS).ending is Ending.ENDED


DIVISIONS = [
    (100, 7),
    (-100, 7),
    (100, -7),
    (-(1 << 63), 3),
    ((1 << 63) - 1, 1 << 40),
    (5, 1 << 62),
]


@pytest.mark.parametrize(("left", "right"), DIVISIONS)
def test_wide_division_is_ours_and_right(left: int, right: int, bits: int, place: Path) -> None:
    width = 2 * bits
    mask = (1 << width) - 1
    quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
    text = f"""{SEA}
declare i{width} @sea.input.i{width}(i32)
define void @sea.main() {{
  %x = call i{width} @sea.input.i{width}(i32 0)
  %y = call i{width} @sea.input.i{width}(i32 1)
  %q = sdiv i{width} %x, %y
  %r = srem i{width} %x, %y
  %u = udiv i{width} %x, %y
  %v = urem i{width} %x, %y
  %1 = icmp eq i{width} %q, {quotient}
  %2 = icmp eq i{width} %r, {left - quotient * right}
  %3 = icmp eq i{width} %u, {(left & mask) // (right & mask)}
  %4 = icmp eq i{width} %v, {(left & mask) % (right & mask)}
  call void @sea.check(i1 %1, i32 1)
  call void @sea.check(i1 %2, i32 2)
  call void @sea.check(i1 %3, i32 3)
  call void @sea.check(i1 %4, i32 4)
  ret void
}}
"""
    outcome = native.run(compiled(text, bits, place), {0: (left,), 1: (right,)}, LIMITS)
    assert (outcome.ending, outcome.check) == (Ending.ENDED, None)


def test_128_bit_integers_and_floats_convert_exactly(runnable: dict[int, str], place: Path) -> None:
    if runnable[64]:
        pytest.skip(runnable[64])
    text = f"""{SEA}
declare i128 @sea.input.i128(i32)
define void @sea.main() {{
  %x = call i128 @sea.input.i128(i32 0)
  %f = sitofp i128 %x to double
  %1 = fcmp oeq double %f, {float((1 << 100) + (1 << 47) + 1)!r}
  call void @sea.check(i1 %1, i32 1)
  %y = fptosi double %f to i128
  %2 = icmp eq i128 %y, {int(float((1 << 100) + (1 << 47) + 1))}
  call void @sea.check(i1 %2, i32 2)
  ret void
}}
"""
    value = (1 << 100) + (1 << 47) + 1
    outcome = native.run(compiled(text, 64, place), {0: (value,)}, LIMITS)
    assert (outcome.ending, outcome.check) == (Ending.ENDED, None)


# --------------------------------------------------------------------------------------- inputs


@pytest.mark.parametrize("width", [1, 7, 8, 16, 24, 33, 64, 100, 128])
def test_inputs_of_any_width(width: int, bits: int, place: Path) -> None:
    value = (0x123456789ABCDEF0FEDCBA9876543211 & ((1 << width) - 1)) | 1
    text = f"""{SEA}
declare i{width} @sea.input.i{width}(i32)
define void @sea.main() {{
  %x = call i{width} @sea.input.i{width}(i32 0)
  %ok = icmp ne i{width} %x, {value}
  call void @sea.check(i1 %ok, i32 9)
  ret void
}}
"""
    outcome = native.run(compiled(text, bits, place), {0: (value | 1 << width,)}, LIMITS)
    assert outcome == Outcome(Ending.FAILED, 9, ((0, value),))


@pytest.mark.parametrize(
    ("kind", "fed", "literal"),
    [
        ("float", 0x3FC00000, "1.5"),
        ("double", 0x3FF8000000000000, "1.5"),
        ("x86_fp80", 0x3FFFC000000000000000, "0xK3FFFC000000000000000"),
    ],
)
def test_float_inputs_are_fed_as_bits(
    kind: str, fed: int, literal: str, bits: int, place: Path
) -> None:
    text = f"""{SEA}
declare {kind} @sea.input.{kind}(i32)
define void @sea.main() {{
  %x = call {kind} @sea.input.{kind}(i32 0)
  %ok = fcmp une {kind} %x, {literal}
  call void @sea.check(i1 %ok, i32 9)
  ret void
}}
"""
    outcome = native.run(compiled(text, bits, place), {0: (fed,)}, LIMITS)
    assert outcome == Outcome(Ending.FAILED, 9, ((0, fed),))


def test_havoc_reads_one_value_for_each_byte(bits: int, place: Path) -> None:
    text = f"""{SEA}
declare void @sea.havoc(ptr, i{bits}, i32)
define void @sea.main() {{
  %p = alloca [4 x i8], align 4
  call void @sea.havoc(ptr %p, i{bits} 3, i32 2)
  %x = load i16, ptr %p
  %ok = icmp ne i16 %x, 513
  call void @sea.check(i1 %ok, i32 1)
  ret void
}}
"""
    outcome = native.run(compiled(text, bits, place), {2: (1, 2, 3, 4)}, LIMITS)
    assert outcome == Outcome(Ending.FAILED, 1, ((2, 1), (2, 2), (2, 3)))


def test_pointer_inputs_are_null(bits: int, place: Path) -> None:
    text = f"""{SEA}
declare ptr @sea.input.ptr(i32)
define void @sea.main() {{
  %p = call ptr @sea.input.ptr(i32 0)
  %null = icmp eq ptr %p, null
  call void @sea.check(i1 %null, i32 1)
  ret void
}}
"""
    assert native.run(compiled(text, bits, place), {}, LIMITS).ending is Ending.ENDED


def test_a_drawn_run_is_repeated_by_its_feed(bits: int, place: Path) -> None:
    executable = compiled(SEA + COMPARE, bits, place)
    drawn = Drawn(0, dictionary(COMPARE))
    sampled = native.sample(executable, drawn, 40, Deadline.after(5), LIMITS)
    assert sampled.runs == len(sampled.outcomes) == 40
    for seed, outcome in enumerate(sampled.outcomes):
        assert native.run(executable, outcome.feed, LIMITS) == outcome
        assert native.run(executable, Drawn(seed, drawn.dictionary), LIMITS) == outcome


def test_a_drawn_run_that_reads_too_much_is_still_repeated(bits: int, place: Path) -> None:
    text = f"""{SEA}
declare void @sea.havoc(ptr, i{bits}, i32)
declare i32 @sea.input.i32(i32)
@memory = global [1000 x i8] zeroinitializer
define void @sea.main() {{
  call void @sea.havoc(ptr @memory, i{bits} 1000, i32 0)
  %x = call i32 @sea.input.i32(i32 1)
  %ok = icmp eq i32 %x, 0
  call void @sea.check(i1 %ok, i32 1)
  ret void
}}
"""
    executable = compiled(text, bits, place)
    few = RunLimits(seconds=0.3, reads=900)
    drawn = native.run(executable, Drawn(3), few)
    assert (drawn.ending, len(drawn.reads)) == (Ending.ENDED, 900)
    assert native.run(executable, drawn.feed, few) == drawn


def test_exploring_stops_at_the_first_failure(bits: int, place: Path) -> None:
    executable = compiled(SEA + COMPARE, bits, place)
    words = dictionary(COMPARE)
    found = native.explore(executable, Deadline.after(5), words=words, wanted=3)
    assert [outcome.ending for outcome in found[:-1]] == [Ending.ENDED] * (len(found) - 1)
    assert found[-1].ending is Ending.FAILED
    assert native.run(executable, found[-1].feed, LIMITS) == found[-1]
    assert len(found) <= 4


def test_given_values_come_before_drawn_ones_and_zero_sites_read_0(bits: int, place: Path) -> None:
    executable = compiled(SEA + COMPARE, bits, place)
    given = Drawn(3, given={3: (17,)})
    drawn = native.sample(executable, given, 20, Deadline.after(5), LIMITS).outcomes
    assert {outcome.reads[0] for outcome in drawn} == {(3, 17)}
    assert len({outcome.reads[1] for outcome in drawn}) > 5
    zero = Drawn(3, zero=frozenset({3}))
    drawn = native.sample(executable, zero, 20, Deadline.after(5), LIMITS).outcomes
    assert {outcome.reads for outcome in drawn} == {((3, 0), (3, 0))}


def test_a_long_run_gets_its_time(bits: int, place: Path) -> None:
    """Some 10^8 steps without inputs, which the unit of time for a run does not allow."""
    text = f"""{SEA}
define void @sea.main() {{
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %j, %loop ]
  %j = add i32 %i, 1
  %more = icmp ult i32 %j, 50000000
  br i1 %more, label %loop, label %done
done:
  call void @sea.check(i1 false, i32 1)
  ret void
}}
"""
    found = native.explore(compiled(text, bits, place), Deadline.after(8))
    assert [outcome.ending for outcome in found] == [Ending.FAILED]


def test_runs_that_do_not_end_have_little_time_together(bits: int, place: Path) -> None:
    text = f"{SEA}\ndefine void @sea.main() {{\n  br label %loop\nloop:\n  br label %loop\n}}\n"
    executable, long = compiled(text, bits, place), RunLimits(seconds=0.01)
    explored = native.exploration(
        executable, Drawn(0), Deadline.after(60), 9, long, long_seconds=0.03
    )
    assert explored.runs == 4  # 4 ms, then 10 ms each
    assert {outcome.ending for outcome in explored.outcomes} == {Ending.LIMIT}


def test_sites_of_undefined_shifts_are_known_by_kind_and_name() -> None:
    sites = [
        RawSite(1, SiteKind.EXTERN, "i32", "lshr", "", None),
        RawSite(2, SiteKind.EXTERN, "i32", "printf", "", None),
        RawSite(3, SiteKind.NONDET, "i32", "shl", "", None),
    ]
    assert undefined_shifts(sites) == {1}


def test_exploring_makes_many_runs_and_records_those_wanted(bits: int, place: Path) -> None:
    executable = compiled(READS, bits, place)
    explored = native.exploration(executable, Drawn(0), Deadline.after(1.0), wanted=2)
    assert explored.runs > 2
    assert [o.ending for o in explored.outcomes] == [Ending.ENDED, Ending.ENDED]


def test_exploring_makes_no_more_runs_than_it_may(bits: int, place: Path) -> None:
    executable = compiled(READS, bits, place)
    explored = native.exploration(executable, Drawn(0), Deadline.after(60), wanted=2, most=7)
    assert (explored.runs, len(explored.outcomes)) == (7, 2)


@pytest.mark.parametrize(
    ("body", "ending"),
    [
        ("ret void", Ending.ENDED),
        ("call void @sea.assume(i1 false)\n ret void", Ending.BLOCKED),
        ("call void @sea.check(i1 false, i32 5)\n ret void", Ending.FAILED),
        ("call void @sea.stop()\n ret void", Ending.ENDED),
    ],
)
def test_of_a_program_without_inputs_one_run_is_all(
    body: str, ending: Ending, bits: int, place: Path
) -> None:
    text = f"{SEA}\ndefine void @sea.main() {{\n{body}\n}}\n"
    explored = native.exploration(compiled(text, bits, place), Drawn(0), Deadline.after(60), 9)
    assert explored.runs == 1
    assert [outcome.ending for outcome in explored.outcomes] == [ending]


def test_a_run_that_reads_nothing_is_all_only_if_it_ended(bits: int, place: Path) -> None:
    """Of one that was timed out before its first input nobody knows how it goes on."""
    text = f"{SEA}\ndefine void @sea.main() {{\n  br label %loop\nloop:\n  br label %loop\n}}\n"
    executable, brief = compiled(text, bits, place), RunLimits(seconds=0.01)
    explored = native.exploration(executable, Drawn(0), Deadline.after(0.5), 9, brief)
    assert explored.runs > 1
    assert {outcome.ending for outcome in explored.outcomes} == {Ending.LIMIT}


def test_the_dictionary_has_constants_with_neighbours_most_frequent_first() -> None:
    text = (
        "define void @f1() {\n"
        "  %12 = icmp eq i32 %13, 42, !dbg !99\n"
        "  %a = add i32 %12, 42\n"
        "  %b = load i32, ptr %a, align 4\n"
        "  switch i32 %b, label %7 [\n    i32 -5, label %8\n  ]\n"
        "    #dbg_value(i32 1234, !1, !DIExpression(), !2)\n}\n"
    )
    words = dictionary(text)
    assert words[:2] == (42, -5 & MASK)
    assert set(words) == {n & MASK for n in (42, -5, 43, 41, -4, -6, -42, 5)}


# ----------------------------------------------------------------------------- what is refused


def test_externals_are_refused_by_name_before_linking() -> None:
    text = (
        "@environ = external global ptr, align 8\n"
        "declare i32 @system(ptr) #1\n"
        'declare void @"odd name"(ptr)\n'
        "declare ptr @malloc(i64)\n"
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n"
        "declare i32 @sea.input.i32(i32)\n"
    )
    assert refused(text) == "external environ, odd name, system"


def test_assembly_is_refused(place: Path) -> None:
    assert refused('define void @f() {\n  call void asm sideeffect "nop", ""()\n}') == "assembly"
    assert refused('module asm "nop"') == "assembly"
    string = '@s = constant [9 x i8] c"call asm "\ndefine void @sea.main() {\n  ret void\n}\n'
    compiled(string, 64, place)


def test_a_broken_text_is_refused_with_the_compilers_message(place: Path) -> None:
    built = build("define void @sea.main() {\n  nonsense\n}\n", 64, place, Deadline.after(30))
    assert isinstance(built, Refusal)
    assert "expected instruction opcode" in built.reason


def test_the_allow_list_is_what_the_run_time_defines(place: Path) -> None:
    calls = "".join(f"declare void @{name}()\n" for name in sorted(LIBRARY))
    body = "".join(f"  call void @{name}()\n" for name in sorted(LIBRARY))
    for width in (32, 64):
        compiled(f"{calls}define void @sea.main() {{\n{body}  ret void\n}}\n", width, place)


def test_a_programs_own_function_wins_over_the_librarys(bits: int, place: Path) -> None:
    body = (
        f"  %n = call i{bits} @strlen(ptr null)\n"
        f"  %ok = icmp ne i{bits} %n, 42\n"
        "  call void @sea.check(i1 %ok, i32 7)\n  ret void"
    )
    own = f"{SEA}define i{bits} @strlen(ptr %p) {{\n  ret i{bits} 42\n}}\n"
    assert outcome_of(body, bits, place, own).check == 7


# ----------------------------------------------------------------------------- what a run may do


def test_memory_is_bounded(bits: int, place: Path) -> None:
    body = (
        f"loop:\n  %p = call ptr @malloc(i{bits} 1000000)\n  store volatile i8 1, ptr %p\n"
        "  br label %loop"
    )
    declarations = f"{SEA}declare ptr @malloc(i{bits})\n"
    started = time.monotonic()
    body = f"  br label %loop\n{body}"
    assert outcome_of(body, bits, place, declarations).ending is Ending.LIMIT
    assert time.monotonic() - started < 5


def test_nothing_is_left_behind(bits: int, place: Path) -> None:
    body = "  br label %loop\nloop:\n  br label %loop"
    executable = compiled(f"define void @sea.main() {{\n{body}\n}}\n", bits, place)
    before = sorted(os.listdir("/proc/self/fd"))
    native.explore(executable, Deadline.after(0.2), limits=RunLimits(seconds=60, reads=10))
    assert sorted(os.listdir("/proc/self/fd")) == before
    until = time.monotonic() + 5  # what is killed does not end at once
    while (running := _running(executable.path)) and time.monotonic() < until:
        time.sleep(0.05)
    assert running == []


def _running(program: Path) -> list[Path]:
    return [
        path
        for path in Path("/proc").iterdir()
        if re.fullmatch(r"\d+", path.name) and _command_line(path) == os.fsencode(program)
    ]


def _command_line(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes().rstrip(b"\0")
    except OSError:
        return b""


def test_what_cannot_be_started_is_refused(place: Path) -> None:
    built = compiled("define void @sea.main() {\n  ret void\n}\n", 64, place)
    built.launcher.unlink()
    outcome = native.run(built, {}, LIMITS)
    assert outcome.ending is Ending.REFUSED
    assert "64-bit programs cannot be run here" in outcome.reason
