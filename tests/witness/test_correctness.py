"""Correctness witnesses: formulas as C expressions, invariants at the places where they hold."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from programs import I32, add, block, const, function, phi, reg, variable

from seahorn_py import VerifyOptions, verify
from seahorn_py.base.errors import Origin, Span
from seahorn_py.cli.answers.written_files import leave
from seahorn_py.csource.syntax import CText
from seahorn_py.csource.types import IntegerType
from seahorn_py.evidence.expressions.expressions import written
from seahorn_py.evidence.expressions.lvalue import Lvalue
from seahorn_py.evidence.expressions.variables import (
    AtExit,
    globals_at_entry,
    globals_at_exit,
    holders,
)
from seahorn_py.ir.program import (
    Bind,
    Branch,
    Function,
    Jump,
    Operand,
    Return,
    Scope,
    Stop,
    StopKind,
)
from seahorn_py.ir.types import BOOL
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.options import Encodings, FrontendOptions
from seahorn_py.result import Conjunct, LoopHead
from seahorn_py.witness.correctness import invariants
from seahorn_py.witness.texts import Sources

EXAMPLES = Path(__file__).parent.parent.parent / "c_examples"


def integer(
    name: str, width: int, signed: bool, as_signed: bool | None = None
) -> tuple[Term, Lvalue]:
    """A variable of a C type, and how integers represent it."""
    shape = signed if as_signed is None else as_signed
    kind = IntegerType(width, signed)
    leaf = Lvalue(name, kind, width, shape, IntegerType(width, shape).range)
    return terms.symbol(f"main.{name}", terms.INT), leaf


def bits(name: str, width: int, signed: bool) -> tuple[Term, Lvalue]:
    kind = IntegerType(width, signed)
    symbol = terms.symbol(f"main.{name}~{width}", terms.bv_sort(width))
    return symbol, Lvalue(name, kind, width, signed, kind.range)


X, LX = integer("x", 32, True)
Y, LY = integer("y", 32, True)
U, LU = integer("u", 32, False)
V, LV = integer("v", 32, False, as_signed=True)
L, LL = integer("l", 64, True)
B, LB = bits("b", 32, True)
C, LC = bits("c", 8, False)
LEAVES = {X: LX, Y: LY, U: LU, V: LV, L: LL, B: LB, C: LC}


def n(value: int) -> Term:
    return terms.int_const(value)


def said(formula: Term) -> list[str | None]:
    found = written(formula, LEAVES)
    return [*(text for _, text in found.said), *([None] * len(found.left_out))]


@pytest.mark.parametrize(
    ("formula", "texts"),
    [
        (terms.le(X, n(5)), ["x <= 5"]),
        (terms.not_(terms.le(X, n(5))), ["x >= 6"]),
        (terms.lt(n(2), terms.plus(X, n(1))), ["x >= 2"]),
        (terms.le(terms.times(n(2), X), n(7)), ["x <= 3"]),
        (terms.eq(terms.times(n(2), X), terms.times(n(2), Y)), ["x == y"]),
        (terms.lt(X, Y), ["x < y"]),
        (terms.lt(X, U), ["(long long)x < (long long)u"]),
        (terms.le(terms.plus(X, Y), n(9)), ["(long long)x + (long long)y <= 9"]),
        (terms.le(V, n(-1)), ["(int)v <= -1"]),
        (terms.le(X, n(1 << 31)), []),
        (terms.le(n(1 << 31), X), ["0"]),
        (terms.eq(terms.plus(L, L, L, X), n(0)), [None]),
        (terms.eq(terms.mod(U, n(3)), n(0)), ["((long long)u % 3) == 0"]),
        (terms.eq(terms.mod(X, n(3)), n(1)), ["(((long long)x % 3 + 3) % 3) == 1"]),
        (terms.or_((terms.le(X, n(1)), terms.le(n(1 << 40), X))), ["x <= 1"]),
        (terms.implies(terms.le(X, n(1)), terms.eq(Y, n(2))), ["x >= 2 || y == 2"]),
        (terms.bv("bvsle", B, terms.bv_const(-1, 32)), ["b <= -1"]),
        (terms.bv("bvult", B, terms.bv_const(7, 32)), ["(unsigned int)b < 7U"]),
        (
            terms.eq(terms.bv("bvadd", C, C), terms.bv_const(4, 8)),
            ["(unsigned char)((unsigned int)c + (unsigned int)c) == 4U"],
        ),
        (
            terms.eq(terms.bv_extract(B, 4, 6), terms.bv_const(5, 3)),
            ["(((unsigned int)(unsigned int)b >> 4) & 7U) == 5U"],
        ),
    ],
)
def test_a_formula_in_c(formula: Term, texts: list[str | None]) -> None:
    assert said(formula) == texts


def test_bounds_come_first_and_make_room_for_sums() -> None:
    """A sum of long long fits where the conjuncts before it bound its parts."""
    small = terms.and_((terms.le(n(0), L), terms.le(L, n(1000))))
    total = terms.le(terms.plus(L, L, X), n(7))
    assert said(terms.and_((total, small))) == [
        "l >= 0",
        "l <= 1000",
        "2 * (long long)l + (long long)x <= 7",
    ]


def test_only_the_tightest_bounds_are_said() -> None:
    loose = terms.and_((terms.le(n(-5), X), terms.le(X, n(90)), terms.le(X, n(7))))
    assert said(terms.and_((loose, terms.eq(Y, n(3)), terms.le(n(0), X)))) == [
        "x <= 7",
        "y == 3",
        "x >= 0",
    ]


def test_what_c_cannot_say_is_left_out_alone() -> None:
    unknown = terms.symbol("main.%7", terms.INT)
    found = written(terms.and_((terms.le(X, n(5)), terms.le(unknown, n(5)))), LEAVES)
    assert [text for _, text in found.said] == ["x <= 5"]
    assert found.left_out == (terms.le(unknown, n(5)),)


# ----------------------------------------------------------------------------- names of registers


def bind(name: str, value: Operand | None) -> Bind:
    return Bind(variable(name, Scope.LOCAL), value)


def names(*blocks: object) -> dict[str, list[str]]:
    found = holders(function("main", *blocks)).get("loop", {})  # type: ignore[arg-type]
    return {r.name: sorted(h.variable.name for h in held) for r, held in found.items()}


def loop(*head: object, body: tuple[object, ...] = ()) -> tuple[object, object, object]:
    """`x = 0, n = a; while (?) { ...; x++; }`."""
    return (
        block("entry", bind("x", const(0)), bind("n", reg("a")), Jump("loop")),
        block(
            "loop",
            phi("p", ("entry", const(0)), ("body", reg("q"))),
            *head,  # type: ignore[arg-type]
            Branch(reg("c"), "body", "end"),
        ),
        block("body", add("q", reg("p"), const(1)), bind("x", reg("q")), *body, Jump("loop")),  # type: ignore[arg-type]
    )


END = block("end", Stop(StopKind.END))


def test_a_variable_is_the_phi_that_takes_its_values() -> None:
    assert names(*loop(bind("x", reg("p"))), END) == {"a": ["n"], "p": ["x"]}
    assert names(*loop(), END) == {"a": ["n"], "p": ["x"]}


def test_a_global_is_one_variable_wherever_it_is_assigned() -> None:
    """What an inlined copy assigns ends what was known of the global."""
    inner, outer = Span("a.c", 2, 1, "f"), Span("a.c", 9, 1, "main")
    again = Bind(variable("g"), reg("b"), Origin((inner, outer)))
    before = block("entry", Bind(variable("g"), reg("a")), again, Jump("loop"))
    assert names(before, block("loop", Stop(StopKind.END))) == {"b": ["g"]}


G, H, N = variable("g"), variable("h"), variable("n", Scope.PARAMETER)
BEFORE = (Bind(N, reg("n")), Bind(G, reg("g0")), Bind(H, reg("h0")))


def adding(*other: Bind) -> Function:
    """`int f(int n) { if (?) return n; g += n; return n; }` with globals g and h."""
    return function(
        "f",
        block("entry", *BEFORE, Branch(reg("n", BOOL), "some", "end")),
        block("some", add("g1", reg("g0"), reg("n")), Bind(G, reg("g1")), *other, Jump("end")),
        block(
            "end",
            phi("g2", ("entry", reg("g0")), ("some", reg("g1"))),
            Return((reg("n"), reg("g2"))),
        ),
        parameters=(reg("n"), reg("g0"), reg("h0")),
        results=(I32, I32),
    )


def test_globals_where_a_function_returns() -> None:
    assert globals_at_entry(adding()) == {reg("g0"): G, reg("h0"): H}
    assert globals_at_exit(adding()) == AtExit({1: G}, frozenset({reg("h0")}))
    assert globals_at_exit(adding(Bind(H, reg("n")))) == AtExit({1: G}, frozenset())
    assert globals_at_exit(adding(Bind(G, None))) == AtExit({}, frozenset({reg("h0")}))


def test_an_assignment_at_the_start_of_the_body_is_yet_to_come() -> None:
    head = bind("x", reg("p")), bind("y", reg("p"))
    assert names(*loop(*head), END) == {"a": ["n"], "p": ["x"]}


def test_a_variable_that_the_body_changes_has_no_old_value() -> None:
    assert names(*loop(body=(bind("n", reg("q")),)), END) == {"p": ["x"]}


# ----------------------------------------------------------------------------------------- places

TEXT = """\
int n;
int f(int k) {
  while (k < n) k++;
  return k;
}
int main(void) {
  int i = f(1), flag = f(2);
  for (i = 0; i < n && flag; i++) ;
  do {
    i--;
  } while (i > 0);
  while (1) {
    int i = 3;
    if (flag) break;
  }
  return 0;
}
"""


def head(
    line: int, column: int, *texts: str, at: tuple[int, ...] = (), regular: bool = True
) -> LoopHead:
    """A head in a line; each text is over the variable that it begins with."""
    lines = {"n": 1, "k": 2, "i": 7, "flag": 7}
    function_ = "f" if line == 3 else "main"
    spans = [Span("a.c", line, column, function_), *(Span("a.c", 7, c, "main") for c in at)]
    conjuncts = [
        Conjunct(t, ((t.split()[0], Span("a.c", lines[t.split()[0]], 0, "")),)) for t in texts
    ]
    return LoopHead(Origin(tuple(spans)), tuple(conjuncts), (), regular)


def placed(*heads: LoopHead, program: str = TEXT) -> list[str]:
    subject = Sources((CText("a.c", program.encode()),), FrontendOptions())
    shown = []
    for found in invariants(heads, subject).invariants:
        kind = "loop" if found.loop else "location"
        place = found.place
        shown.append(f"{kind} {place.line}:{place.column} {found.expression}")
    return shown


def test_the_keyword_of_a_loop() -> None:
    assert placed(head(8, 17, "i >= 0", "flag >= 1")) == ["loop 8:3 i >= 0 && flag >= 1"]


def test_the_first_statement_of_a_do() -> None:
    assert placed(head(10, 6, "i >= 0")) == ["location 10:5 i >= 0"]


def test_an_endless_loop_begins_with_its_body_and_a_name_may_be_hidden() -> None:
    assert placed(head(13, 5, "flag >= 1")) == ["loop 12:3 flag >= 1"]


@pytest.mark.parametrize(
    ("condition", "first", "more"),
    [
        ("i < 5", "n = n + i;", ["location 4:5 n >= 1 && i >= 0"]),
        ("i++ < 5", "n = n + i;", []),
        ("i < n", "while (n < i) n++;", []),
        ("i < n", "again: n = n + i;", []),
        ("i < n", "int i = n;", ["location 4:5 n >= 1 && i >= 0"]),
    ],
)
def test_the_variable_in_the_header_of_a_loop_is_in_scope_in_its_body(
    condition: str, first: str, more: list[str]
) -> None:
    program = (
        "int n;\nint main(void) {\n"
        f"  for (int i = 0; {condition}; i++) {{\n    {first}\n  }}\n  return 0;\n}}\n"
    )
    known = [
        Conjunct(text, ((text[0], Span("a.c", line, 0, "")),))
        for text, line in (("n >= 1", 1), ("i >= 0", 3))
    ]
    found = LoopHead(Origin((Span("a.c", 3, 19, "main"),)), tuple(known), (), True)
    assert placed(found, program=program) == ["loop 3:3 n >= 1", *more]


def test_nothing_where_the_head_is_not_the_beginning() -> None:
    assert placed(head(8, 24, "i >= 0")) == []  # behind &&
    assert placed(head(8, 17, "i >= 0", regular=False)) == []
    assert placed(head(8, 17, "i >= 0"), head(8, 24, "i >= 1")) == []
    assert placed(head(1, 5, "n >= 0")) == []


def test_copies_of_a_function_are_cases() -> None:
    one, two = head(3, 12, "k >= 1", at=(11,)), head(3, 12, "k >= 2", at=(24,))
    assert placed(one, two) == ["loop 3:3 k >= 1 || k >= 2"]
    assert placed(one) == []
    assert placed(one, head(3, 12, at=(24,))) == []


def test_from_the_file_to_the_witness(tmp_path: Path) -> None:
    file, out = EXAMPLES / "two_counters_safe.c", tmp_path / "w.yml"
    options = VerifyOptions(encoding=Encodings.INT, witness=True)
    told, *_ = leave([file], verify(file, options), options, {"witnesses": (out,)})
    assert told == f"witness: {out}: correctness, 1 invariants"
    (witness,) = yaml.safe_load(out.read_text())
    (found,) = (entry["invariant"] for entry in witness["content"])
    assert found["type"] == "loop_invariant"
    assert file.read_text().splitlines()[found["location"]["line"] - 1].lstrip().startswith("while")
    assert "2 * (long long)" in found["value"]
