"""Terms from SMT-LIB 2.7 s-expressions, without recursion over the text.

`let` is substitution: a name stands for the node of its value.  Sharing a node is what a `let`
means, except where a quantifier in between binds a symbol of that value; then the term is read
again with every bound variable renamed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import partial
from typing import TypeAlias

from pysmt.exceptions import PysmtException

from seahorn_py.base.errors import InputError
from seahorn_py.base.records import dataclass
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.datatypes import tester_name
from seahorn_py.logic.terms.terms import Sort, Term
from seahorn_py.logic.text import operators
from seahorn_py.logic.text.operators import Constructor, Malformed
from seahorn_py.logic.text.sexpr import Form, Node, name_of

MAX_NESTING = 200
"""How deep quantifiers and sorts may nest."""

MAX_WIDTH = 1 << 20
"""The widest bit-vector that is read."""

MAX_DIGITS = 4000
"""The longest decimal number that is read; Python reads no longer ones unless it is told to."""


@dataclass(frozen=True)
class Scope:
    """What names mean: constants, functions (macros, relations) and sorts."""

    constants: Mapping[str, Term] = field(default_factory=dict)
    functions: Mapping[str, Constructor] = field(default_factory=dict)
    sorts: Mapping[str, Sort] = field(default_factory=dict)


class _Capture(Exception):
    """A `let` value would be captured by a quantifier; read again with renamed variables."""


@dataclass(frozen=True, slots=True)
class _Binding:
    """What a name means, and under how many quantifiers it was bound."""

    value: Term
    depth: int


_Todo: TypeAlias = Node | Callable[[], None]


def read_term(node: Node, scope: Scope, source: str, line: int = 1) -> Term:
    """The term that an s-expression denotes; InputError with `source` and line otherwise."""
    try:
        return _Reader(scope, source, line, rename=False).term(node)
    except _Capture:
        return _Reader(scope, source, line, rename=True).term(node)


def read_sort(node: Node, scope: Scope, source: str, line: int = 1, depth: int = 0) -> Sort:
    """The sort that an s-expression denotes; InputError for one that is not supported."""
    if isinstance(node, str):
        name = name_of(node)
        known = scope.sorts.get(name) or _SORTS.get(name)
        if known is not None:
            return known
        raise InputError(f"{source}:{line}: unknown sort {node}")
    match node.items:
        case ["_", "BitVec", str(width)] if _is_index(width) and 0 < int(width) <= MAX_WIDTH:
            return terms.bv_sort(int(width))
        case ["Array", index, element] if depth < MAX_NESTING:
            return terms.array_sort(
                read_sort(index, scope, source, node.line, depth + 1),
                read_sort(element, scope, source, node.line, depth + 1),
            )
    raise InputError(f"{source}:{node.line}: this sort is not supported")


_SORTS: Mapping[str, Sort] = {"Bool": terms.BOOL, "Int": terms.INT, "Real": terms.REAL}
_NO_SYMBOL = frozenset('0123456789#"')
"""With what no symbol begins."""
_SPECIAL = frozenset(("let", "forall", "exists", "!", "_", "as", "match", "lambda"))


class _Reader:
    """Evaluates with a stack of what is left to do and a stack of values."""

    def __init__(self, scope: Scope, source: str, line: int, *, rename: bool) -> None:
        self._scope = scope
        self._source = source
        self._line = line
        self._rename = rename
        self._values: list[Term] = []
        self._local: dict[str, _Binding] = {}
        self._bound: list[frozenset[Term]] = []
        self._renamed: set[Term] = set()
        self._free: dict[Term, frozenset[Term]] = {}

    def term(self, node: Node) -> Term:
        todo: list[_Todo] = [node]
        while todo:
            item = todo.pop()
            if isinstance(item, str):
                self._values.append(self._atom(item))
            elif isinstance(item, Form):
                self._line = item.line
                self._open(item, todo)
            else:
                item()
        return self._values.pop()

    def _error(self, message: str) -> InputError:
        return InputError(f"{self._source}:{self._line}: {message}")

    # ---------------------------------------------------------------------------------- atoms

    def _atom(self, atom: str) -> Term:
        name = name_of(atom)
        if atom[0] in _NO_SYMBOL:  # |1| may be a variable, 1 is none
            return self._constant(atom)
        if name in self._local:
            return self._reference(self._local[name])
        if name in self._scope.constants:
            return self._reference(_Binding(self._scope.constants[name], 0))
        if name in self._scope.functions:
            return self._construct(name, self._scope.functions[name], [], self._line)
        return self._constant(atom)

    def _constant(self, atom: str) -> Term:
        literal = None if atom[0] == "|" else self._literal(atom)
        if literal is None:
            raise self._error(f"unknown symbol {atom}")
        return literal

    def _literal(self, atom: str) -> Term | None:
        try:
            return _literal(atom)
        except Malformed as error:
            raise self._error(str(error)) from None

    def _reference(self, binding: _Binding) -> Term:
        value = binding.value
        if binding.depth < len(self._bound):
            free = self._free.get(value)
            if free is None:
                free = self._free[value] = terms.free_symbols(value)
            if any(free & bound for bound in self._bound[binding.depth :]):
                raise _Capture
        return value

    # ---------------------------------------------------------------------------------- lists

    def _open(self, form: Form, todo: list[_Todo]) -> None:
        items = form.items
        if items and (isinstance(items[0], Form) or items[0] not in _SPECIAL):
            label, constructor = self._head(items[0])
            todo.append(partial(self._close, label, constructor, len(items) - 1, form.line))
            todo.extend(items[:0:-1])
        else:
            self._special(items, todo)

    def _special(self, items: list[Node], todo: list[_Todo]) -> None:
        match items:
            case ["let", Form(bindings), body]:
                self._let(bindings, body, todo)
            case [("forall" | "exists") as name, Form(variables), body]:
                self._quantifier(name, variables, body, todo)
            case ["!", body, *_] | ["as", str(body), _]:
                todo.append(body)
            case ["_", str(name), str(width)] if name[:2] == "bv" and _is_number(name[2:]):
                self._values.append(self._bv_literal(name[2:], width))
            case [name, *_]:
                raise self._error(f"'{name}' is used in a way that is not supported")
            case _:
                raise self._error("an empty list is no term")

    def _head(self, head: Node) -> tuple[str, Constructor]:
        if isinstance(head, str):
            name = name_of(head)
            constructor = self._scope.functions.get(name) or operators.plain(name)
            if constructor is None and name.startswith("is-"):  # as z3 calls testers
                constructor = self._scope.functions.get(tester_name(name[3:]))
            if constructor is None:
                raise self._error(f"unknown operator {head}")
            return name, constructor
        match head.items:
            case ["as", "const", sort]:
                read = read_sort(sort, self._scope, self._source, head.line)
                return "as const", self._const_array(read)
            case ["as", str(name), _] if name_of(name) in self._scope.functions:
                return name_of(name), self._scope.functions[name_of(name)]
            case ["_", "is", str(name)] if tester_name(name_of(name)) in self._scope.functions:
                return name, self._scope.functions[tester_name(name_of(name))]
            case ["_", str(name), *indices]:
                numbers = [int(i) for i in indices if isinstance(i, str) and _is_index(i)]
                found = operators.indexed(name, numbers)
                if found is not None and len(numbers) == len(indices):
                    return name, found
                raise self._error(f"unknown operator (_ {name} ...)")
        raise self._error("a list that is no operator stands where one is expected")

    def _const_array(self, sort: Sort) -> Constructor:
        try:
            return operators.const_array(sort)
        except Malformed as error:
            raise self._error(str(error)) from None

    def _close(self, label: str, constructor: Constructor, count: int, line: int) -> None:
        first = len(self._values) - count
        arguments = self._values[first:]
        del self._values[first:]
        self._values.append(self._construct(label, constructor, arguments, line))

    def _construct(
        self, label: str, constructor: Constructor, arguments: Sequence[Term], line: int
    ) -> Term:
        try:
            term = constructor(arguments)
            terms.sort_of(term)
        except Malformed as error:
            raise InputError(f"{self._source}:{line}: '{label}': {error}") from None
        except (PysmtException, AttributeError, AssertionError, TypeError, ValueError):
            raise InputError(
                f"{self._source}:{line}: '{label}': arguments of the wrong number or sort"
            ) from None
        return term

    # -------------------------------------------------------------------------------- binders

    def _let(self, bindings: Sequence[Node], body: Node, todo: list[_Todo]) -> None:
        names, values = [], []
        for binding in bindings:
            match binding:
                case Form([str(name), value]):
                    names.append(name_of(name))
                    values.append(value)
                case _:
                    raise self._error("a binding of 'let' is a name and a term")
        outside = {n: self._local.get(n) for n in names}
        todo.append(partial(self._restore, outside))
        todo.append(body)
        todo.append(partial(self._name, names))
        todo.extend(reversed(values))

    def _name(self, names: Sequence[str]) -> None:
        first = len(self._values) - len(names)
        for name, value in zip(names, self._values[first:], strict=True):
            self._local[name] = _Binding(value, len(self._bound))
        del self._values[first:]

    def _restore(self, outside: Mapping[str, _Binding | None]) -> None:
        for name, binding in outside.items():
            if binding is None:
                self._local.pop(name, None)
            else:
                self._local[name] = binding

    def _quantifier(
        self, name: str, variables: Sequence[Node], body: Node, todo: list[_Todo]
    ) -> None:
        if len(self._bound) >= MAX_NESTING:
            raise self._error("quantifiers nest too deeply")
        symbols = {}
        for variable in variables:
            match variable:
                case Form([str(text), sort], line) if name_of(text):
                    read = read_sort(sort, self._scope, self._source, line)
                    symbols[name_of(text)] = self._variable(name_of(text), read)
                case _:
                    raise self._error("a bound variable is a name and a sort")
        outside = {n: self._local.get(n) for n in symbols}
        self._bound.append(frozenset(symbols.values()))
        for text, symbol in symbols.items():
            self._local[text] = _Binding(symbol, len(self._bound))
        make = terms.forall if name == "forall" else terms.exists
        todo.append(partial(self._quantify, make, tuple(symbols.values()), outside))
        todo.append(body)

    def _variable(self, name: str, sort: Sort) -> Term:
        known = self._scope.constants.get(name)
        if known is not None and known.is_symbol(sort) and not self._rename:
            return known
        symbol = terms.variable(name, sort)
        if symbol.symbol_name() != name:
            self._renamed.add(symbol)
        elif self._rename or symbol in self._renamed:
            symbol = terms.fresh_like(symbol)
            self._renamed.add(symbol)
        return symbol

    def _quantify(
        self,
        make: Callable[[Sequence[Term], Term], Term],
        symbols: Sequence[Term],
        outside: Mapping[str, _Binding | None],
    ) -> None:
        self._bound.pop()
        self._restore(outside)
        body = self._values.pop()
        self._values.append(
            self._construct("quantifier", lambda _: make(symbols, body), [], self._line)
        )

    def _bv_literal(self, digits: str, width: str) -> Term:
        if not _is_index(width) or not 0 < int(width) <= MAX_WIDTH:
            raise self._error("no width of a bit-vector")
        try:
            return terms.bv_const(_number(digits), int(width))
        except Malformed as error:
            raise self._error(str(error)) from None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal()


def _is_index(text: str) -> bool:
    return _is_number(text) and len(text) < 10


def _number(digits: str) -> int:
    """The number that is written so; Malformed for one that is too long."""
    if len(digits) > MAX_DIGITS:
        raise Malformed(f"a number of more than {MAX_DIGITS} digits")
    return int(digits)


def _literal(atom: str) -> Term | None:
    if atom in ("true", "false"):
        return terms.bool_const(atom == "true")
    if _is_number(atom):
        return terms.int_const(_number(atom))
    digits = atom[2:]
    if atom[:2] == "#x" and all(c in "0123456789abcdefABCDEF" for c in digits) and digits:
        return terms.bv_const(int(digits, 16), 4 * len(digits))
    if atom[:2] == "#b" and set(digits) <= {"0", "1"} and digits:
        return terms.bv_const(int(digits, 2), len(digits))
    whole, point, part = atom.partition(".")
    if point and _is_number(whole) and _is_number(part):
        part = part.rstrip("0")
        return terms.real_const(_number(whole + part), 10 ** len(part))
    return None
