"""Native terms of the two solvers that bounded model checking uses, built operation by operation.

bitwuzla (Niemetz, Preiner 2023) for Booleans, bit-vectors and arrays of them, z3 (de Moura, Bjorner
2008) for everything else.  A solver here keeps all terms and everything it has learnt from one
question to the next; a question is a list of assumptions (Een, Sorensson 2003).

A `Native` is a term of one solver.  Constants are Python values: `bool`, `int` (unsigned for
bit-vectors), `Fraction`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Any, Protocol, TypeAlias

import bitwuzla
import z3
from bitwuzla import Kind
from pysmt import operators as op

from seahorn_py.errors import InternalError
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import payload
from seahorn_py.logic.terms.terms import Sort, Term

Native: TypeAlias = Any
Constant = bool | int | Fraction
Apply = Callable[[list[Native]], Native]


class UnsupportedTerm(Exception):
    """A construct that bounded model checking does not read; the text names it."""


class Terms(Protocol):
    """A term manager with a solver of its own."""

    solver: Solver

    def variable(self, name: str, sort: Sort) -> Native:
        """A fresh variable, whatever its name."""

    def constant(self, value: Constant, sort: Sort) -> Native:
        """A constant of a sort that is no array."""

    def constant_array(self, sort: Sort, default: Native) -> Native:
        """The array that holds `default` everywhere."""

    def operation(self, node: Term) -> Apply:
        """The operation at the top of `node`, for other arguments of the same sorts."""

    def connective(self, kind: int) -> Apply:
        """The operation with the number `kind` of pySMT's operators, which has no indices."""

    def ident(self, native: Native) -> Hashable:
        """Equal for equal terms."""

    def keep(self, native: Native) -> None:
        """Make a Boolean part of every later question."""

    def check(self, assumptions: Sequence[Native], until: float) -> Status:
        """Whether the assumptions have a model; UNKNOWN from `until` on (monotonic clock)."""

    def value(self, native: Native) -> Constant:
        """The value in the model of the last question, which was SAT."""

    def array_value(self, native: Native, sort: Sort) -> tuple[Constant, dict[Constant, Constant]]:
        """The default and the exceptions of an array in that model."""

    def script(self, assumptions: Sequence[Native]) -> str:
        """The question as SMT-LIB text."""


# -------------------------------------------------------------------------------------- bitwuzla

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
        self._sorts: dict[Sort, Any] = {}

    def variable(self, name: str, sort: Sort) -> Native:
        """A fresh constant symbol."""
        return self._manager.mk_const(self._sort(sort), name)

    def constant(self, value: Constant, sort: Sort) -> Native:
        """A value of the theory."""
        if sort.is_bool_type():
            return self._manager.mk_true() if value else self._manager.mk_false()
        return self._manager.mk_bv_value(self._sort(sort), int(value))

    def constant_array(self, sort: Sort, default: Native) -> Native:
        """The array that holds `default` everywhere."""
        return self._manager.mk_const_array(self._sort(sort), default)

    def operation(self, node: Term) -> Apply:
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

    def connective(self, kind: int) -> Apply:
        """A kind without indices."""
        native, make = _BITWUZLA[kind], self._manager.mk_term
        return lambda arguments: make(native, arguments)

    def ident(self, native: Native) -> Hashable:
        """What tells terms apart."""
        return native  # type: ignore[no-any-return]

    def keep(self, native: Native) -> None:
        """Assert a Boolean."""
        self._solver.assert_formula(native)

    def check(self, assumptions: Sequence[Native], until: float) -> Status:
        """Satisfiability under assumptions, up to a point of the clock."""
        self._until = until
        return Status(str(self._solver.check_sat(*assumptions)))

    def value(self, native: Native) -> Constant:
        """A value of the last model."""
        return _bitwuzla_constant(self._solver.get_value(native))

    def array_value(self, native: Native, sort: Sort) -> tuple[Constant, dict[Constant, Constant]]:
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

    def script(self, assumptions: Sequence[Native]) -> str:
        """The assumptions as assertions."""
        solver = bitwuzla.Bitwuzla(self._manager, bitwuzla.Options())
        for assumption in assumptions:
            solver.assert_formula(assumption)
        return str(solver.print_formula())

    def _sort(self, sort: Sort) -> Any:
        if sort not in self._sorts:
            self._sorts[sort] = self._new_sort(sort)
        return self._sorts[sort]

    def _new_sort(self, sort: Sort) -> Any:
        if sort.is_array_type():
            index, element = self._sort(sort.index_type), self._sort(sort.elem_type)
            return self._manager.mk_array_sort(index, element)
        if sort.is_bv_type():
            return self._manager.mk_bv_sort(sort.width)
        return self._manager.mk_bool_sort()


def _bitwuzla_constant(value: Native) -> Constant:
    if value.sort().is_bool():
        return bool(value.is_true())
    return int(value.value(2), 2)


# -------------------------------------------------------------------------------------------- z3

_Z3: dict[int, Apply] = {
    op.AND: lambda a: z3.And(*a),
    op.OR: lambda a: z3.Or(*a),
    op.NOT: lambda a: z3.Not(a[0]),
    op.IMPLIES: lambda a: z3.Implies(a[0], a[1]),
    op.IFF: lambda a: a[0] == a[1],
    op.EQUALS: lambda a: a[0] == a[1],
    op.ITE: lambda a: z3.If(a[0], a[1], a[2]),
    op.PLUS: lambda a: z3.Sum(*a),
    op.TIMES: lambda a: z3.Product(*a),
    op.MINUS: lambda a: a[0] - a[1],
    op.LE: lambda a: a[0] <= a[1],
    op.LT: lambda a: a[0] < a[1],
    op.DIV: lambda a: a[0] / a[1],
    op.TOREAL: lambda a: z3.ToReal(a[0]),
    op.BV_TONATURAL: lambda a: z3.BV2Int(a[0]),
    op.BV_ULE: lambda a: z3.ULE(a[0], a[1]),
    op.BV_ULT: lambda a: z3.ULT(a[0], a[1]),
    op.BV_SLE: lambda a: a[0] <= a[1],
    op.BV_SLT: lambda a: a[0] < a[1],
    op.BV_NOT: lambda a: ~a[0],
    op.BV_NEG: lambda a: -a[0],
    op.BV_ADD: lambda a: a[0] + a[1],
    op.BV_SUB: lambda a: a[0] - a[1],
    op.BV_MUL: lambda a: a[0] * a[1],
    op.BV_UDIV: lambda a: z3.UDiv(a[0], a[1]),
    op.BV_UREM: lambda a: z3.URem(a[0], a[1]),
    op.BV_SDIV: lambda a: a[0] / a[1],
    op.BV_SREM: lambda a: z3.SRem(a[0], a[1]),
    op.BV_LSHL: lambda a: a[0] << a[1],
    op.BV_LSHR: lambda a: z3.LShR(a[0], a[1]),
    op.BV_ASHR: lambda a: a[0] >> a[1],
    op.BV_AND: lambda a: a[0] & a[1],
    op.BV_OR: lambda a: a[0] | a[1],
    op.BV_XOR: lambda a: a[0] ^ a[1],
    op.BV_COMP: lambda a: z3.If(a[0] == a[1], z3.BitVecVal(1, 1), z3.BitVecVal(0, 1)),
    op.BV_CONCAT: lambda a: z3.Concat(*a),
    op.ARRAY_SELECT: lambda a: z3.Select(a[0], a[1]),
    op.ARRAY_STORE: lambda a: z3.Store(a[0], a[1], a[2]),
}
_Z3_INDEXED: dict[int, Callable[[Native, Sequence[int]], Native]] = {
    op.BV_EXTRACT: lambda a, p: z3.Extract(p[2], p[1], a),
    op.BV_ZEXT: lambda a, p: z3.ZeroExt(p[1], a),
    op.BV_SEXT: lambda a, p: z3.SignExt(p[1], a),
    op.BV_ROL: lambda a, p: z3.RotateLeft(a, p[1]),
    op.BV_ROR: lambda a, p: z3.RotateRight(a, p[1]),
}
_Z3_FUNCTIONS: dict[str, Apply] = {
    "div": lambda a: a[0] / a[1],
    "mod": lambda a: a[0] % a[1],
    "to_int": lambda a: z3.ToInt(a[0]),
}


class Z3Terms:
    """All sorts; quantifiers and unknown functions are refused."""

    solver = Solver.Z3

    def __init__(self) -> None:
        self._solver = z3.Solver()
        self._model: Any = None
        self._variables = 0

    def variable(self, name: str, sort: Sort) -> Native:
        """A fresh constant symbol."""
        self._variables += 1
        return z3.Const(f"{name}!{self._variables}", _z3_sort(sort))

    def constant(self, value: Constant, sort: Sort) -> Native:
        """A value of the theory."""
        if sort.is_bool_type():
            return z3.BoolVal(bool(value))
        if sort.is_bv_type():
            return z3.BitVecVal(int(value), sort.width)
        return z3.IntVal(int(value)) if sort.is_int_type() else z3.RealVal(value)

    def constant_array(self, sort: Sort, default: Native) -> Native:
        """The array that holds `default` everywhere."""
        return z3.K(_z3_sort(sort.index_type), default)

    def operation(self, node: Term) -> Apply:
        """The kind at the top of `node`, with its indices."""
        kind = node.node_type()
        if kind in _Z3:
            return _Z3[kind]
        if kind in _Z3_INDEXED:
            make, numbers = _Z3_INDEXED[kind], payload(node)
            return lambda arguments: make(arguments[0], numbers)
        name = node.function_name().symbol_name() if node.is_function_application() else ""
        if name in _Z3_FUNCTIONS:
            return _Z3_FUNCTIONS[name]
        raise UnsupportedTerm(name or op.op_to_str(kind))

    def connective(self, kind: int) -> Apply:
        """A kind without indices."""
        return _Z3[kind]

    def ident(self, native: Native) -> Hashable:
        """What tells terms apart."""
        return int(native.get_id())

    def keep(self, native: Native) -> None:
        """Assert a Boolean."""
        self._solver.add(native)

    def check(self, assumptions: Sequence[Native], until: float) -> Status:
        """Satisfiability under assumptions, up to a point of the clock."""
        left = until - time.monotonic()
        if left <= 0:
            return Status.UNKNOWN
        self._solver.set("timeout", max(1, int(left * 1000)))
        found = self._solver.check(*assumptions)
        self._model = self._solver.model() if found == z3.sat else None
        return Status(str(found))

    def value(self, native: Native) -> Constant:
        """A value of the last model."""
        return _z3_constant(self._model.eval(native, model_completion=True))

    def array_value(self, native: Native, sort: Sort) -> tuple[Constant, dict[Constant, Constant]]:
        """An array of the last model."""
        exceptions: dict[Constant, Constant] = {}
        array = self._model.eval(native, model_completion=True)
        while z3.is_store(array):
            array, index, element = array.children()
            exceptions.setdefault(_z3_constant(index), _z3_constant(element))
        if not z3.is_K(array):
            raise UnsupportedTerm(f"the value {array} of an array")
        return _z3_constant(array.arg(0)), exceptions

    def script(self, assumptions: Sequence[Native]) -> str:
        """The assumptions as assertions."""
        solver = z3.Solver()
        solver.add(*assumptions)
        return str(solver.to_smt2())


def _z3_sort(sort: Sort) -> Any:
    if sort.is_array_type():
        return z3.ArraySort(_z3_sort(sort.index_type), _z3_sort(sort.elem_type))
    if sort.is_bv_type():
        return z3.BitVecSort(sort.width)
    if sort is terms.BOOL:
        return z3.BoolSort()
    return z3.IntSort() if sort is terms.INT else z3.RealSort()


def _z3_constant(value: Native) -> Constant:
    if z3.is_true(value) or z3.is_false(value):
        return bool(z3.is_true(value))
    if z3.is_int_value(value) or z3.is_bv_value(value):
        return int(value.as_long())
    if z3.is_rational_value(value):
        return Fraction(value.numerator_as_long(), value.denominator_as_long())
    raise InternalError(f"{value} is no constant")
