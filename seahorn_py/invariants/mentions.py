"""What the rules of a system say about the parameters of its relations: comparisons and numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import lcm

from seahorn_py.horn.system import Atom, HornSystem, Obligation, Relation, Rule, atoms
from seahorn_py.invariants.forms import compares, is_linear, readings
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes
from seahorn_py.logic.terms.terms import Term
from seahorn_py.policy.policy import policy

GREATEST_DIVISOR = 1000
"""The greatest number for whose divisors congruences of bit-vectors are looked for."""

WRAPPING = 2


def comparisons(system: HornSystem) -> Mapping[str, list[Term]]:
    """For each relation the comparisons of its parameters in the rules that leave it, in order."""
    found: dict[str, dict[Term, None]] = {name: {} for name in system.relations}
    for rule in sorted(system.rules, key=_interest):
        for atom in rule.body:
            back = _back(atom, system.relations[atom.relation])
            for node in _compared(rule):
                if terms.free_symbols(node) and terms.free_symbols(node) <= set(back):
                    found[atom.relation][terms.substitute(node, back)] = None
    return {name: list(of) for name, of in found.items()}


def inherited(
    system: HornSystem, compared: Mapping[str, Sequence[Term]]
) -> Mapping[str, list[Term]]:
    """What the comparisons of another relation say before the rule that leads there."""
    found: dict[str, dict[Term, None]] = {name: {} for name in system.relations}
    for rule in system.rules:
        if not isinstance(rule.head, Atom) or len(rule.body) != 1:
            continue
        (atom,), head = rule.body, rule.head
        if atom.relation == head.relation:
            continue
        back = _back(atom, system.relations[atom.relation])
        values = dict(zip(system.relations[head.relation].symbols, head.arguments, strict=True))
        for comparison in varying(system, head.relation, compared[head.relation]):
            before = terms.substitute(comparison, values)
            if terms.free_symbols(before) and terms.free_symbols(before) <= set(back):
                found[atom.relation][terms.substitute(before, back)] = None
    return {name: [c for c in of if is_linear(c)] for name, of in found.items()}


def varying(system: HornSystem, name: str, compared: Sequence[Term]) -> list[Term]:
    """Those linear comparisons that do not hold whenever a rule leaves the relation.

    What is required by every rule, as known ranges are, tells nothing apart.  What is asked about
    wrapping only is left out.
    """
    required: set[Term] | None = None
    mentioned: set[Term] = set()
    for rule in system.rules:
        for atom in rule.body:
            if atom.relation == name and _interest(rule) < WRAPPING:
                back = _back(atom, system.relations[name])
                given = rule.constraint.args() if rule.constraint.is_and() else (rule.constraint,)
                here = {terms.substitute(p, back) for p in given}
                required = here if required is None else required & here
                mentioned.update(terms.substitute(c, back) for c in _compared(rule))
    left = mentioned - (required or set())
    return [c for c in compared if c in left and is_linear(c)]


def thresholds(system: HornSystem) -> list[int]:
    """The numbers of the program and their neighbours, those nearest to 0 where they are many."""
    found = {0}
    for rule in system.rules:
        for part in parts(rule):
            for node in nodes(part):
                found.update(readings(node))
    near = sorted(found, key=abs)[: policy().invariants.most_thresholds]
    return sorted({sign * n + d for n in near for sign in (1, -1) for d in (-1, 0, 1)})


def odd_divisor(system: HornSystem) -> int:
    """An odd number that what bit-vectors are divided by divides, 1 where there is none."""
    found = 1
    for rule in system.rules:
        for part in parts(rule):
            for node in nodes(part):
                if _divides(node) and node.arg(1).is_bv_constant():
                    for divisor in readings(node.arg(1)):
                        wider = lcm(found, divisor >> _twos(divisor)) if divisor > 0 else found
                        found = wider if wider <= GREATEST_DIVISOR else found
    return found


def _divides(node: Term) -> bool:
    remainder = node.is_bv_urem() or node.is_bv_srem()
    return bool(remainder or node.is_bv_udiv() or node.is_bv_sdiv())


def _twos(value: int) -> int:
    return (value & -value).bit_length() - 1


def parts(rule: Rule) -> tuple[Term, ...]:
    """The constraint of a rule and the arguments of its atoms."""
    return (rule.constraint, *(a for atom in atoms(rule) for a in atom.arguments))


def multiplies(system: HornSystem) -> bool:
    """Whether the program has a product of what is no constant."""
    return any(
        (node.is_times() or node.is_bv_mul()) and sum(not a.is_constant() for a in node.args()) > 1
        for rule in system.rules
        for part in parts(rule)
        for node in nodes(part)
    )


def accumulates(system: HornSystem) -> bool:
    """Whether a rule adds parameters to each other: what is added up need not be linear."""
    return any(
        node.is_plus() and sum(a.is_symbol() for a in node.args()) > 1
        for rule in system.rules
        if isinstance(rule.head, Atom) and rule.head.relation in {a.relation for a in rule.body}
        for argument in rule.head.arguments
        for node in nodes(argument)
    )


def _interest(rule: Rule) -> int:
    """Where the program branches comes first, where an operation might wrap last."""
    if isinstance(rule.head, Atom):
        return 0
    return WRAPPING if isinstance(rule.head.kind, Obligation) else 1


def _back(atom: Atom, relation: Relation) -> Mapping[Term, Term]:
    pairs = zip(atom.arguments, relation.symbols, strict=True)
    return {argument: symbol for argument, symbol in pairs if argument.is_symbol()}


def _compared(rule: Rule) -> Iterator[Term]:
    return (node for part in parts(rule) for node in nodes(part) if compares(node))
