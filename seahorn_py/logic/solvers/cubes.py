"""Cubes, which are conjunctions of literals, as terms of z3; what a model of z3 says of them.

What is done often is done without the checks of z3's Python classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import z3

from seahorn_py.base.records import dataclass

if TYPE_CHECKING:
    from ctypes import Array

Formula = z3.ExprRef
Cube = tuple[Formula, ...]


@dataclass(frozen=True)
class Assignment:
    """What z3 found: values that fulfil all that was asked."""

    model: z3.ModelRef

    def fulfils(self, formula: Formula) -> bool:
        """Whether the formula is true; what has no value may have any."""
        return bool(z3.is_true(self.value(formula)))

    def value(self, term: Formula) -> Formula:
        """The value of a term."""
        return self.model.eval(term, model_completion=True)


@dataclass(frozen=True)
class Core:
    """There are no values: these of the literals, by their places, suffice for that."""

    places: frozenset[int]

    def of(self, cube: Sequence[Formula]) -> Cube:
        """The literals at the places."""
        return tuple(part for k, part in enumerate(cube) if k in self.places)


def conjunction(parts: Sequence[Formula]) -> Formula:
    """All of them."""
    if len(parts) == 1:
        return parts[0]
    context = z3.main_ctx()  # without the checks of z3's Python classes
    return z3.BoolRef(z3.Z3_mk_and(context.ref(), len(parts), array(parts)), context)


def outside(cube: Cube) -> Formula:
    """What holds of all states that are not in a cube."""
    return _negated(conjunction(cube))


def mark(name: str) -> Formula:
    """A truth value of its own."""
    return z3.Bool(name)


def implied(condition: Formula, formula: Formula) -> Formula:
    """The formula where the condition holds."""
    return z3.Implies(condition, formula)


def _negated(formula: Formula) -> Formula:
    context = z3.main_ctx()
    return z3.BoolRef(z3.Z3_mk_not(context.ref(), formula.as_ast()), context)


def united(*cubes: Cube) -> Cube:
    """The literals of all of them, each once."""
    return tuple({part.get_id(): part for cube in cubes for part in cube}.values())


def split(formula: Formula) -> Cube:
    """The conjuncts, each once; equations between numbers are two."""
    found: dict[int, Formula] = {}
    todo = [(formula, True)]
    while todo:
        part, holds = todo.pop()
        kind = _kind(part)
        if kind == z3.Z3_OP_NOT:
            todo.append((part.arg(0), not holds))
        elif kind == (z3.Z3_OP_AND if holds else z3.Z3_OP_OR):
            todo += [(one, holds) for one in part.children()]
        elif kind == z3.Z3_OP_EQ and holds and z3.is_arith(part.arg(0)):
            todo += [(part.arg(0) <= part.arg(1), True), (part.arg(1) <= part.arg(0), True)]
        elif kind != (z3.Z3_OP_TRUE if holds else z3.Z3_OP_FALSE):
            one = part if holds else _negated(part)
            found[one.get_id()] = one
    return tuple(found.values())


def _kind(part: Formula) -> int:
    """The kind of an application, without the checks of z3's Python classes."""
    context = part.ctx.ref()
    return int(z3.Z3_get_decl_kind(context, z3.Z3_get_app_decl(context, part.as_ast())))


_INNER = {z3.Z3_OP_AND, z3.Z3_OP_OR, z3.Z3_OP_NOT}


def is_literal(part: Formula) -> bool:
    """Whether nothing in it is a connective."""
    kind = _kind(part)
    return (_kind(part.arg(0)) if kind == z3.Z3_OP_NOT else kind) not in _INNER


def copies(constants: Sequence[Formula], name: str) -> list[Formula]:
    """New constants of the same sorts."""
    return [z3.Const(f"{name}!{k}", c.sort()) for k, c in enumerate(constants)]


class Exchange:
    """Constants and others that are put for them, without the checks of z3's Python classes."""

    def __init__(self, before: Sequence[Formula], after: Sequence[Formula]) -> None:
        self._constants = before, after
        self._before, self._after = array(before), array(after)

    def of(self, formula: Formula) -> Formula:
        """The formula with the others."""
        context = z3.main_ctx()
        count = len(self._constants[0])
        found = z3.Z3_substitute(context.ref(), formula.as_ast(), count, self._before, self._after)
        return z3.BoolRef(found, context)


def array(parts: Sequence[Formula]) -> Array[z3.Ast]:
    """The parts for a function of z3 itself."""
    return (z3.Ast * len(parts))(*(part.as_ast() for part in parts))


def implicant(found: Assignment, formula: Formula) -> Formula:
    """A conjunction of literals that the values fulfil and that implies the formula."""
    context = z3.main_ctx()
    native = z3.Z3_model_extrapolate(context.ref(), found.model.model, formula.as_ast())
    return z3.BoolRef(native, context)


def projected(found: Assignment, formula: Formula, hidden: Sequence[Formula]) -> Formula:
    """A formula without what is hidden; where it holds, that has values which fulfil the other."""
    context, cube = z3.main_ctx(), implicant(found, formula)
    away = array(hidden)
    model = found.model.model
    native = z3.Z3_qe_model_project(context.ref(), model, len(hidden), away, cube.as_ast())
    return z3.BoolRef(native, context)
