"""Systems, proofs and refutations survive the way through text, node for node."""

import sys

import pytest

from seahorn_py.base.errors import InputError, Origin, Span
from seahorn_py.horn.ledger import Approximation, LedgerEntry
from seahorn_py.horn.system import (
    Atom,
    BlockMark,
    Check,
    CheckId,
    HornSystem,
    InputRead,
    KInductive,
    Model,
    Obligation,
    OperationId,
    Parameter,
    Query,
    Refutation,
    Relation,
    Role,
    Rule,
    Step,
    Unrolling,
    Vacuity,
)
from seahorn_py.horn.text.wire import (
    model_from_text,
    model_to_text,
    proof_from_text,
    proof_to_text,
    refutation_from_text,
    refutation_to_text,
    system_from_text,
    system_to_text,
)
from seahorn_py.logic.terms import terms
from seahorn_py.processes.child import command
from seahorn_py.processes.deadline import Deadline

PLACE = Origin((Span("a file.c", 3, 7, "f"), Span("a file.c", 9, 1, "main")))
X = terms.symbol('f.x|\\ "odd" \n\N{SNOWMAN}', terms.INT)
B = terms.symbol("f.b!2", terms.bv_sort(8))
G = terms.symbol("block.1", terms.BOOL)
Q = terms.symbol("s0", terms.INT)
ARRAY = terms.symbol("m", terms.array_sort(terms.INT, terms.INT))


def every_field():
    parameters = (
        Parameter(X, Role.ENTRY, "x", "int", "f", 32, False, (0, 2**32 - 1), PLACE.chain),
        Parameter(B),
    )
    relation = Relation("f.loop|1", parameters, PLACE)
    atom = Atom("f.loop|1", (terms.plus(X, Q), B))
    quantified = terms.forall([Q], terms.lt(terms.select(ARRAY, Q), X))
    constraint = terms.and_([G, quantified, terms.lt(Q, X)])
    kinds = (
        Check(CheckId("unreach-call", "reach_error()", PLACE), 4),
        Obligation(OperationId("f", "%3", "x + 1", PLACE)),
        Vacuity("the loop"),
    )
    rules = [
        Rule("step", (atom, atom), constraint, atom, (InputRead(Q, 3, G),), (), PLACE),
        Rule("init", (), terms.TRUE, atom, (), (BlockMark(G, "f", "bb 1"),)),
        *(Rule(f"q{i}", (atom,), G, Query(f"q {i}", k)) for i, k in enumerate(kinds)),
    ]
    ledger = (LedgerEntry(Approximation.OVER, "x & y", PLACE),)
    return HornSystem({"f.loop|1": relation}, tuple(rules), ledger)


def test_a_system_round_trips_with_every_field():
    system = every_field()
    text = system_to_text(system)
    assert system_from_text(text) == system
    assert system_to_text(system_from_text(text)) == text


def test_models_and_other_proofs_round_trip():
    invariant = terms.exists([Q], terms.and_([terms.lt(Q, X), terms.eq(B, terms.bv_const(1, 8))]))
    model = Model({"f.loop|1": invariant, "g": terms.TRUE})
    assert model_from_text(model_to_text(model)) == model
    for proof in (model, KInductive(3, model), KInductive(2, model, True), Unrolling({"f": 4})):
        assert proof_from_text(proof_to_text(proof)) == proof


def test_refutations_round_trip():
    facts = (
        Step("init", (terms.int_const(-3), terms.bv_const(255, 8)), ()),
        Step("q0", (), (0, 0), {G: terms.TRUE, Q: terms.int_const(0)}),
    )
    refutation = Refutation(facts)
    assert refutation_from_text(refutation_to_text(refutation)) == refutation


ECHO = """
import sys
from seahorn_py.horn.text.wire import system_from_text, system_to_text
sys.stdout.write(system_to_text(system_from_text(sys.stdin.read())))
"""


def test_a_system_comes_back_from_another_process():
    system = every_field()
    argv = [sys.executable, "-c", ECHO]
    answer = command(argv, Deadline.after(60), text=system_to_text(system))
    assert answer.code == 0, answer.errors
    assert system_from_text(answer.output) == system


def test_deeply_nested_nodes_survive():
    deep = X
    for _ in range(10_000):
        deep = terms.plus(terms.times(Q, deep), X)
    model = Model({"r": terms.lt(deep, X)})
    assert model_from_text(model_to_text(model)) == model


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"symbols": [], "terms": [], "origins": []}', "null", "[" * 100_000],
)
def test_what_is_no_such_text_is_an_input_error(text):
    for read in (system_from_text, model_from_text, refutation_from_text):
        with pytest.raises(InputError, match=r"f\.json"):
            read(text, "f.json")
