"""Terms of z3: every sort, numbers above all."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction

import z3
from pysmt import operators as op

from seahorn_py.base.errors import InternalError
from seahorn_py.logic.solvers.construction.protocol import Apply, Constant, UnsupportedTerm
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import payload
from seahorn_py.logic.terms.terms import Sort, Term
from seahorn_py.processes import timeline
from seahorn_py.processes.timeline import Kind

_Z3: dict[int, Apply[z3.ExprRef]] = {
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
_Z3_INDEXED: dict[int, Callable[[z3.ExprRef, Sequence[int]], z3.ExprRef]] = {
    op.BV_EXTRACT: lambda a, p: z3.Extract(p[2], p[1], a),
    op.BV_ZEXT: lambda a, p: z3.ZeroExt(p[1], a),
    op.BV_SEXT: lambda a, p: z3.SignExt(p[1], a),
    op.BV_ROL: lambda a, p: z3.RotateLeft(a, p[1]),
    op.BV_ROR: lambda a, p: z3.RotateRight(a, p[1]),
}
_Z3_FUNCTIONS: dict[str, Apply[z3.ExprRef]] = {
    "div": lambda a: a[0] / a[1],
    "mod": lambda a: a[0] % a[1],
    "to_int": lambda a: z3.ToInt(a[0]),
}


class Z3Terms:
    """All sorts; quantifiers and unknown functions are refused."""

    solver = Solver.Z3

    def __init__(self) -> None:
        self._solver = z3.Solver()
        self._model: z3.ModelRef | None = None
        self._variables = 0

    def variable(self, name: str, sort: Sort) -> z3.ExprRef:
        """A fresh constant symbol."""
        self._variables += 1
        return z3.Const(f"{name}!{self._variables}", _z3_sort(sort))

    def constant(self, value: Constant, sort: Sort) -> z3.ExprRef:
        """A value of the theory."""
        if sort.is_bool_type():
            return z3.BoolVal(bool(value))
        if sort.is_bv_type():
            return z3.BitVecVal(int(value), sort.width)
        return z3.IntVal(int(value)) if sort.is_int_type() else z3.RealVal(value)

    def constant_array(self, sort: Sort, default: z3.ExprRef) -> z3.ExprRef:
        """The array that holds `default` everywhere."""
        return z3.K(_z3_sort(sort.index_type), default)

    def operation(self, node: Term) -> Apply[z3.ExprRef]:
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

    def connective(self, kind: int) -> Apply[z3.ExprRef]:
        """A kind without indices."""
        return _Z3[kind]

    def ident(self, native: z3.ExprRef) -> Hashable:
        """What tells terms apart."""
        return int(native.get_id())

    def keep(self, native: z3.ExprRef) -> None:
        """Assert a Boolean."""
        self._solver.add(native)

    def check(self, assumptions: Sequence[z3.ExprRef], until: float) -> Status:
        """Satisfiability under assumptions, up to a point of the clock."""
        left = until - time.monotonic()
        if left <= 0:
            return Status.UNKNOWN
        self._solver.set("timeout", max(1, int(left * 1000)))
        with timeline.span(Kind.SOLVER, "z3"):
            found = self._solver.check(*assumptions)
        self._model = self._solver.model() if found == z3.sat else None
        return Status(str(found))

    def value(self, native: z3.ExprRef) -> Constant:
        """A value of the last model."""
        return _z3_constant(self._evaluated(native))

    def array_value(
        self, native: z3.ExprRef, sort: Sort
    ) -> tuple[Constant, dict[Constant, Constant]]:
        """An array of the last model."""
        exceptions: dict[Constant, Constant] = {}
        array = self._evaluated(native)
        while z3.is_store(array):
            array, index, element = array.children()
            exceptions.setdefault(_z3_constant(index), _z3_constant(element))
        if not z3.is_K(array):
            raise UnsupportedTerm(f"the value {array} of an array")
        return _z3_constant(array.arg(0)), exceptions

    def _evaluated(self, native: z3.ExprRef) -> z3.ExprRef:
        assert self._model is not None
        return self._model.eval(native, model_completion=True)

    def script(self, assumptions: Sequence[z3.ExprRef]) -> str:
        """The assumptions as assertions."""
        solver = z3.Solver()
        solver.add(*assumptions)
        return str(solver.to_smt2())


def _z3_sort(sort: Sort) -> z3.SortRef:
    if sort.is_array_type():
        return z3.ArraySort(_z3_sort(sort.index_type), _z3_sort(sort.elem_type))
    if sort.is_bv_type():
        return z3.BitVecSort(sort.width)
    if sort is terms.BOOL:
        return z3.BoolSort()
    return z3.IntSort() if sort is terms.INT else z3.RealSort()


def _z3_constant(value: z3.ExprRef) -> Constant:
    if z3.is_true(value) or z3.is_false(value):
        return bool(z3.is_true(value))
    if z3.is_int_value(value) or z3.is_bv_value(value):
        return int(value.as_long())
    if z3.is_rational_value(value):
        return Fraction(value.numerator_as_long(), value.denominator_as_long())
    raise InternalError(f"{value} is no constant")
