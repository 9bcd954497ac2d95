"""One contract for every engine of the table: the same systems, and other code checks each answer.

An engine may leave a system open only where it is said here.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

import pytest
from horn_examples import EXAMPLES, HARD_EXAMPLES, Example

from seahorn_py import engines
from seahorn_py.base.errors import Stage
from seahorn_py.engines.catalogue import engine
from seahorn_py.engines.cegar.cegar import Cegar
from seahorn_py.engines.engine import Budget, Engine
from seahorn_py.engines.portfolio import Portfolio
from seahorn_py.engines.refinement.configuration import configured
from seahorn_py.engines.tpa.tpa import Tpa
from seahorn_py.horn.checking.proofs import check_proof
from seahorn_py.horn.checking.refutations import check_refutation
from seahorn_py.horn.system import HornSystem
from seahorn_py.options import EngineName
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe, Unknown, Unsafe, Verdict

SECONDS = 30.0
HARD_SECONDS = 1.5
BOUND = 20

ENGINES: dict[str, Engine] = {
    name.value: found for name in EngineName if (found := engine(name, BOUND)) is not None
}

ENGINES["tpa split"] = Tpa(split=True)
ENGINES["cegar disjunctive"] = Cegar(configured("refinement=disjunctive"))

WRAPPERS = {"accelerated", "cells", "lemmas"}
"""Engines around Spacer: a sample is enough."""

SAMPLE = {"two counters", "irrelevant arguments"}
SLOW = {
    "kinduction": {"McCarthy 91, wrong result", "Fibonacci, reached", "twice in a body"},
    "imc": {"halving", "bounded counter, reached"},
    "states": {"even and odd"},
    "boolean": {"Fibonacci, reached", "calls in a row", "bounded counter, reached"},
    "impact": {
        "halving",
        "McCarthy 91",
        "Fibonacci, reached",
        "calls in a row",
        "bounded counter, reached",
    },
}

ABSTRACTIONS = {"boolean", "cegar", "cegar disjunctive", "impact"}
USUAL = {
    "query guarded by inputs",
    "even and odd",
    "McCarthy 91, wrong result",
    "two counters",
    "byte counter by two",
    "twice in a body",
}
"""What usual runs check of them; they begin slowly, and tests of their own have the rest."""


def _cases() -> Iterator[object]:
    for name in ENGINES:
        for example in EXAMPLES:
            if name in WRAPPERS and example.name not in SAMPLE:
                continue
            if example.name in SLOW.get(name, ()):
                continue
            rarely = name in ABSTRACTIONS and example.name not in USUAL
            yield pytest.param(name, example, marks=[pytest.mark.full] if rarely else [])


UNBOUNDED = {"even and odd", "two counters", "byte counter by two", "halving", "flag"}
CALLS = {
    "McCarthy 91",
    "McCarthy 91, wrong result",
    "Fibonacci, reached",
    "calls in a row",
    "twice in a body",
}
REFUTED = {e.name for e in EXAMPLES if not e.safe}
NO_INTEGERS = {
    "byte counter by two",
    "byte counter wraps",
    "halving",
    "halving, reached",
    "irrelevant arguments",
}
MANY_VALUES = {
    "query guarded by inputs",
    "even and odd",
    "two counters",
    "two counters, reached",
    "halving",
    "halving, reached",
    "irrelevant arguments",
}
OPEN = {
    "accelerated": NO_INTEGERS,
    "linear": NO_INTEGERS,
    "bmc": UNBOUNDED | CALLS,
    "cells": REFUTED,
    "imc": CALLS,
    "pdkind": CALLS | NO_INTEGERS,
    "pdr": CALLS,
    "tpa": CALLS | NO_INTEGERS,
    "tpa split": CALLS | NO_INTEGERS | {"even and odd"},
    "states": CALLS | MANY_VALUES,
    "tuples": {e.name for e in EXAMPLES},
    "heap": {e.name for e in EXAMPLES},
    "elements": {e.name for e in EXAMPLES},
    "polynomials": {e.name for e in EXAMPLES},
    "kinduction": CALLS | {"byte counter by two"},
}
"""What bounds do not end and rules of two premises that are no calls; only proofs count of cells;
k-induction is for linear systems, but invariants may prove others, and its bound is that of k;
interpolation is for linear systems.
"""


def assert_checked(system: HornSystem, verdict: Verdict) -> None:
    """The evidence of an answer convinces code that shares nothing with the engine.

    A refutation of a derived system is only a claim about this one.
    """
    deadline = Deadline.after(SECONDS)
    match verdict:
        case Safe(proof, finder):
            checked = check_proof(system, proof, finder=finder, deadline=deadline)
            assert checked.ok, checked.reason
        case Unsafe(refutation, system=derived):
            checked = check_refutation(derived or system, refutation, deadline)
            assert checked.ok, checked.reason


@pytest.mark.parametrize(("name", "example"), list(_cases()), ids=lambda c: getattr(c, "name", c))
def test_answers_with_evidence(name: str, example: Example) -> None:
    verdict = ENGINES[name].solve(example.system, Budget(Deadline.after(SECONDS)))
    if isinstance(verdict, Unknown):
        assert example.name in OPEN.get(name, ()), verdict
    else:
        assert isinstance(verdict, Safe if example.safe else Unsafe), verdict
    assert_checked(example.system, verdict)


@pytest.mark.parametrize("name", ["bmc", "kinduction", "spacer"])
@pytest.mark.parametrize("example", HARD_EXAMPLES, ids=lambda e: e.name)
def test_never_answers_wrongly(name: str, example: Example) -> None:
    verdict = ENGINES[name].solve(example.system, Budget(Deadline.after(HARD_SECONDS)))
    assert not isinstance(verdict, Unsafe if example.safe else Safe)
    assert_checked(example.system, verdict)


@pytest.mark.parametrize("name", ENGINES)
def test_without_time_the_answer_is_unknown(name: str) -> None:
    verdict = ENGINES[name].solve(HARD_EXAMPLES[0].system, Budget(Deadline.after(0.0)))
    assert isinstance(verdict, Unknown)
    assert verdict.stage is Stage.SOLVE


def module_of(one: Engine) -> str:
    """Engines that are turns of another are told of where the turn is."""
    return type(one.turns[0].engine if isinstance(one, Portfolio) else one).__module__


HEADERS = {name: module_of(found) for name, found in ENGINES.items()}
SHARED = {"refinement"}
"""Rooms that have no engine of their own."""


def _rooms() -> set[str]:
    """Rooms whose engine answers no Horn system, so that the table does not have it."""
    found = {module.name for module in pkgutil.iter_modules(engines.__path__) if module.ispkg}
    return found - SHARED - {module.split(".")[2] for module in HEADERS.values()}


HEADERS |= {room: f"{engines.__name__}.{room}" for room in _rooms()}


def test_the_header_of_termination_is_looked_at() -> None:
    assert HEADERS["termination"] == "seahorn_py.engines.termination"


@pytest.mark.parametrize("name", HEADERS)
def test_the_header_ends_with_ranked_limitations(name: str) -> None:
    header = importlib.import_module(HEADERS[name]).__doc__ or ""
    _, title, limits = header.rpartition("Limitations, the most common first:\n\n")
    assert title
    lines = [line for line in limits.splitlines() if not line.startswith("   ")]
    assert [line.split(".")[0] for line in lines] == [str(k + 1) for k in range(len(lines))]
    assert lines
