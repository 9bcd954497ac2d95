"""A refutation DAG becomes the run it stands for."""

from seahorn_py.encode.encoding import Cut, CutKind
from seahorn_py.errors import NOWHERE
from seahorn_py.evidence.sequence import sequence
from seahorn_py.horn.system import (
    Atom,
    Check,
    CheckId,
    HornSystem,
    Query,
    Refutation,
    Relation,
    Rule,
    Step,
)
from seahorn_py.logic import terms

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
