"""Bounded model checking: bounds, unwinding assertions, calls, arrays, C; all re-checked."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path

import horn_examples
import pytest
from horn_examples import TRUE, atom, number, query, relation, system, variables, x, y, z
from horn_generator import Generator, reached

from seahorn_py.base.errors import StageFailure
from seahorn_py.encode.encoder import encode
from seahorn_py.encode.encoding import Arithmetic, EncodeOptions, Encoding
from seahorn_py.engines.bmc import bmc_child
from seahorn_py.engines.bmc.bmc import Bmc
from seahorn_py.engines.engine import Budget
from seahorn_py.evidence.replay.replay import feed_from
from seahorn_py.horn.checking.proofs import check_proof
from seahorn_py.horn.checking.refutations import check_refutation
from seahorn_py.horn.system import HornSystem, Query, Refutation, Unrolling
from seahorn_py.horn.transform.acceleration.loopnest import addresses
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status, check_unsat, solver_for
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.options import VerifyOptions
from seahorn_py.passes.pipeline import prepare
from seahorn_py.passes.ranges.ranges import value_ranges
from seahorn_py.processes.child import Fork
from seahorn_py.processes.deadline import Deadline
from seahorn_py.result import Safe, Unknown, Unsafe, Verdict
from seahorn_py.verification.pipeline import load

SECONDS = 20.0
WORD = terms.bv_sort(32)
MEMORY = terms.array_sort(WORD, terms.bv_sort(8))
one = number(1)


def solve(example: HornSystem, engine: Bmc | None = None, seconds: float = SECONDS) -> Verdict:
    """The answer, after its evidence has convinced code that shares nothing with the engine."""
    verdict = (engine or Bmc()).solve(example, Budget(Deadline.after(seconds)))
    deadline = Deadline.after(60.0)
    match verdict:
        case Safe(proof):
            checked = check_proof(
                example, proof, finder=solver_for(example.formulas()), deadline=deadline
            )
            assert checked.ok, checked.reason
        case Unsafe(refutation):
            checked = check_refutation(example, refutation, deadline)
            assert checked.ok, checked.reason
    return verdict


def refuted(example: HornSystem, engine: Bmc | None = None) -> Refutation:
    verdict = solve(example, engine)
    assert isinstance(verdict, Unsafe), verdict
    return verdict.refutation


def bounds(example: HornSystem, engine: Bmc | None = None) -> dict[str, int]:
    verdict = solve(example, engine)
    assert isinstance(verdict, Safe), verdict
    assert isinstance(verdict.proof, Unrolling)
    return dict(verdict.proof.bounds)


def reason(example: HornSystem, engine: Bmc | None = None, seconds: float = SECONDS) -> str:
    verdict = solve(example, engine, seconds)
    assert isinstance(verdict, Unknown), verdict
    return verdict.reason


def confirmed(example: HornSystem, proof: dict[str, int]) -> bool:
    deadline = Deadline.after(SECONDS)
    finder = solver_for(example.formulas())
    return check_proof(example, Unrolling(proof), finder=finder, deadline=deadline).ok


# ------------------------------------------------------------------------------------ the examples

# ------------------------------------------------------------------------------------------ bounds


def symbolic_counter(most: int, error_at: int) -> HornSystem:
    """`for (x = 0; x < n; x++); assert(x != error_at)` for any `0 <= n <= most`."""
    return system(
        [relation("loop", terms.INT, terms.INT)],
        (
            (),
            terms.and_([terms.le(number(0), y), terms.le(y, number(most))]),
            atom("loop", number(0), y),
        ),
        ((atom("loop", x, y),), terms.lt(x, y), atom("loop", terms.plus(x, one), y)),
        (
            (atom("loop", x, y),),
            terms.and_([terms.le(y, x), terms.eq(x, number(error_at))]),
            query(),
        ),
    )


def test_an_error_at_exactly_the_bound() -> None:
    example = symbolic_counter(9, 7)
    steps = refuted(example, Bmc(bound=7)).steps
    assert len(steps) == 9, "the start, seven iterations, the query"
    assert steps[-2].arguments == (number(7), number(7))
    assert "bound 6 reached, and runs go on beyond it" in reason(example, Bmc(bound=6))
    assert len(refuted(example).steps) == 9


def test_a_bound_that_suffices_is_a_proof_and_one_that_does_not_is_none() -> None:
    example = symbolic_counter(6, 7)
    assert bounds(example) == {"loop": 6}
    assert bounds(example, Bmc(bound=6)) == {"loop": 6}
    assert "bound 5 reached" in reason(example, Bmc(bound=5))


def test_the_checker_confirms_exactly_the_bounds_that_suffice() -> None:
    example = symbolic_counter(6, 7)
    assert [confirmed(example, {"loop": k}) for k in (5, 6, 9)] == [False, True, True]
    assert not confirmed(example, {}), "no bound for the loop"
    assert not confirmed(symbolic_counter(6, 6), {"loop": 6}), "the query is reached"
    assert not confirmed(horn_examples.counter(10, 11), {"loop": 9})


def test_single_loops_have_bounds_of_their_own() -> None:
    example = symbolic_counter(9, 7)
    assert refuted(example, Bmc(bound=2, bounds={"loop": 7}))
    assert "bound" in reason(example, Bmc(bound=9, bounds={"loop": 6}))


def nested(outer: int, error_at: int) -> HornSystem:
    """`for (x = 0; x < n; x++) for (y = 0; y < x; y++) z++;` and an assertion on `z`."""
    n = terms.symbol("limit.Int", terms.INT)
    top, inner = relation("top", *[terms.INT] * 3), relation("inner", *[terms.INT] * 4)
    return system(
        [top, inner],
        ((), terms.le(n, number(outer)), atom("top", n, number(0), number(0))),
        ((atom("top", n, x, z),), terms.lt(x, n), atom("inner", n, x, number(0), z)),
        (
            (atom("inner", n, x, y, z),),
            terms.lt(y, x),
            atom("inner", n, x, terms.plus(y, one), terms.plus(z, one)),
        ),
        ((atom("inner", n, x, y, z),), terms.le(x, y), atom("top", n, terms.plus(x, one), z)),
        (
            (atom("top", n, x, z),),
            terms.and_([terms.le(n, x), terms.eq(z, number(error_at))]),
            query(),
        ),
    )


def test_nested_loops() -> None:
    found = bounds(nested(5, 7))
    assert list(found) == ["top", "inner"], "outer loops first"
    assert found["top"] >= 5
    assert confirmed(nested(5, 7), {"top": 5, "inner": 4})
    assert len(refuted(nested(5, 6)).steps) == 1 + 2 * 4 + 6 + 1
    assert not confirmed(nested(5, 7), {"top": 4, "inner": 4})
    assert not confirmed(nested(5, 7), {"top": 5, "inner": 3})


def test_a_loop_with_two_entries_is_unwound_too() -> None:
    example = system(
        [relation("left", terms.INT), relation("right", terms.INT)],
        ((), terms.le(x, number(0)), atom("left", number(0))),
        ((), terms.lt(number(0), x), atom("right", number(1))),
        ((atom("left", x),), terms.lt(x, number(9)), atom("right", terms.plus(x, one))),
        ((atom("right", x),), terms.lt(x, number(9)), atom("left", terms.plus(x, one))),
        ((atom("left", x),), terms.lt(number(10), x), query()),
    )
    assert set(bounds(example)) == {"left"}


def test_the_order_of_loops() -> None:
    found = addresses({"a": ["b"], "b": ["c", "d"], "c": ["c", "b"], "d": []})
    assert {name: a.heads for name, a in found.items()} == {
        "a": (),
        "b": ("b",),
        "c": ("b", "c"),
        "d": (),
    }
    assert sorted(found, key=lambda name: found[name].positions) == ["a", "b", "c", "d"]


# -------------------------------------------------------------------------------- states that meet


def test_rules_that_can_go_on_side_by_side_are_both_followed() -> None:
    """From 0 by steps of 3 and 5 in any order: 7 cannot be reached, 11 can."""

    def steps(error_at: int) -> HornSystem:
        go_on = terms.lt(x, number(12))
        return system(
            [relation("sum", terms.INT)],
            ((), TRUE, atom("sum", number(0))),
            ((atom("sum", x),), go_on, atom("sum", terms.plus(x, number(3)))),
            ((atom("sum", x),), go_on, atom("sum", terms.plus(x, number(5)))),
            ((atom("sum", x),), terms.eq(x, number(error_at)), query()),
        )

    assert len(refuted(steps(11)).steps) == 5
    assert bounds(steps(7)) == {"sum": 4}
    assert not confirmed(steps(7), {"sum": 3})


def test_facts_side_by_side() -> None:
    example = system(
        [relation("start", terms.INT)],
        *[((), TRUE, atom("start", number(k))) for k in (1, 2, 3)],
        ((atom("start", x),), terms.eq(x, number(2)), query()),
    )
    assert [s.rule for s in refuted(example).steps] == ["rule 1", "rule 3"]


def test_the_query_reached_is_the_one_of_the_refutation() -> None:
    example = system(
        [relation("loop", terms.INT)],
        ((), TRUE, atom("loop", number(0))),
        ((atom("loop", x),), terms.lt(x, number(5)), atom("loop", terms.plus(x, one))),
        ((atom("loop", x),), terms.eq(x, number(7)), query("never")),
        ((atom("loop", x),), terms.eq(x, number(4)), query("fourth")),
        ((atom("loop", x),), terms.eq(x, number(5)), query("fifth")),
    )
    rules = {rule.name: rule.head for rule in example.rules}
    head = rules[refuted(example).query.rule]
    assert isinstance(head, Query)
    assert head.id == "fourth"


def test_cases_that_define_a_symbol_and_circular_definitions() -> None:
    p, q = variables("p q", terms.BOOL)
    cases = terms.and_(
        [
            terms.iff(p, terms.lt(x, number(3))),
            terms.iff(q, terms.not_(p)),
            terms.implies(p, terms.eq(y, terms.plus(x, one))),
            terms.implies(q, terms.eq(y, number(0))),
            terms.eq(z, terms.plus(z, terms.minus(y, y))),
        ]
    )
    example = system(
        [relation("loop", terms.INT)],
        ((), TRUE, atom("loop", number(0))),
        ((atom("loop", x),), terms.and_([cases, terms.lt(x, number(3))]), atom("loop", y)),
        ((atom("loop", x),), terms.lt(number(3), x), query()),
    )
    assert bounds(example) == {"loop": 3}


def test_random_systems_against_enumeration() -> None:
    for seed in range(25):
        example = Generator(seed).system()
        verdict = bmc_child.solve(example, 6, {}, Deadline.after(9))
        if isinstance(verdict, Unknown):
            assert "bound 6 reached" in verdict.reason, seed
        else:
            assert isinstance(verdict, Unsafe) is reached(example), seed


def test_a_choice_means_the_same_when_the_model_rules_out_other_rules() -> None:
    """Found by the test above: choices were counted among the rules that are left."""
    for seed in (60, 92):
        example = Generator(seed).system()
        assert reached(example)
        assert refuted(example, Bmc(bound=6))


# ------------------------------------------------------------------------------------------- calls


def recursion(most: int, error_result: int) -> HornSystem:
    """`f(n) = n == 0 ? 0 : f(n - 1) + 2` for any `0 <= n <= most`."""
    less = terms.minus(x, one)
    calls = terms.not_(terms.eq(x, number(0)))
    return system(
        [
            relation("main.1", terms.INT),
            relation("main.2", terms.INT),
            relation("f.entry", terms.INT),
            relation("f.call", terms.INT),
            relation("f.exit", terms.INT, terms.INT),
        ],
        (
            (),
            terms.and_([terms.le(number(0), x), terms.le(x, number(most))]),
            atom("main.1", x),
        ),
        ((atom("main.1", x),), TRUE, atom("f.entry", x)),
        ((atom("main.1", x), atom("f.exit", x, y)), TRUE, atom("main.2", y)),
        ((atom("main.2", x),), terms.eq(x, number(error_result)), query()),
        ((atom("f.entry", x),), terms.eq(x, number(0)), atom("f.exit", x, number(0))),
        ((atom("f.entry", x),), calls, atom("f.call", x)),
        ((atom("f.call", x),), TRUE, atom("f.entry", less)),
        (
            (atom("f.call", x), atom("f.exit", less, y)),
            TRUE,
            atom("f.exit", x, terms.plus(y, number(2))),
        ),
    )


def test_recursion_is_unwound() -> None:
    assert bounds(recursion(5, 7))["f.entry"] in (5, 6), "the sixth call cannot happen"
    assert confirmed(recursion(5, 7), {"f.entry": 5})
    steps = refuted(recursion(9, 8)).steps
    assert len(steps) == 1 + 5 + 4 + 5 + 2, "contexts, calls and summaries of f(4) ... f(0)"
    assert "bound 3 reached" in reason(recursion(5, 7), Bmc(bound=3))
    assert not confirmed(recursion(5, 7), {"f.entry": 4})
    assert not confirmed(recursion(5, 8), {"f.entry": 5})


def test_calls_in_a_loop() -> None:
    assert len(refuted(horn_examples.calls_in_a_row(12)).steps) == 38


def test_a_summary_that_forgets_its_parameters_is_refused() -> None:
    """`f.exit` would hold of results of other calls, which unwinding does not see."""
    example = system(
        [
            relation("main", terms.INT),
            relation("f.entry", terms.INT),
            relation("f.exit", terms.INT, terms.INT),
        ],
        ((), TRUE, atom("main", x)),
        ((atom("main", x),), TRUE, atom("f.entry", x)),
        ((atom("f.entry", x),), TRUE, atom("f.exit", y, x)),
        ((atom("main", x), atom("f.exit", x, z)), terms.not_(terms.eq(x, z)), query()),
    )
    assert "changes the parameters of f.entry" in reason(example)
    assert not confirmed(example, {})


def test_quantifiers_are_refused() -> None:
    example = system(
        [relation("loop", terms.INT)],
        ((), terms.forall([y], terms.le(x, terms.times(y, y))), atom("loop", x)),
        ((atom("loop", x),), terms.lt(number(1), x), query()),
    )
    assert "a quantifier" in reason(example)


# ------------------------------------------------------------------------------------------ arrays


def filled(length: int, wrong: int, start: Term | None = None) -> HornSystem:
    """`for (i = 0; i < length; i++) a[i] = 7 * i; assert(a[k] != wrong)` for any `k < length`."""
    a, i, k = terms.symbol("a.m", MEMORY), terms.symbol("i.w", WORD), terms.symbol("k.w", WORD)

    def word(value: int) -> Term:
        return terms.bv_const(value, 32)

    byte = terms.bv_extract(terms.bv("bvmul", i, word(7)), 0, 7)
    first = terms.const_array(WORD, terms.bv_const(0, 8)) if start is None else start
    return system(
        [relation("fill", WORD, MEMORY)],
        ((), TRUE, atom("fill", word(0), first)),
        (
            (atom("fill", i, a),),
            terms.bv("bvult", i, word(length)),
            atom("fill", terms.bv("bvadd", i, word(1)), terms.store(a, i, byte)),
        ),
        (
            (atom("fill", i, a),),
            terms.and_(
                [
                    terms.bv("bvule", word(length), i),
                    terms.bv("bvult", k, word(length)),
                    terms.eq(terms.select(a, k), terms.bv_const(wrong, 8)),
                ]
            ),
            query(),
        ),
    )


def test_arrays_of_bit_vectors() -> None:
    assert bounds(filled(20, 8)) == {"fill": 20}
    assert len(refuted(filled(20, 7 * 19)).steps) == 22


def test_arrays_with_arbitrary_contents() -> None:
    b = terms.symbol("b.m", MEMORY)
    assert bounds(filled(6, 8, b)) == {"fill": 6}
    assert refuted(filled(6, 35, b))


def test_arrays_of_integers() -> None:
    assert isinstance(solve(horn_examples.array_initialisation(7)), Unsafe)


# ------------------------------------------------------------------------------------- C programs

NONDET = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n"


def encoding(place: Path, body: str, arithmetic: Arithmetic = Arithmetic.BV) -> Encoding:
    path = place / "program.c"
    path.write_text(NONDET + body)
    _, source = load([path], VerifyOptions(), Deadline.after(SECONDS))
    program = prepare(source)
    options = EncodeOptions(arithmetic, split_all=arithmetic is Arithmetic.INT)
    return encode(program, options, value_ranges(program))


def inputs(encoded: Encoding) -> list[Sequence[int]]:
    """The inputs of the refutation, site by site."""
    feed = feed_from(encoded, refuted(encoded.system), Deadline.after(SECONDS))
    return list(feed.values())


@pytest.mark.parametrize("arithmetic", list(Arithmetic))
@pytest.mark.parametrize("condition", ["x > 5", "x < -5", "x != 0 && x % 7 == 0"])
def test_inputs_near_0(condition: str, arithmetic: Arithmetic, tmp_path: Path) -> None:
    body = f"int main(void) {{ int x = __VERIFIER_nondet_int(); if ({condition}) reach_error(); }}"
    encoded = encoding(tmp_path, body, arithmetic)
    way, deadline = refuted(encoded.system), Deadline.after(SECONDS)
    ((found,),) = feed_from(encoded, way, deadline, most=16).values()
    assert min(found, (1 << 32) - found) < 16
    with pytest.raises(StageFailure, match="unsat"):
        feed_from(encoded, way, deadline, most=1)


CONCRETE = """int main(void) {
  unsigned s = 0;
  for (unsigned i = 0; i < 1000; i++) s += i ^ 5;
  if (s == %d) reach_error();
}"""


def test_a_concrete_loop_of_a_thousand_steps(tmp_path: Path) -> None:
    total = sum(i ^ 5 for i in range(1000))
    safe = encoding(tmp_path, CONCRETE % (total + 1)).system
    verdict = Bmc().solve(safe, Budget(Deadline.after(SECONDS)))
    assert isinstance(verdict, Safe)
    assert verdict.statistics["questions"] == 0, "constants decide everything"
    assert set(bounds(safe).values()) == {1000}
    unsafe = Bmc().solve(encoding(tmp_path, CONCRETE % total).system, Budget(Deadline.after(9)))
    assert isinstance(unsafe, Unsafe)
    assert len(unsafe.refutation.steps) == 1003


def test_an_error_behind_an_exact_value(tmp_path: Path) -> None:
    encoded = encoding(
        tmp_path,
        """int main(void) {
  unsigned h = 7;
  for (int i = 0; i < 3; i++) { unsigned x = __VERIFIER_nondet_int(); h = h * 31u + x; }
  if (h == 0xdeadbeef) reach_error();
}""",
    )
    (values,) = inputs(encoded)
    h = 7
    for value in values:
        h = (h * 31 + value) % (1 << 32)
    assert h == 0xDEADBEEF


@pytest.mark.parametrize("arithmetic", Arithmetic)
def test_recursion_in_c(tmp_path: Path, arithmetic: Arithmetic) -> None:
    text = """int fac(int n) { return n <= 1 ? 1 : n * fac(n - 1); }
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 6) return 0;
  if (fac(n) == %d) reach_error();
}"""
    assert inputs(encoding(tmp_path, text % 120, arithmetic)) == [(5,)]
    if arithmetic is Arithmetic.BV:
        assert set(bounds(encoding(tmp_path, text % 121).system)) == {"fac.entry"}


# -------------------------------------------------------------------------------- limits, clean-up

LONG = """int main(void) {
  unsigned s = 0;
  for (unsigned i = 0; i < 73000000; i++) s += i;
  if (s == 1) reach_error();
}"""


def children(of: int) -> set[int]:
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[1] == str(of):
            found.add(int(stat.parent.name))
    return found


def test_a_loop_of_millions_of_steps_ends_in_time(tmp_path: Path) -> None:
    example = encoding(tmp_path, LONG).system
    assert "time limit" in reason(example, seconds=2.0)
    assert not children(os.getpid())


def test_without_time_the_answer_is_unknown() -> None:
    assert "time limit" in reason(horn_examples.two_counters(3), seconds=0.0)


def test_nothing_is_left_behind_when_the_engine_is_ended() -> None:
    budget = Budget(Deadline.after(SECONDS))
    with Fork(lambda: Bmc().solve(horn_examples.two_counters(3), budget), budget.deadline) as fork:
        while not (found := children(fork.pid)):
            time.sleep(0.01)
        os.kill(fork.pid, signal.SIGKILL)
    end = time.monotonic() + 5.0
    while any(Path(f"/proc/{pid}").exists() for pid in found) and time.monotonic() < end:
        time.sleep(0.01)
    assert not any(Path(f"/proc/{pid}").exists() for pid in found)


# --------------------------------------------------------------------------------------- dump-smt


@pytest.mark.parametrize("example", [symbolic_counter(9, 3), filled(3, 14)])
def test_the_formula_is_satisfiable_when_the_query_is_reached(example: HornSystem) -> None:
    budget = Budget(Deadline.after(SECONDS))
    found = [
        check_unsat(_assertions(Bmc(bound=k).formula(example, budget)), Solver.Z3, budget.deadline)
        for k in (2, 3)
    ]
    assert [answer.status for answer in found] == [Status.UNSAT, Status.SAT]


def _assertions(script: str) -> str:
    """What `check_unsat` takes: no logic, no question."""
    left_out = ("(set-logic", "(check-sat", "(exit", "(set-info")
    return "\n".join(line for line in script.splitlines() if not line.startswith(left_out))
