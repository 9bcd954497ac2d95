"""Conditions with products of bits as questions about integers: what they prove holds of bits."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from seahorn_py import verify
from seahorn_py.horn.checking.modular import modular_conditions
from seahorn_py.horn.checking.proofs import check_proof, proved_modularly, verification_condition
from seahorn_py.horn.system import HornSystem, Model
from seahorn_py.horn.text.smtlib import read_horn
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status, check_scripts
from seahorn_py.logic.text.smtlib import parse_term
from seahorn_py.options import VerifyOptions
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Answer


def powers(width: int = 32, step: str = "(bvadd x (bvadd y #b1))") -> HornSystem:
    """`y` counts, `x` adds it up: twice `x` is `y * y + y`."""
    text = f"""(declare-fun inv ((_ BitVec 32) (_ BitVec 32)) Bool)
    (assert (inv #b0 #b0))
    (assert (forall ((x (_ BitVec 32)) (y (_ BitVec 32)) (next (_ BitVec 32)) (up Bool))
      (=> (and (inv x y) (=> up (= next {step})) (=> (not up) (= next x)))
          (inv next (ite up (bvadd y #b1) y)))))
    (assert (forall ((x (_ BitVec 32)) (y (_ BitVec 32)))
      (=> (and (inv x y) (not (= (bvmul #b10 x) (bvadd y (bvmul y y))))) false)))"""
    for digits in ("0", "1", "10"):
        text = text.replace(f"#b{digits} ", f"(_ bv{int(digits, 2)} {width}) ")
        text = text.replace(f"#b{digits})", f"(_ bv{int(digits, 2)} {width}))")
    return read_horn(text.replace("BitVec 32", f"BitVec {width}"), "powers")


def claimed(system: HornSystem, formula: str) -> Model:
    """An interpretation in terms of `x` and `y`."""
    symbols = system.relations["inv"].symbols
    return Model({"inv": parse_term(formula, dict(zip("xy", symbols, strict=True)))})


INVARIANT = "(= (bvmul (_ bv2 32) x) (bvadd y (bvmul y y)))"


@pytest.mark.parametrize("solver", [Solver.CVC5, Solver.Z3])
def test_equal_polynomials(solver: Solver) -> None:
    system = powers()
    proved = proved_modularly(
        system, claimed(system, INVARIANT), range(3), solver, Deadline.after(30)
    )
    assert proved == {0, 1}  # of the query no case is left to ask a solver about


def test_the_checker_uses_it() -> None:
    system = powers()
    found = check_proof(
        system, claimed(system, INVARIANT), finder=Solver.Z3, deadline=Deadline.after(60)
    )
    assert found.ok and "cvc5" in found.solver


@pytest.mark.parametrize("step", ["(bvadd x (bvadd y #b10))", "(bvadd y (bvadd y #b1))"])
def test_another_step_is_not_proved(step: str) -> None:
    system = powers(step=step)
    proved = proved_modularly(
        system, claimed(system, INVARIANT), range(3), Solver.Z3, Deadline.after(30)
    )
    assert 1 not in proved


def test_too_weak_a_modulus_is_noticed() -> None:
    """Twice a number says nothing of its highest bit."""
    system = powers(4)
    formula = INVARIANT.replace("32", "4")
    good = claimed(system, formula)
    assert 1 in proved_modularly(system, good, range(3), Solver.Z3, Deadline.after(30))
    stronger = claimed(system, f"(and {formula} (bvult x (_ bv8 4)))")
    assert 1 not in proved_modularly(system, stronger, range(3), Solver.Z3, Deadline.after(30))


def test_a_quotient_depends_on_the_width() -> None:
    """251 is -5 in eight bits; its remainder by 3 is -2 there."""
    system = read_horn(
        """(declare-fun inv ((_ BitVec 8) (_ BitVec 8) (_ BitVec 32)) Bool)
        (assert (forall ((x (_ BitVec 8)) (a (_ BitVec 8)) (b (_ BitVec 32)))
          (=> (and (inv x a b) (= x (bvmul x x)) (= a (bvsrem #xfb #x03)) (= b #x00000002)
                   (= b (bvsrem #x000000fb #x00000003)) (not (= a #x02))) false)))""",
        "widths",
    )
    proved = proved_modularly(system, Model({}), [0], Solver.Z3, Deadline.after(30))
    assert not proved


def operand(draw: random.Random, depth: int) -> str:
    if depth == 0:
        return draw.choice(["x", "y", "z", f"(_ bv{draw.randrange(16)} 4)"])
    a, b = operand(draw, depth - 1), operand(draw, depth - 1)
    unary = [f"(bvneg {a})", f"(ite {comparison(draw, 0)} {a} {b})"]
    names = ["bvadd", "bvsub", "bvmul", "bvmul", "bvurem", "bvsrem", "bvudiv", "bvand", "bvlshr"]
    return draw.choice([*(f"({name} {a} {b})" for name in names), *unary])


def comparison(draw: random.Random, depth: int) -> str:
    a, b = operand(draw, depth), operand(draw, depth)
    return f"({draw.choice(['=', '=', '=', 'bvult', 'bvslt'])} {a} {b})"


def formula(draw: random.Random) -> str:
    a, b = comparison(draw, 2), comparison(draw, 1)
    return draw.choice([a, f"(not {a})", f"(and {a} {b})", f"(or {a} (not {b}))", f"(=> {a} {b})"])


@pytest.mark.full
def test_what_is_unsatisfiable_of_integers_is_so_of_bits() -> None:
    """Random rules of four bits, of which bitwuzla knows the truth."""
    draw, asked, proved = random.Random(5), 0, 0
    for _ in range(30):
        known, goal = (
            formula(draw),
            draw.choice([comparison(draw, 1), "(= (bvmul x y) (bvmul y x))"]),
        )
        system = read_horn(
            f"""(declare-fun inv ((_ BitVec 4) (_ BitVec 4) (_ BitVec 4)) Bool)
            (assert (forall ((x (_ BitVec 4)) (y (_ BitVec 4)) (z (_ BitVec 4)))
              (=> (and (inv x y z) {known} (not {goal})) false)))""",
            "random",
        )
        scripts = modular_conditions(system, Model({}), system.rules[0])
        whole = verification_condition(system, Model({}), system.rules[0])
        answers = check_scripts(scripts, Solver.Z3, Deadline.after(30), seconds_each=0.2)
        asked += bool(scripts)
        if scripts and all(answer.status is Status.UNSAT for answer in answers):
            proved += 1
            (truth,) = check_scripts([whole], Solver.BITWUZLA, Deadline.after(30))
            assert truth.status is Status.UNSAT, (known, goal)
    assert asked > 10 and proved > 2


CUBES = """
extern int in(void);
extern void reach_error(void);
static void check(int holds) { if (!holds) reach_error(); }
int main(void) {
  int times = in(), n = 0, cube = 0, first = 1, second = 6;
  while (1) {
    check(second == 6 * n + 6);
    check(first == 3 * n * n + 3 * n + 1);
    check(cube == n * n * n + ERROR);
    if (n >= times) break;
    n++;
    cube += first;
    first += second;
    second += 6;
  }
}
"""


@pytest.mark.full
@pytest.mark.parametrize(("error", "answer"), [("0", Answer.SAFE), ("(n > 90)", Answer.UNSAFE)])
def test_cubes_by_addition_also_where_they_wrap(tmp_path: Path, error: str, answer: Answer) -> None:
    file = tmp_path / "a.c"
    file.write_text(CUBES.replace("ERROR", error))
    assert verify(file, VerifyOptions(timeout=300)).answer is answer
