"""The language of RocketScience: reading, Horn rules, runs, and answers that are checked."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from click.testing import CliRunner

from seahorn_py.base.errors import InputError
from seahorn_py.cli.commands.rip import rip
from seahorn_py.engines.catalogue import named
from seahorn_py.engines.engine import Budget
from seahorn_py.horn.text.smtlib import print_horn
from seahorn_py.logic.terms import terms
from seahorn_py.options import EngineName
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer
from seahorn_py.rip import solving
from seahorn_py.rip.encoding import encode
from seahorn_py.rip.interpreter import End, Ended, Failed, StillRunning, run
from seahorn_py.rip.meaning import defined, value
from seahorn_py.rip.parsing import read
from seahorn_py.rip.solving import Solved, solve
from seahorn_py.rip.syntax import (
    Assert,
    Binary,
    Conditional,
    Expression,
    Literal,
    Name,
    Operator,
    Program,
    Type,
    Unary,
    Variable,
)

SWAP = Path(__file__).parent.parent.parent / "rip_examples" / "swap_safe.rip"

MC_CARTHY = (SWAP.parent / "mccarthy91_safe.rip").read_text()

INPUTS = """
int n; int r; bool b;
void main() { int q; if (q > 3 && n / 2 == 7) { b = q == 5; f(); assert(!b || r != 14); } }
void f() { int z; while (z < n) { z = z + 1; } r = z; }
"""


def solved(text: str, engine: EngineName, seconds: float = 200) -> Solved:
    deadline = Deadline.after(seconds)
    turns = named((engine,), 2, None)
    return solve(read(text, "a.rip"), turns, deadline, Budget(deadline.share(0.75)))


def ends(text: str, *initial: dict[str, int | bool], steps: int = 1000) -> End:
    return run(read(text, "a.rip"), initial, steps)


# ---------------------------------------------------------------------------------------- reading


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("int x;\nvoid main() { x = ; }", "a.rip:2: unexpected ';'"),
        ("int x;\n\nvoid main() { x = true; }", "a.rip:3: int is expected here, not bool"),
        ("void main() { if (1) { } }", "a.rip:1: bool is expected here, not int"),
        ("void main() {\n", "a.rip:2: the text ends too early"),
        ("void main() { @ }", "a.rip:1: unexpected character '@'"),
        ("void main() {\n x = 1; }", "a.rip:2: no variable x"),
        ("void main() { f(); }", "a.rip:1: no function f"),
        ("int x;\nvoid main() { bool x; }", "a.rip:2: x shadows a global"),
        ("int x;\nint x;\nvoid main() { }", "a.rip:2: x is declared twice"),
        (
            "int x;\nvoid main() { x, x = 1, 2; }",
            "a.rip:2: a variable is assigned to twice at once",
        ),
        ("int x;\nvoid main() { x = 1, 2; }", "a.rip:2: 2 values for 1 variables"),
        ("void f() { }", "a.rip: no function main, in which a run would start"),
        ("void main() { }\nvoid main() { }", "a.rip:2: a second function main"),
        ("int x;\nvoid main() { x = " + "-" * 500 + "1; }", "a.rip:2: nested more than 200 deep"),
        ("int x;\nvoid main() { x = " + "9" * 5000 + "; }", "a.rip:2: a number of more than"),
    ],
)
def test_errors_name_the_line(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(text, "a.rip")
    assert message in str(caught.value)


def test_precedence_is_that_of_c() -> None:
    program = read(
        "void main() { assert(!true || 1 + 2 * 3 - 4 < 5 && -1 == 2 ? true : false); }", "a"
    )
    (statement,) = program.functions[0].body
    assert isinstance(statement, Assert)
    choice = statement.condition
    assert isinstance(choice, Conditional)
    condition = choice.condition
    assert isinstance(condition, Binary)
    assert condition.operator is Operator.OR
    assert isinstance(condition.right, Binary)
    assert condition.right.operator is Operator.AND


def test_long_sums_do_not_nest() -> None:
    """Four hundred terms, and as many conjuncts."""
    text = f"int x; void main() {{ x = x{' + 1 - 3' * 200}; assert({'x != 5 && ' * 400}x < 9); }}"
    assert ends(text, {"x": 408}) == Ended()
    assert ends(text, {"x": 409}) == Failed(1)
    assert len(encode(read(text, "a.rip")).rules) == 6
    deep = "(" * 201 + "1" + " - 1)" * 201
    read(f"int x; void main() {{ x = {deep}; }}", "a.rip")
    with pytest.raises(InputError, match="nested more than 200 deep"):
        read(f"int x; void main() {{ x = {'1 - (' * 201}1{')' * 201}; }}", "a.rip")


def test_names_may_begin_like_words_of_the_language() -> None:
    read(
        "int intx; bool truey; void main() { intx = 1; truey = intx == 1; // int\n /* 1\n */ }", "a"
    )


# ------------------------------------------------------------------------------------------- runs


def test_a_run_assigns_in_parallel_and_calls() -> None:
    assert ends(
        "int x; int y; void main() { x, y = 1, 2; x, y = y, x; assert(x == 2 && y == 1); }"
    ) == (Ended())
    assert ends(
        "int x;\nvoid main() { x = 3; f();\nassert(x != 4); }\nvoid f() { x = x + 1; }"
    ) == (Failed(3))


def test_a_run_ends_at_an_assumption_and_a_division_by_zero() -> None:
    assert ends("void main() { assume(false); assert(false); }") == Ended()
    assert ends("int x; void main() { x = 1 / x; assert(false); }", {"x": 0}) == Ended()
    assert ends("int x; void main() { assert(x == 0 || 1 / x == 5); }", {"x": 0}) == Ended()


def test_a_run_may_be_given_up() -> None:
    assert ends("void main() { while (true) { } }") == StillRunning()
    assert ends("void main() { main(); }") == StillRunning()


def test_locals_are_those_of_an_activation() -> None:
    text = "int g; void main() { int a; a = 1; f(); assert(a == 1); } void f() { int a; a = 7; }"
    assert ends(text, {}, {}, {"a": 5}) == Ended()


def random_expression(rng: random.Random, wanted: Type, depth: int) -> Expression:
    if depth == 0:
        names = {Type.INT: ["x", "y"], Type.BOOL: ["b"]}[wanted]
        constant: int | bool = rng.randrange(4) if wanted is Type.INT else rng.random() < 0.5
        return rng.choice([Name(1, rng.choice(names)), Literal(1, constant)])
    if rng.random() < 0.15:
        inner = [random_expression(rng, t, depth - 1) for t in (Type.BOOL, wanted, wanted)]
        return Conditional(1, *inner)
    if rng.random() < 0.15:
        operator = Operator.SUBTRACT if wanted is Type.INT else Operator.NOT
        return Unary(1, operator, random_expression(rng, wanted, depth - 1))
    operators = {
        Type.INT: [Operator.ADD, Operator.SUBTRACT, Operator.MULTIPLY, Operator.DIVIDE],
        Type.BOOL: [
            o for o in Operator if o.value in ("&&", "||", "==", "!=", "<", "<=", ">", ">=")
        ],
    }[wanted]
    operator = rng.choice(operators)
    is_connective = operator in (Operator.AND, Operator.OR)
    below = Type.BOOL if is_connective else Type.INT
    return Binary(1, operator, *(random_expression(rng, below, depth - 1) for _ in range(2)))


def test_terms_mean_what_the_interpreter_computes() -> None:
    rng = random.Random(7)
    variables = (
        Variable(1, Type.INT, "x"),
        Variable(1, Type.INT, "y"),
        Variable(1, Type.BOOL, "b"),
    )
    main = read("void main() { }", "a").functions[0]
    for _ in range(400):
        expression = random_expression(rng, Type.BOOL, 3)
        given: dict[str, int | bool] = {
            "x": rng.randrange(-6, 7),
            "y": rng.randrange(-3, 4),
            "b": True,
        }
        known = {
            name: terms.bool_const(v) if isinstance(v, bool) else terms.int_const(v)
            for name, v in given.items()
        }
        is_defined = defined(expression, known) is terms.TRUE
        holds = value(expression, known) is terms.TRUE
        body = (Assert(1, expression), Assert(2, Literal(2, False)))
        function = type(main)(1, "main", (), body)
        end = run(Program("a", variables, (function,)), [given])
        expected = Ended() if not is_defined else Failed(2) if holds else Failed(1)
        assert end == expected, expression


# ---------------------------------------------------------------------------------------- answers


def test_the_program_of_the_paper_as_horn_rules() -> None:
    text = print_horn(encode(read(SWAP.read_text(), "swap.rip")))
    assert text.count("(assert") == 13
    assert "(declare-fun swap.exit (Int Int Int Int) Bool)" in text


def test_safe_programs_are_proved() -> None:
    assert solved(SWAP.read_text(), EngineName.SPACER).answer is Answer.SAFE
    assert solved(MC_CARTHY, EngineName.SPACER).answer is Answer.SAFE


def test_a_violation_comes_with_the_values_of_each_activation() -> None:
    found = solved(INPUTS, EngineName.BMC)
    assert found.answer is Answer.UNSAFE
    assert found.line == 3
    globals_, first, second = found.initial
    assert globals_["n"] in (14, 15)
    assert first == {"q": 5}
    assert second["z"] <= 14
    assert run(read(INPUTS, "a.rip"), found.initial) == Failed(3)


def test_a_proof_that_a_run_contradicts_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the encoder had lost the assertion."""
    harmless = encode(read("void main() { assert(1 == 1); }", "a.rip"))
    monkeypatch.setattr(solving, "encode", lambda _: harmless)
    found = solved("int x; void main() { assert(x != 1); }", EngineName.SPACER)
    assert found.answer is Answer.UNKNOWN
    assert "a run violates" in found.reason


@pytest.mark.full
def test_a_violation_in_a_recursion() -> None:
    found = solved(MC_CARTHY.replace("== 91", "!= 91"), EngineName.SPACER)
    assert found.answer is Answer.UNSAFE
    assert found.line == 8


def test_the_command(tmp_path: Path) -> None:
    file = tmp_path / "inputs.rip"
    file.write_text("int x;\nvoid main() {\n    assert(x != 7);\n}\n")
    done = CliRunner().invoke(rip, [str(file), "--engine", "bmc"])
    assert done.exit_code == 1
    assert done.output.splitlines() == [
        "globals: x = 7",
        f"unsafe: {file}:3: the assertion fails; a run that the interpreter confirms",
        "sat",
    ]
    assert CliRunner().invoke(rip, [str(tmp_path / "none.rip")]).exit_code == 2
    refused = CliRunner().invoke(rip, [str(file), "--engine", "execute"])
    assert refused.exit_code == 2
    assert "for C programs" in refused.output
    assert "(set-logic HORN)" in CliRunner().invoke(rip, [str(file), "--smt"]).output
