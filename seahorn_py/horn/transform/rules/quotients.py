"""Rules without division by constants: a quotient and a remainder are new symbols of a rule.

`t div k` and `t mod k` become `q` and `r` where `t = k * q + r` and `0 <= r < |k|`; there is one
such pair for all divisions of one term by one number.  Engines that look for linear equations see
them then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import Atom, HornSystem, Query, Refutation, Rule, Step, formulas
from seahorn_py.horn.transform.transformation import Both, Inapplicable, same_model
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import fresh_like, is_quantified, nodes, rebuilt
from seahorn_py.logic.terms.terms import Term


@dataclass(frozen=True)
class Quotients:
    """Inapplicable where no rule divides by a constant; rules with quantifiers stay."""

    def apply(self, system: HornSystem) -> tuple[HornSystem, Both]:
        """The system of these rules, with the same models."""
        made = [_Divisions().rule(rule) for rule in system.rules]
        if all(one is rule for one, rule in zip(made, system.rules, strict=True)):
            raise Inapplicable("no division by a constant")
        own = {rule.name: _symbols(rule) for rule in system.rules}

        def step(one: Step) -> Step:
            values = {s: value for s, value in one.values.items() if s in own[one.rule]}
            return replace(one, values=values)

        def back(found: Refutation) -> Refutation:
            return Refutation(tuple(map(step, found.steps)))

        return replace(system, rules=tuple(made)), Both(same_model, back)


def _symbols(rule: Rule) -> frozenset[Term]:
    return frozenset[Term]().union(*map(terms.free_symbols, formulas(rule)))


class _Divisions:
    """Those of one rule."""

    def __init__(self) -> None:
        self._found: dict[tuple[Term, Term], tuple[Term, Term]] = {}
        self._built: dict[Term, Term] = {}
        self._conditions: list[Term] = []

    def rule(self, rule: Rule) -> Rule:
        """The rule without them; the same one if there are none."""
        if any(is_quantified(part) for part in formulas(rule)):
            return rule
        constraint = self._without(rule.constraint)
        body = tuple(self._atom(atom) for atom in rule.body)
        head = rule.head if isinstance(rule.head, Query) else self._atom(rule.head)
        if not self._found:
            return rule
        whole = terms.and_([constraint, *self._conditions])
        return replace(rule, body=body, constraint=whole, head=head)

    def _atom(self, atom: Atom) -> Atom:
        return replace(atom, arguments=tuple(map(self._without, atom.arguments)))

    def _without(self, term: Term) -> Term:
        for node in nodes(term):
            if node not in self._built:
                self._built[node] = self._node(node, [self._built[a] for a in node.args()])
        return self._built[term]

    def _node(self, node: Term, arguments: Sequence[Term]) -> Term:
        if not _divides(node):
            return rebuilt(node, tuple(arguments)) if arguments else node
        dividend, divisor = arguments
        if (dividend, divisor) not in self._found:
            self._found[dividend, divisor] = self._pair(dividend, divisor)
        quotient, rest = self._found[dividend, divisor]
        return quotient if node.function_name().symbol_name() == "div" else rest

    def _pair(self, dividend: Term, divisor: Term) -> tuple[Term, Term]:
        quotient, rest = (
            fresh_like(terms.variable(name, terms.INT)) for name in ("quotient", "rest")
        )
        size, zero = abs(terms.number(divisor)), terms.int_const(0)
        self._conditions += [
            terms.eq(dividend, terms.plus(terms.times(divisor, quotient), rest)),
            terms.le(zero, rest),
            terms.lt(rest, terms.int_const(size)),
        ]
        return quotient, rest


def _divides(node: Term) -> bool:
    """Whether a term divides by a constant that is not 0."""
    is_call = node.is_function_application() and len(node.args()) == 2
    if not is_call or node.function_name().symbol_name() not in ("div", "mod"):
        return False
    return bool(node.arg(1).is_int_constant() and terms.number(node.arg(1)) != 0)
