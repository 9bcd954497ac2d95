"""Terms of bitwuzla: Booleans, bit-vectors and arrays of them."""

from __future__ import annotations

import time
from collections.abc import Hashable, Sequence

import bitwuzla
from bitwuzla import Kind
from pysmt import operators as op

from seahorn_py.logic.solvers.construction.protocol import Apply, Constant, UnsupportedTerm
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.terms.binding import payload
from seahorn_py.logic.terms.terms import Sort, Term
from seahorn_py.processes import timeline
from seahorn_py.processes.timeline import Kind as Noted

_BITWUZLA: dict[int, Kind] = {
    op.AND: Kind.AND,
    op.OR: Kind.OR,
    op.NOT: Kind.NOT,
    op.IMPLIES: Kind.IMPLIES,
    op.IFF: Kind.EQUAL,
    op.EQUALS: Kind.EQUAL,
    op.ITE: Kind.ITE,
    op.BV_ULE: Kind.BV_ULE,
    op.BV_ULT: Kind.BV_ULT,
    op.BV_SLE: Kind.BV_SLE,
    op.BV_SLT: Kind.BV_SLT,
    op.BV_NOT: Kind.BV_NOT,
    op.BV_NEG: Kind.BV_NEG,
    op.BV_ADD: Kind.BV_ADD,
    op.BV_SUB: Kind.BV_SUB,
    op.BV_MUL: Kind.BV_MUL,
    op.BV_UDIV: Kind.BV_UDIV,
    op.BV_UREM: Kind.BV_UREM,
    op.BV_SDIV: Kind.BV_SDIV,
    op.BV_SREM: Kind.BV_SREM,
    op.BV_LSHL: Kind.BV_SHL,
    op.BV_LSHR: Kind.BV_SHR,
    op.BV_ASHR: Kind.BV_ASHR,
    op.BV_AND: Kind.BV_AND,
    op.BV_OR: Kind.BV_OR,
    op.BV_XOR: Kind.BV_XOR,
    op.BV_COMP: Kind.BV_COMP,
    op.BV_CONCAT: Kind.BV_CONCAT,
    op.ARRAY_SELECT: Kind.ARRAY_SELECT,
    op.ARRAY_STORE: Kind.ARRAY_STORE,
}
_BITWUZLA_INDEXED: dict[int, tuple[Kind, tuple[int, ...]]] = {
    op.BV_EXTRACT: (Kind.BV_EXTRACT, (2, 1)),
    op.BV_ZEXT: (Kind.BV_ZERO_EXTEND, (1,)),
    op.BV_SEXT: (Kind.BV_SIGN_EXTEND, (1,)),
    op.BV_ROL: (Kind.BV_ROLI, (1,)),
    op.BV_ROR: (Kind.BV_RORI, (1,)),
}
"""The kind, and the positions of its indices in pySMT's payload."""


class BitwuzlaTerms:
    """Booleans, bit-vectors, and arrays of bit-vectors."""

    solver = Solver.BITWUZLA

    def __init__(self) -> None:
        self._manager = bitwuzla.TermManager()
        options = bitwuzla.Options()
        options.set(bitwuzla.Option.PRODUCE_MODELS, True)
        self._solver = bitwuzla.Bitwuzla(self._manager, options)
        self._until = 0.0
        self._solver.configure_terminator(lambda: time.monotonic() >= self._until)
        self._sorts: dict[Sort, bitwuzla.Sort] = {}

    def variable(self, name: str, sort: Sort) -> bitwuzla.Term:
        """A fresh constant symbol."""
        return self._manager.mk_const(self._sort(sort), name)

    def constant(self, value: Constant, sort: Sort) -> bitwuzla.Term:
        """A value of the theory."""
        if sort.is_bool_type():
            return self._manager.mk_true() if value else self._manager.mk_false()
        return self._manager.mk_bv_value(self._sort(sort), int(value))

    def constant_array(self, sort: Sort, default: bitwuzla.Term) -> bitwuzla.Term:
        """The array that holds `default` everywhere."""
        return self._manager.mk_const_array(self._sort(sort), default)

    def operation(self, node: Term) -> Apply[bitwuzla.Term]:
        """The kind at the top of `node`, with its indices."""
        kind = node.node_type()
        if kind in _BITWUZLA:
            return self.connective(kind)
        if kind not in _BITWUZLA_INDEXED:
            raise UnsupportedTerm(op.op_to_str(kind))
        native, positions = _BITWUZLA_INDEXED[kind]
        indices = [payload(node)[p] for p in positions]
        make = self._manager.mk_term
        return lambda arguments: make(native, arguments, indices)

    def connective(self, kind: int) -> Apply[bitwuzla.Term]:
        """A kind without indices."""
        native, make = _BITWUZLA[kind], self._manager.mk_term
        return lambda arguments: make(native, arguments)

    def ident(self, native: bitwuzla.Term) -> Hashable:
        """What tells terms apart."""
        return native

    def keep(self, native: bitwuzla.Term) -> None:
        """Assert a Boolean."""
        self._solver.assert_formula(native)

    def check(self, assumptions: Sequence[bitwuzla.Term], until: float) -> Status:
        """Satisfiability under assumptions, up to a point of the clock."""
        self._until = until
        with timeline.span(Noted.SOLVER, "bitwuzla"):
            return Status(str(self._solver.check_sat(*assumptions)))

    def value(self, native: bitwuzla.Term) -> Constant:
        """A value of the last model."""
        return _bitwuzla_constant(self._solver.get_value(native))

    def array_value(
        self, native: bitwuzla.Term, sort: Sort
    ) -> tuple[Constant, dict[Constant, Constant]]:
        """An array of the last model."""
        exceptions: dict[Constant, Constant] = {}
        array = self._solver.get_value(native)
        while array.kind() == Kind.ARRAY_STORE:
            array, index, element = array.children()
            exceptions.setdefault(_bitwuzla_constant(index), _bitwuzla_constant(element))
        if array.kind() != Kind.CONST_ARRAY:
            raise UnsupportedTerm(f"the value {array} of an array")
        (default,) = array.children()
        return _bitwuzla_constant(default), exceptions

    def script(self, assumptions: Sequence[bitwuzla.Term]) -> str:
        """The assumptions as assertions."""
        solver = bitwuzla.Bitwuzla(self._manager, bitwuzla.Options())
        for assumption in assumptions:
            solver.assert_formula(assumption)
        return str(solver.print_formula())

    def _sort(self, sort: Sort) -> bitwuzla.Sort:
        if sort not in self._sorts:
            self._sorts[sort] = self._new_sort(sort)
        return self._sorts[sort]

    def _new_sort(self, sort: Sort) -> bitwuzla.Sort:
        if sort.is_array_type():
            index, element = self._sort(sort.index_type), self._sort(sort.elem_type)
            return self._manager.mk_array_sort(index, element)
        if sort.is_bv_type():
            return self._manager.mk_bv_sort(sort.width)
        return self._manager.mk_bool_sort()


def _bitwuzla_constant(value: bitwuzla.Term) -> Constant:
    if value.sort().is_bool():
        return bool(value.is_true())
    return int(str(value.value(2)), 2)
