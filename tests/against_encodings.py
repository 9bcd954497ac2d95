"""The encodings of a generated straight-line program against its native runs.

With the inputs of a run fixed, the rule of the check must be satisfiable with the oracle equal to
the result of the native run, and with no other oracle.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import z3
from differential import Compiled, Mismatch, Observation, compile_text, observe
from generated import File

from seahorn_py.encode.encoder import encode
from seahorn_py.encode.encoding import Arithmetic, EncodeOptions
from seahorn_py.horn.system import Approximation, Check, HornSystem, InputRead, Query, Rule
from seahorn_py.ir.program import Program
from seahorn_py.ir.types import IntType
from seahorn_py.logic import terms
from seahorn_py.logic.solvers import script_of
from seahorn_py.logic.terms import Term
from seahorn_py.options import Inlining
from seahorn_py.passes.pipeline import prepare

OPTIONS = {"bv": EncodeOptions(Arithmetic.BV), "int": EncodeOptions(split_all=True)}
SOLVER_MILLISECONDS = 20_000


def encoding_differences(
    file: File, bits: int, draws: int, seed: int
) -> tuple[list[Mismatch], int, int]:
    """Mismatches, the number of questions, and how many were answered by an approximation."""
    with tempfile.TemporaryDirectory(prefix="sea-encodings-") as folder:
        compiled = compile_text(file.text(), bits, Path(folder), Inlining.ALL)
        observed = {k: list(observe(compiled, k, draws, seed)) for k, _ in file.functions}
    program = prepare(compiled.source)
    found: list[Mismatch] = []
    asked = loose = 0
    for name, options in OPTIONS.items():
        system = encode(program, options).system
        approximate = any(e.kind is Approximation.OVER for e in system.ledger)
        rule = _rule_of_the_check(system)
        constraint = z3.parse_smt2_string(script_of([rule.constraint]))
        for function, seen in _questions(observed):
            asked += 1
            equal = _answer([*constraint, *_fixed(rule, program, compiled, seen, True)])
            other = _answer([*constraint, *_fixed(rule, program, compiled, seen, False)])
            wanted = z3.unsat if seen.result is None else z3.sat
            wrong = equal == z3.unsat if wanted == z3.sat else equal == z3.sat and not approximate
            if wrong or (other == z3.sat and not approximate):
                found.append(Mismatch(function, f"{name}: equal {equal}, other {other}: {seen}"))
            loose += other != z3.unsat
    return found, asked, loose


def _questions(observed: dict[int, list[Observation]]) -> Iterator[tuple[int, Observation]]:
    for function, observations in observed.items():
        yield from ((function, seen) for seen in observations)


def _rule_of_the_check(system: HornSystem) -> Rule:
    rules = [
        r for r in system.rules if isinstance(r.head, Query) and isinstance(r.head.kind, Check)
    ]
    assert len(rules) == 1, [r.name for r in rules]
    return rules[0]


def _answer(assertions: list[z3.BoolRef]) -> z3.CheckSatResult:
    solver = z3.Solver()
    solver.set("timeout", SOLVER_MILLISECONDS)
    solver.add(*assertions)
    return solver.check()


def _fixed(
    rule: Rule, program: Program, compiled: Compiled, seen: Observation, equal: bool
) -> list[z3.BoolRef]:
    """The inputs of a run, with an oracle that is equal to the result or that is not.

    A run that ended before the check has no result: then no oracle at all may violate it.
    """
    feed = dict(seen.expected.feed)
    result = feed.pop(compiled.roles.oracle, (0,))[0]
    widths = {s.number: s.type.width for s in program.sites if isinstance(s.type, IntType)}
    fixed = []
    for read in rule.inputs:
        if read.site != compiled.roles.oracle:
            fixed.append(_holds(read, widths[read.site], feed.get(read.site, (0,))[0]))
        elif seen.result is not None:
            same = _holds(read, widths[read.site], result)
            fixed.append(same if equal else terms.not_(same))
    return list(z3.parse_smt2_string(script_of(fixed)))


def _holds(read: InputRead, width: int, value: int) -> Term:
    """The input has this value, in whichever representation."""
    sort = terms.sort_of(read.symbol)
    if sort is terms.BOOL:
        return read.symbol if value else terms.not_(read.symbol)
    if sort is terms.INT:
        wrapped = terms.mod(read.symbol, terms.int_const(1 << width))
        return terms.eq(wrapped, terms.int_const(value))
    return terms.eq(read.symbol, terms.bv_const(value, width))
