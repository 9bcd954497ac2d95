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


class FoldKind(Enum):
    """What a fold of a value of a datatype is.

    SIZE: how many constructors it is made of.  DEPTH: how many of them lie one in another at most.
    SUM: the sum of all integers in it.  What stands in arrays does not count.
    """

    SIZE = "size"
    DEPTH = "depth"
    SUM = "sum"


@dataclass(frozen=True, slots=True)
class Fold:
    """An integer for each value of a datatype; models may use it, systems may not.

    It is a catamorphism: that of what a constructor makes follows from those of the fields.
    `symbol` is a function to the integers.
    """

    kind: FoldKind
    symbol: Term
    datatype: Datatype

    def of_fields(self, fields: Sequence[Sort]) -> list[tuple[int, Fold | None]]:
        """The fields that count, by their position: with their own fold, or as they are."""
        found: list[tuple[int, Fold | None]] = []
        for k, sort in enumerate(fields):
            if str(sort) in _groups:
                found.append((k, _folds[fold_name(self.kind, str(sort))]))
            elif self.kind is FoldKind.SUM and sort is terms.INT:
                found.append((k, None))
        return found

    def __call__(self, arguments: Sequence[Term]) -> Term:
        """The function applied."""
        return terms.apply(self.symbol, arguments)


_groups: dict[str, Group] = {}
_folds: dict[str, Fold] = {}
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
    names = [name for name, _ in _names(group)] + [
        fold_name(kind, d.name) for d in group for kind in FoldKind
    ]
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
        made = [_fold(kind, datatype) for datatype in group for kind in FoldKind]
        _folds.update({one.symbol.symbol_name(): one for one in made})
    return _own[group]


def all_functions() -> Mapping[str, Function]:
    """Those of all groups by their names, which no two groups share."""
    return {name: one for functions in _own.values() for name, one in functions.items()}


def fold_name(kind: FoldKind, datatype: str) -> str:
    """The name of a fold."""
    return f"{kind.value} of {datatype}"


def fold_of(kind: FoldKind, value: Term) -> Term | None:
    """The fold of a value; None where its sort is no datatype."""
    found = _folds.get(fold_name(kind, str(terms.sort_of(value))))
    return None if found is None else found([value])


def folds_of(sort: Sort) -> Mapping[str, Fold]:
    """The folds of the values of a datatype by their names."""
    names = (fold_name(kind, str(sort)) for kind in FoldKind)
    return {name: _folds[name] for name in names}


def all_folds() -> Mapping[str, Fold]:
    """Those of all datatypes by their names."""
    return dict(_folds)


def folds_in(formulas: Iterable[Term]) -> list[Fold]:
    """The folds that formulas apply, and those that these are defined by."""
    if not _folds:
        return []
    todo, found = [*formulas], dict[str, None]()
    while todo:
        for node in nodes(todo.pop()):
            if node.is_quantifier():
                todo.append(node.arg(0))
            elif node.is_function_application():
                name = node.function_name().symbol_name()
                if name in _folds:
                    _need(_folds[name], found)
    return [_folds[name] for name in found]


def _need(fold: Fold, found: dict[str, None]) -> None:
    """A fold with those of its fields."""
    name = fold.symbol.symbol_name()
    if name not in found:
        found[name] = None
        for one in fold.datatype.constructors:
            for _, inner in fold.of_fields([sort for _, sort in one.fields]):
                if inner is not None:
                    _need(inner, found)


def _fold(kind: FoldKind, datatype: Datatype) -> Fold:
    sort = FunctionType(terms.INT, [sort_named(datatype.name)])
    return Fold(kind, terms.symbol(fold_name(kind, datatype.name), sort), datatype)


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
