from programs import (
    END,
    FAIL,
    I64,
    NULL,
    Address,
    Binary,
    BinaryOp,
    Bind,
    Branch,
    Call,
    Cast,
    CastOp,
    Global,
    Jump,
    Load,
    Offset,
    Predicate,
    Program,
    Return,
    Select,
    Store,
    add,
    binary,
    bit,
    block,
    compare,
    const,
    endings,
    function,
    phi,
    program,
    ptr,
    read,
    reg,
    variable,
)

from seahorn_py.ir.printer import print_function
from seahorn_py.ir.types import BOOL
from seahorn_py.ir.verifier import verify
from seahorn_py.passes.pointsto.devirtualise import devirtualise
from seahorn_py.passes.simplify.simplify import simplify
from seahorn_py.passes.slicing.cannot_fail import end_where_nothing_fails
from seahorn_py.passes.slicing.slicing import slice_program

TAIL = (block("fail", FAIL), block("end", Return(())))


def text(result: Program, name: str = "main") -> str:
    assert verify(result) == ()
    return print_function(result.functions[name])


def agree(before: Program, after: Program) -> bool:
    runs = endings(before, after, seed=2, runs=40)
    return bool(runs) and all(a == b for a, b in runs)


def test_constants_identities_and_copies_disappear() -> None:
    main = function(
        "main",
        block(
            "e",
            read("x", 1),
            add("a", const(0), reg("x")),
            binary("b", BinaryOp.MUL, reg("a"), const(1)),
            add("two", const(1), const(1)),
            compare("c", Predicate.EQ, reg("b"), reg("two")),
            Cast(reg("z"), CastOp.ZEXT, bit("c")),
            compare("d", Predicate.NE, reg("z"), const(0)),
            Select(bit("s"), bit("d"), const(1, BOOL), const(0, BOOL)),
            Branch(bit("s"), "fail", "end"),
        ),
        *TAIL,
    )
    after = simplify(program(main))
    kept = (
        read("x", 1),
        compare("c", Predicate.EQ, reg("x"), const(2)),
    )
    assert after.functions["main"].blocks[0].statements == kept
    assert agree(program(main), after)


def test_a_division_stays_unless_its_divisor_is_a_good_constant() -> None:
    main = function(
        "main",
        block(
            "e",
            read("x", 1),
            read("y", 2),
            binary("kept", BinaryOp.SDIV, reg("x"), reg("y")),
            binary("gone", BinaryOp.SDIV, reg("x"), const(3)),
            binary("kept2", BinaryOp.SREM, reg("x"), const(-1)),
            Return(()),
        ),
    )
    statements = simplify(program(main)).functions["main"].blocks[0].statements
    assert [s.result.name for s in statements if isinstance(s, Binary)] == ["kept", "kept2"]


def test_dead_loops_of_phis_go_and_bindings_say_unknown() -> None:
    main = function(
        "main",
        block("e", read("n", 1), Jump("h")),
        block(
            "h",
            phi("i", ("e", const(0)), ("b", reg("j"))),
            phi("s", ("e", const(0)), ("b", reg("t"))),
            Bind(variable("s"), reg("s")),
            compare("c", Predicate.ULT, reg("i"), reg("n")),
            Branch(bit("c"), "b", "end"),
        ),
        block("b", add("j", reg("i"), const(1)), add("t", reg("s"), reg("i")), Jump("h")),
        block("end", Return(())),
    )
    head = simplify(program(main)).functions["main"].blocks[1]
    assert [p.result.name for p in head.phis] == ["i"]
    assert head.statements[0] == Bind(variable("s"), None)


def test_an_infinite_loop_stays() -> None:
    main = function(
        "main",
        block("e", read("x", 1), compare("c", Predicate.EQ, reg("x"), const(1)), Jump("l")),
        block("l", Branch(bit("c"), "l", "fail")),
        block("fail", FAIL),
    )
    after = slice_program(program(main))
    assert "l" in [b.label for b in after.functions["main"].blocks]


def test_where_nothing_can_fail_any_more_the_run_ends() -> None:
    main = function(
        "main",
        block(
            "e",
            read("x", 1),
            compare("c", Predicate.EQ, reg("x"), const(1)),
            Branch(bit("c"), "fail", "loop"),
        ),
        block("fail", FAIL),
        block("loop", read("y", 2), Jump("loop")),
    )
    after = end_where_nothing_fails(program(main))
    assert after.functions["main"].blocks[2] == block("loop", END)


def test_a_return_matters_only_if_a_caller_may_fail_afterwards() -> None:
    leaf = function(
        "leaf", block("e", Return((reg("x"),))), parameters=(reg("x"),), results=(reg("x").type,)
    )
    main = function(
        "main",
        block(
            "e",
            read("a", 1),
            Call((reg("b"),), "leaf", (reg("a"),)),
            compare("c", Predicate.EQ, reg("b"), const(3)),
            Branch(bit("c"), "fail", "late"),
        ),
        block("fail", FAIL),
        block("late", Call((reg("d"),), "leaf", (reg("b"),)), Return(())),
    )
    after = end_where_nothing_fails(program(main, leaf))
    assert isinstance(after.functions["leaf"].blocks[0].terminator, Return)
    assert after.functions["main"].blocks[2] == block("late", END)


def test_parameters_and_results_that_nobody_needs_are_dropped() -> None:
    both = function(
        "both",
        block("e", compare("z", Predicate.EQ, reg("x"), const(77)), Branch(bit("z"), "fail", "r")),
        block("fail", FAIL),
        block(
            "r",
            add("s", reg("x"), const(1)),
            add("t", reg("y"), const(1)),
            Return((reg("s"), reg("t"))),
        ),
        parameters=(reg("x"), reg("y")),
        results=(reg("x").type, reg("x").type),
    )
    main = function(
        "main",
        block(
            "e",
            read("a", 1),
            read("b", 2),
            Call((reg("c"), reg("d")), "both", (reg("a"), reg("b"))),
            compare("q", Predicate.EQ, reg("c"), const(5)),
            Branch(bit("q"), "fail2", "end"),
        ),
        block("fail2", FAIL),
        block("end", Return(())),
    )
    before = program(main, both)
    before.functions["main"].blocks[1]
    after = slice_program(before)
    callee = after.functions["both"]
    assert callee.parameters == (reg("x"),)
    assert len(callee.results) == 1
    assert "%b" not in print_function(after.functions["main"])


def test_calls_that_only_compute_what_nobody_needs_go() -> None:
    pure = function(
        "pure",
        block("e", add("s", reg("x"), const(1)), Return((reg("s"),))),
        parameters=(reg("x"),),
        results=(reg("x").type,),
    )
    main = function(
        "main",
        block(
            "e",
            read("a", 1),
            Call((reg("c"),), "pure", (reg("a"),)),
            compare("q", Predicate.EQ, reg("a"), const(5)),
            Branch(bit("q"), "fail", "end"),
        ),
        *TAIL,
    )
    after = slice_program(program(main, pure))
    assert set(after.functions) == {"main"}
    assert agree(program(main, pure), after)


def test_unmodelled_memory_stays_while_a_load_of_it_matters() -> None:
    table = Global("table", 4000, 4, False, ())

    def main(value: str) -> Program:
        return program(
            function(
                "main",
                block(
                    "e",
                    read("i", 1, I64),
                    read("x", 2),
                    binary("k", BinaryOp.AND, reg("i", I64), const(7, I64)),
                    Offset(ptr("p"), Address("table"), 0, ((reg("k", I64), 4),)),
                    Store(reg("x"), ptr("p")),
                    Load(reg("v"), ptr("p")),
                    compare("q", Predicate.EQ, reg(value), const(5)),
                    Branch(bit("q"), "fail", "end"),
                ),
                *TAIL,
            ),
            globals_=(table,),
        )

    assert "store" in text(slice_program(main("v")))
    assert "store" not in text(slice_program(main("x")))
    assert agree(main("v"), slice_program(main("v")))


def functions_by_pointer(*choice: object) -> Program:
    one = function("one", block("e", Return((const(1),))), results=(reg("x").type,))
    two = function("two", block("e", Return((const(2),))), results=(reg("x").type,))
    main = function(
        "main",
        block(
            "e",
            read("a", 1),
            compare("c", Predicate.SLT, reg("a"), const(4)),
            *choice,
            Call((reg("v"),), ptr("f"), ()),
            compare("q", Predicate.EQ, reg("v"), const(2)),
            Branch(bit("q"), "fail", "end"),
        ),  # type: ignore[arg-type]
        *TAIL,
    )
    pointer = Global("pointer", 8, 8, False, ((0, Address("two")),))
    table = Global("table", 16, 8, True, ((0, Address("one")), (8, Address("two"))))
    return program(main, one, two, globals_=(pointer, table))


def test_a_choice_of_two_functions_is_a_branch() -> None:
    before = functions_by_pointer(Select(ptr("f"), bit("c"), Address("one"), Address("two")))
    after = devirtualise(before)
    assert "branch %c ? e.one : " in text(after)
    assert agree(before, after)


def test_a_constant_table_of_functions_gives_its_functions() -> None:
    index = binary("k", BinaryOp.AND, reg("a"), const(1))
    before = functions_by_pointer(
        index, Offset(ptr("p"), Address("table"), 0, ((reg("k"), 8),)), Load(ptr("f"), ptr("p"))
    )
    after = devirtualise(before)
    assert {"call i32 one()", "call i32 two()"} <= {
        line.split(" = ")[-1].strip() for line in text(after).splitlines()
    }
    assert agree(before, after)


def test_an_unknown_pointer_may_be_any_function_of_its_type() -> None:
    before = functions_by_pointer(Load(ptr("f"), Address("pointer")))
    after = devirtualise(before)
    assert after.assumptions == (
        "a function is called only through pointers of its own type",
        "what is called through a pointer is a function",
    )
    assert agree(before, after)


def test_null_is_no_function() -> None:
    before = functions_by_pointer(Select(ptr("f"), bit("c"), NULL, Address("two")))
    assert agree(before, devirtualise(before))
