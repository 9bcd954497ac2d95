"""Boolean programs as texts: reading, printing, reachability with summaries, three semantics."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner

from seahorn_py.base.errors import InputError
from seahorn_py.cli.commands.bp import bp
from seahorn_py.engines.boolean.bebop import read_program
from seahorn_py.engines.boolean.expressions import (
    ANYTHING,
    FALSE,
    TRUE,
    UNKNOWN,
    Bit,
    Choose,
    Constant,
    Expression,
    conjunction,
    disjunction,
    equivalence,
    negation,
)
from seahorn_py.engines.boolean.flow import rules_of
from seahorn_py.engines.boolean.printing import print_program
from seahorn_py.engines.boolean.reachability import Explored, Reached, Unreached, explore
from seahorn_py.engines.boolean.rules import BooleanRule, BooleanRules, Location
from seahorn_py.options import Semantics

BEBOP = (Path(__file__).parent.parent.parent / "rip_examples" / "bebop_safe.bp").read_text()
"""After the example of Ball, Rajamani (SPIN 2000): the label R is not reached."""

LECTURE = """
void main() begin
  decl {y <= 2};
  {y <= 2} := T;
  while ({y <= 2}) do {y <= 2} := choose({y <= 2}, F); od
  if (*) then assert(F); fi
end
"""
"""The running example of the lecture on software model checking, abstracted by y <= 2."""


def explored(text: str, semantics: Semantics = Semantics.OVER) -> Explored:
    return explore(rules_of(read_program(text, "p.bp"), "p.bp"), semantics)


def is_reached(text: str, semantics: Semantics = Semantics.OVER) -> bool:
    return isinstance(explored(text, semantics).conclusion, Reached)


# ------------------------------------------------------------------------------------------ texts


def test_the_program_of_bebop_is_safe() -> None:
    assert not is_reached(BEBOP)
    assert is_reached(BEBOP.replace("g := a2", "g := 1"))


def test_what_is_printed_reads_as_the_same_program() -> None:
    for text in (BEBOP, LECTURE):
        printed = print_program(read_program(text, "p.bp"))
        assert print_program(read_program(printed, "p.bp")) == printed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("void main() begin\n x := 1;\nend", "p.bp:2: no variable x"),
        ("void main() begin\n goto L;\nend", "p.bp:2: no label L"),
        ("void main() begin L: skip; L: skip; end", "p.bp:1: a second label L"),
        ("void f() begin end", "p.bp: no procedure main, in which a run would start"),
        ("void main() begin", "p.bp:1: the text ends too early"),
        ("void main() begin @ end", "p.bp:1: unexpected character '@'"),
        ("decl a, a;\nvoid main() begin end", "p.bp:2: main declares a variable twice"),
        ("void main() begin f(); end", "p.bp:1: no procedure f"),
        ("void main() begin main(1); end", "p.bp:1: main has 0 parameters"),
        ("bool main() begin return 1, 0; end", "p.bp:1: 1 values are to be returned"),
        ("decl a;\nvoid main() begin a, a := 1, 0; end", "p.bp:2: a variable is assigned to"),
        ("decl a;\nvoid main() begin a := 1, 0; end", "p.bp:2: 2 values for 1 variables"),
        ("decl a;\nvoid main() begin a := " + "=".join("a" * 300) + "; end", "nested more than"),
    ],
)
def test_errors_name_the_line(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        rules_of(read_program(text, "p.bp"), "p.bp")
    assert message in str(caught.value)


# -------------------------------------------------------------------------------------- semantics


def test_the_running_example_of_the_lecture() -> None:
    for semantics in (Semantics.OVER, Semantics.BELNAP):
        conclusion = explored(LECTURE, semantics).conclusion
        assert isinstance(conclusion, Unreached)
        assert conclusion.proves
    under = explored(LECTURE, Semantics.UNDER).conclusion
    assert isinstance(under, Unreached)
    assert not under.proves


@pytest.mark.parametrize(
    ("body", "over", "under", "sure"),
    [
        ("b := *; assert(b);", True, False, False),
        ("b := *; assert(0);", True, False, True),
        ("b := 1; assert(!b);", True, True, True),
        ("b := 1; assert(b);", False, False, False),
        ("b := choose(0, 1); assert(b);", True, True, True),
        ("b := *; b := b | !b; assert(!b);", True, False, False),
    ],
)
def test_unknown_is_a_choice_the_end_or_a_value(
    body: str, over: bool, under: bool, sure: bool
) -> None:
    text = f"void main() begin decl b; {body} end"
    assert is_reached(text, Semantics.OVER) is over
    assert is_reached(text, Semantics.UNDER) is under
    belnap = explored(text, Semantics.BELNAP).conclusion
    assert isinstance(belnap, Reached) is over
    assert (isinstance(belnap, Reached) and belnap.for_sure) is sure


# ---------------------------------------------------------------------------------------- figures


def ring(bits: int) -> str:
    """One token that goes around; two are an error."""
    names = [f"t{k}" for k in range(bits)]
    start = ", ".join("1" if k == 0 else "0" for k in range(bits))
    turned = ", ".join([names[-1], *names[:-1]])
    every = ", ".join(names)
    return (
        f"void main() begin decl {every}; {every} := {start};"
        f" while (*) do {every} := {turned}; assert(!(t0 & t1)); od end"
    )


def free(bits: int) -> str:
    """Bits that are set one by one in any order; an extra one never is."""
    sets = " ".join(f"if (*) then b{k} := 1; fi" for k in range(bits))
    every = ", ".join(f"b{k}" for k in range(bits))
    zeros = ", ".join("0" * bits)
    return (
        f"decl {every}, e;\nvoid main() begin {every}, e := {zeros}, 0;"
        f" while (*) do {sets} assert(!e); od end"
    )


def test_forty_bits_with_few_states_take_less_than_a_second() -> None:
    began = time.process_time()
    found = explored(ring(40))
    assert time.process_time() - began < 1
    assert isinstance(found.conclusion, Unreached)
    before_assignment, *others = found.states.values()
    assert before_assignment == 2**40
    assert max(others) < 400


def test_more_than_a_million_states_take_less_than_twenty_seconds() -> None:
    began = time.process_time()
    found = explored(free(22))
    assert time.process_time() - began < 20
    assert isinstance(found.conclusion, Unreached)
    assert max(found.states.values()) > 10**6


def test_recursion_without_bound_ends() -> None:
    text = """
    decl g;
    void main() begin g := 0; f(1); assert(!g); end
    void f(a) begin
      if (*) then f(!a); fi
      if (*) then f(a); fi
      if (*) then while (*) do f(*); od fi
    end
    """
    assert not is_reached(text)
    assert is_reached(text.replace("f(!a);", "f(!a); g := a;"))


def test_a_summary_is_of_its_own_context() -> None:
    """Without contexts `y` could be what the other call returned."""
    text = """
    bool same(a) begin return a; end
    void main() begin decl x, y;
      x := same(1); y := same(0); assert(x); assert(!y);
    end
    """
    assert not is_reached(text)


@pytest.mark.parametrize(
    ("semantics", "changed", "last", "code"),
    [
        ("over", "a2", "unsat", 0),
        ("over", "1", "sat", 1),
        ("under", "a2", "unknown", 3),
        ("belnap", "*", "unknown", 3),
    ],
)
def test_the_command(semantics: str, changed: str, last: str, code: int, tmp_path: Path) -> None:
    file = tmp_path / "p.bp"
    file.write_text(BEBOP.replace("g := a2", f"g := {changed}"))
    done = CliRunner().invoke(bp, [str(file), "--semantics", semantics])
    assert done.output.splitlines()[-1] == last
    assert done.exit_code == code


# ------------------------------------------------------------------ against an explicit exploration


def value(expression: Expression, states: Sequence[Sequence[bool]]) -> set[bool]:
    """The values that an expression may have."""
    match expression:
        case Constant(constant):
            return {constant}
        case Bit(premise, index):
            return {states[premise][index]}
        case Choose(one, other):
            true, false = value(one, states), value(other, states)
            if true == {True}:
                return {True}
            return {False} if false == {True} and true == {False} else {True, False}
    if expression in (UNKNOWN, ANYTHING):
        return {True, False}
    return _connective(expression, states)


def _connective(expression: Expression, states: Sequence[Sequence[bool]]) -> set[bool]:
    parts = getattr(expression, "parts", None)
    if parts is None and hasattr(expression, "argument"):
        return {not v for v in value(expression.argument, states)}
    if parts is None:
        sides = value(expression.left, states), value(expression.right, states)  # type: ignore[union-attr]
        return {one == other for one, other in product(*sides)}
    combine = all if type(expression).__name__ == "And" else any
    return {combine(chosen) for chosen in product(*(value(p, states) for p in parts))}


def successors(
    rule: BooleanRule, states: Sequence[tuple[bool, ...]], under: bool
) -> Iterator[tuple[bool, ...]]:
    guard = value(rule.guard, states)
    if True not in guard or (under and False in guard):
        return
    choices = [value(u, states) for u in rule.updates]
    if not (under and any(len(c) > 1 for c in choices)):
        yield from product(*choices)


def explicit(rules: BooleanRules, under: bool) -> tuple[bool, list[set[tuple[bool, ...]]]]:
    reached: list[set[tuple[bool, ...]]] = [set() for _ in rules.locations]
    is_error, is_changed = False, True
    while is_changed and not is_error:
        is_changed = False
        for rule in rules.rules:
            for states in list(product(*(reached[p] for p in rule.body))):
                for found in successors(rule, states, under):
                    if rule.head is None:
                        is_error = True
                    elif found not in reached[rule.head]:
                        reached[rule.head].add(found)
                        is_changed = True
    return is_error, reached


def random_expression(rng: random.Random, bits: Sequence[Bit], depth: int = 2) -> Expression:
    if depth == 0 or rng.random() < 0.2:
        return rng.choice([*bits, *bits, TRUE, FALSE, UNKNOWN])
    one, other = (random_expression(rng, bits, depth - 1) for _ in range(2))
    match rng.randrange(5):
        case 0:
            return conjunction((one, other))
        case 1:
            return disjunction((one, other))
        case 2:
            return equivalence(one, other)
        case 3:
            return negation(one)
    return Choose(one, other)


def random_rules(rng: random.Random) -> BooleanRules:
    sizes = [rng.randrange(4) for _ in range(3)]
    rules = [
        BooleanRule(
            "fact", (), TRUE, 0, tuple(Constant(rng.random() < 0.5) for _ in range(sizes[0]))
        )
    ]
    for number in range(rng.randrange(3, 9)):
        body = tuple(rng.randrange(3) for _ in range(rng.choice([1, 1, 1, 2])))
        bits = [Bit(k, i) for k, location in enumerate(body) for i in range(sizes[location])]
        head = rng.choice([0, 1, 2, 2, None])
        updates = tuple(
            random_expression(rng, bits) for _ in range(0 if head is None else sizes[head])
        )
        rules.append(BooleanRule(str(number), body, random_expression(rng, bits), head, updates))
    return BooleanRules(tuple(Location(str(k), size) for k, size in enumerate(sizes)), tuple(rules))


def assert_derived(rules: BooleanRules, conclusion: Reached, under: bool) -> None:
    """Each step follows from its premises by its rule."""
    for number, step in enumerate(conclusion.steps):
        rule = rules.rules[step.rule]
        assert all(p < number for p in step.premises)
        premises = [conclusion.steps[p].state for p in step.premises]
        assert step.state in set(successors(rule, premises, under))
    assert rules.rules[conclusion.steps[-1].rule].head is None


@pytest.mark.parametrize(
    "seed", [*range(25), *(pytest.param(n, marks=pytest.mark.full) for n in range(25, 150))]
)
def test_random_rules(seed: int) -> None:
    rules = random_rules(random.Random(seed))
    for semantics in (Semantics.OVER, Semantics.UNDER):
        under = semantics is Semantics.UNDER
        is_error, reached = explicit(rules, under)
        found = explore(rules, semantics)
        assert isinstance(found.conclusion, Reached) is is_error
        if isinstance(found.conclusion, Reached):
            assert_derived(rules, found.conclusion, under)
        else:
            assert list(found.states.values()) == [len(states) for states in reached]
    belnap = explore(rules, Semantics.BELNAP).conclusion
    if isinstance(belnap, Unreached):
        assert not explicit(rules, False)[0]
    elif belnap.for_sure:
        for constant in (TRUE, FALSE):
            assert explicit(resolved(rules, constant), False)[0]


def resolved(rules: BooleanRules, constant: Constant) -> BooleanRules:
    """With this constant for all that is unknown: one program of the abstraction."""

    def known(expression: Expression) -> Expression:
        match expression:
            case Choose(one, other):
                true, false = known(one), known(other)
                rest = conjunction((negation(false), constant))
                return disjunction((true, rest))
        if expression == UNKNOWN:
            return constant
        if hasattr(expression, "argument"):
            return negation(known(expression.argument))
        if hasattr(expression, "parts"):
            parts = [known(p) for p in expression.parts]
            is_and = type(expression).__name__ == "And"
            return conjunction(parts) if is_and else disjunction(parts)
        if hasattr(expression, "left"):
            return equivalence(known(expression.left), known(expression.right))
        return expression

    made = tuple(
        BooleanRule(r.name, r.body, known(r.guard), r.head, tuple(known(u) for u in r.updates))
        for r in rules.rules
    )
    return BooleanRules(rules.locations, made)
