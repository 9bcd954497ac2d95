"""Elements of memory in C terms: `a[i + 1]` for the element of a region at an address.

An address is a sum; its constant lies in an object, whose C name is known from the debug records
and the globals, and the rest is the distance from there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from seahorn_py.base.records import dataclass
from seahorn_py.encode.encoding import Encoding
from seahorn_py.ir.memory import GAP, layout_of
from seahorn_py.ir.program import Address, Bind, Program
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term


@dataclass(frozen=True)
class Object:
    """An object with a C name and its place."""

    name: str
    start: int
    size: int


def objects_of(program: Program) -> tuple[Object, ...]:
    """The objects that have C names."""
    names = {n: item.variables[0].name for n, item in program.globals.items() if item.variables}
    for function in program.functions.values():
        for block in function.blocks:
            for record in block.statements:
                if isinstance(record, Bind) and isinstance(record.value, Address):
                    address = record.value
                    symbol = address.symbol
                    if symbol is not None and symbol in program.globals and not address.offset:
                        names.setdefault(symbol, str(record.variable).lstrip("&"))
    places = layout_of(program).symbols
    return tuple(
        Object(name, places[symbol], program.globals[symbol].size) for symbol, name in names.items()
    )


class Elements:
    """Names elements by the objects of a program."""

    def __init__(self, encoding: Encoding) -> None:
        self._objects = objects_of(encoding.program)
        self._width = encoding.program.pointer_width

    def text(self, address: Term, size: int, show: Callable[[Term], str]) -> str | None:
        """The element of `size` bytes at an address; None where no object is known."""
        constant, rest = _parts(address)
        inside = self._near(constant, GAP if rest else 0)
        if inside is None or any(factor % size for factor in rest.values()):
            return None
        distance = constant - inside.start
        if distance % size:
            return None
        return f"{inside.name}[{_index(distance // size, rest, size, show)}]"

    def _near(self, address: int, slack: int) -> Object | None:
        """The object of an address; of one before its start, too, where something is added."""
        near = (o for o in self._objects if o.start - slack <= address < o.start + o.size)
        return min(near, key=lambda o: abs(address - o.start), default=None)


def _index(start: int, rest: Mapping[Term, int], size: int, show: Callable[[Term], str]) -> str:
    summands = [(factor // size, show(part)) for part, factor in rest.items() if factor]
    text = ""
    for factor, part in summands:
        sign = "-" if factor < 0 else "+"
        scaled = part if abs(factor) == 1 else f"{abs(factor)} * {part}"
        text += f" {sign} {scaled}" if text else f"{'-' if factor < 0 else ''}{scaled}"
    if not text:
        return str(start)
    sign = "-" if start < 0 else "+"
    return text if not start else f"{text} {sign} {abs(start)}"


def _parts(address: Term) -> tuple[int, dict[Term, int]]:
    """The constant of a sum, and its other summands with their factors."""
    constant, rest = 0, dict[Term, int]()
    todo = [(address, 1)]
    while todo:
        term, factor = todo.pop()
        if term.is_plus() or term.is_bv_add():
            todo.extend((part, factor) for part in term.args())
        elif term.is_constant():
            constant += factor * _number(term)
        elif (term.is_times() or term.is_bv_mul()) and any(a.is_constant() for a in term.args()):
            scale, other = sorted(term.args(), key=lambda a: not a.is_constant())
            todo.append((other, factor * _number(scale)))
        else:
            rest[term] = rest.get(term, 0) + factor
    return constant, rest


def _number(term: Term) -> int:
    value = int(term.constant_value())
    return value if terms.sort_of(term) is terms.INT else int(term.bv_signed_value())
