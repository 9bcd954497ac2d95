"""Ranking functions of polyhedral relations, by Farkas' lemma.

    A. Podelski, A. Rybalchenko: "A complete method for the synthesis of linear ranking functions",
      VMCAI 2004                                                          -> `_bounded`, `_falls`
    A. Bradley, Z. Manna, H. Sipma: "Linear ranking with reachability", CAV 2005;
    C. Alias, A. Darte, P. Feautrier, L. Gonnord: "Multi-dimensional rankings, program termination,
      and complexity bounds of flowchart programs", SAS 2010              -> `lexicographic`
    J. Leike, M. Heizmann: "Ranking templates for linear loops", TACAS 2014,
    A. Ben-Amram, S. Genaim: "On multiphase-linear ranking functions", CAV 2017  -> `_nested`

Farkas' lemma: a linear expression is at least 0 in a polyhedron that is not empty if and only if it
is a sum of its constraints with weights of at least 0, and of a number of at least 0.  So each
condition on an unknown expression becomes linear equations over its coefficients and the weights.

What is found is a candidate: whether the program decreases it is checked by others.

Limitations: polyhedra are taken over the rationals, without the integer divisions that isl knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from functools import partial
from math import lcm
from typing import TypeVar

from seahorn_py.base.records import dataclass
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import solve_script
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline

SMALL = (1, 10, 1_000)
"""Up to here numbers are small: those of most ranks, and of others."""

T = TypeVar("T")


@dataclass(frozen=True)
class Row:
    """`sum(before * x) + sum(after * x') + constant >= 0`, or `= 0` if it is an equation.

    `x` are the values before a round, `x'` those after it.
    """

    before: tuple[int, ...]
    after: tuple[int, ...]
    constant: int
    is_equation: bool


Polyhedron = tuple[Row, ...]


@dataclass(frozen=True)
class Linear:
    """An expression over the values at the head: a coefficient for each, and a constant."""

    coefficients: tuple[int, ...]
    constant: int


def lexicographic(
    rounds: Sequence[Polyhedron], usable: Sequence[int], deadline: Deadline
) -> tuple[Linear, ...] | None:
    """A lexicographic rank of all rounds: in each of them some expression falls, from 1 at least.

    No expression in front of it rises.  A negative value of an expression counts as 0.  Only the
    coordinates in `usable` occur.  None if no rank of a known kind is found before the deadline.
    """
    left, found = list(rounds), list[Linear]()
    while left:
        soon = deadline.share(policy().termination.small_share)
        answer = _small(partial(_Question.falling, wish="and"), left, usable, soon)
        if answer is None:
            answer = _smallest(partial(_Question.falling, wish="or"), left, usable, deadline)
        if answer is None:
            nested = _nested(left, usable, deadline)
            return None if nested is None else (*found, *nested)
        expression, falls = answer
        found.append(expression)
        left = [one for k, one in enumerate(left) if k not in falls]
    return tuple(found)


def _nested(
    left: Sequence[Polyhedron], usable: Sequence[int], deadline: Deadline
) -> tuple[Linear, ...] | None:
    """A rank in phases: each expression falls once the one before it is negative."""
    for phases in range(2, policy().termination.most_phases + 1):
        found = _smallest(partial(_Question.phases, count=phases), left, usable, deadline)
        if found is not None:
            return found
    return None


def _smallest(
    ask: Callable[[_Question], T | None],
    left: Sequence[Polyhedron],
    usable: Sequence[int],
    deadline: Deadline,
) -> T | None:
    """An answer with small integers, which tells a reader more; with any numbers if there is none.

    Any numbers are asked for first: that there are none is soon known, and of small integers often
    never.
    """
    found = ask(_Question(left, usable, deadline, None))
    if found is None:
        return None
    soon = deadline.share(policy().termination.small_share)
    return _small(ask, left, usable, soon) or found


def _small(
    ask: Callable[[_Question], T | None],
    left: Sequence[Polyhedron],
    usable: Sequence[int],
    deadline: Deadline,
) -> T | None:
    """An answer with small integers; None if there is none."""
    answers = (ask(_Question(left, usable, deadline, bound)) for bound in SMALL)
    return next((answer for answer in answers if answer is not None), None)


@dataclass
class _Question:
    """A script over unknown expressions, and the weights of the constraints of each polyhedron."""

    rounds: Sequence[Polyhedron]
    usable: Sequence[int]
    deadline: Deadline
    bound: int | None
    lines: list[str] = field(default_factory=list)
    weights: int = 0

    def falling(self, wish: str) -> tuple[Linear, frozenset[int]] | None:
        """An expression that rises in no round, and the rounds in which it falls.

        It falls in all rounds if `wish` is "and", and in at least one if it is "or".  Only positive
        values count: a round may also make the expression 0 or less.
        """
        expression = self._expression("f")
        marks = [f"falls{k}" for k in range(len(self.rounds))]
        for k, (mark, polyhedron) in enumerate(zip(marks, self.rounds, strict=True)):
            lower, none, number = f"lower{k}", f"none{k}", f"{mark}.number"
            self.lines += [f"(declare-const {name} Bool)" for name in (mark, lower, none)]
            self.lines.append(f"(define-fun {number} () Real (ite {mark} 1.0 0.0))")
            self.lines.append(f"(assert (or {lower} {none}))")
            self._falls(polyhedron, expression, number, when=lower)
            self._vanishes(polyhedron, expression, none)
            self._bounded(polyhedron, expression, "1", mark)
        self.lines.append(f"(assert ({wish} {marks[0]} {' '.join(marks)}))")
        numbers = [f"{mark}.number" for mark in marks]
        values = self._solved([*expression, *numbers])
        if values is None:
            return None
        falls = frozenset(k for k, n in enumerate(numbers) if values[n] == 1)
        return self._linear([expression], values)[0], falls

    def phases(self, count: int) -> tuple[Linear, ...] | None:
        """A nested ranking function of so many phases."""
        unknown = [self._expression(f"f{k}.") for k in range(count)]
        for polyhedron in self.rounds:
            for k, expression in enumerate(unknown):
                before = unknown[k - 1] if k else None
                self._falls(polyhedron, expression, "1", before)
            self._bounded(polyhedron, unknown[-1], "0")
        values = self._solved([name for expression in unknown for name in expression])
        if values is None:
            return None
        found = self._linear(unknown, values)
        return tuple(Linear(f.coefficients, f.constant + 1) for f in found)

    def _expression(self, name: str) -> list[str]:
        """Declare unknown coefficients of the usable coordinates, and a constant at the end."""
        names = [f"{name}c{k}" for k in (*self.usable, "")]
        for n in names:
            if self.bound is None:
                self.lines.append(f"(declare-const {n} Real)")
                continue
            self.lines += [
                f"(declare-const {n}i Int)",
                f"(define-fun {n} () Real (to_real {n}i))",
                f"(assert (<= (- {self.bound}) {n}i {self.bound}))",
            ]
        return names

    def _falls(
        self,
        polyhedron: Polyhedron,
        f: list[str],
        by: str,
        more: list[str] | None = None,
        when: str = "true",
    ) -> None:
        """Assert `f(x) - f(x') + more(x) >= by`."""
        before = dict(zip(self.usable, f, strict=False))
        after = {k: f"(- {name})" for k, name in before.items()}
        constant = f"(- {by})"
        if more is not None:
            before = {k: f"(+ {before[k]} {more[n]})" for n, k in enumerate(self.usable)}
            constant = f"(- {more[-1]} {by})"
        self._implied(polyhedron, before, after, constant, when)

    def _vanishes(self, polyhedron: Polyhedron, f: list[str], when: str) -> None:
        """Assert `f(x') <= 0`."""
        after = {k: f"(- {name})" for k, name in zip(self.usable, f, strict=False)}
        self._implied(polyhedron, {}, after, f"(- {f[-1]})", when)

    def _bounded(
        self, polyhedron: Polyhedron, f: list[str], least: str, when: str = "true"
    ) -> None:
        """Assert `f(x) >= least`."""
        before = dict(zip(self.usable, f, strict=False))
        self._implied(polyhedron, before, {}, f"(- {f[-1]} {least})", when)

    def _implied(
        self,
        polyhedron: Polyhedron,
        before: Mapping[int, str],
        after: Mapping[int, str],
        constant: str,
        when: str,
    ) -> None:
        """Assert: if `when` holds, `before(x) + after(x') + constant >= 0` in the polyhedron."""
        weights = [self._weight(row.is_equation) for row in polyhedron]
        size = len(polyhedron[0].before) if polyhedron else 0
        equal = []
        for k in range(size):
            total = _sum(_scaled(r.before[k], w) for r, w in zip(polyhedron, weights, strict=True))
            equal.append(f"(= {before.get(k, '0')} {total})")
            total = _sum(_scaled(r.after[k], w) for r, w in zip(polyhedron, weights, strict=True))
            equal.append(f"(= {after.get(k, '0')} {total})")
        spare = self._weight(False)
        parts = [_scaled(r.constant, w) for r, w in zip(polyhedron, weights, strict=True)]
        equal.append(f"(= {constant} {_sum([*parts, spare])})")
        self.lines.append(f"(assert (=> {when} (and {' '.join(equal)})))")

    def _weight(self, is_free: bool) -> str:
        self.weights += 1
        name = f"w{self.weights}"
        self.lines.append(f"(declare-const {name} Real)")
        if not is_free:
            self.lines.append(f"(assert (<= 0 {name}))")
        return name

    def _solved(self, wanted: Sequence[str]) -> dict[str, Fraction] | None:
        found = solve_script("\n".join(self.lines), wanted, Solver.Z3, self.deadline)
        if found is None:
            return None
        return {name: Fraction(value.constant_value()) for name, value in found.items()}

    def _linear(
        self, unknown: Sequence[list[str]], values: Mapping[str, Fraction]
    ) -> tuple[Linear, ...]:
        """The expressions, all scaled so that their coefficients are integers."""
        scale = lcm(*(values[name].denominator for f in unknown for name in f))
        size = len(self.rounds[0][0].before)
        found = []
        for names in unknown:
            numbers = [int(values[name] * scale) for name in names]
            row = [0] * size
            for k, number in zip(self.usable, numbers, strict=False):
                row[k] = number
            found.append(Linear(tuple(row), numbers[-1]))
        return tuple(found)


def _scaled(factor: int, name: str) -> str:
    if factor == 0:
        return ""
    number = str(factor) if factor > 0 else f"(- {-factor})"
    return name if factor == 1 else f"(* {number} {name})"


def _sum(parts: Iterable[str]) -> str:
    kept = [part for part in parts if part]
    if len(kept) < 2:
        return kept[0] if kept else "0"
    return f"(+ {' '.join(kept)})"
