"""Systems over arrays that are indexed by arrays, which cvc5 does not read, over keys of indices.

Where an index is an array, its key is put, which a function gives it: a value of a sort of which
nothing is known.  What fulfils a condition fulfils the one over keys, with each index as its own
key.  So if the latter has no solution, the former has none.  That different indices have different
keys is not said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache

from pysmt.typing import FunctionType, Type

from seahorn_py.horn.system import Atom, HornSystem, Model, Rule
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes, rebuilt
from seahorn_py.logic.terms.terms import Sort, Term
from seahorn_py.logic.text.smtlib import print_sort, print_symbol


def over_keys(system: HornSystem, model: Model) -> tuple[HornSystem, Model] | None:
    """The system and the model over keys; None where no array is indexed by arrays.

    None for datatypes, too, whose fields may have such sorts.

    If the model makes the rules over keys valid, so does the one given with the rules given.
    """
    symbols = [s for relation in system.relations.values() for s in relation.symbols]
    terms_ = [*symbols, *system.formulas(), *model.interpretations.values()]
    if not any(_is_keyed(terms.sort_of(s)) for term in terms_ for s in terms.free_symbols(term)):
        return None
    if any(node.is_function_application() for term in terms_ for node in nodes(term)):
        return None
    keyed = _Keyed()
    relations = {
        name: replace(
            one, parameters=tuple(replace(p, symbol=keyed.term(p.symbol)) for p in one.parameters)
        )
        for name, one in system.relations.items()
    }
    rules = tuple(map(keyed.rule, system.rules))
    said = {name: keyed.term(formula) for name, formula in model.interpretations.items()}
    return HornSystem(relations, rules, system.ledger), Model(said)


def print_keys(given: Iterable[Term]) -> Iterator[str]:
    """The declarations of keys and their functions, if symbols of some terms are over keys."""
    if not _FUNCTIONS:
        return
    sorts = (s.symbol_type() for term in given for s in terms.free_symbols(term))
    if not any(map(_has_keys, sorts)):
        return
    for function, (index, key) in _FUNCTIONS.items():
        yield f"(declare-sort {print_sort(key)} 0)"
        yield f"(declare-fun {print_symbol(function)} ({print_sort(index)}) {print_sort(key)})"


def _has_keys(sort: Sort) -> bool:
    if sort.is_array_type():
        return _has_keys(sort.index_type) or _has_keys(sort.elem_type)
    return any(sort is key for _, key in _FUNCTIONS.values())


_FUNCTIONS: dict[Term, tuple[Sort, Sort]] = {}
"""Functions from arrays to keys, with both sorts, those first on which others rest."""


@cache
def _function(index: Sort) -> Term:
    """The function that gives arrays of a sort their keys."""
    key = Type(f"Key{len(_FUNCTIONS)}")
    function = terms.symbol(f"key of {print_sort(index)}", FunctionType(key, [index]))
    _FUNCTIONS[function] = index, key
    return function


def _is_keyed(sort: Sort) -> bool:
    if not sort.is_array_type():
        return False
    return sort.index_type.is_array_type() or _is_keyed(sort.elem_type)


def _sort(sort: Sort) -> Sort:
    """The sort over keys."""
    if not _is_keyed(sort):
        return sort
    return terms.array_sort(_index(sort.index_type), _sort(sort.elem_type))


def _index(sort: Sort) -> Sort:
    """What stands for an index of a sort."""
    return _FUNCTIONS[_function(_sort(sort))][1] if sort.is_array_type() else sort


class _Keyed:
    """Terms over keys; each symbol has one of its own."""

    def __init__(self) -> None:
        self._symbols: dict[Term, Term] = {}

    def rule(self, rule: Rule) -> Rule:
        """A rule over keys, without what belongs to a run."""
        head = self._atom(rule.head) if isinstance(rule.head, Atom) else rule.head
        body, constraint = tuple(map(self._atom, rule.body)), self.term(rule.constraint)
        return replace(rule, body=body, constraint=constraint, head=head, inputs=(), blocks=())

    def _atom(self, atom: Atom) -> Atom:
        return replace(atom, arguments=tuple(map(self.term, atom.arguments)))

    def term(self, term: Term) -> Term:
        """A term over keys."""
        built: dict[Term, Term] = {}
        for node in nodes(term):
            built[node] = self._node(node, tuple(built[a] for a in node.args()))
        return built[term]

    def _node(self, node: Term, arguments: tuple[Term, ...]) -> Term:
        if node.is_symbol():
            return self._symbol(node)
        if node.is_quantifier():
            make = terms.forall if node.is_forall() else terms.exists
            return make([self._symbol(s) for s in node.quantifier_vars()], self.term(node.arg(0)))
        if node.is_select():
            return terms.select(arguments[0], _key(arguments[1]))
        if node.is_store():
            return terms.store(arguments[0], _key(arguments[1]), arguments[2])
        if node.is_array_value():
            return terms.const_array(_index(terms.sort_of(node).index_type), arguments[0])
        return rebuilt(node, arguments)

    def _symbol(self, symbol: Term) -> Term:
        sort = symbol.symbol_type()
        if not _is_keyed(sort):
            return symbol
        if symbol not in self._symbols:
            self._symbols[symbol] = terms.variable(f"{symbol.symbol_name()} keyed", _sort(sort))
        return self._symbols[symbol]


def _key(index: Term) -> Term:
    sort = terms.sort_of(index)
    return terms.apply(_function(sort), (index,)) if sort.is_array_type() else index
