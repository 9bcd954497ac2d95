"""What is large or deep costs no more than its text: runs of bytes, levels of types, long lines."""

import random
import struct
from pathlib import Path

import pytest
from programs import add, bit, block, check, compare, const, function, program, read, reg

from seahorn_py.base.errors import InputError
from seahorn_py.bench.tasks.lists import read_list
from seahorn_py.bench.tasks.task import MAX_BROKEN, Problem
from seahorn_py.encode.encoder import encode
from seahorn_py.encode.encoding import Arithmetic, EncodeOptions
from seahorn_py.frontend.llvmtext.layout import Types, data_layout
from seahorn_py.frontend.llvmtext.tokens import Cursor
from seahorn_py.frontend.reading.literals import RUN
from seahorn_py.frontend.reading.reader import read_text
from seahorn_py.horn.text.wire import system_to_text
from seahorn_py.ir.memory import image
from seahorn_py.ir.printer import print_program
from seahorn_py.ir.program import (
    Address,
    Branch,
    Bytes,
    Fail,
    Global,
    IntConst,
    Predicate,
    Program,
    Register,
    Return,
    Statement,
)
from seahorn_py.ir.types import FloatKind, FloatType, IntType
from seahorn_py.ir.verifier import verify
from seahorn_py.passes.promotion.constants import initial_value, overlapping
from seahorn_py.passes.simplify.deadcode import drop_dead_code

LAYOUT = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"


def read_object(definition: str, *others: str) -> Global:
    """The global `g` with this type and initial value."""
    text = "\n".join(
        [
            f'target datalayout = "{LAYOUT}"',
            *others,
            f"@g = internal global {definition}",
            "define void @f() {",
            "  store ptr @g, ptr null",
            "  ret void",
            "}",
        ]
    )
    program = read_text(text, entry="f")
    assert [e for e in verify(program) if "@g" in e] == []
    return program.globals["g"]


def contents(found: Global) -> bytes:
    data = image(found, {}, 64)
    assert data is not None
    return data.ljust(found.size, b"\0")


# --------------------------------------------------------------------------------- runs of bytes


def escaped(data: bytes) -> str:
    r"""As LLVM prints a string: what is odd as `\22`, a backslash doubled."""
    return "".join(
        "\\\\" if c == 0x5C else chr(c) if 32 <= c < 127 and c != 0x22 else f"\\{c:02X}"
        for c in data
    )


@pytest.mark.parametrize("count", [5, RUN - 1, RUN, 20_000])
def test_a_string_is_its_bytes(count: int) -> None:
    data = random.Random(count).randbytes(count)
    found = read_object(f'[{count} x i8] c"{escaped(data)}"')
    assert contents(found) == data
    assert count < RUN or found.leaves == ((0, Bytes(data)),)


@pytest.mark.parametrize("count", [3, RUN - 1, RUN, 20_000])
@pytest.mark.parametrize(("kind", "code"), [("i8", "b"), ("i16", "h"), ("i32", "i"), ("i64", "q")])
def test_an_array_of_integers_is_its_bytes(kind: str, code: str, count: int) -> None:
    draw = random.Random(count)
    top = 1 << 8 * struct.calcsize(code) - 1
    numbers = [draw.choice((0, -top, top - 1, draw.randrange(-top, top))) for _ in range(count)]
    text = ", ".join(f"{kind} {n}" for n in numbers)
    found = read_object(f"[{count} x {kind}] [{text}]")
    assert contents(found) == struct.pack(f"<{count}{code}", *numbers)
    assert count < RUN or len(found.leaves) == 1


def test_an_array_of_floats_is_its_bytes() -> None:
    values = [k / 4 for k in range(RUN)]
    text = ", ".join(f"double {v:.6e}" for v in values)
    found = read_object(f"[{RUN} x double] [{text}]")
    assert found.leaves == ((0, Bytes(struct.pack(f"<{RUN}d", *values))),)


def test_what_is_no_plain_number_is_read_one_by_one() -> None:
    bits = ", ".join(f"i1 {'true' if k % 3 else 'false'}" for k in range(RUN))
    assert contents(read_object(f"[{RUN} x i1] [{bits}]")) == bytes(bool(k % 3) for k in range(RUN))
    some = ", ".join("i32 undef" if k % 5 == 0 else f"i32 {k}" for k in range(RUN))
    found = struct.unpack(f"<{RUN}i", contents(read_object(f"[{RUN} x i32] [{some}]")))
    assert found == tuple(k if k % 5 else 0 for k in range(RUN))


def test_a_table_of_structs_is_runs_between_its_addresses() -> None:
    entries = [f"%e {{ i32 {k}, i64 {-k} }}" for k in range(RUN)]
    table = read_object(f"[{RUN} x %e] [{', '.join(entries)}]", "%e = type { i32, i64 }")
    assert [type(leaf) for _, leaf in table.leaves] == [Bytes]
    assert contents(table) == b"".join(struct.pack("<ixxxxq", k, -k) for k in range(RUN))
    pointers = [f"%p {{ i32 {k + 1}, ptr @g }}" for k in range(RUN)]
    mixed = read_object(f"[{RUN} x %p] [{', '.join(pointers)}]", "%p = type { i32, ptr }")
    assert [(at, type(leaf)) for at, leaf in mixed.leaves] == [
        (16 * k + 8 * i, kind) for k in range(RUN) for i, kind in enumerate((Bytes, Address))
    ]


def test_a_run_reads_as_the_scalars_it_stands_for() -> None:
    draw = random.Random(7)
    for _ in range(300):
        data = bytes(draw.choice((0, 255, draw.randrange(256))) for _ in range(24))
        cut = draw.randrange(25)
        runs = ((4, Bytes(data[:cut])), (4 + cut, Bytes(data[cut:])))
        kept = tuple((at, run) for at, run in runs if run.data)
        singles = tuple((4 + k, IntConst(c, IntType(8))) for k, c in enumerate(data))
        size = draw.choice((1, 2, 4, 8))
        offset = draw.randrange(32 - size)
        for kind in (IntType(8 * size), FloatType(FloatKind.SINGLE)):
            with_runs = initial_value(Global("g", 32, 8, True, kept), offset, size, kind)
            assert with_runs == initial_value(Global("g", 32, 8, True, singles), offset, size, kind)


def test_a_run_is_found_from_its_middle() -> None:
    found = Global("g", 5000, 8, True, ((0, Bytes(bytes(4096))), (4096, Address("h"))))
    assert [at for at, _ in overlapping(found, 2000, 4)] == [0]
    assert [at for at, _ in overlapping(found, 4090, 8)] == [0, 4096]
    assert [at for at, _ in overlapping(found, 4800, 8)] == []


def test_the_text_of_a_program_shows_the_beginning_of_a_run() -> None:
    text = f'@g = internal global [{RUN} x i8] c"{"ab" * (RUN // 2)}"\n'
    text += "define void @f() {\n  store ptr @g, ptr null\n  ret void\n}\n"
    program = read_text(f'target datalayout = "{LAYOUT}"\n{text}', entry="f")
    assert f"{{0: {RUN} bytes {'6162' * 32}...}}" in print_program(program)


# ------------------------------------------------------------------------------- levels of types


def levels(count: int, shape: str) -> dict[str, str]:
    return {"s0": "{ i32, i32, i32, i32 }"} | {
        f"s{k}": shape.replace("T", f"%s{k - 1}") for k in range(1, count)
    }


@pytest.mark.parametrize(
    "shape", ["{ T, T, T, T }", "[4 x T]", "<{ T, T, T, T }>", "{ [2 x T], { T, T } }"]
)
def test_the_size_of_a_type_costs_its_levels_and_not_its_members(shape: str) -> None:
    types = Types(data_layout(LAYOUT), levels(30, shape))
    kind = types.read(Cursor.of("%s29"))
    assert types.size(kind) == 4**31
    assert types.count(kind) == 4**30


def test_equal_types_are_one_object() -> None:
    types = Types(data_layout(LAYOUT), {})
    text = "{ i32, [3 x { i8, ptr }], <{ i64 }> }"
    assert types.read(Cursor.of(text)) is types.read(Cursor.of(text))
    assert types.read(Cursor.of("{ i8 }")) is not types.read(Cursor.of("<{ i8 }>"))


def test_types_may_be_as_deep_as_they_are_named() -> None:
    chain = {f"s{k}": f"{{ %s{k - 1} }}" for k in range(1, 20_000)} | {"s0": "{ i32 }"}
    lines = [f"%{name} = type {text}" for name, text in chain.items()]
    assert read_object("%s19999 zeroinitializer", *lines).size == 4


def test_a_type_that_contains_itself_is_refused() -> None:
    with pytest.raises(InputError, match="contains itself"):
        read_object("%s zeroinitializer", "%s = type { [2 x %t] }", "%t = type { %s }")


# ------------------------------------------------------------------------------ lists and blocks


def test_a_list_of_what_is_no_task_is_given_up(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"file": [\n' * (MAX_BROKEN + 500))
    found = list(read_list(file, None))
    assert len(found) == MAX_BROKEN + 1
    assert isinstance(found[-1], Problem) and "not read from here on" in found[-1].text


TAIL = (block("fail", Fail(check())), block("end", Return(())))


def failing_if(value: Register) -> tuple[Statement | Branch, ...]:
    return compare("bad", Predicate.EQ, value, const(9)), Branch(bit("bad"), "fail", "end")


def straight(count: int) -> Program:
    """So many additions in one block, none of which is known not to wrap."""
    values = [reg(f"x{k}") for k in range(count + 1)]
    sums = [add(f"x{k + 1}", values[k], values[k]) for k in range(count)]
    start = block("e", read("x0", 1), *sums, *failing_if(values[-1]))
    return program(function("main", start, *TAIL))


def test_the_obligations_of_a_long_block_are_written_out() -> None:
    def size(count: int) -> int:
        system = encode(straight(count), EncodeOptions(Arithmetic.INT), None).system
        return len(system_to_text(system))

    assert size(2000) < 5 * size(500)


def test_inputs_of_one_site_stay_or_go_together() -> None:
    reads = [read(f"x{k}", 1) for k in range(20_000)]
    alone = read("y", 2)
    start = block("e", *reads, alone, *failing_if(reg("x7")))
    kept = drop_dead_code(function("main", start, *TAIL))
    assert kept.blocks[0].statements[:-1] == tuple(reads)
    unused = block("e", *reads, alone, *failing_if(alone.result))
    assert len(drop_dead_code(function("main", unused, *TAIL)).blocks[0].statements) == 2
