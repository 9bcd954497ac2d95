"""Programs whose runs do not depend on memory: every access is to an object by its name."""

from __future__ import annotations

import pytest
from programs import (
    END,
    I8,
    I32,
    I64,
    Address,
    Alloca,
    Call,
    Compare,
    Global,
    Load,
    Predicate,
    Statement,
    Store,
    bit,
    block,
    const,
    function,
    program,
    ptr,
    reg,
)

from seahorn_py.evidence.runs.addressing import by_name_only

NUMBER = Global("number", 8, 8, False, ((0, const(1, I64)),))
CONSTANT = Global("constant", 4, 4, True, ((0, const(1, I32)),))
POINTER = Global("pointer", 8, 8, False, ((0, Address("number")),))


def by_name(*statements: Statement, objects: tuple[Global, ...] = (NUMBER, CONSTANT)) -> bool:
    main = function("main", block("entry", *statements, END))
    return by_name_only(program(main, globals_=objects))


def test_names_and_known_offsets() -> None:
    assert by_name(
        Load(reg("x", I64), Address("number")),
        Load(reg("y", I8), Address("number", 7)),
        Load(reg("z", I32), Address("constant")),
        Store(reg("z", I32), Address("number", 4)),
    )


@pytest.mark.parametrize(
    "statement",
    [
        Load(reg("x", I32), ptr("p")),
        Load(reg("x", I64), Address("number", 1)),
        Load(reg("x", I8), Address("number", -1)),
        Load(reg("x", I8), Address(None)),
        Load(ptr("p"), Address("number")),
        Store(const(1, I32), Address("constant")),
        Store(Address("number"), Address("number")),
        Alloca(ptr("p"), const(4, I64), 4),
        Call((), "unknown", ()),
        Compare(bit("b"), Predicate.EQ, Address("number"), Address("constant")),
    ],
    ids=str,
)
def test_what_depends_on_memory(statement: Statement) -> None:
    assert not by_name(statement)


def test_an_address_in_memory() -> None:
    assert not by_name(Load(reg("x", I64), Address("pointer")), objects=(NUMBER, POINTER))
