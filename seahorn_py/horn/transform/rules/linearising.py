"""Rules of several premises become rules of one, where a premise waits while another is derived.

If all that a premise B is derived from has linear rules and does not depend on the head, then
`A(x) and B(y)` is one relation: it begins with a fact of A beside a fact of what B comes from, and
goes on by the rules of B while x stays (the product of Pettorossi and Proietti: Transformation of
logic programs, 1998, with one side at rest).  So calls of loops that end in themselves, and queries
about several recursive relations, are linear systems.

In a model B holds of the values that are beside every x of A: `for all x, A(x) implies AB(x, y)`.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import replace
from itertools import count

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import (
    Atom,
    HornSystem,
    Model,
    Refutation,
    Relation,
    Rule,
    Step,
)
from seahorn_py.horn.transform.rules.pruning import pruned
from seahorn_py.horn.transform.transformation import Both, Inapplicable
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import fresh_like
from seahorn_py.logic.terms.terms import Term

MOST_PRODUCTS = 12
"""A system that would need more stays as it is."""


@dataclass(frozen=True)
class _Product:
    """`first` at rest beside each relation of a cone: names of the relations that are both."""

    first: str
    names: Mapping[str, str]


@dataclass(frozen=True)
class Linearising:
    """Inapplicable where no rule has a premise that can be waited for."""

    def apply(self, system: HornSystem) -> tuple[HornSystem, Both]:
        """The system with products of relations."""
        made = _Products(system)
        made.run()
        if not made.products or len(made.products) > MOST_PRODUCTS:
            raise Inapplicable("no premise can be waited for")
        underivable, useless, rules = pruned(made.relations, made.rules)
        gone = underivable | useless
        left = {name: one for name, one in made.relations.items() if name not in gone}
        said = dict.fromkeys(underivable, terms.FALSE)

        def model(found: Model) -> Model:
            return made.model({**found.interpretations, **said})

        changed = HornSystem(left, tuple(rules), system.ledger)
        return changed, Both(model, made.refutation)


class _Products:
    """Relations and rules while premises are put together, and the ways back.

    `_places` says for each rule which of its own premises stand for each premise that it has now.
    """

    def __init__(self, system: HornSystem) -> None:
        self.relations = dict(system.relations)
        self.rules = list(system.rules)
        self.products: list[_Product] = []
        self._given = system
        self._places: dict[str, list[tuple[int, ...]]] = {
            r.name: [(k,) for k in range(len(r.body))] for r in system.rules
        }
        self._whole: dict[str, str] = {}

    def run(self) -> None:
        """Put two premises together as long as that can be done."""
        while len(self.products) <= MOST_PRODUCTS:
            found = next(self._candidates(), None)
            if found is None:
                return
            self._join(*found)

    def _candidates(self) -> Iterator[tuple[int, int]]:
        """Rules, by their places, with the premise of each that can be waited for."""
        for at, rule in enumerate(self.rules):
            for place in range(len(rule.body) - 1, -1, -1) if len(rule.body) > 1 else ():
                cone = self._cone(rule.body[place].relation)
                own = [r for r in self.rules if _head(r) in cone]
                is_given = cone <= self._given.relations.keys()
                if is_given and _head(rule) not in cone and all(len(r.body) < 2 for r in own):
                    yield at, place

    def _cone(self, relation: str) -> set[str]:
        """What the relation depends on, with itself."""
        found, open_ = {relation}, [relation]
        while open_:
            name = open_.pop()
            own = (rule for rule in self.rules if _head(rule) == name)
            new = {atom.relation for rule in own for atom in rule.body} - found
            found |= new
            open_ += new
        return found

    def _join(self, at: int, place: int) -> None:
        """Put a premise of a rule beside another one."""
        rule, other = self.rules[at], 0 if place else 1
        first, second = rule.body[other], rule.body[place]
        product = self._product(first.relation, second.relation)
        both = Atom(product.names[second.relation], (*first.arguments, *second.arguments))
        left = [k for k in range(len(rule.body)) if k not in (place, other)]
        self.rules[at] = replace(rule, body=(both, *(rule.body[k] for k in left)))
        own = self._places[rule.name]
        self._places[rule.name] = [own[other] + own[place], *(own[k] for k in left)]

    def _product(self, first: str, second: str) -> _Product:
        """The product of these relations, with the rules that it needs."""
        for known in self.products:
            if known.first == first and second in known.names:
                return known
        cone = sorted(self._cone(second))
        names = {name: _free(f"{first} beside {name}", self.relations) for name in cone}
        resting = self.relations[first].parameters
        for name, own in names.items():
            parameters = (*resting, *self.relations[name].parameters)
            fresh = tuple(replace(p, symbol=fresh_like(p.symbol)) for p in parameters)
            self.relations[own] = Relation(own, fresh, self.relations[name].origin)
        product = _Product(first, names)
        self.products.append(product)
        self.rules += [self._beside(r, product) for r in self.rules if _head(r) in names]
        return product

    def _beside(self, rule: Rule, product: _Product) -> Rule:
        """The rule of a cone while the first relation rests."""
        assert isinstance(rule.head, Atom)
        waiting = tuple(map(fresh_like, self.relations[product.first].symbols))
        head = Atom(product.names[rule.head.relation], (*waiting, *rule.head.arguments))
        body = [Atom(product.names[a.relation], (*waiting, *a.arguments)) for a in rule.body]
        name = _free(f"{rule.name} beside {product.first}", self._places)
        self._places[name], self._whole[name] = [], rule.name
        first = Atom(product.first, waiting)
        return Rule(name, tuple(body) or (first,), rule.constraint, head, origin=rule.origin)

    # --------------------------------------------------------------------------------- ways back

    def model(self, found: Mapping[str, Term]) -> Model:
        """A model of the given system; it has quantifiers."""
        said = dict(found)
        for product in reversed(self.products):
            for name, both in product.names.items():
                if both in said:
                    beside = self._beside_all(self.relations[product.first], name, both, said)
                    said[name] = terms.and_([said.get(name, terms.TRUE), beside])
        return Model({name: said[name] for name in self._given.relations if name in said})

    def _beside_all(
        self, resting: Relation, name: str, both: str, said: Mapping[str, Term]
    ) -> Term:
        """The values that are beside every fact of the relation at rest."""
        waiting = [fresh_like(symbol) for symbol in resting.symbols]
        given = dict(zip(resting.symbols, waiting, strict=True))
        first = terms.substitute(said.get(resting.name, terms.TRUE), given)
        values = (*waiting, *self.relations[name].symbols)
        own = dict(zip(self.relations[both].symbols, values, strict=True))
        return terms.forall(waiting, terms.implies(first, terms.substitute(said[both], own)))

    def refutation(self, found: Refutation) -> Refutation:
        """The steps of the given system; a step of a product is one of its cone.

        `facts` are those of the given system for which each step stands.
        """
        steps: list[Step] = []
        facts: list[tuple[int, ...]] = []
        sizes = {rule.name: len(rule.body) for rule in self._given.rules}
        for step in found.steps:
            own = [facts[premise] for premise in step.premises]
            if step.rule in self._whole:
                rule = self._whole[step.rule]
                waiting, last = (own[0][:-1], own[0][-1:]) if sizes[rule] else (own[0], ())
                arguments = step.arguments[-self._arity(rule) :] if self._arity(rule) else ()
                steps.append(Step(rule, arguments, last))
                facts.append((*waiting, len(steps) - 1))
                continue
            places = zip(self._places[step.rule], own, strict=True)
            premises = dict(pair for ks, fs in places for pair in zip(ks, fs, strict=True))
            steps.append(replace(step, premises=tuple(premises[k] for k in sorted(premises))))
            facts.append((len(steps) - 1,))
        return Refutation(tuple(steps))

    def _arity(self, rule: str) -> int:
        (head,) = (one.head for one in self._given.rules if one.name == rule)
        return len(head.arguments) if isinstance(head, Atom) else 0


def _head(rule: Rule) -> str:
    return rule.head.relation if isinstance(rule.head, Atom) else ""


def _free(name: str, taken: Container[str]) -> str:
    """The name, with a number if it is taken."""
    names = (f"{name} {k}" if k else name for k in count())
    return next(text for text in names if text not in taken)
