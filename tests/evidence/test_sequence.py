"""A refutation DAG becomes the run it stands for."""

from dataclasses import replace

import pytest

from seahorn_py.base.errors import NOWHERE, StageFailure
from seahorn_py.encode.encoding import Cut, CutKind
from seahorn_py.evidence.replay.sequence import sequence
from seahorn_py.horn.system import (
    Atom,
    Check,
    CheckId,
    HornSystem,
    InputRead,
    Parameter,
    Query,
    Refutation,
    Relation,
    Rule,
    Step,
)
from seahorn_py.logic.terms import terms

RELATIONS = ("main.entry", "main.c1", "main.c2", "f.entry", "f.exit")
KINDS = {"entry": CutKind.ENTRY, "exit": CutKind.EXIT}


def rule(name: str, body: list[str], head: str) -> Rule:
    target = (
        Query("q", Check(CheckId("unreach-call", "", NOWHERE), 0))
        if head == "query"
        else Atom(head, ())
    )
    return Rule(name, tuple(Atom(b, ()) for b in body), terms.TRUE, target)


def test_a_summary_is_used_twice_though_its_context_came_from_the_first_call() -> None:
    # main calls f twice; both joins use the one summary, whose context the first call derived
    system = HornSystem(
        {name: Relation(name, ()) for name in RELATIONS},
        (
            rule("start", [], "main.entry"),
            rule("to c1", ["main.entry"], "main.c1"),
            rule("call 1", ["main.c1"], "f.entry"),
            rule("body", ["f.entry"], "f.exit"),
            rule("join 1", ["main.c1", "f.exit"], "main.c2"),
            rule("call 2", ["main.c2"], "f.entry"),
            rule("join 2", ["main.c2", "f.exit"], "query"),
        ),
    )
    refutation = Refutation(
        (
            Step("start", (), ()),
            Step("to c1", (), (0,)),
            Step("call 1", (), (1,)),
            Step("body", (), (2,)),
            Step("join 1", (), (1, 3)),
            Step("join 2", (), (4, 3)),
        )
    )
    cuts = {
        n: Cut(n.split(".")[0], KINDS.get(n.split(".")[1], CutKind.BLOCK), n, ()) for n in RELATIONS
    }
    run = sequence(system, refutation, cuts)
    assert [i.rule.name for i in run] == ["start", "to c1", "body", "join 1", "body", "join 2"]
    assert [i.sources for i in run] == [(), (0,), (None,), (1, 2), (None,), (3, 4)]


def test_an_error_inside_a_callee_goes_on_through_the_context() -> None:
    system = HornSystem(
        {name: Relation(name, ()) for name in RELATIONS},
        (
            rule("start", [], "main.entry"),
            rule("to c1", ["main.entry"], "main.c1"),
            rule("call 1", ["main.c1"], "f.entry"),
            rule("error", ["f.entry"], "query"),
        ),
    )
    refutation = Refutation(
        (
            Step("start", (), ()),
            Step("to c1", (), (0,)),
            Step("call 1", (), (1,)),
            Step("error", (), (2,)),
        )
    )
    cuts = {
        n: Cut(n.split(".")[0], KINDS.get(n.split(".")[1], CutKind.BLOCK), n, ()) for n in RELATIONS
    }
    run = sequence(system, refutation, cuts)
    assert [i.rule.name for i in run] == ["start", "to c1", "call 1", "error"]
    assert [i.sources for i in run] == [(), (0,), (1,), (2,)]


def doubling(depth: int) -> tuple[HornSystem, Refutation, dict[str, Cut]]:
    """A program that calls `f0`; each function calls the next one twice, the last returns 7."""
    seven = terms.int_const(7)
    result = terms.symbol("result.doubling", terms.INT)
    names = [f"f{k}.{place}" for k in range(depth + 1) for place in ("entry", "c", "exit")]
    rules = [rule("start", [], "main.entry"), rule("call", ["main.entry"], "f0.entry")]
    steps = [Step("start", (), ()), Step("call", (), (0,))]
    for k in range(depth):
        rules.append(rule(f"call {k}", [f"f{k}.entry"], f"f{k + 1}.entry"))
        steps.append(Step(f"call {k}", (), (len(steps) - 1,)))
    last = replace(rule("last", [f"f{depth}.entry"], ""), head=Atom(f"f{depth}.exit", (seven,)))
    rules.append(last)
    steps.append(Step("last", (seven,), (len(steps) - 1,)))
    for k in reversed(range(depth)):
        called = Atom(f"f{k + 1}.exit", (result,))
        first = rule(f"join {k}", [f"f{k}.entry"], f"f{k}.c")
        again = rule(f"again {k}", [f"f{k}.c"], "")
        rules.append(replace(first, body=(*first.body, called)))
        rules.append(replace(again, body=(*again.body, called), head=Atom(f"f{k}.exit", (result,))))
        summary = len(steps) - 1
        steps.append(Step(f"join {k}", (), (k + 1, summary)))
        steps.append(Step(f"again {k}", (seven,), (len(steps) - 1, summary)))
    end = rule("end", ["main.entry"], "query")
    rules.append(replace(end, body=(*end.body, Atom("f0.exit", (result,)))))
    steps.append(Step("end", (), (0, len(steps) - 1)))
    cuts = {
        n: Cut(n.split(".")[0], KINDS.get(n.split(".")[1], CutKind.BLOCK), n, ())
        for n in ("main.entry", *names)
    }
    value = Parameter(terms.symbol("value.doubling", terms.INT))
    relations = {n: Relation(n, (value,) if n.endswith(".exit") else ()) for n in cuts}
    return HornSystem(relations, tuple(rules)), Refutation(tuple(steps)), cuts


def test_calls_without_inputs_of_a_long_run_are_known_by_their_summaries() -> None:
    run = sequence(*doubling(20))
    assert [i.rule.name for i in run] == ["start", "again 0: 7", "end"]
    assert [i.sources for i in run] == [(), (), (0, 1)]
    assert run[1].rule.head == Atom("f0.exit", (terms.int_const(7),))


def test_a_short_run_is_written_out() -> None:
    run = sequence(*doubling(2))
    assert [i.rule.name for i in run].count("last") == 4


def test_a_long_run_with_inputs_is_too_long() -> None:
    system, refutation, cuts = doubling(20)
    read = InputRead(terms.symbol("read.doubling", terms.INT), 1, terms.TRUE)
    rules = [replace(r, inputs=(read,)) if r.name == "last" else r for r in system.rules]
    with pytest.raises(StageFailure, match="more than 50000 steps"):
        sequence(replace(system, rules=tuple(rules)), refutation, cuts)
