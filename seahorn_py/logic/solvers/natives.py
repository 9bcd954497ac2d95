"""The solvers that invariant generation asks: z3, and bitwuzla where everything is bits.

Formulas cross as text.  Questions to bitwuzla about bit-vectors take a tenth of the time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NewType, Protocol, TypeAlias, TypeVar, cast

import bitwuzla
import z3

from seahorn_py.base.errors import InternalError
from seahorn_py.base.records import dataclass
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.smtlib import print_sort, print_term
from seahorn_py.processes import timeline
from seahorn_py.processes.timeline import Kind

if TYPE_CHECKING:
    from ctypes import Array, c_void_p

Native = NewType("Native", object)
"""A term of the solver that made it; nobody else looks inside."""

N = TypeVar("N")
Names = Mapping[Term, str]


class BackendOf(Protocol[N]):
    """One incremental solver with its constants, whose terms are of the type N."""

    def declare(self, names: Names) -> None:
        """Constants of these names."""

    def define(self, name: str, symbol: Term, value: Term, names: Names) -> None:
        """A name that stands for a term of declared constants, of the sort of a symbol."""

    def formula(self, formula: Term, names: Names) -> N:
        """A formula with declared constants for its symbols."""

    def label(self, number: int) -> N:
        """A fresh Boolean constant."""

    def conjunction(self, parts: Sequence[N]) -> N:
        """All of them."""

    def disjunction(self, parts: Sequence[N]) -> N:
        """One of them."""

    def negation(self, part: N) -> N:
        """Not this."""

    def implication(self, left: N, right: N) -> N:
        """If this then that."""

    def add(self, *formulas: N) -> None:
        """Assert."""

    def push(self) -> None:
        """Begin with what `pop` takes back."""

    def pop(self) -> None:
        """Take back what was asserted since `push`, and models."""

    def check(self, assumptions: Sequence[N], until: float, seconds: float) -> Status:
        """Satisfiability, as far as it is known at a point of the clock or after some seconds.

        Where the solver lets us, the seconds are those of the processor.
        """

    def core(self, labels: Sequence[N]) -> list[int]:
        """The positions of the labels that the last answer, UNSAT under them, rests on."""

    def value(self, name: str, symbol: Term) -> bool | int:
        """The value of a constant in the last model; 0 for what is no number and no truth value."""


Backend: TypeAlias = BackendOf[Native]
"""One of them, whichever it is."""


class Solvers:
    """Backends for the rules of one system."""

    def __init__(self, solver: Solver) -> None:
        self._formulas = _Formulas() if solver is Solver.Z3 else None

    def backend(self) -> Backend:
        """Another one."""
        if self._formulas is None:
            bits: BackendOf[bitwuzla.Term] = _Bitwuzla()
            return cast("Backend", bits)
        numbers: BackendOf[z3.ExprRef] = _Z3(self._formulas)
        return cast("Backend", numbers)


def declaration(symbol: Term, name: str) -> str:
    """The declaration of a constant of the sort of a symbol."""
    return f"(declare-const {name} {print_sort(symbol.symbol_type())})"


# ---------------------------------------------------------------------------------------------- z3


@dataclass(frozen=True)
class _Read:
    """A formula as z3 has it; where its constants stand in it, others are put."""

    native: z3.ExprRef
    symbols: Sequence[Term]
    constants: Sequence[z3.ExprRef]

    @cached_property
    def handles(self) -> Array[z3.Ast]:
        """The constants in an array of z3."""
        return _array(self.constants)


class _Formulas:
    """Formulas over parameters as z3 reads them; each is read once, whatever rules use it."""

    def __init__(self) -> None:
        self.context = z3.Context()
        self._read: dict[Term, _Read] = {}
        self._sorts: dict[str, z3.SortRef] = {}
        self._constants: dict[tuple[str, terms.Sort], z3.ExprRef] = {}

    def at(self, formula: Term, constant: Callable[[Term], z3.ExprRef]) -> z3.ExprRef:
        """A formula with constants for its symbols."""
        read = self._read.get(formula) or self._added(formula)
        if not read.symbols:
            return read.native
        put = _array([constant(symbol) for symbol in read.symbols])
        native = read.native.as_ast()
        found = z3.Z3_substitute(self.context.ref(), native, len(read.symbols), read.handles, put)
        return z3.BoolRef(found, self.context)

    def _added(self, formula: Term) -> _Read:
        symbols = list(terms.free_symbols(formula))
        names = {s: f"p!{k}" for k, s in enumerate(symbols)}
        text = [declaration(s, name) for s, name in names.items()]
        text.append(f"(assert {print_term(formula, names)})")
        found = z3.parse_smt2_string("\n".join(text), ctx=self.context)
        native = found[0] if len(found) == 1 else z3.And(z3.BoolVal(True, self.context), *found)
        constants = list(self.constants(names).values())
        self._read[formula] = _Read(native, symbols, constants)
        return self._read[formula]

    def constants(self, names: Names) -> dict[str, z3.ExprRef]:
        """The constants of these names."""
        return {name: self._constant(name, symbol) for symbol, name in names.items()}

    def _constant(self, name: str, symbol: Term) -> z3.ExprRef:
        key = name, symbol.symbol_type()
        if key not in self._constants:
            self._constants[key] = z3.Const(name, self._sort(symbol))
        return self._constants[key]

    def _sort(self, symbol: Term) -> z3.SortRef:
        sort = print_sort(symbol.symbol_type())
        if sort not in self._sorts:
            text = f"(declare-const x {sort})(assert (= x x))"
            (equal,) = z3.parse_smt2_string(text, ctx=self.context)
            self._sorts[sort] = equal.arg(0).sort()
        return self._sorts[sort]


_STATUS = {z3.Z3_L_TRUE: Status.SAT, z3.Z3_L_FALSE: Status.UNSAT, z3.Z3_L_UNDEF: Status.UNKNOWN}


def _array(parts: Sequence[z3.ExprRef]) -> Array[z3.Ast]:
    return (z3.Ast * len(parts))(*(part.as_ast() for part in parts))


class _Z3:
    """Values and connectives, which are many, without the checks of z3's Python classes."""

    def __init__(self, formulas: _Formulas) -> None:
        self._formulas = formulas
        self._solver = z3.Solver(ctx=formulas.context)
        self._constants: dict[str, z3.ExprRef] = {}
        self._model: z3.ModelRef | None = None

    def declare(self, names: Names) -> None:
        self._constants |= self._formulas.constants(names)

    def define(self, name: str, symbol: Term, value: Term, names: Names) -> None:
        self.declare({symbol: name})
        same = self.formula(terms.eq(symbol, value), {**names, symbol: name})
        self._constants[name] = same.arg(1)

    def formula(self, formula: Term, names: Names) -> z3.ExprRef:
        return self._formulas.at(formula, lambda symbol: self._constants[names[symbol]])

    def label(self, number: int) -> z3.ExprRef:
        return z3.Bool(f"label!{number}", self._formulas.context)

    def conjunction(self, parts: Sequence[z3.ExprRef]) -> z3.ExprRef:
        context = self._formulas.context
        return z3.BoolRef(z3.Z3_mk_and(context.ref(), len(parts), _array(parts)), context)

    def disjunction(self, parts: Sequence[z3.ExprRef]) -> z3.ExprRef:
        context = self._formulas.context
        return z3.BoolRef(z3.Z3_mk_or(context.ref(), len(parts), _array(parts)), context)

    def negation(self, part: z3.ExprRef) -> z3.ExprRef:
        context = self._formulas.context
        return z3.BoolRef(z3.Z3_mk_not(context.ref(), part.as_ast()), context)

    def implication(self, left: z3.ExprRef, right: z3.ExprRef) -> z3.ExprRef:
        context = self._formulas.context
        found = z3.Z3_mk_implies(context.ref(), left.as_ast(), right.as_ast())
        return z3.BoolRef(found, context)

    def add(self, *formulas: z3.ExprRef) -> None:
        self._solver.add(*formulas)

    def push(self) -> None:
        self._solver.push()

    def pop(self) -> None:
        self._solver.pop()

    def check(self, assumptions: Sequence[z3.ExprRef], until: float, seconds: float) -> Status:
        left = min(seconds, until - time.monotonic())
        self._solver.set("timeout", max(1, int(left * 1000)))
        self._model = None
        with timeline.span(Kind.SOLVER, "z3"):
            context, given = self._formulas.context.ref(), _array(assumptions)
            found = z3.Z3_solver_check_assumptions(
                context, self._solver.solver, len(assumptions), given
            )
        return _STATUS[found]

    def core(self, labels: Sequence[z3.ExprRef]) -> list[int]:
        positions = {label.get_id(): k for k, label in enumerate(labels)}
        return [positions[label.get_id()] for label in self._solver.unsat_core()]

    def value(self, name: str, symbol: Term) -> bool | int:
        if self._model is None:
            self._model = self._solver.model()
        context, found = self._formulas.context.ref(), (z3.Ast * 1)()
        constant = self._constants[name].as_ast()
        if not z3.Z3_model_eval(context, self._model.model, constant, True, found):
            raise InternalError(f"{name} has no value in a model of z3")
        if z3.Z3_get_ast_kind(context, found[0]) != z3.Z3_NUMERAL_AST:
            return bool(z3.Z3_get_bool_value(context, found[0]) == z3.Z3_L_TRUE)
        return 0 if terms.sort_of(symbol) is terms.REAL else _number(context, found[0])


def _number(context: c_void_p, numeral: z3.Ast) -> int:
    return int(z3.Z3_get_numeral_string(context, numeral))


# ---------------------------------------------------------------------------------------- bitwuzla


class _Bitwuzla:
    def __init__(self) -> None:
        self._manager = bitwuzla.TermManager()
        options = bitwuzla.Options()
        options.set(bitwuzla.Option.PRODUCE_MODELS, True)
        options.set(bitwuzla.Option.PRODUCE_UNSAT_ASSUMPTIONS, True)
        self._parser = bitwuzla.Parser(self._manager, options)
        self._parser.parse("(set-logic ALL)(declare-const start Bool)", True, False)
        self._solver = self._parser.bitwuzla()
        self._limits = 0.0, 0.0
        self._solver.configure_terminator(self._over)

    def _over(self) -> bool:
        until, spent = self._limits
        return time.monotonic() >= until or time.process_time() >= spent

    def declare(self, names: Names) -> None:
        text = "".join(declaration(symbol, name) for symbol, name in names.items())
        if text:
            self._parser.parse(text, True, False)

    def define(self, name: str, symbol: Term, value: Term, names: Names) -> None:
        sort, text = print_sort(symbol.symbol_type()), print_term(value, names)
        self._parser.parse(f"(define-fun {name} () {sort} {text})", True, False)

    def formula(self, formula: Term, names: Names) -> bitwuzla.Term:
        return self._parser.parse_term(print_term(formula, names))

    def label(self, number: int) -> bitwuzla.Term:
        return self._manager.mk_const(self._manager.mk_bool_sort(), f"label!{number}")

    def conjunction(self, parts: Sequence[bitwuzla.Term]) -> bitwuzla.Term:
        if len(parts) < 2:
            return parts[0] if parts else self._manager.mk_true()
        return self._manager.mk_term(bitwuzla.Kind.AND, list(parts))

    def disjunction(self, parts: Sequence[bitwuzla.Term]) -> bitwuzla.Term:
        if len(parts) < 2:
            return parts[0] if parts else self._manager.mk_false()
        return self._manager.mk_term(bitwuzla.Kind.OR, list(parts))

    def negation(self, part: bitwuzla.Term) -> bitwuzla.Term:
        return self._manager.mk_term(bitwuzla.Kind.NOT, [part])

    def implication(self, left: bitwuzla.Term, right: bitwuzla.Term) -> bitwuzla.Term:
        return self._manager.mk_term(bitwuzla.Kind.IMPLIES, [left, right])

    def add(self, *formulas: bitwuzla.Term) -> None:
        for formula in formulas:
            self._solver.assert_formula(formula)

    def push(self) -> None:
        self._solver.push()

    def pop(self) -> None:
        self._solver.pop()

    def check(self, assumptions: Sequence[bitwuzla.Term], until: float, seconds: float) -> Status:
        self._limits = until, time.process_time() + seconds
        with timeline.span(Kind.SOLVER, "bitwuzla"):
            return Status(str(self._solver.check_sat(*assumptions)))

    def core(self, labels: Sequence[bitwuzla.Term]) -> list[int]:
        found = set(self._solver.get_unsat_assumptions())
        return [k for k, label in enumerate(labels) if label in found]

    def value(self, name: str, symbol: Term) -> bool | int:
        sort = symbol.symbol_type()
        if not (sort.is_bool_type() or sort.is_bv_type()):
            return False
        value = self._solver.get_value(self._parser.parse_term(name)).value(10)
        return bool(value) if sort.is_bool_type() else int(value)
