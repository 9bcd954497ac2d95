"""Algebraic data types: sorts whose values are what constructors make, known in this process.

A value is a constructor applied to the values of its fields; a selector reads a field, a tester
asks for the constructor.  In terms they are functions, as `div` and `mod` are.  A constructor
without fields is applied to `true`, because terms have no functions without arguments; its text
does not show it.  What a selector reads of a value that another constructor made is left open, as
in SMT-LIB.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum

from pysmt.environment import get_env
from pysmt.typing import FunctionType, Type

from seahorn_py.base.records import dataclass
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import QUANTIFIERS, nodes
from seahorn_py.logic.terms.terms import Sort, Term


@dataclass(frozen=True, slots=True)
class Constructor:
    """What makes values of `(name, sort)` fields; each name is that of a selector."""

    name: str
    fields: tuple[tuple[str, Sort], ...]


@dataclass(frozen=True, slots=True)
class Datatype:
    """A sort by its name, and all that makes values of it."""

    name: str
    constructors: tuple[Constructor, ...]


Group = tuple[Datatype, ...]
"""Datatypes that were declared together, and may have fields of each other's sorts."""


class Part(Enum):
    """What a function of a datatype is."""

    CONSTRUCTOR = "constructor"
    SELECTOR = "selector"
    TESTER = "tester"


@dataclass(frozen=True, slots=True)
class Function:
    """A function of a datatype: its symbol, and the constructor that it is or belongs to."""

    part: Part
    symbol: Term
    constructor: Constructor

    def __call__(self, arguments: Sequence[Term]) -> Term:
        """The function applied."""
        bare = self.part is Part.CONSTRUCTOR and not self.constructor.fields
        if bare and arguments:
            raise TypeError(f"{self.constructor.name} has no fields")
        return terms.apply(self.symbol, (terms.TRUE,) if bare else arguments)


@dataclass(frozen=True, slots=True)
class Size:
    """How many constructors a value of a datatype is made of; models may use it, systems may not.

    `symbol` is a function to the integers.  What stands in arrays does not count.
    """

    symbol: Term
    datatype: Datatype

    def __call__(self, arguments: Sequence[Term]) -> Term:
        """The function applied."""
        return terms.apply(self.symbol, arguments)


_groups: dict[str, Group] = {}
_sizes: dict[str, Size] = {}
_functions: dict[Term, Function] = {}
_own: dict[Group, Mapping[str, Function]] = {}


def sort_named(name: str) -> Sort:
    """The sort of this name, which need not be declared yet."""
    return Type(name)


def known(name: str) -> Group | None:
    """The group in which a datatype of this name was declared."""
    return _groups.get(name)


def tester_name(constructor: str) -> str:
    """What readers look the tester of a constructor up by."""
    return f"(_ is {constructor})"


def is_free(group: Group) -> bool:
    """Whether no other symbol of this process has a name of the group's functions."""
    symbols = get_env().formula_manager.symbols
    names = [name for name, _ in _names(group)] + [size_name(d.name) for d in group]
    return not any(name in symbols for name in names)


def declare(group: Group) -> Mapping[str, Function]:
    """The functions of a group by their names; the same group may be declared again."""
    if group not in _own:
        found = {
            name: Function(part, terms.symbol(name, sort), constructor)
            for name, (part, sort, constructor) in _names(group)
        }
        _own[group] = found
        _functions.update({function.symbol: function for function in found.values()})
        _groups.update({datatype.name: group for datatype in group})
        _sizes.update({datatype.name: _size(datatype) for datatype in group})
    return _own[group]


def all_functions() -> Mapping[str, Function]:
    """Those of all groups by their names, which no two groups share."""
    return {name: one for functions in _own.values() for name, one in functions.items()}


def size_name(datatype: str) -> str:
    """The name of a size."""
    return f"size of {datatype}"


def size_of(value: Term) -> Term | None:
    """The size of a value; None where its sort is no datatype."""
    size = _sizes.get(str(terms.sort_of(value)))
    return None if size is None else size([value])


def size_named(sort: Sort) -> Size:
    """The size of the values of a datatype."""
    return _sizes[str(sort)]


def all_sizes() -> Mapping[str, Size]:
    """The sizes of all datatypes by their names."""
    return {size_name(name): size for name, size in _sizes.items()}


def sizes_in(formulas: Iterable[Term]) -> list[Size]:
    """The sizes that formulas apply, and those that these are defined by."""
    if not _sizes:
        return []
    known = {size.symbol: name for name, size in _sizes.items()}
    todo, found = [*formulas], dict[str, None]()
    while todo:
        for node in nodes(todo.pop()):
            if node.is_quantifier():
                todo.append(node.arg(0))
            elif node.is_function_application() and node.function_name() in known:
                _need(known[node.function_name()], found)
    return [_sizes[name] for name in found]


def _need(name: str, found: dict[str, None]) -> None:
    """The size of a datatype with those of its fields."""
    if name not in found:
        found[name] = None
        for one in _sizes[name].datatype.constructors:
            for _, sort in one.fields:
                if str(sort) in _sizes:
                    _need(str(sort), found)


def _size(datatype: Datatype) -> Size:
    sort = FunctionType(terms.INT, [sort_named(datatype.name)])
    return Size(terms.symbol(size_name(datatype.name), sort), datatype)


def all_sorts() -> Mapping[str, Sort]:
    """The datatypes by their names."""
    return {name: sort_named(name) for name in _groups}


def function_of(node: Term) -> Function | None:
    """Which function of a datatype a term applies; None for another term."""
    if not _functions or not node.is_function_application():
        return None
    return _functions.get(node.function_name())


def tested(selector: Function, value: Term) -> Term:
    """That a value is made by the constructor to which a selector belongs."""
    name = tester_name(selector.constructor.name)
    group = _groups[str(terms.sort_of(value))]
    return _own[group][name]([value])


def any_value(sort: Sort, of_another: Callable[[Sort], Term]) -> Term:
    """A value of a datatype; `of_another` gives those of other sorts."""
    inhabited: dict[str, Term] = {}

    def made(field: Sort) -> Term | None:
        if field.is_array_type():
            element = made(field.elem_type)
            return None if element is None else terms.const_array(field.index_type, element)
        return inhabited.get(str(field)) if str(field) in _groups else of_another(field)

    open_ = [d for group in _own for d in group]
    while str(sort) not in inhabited:
        for datatype in open_:
            for one in datatype.constructors:
                fields = [made(own) for _, own in one.fields]
                whole = [value for value in fields if value is not None]
                if len(whole) == len(fields) and datatype.name not in inhabited:
                    function = _own[_groups[datatype.name]][one.name]
                    inhabited[datatype.name] = function(whole)
    return inhabited[str(sort)]


def is_bare(node: Term) -> bool:
    """Whether a term is a constructor without fields."""
    function = function_of(node)
    if function is None or function.part is not Part.CONSTRUCTOR:
        return False
    return not function.constructor.fields


def groups_of(formulas: Iterable[Term], sorts: Iterable[Sort] = ()) -> list[Group]:
    """The groups that formulas and sorts need, each after those that it needs."""
    if not _groups:
        return []
    needed: set[str] = set()
    todo = [*sorts, *_sorts(formulas)]
    while todo:
        sort = todo.pop()
        if sort.is_array_type():
            todo += [sort.index_type, sort.elem_type]
        elif str(sort) in _groups and str(sort) not in needed:
            group = _groups[str(sort)]
            needed.update(datatype.name for datatype in group)
            todo += [s for datatype in group for c in datatype.constructors for _, s in c.fields]
    return [group for group in _own if group[0].name in needed]


def _sorts(formulas: Iterable[Term]) -> Iterator[Sort]:
    """The sorts of the symbols and of the functions' values in formulas."""
    todo = list(formulas)
    while todo:
        for node in nodes(todo.pop()):
            if node.node_type() in QUANTIFIERS:
                todo += [*node.quantifier_vars(), node.arg(0)]
            elif node.is_symbol() or node.is_array_value() or node.is_function_application():
                yield terms.sort_of(node)


def _names(group: Group) -> Iterator[tuple[str, tuple[Part, Sort, Constructor]]]:
    """Each function of a group: its name, its sort, and what it belongs to."""
    for datatype in group:
        own = sort_named(datatype.name)
        for one in datatype.constructors:
            fields = [sort for _, sort in one.fields] or [terms.BOOL]
            yield one.name, (Part.CONSTRUCTOR, FunctionType(own, fields), one)
            tests = FunctionType(terms.BOOL, [own])
            yield tester_name(one.name), (Part.TESTER, tests, one)
            for name, sort in one.fields:
                yield name, (Part.SELECTOR, FunctionType(sort, [own]), one)
