"""Quantifiers of a verification condition replaced by instances at the cells that occur in it.

What is asserted must be unsatisfiable.  An asserted `forall` is weakened to finitely many
instances, an asserted `exists` gets a constant; so if what remains is unsatisfiable, so was the
whole (Bradley, Manna, Sipma: "What's decidable about arrays?", VMCAI 2006: instances at the index
terms are enough for a large class of formulas, and are worth trying for all).  Which instances are
chosen matters to success only, never to soundness.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import islice, product
from typing import TypeVar

from seahorn_py.base.errors import InputError
from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import Atom, HornSystem, Model, Rule, atoms
from seahorn_py.horn.transform.cells.arrayflow import Classes, all_nodes, array_flow
from seahorn_py.horn.transform.cells.numbering import shape
from seahorn_py.logic.solvers.solvers import script_of
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes, rebuilt
from seahorn_py.logic.terms.linear import Forms, Linear, linear, number_form
from seahorn_py.logic.terms.terms import Sort, Term

MAX_INSTANCES = 256
"""How many instances one quantifier may become."""

ROUNDS = 2
"""How often instances are taken at the cells of instances."""

Key = TypeVar("Key", bound=Hashable)

Cells = Mapping[Sort, Sequence[Linear]]
"""Index terms by their sort."""


class Choice(Enum):
    """At which cells instances are taken.

    ACCESSED: those that are accessed.  LED_TO: those that are accessed, by an instance too, in
    versions of the array that is read.  NUMBERED: those of equal number in other arrays, too.
    """

    ACCESSED = "accessed"
    LED_TO = "led to"
    NUMBERED = "numbered"


def choices_for(model: Model) -> tuple[Choice, ...]:
    """All choices, the one first that suits the model: cells led to where it follows pointers."""
    follows = any(
        inner.is_select()
        for formula in model.interpretations.values()
        for quantified in nodes(formula)
        if quantified.is_quantifier()
        for _, index in _accesses(quantified.arg(0))
        for inner in nodes(index)
    )
    order = list(Choice)
    return tuple(sorted(order, key=lambda c: c is not Choice.LED_TO)) if follows else tuple(order)


class NotInstantiable(Exception):
    """A quantifier stands where its polarity is not known."""


def instance_condition(
    system: HornSystem, model: Model, rule: Rule, choice: Choice = Choice.ACCESSED
) -> str | None:
    """A script without quantifiers that is unsatisfiable only if the model makes `rule` valid.

    None when the condition has no quantifiers, or none that can be replaced.
    """
    formulas = [_formula(model, atom) for atom in atoms(rule)]
    if not any(map(terms.is_quantified, (*formulas, rule.constraint))):
        return None
    try:
        assertions = [interpretation_at(system, model, atom) for atom in rule.body]
        assertions.append(rule.constraint)
        if isinstance(rule.head, Atom):
            assertions.append(terms.not_(interpretation_at(system, model, rule.head)))
        return script_of(instantiate(assertions, choice))
    except (NotInstantiable, InputError):
        return None


def interpretation_at(system: HornSystem, model: Model, atom: Atom) -> Term:
    """The interpretation of an atom, at its arguments."""
    formula = _formula(model, atom)
    symbols = system.relations[atom.relation].symbols
    return terms.substitute(formula, dict(zip(symbols, atom.arguments, strict=True)))


def _formula(model: Model, atom: Atom) -> Term:
    return model.interpretations.get(atom.relation, terms.TRUE)


def instantiate(assertions: Sequence[Term], choice: Choice = Choice.ACCESSED) -> list[Term]:
    """Assertions without quantifiers that the given ones imply, up to names for witnesses.

    NotInstantiable when a quantifier stands under `iff` or in a condition.
    """
    bare = _Grounding({}, {})
    ground = [bare.asserted(a) for a in assertions]
    if choice is Choice.LED_TO:
        return _led_to(assertions, ground, bare.witnesses)
    numbers = list(_numbers(ground)) if choice is Choice.NUMBERED else []
    grounding = _Grounding(bare.witnesses, _cells(ground), numbers)
    return [grounding.asserted(a) for a in assertions]


def _led_to(
    assertions: Sequence[Term], ground: Sequence[Term], witnesses: dict[Term, _Witness]
) -> list[Term]:
    """Instances at cells of versions of the array, and once more at those of the instances."""
    bodies = [q.arg(0) for a in assertions for q in nodes(a) if q.is_quantifier()]
    classes = array_flow(all_nodes([*assertions, *bodies])).classes
    accessed = _by_version(ground, classes)
    for _ in range(ROUNDS):
        versions = _Versions(classes, accessed, _by_version(ground, classes))
        grounding = _Grounding(witnesses, _cells(ground), (), versions)
        ground = [grounding.asserted(a) for a in assertions]
    return list(ground)


@dataclass(frozen=True)
class _Witness:
    """The body of a quantifier at constants of its own."""

    constants: tuple[Term, ...]
    body: Term


@dataclass(frozen=True)
class _Versions:
    """Cells by the arrays that are versions of one another: those accessed, and by instances too.

    Quantifiers of one variable have instances at all of them, others at those accessed.
    """

    classes: Classes[Term]
    accessed: Mapping[Term, Sequence[Linear]]
    led_to: Mapping[Term, Sequence[Linear]]

    def cells(self, array: Term, variables: int) -> Sequence[Linear]:
        """The cells for an array that a quantifier of so many variables reads."""
        chosen = self.led_to if variables == 1 else self.accessed
        return chosen.get(self.classes.find(array), ())


class _Grounding:
    """One way of replacing quantifiers; the bodies at witnesses are shared between ways."""

    def __init__(
        self,
        witnesses: dict[Term, _Witness],
        cells: Cells,
        numbers: Sequence[Linear] = (),
        versions: _Versions | None = None,
    ) -> None:
        self.witnesses = witnesses
        self._cells = cells
        self._numbers = numbers
        self._versions = versions

    def asserted(self, formula: Term) -> Term:
        """A consequence of the formula."""
        return self._grounded(formula)[0]

    def _grounded(self, formula: Term) -> tuple[Term, Term]:
        """Formulas without quantifiers: one that `formula` implies, one that implies it."""
        if not terms.is_quantified(formula):
            return formula, formula
        found: dict[Term, tuple[Term, Term]] = {}
        for node in nodes(formula):
            if node.is_quantifier():
                found[node] = self._quantifier(node)
            elif not node.args():
                found[node] = node, node
            else:
                found[node] = self._connective(node, [found[a] for a in node.args()])
        return found[formula]

    def _connective(self, node: Term, parts: Sequence[tuple[Term, Term]]) -> tuple[Term, Term]:
        weaker, stronger = tuple(p[0] for p in parts), tuple(p[1] for p in parts)
        if all(w is s for w, s in parts):
            same = rebuilt(node, weaker)
            return same, same
        if node.is_and() or node.is_or():
            return rebuilt(node, weaker), rebuilt(node, stronger)
        if node.is_not():
            return rebuilt(node, stronger), rebuilt(node, weaker)
        if node.is_implies():
            return rebuilt(node, (stronger[0], weaker[1])), rebuilt(node, (weaker[0], stronger[1]))
        raise NotInstantiable

    def _quantifier(self, node: Term) -> tuple[Term, Term]:
        witness = self._grounded(self._witness(node))
        instances = [self._grounded(body) for body in self._instances(node)]
        if node.is_forall():
            return terms.and_(w for w, _ in instances), witness[1]
        return witness[0], terms.or_(s for _, s in instances)

    def _witness(self, node: Term) -> Term:
        """The body at constants of its own, the same each time it is asked for."""
        if node not in self.witnesses:
            constants = {v: terms.fresh_like(v) for v in node.quantifier_vars()}
            body = terms.substitute(node.arg(0), constants)
            self.witnesses[node] = _Witness(tuple(constants.values()), body)
        return self.witnesses[node].body

    def _instances(self, node: Term) -> Iterator[Term]:
        if not self._cells:
            return
        variables = node.quantifier_vars()
        choices = [self._values(v, node) for v in variables]
        for values in islice(product(*choices), MAX_INSTANCES):
            yield terms.substitute(node.arg(0), dict(zip(variables, values, strict=True)))

    def _values(self, variable: Term, node: Term) -> list[Term]:
        """The values at which a read of the body reads one of the cells, or any value."""
        found: dict[object, Term] = {}
        others = set(node.quantifier_vars()) - {variable}
        for array, index in _accesses(node.arg(0)):
            form = linear(index)
            coefficient = form.coefficients.get(variable, 0)
            rest = form.plus(linear(variable), -coefficient)
            if not coefficient or terms.free_symbols(rest.term()) & (others | {variable}):
                continue
            sign = 1 if coefficient > 0 else -1
            for cell in self._cells_for(array, index, len(others) + 1):
                value = cell.plus(rest, -1).times(sign).over(abs(coefficient))
                if value is not None:
                    found.setdefault(value.key, value.term())
        sort = terms.sort_of(variable)
        if sort is terms.INT:
            for number in self._numbers:
                found.setdefault(number.key, number.term())
        return list(found.values()) or self._any_values(sort)

    def _cells_for(self, array: Term, index: Term, variables: int) -> Sequence[Linear]:
        if self._versions is None:
            return self._cells.get(terms.sort_of(index), ())
        return self._versions.cells(array, variables)

    def _any_values(self, sort: Sort) -> list[Term]:
        """For a variable that no read names: the constants that stand for witnesses."""
        constants = (c for w in self.witnesses.values() for c in w.constants)
        found = [c for c in constants if terms.sort_of(c) == sort]
        return found or [terms.fresh_like(terms.variable("any", sort))]


def _accesses(formula: Term) -> Iterator[tuple[Term, Term]]:
    """The arrays that `formula` reads or changes, and where, outside of its quantifiers."""
    for node in nodes(formula):
        if node.is_select() or node.is_store():
            yield node.arg(0), node.arg(1)


def _numbers(formulas: Sequence[Term]) -> Iterator[Linear]:
    """The numbers of the accessed cells within their arrays, as far as their shapes tell."""
    forms = Forms(formulas)
    flow = array_flow(all_nodes(formulas))
    accesses: dict[Term, list[Linear]] = {}
    for access in flow.accesses:
        if terms.sort_of(access.index) is terms.INT:
            own = accesses.setdefault(flow.classes.find(access.array), [])
            own.append(forms.of(access.index))
    for own in accesses.values():
        offset, stride = shape(own)
        for form in own:
            number = form.plus(number_form(-offset)).over(stride)
            if number is not None:
                yield number


def _by_version(
    formulas: Sequence[Term], classes: Classes[Term]
) -> Mapping[Term, Sequence[Linear]]:
    """The cells that are accessed, by the arrays that are versions of one another."""
    return _accessed(formulas, lambda array, _: classes.find(array))


def _cells(formulas: Sequence[Term]) -> Cells:
    """The cells that are accessed, by their sort."""
    return _accessed(formulas, lambda _, index: terms.sort_of(index))


def _accessed(
    formulas: Sequence[Term], key: Callable[[Term, Term], Key]
) -> Mapping[Key, Sequence[Linear]]:
    """The cells that are accessed, by what the array and the index are counted under."""
    found: dict[Key, dict[object, Linear]] = {}
    forms = Forms(formulas)
    for formula in formulas:
        for array, index in _accesses(formula):
            form = forms.of(index)
            found.setdefault(key(array, index), {}).setdefault(form.key, form)
    return {one: list(cells.values()) for one, cells in found.items()}
