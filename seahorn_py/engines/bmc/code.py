"""A rule as straight-line code: what its symbols are, computed from the facts of its body.

A rule is a relation; unwinding needs it as a function, so that constants run through it.  Each
symbol that the constraint defines (`s = t`, or `g1 -> s = t1`, `g2 -> s = t2`, ..., as the phis of
an encoding are) is computed; the others are inputs, arbitrary in each instance; the conjuncts that
define nothing are conditions.  Definitions are taken as soon as all that they need is known (Kahn's
algorithm), so circular ones end as conditions.  Everything here is done once for each rule.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence

from seahorn_py.base.records import dataclass
from seahorn_py.engines.bmc.definitions import Conditions, Definition, Schedule, candidates
from seahorn_py.engines.bmc.symbolic import Operation, Value, Values
from seahorn_py.horn.system import Atom, Rule
from seahorn_py.logic.solvers.construction.protocol import UnsupportedTerm
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes, payload
from seahorn_py.logic.terms.connectives import conjuncts
from seahorn_py.logic.terms.terms import Term

Fresh = Callable[[Term], Value]

COMPARED = 8
"""How many cases of one symbol are compared pair by pair."""


@dataclass(frozen=True)
class Code:
    """Run `run` with a state for each body atom."""

    rule: Rule
    size: int
    constants: tuple[tuple[int, Value], ...]
    parameters: tuple[tuple[int, ...], ...]
    """For each body atom, the slots of its arguments."""
    inputs: tuple[tuple[int, Term], ...]
    steps: tuple[tuple[Operation | None, int, tuple[int, ...]], ...]
    """Operation, target, sources; without an operation the source is a condition."""
    head: tuple[int, ...]
    symbols: Mapping[Term, int]
    conditional: bool
    """The condition is not `true` for every state."""
    reads: bool
    """Some symbol that nothing defines matters."""

    def run(
        self, states: Sequence[Sequence[Value]], fresh: Fresh, values: Values
    ) -> tuple[Value, list[Value]] | None:
        """The condition and the slots of an instance; None where the condition is false."""
        slots: list[Value] = [False] * self.size
        for slot, constant in self.constants:
            slots[slot] = constant
        for targets, state in zip(self.parameters, states, strict=True):
            for target, value in zip(targets, state, strict=True):
                slots[target] = value
        for slot, symbol in self.inputs:
            slots[slot] = fresh(symbol)
        condition: Value = True
        for operation, target, sources in self.steps:
            if operation is None:
                condition = values.and_(condition, slots[target])
                if condition is False:
                    return None
            else:
                slots[target] = operation(*[slots[s] for s in sources])
        return condition, slots

    def derived(self, slots: Sequence[Value]) -> tuple[Value, ...]:
        """The arguments of the head."""
        return tuple(slots[s] for s in self.head)


def code_of(rule: Rule, values: Values) -> Code:
    """The code of a rule; UnsupportedTerm where it has a quantifier or an unknown function."""
    return _Coder(rule, values).code()


class _Coder:
    def __init__(self, rule: Rule, values: Values) -> None:
        self._rule = rule
        self._values = values
        self._slots: dict[Term, int] = {}
        self._constants: list[tuple[int, Value]] = []
        self._steps: list[tuple[Operation | None, int, tuple[int, ...]]] = []
        self._operations: dict[object, Operation] = {}
        self._size = 0
        self._symbols: dict[Term, int] = {}
        self._inputs: list[tuple[int, Term]] = []
        self._waiting: list[tuple[Term, int]] = []
        self._defined: set[Term] = set()

    def code(self) -> Code:
        parameters = tuple(self._bind(atom) for atom in self._rule.body)
        parts = list(conjuncts(self._rule.constraint))
        self._define(parts)
        for term, slot in self._waiting:
            self._condition(self._equation(term, slot))
        head: tuple[int, ...] = ()
        if isinstance(self._rule.head, Atom):
            head = tuple(self._slot(a) for a in self._rule.head.arguments)
        return Code(
            self._rule,
            self._size,
            tuple(self._constants),
            parameters,
            tuple(self._inputs),
            tuple(self._steps),
            head,
            self._symbols,
            any(operation is None for operation, _, _ in self._steps),
            any(symbol not in self._defined for _, symbol in self._inputs),
        )

    # ----------------------------------------------------------------------------- body arguments

    def _bind(self, atom: Atom) -> tuple[int, ...]:
        """Symbols are bound by their first occurrence; other arguments become conditions."""
        targets = []
        for argument in atom.arguments:
            slot = self._new()
            targets.append(slot)
            if argument.is_symbol() and argument not in self._symbols:
                self._know(argument, slot)
            else:
                self._waiting.append((argument, slot))
        return tuple(targets)

    def _know(self, symbol: Term, slot: int) -> None:
        self._symbols[symbol] = slot
        self._slots[symbol] = slot

    def _equation(self, term: Term, slot: int) -> int:
        sort = terms.sort_of(term)
        values = self._values
        return self._emit(lambda a, b: values.equal(a, b, sort), (self._slot(term), slot))

    # --------------------------------------------------------------------------------- definitions

    def _define(self, conjuncts: Sequence[Term]) -> None:
        """Take definitions as they become ready; emit each condition once its symbols are known."""
        schedule = Schedule(candidates(conjuncts, self._symbols), self._symbols)
        conditions = Conditions(conjuncts)
        unknown = self._unknown(conjuncts)
        inputs = [s for s in unknown if s not in schedule.definable]
        guesses = deque(s for s in unknown if s in schedule.definable)
        for symbol in inputs:
            self._input(symbol)
            schedule.know(symbol)
            conditions.know(symbol)
        while True:
            self._emit_all(conditions.ready(self._symbols))
            definition = schedule.next()
            if definition is not None:
                symbol = definition.symbol
                self._take(definition)
                conditions.consume(definition.conjuncts)
            elif guesses:  # only circular definitions are left
                symbol = guesses.popleft()
                if symbol in self._symbols:
                    continue
                self._input(symbol)
            else:
                return
            schedule.know(symbol)
            conditions.know(symbol)

    def _unknown(self, conjuncts: Sequence[Term]) -> list[Term]:
        """All symbols of the rule that no body atom binds, in a fixed order."""
        found: dict[Term, None] = {}
        rule = self._rule
        parts = [a for atom in rule.body for a in atom.arguments]
        parts += rule.head.arguments if isinstance(rule.head, Atom) else ()
        parts += [read.symbol for read in rule.inputs]
        for part in (*parts, *conjuncts):
            found.update(dict.fromkeys(terms.by_name(terms.free_symbols(part))))
        return [s for s in found if s not in self._symbols]

    def _input(self, symbol: Term) -> None:
        slot = self._new()
        self._inputs.append((slot, symbol))
        self._know(symbol, slot)

    def _take(self, definition: Definition) -> None:
        cases = definition.cases
        if definition.total:
            self._know(definition.symbol, self._slot(cases[0][1]))
            return
        sort = terms.sort_of(definition.symbol)
        slots = [self._slot(t) for case in cases for t in case]
        default = self._new()
        self._inputs.append((default, definition.symbol))
        self._defined.add(definition.symbol)
        values = self._values
        merged = self._emit(lambda *parts: _merge(values, parts, sort), (*slots, default))
        agreed = self._emit(lambda *parts: _agreed(values, parts, sort), tuple(slots))
        self._condition(agreed)
        self._know(definition.symbol, merged)

    # ---------------------------------------------------------------------------------------- code

    def _emit_all(self, conditions: Iterator[Term]) -> None:
        for conjunct in conditions:
            self._condition(self._slot(conjunct))

    def _condition(self, slot: int) -> None:
        self._steps.append((None, slot, ()))

    def _new(self) -> int:
        self._size += 1
        return self._size - 1

    def _emit(self, operation: Operation, sources: tuple[int, ...]) -> int:
        target = self._new()
        self._steps.append((operation, target, sources))
        return target

    def _slot(self, term: Term) -> int:
        """The slot that holds the value of `term`; emits what is not computed yet."""
        if term in self._slots:
            return self._slots[term]
        for node in nodes(term):
            if node in self._slots:
                continue
            if node.is_quantifier():
                raise UnsupportedTerm("a quantifier")
            if node.is_constant() and not node.args():
                slot = self._new()
                self._constants.append((slot, node.constant_value()))
            else:
                operation = self._operation(node)
                slot = self._emit(operation, tuple(self._slots[a] for a in node.args()))
            self._slots[node] = slot
        return self._slots[term]

    def _operation(self, node: Term) -> Operation:
        name = node.function_name() if node.is_function_application() else None
        sorts = tuple(terms.sort_of(a) for a in node.args())
        key = (node.node_type(), name, terms.sort_of(node), sorts, payload(node))
        if key not in self._operations:
            self._operations[key] = self._values.operation(node)
        return self._operations[key]


def _merge(values: Values, parts: Sequence[Value], sort: terms.Sort) -> Value:
    """The value of the case whose guard holds; where one always does, the default is not needed."""
    *cases, default = parts
    guards, results = cases[::2], cases[1::2]
    result = results[-1] if values.or_(guards) is True else default
    for guard, value in zip(reversed(guards), reversed(results), strict=True):
        result = values.ite(guard, value, result, sort)
    return result


def _agreed(values: Values, parts: Sequence[Value], sort: terms.Sort) -> Value:
    """Cases whose guards hold together have the same value.

    Of many cases only those are compared whose guards certainly hold: what is missed makes more
    possible, and a refutation is run again with constants.
    """
    cases = [c for c in zip(parts[::2], parts[1::2], strict=True) if c[0] is not False]
    if len(cases) > COMPARED:
        cases = [c for c in cases if c[0] is True]
    result: Value = True
    for position, (guard, value) in enumerate(cases):
        for other_guard, other in cases[:position]:
            both = values.and_(guard, other_guard)
            if both is not False and other is not value:
                same = values.equal(value, other, sort)
                result = values.and_(result, values.or_([values.not_(both), same]))
    return result
