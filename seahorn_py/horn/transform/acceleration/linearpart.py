"""The linear part of a Horn system: what is no linear arithmetic over integers is arbitrary.

Parameters that are arrays are left out.  A term beyond linear arithmetic (a product of variables, a
division by a variable, the element of an array) becomes a symbol about which nothing is said;
within a rule, the same term becomes the same symbol.  The value of an element that a rule stores
and reads again is known.  The linear part derives whatever the system derives.  So a model of the
linear part is a model of the system, but a refutation of the linear part need not be one of the
system.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from pysmt import operators as op

from seahorn_py.base.records import dataclass
from seahorn_py.horn.ledger import Approximation, LedgerEntry
from seahorn_py.horn.system import Atom, HornSystem, Relation, Rule, atoms
from seahorn_py.horn.transform.transitions import transition
from seahorn_py.logic.presburger.presburger import Beyond, Presburger
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes, rebuilt
from seahorn_py.logic.terms.definitions import without_definitions
from seahorn_py.logic.terms.terms import Term

ARBITRARY = "what is no linear arithmetic is arbitrary"

OPERATIONS = 2_000_000
"""Elementary steps of isl to find out whether a rule is linear."""

_LINEAR = frozenset(
    {op.AND, op.OR, op.NOT, op.IMPLIES, op.IFF, op.ITE, op.EQUALS, op.LE, op.LT, op.PLUS, op.MINUS}
)


def linear_part(system: HornSystem, arithmetic: Presburger) -> HornSystem:
    """A system of integers and Booleans that derives at least what `system` does.

    Beyond where a relation has bit-vectors or reals.
    """
    relations = {name: _relation(relation) for name, relation in system.relations.items()}
    rules = tuple(_rule(rule, arithmetic) for rule in system.rules)
    entry = LedgerEntry(Approximation.OVER, ARBITRARY)
    return HornSystem(relations, rules, (*system.ledger, entry))


def _relation(relation: Relation) -> Relation:
    sorts = [p.sort for p in relation.parameters]
    strange = next((s for s in sorts if s.is_bv_type() or s.is_real_type()), None)
    if strange is not None:
        raise Beyond(f"a term of sort {strange} is no integer and no Boolean")
    kept = tuple(p for p in relation.parameters if _is_number(p.symbol))
    return replace(relation, parameters=kept)


def _is_number(term: Term) -> bool:
    return terms.sort_of(term) in (terms.INT, terms.BOOL)


def _rule(rule: Rule, arithmetic: Presburger) -> Rule:
    """The rule as it is where that is linear."""
    if _is_linear(rule, arithmetic):
        return rule
    named = _Named()
    changed = replace(
        rule,
        body=tuple(named.atom(atom) for atom in rule.body),
        head=named.atom(rule.head) if isinstance(rule.head, Atom) else rule.head,
        inputs=tuple(r for r in rule.inputs if r.extent is None and _is_number(r.symbol)),
    )
    known = {mark.symbol for mark in rule.blocks} | {read.symbol for read in changed.inputs}
    known = known.union(*(terms.free_symbols(read.guard) for read in changed.inputs))
    known = known.union(*(atom.arguments for atom in atoms(changed)))
    whole = terms.and_([rule.constraint, *named.equations])
    weakened = _Weakened()
    return replace(
        changed,
        constraint=weakened.term(without_definitions(whole, frozenset(known))),
        inputs=tuple(replace(r, guard=weakened.term(r.guard)) for r in changed.inputs),
    )


def _is_linear(rule: Rule, arithmetic: Presburger) -> bool:
    if not all(_is_number(a) for atom in atoms(rule) for a in atom.arguments):
        return False
    try:
        with arithmetic.within(OPERATIONS):
            transition(arithmetic, rule)
    except Beyond:
        return False
    return True


@dataclass
class _Named:
    """Atoms whose arguments are symbols of their own, with `equations` for what these are."""

    equations: list[Term] = field(default_factory=list)

    def atom(self, atom: Atom) -> Atom:
        """The atom without arrays."""
        return replace(atom, arguments=tuple(map(self._name, filter(_is_number, atom.arguments))))

    def _name(self, argument: Term) -> Term:
        name = terms.fresh_like(terms.variable("argument", terms.sort_of(argument)))
        self.equations.append(terms.eq(name, argument))
        return name


@dataclass
class _Weakened:
    """Terms of one rule with symbols for what is beyond linear arithmetic."""

    arbitrary: dict[Term, Term] = field(default_factory=dict)

    def term(self, term: Term) -> Term:
        """The weaker term of a number or a Boolean."""
        found: dict[Term, Term] = {}
        for node in nodes(term):
            if _is_number(node):
                found[node] = self._node(node, found)
        return found[term]

    def _node(self, node: Term, found: Mapping[Term, Term]) -> Term:
        if node.is_symbol() or node.is_constant():
            return node
        if node.is_quantifier():
            return self._any(node)
        if node.is_select():
            return self._element(node.arg(0), node.arg(1), found)
        arguments = tuple(found[a] for a in node.args() if a in found)
        if len(arguments) == len(node.args()) and _is_linear_in(node, arguments):
            return rebuilt(node, arguments)
        return self._any(node)

    def _element(self, array: Term, index: Term, found: Mapping[Term, Term]) -> Term:
        """What is stored last at the index."""
        if index not in found:
            return self._any(terms.select(array, index))
        stores = []
        while array.is_store():
            at, value = array.args()[1:]
            if at not in found or value not in found:
                break
            stores.append((found[at], found[value]))
            array = array.arg(0)
        result = self._any(terms.select(array, index))
        for at, value in reversed(stores):
            result = terms.ite(terms.eq(at, found[index]), value, result)
        return result

    def _any(self, node: Term) -> Term:
        if node not in self.arbitrary:
            like = terms.variable("arbitrary", terms.sort_of(node))
            self.arbitrary[node] = terms.fresh_like(like)
        return self.arbitrary[node]


def _is_linear_in(node: Term, arguments: tuple[Term, ...]) -> bool:
    kind = node.node_type()
    if kind == op.TIMES:
        return sum(not a.is_constant() for a in arguments) <= 1
    if kind == op.FUNCTION:
        name = node.function_name().symbol_name()
        divisor = arguments[-1]
        return (
            name in ("div", "mod") and divisor.is_int_constant() and divisor.constant_value() != 0
        )
    return kind in _LINEAR
