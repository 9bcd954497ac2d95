"""C names of the values at a cut point."""

from __future__ import annotations

from programs import (
    FAIL,
    Bind,
    Branch,
    Jump,
    Predicate,
    Program,
    Return,
    Scope,
    Variable,
    add,
    bit,
    block,
    compare,
    const,
    function,
    phi,
    program,
    read,
    reg,
)

from seahorn_py.base.errors import Origin, Span
from seahorn_py.encode.encoder import encode
from seahorn_py.encode.names import names_at, symbol
from seahorn_py.horn.system import Parameter
from seahorn_py.logic.terms import terms


def local(name: str, line: int, of: str = "main") -> Variable:
    return Variable(name, "int", True, Scope.LOCAL, Span("f.c", line, 1, of))


def looping(*records: Bind) -> Program:
    """Two values, a and b, of which a steps in a loop; the records stand before the loop."""
    return program(
        function(
            "main",
            block("start", read("a", 1), read("b", 2), *records, Jump("loop")),
            block(
                "loop",
                phi("x", ("start", reg("a")), ("body", reg("y"))),
                compare("go", Predicate.SLT, reg("x"), reg("b")),
                Branch(bit("go"), "body", "after"),
            ),
            block("body", add("y", reg("x"), const(1)), Jump("loop")),
            block(
                "after",
                compare("c", Predicate.EQ, reg("x"), reg("a")),
                Branch(bit("c"), "bad", "good"),
            ),
            block("good", Return(())),
            block("bad", FAIL),
        )
    )


def parameters(made: Program) -> dict[str, Parameter]:
    encoding = encode(made)
    registers = encoding.cuts["main.loop"].registers
    found = encoding.system.relations["main.loop"].parameters
    return {r.name: p for r, p in zip(registers, found, strict=True)}


def test_the_last_record_names_the_value() -> None:
    v, w = local("v", 1), local("w", 2)
    found = parameters(looping(Bind(v, reg("a")), Bind(w, reg("b")), Bind(v, reg("b"))))
    assert (found["a"].c_name, found["b"].c_name) == (None, "v")


def test_a_shadowed_variable_has_a_number() -> None:
    outer, inner = local("v", 1), local("v", 5)
    found = parameters(looping(Bind(outer, reg("a")), Bind(inner, reg("b"))))
    assert (str(found["a"].symbol), str(found["b"].symbol)) == ("main.v", "main.v!2")
    assert found["a"].c_name == found["b"].c_name == "v"


def test_a_variable_without_a_value_names_nothing() -> None:
    v = local("v", 1)
    found = parameters(looping(Bind(v, reg("a")), Bind(v, None)))
    assert found["a"].c_name is None


def test_a_record_that_does_not_dominate_names_nothing() -> None:
    made = looping(Bind(local("v", 1), reg("a")))
    main = made.functions["main"]
    assert list(names_at(main, ["loop", "good"])["loop"]) == [reg("a")]
    moved = looping()
    blocks = list(moved.functions["main"].blocks)
    after = blocks[2]
    blocks[2] = block(
        after.label, *after.statements, Bind(local("v", 1), reg("a")), after.terminator
    )
    assert names_at(function("main", *blocks), ["loop"])["loop"] == {}


def test_an_inlined_variable_keeps_its_function_and_chain() -> None:
    call = Span("f.c", 9, 2, "main")
    origin = Origin((Span("f.c", 3, 1, "helper"), call))
    found = parameters(looping(Bind(local("v", 3, "helper"), reg("a"), origin)))["a"]
    assert (str(found.symbol), found.scope, found.inlined_at) == ("helper.v", "helper", (call,))


def test_names_of_different_sorts_differ() -> None:
    sorts = (terms.INT, terms.BOOL, terms.bv_sort(8), terms.bv_sort(32))
    assert len({str(symbol("f.x", sort)) for sort in sorts}) == 4
