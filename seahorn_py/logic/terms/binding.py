"""Free symbols and capture-avoiding substitution, iterative over the term and linear in its DAG.

pySMT's own substitution recurses through quantifiers and lets their variables capture free ones.
Here a quantifier opens a scope of its own; only the nesting of quantifiers, which readers bound,
is recursion.  This module alone looks at the private content of pySMT's nodes: walks are hot, and
indices are nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TypeAlias

from pysmt import operators
from pysmt.environment import get_env
from pysmt.fnode import FNode

Term: TypeAlias = FNode

QUANTIFIERS = frozenset({operators.FORALL, operators.EXISTS})

_manager = get_env().formula_manager


def nodes(term: Term) -> Iterator[Term]:
    """Every distinct node of `term`, arguments first; quantifiers count as leaves."""
    done: set[int] = set()  # by id: terms live as long as the process, and hash slowly
    entered: set[int] = set()
    todo = [term]
    while todo:
        node = todo[-1]
        key, content = id(node), node._content
        if key not in done and key not in entered and content.node_type not in QUANTIFIERS:
            entered.add(key)
            todo.extend(a for a in reversed(content.args) if id(a) not in done)
            continue
        todo.pop()
        if key not in done:
            done.add(key)
            yield node


def payload(node: Term) -> tuple[int, ...]:
    """The numbers of an operation on bit-vectors: its width, then its indices; of others none."""
    content = node._content
    return content.payload or () if content.node_type in operators.BV_OPERATORS else ()


@lru_cache(maxsize=1 << 16)  # rules with the same blocks before them have the same conjuncts
def free_symbols(term: Term) -> frozenset[Term]:
    """The free symbols of `term`, without functions."""
    free: set[Term] = set()
    for node in nodes(term):
        kind = node._content.node_type
        if kind == operators.SYMBOL:
            free.add(node)
        elif kind in QUANTIFIERS:
            free |= free_symbols(node.arg(0)) - set(node.quantifier_vars())
    return frozenset(free)


def by_name(symbols: Iterable[Term]) -> list[Term]:
    """Symbols in the order of their names."""
    return sorted(symbols, key=_name)


def _name(symbol: Term) -> str:
    name: str = symbol.symbol_name()
    return name


def substitute(term: Term, values: Mapping[Term, Term]) -> Term:
    """Replace free symbols by terms, simultaneously; bound variables are renamed where needed."""
    if not values:
        return term
    built: dict[Term, Term] = {}
    for node in nodes(term):
        if node.is_symbol():
            built[node] = values.get(node, node)
        elif node.is_quantifier():
            built[node] = _under_binder(node, values)
        else:
            built[node] = rebuilt(node, tuple(built[a] for a in node.args()))
    return built[term]


def rebuilt(node: Term, arguments: tuple[Term, ...]) -> Term:
    """The node with other arguments; no quantifier."""
    if all(new is old for new, old in zip(arguments, node.args(), strict=True)):
        return node
    if node.is_not():
        return _manager.Not(arguments[0])
    return _manager.create_node(node.node_type(), arguments, node._content.payload)


def _under_binder(node: Term, values: Mapping[Term, Term]) -> Term:
    body, variables = node.arg(0), node.quantifier_vars()
    wanted = free_symbols(body) - set(variables)
    inner = {s: v for s, v in values.items() if s in wanted}
    if not inner:
        return node
    captured = frozenset[Term]().union(*(free_symbols(v) for v in inner.values()))
    renamed = {v: fresh_like(v) for v in variables if v in captured}
    payload = tuple(renamed.get(v, v) for v in variables)
    return _manager.create_node(node.node_type(), (substitute(body, inner | renamed),), payload)


def fresh_like(symbol: Term) -> Term:
    """A symbol of the same sort that nothing in this process has used yet."""
    base = symbol.symbol_name().replace("%", "%%")
    return _manager.new_fresh_symbol(symbol.symbol_type(), base + "!%d")


def is_quantified(term: Term) -> bool:
    """Whether a quantifier occurs in `term`."""
    return any(n.node_type() in operators.QUANTIFIERS for n in nodes(term))
