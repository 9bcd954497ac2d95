"""Terms as SMT-LIB 2.7 text, linear in the DAG: shared terms are named by `let`.

Every quantifier body is a scope of its own, because a `let` outside cannot name a term with bound
variables.  Within a scope the shared terms are bound level by level, all terms of a level in one
parallel `let`, so that the nesting of `let` stays as low as the sharing allows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pysmt import operators as op

from seahorn_py.base.errors import InternalError
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import QUANTIFIERS, nodes, payload
from seahorn_py.logic.terms.datatypes import Part, function_of, is_bare, tester_name
from seahorn_py.logic.terms.terms import Sort, Term
from seahorn_py.logic.text.sexpr import quoted

_PLAIN = {
    op.AND: "and",
    op.OR: "or",
    op.NOT: "not",
    op.IMPLIES: "=>",
    op.IFF: "=",
    op.PLUS: "+",
    op.MINUS: "-",
    op.TIMES: "*",
    op.DIV: "/",
    op.LE: "<=",
    op.LT: "<",
    op.EQUALS: "=",
    op.ITE: "ite",
    op.TOREAL: "to_real",
    op.BV_NOT: "bvnot",
    op.BV_AND: "bvand",
    op.BV_OR: "bvor",
    op.BV_XOR: "bvxor",
    op.BV_CONCAT: "concat",
    op.BV_ULT: "bvult",
    op.BV_ULE: "bvule",
    op.BV_NEG: "bvneg",
    op.BV_ADD: "bvadd",
    op.BV_SUB: "bvsub",
    op.BV_MUL: "bvmul",
    op.BV_UDIV: "bvudiv",
    op.BV_UREM: "bvurem",
    op.BV_LSHL: "bvshl",
    op.BV_LSHR: "bvlshr",
    op.BV_SLT: "bvslt",
    op.BV_SLE: "bvsle",
    op.BV_COMP: "bvcomp",
    op.BV_SDIV: "bvsdiv",
    op.BV_SREM: "bvsrem",
    op.BV_ASHR: "bvashr",
    op.BV_TONATURAL: "bv2nat",
    op.ARRAY_SELECT: "select",
    op.ARRAY_STORE: "store",
}
_INDEXED = {
    op.BV_ROL: ("rotate_left", (1,)),
    op.BV_ROR: ("rotate_right", (1,)),
    op.BV_ZEXT: ("zero_extend", (1,)),
    op.BV_SEXT: ("sign_extend", (1,)),
    op.BV_EXTRACT: ("extract", (2, 1)),
}


def print_sort(sort: Sort) -> str:
    """A sort as SMT-LIB text."""
    if sort.is_array_type():
        return f"(Array {print_sort(sort.index_type)} {print_sort(sort.elem_type)})"
    if sort.is_bv_type():
        return f"(_ BitVec {sort.width})"
    return quoted(str(sort))


def print_term(term: Term, names: Mapping[Term, str] | None = None) -> str:
    """A term as one line of SMT-LIB; `names` gives symbols other names than their own.

    InputError for a symbol that SMT-LIB cannot write (see `sexpr.quoted`).
    """
    return _Printer(names or {}).text(term)


def print_variables(symbols: Sequence[Term], names: Mapping[Term, str] | None = None) -> str:
    """`((x Int) (y Bool))`, the variables of a quantifier or a definition."""
    own = names or {}
    parts = (f"({_symbol(s, own)} {print_sort(s.symbol_type())})" for s in symbols)
    return f"({' '.join(parts)})"


def _symbol(symbol: Term, names: Mapping[Term, str]) -> str:
    return quoted(names.get(symbol) or symbol.symbol_name())


class _Printer:
    """Writes pieces to one list; `_let` names what is shared, `_prefix` is no symbol's start."""

    def __init__(self, names: Mapping[Term, str]) -> None:
        self._names = names
        self._used: set[str] = set()
        self._prefix = ""
        self._lets = 0
        self._out: list[str] = []

    def text(self, term: Term) -> str:
        self._used = {_symbol(s, self._names) for s in all_symbols(term)}
        self._prefix = _unused_prefix(self._used)
        self._scope(term)
        return "".join(self._out)

    def _scope(self, term: Term) -> None:
        let: dict[int, str] = {}  # by id, as in `nodes`
        levels = _shared_by_level(term)
        for level in levels:
            self._out.append("(let (")
            own = {}
            for node in level:
                self._lets += 1
                own[id(node)] = f"{self._prefix}{self._lets}"
                self._out.append(f"({own[id(node)]} ")
                self._emit(node, let)
                self._out.append(")")
            let |= own
            self._out.append(") ")
        self._emit(term, let)
        self._out.append(")" * len(levels))

    def _emit(self, term: Term, let: Mapping[int, str]) -> None:
        todo: list[Term | str] = [term]
        while todo:
            item = todo.pop()
            if isinstance(item, str):
                self._out.append(item)
            elif id(item) in let:
                self._out.append(let[id(item)])
            elif item.node_type() in QUANTIFIERS:
                self._quantifier(item)
            elif item.args() and not is_bare(item):
                self._open(item, todo)
            else:
                self._out.append(self._leaf(item))

    def _open(self, node: Term, todo: list[Term | str]) -> None:
        todo.append(")")
        for argument in reversed(node.args()):
            todo.append(argument)
            todo.append(" ")
        self._out.append(f"({self._operator(node)}")

    def _quantifier(self, node: Term) -> None:
        name = "forall" if node.is_forall() else "exists"
        self._rename(node.quantifier_vars())
        self._out.append(f"({name} {print_variables(node.quantifier_vars(), self._names)} ")
        self._scope(node.arg(0))
        self._out.append(")")

    def _rename(self, bound: Sequence[Term]) -> None:
        """Other names for bound variables whose own ones were given to other symbols."""
        given = set(self._names.values()) if any(s not in self._names for s in bound) else set()
        for symbol in bound:
            name = symbol.symbol_name()
            if symbol in self._names or name not in given:
                continue
            while name in given or quoted(name) in self._used:
                name += "!"
            self._names = {**self._names, symbol: name}
            given.add(name)

    def _operator(self, node: Term) -> str:
        kind = node.node_type()
        if kind in _PLAIN:
            return _PLAIN[kind]
        if kind in _INDEXED:
            name, positions = _INDEXED[kind]
            numbers = payload(node)
            return f"(_ {name} {' '.join(str(numbers[p]) for p in positions)})"
        if kind == op.FUNCTION:
            function = function_of(node)
            if function is not None and function.part is Part.TESTER:
                return tester_name(quoted(function.constructor.name))
            return _symbol(node.function_name(), self._names)
        if kind == op.ARRAY_VALUE and len(node.args()) == 1:
            return f"(as const {print_sort(terms.sort_of(node))})"
        raise InternalError(f"no SMT-LIB text for {op.op_to_str(kind)}")

    def _leaf(self, node: Term) -> str:
        kind = node.node_type()
        if kind == op.FUNCTION:  # a constructor without fields
            return _symbol(node.function_name(), self._names)
        if kind == op.SYMBOL:
            return _symbol(node, self._names)
        if kind == op.BOOL_CONSTANT:
            return "true" if node.constant_value() else "false"
        if kind == op.INT_CONSTANT:
            return _numeral(int(node.constant_value()), "")
        if kind == op.REAL_CONSTANT:
            return _rational(node)
        if kind == op.BV_CONSTANT:
            return _bits(int(node.constant_value()), node.bv_width())
        raise InternalError(f"no SMT-LIB text for {op.op_to_str(kind)}")


def _numeral(value: int, suffix: str) -> str:
    return f"{value}{suffix}" if value >= 0 else f"(- {-value}{suffix})"


def _rational(node: Term) -> str:
    value = node.constant_value()
    top = _numeral(int(value.numerator), ".0")
    return top if value.denominator == 1 else f"(/ {top} {value.denominator}.0)"


def _bits(value: int, width: int) -> str:
    return f"#b{value:0{width}b}" if width % 4 else f"#x{value:0{width // 4}x}"


def _shared_by_level(term: Term) -> list[list[Term]]:
    """The inner nodes used more than once in this scope; a level uses lower levels only."""
    uses: dict[int, int] = {}
    below: dict[int, int] = {}
    inner: list[tuple[Term, tuple[int, ...]]] = []
    for node in nodes(term):
        arguments = () if node.node_type() in QUANTIFIERS else tuple(map(id, node.args()))
        for argument in arguments:
            uses[argument] = uses.get(argument, 0) + 1
        inner.append((node, arguments))
    levels: list[list[Term]] = []
    for node, arguments in inner:
        level = max((below[a] for a in arguments), default=0)
        if node.args() and uses.get(id(node), 0) > 1:
            if level == len(levels):
                levels.append([])
            levels[level].append(node)
            level += 1
        below[id(node)] = level
    return levels


def _unused_prefix(used: Iterable[str]) -> str:
    prefix = "?"
    while any(name.startswith(prefix) for name in used):
        prefix += "?"
    return prefix


def all_symbols(term: Term) -> set[Term]:
    """Every symbol that the text of `term` names: free, bound, and functions."""
    found: set[Term] = set()
    for node in nodes(term):
        if node.is_symbol():
            found.add(node)
        elif node.is_quantifier():
            found |= all_symbols(node.arg(0)) | set(node.quantifier_vars())
        elif node.is_function_application():
            found.add(node.function_name())
    return found
