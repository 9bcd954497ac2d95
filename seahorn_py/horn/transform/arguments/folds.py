"""Folds of each value of a datatype as arguments beside it: its size, its depth, its sum.

Hojjat, Rummer: The Eldarica Horn solver, FMCAD 2018 (sizes).  Kostyukov, Mordvinov,
Fedyukovich: Beyond the elementary representations of program invariants over algebraic data types,
PLDI 2021.

A fold of a value follows from those of its fields (it is a catamorphism), so a rule says of the
folds of its terms what constructors, selectors, testers and equations say of the terms.
Folds are determined by the values: a refutation goes back without them, and in a model the
fold of an argument is written as a function of it.  Without `values` nothing but folds and
other sorts stays, and what a condition says of values is given up: then only models go back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import (
    Atom,
    HornSystem,
    Model,
    Parameter,
    Refutation,
    Relation,
    Rule,
    formulas,
)
from seahorn_py.horn.transform.transformation import Both, Inapplicable, Models
from seahorn_py.logic.terms import datatypes, terms
from seahorn_py.logic.terms.binding import nodes, rebuilt
from seahorn_py.logic.terms.datatypes import (
    Constructor,
    FoldKind,
    Part,
    fold_of,
    function_of,
)
from seahorn_py.logic.terms.terms import BOOL, INT, Term


@dataclass(frozen=True)
class Folds:
    """Folds for each argument that is a value of a datatype; `values` says that these stay."""

    kinds: tuple[FoldKind, ...] = (FoldKind.SIZE,)
    values: bool = True

    def apply(self, system: HornSystem) -> tuple[HornSystem, Both | Models]:
        """The system with folds; Inapplicable where no argument is a value of a datatype."""
        if not any(map(_is_value, _parameters(system))):
            raise Inapplicable("no argument is a value of a datatype")
        relations = {name: self._relation(r) for name, r in system.relations.items()}
        rules = tuple(self._rule(rule) for rule in system.rules)
        changed = HornSystem(relations, rules, system.ledger)

        def model_back(model: Model) -> Model:
            found = model.interpretations.items()
            own = {n: self._folds(system.relations[n]) for n in model.interpretations}
            return Model({n: terms.substitute(f, own[n]) for n, f in found})

        if not self.values:
            return changed, Models(model_back)
        return changed, Both(model_back, lambda refutation: _without_folds(system, refutation))

    def _relation(self, relation: Relation) -> Relation:
        kept = [p for p in relation.parameters if self.values or not _is_value(p.symbol)]
        return replace(relation, parameters=(*kept, *map(Parameter, self._folds(relation))))

    def _folds(self, relation: Relation) -> Mapping[Term, Term]:
        """A symbol for each fold of each value of a relation, and that fold."""
        found: dict[Term, Term] = {}
        for position, symbol in enumerate(relation.symbols):
            for kind in self.kinds:
                fold = fold_of(kind, symbol)
                if fold is not None:
                    name = f"{relation.name}!{kind.value}{position}"
                    found[terms.variable(name, INT)] = fold
        return found

    def _rule(self, rule: Rule) -> Rule:
        all_folds = [_RuleFolds(kind) for kind in self.kinds]
        for folds in all_folds:
            for part in formulas(rule):
                folds.add(part)
        conditions = [c for folds in all_folds for c in folds.conditions()]
        said = terms.and_([rule.constraint, *conditions])
        abstract = _WithoutValues()

        def argument(one: Term) -> Term:
            return one if self.values else abstract.of(one)

        def atom(one: Atom) -> Atom:
            kept = [argument(a) for a in one.arguments if self.values or not _is_value(a)]
            own = [m.of(a) for a in one.arguments if _is_value(a) for m in all_folds]
            return Atom(one.relation, (*kept, *own))

        return replace(
            rule,
            body=tuple(map(atom, rule.body)),
            constraint=argument(said),
            head=atom(rule.head) if isinstance(rule.head, Atom) else rule.head,
        )


def _parameters(system: HornSystem) -> Iterator[Term]:
    for relation in system.relations.values():
        yield from relation.symbols


def _is_value(term: Term) -> bool:
    return datatypes.known(str(terms.sort_of(term))) is not None


def _without_folds(system: HornSystem, refutation: Refutation) -> Refutation:
    rules = {rule.name: rule for rule in system.rules}
    steps = []
    for step in refutation.steps:
        rule = rules[step.rule]
        count = len(rule.head.arguments) if isinstance(rule.head, Atom) else 0
        own = {s for part in formulas(rule) for s in terms.free_symbols(part)}
        values = {s: value for s, value in step.values.items() if s in own}
        steps.append(replace(step, arguments=step.arguments[:count], values=values))
    return Refutation(tuple(steps))


class _RuleFolds:
    """A symbol for one fold of each value in a rule, and what the rule says of these."""

    def __init__(self, kind: FoldKind) -> None:
        self._kind = kind
        self._known: dict[Term, Term] = {}
        self._tests: dict[Term, None] = {}

    def of(self, value: Term) -> Term:
        """The symbol for the fold of a value."""
        if value not in self._known:
            self._known[value] = terms.fresh_like(terms.variable(self._kind.value, INT))
        return self._known[value]

    def add(self, part: Term) -> None:
        """Take the values in a part of the rule; Inapplicable for quantifiers."""
        for node in nodes(part):
            if node.is_quantifier():
                raise Inapplicable("a quantifier")
            if _is_value(node):
                self.of(node)
            elif _is_test(node):
                self._tests[node] = None

    def conditions(self) -> list[Term]:
        """What is true of the folds."""
        found = [c for value in list(self._known) for c in self._of_value(value)]
        found += [c for test in self._tests for c in self._of_test(test)]
        if self._kind is not FoldKind.SUM:
            found += [terms.le(terms.int_const(1), one) for one in self._known.values()]
        return found

    def _of_value(self, value: Term) -> Iterator[Term]:
        function = function_of(value)
        if function is not None and function.part is Part.CONSTRUCTOR:
            fields = value.args() if function.constructor.fields else ()
            yield terms.eq(self.of(value), self._whole(fields))
        elif value.is_ite():
            condition, then, otherwise = value.args()
            yield terms.implies(condition, terms.eq(self.of(value), self.of(then)))
            whole = terms.eq(self.of(value), self.of(otherwise))
            yield terms.or_([condition, whole])

    def _of_test(self, test: Term) -> Iterator[Term]:
        if test.is_equals():
            left, right = map(self.of, test.args())
            yield terms.implies(test, terms.eq(left, right))
            return
        function = function_of(test)
        assert function is not None
        value = test.arg(0)
        whole = self._whole(self._fields(value, function.constructor))
        yield terms.implies(test, terms.eq(self.of(value), whole))

    def _fields(self, value: Term, one: Constructor) -> list[Term]:
        """What selectors read of a value."""
        known = datatypes.all_functions()
        return [known[name]([value]) for name, _ in one.fields]

    def _whole(self, fields: Sequence[Term]) -> Term:
        """The fold of what a constructor makes of fields."""
        parts = [self.of(field) for field in fields if _is_value(field)]
        match self._kind:
            case FoldKind.SIZE:
                return terms.plus(terms.int_const(1), *parts)
            case FoldKind.DEPTH:
                return terms.plus(terms.int_const(1), *([_largest(parts)] if parts else []))
            case FoldKind.SUM:
                numbers = (field for field in fields if terms.sort_of(field) is INT)
                return terms.plus(terms.int_const(0), *parts, *numbers)


def _largest(parts: Sequence[Term]) -> Term:
    first, *others = parts
    if not others:
        return first
    rest = _largest(others)
    return terms.ite(terms.le(first, rest), rest, first)


def _is_test(node: Term) -> bool:
    """Whether a formula is an equation of values, or asks for a constructor."""
    if node.is_equals():
        return _is_value(node.arg(0))
    function = function_of(node)
    return function is not None and function.part is Part.TESTER


class _WithoutValues:
    """Terms in which whatever speaks of values is arbitrary; what is equal stays so."""

    def __init__(self) -> None:
        self._arbitrary: dict[Term, Term] = {}

    def of(self, term: Term) -> Term:
        """The term; Inapplicable where it is an array of values."""
        made: dict[Term, Term] = {}
        for node in nodes(term):
            if any(map(_is_value, node.args())) and not _is_value(node):
                made[node] = self._of_values(node)
            elif not _is_value(node):
                made[node] = (
                    rebuilt(node, tuple(made[a] for a in node.args())) if node.args() else node
                )
        return made[term]

    def _of_values(self, node: Term) -> Term:
        sort = terms.sort_of(node)
        if sort not in (BOOL, INT, terms.REAL):
            raise Inapplicable("an array of values")
        if node not in self._arbitrary:
            self._arbitrary[node] = terms.fresh_like(terms.variable("arbitrary", sort))
        return self._arbitrary[node]
