"""What a Horn system looks like, as far as it decides which engines to try on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from seahorn_py.base.records import dataclass
from seahorn_py.horn.checking.modular import is_product
from seahorn_py.horn.checking.products import is_integer_product
from seahorn_py.horn.system import Atom, HornSystem, Rule, atoms, symbols_of
from seahorn_py.horn.transform.acceleration.loopnest import addresses
from seahorn_py.logic.solvers.solvers import is_bits
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes
from seahorn_py.logic.terms.datatypes import groups_of
from seahorn_py.logic.terms.terms import Sort, Term


@dataclass(frozen=True)
class Profile:
    """`loops` have a head each; `nested` says that one lies in another; recursion is a loop too.

    `linear`: no rule has two premises, as those that use summaries of calls have.  `arrays`: some
    relation has a parameter that is an array.  `products`: bit-vectors or integers that are no
    constants are multiplied.  `blocks` are the most basic blocks of one step, as the truth values
    of its rule.
    `datatypes` says that some term or parameter is a value of one, `bits` that there are
    bit-vectors and no other numbers, `reals` that a relation has a parameter that is a real number.
    `places` are the relations.
    """

    loops: int
    nested: bool
    linear: bool
    arrays: bool
    products: bool
    blocks: int
    places: int = 0
    datatypes: bool = False
    bits: bool = False
    reals: bool = False


def profile_of(system: HornSystem) -> Profile:
    """The profile of a system."""
    edges: dict[str, list[str]] = {name: [] for name in system.relations}
    for rule in system.rules:
        if isinstance(rule.head, Atom):
            for premise in rule.body:
                edges[premise.relation].append(rule.head.relation)
    found = addresses(edges).values()
    sorts = [p.sort for r in system.relations.values() for p in r.parameters]
    datatypes = bool(groups_of(system.formulas(), sorts))
    return Profile(
        loops=len({head for address in found for head in address.heads}),
        nested=any(len(address.heads) > 1 for address in found),
        linear=system.linear,
        arrays=any(sort.is_array_type() for sort in sorts),
        products=any(is_product(n) or is_integer_product(n) for n in _nodes(system)),
        bits=not datatypes and _are_bits(system, sorts),
        datatypes=datatypes,
        reals=terms.REAL in sorts,
        places=len(system.relations),
        blocks=max(map(_blocks, filter(_is_step, system.rules)), default=0),
    )


def _are_bits(system: HornSystem, sorts: Sequence[Sort]) -> bool:
    """Whether all parameters and symbols are bit-vectors, truth values, or arrays of them."""
    symbols = {s for formula in system.formulas() for s in terms.free_symbols(formula)}
    found = {*sorts, *map(terms.sort_of, symbols)}
    return all(map(is_bits, found)) and any(not sort.is_bool_type() for sort in found)


def _is_step(rule: Rule) -> bool:
    return bool(rule.body) and isinstance(rule.head, Atom)


def _blocks(rule: Rule) -> int:
    return sum(terms.sort_of(symbol) is terms.BOOL for symbol in symbols_of(rule))


def _nodes(system: HornSystem) -> Iterator[Term]:
    arguments = (a for rule in system.rules for atom in atoms(rule) for a in atom.arguments)
    for term in chain((rule.constraint for rule in system.rules), arguments):
        yield from nodes(term)
