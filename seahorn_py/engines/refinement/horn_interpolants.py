"""Interpolants of a derivation of any shape, by Spacer.

Rummer, Hojjat, Kuncak: Disjunctive interpolants for Horn-clause verification, CAV 2013.  A relation
for each step and a rule for each step make a Horn system without recursion; a solution of it says
what is enough to know of the fact of each step, and is a tree (or graph) of interpolants.  Rules
quantify their symbols, so a rule's formula is read once, whatever steps apply it.

Predicates need not be confirmed by a second solver: what they abstract is asked anew.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import z3

from seahorn_py.engines.refinement.derivation import Derivation, Formulas, Place
from seahorn_py.errors import InputError
from seahorn_py.horn.ruleformula import RuleFormula
from seahorn_py.logic.interpolation.spacer_answer import Unreadable, definitions, formula_of
from seahorn_py.logic.solvers.solver_child import message
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.smtlib import parse_term, print_sort, print_term

Native = Any

_SOURCE = "Spacer's interpolant"
_OPTIONS = {"xform.slice": False, "xform.inline_linear": False, "xform.inline_eager": False}


class HornInterpolation:
    """Spacer on derivations of one system."""

    def __init__(self, formulas: Formulas) -> None:
        self._formulas = formulas
        self._context = z3.Context()
        self._read: dict[str, tuple[Native, list[Native], list[list[Native]]]] = {}

    def ask(self, of: Derivation, until: float, seconds: float) -> list[Term] | str:
        """A formula over the parameters of its relation for each step but the last; or why not."""
        try:
            return self._solve(of, min(until - time.monotonic(), seconds))
        except Unreadable as failure:
            return f"Spacer: its answer cannot be read: {failure}"
        except (z3.Z3Exception, InputError) as failure:
            said = message(failure)
            return f"Spacer: {'time limit' if said == 'canceled' else said}"

    def _solve(self, of: Derivation, seconds: float) -> list[Term] | str:
        engine = z3.Fixedpoint(ctx=self._context)
        milliseconds = max(1, int(seconds * 1000))
        engine.set("engine", "spacer", "timeout", milliseconds)
        for name, value in _OPTIONS.items():
            engine.set(name, value)
        boolean = z3.BoolSort(self._context)
        relations: list[Native] = []
        for number, step in enumerate(of.steps):
            formula, own, ports = self._native(self._formulas.of(step.rule))
            is_query = number == len(of.steps) - 1
            head = [] if is_query else [p.sort() for p in ports[-1]]
            relation = z3.Function(f"r!{number}", *head, boolean)
            engine.register_relation(relation)
            relations.append(relation)
            body = [relations[p](*at) for p, at in zip(step.premises, ports, strict=False)]
            conclusion = relation(*([] if is_query else ports[-1]))
            rule = z3.Implies(z3.And(*body, formula), conclusion)
            symbols = [*own, *(p for at in ports for p in at)]
            engine.add_rule(z3.ForAll(symbols, rule) if symbols else rule)
        found = engine.query(relations[-1]())
        if found != z3.unsat:
            return "Spacer finds a derivation" if found == z3.sat else "Spacer gives up"
        return self._solution(engine.get_answer(), of.steps, relations)

    def _native(self, rule: RuleFormula) -> tuple[Native, list[Native], list[list[Native]]]:
        """The formula of a rule, its symbols and its ports."""
        if rule.rule.name not in self._read:
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
            formula = z3.And(z3.BoolVal(True, self._context), *read)
            self._read[rule.rule.name] = (
                formula,
                [constants[names[s]] for s in rule.symbols],
                [[constants[name] for name in port.values()] for port in ports],
            )
        return self._read[rule.rule.name]

    def _constants(self, names: Mapping[Term, str]) -> dict[str, Native]:
        text = "".join(f"{_declared(s, n)}(assert (= {n} {n}))" for s, n in names.items())
        found = z3.parse_smt2_string(text, ctx=self._context)
        return {n: equal.arg(0) for n, equal in zip(names.values(), found, strict=True)}

    def _solution(
        self, solution: Native, steps: Sequence[Place], relations: Sequence[Native]
    ) -> list[Term]:
        """The formula of each step but the last, over the parameters of its relation."""
        known = definitions(solution)
        found = []
        for step, relation in zip(steps[:-1], relations[:-1], strict=True):
            symbols = self._formulas.relations[step.node.relation].symbols
            names = {s: f"p!{k}" for k, s in enumerate(symbols)}
            text = formula_of(known, relation(*self._constants(names).values())).sexpr()
            found.append(parse_term(text, {n: s for s, n in names.items()}, _SOURCE))
        return found


def _declared(symbol: Term, name: str) -> str:
    return f"(declare-const {name} {print_sort(terms.sort_of(symbol))})"
