"""From a satisfying assignment to a refutation: unwinding with its values leaves one derivation.

All free symbols are constants then, so every guard is, and the instances that are left are the
facts of a derivation; constant propagation gives their arguments.  Nothing but the values of free
symbols is read from the solver.
"""

from __future__ import annotations

from collections.abc import Mapping

from seahorn_py.base.errors import InternalError
from seahorn_py.engines.bmc.code import Code
from seahorn_py.engines.bmc.state import Edge, Instance, Key
from seahorn_py.engines.bmc.symbolic import Memory, Symbolic, Value, Values
from seahorn_py.horn.system import Refutation, Step
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Sort, Term


class Concrete:
    """The values that the solver last found for free symbols; those it does not know are 0."""

    def __init__(self, values: Values, variables: Mapping[tuple[Key, Term], Value]) -> None:
        self._values = values
        self._variables = variables
        self._read: dict[tuple[Key, Term], Value] = {}

    def fresh(self, key: Key, symbol: Term) -> Value:
        """The value of a free symbol of an instance."""
        if (key, symbol) not in self._read:
            variable = self._variables.get((key, symbol))
            self._read[key, symbol] = self._value(variable, terms.sort_of(symbol))
        return self._read[key, symbol]

    def _value(self, variable: Value | None, sort: Sort) -> Value:
        solver = self._values.solver
        if isinstance(variable, Symbolic):
            return solver.value(variable.term)
        if isinstance(variable, Memory):
            default, exceptions = solver.array_value(self._values.native(variable, sort), sort)
            return Memory(sort, default, dict(exceptions), everywhere=True)
        return self._zero(sort)

    def _zero(self, sort: Sort) -> Value:
        if sort.is_array_type():
            return Memory(sort, self._zero(sort.elem_type), everywhere=True)
        return False if sort.is_bool_type() else 0


def refutation_of(query: Edge, codes: Mapping[str, Code]) -> Refutation:
    """The derivation that ends in a query, premises first."""
    steps: list[Step] = []
    numbers: dict[Instance, int] = {}
    todo: list[Edge] = [query]
    while todo:
        edge = todo[-1]
        missing = [p for p in edge.premises if p not in numbers]
        if missing:
            todo.append(_taken(missing[-1]))
            continue
        todo.pop()
        premises = tuple(numbers[p] for p in edge.premises)
        steps.append(_step(edge, codes[edge.rule.name], premises))
        for instance in _derives(edge, todo):
            numbers[instance] = len(steps) - 1
    return Refutation(tuple(steps))


def _taken(instance: Instance) -> Edge:
    """The way into an instance that the assignment takes."""
    return next(edge for edge in instance.edges if edge.guard is True)


def _derives(edge: Edge, todo: list[Edge]) -> list[Instance]:
    """The instance for which the edge was followed: a premise of the edge below on the stack."""
    if not todo:
        return []
    return [p for p in todo[-1].premises if any(e is edge for e in p.edges)]


def _step(edge: Edge, code: Code, premises: tuple[int, ...]) -> Step:
    head = code.rule.head
    arguments: tuple[Term, ...] = ()
    if edge.state:
        arguments = tuple(
            constant(value, terms.sort_of(argument))
            for value, argument in zip(edge.state, head.arguments, strict=True)  # type: ignore[union-attr]
        )
    values = {s: constant(edge.slots[slot], terms.sort_of(s)) for s, slot in code.symbols.items()}
    return Step(edge.rule.name, arguments, premises, values)


def constant(value: Value, sort: Sort) -> Term:
    """A constant as a term."""
    match value:
        case Symbolic():
            raise InternalError("a derivation with a value that is no constant")
        case Memory():
            array = terms.const_array(sort.index_type, constant(value.base, sort.elem_type))
            for index, element in value.elements.items():
                at = constant(index, sort.index_type)
                array = terms.store(array, at, constant(element, sort.elem_type))
            return array
        case bool():
            return terms.bool_const(value)
        case _ if sort.is_bv_type():
            return terms.bv_const(int(value), sort.width)
        case _ if sort.is_int_type():
            return terms.int_const(int(value))
        case _:
            return terms.real_const(value.numerator, value.denominator)
