"""Terms compiled to Python functions, for evaluating one formula on thousands of states.

The term becomes the source of one function: a term that is used more than once, or nests deeply,
gets a local variable, so that the source is linear in the DAG and flat.  Bit-vectors are unsigned
Python integers, Booleans `bool`, reals `int` or `Fraction`, arrays maps (`logic.terms.maps`).  The
source is built from numbers and positions only; no name of a program ever enters it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import floor, prod

from pysmt import operators as op

from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes, payload
from seahorn_py.logic.terms.maps import Everywhere, Map, Stored, same
from seahorn_py.logic.terms.terms import Term

Value = int | bool | Fraction | Map

_MAX_INLINE_DEPTH = 8


class NotEvaluable(Exception):
    """A quantifier, an unknown function, or a division whose divisor may be 0."""


def compile_term(term: Term, symbols: Sequence[Term]) -> Callable[[Sequence[Value]], Value]:
    """A function from the values of `symbols`, in order, to the value of `term`.

    NotEvaluable when the term has no value that this module can compute, or when it has a free
    symbol outside `symbols`.
    """
    source = _Source({s: f"x[{i}]" for i, s in enumerate(symbols)})
    lines = source.lines(term)
    namespace = dict(_RUNTIME)
    exec(compile("\n".join(["def value(x):", *lines]), "<term>", "exec"), namespace)
    function: Callable[[Sequence[Value]], Value] = namespace["value"]
    return function


def evaluate(term: Term, values: dict[Term, Value]) -> Value:
    """The value of `term` once; for repeated use compile it."""
    symbols = list(values)
    return compile_term(term, symbols)([values[s] for s in symbols])


class _Source:
    def __init__(self, symbols: dict[Term, str]) -> None:
        self._symbols = symbols

    def lines(self, term: Term) -> list[str]:
        order = list(nodes(term))
        uses: dict[Term, int] = {}
        for node in order:
            for argument in node.args():
                uses[argument] = uses.get(argument, 0) + 1
        text: dict[Term, str] = {}
        depth: dict[Term, int] = {}
        lines: list[str] = []
        for node in order:
            if node.is_quantifier():
                raise NotEvaluable("a quantifier")
            expression = self._expression(node, [text[a] for a in node.args()])
            deep = 1 + max((depth[a] for a in node.args()), default=-1)
            if node.args() and (uses.get(node, 0) > 1 or deep > _MAX_INLINE_DEPTH):
                lines.append(f"    v{len(lines)} = {expression}")
                expression, deep = f"v{len(lines) - 1}", 0
            text[node], depth[node] = expression, deep
        return [*lines, f"    return {text[term]}"]

    def _expression(self, node: Term, arguments: list[str]) -> str:
        kind = node.node_type()
        if kind == op.SYMBOL:
            if node not in self._symbols:
                raise NotEvaluable(f"no value for {node.symbol_name()}")
            return self._symbols[node]
        if kind in op.CONSTANTS:
            return _constant(node)
        if kind == op.FUNCTION:
            return _function(node, arguments)
        if kind == op.EQUALS and terms.sort_of(node.arg(0)).is_array_type():
            index = terms.sort_of(node.arg(0)).index_type
            indices = 1 << index.width if index.is_bv_type() else 0
            return f"same({', '.join(arguments)}, {hex(indices)})"
        template = _BIT_VECTORS.get(kind)
        if template is not None:
            return template(*arguments, *_widths(node))
        if kind == op.ARRAY_VALUE and len(arguments) == 1:
            return f"Everywhere({arguments[0]})"
        plain = _PLAIN.get(kind)
        if plain is None:
            raise NotEvaluable(op.op_to_str(kind))
        return plain(arguments)


def _constant(node: Term) -> str:
    value = node.constant_value()
    if node.is_bool_constant():
        return str(bool(value))
    if node.is_real_constant():
        return f"Fraction({hex(int(value.numerator))}, {hex(int(value.denominator))})"
    if node.is_int_constant() or node.is_bv_constant():
        return f"({hex(int(value))})"
    raise NotEvaluable("a constant of another sort")


def _function(node: Term, arguments: list[str]) -> str:
    """Division by a constant; `n div d` is the quotient with remainder in `[0, |d|)`."""
    name = node.function_name().symbol_name()
    if name == "to_int":
        return f"floor({arguments[0]})"
    if name not in ("div", "mod"):
        raise NotEvaluable(f"function {name}")
    divisor = node.arg(1)
    if not divisor.is_int_constant() or not divisor.constant_value():
        raise NotEvaluable("a divisor that may be 0")
    by = int(divisor.constant_value())
    if name == "mod":
        return f"({arguments[0]} % {hex(abs(by))})"
    return f"({arguments[0]} // {hex(by)})" if by > 0 else f"(-({arguments[0]} // {hex(-by)}))"


def _join(separator: str) -> Callable[[list[str]], str]:
    return lambda arguments: f"({separator.join(arguments)})"


_PLAIN: dict[int, Callable[[list[str]], str]] = {
    op.AND: _join(" and "),
    op.OR: _join(" or "),
    op.NOT: lambda a: f"(not {a[0]})",
    op.IMPLIES: lambda a: f"(not {a[0]} or {a[1]})",
    op.IFF: _join(" is "),
    op.EQUALS: _join(" == "),
    op.LE: _join(" <= "),
    op.LT: _join(" < "),
    op.BV_ULE: _join(" <= "),
    op.BV_ULT: _join(" < "),
    op.PLUS: lambda a: f"sum(({', '.join(a)},))",
    op.TIMES: lambda a: f"prod(({', '.join(a)},))",
    op.MINUS: _join(" - "),
    op.ITE: lambda a: f"({a[1]} if {a[0]} else {a[2]})",
    op.TOREAL: lambda a: a[0],
    op.BV_TONATURAL: lambda a: a[0],
    op.ARRAY_SELECT: lambda a: f"{a[0]}.read({a[1]})",
    op.ARRAY_STORE: lambda a: f"Stored({', '.join(a)})",
    op.BV_AND: _join(" & "),
    op.BV_OR: _join(" | "),
    op.BV_XOR: _join(" ^ "),
}

_BIT_VECTORS: dict[int, Callable[..., str]] = {
    op.BV_NOT: lambda a, w, *_: f"({a} ^ {_mask(w)})",
    op.BV_NEG: lambda a, w, *_: f"(-{a} & {_mask(w)})",
    op.BV_ADD: lambda a, b, w, *_: f"({a} + {b} & {_mask(w)})",
    op.BV_SUB: lambda a, b, w, *_: f"({a} - {b} & {_mask(w)})",
    op.BV_MUL: lambda a, b, w, *_: f"({a} * {b} & {_mask(w)})",
    op.BV_UDIV: lambda a, b, w, *_: f"udiv({a}, {b}, {w})",
    op.BV_UREM: lambda a, b, w, *_: f"urem({a}, {b})",
    op.BV_SDIV: lambda a, b, w, *_: f"sdiv({a}, {b}, {w})",
    op.BV_SREM: lambda a, b, w, *_: f"srem({a}, {b}, {w})",
    op.BV_LSHL: lambda a, b, w, *_: f"shl({a}, {b}, {w})",
    op.BV_LSHR: lambda a, b, w, *_: f"({a} >> {b})",
    op.BV_ASHR: lambda a, b, w, *_: f"({_signed(a, w)} >> {b} & {_mask(w)})",
    op.BV_SLE: lambda a, b, w, *_: f"({_signed(a, w)} <= {_signed(b, w)})",
    op.BV_SLT: lambda a, b, w, *_: f"({_signed(a, w)} < {_signed(b, w)})",
    op.BV_COMP: lambda a, b, *_: f"int({a} == {b})",
    op.BV_CONCAT: lambda a, b, w, low, *_: f"({a} << {low} | {b})",
    op.BV_EXTRACT: lambda a, w, size, low, high: f"({a} >> {low} & {_mask(size)})",
    op.BV_ZEXT: lambda a, *_: f"{a}",
    op.BV_SEXT: lambda a, w, wide, *_: f"({_signed(a, w)} & {_mask(wide)})",
    op.BV_ROL: lambda a, w, _, by: f"rotate({a}, {by}, {w})",
    op.BV_ROR: lambda a, w, _, by: f"rotate({a}, {(w - by) % w}, {w})",
}


def _widths(node: Term) -> tuple[int, ...]:
    """The width of the last argument for `concat`, of the first otherwise; then the payload."""
    kind = node.node_type()
    if kind == op.BV_CONCAT:
        return terms.bv_width(node), terms.bv_width(node.arg(1))
    return terms.bv_width(node.arg(0)), *payload(node)


def _mask(width: int) -> str:
    return hex((1 << width) - 1)


def _signed(text: str, width: int) -> str:
    sign = hex(1 << (width - 1))
    return f"(({text} ^ {sign}) - {sign})"


# -------------------------------------------------- SMT-LIB bit-vector operations, x / 0 included


def _value(bits: int, width: int) -> int:
    return bits - (1 << width) if bits >> (width - 1) else bits


def _udiv(left: int, right: int, width: int) -> int:
    return left // right if right else (1 << width) - 1


def _urem(left: int, right: int) -> int:
    return left % right if right else left


def _sdiv(left: int, right: int, width: int) -> int:
    a, b = _value(left, width), _value(right, width)
    size = _udiv(abs(a), abs(b), width)
    return (-size if (a < 0) != (b < 0) else size) & ((1 << width) - 1)


def _srem(left: int, right: int, width: int) -> int:
    a, b = _value(left, width), _value(right, width)
    size = _urem(abs(a), abs(b))
    return (-size if a < 0 else size) & ((1 << width) - 1)


def _shl(left: int, right: int, width: int) -> int:
    return left << right & ((1 << width) - 1) if right < width else 0


def _rotate(bits: int, by: int, width: int) -> int:
    return (bits << by | bits >> (width - by)) & ((1 << width) - 1)


_RUNTIME: dict[str, Callable[..., Value]] = {
    "Fraction": Fraction,
    "floor": floor,
    "prod": prod,
    "udiv": _udiv,
    "urem": _urem,
    "sdiv": _sdiv,
    "srem": _srem,
    "shl": _shl,
    "rotate": _rotate,
    "Stored": Stored,
    "Everywhere": Everywhere,
    "same": same,
}
