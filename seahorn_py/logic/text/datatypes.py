"""Declarations of datatypes in SMT-LIB, in and out.

Where a process knows other datatypes or symbols of these names already, as from another file, the
names of a group get a suffix.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from seahorn_py.base.errors import InputError
from seahorn_py.base.records import dataclass
from seahorn_py.logic.terms import datatypes
from seahorn_py.logic.terms.datatypes import (
    Constructor,
    Datatype,
    Fold,
    FoldKind,
    Function,
    Group,
)
from seahorn_py.logic.terms.terms import Sort, Term
from seahorn_py.logic.text import operators
from seahorn_py.logic.text.printing import print_sort
from seahorn_py.logic.text.reading import Scope, read_sort
from seahorn_py.logic.text.sexpr import Form, Node, name_of, quoted

_SUFFIXED = re.compile(r".*~[1-9][0-9]*", re.DOTALL)
_SORTS = frozenset(("Bool", "Int", "Real", "Array", "BitVec"))


@dataclass(frozen=True)
class Declared:
    """What a declaration's names mean: sorts and functions, testers as `(_ is NAME)`."""

    sorts: Mapping[str, Sort]
    functions: Mapping[str, Function]


def read_datatypes(form: Form, scope: Scope, source: str) -> Declared:
    """Declare the datatypes of a command; InputError, with the line, for what is not supported."""
    names, bodies = _parts(form, source)
    for name in names:
        if name in _SORTS:
            raise InputError(f"{source}:{form.line}: {name} means something in SMT-LIB")
    taken = 0 if all(_is_plain(name) for name in _symbols(form)) else 1
    while True:
        suffix = f"~{taken}" if taken else ""
        sorts = {name: datatypes.sort_named(name + suffix) for name in names}
        within = Scope(scope.constants, scope.functions, {**scope.sorts, **sorts})
        group = tuple(
            Datatype(name + suffix, _constructors(body, suffix, within, source))
            for name, body in zip(names, bodies, strict=True)
        )
        before = [datatypes.known(datatype.name) for datatype in group]
        if all(one == group for one in before):
            break
        if not any(before) and datatypes.is_free(group):
            break
        taken += 1
    _check(group, suffix, form, source)
    own = datatypes.declare(group).items()
    return Declared(sorts, {_without(suffix, name): function for name, function in own})


def print_datatypes(formulas: Iterable[Term], sorts: Iterable[Sort] = ()) -> list[str]:
    """The declarations that formulas and sorts need, in an order in which they can stand."""
    return [_printed(group) for group in datatypes.groups_of(formulas, sorts)]


def print_folds(formulas: Iterable[Term]) -> list[str]:
    """Declarations of the folds that formulas apply, with what is true of them.

    A size is at least as large as there are fields of datatypes, and one; a depth is at least two
    where there is such a field.  Solvers do not find that by themselves, and with a recursive
    definition they go on without end.
    """
    folds = datatypes.folds_in(formulas)
    lines = [f"(declare-fun {_name(one)} ({_sort(one)}) Int)" for one in folds]
    for fold in folds:
        if fold.kind is not FoldKind.SUM:
            lines.append(_least(fold))
        lines += [_axiom(fold, one) for one in fold.datatype.constructors]
    return lines


def _least(fold: Fold) -> str:
    """How large a fold is, without a look at fields."""
    applied = f"({_name(fold)} x!)"
    parts = " ".join(_at_least(fold, applied, one) for one in fold.datatype.constructors)
    holds = f"(! (and (<= 1 {applied}) {parts}) :pattern ({applied}))"
    return f"(assert (forall ((x! {_sort(fold)})) {holds}))"


def _at_least(fold: Fold, applied: str, one: Constructor) -> str:
    """How large what a constructor makes is, without a look at its fields."""
    fields = fold.of_fields([sort for _, sort in one.fields])
    least = 1 + (len(fields) if fold.kind is FoldKind.SIZE else min(1, len(fields)))
    compared = f"(<= {least} {applied})" if fields else f"(= 1 {applied})"
    return f"(=> ((_ is {quoted(one.name)}) x!) {compared})"


def _axiom(fold: Fold, one: Constructor) -> str:
    """The fold of what a constructor makes."""
    if not one.fields:
        return f"(assert (= {_whole(fold, one, ())} ({_name(fold)} {quoted(one.name)})))"
    places = [f"x!{k}" for k in range(len(one.fields))]
    made = f"({quoted(one.name)} {' '.join(places)})"
    bound = " ".join(
        f"({place} {print_sort(sort)})" for place, (_, sort) in zip(places, one.fields, strict=True)
    )
    equal = f"(= ({_name(fold)} {made}) {_whole(fold, one, places)})"
    return f"(assert (forall ({bound}) (! {equal} :pattern ({made}))))"


def print_fold_definitions(formulas: Iterable[Term]) -> list[str]:
    """The definitions of the folds that formulas apply, for whoever reads a model."""
    folds = datatypes.folds_in(formulas)
    if not folds:
        return []
    heads = " ".join(f"({_name(one)} ((x! {_sort(one)})) Int)" for one in folds)
    bodies = " ".join(_definition(one) for one in folds)
    return [f"(define-funs-rec ({heads}) ({bodies}))"]


def _definition(fold: Fold) -> str:
    *others, last = fold.datatype.constructors
    body = _whole(fold, last, [f"({quoted(name)} x!)" for name, _ in last.fields])
    for one in reversed(others):
        own = _whole(fold, one, [f"({quoted(name)} x!)" for name, _ in one.fields])
        body = f"(ite ((_ is {quoted(one.name)}) x!) {own} {body})"
    return body


def _whole(fold: Fold, one: Constructor, fields: Sequence[str]) -> str:
    """The fold of what a constructor makes of fields."""
    parts = [
        fields[k] if inner is None else f"({_name(inner)} {fields[k]})"
        for k, inner in fold.of_fields([sort for _, sort in one.fields])
    ]
    match fold.kind:
        case FoldKind.SIZE:
            return f"(+ 1 {' '.join(parts)})" if parts else "1"
        case FoldKind.SUM:
            return f"(+ 0 {' '.join(parts)})" if parts else "0"
        case FoldKind.DEPTH:
            return f"(+ 1 {_largest(parts)})" if parts else "1"


def _largest(parts: Sequence[str]) -> str:
    first, *others = parts
    if not others:
        return first
    rest = _largest(others)
    return f"(ite (<= {first} {rest}) {rest} {first})"


def _name(fold: Fold) -> str:
    return quoted(fold.symbol.symbol_name())


def _sort(fold: Fold) -> str:
    return quoted(fold.datatype.name)


def known_scope(constants: Mapping[str, Term]) -> Scope:
    """What names mean to a solver that was told of every datatype of this process."""
    functions: dict[str, operators.Constructor]
    functions = {**datatypes.all_functions(), **datatypes.all_folds()}
    return Scope(constants, functions, datatypes.all_sorts())


def _printed(group: Group) -> str:
    names = " ".join(f"({quoted(datatype.name)} 0)" for datatype in group)
    bodies = " ".join(
        f"({' '.join(_constructor(one) for one in datatype.constructors)})" for datatype in group
    )
    return f"(declare-datatypes ({names}) ({bodies}))"


def _constructor(one: Constructor) -> str:
    fields = (f" ({quoted(name)} {print_sort(sort)})" for name, sort in one.fields)
    return f"({quoted(one.name)}{''.join(fields)})"


# ------------------------------------------------------------------------------------ what is read


def _parts(form: Form, source: str) -> tuple[list[str], Sequence[Node]]:
    """The names of the datatypes of a command, and their constructors."""
    match form.items:
        case ["declare-datatype", str(name), body]:
            return [name_of(name)], [body]
        case ["declare-datatypes", Form(heads), Form(bodies)] if len(heads) == len(bodies):
            names = []
            for head in heads:
                match head:
                    case Form([str(name), "0"]):
                        names.append(name_of(name))
                    case Form([str(name), *_]):
                        message = f"the datatype {name_of(name)} has parameters"
                        raise InputError(f"{source}:{form.line}: {message}; not supported")
                    case _:
                        raise InputError(f"{source}:{form.line}: a datatype has a name")
            return names, bodies
    raise InputError(f"{source}:{form.line}: datatypes are not declared in this form")


def _constructors(body: Node, suffix: str, scope: Scope, source: str) -> tuple[Constructor, ...]:
    match body:
        case Form([str(word), *_], line) if name_of(word) == "par":
            raise InputError(f"{source}:{line}: datatypes with parameters are not supported")
        case Form(items):
            return tuple(_read_constructor(one, suffix, scope, source) for one in items)
    raise InputError(f"{source}: constructors of a datatype stand in a list")


def _read_constructor(one: Node, suffix: str, scope: Scope, source: str) -> Constructor:
    if isinstance(one, str):
        return Constructor(name_of(one) + suffix, ())
    match one.items:
        case [str(name), *fields]:
            read = tuple(_field(field, suffix, scope, source, one.line) for field in fields)
            return Constructor(name_of(name) + suffix, read)
    raise InputError(f"{source}:{one.line}: a constructor has a name")


def _field(field: Node, suffix: str, scope: Scope, source: str, line: int) -> tuple[str, Sort]:
    match field:
        case Form([str(name), sort]):
            return name_of(name) + suffix, read_sort(sort, scope, source, line)
    raise InputError(f"{source}:{line}: a field has a name and a sort")


def _check(group: Group, suffix: str, form: Form, source: str) -> None:
    """InputError for names that occur twice, and for a datatype that has no value."""
    constructors = [c for datatype in group for c in datatype.constructors]
    names = [c.name for c in constructors] + [name for c in constructors for name, _ in c.fields]
    for name in names:
        bare = name.removesuffix(suffix)
        if operators.plain(bare) is not None or bare in ("true", "false"):
            raise InputError(f"{source}:{form.line}: {bare} means something in SMT-LIB")
        if names.count(name) > 1:
            raise InputError(f"{source}:{form.line}: {bare} is declared twice")
    empty = list(group)
    while made := [datatype for datatype in empty if _is_made(datatype, empty)]:
        empty = [datatype for datatype in empty if datatype not in made]
    if empty:
        name = empty[0].name.removesuffix(suffix)
        raise InputError(f"{source}:{form.line}: the datatype {name} has no value")


def _is_made(datatype: Datatype, empty: Sequence[Datatype]) -> bool:
    """Whether some constructor makes a value without any of the empty datatypes."""
    names = {one.name for one in empty}
    return any(
        not any(_last_element(sort) in names for _, sort in one.fields)
        for one in datatype.constructors
    )


def _last_element(sort: Sort) -> str:
    while sort.is_array_type():
        sort = sort.elem_type
    return str(sort)


def _symbols(form: Form) -> list[str]:
    """All symbols in a form."""
    found: list[str] = []
    todo: list[Node] = [form]
    while todo:
        node = todo.pop()
        if isinstance(node, str):
            found.append(name_of(node))
        else:
            todo += node.items
    return found


def _is_plain(name: str) -> bool:
    """Whether a name cannot be one of those that scripts of ours give to what they declare."""
    return not set("!?({") & set(name) or _SUFFIXED.fullmatch(name) is not None


def _without(suffix: str, name: str) -> str:
    if not suffix:
        return name
    return name.removesuffix(suffix) if not name.endswith(")") else name[: -len(suffix) - 1] + ")"
