"""Certificates: accepted by the checker alone, with cvc5 alone; rejected once they are altered."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import util
from pathlib import Path

import pytest
from command import EXAMPLES, sea_py

from seahorn_py.base.errors import NOWHERE, StageFailure
from seahorn_py.evidence.certificate import certificate
from seahorn_py.evidence.certificate.certificate import Files
from seahorn_py.evidence.checker.clauses import read_system, value
from seahorn_py.evidence.checker.conditions import model_conditions
from seahorn_py.evidence.checker.main import main
from seahorn_py.evidence.checker.solving import SOLVERS, decided
from seahorn_py.horn.system import (
    Atom,
    Check,
    CheckId,
    HornSystem,
    KInductive,
    Model,
    Parameter,
    Query,
    Refutation,
    Relation,
    Rule,
    Step,
    Unrolling,
)
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import INT, Term

X, Y = terms.symbol("cert.x", INT), terms.symbol("cert.y", INT)
QUERY = Query("q", Check(CheckId("unreach-call", "reach_error()", NOWHERE), 0))


def number(value: int) -> Term:
    return terms.int_const(value)


def counting(start: int, step: Term, bad: Term) -> HornSystem:
    """x = start; while (x < 3) x = step; error where `bad` holds."""
    loop = Relation("f.loop", (Parameter(X),))
    return HornSystem(
        {loop.name: loop},
        (
            Rule("init", (), terms.eq(X, number(start)), Atom("f.loop", (X,))),
            Rule("step", (Atom("f.loop", (X,)),), terms.lt(X, number(3)), Atom("f.loop", (step,))),
            Rule("bad", (Atom("f.loop", (X,)),), bad, QUERY),
        ),
    )


UP = counting(0, terms.plus(X, number(1)), terms.lt(number(3), X))
BOUNDS = terms.and_([terms.le(number(0), X), terms.le(X, number(3))])


def written(files: Files, folder: Path) -> Path:
    certificate.prepare(folder)
    for name, text in certificate.with_checker(files).items():
        (folder / name).write_text(text)
    return folder


def verdict(files: Files, folder: Path, solver: str = "cvc5", seconds: int = 60) -> int:
    folder = written(files, folder)
    return main([str(folder), "--solver", solver, "--seconds", str(seconds)])


@pytest.mark.parametrize("solver", ["cvc5", "z3"])
def test_a_model_is_accepted_by_either_solver(tmp_path: Path, solver: str) -> None:
    assert verdict(certificate.of_proof(UP, Model({"f.loop": BOUNDS})), tmp_path, solver) == 0


@pytest.mark.parametrize(
    "wrong",
    [terms.le(number(0), X), terms.not_(terms.le(X, number(3))), terms.TRUE],
    ids=["removed", "negated", "nothing left"],
)
def test_a_model_with_a_conjunct_removed_or_negated_is_rejected(
    tmp_path: Path, wrong: Term
) -> None:
    assert verdict(certificate.of_proof(UP, Model({"f.loop": wrong})), tmp_path) == 1


def flipping() -> HornSystem:
    """x = 1 - x: that x is no 2 is 2-inductive and not inductive alone, with y its last value."""
    loop = Relation("g", (Parameter(X), Parameter(Y)))
    start = terms.and_([terms.eq(X, number(0)), terms.eq(Y, number(1))])
    return HornSystem(
        {"g": loop},
        (
            Rule("init", (), start, Atom("g", (X, Y))),
            Rule("swap", (Atom("g", (X, Y)),), terms.TRUE, Atom("g", (Y, X))),
            Rule("bad", (Atom("g", (X, Y)),), terms.eq(X, number(2)), QUERY),
        ),
    )


@pytest.mark.parametrize(("k", "simple", "expected"), [(2, False, 0), (2, True, 0), (1, False, 1)])
def test_k_induction_is_checked_for_its_k(
    tmp_path: Path, k: int, simple: bool, expected: int
) -> None:
    model = Model({"g": terms.not_(terms.eq(X, number(2)))})
    assert verdict(certificate.of_proof(flipping(), KInductive(k, model, simple)), tmp_path) == (
        expected
    )


@pytest.mark.parametrize(("negated", "expected"), [(False, 0), (True, 1)])
def test_quantified_models_are_decided(tmp_path: Path, negated: bool, expected: int) -> None:
    """a[i] = 7 for all i up to n; then a[j] of some j below n is no 7."""
    a = terms.symbol("cert.a", terms.array_sort(INT, INT))
    k, limit = terms.symbol("cert.k", INT), terms.symbol("cert.n", INT)
    loop = Relation("h", (Parameter(a), Parameter(X), Parameter(limit)))
    at, body = Atom("h", (a, X, limit)), terms.lt(X, limit)
    again = Atom("h", (terms.store(a, X, number(7)), terms.plus(X, number(1)), limit))
    wrong = [terms.le(limit, X), terms.le(number(0), Y), terms.lt(Y, limit)]
    error = terms.and_([*wrong, terms.not_(terms.eq(terms.select(a, Y), number(7)))])
    system = HornSystem(
        {"h": loop},
        (
            Rule("init", (), terms.eq(X, number(0)), at),
            Rule("step", (at,), body, again),
            Rule("bad", (at,), error, QUERY),
        ),
    )
    below = terms.and_([terms.le(number(0), k), terms.lt(k, X)])
    filled = terms.implies(below, terms.eq(terms.select(a, k), number(7)))
    claim = terms.forall([k], filled)
    model = Model({"h": terms.not_(claim) if negated else claim})
    assert verdict(certificate.of_proof(system, model), tmp_path) == expected


ORDERED = {
    "system.smt2": """
        (declare-fun h (Int (Array Int Int)) Bool)
        (assert (forall ((i Int) (a (Array Int Int)) (v Int))
          (=> (and (h i a) (<= 0 i) (or (= i 0) (let ((?1 (* 4 i))) (<= (select a (+ ?1 4)) v))))
              (h (+ i 1) (store a (+ (* 4 i) 8) v)))))""",
    "model.smt2": """
        (define-fun h ((i Int) (a (Array Int Int))) Bool
          (forall ((k Int) (l Int)) (=> (and (<= 0 k) (< k l) (< l i))
            (<= (select a (+ (* 4 k) 8)) (select a (+ (* 4 l) 8))))))""",
    "proof.json": '{"kind": "model"}',
}
"""The cells from 8 on, in steps of 4, are in order; v is no less than the one before."""


@pytest.mark.parametrize(
    ("last", "expected"), [("(<= 0 k)", 0), pytest.param("(<= (- 3) k)", 1, marks=pytest.mark.full)]
)
def test_quantifiers_are_instantiated_at_the_cells_of_a_clause(
    tmp_path: Path, last: str, expected: int
) -> None:
    """The cell before the last is the one that v is compared with; nothing is before cell 8."""
    model = ORDERED["model.smt2"].replace("(<= 0 k)", last)
    assert verdict({**ORDERED, "model.smt2": model}, tmp_path, seconds=16) == expected


@pytest.mark.parametrize("name", ["sk!0", "|sk!0|", "k"])
def test_names_of_witnesses_are_new(tmp_path: Path, name: str) -> None:
    """Not for all numbers is there none below: were the witness `name`, there would be none."""
    files = {
        "system.smt2": f"""
            (declare-fun h () Bool)
            (assert (forall (({name} Int)) (=> (= {name} 0) h)))""",
        "model.smt2": "(define-fun h () Bool (forall ((k Int)) (= k 0)))",
        "proof.json": '{"kind": "model"}',
    }
    assert verdict(files, tmp_path) == 1


def by_cases(monkeypatch: pytest.MonkeyPatch, *proved: str) -> str:
    """What is decided by a solver that proves scripts with one of these endings only."""
    split = [["a", "b"], ["c", "d"]]
    told = {True: "unsat", False: "unknown"}
    monkeypatch.setitem(SOLVERS, "cvc5", lambda script, _: told[script.endswith(proved)])
    return decided("cvc5", "s", split, 60)


def test_a_clause_is_proved_by_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    assert by_cases(monkeypatch, "a", "b\nc", "b\nd") == "unsat"
    assert by_cases(monkeypatch, "c", "d") == "unsat"
    assert by_cases(monkeypatch, "a", "b\nc") == "unknown"
    assert by_cases(monkeypatch, "s") == "unsat"


def test_cases_are_conjuncts_of_the_head_and_disjuncts_of_premises() -> None:
    system = read_system(certificate.of_proof(UP, Model({}))["system.smt2"])
    text = "(define-fun f.loop ((x Int)) Bool {})"
    found = {
        form: [
            [len(split) for split in condition.splits]
            for condition in model_conditions(system, {"f.loop": text.format(form)})
        ]
        for form in ("(and (<= 0 x) (<= x 3))", "(let ((y x)) (or (= y 0) (= y 1) (= y 2)))")
    }
    assert list(found.values()) == [[[2], [2], []], [[], [3], [3]]]


def test_what_is_not_decided_does_not_hide_what_does_not_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = iter(["unknown: why", "sat", "unsat"])
    monkeypatch.setitem(SOLVERS, "cvc5", lambda *_: next(answers))
    files = certificate.of_proof(UP, Model({"f.loop": terms.le(X, number(3))}))
    assert verdict(files, tmp_path) == 1
    assert capsys.readouterr().out == "not accepted, rejected: clause 2 does not hold\n"


def test_the_base_of_k_induction_is_checked(tmp_path: Path) -> None:
    model = Model({"g": terms.eq(X, number(0))})
    assert verdict(certificate.of_proof(flipping(), KInductive(2, model)), tmp_path) == 1


@pytest.mark.parametrize(("bound", "expected"), [(3, 0), (2, 1)])
def test_an_unrolling_must_not_go_on_beyond_its_bounds(
    tmp_path: Path, bound: int, expected: int
) -> None:
    assert verdict(certificate.of_proof(UP, Unrolling({"f.loop": bound})), tmp_path) == expected


def test_an_unrolling_that_meets_a_query_is_rejected(tmp_path: Path) -> None:
    reached = counting(0, terms.plus(X, number(1)), terms.eq(X, number(3)))
    assert verdict(certificate.of_proof(reached, Unrolling({"f.loop": 3})), tmp_path) == 1


def test_a_loop_without_a_bound_is_no_unrolling(tmp_path: Path) -> None:
    assert verdict(certificate.of_proof(UP, Unrolling({})), tmp_path) == 2


def test_long_loops_and_calls_have_no_certificate_by_unrolling() -> None:
    with pytest.raises(StageFailure, match="no certificate"):
        certificate.of_proof(UP, Unrolling({"f.loop": 1000}))


def refuted(last: int) -> Files:
    system = counting(0, terms.plus(X, number(1)), terms.eq(X, number(2)))
    steps = (
        Step("init", (number(0),), ()),
        Step("step", (number(1),), (0,)),
        Step("step", (number(last),), (1,)),
        Step("bad", (), (2,)),
    )
    return certificate.of_refutation(system, Refutation(steps))


@pytest.mark.parametrize(("last", "expected"), [(2, 0), (3, 1)])
def test_every_step_of_a_refutation_is_checked(tmp_path: Path, last: int, expected: int) -> None:
    assert verdict(refuted(last), tmp_path) == expected


@pytest.mark.parametrize("solver", ["cvc5", "z3"])
@pytest.mark.parametrize(
    "argument", ["cert.x", "x)) (assert (= 0 0", "(div 1 0)", "(/ 1 0)", "(- cert.x)", "0 0", "", 0]
)
def test_the_values_of_a_refutation_are_closed(
    tmp_path: Path, argument: object, solver: str
) -> None:
    """Each would be another value in each step."""
    refuted = counting(0, terms.plus(X, number(1)), terms.lt(number(5), X))
    files = certificate.of_refutation(refuted, Refutation(()))
    steps = [
        {"clause": 0, "arguments": [argument], "premises": []},
        {"clause": 2, "arguments": [], "premises": [0]},
    ]
    proof = json.dumps({"kind": "refutation", "steps": steps})
    assert verdict({**files, "proof.json": proof}, tmp_path, solver) in (1, 2)


@pytest.mark.parametrize(
    "text",
    ["7", "(- 7)", "(/ 1.0 3.0)", "#x0f", "(_ bv7 32)", "true", "((as const (Array Int Int)) 0)"],
)
def test_closed_values(text: str) -> None:
    assert "".join(value(text).split()) == "".join(text.split())


@pytest.mark.parametrize("solver", ["cvc5", "z3"])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("model.smt2", "(define-fun f.loop ((x!0 Int)) Bool (< x!0 nobody))"),
        ("proof.json", "[" * 200_000),
    ],
)
def test_what_a_solver_does_not_take_is_not_decided(
    tmp_path: Path, name: str, text: str, solver: str
) -> None:
    files = certificate.of_proof(UP, Model({"f.loop": BOUNDS}))
    assert name in files
    assert verdict({**files, name: text}, tmp_path, solver) == 2


def test_a_refutation_must_derive_false_from_earlier_steps(tmp_path: Path) -> None:
    files = dict(refuted(2))
    proof = json.loads(files["proof.json"])
    proof["steps"][1]["premises"] = [2]
    files["proof.json"] = json.dumps(proof)
    assert verdict(files, tmp_path) == 1
    proof["steps"] = proof["steps"][:1]
    files["proof.json"] = json.dumps(proof)
    assert verdict(files, tmp_path) == 1


@pytest.mark.parametrize(
    ("name", "addition"),
    [
        ("model.smt2", "(assert false)"),
        ("model.smt2", "(define-fun other ((x Int)) Bool false)"),
        ("model.smt2", "(define-fun f.loop ((x Int)) Bool false)"),
        ("model.smt2", "(define-fun f.loop ((x Int) (x Int)) Bool true)"),
        ("system.smt2", "(assert (not (f.loop 1)))"),
        ("system.smt2", "(assert (=> (f.loop 0) (not (f.loop 1))))"),
        ("system.smt2", "(assert (=> (and (or (f.loop 0) true)) false))"),
        ("system.smt2", "(declare-const c Int)"),
        ("system.smt2", ")"),
        ("proof.json", "}"),
    ],
)
def test_whatever_else_stands_in_the_files_is_refused(
    tmp_path: Path, name: str, addition: str
) -> None:
    files = dict(certificate.of_proof(UP, Model({"f.loop": BOUNDS})))
    files[name] += addition
    assert verdict(files, tmp_path) == 2


def alone(folder: Path, packages: Path) -> subprocess.CompletedProcess[str]:
    """Run the checker where Python finds nothing but its own library and cvc5."""
    spec = util.find_spec("cvc5")
    assert spec is not None and spec.origin is not None
    home = Path(spec.origin).parent
    packages.mkdir()
    for name in ("cvc5", "cvc5.libs"):
        if (home.parent / name).exists():
            (packages / name).symlink_to(home.parent / name)
    return subprocess.run(
        [sys.executable, "-S", str(folder / "check.py")],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(packages), "PATH": os.defpath},
        cwd=packages,
        timeout=100,
        check=False,
    )


def test_the_checker_needs_cvc5_alone(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    done = sea_py("pf", "--certificate", folder, EXAMPLES / "counter_safe.c")
    assert done.returncode == 0, done.stdout
    assert f"certificate: {folder}: check it with python {folder}/check.py" in done.stdout
    checked = alone(folder, tmp_path / "packages")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert checked.stdout.startswith("accepted: ")


def test_nothing_is_written_without_a_proof(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    done = sea_py("pf", "--certificate", folder, EXAMPLES / "counter_unsafe.c")
    assert "certificate: none: found by a run: see sea-py exe" in done.stdout
    assert not folder.exists()


def test_a_model_is_written_without_what_it_does_not_need(tmp_path: Path) -> None:
    """x >= -5 follows from x >= 0, and neither supports x <= 3, which alone excludes the error."""
    more = terms.and_([terms.le(number(-5), X), BOUNDS])
    files = certificate.of_proof(UP, Model({"f.loop": more}))
    (definition,) = files["model.smt2"].strip().splitlines()
    assert definition == "(define-fun f.loop ((cert.x Int)) Bool (<= cert.x 3))"
    assert verdict(files, tmp_path) == 0
