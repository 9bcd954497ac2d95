"""Interpolants of one derivation of any shape, or of many at once, by Spacer.

Rummer, Hojjat, Kuncak: Disjunctive interpolants for Horn-clause verification, CAV 2013.  A relation
for each step and a rule for each step make a Horn system without recursion; a solution of it says
what is enough to know of the fact of each step, and is a tree (or graph) of interpolants.  With
several rules for a step they are disjunctive: what is said of a fact holds however it is derived.
Rules quantify their symbols, so the formula of a rule is read once, however many steps apply it.

The interpolants become predicates, which no second solver need confirm: whether they hold is asked
anew in each abstract post.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import z3

from seahorn_py.base.errors import InputError
from seahorn_py.base.records import dataclass
from seahorn_py.logic.solvers.solver_child import message
from seahorn_py.logic.solvers.spacer.answer import Unreadable, definitions, formula_of
from seahorn_py.logic.solvers.spacer.fixedpoints import fixedpoint
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.smtlib import parse_term, print_sort, print_term

_SOURCE = "Spacer's interpolant"


@dataclass(frozen=True)
class Applied:
    """A step: a rule, the positions of its premises, which come before, and what it derives.

    `formula` is over `symbols` and `ports`, symbols for the arguments of the rule's atoms, those of
    the head last; a query has none for its head.  A name stands for one rule.  `parameters` are
    those of the relation that is derived, over which the interpolant is wanted; of a query none.
    """

    name: str
    formula: Term
    symbols: Sequence[Term]
    ports: Sequence[Sequence[Term]]
    premises: Sequence[int]
    parameters: Sequence[Term]


@dataclass(frozen=True)
class _Native:
    """The formula of a rule, its symbols and its ports."""

    formula: z3.ExprRef
    symbols: Sequence[z3.ExprRef]
    ports: Sequence[Sequence[z3.ExprRef]]


class Derivations:
    """Spacer on derivations by the rules of one system."""

    def __init__(self) -> None:
        self._context = z3.Context()
        self._read: dict[str, _Native] = {}

    def interpolants(
        self, steps: Sequence[Applied], others: Sequence[tuple[int, Applied]], seconds: float
    ) -> list[Term] | str:
        """A formula over the parameters of each step but the last, a query; or why not.

        `others` are more rules that derive the fact of a step, with its position.
        """
        try:
            return self._solve(steps, others, seconds)
        except Unreadable as failure:
            return f"Spacer: its answer cannot be read: {failure}"
        except (z3.Z3Exception, InputError) as failure:
            said = message(failure)
            return f"Spacer: {'time limit' if said.endswith('canceled') else said}"

    def _solve(
        self, steps: Sequence[Applied], others: Sequence[tuple[int, Applied]], seconds: float
    ) -> list[Term] | str:
        engine = fixedpoint(self._context, max(1, int(seconds * 1000)))
        relations: list[z3.FuncDeclRef] = []
        for number, step in enumerate(steps):
            head = self._native(step).ports[-1] if number < len(steps) - 1 else ()
            sorts = [*(p.sort() for p in head), z3.BoolSort(self._context)]
            relations.append(z3.Function(f"r!{number}", *sorts))
            engine.register_relation(relations[-1])
        for number, step in (*enumerate(steps), *others):
            engine.add_rule(self._rule(step, relations, number))
        found = engine.query(relations[-1]())
        if found != z3.unsat:
            return "Spacer finds a derivation" if found == z3.sat else "Spacer gives up"
        return self._solution(engine.get_answer(), steps, relations)

    def _rule(self, step: Applied, relations: Sequence[z3.FuncDeclRef], derived: int) -> z3.ExprRef:
        native = self._native(step)
        head = native.ports[-1] if derived < len(relations) - 1 else ()
        at = zip(step.premises, native.ports, strict=False)
        body = [relations[premise](*ports) for premise, ports in at]
        rule = z3.Implies(z3.And(*body, native.formula), relations[derived](*head))
        symbols = [*native.symbols, *(p for ports in native.ports for p in ports)]
        return z3.ForAll(symbols, rule) if symbols else rule

    def _native(self, rule: Applied) -> _Native:
        if rule.name not in self._read:
            names = {s: f"v!{k}" for k, s in enumerate(rule.symbols)}
            ports = [
                {s: f"a!{place}!{k}" for k, s in enumerate(own)}
                for place, own in enumerate(rule.ports)
            ]
            for port in ports:
                names |= port
            constants = self._constants(names)
            text = "".join(_declared(s, name) for s, name in names.items())
            text += f"(assert {print_term(rule.formula, names)})"
            read = z3.parse_smt2_string(text, ctx=self._context)
            self._read[rule.name] = _Native(
                z3.And(z3.BoolVal(True, self._context), *read),
                [constants[names[s]] for s in rule.symbols],
                [[constants[name] for name in port.values()] for port in ports],
            )
        return self._read[rule.name]

    def _constants(self, names: Mapping[Term, str]) -> dict[str, z3.ExprRef]:
        text = "".join(f"{_declared(s, n)}(assert (= {n} {n}))" for s, n in names.items())
        found = z3.parse_smt2_string(text, ctx=self._context)
        return {n: equal.arg(0) for n, equal in zip(names.values(), found, strict=True)}

    def _solution(
        self, solution: z3.ExprRef, steps: Sequence[Applied], relations: Sequence[z3.FuncDeclRef]
    ) -> list[Term]:
        """The formula of each step but the last, over the parameters of its relation."""
        known = definitions(solution)
        found = []
        for step, relation in zip(steps[:-1], relations[:-1], strict=True):
            names = {s: f"p!{k}" for k, s in enumerate(step.parameters)}
            text = formula_of(known, relation(*self._constants(names).values())).sexpr()
            found.append(parse_term(text, {n: s for s, n in names.items()}, _SOURCE))
        return found


def _declared(symbol: Term, name: str) -> str:
    return f"(declare-const {name} {print_sort(terms.sort_of(symbol))})"
