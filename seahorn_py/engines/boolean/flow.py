"""Program texts -> Boolean rules over path edges and summaries.

Ball, Rajamani: Bebop, SPIN 2000.  Reps, Horwitz, Sagiv: Precise interprocedural dataflow analysis
via graph reachability, POPL 1995.

There is a location before each statement: a state there is a *path edge*, the values that globals
and parameters had at the entry of the procedure, and those that all variables have now.  A state of
`f.exit` is a *summary edge*: values at the entry, globals and results at the end.  A call adds an
entry and joins the caller with the summaries of that entry, so recursion of any depth ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from seahorn_py.base.errors import InputError
from seahorn_py.base.records import dataclass
from seahorn_py.engines.boolean.expressions import (
    ANYTHING,
    FALSE,
    TRUE,
    Bit,
    Expression,
    Name,
    conjunction,
    equivalence,
    leaves,
    mapped,
    negation,
)
from seahorn_py.engines.boolean.programs import (
    Assert,
    Assign,
    Assume,
    BooleanProgram,
    Call,
    Goto,
    Procedure,
    Return,
    Skip,
    Statement,
)
from seahorn_py.engines.boolean.rules import BooleanRule, BooleanRules, Location

BEFORE = "@"
"""Before the name of a variable: its value at the entry."""


@dataclass(frozen=True)
class _Layout:
    """Places of a procedure and where in a state its variables are.

    The value of a global or parameter at the entry lies next to its value now; results come last.
    """

    entry: int
    exit: int
    first: int
    bits: Mapping[str, int]
    results: int

    @property
    def size(self) -> int:
        return len(self.bits)


def value_bit(number: int) -> int:
    """Where the value of a global is in all states, by the number of the global."""
    return 2 * number + 1


def rules_of(program: BooleanProgram, file: str = "") -> BooleanRules:
    """The rules; InputError where a name, a label or a number of values is wrong."""
    return _Flow(program, file).rules()


class _Flow:
    def __init__(self, program: BooleanProgram, file: str) -> None:
        self._program = program
        self._file = file
        self._procedures = {p.name: p for p in program.procedures}
        if len(self._procedures) != len(program.procedures):
            raise InputError(f"{file}: two procedures of one name")
        if program.entry not in self._procedures:
            raise InputError(f"{file}: no procedure {program.entry}, in which a run would start")
        self._locations: list[Location] = []
        self._rules: list[BooleanRule] = []
        self._layouts = {p.name: self._layout(p) for p in program.procedures}

    def rules(self) -> BooleanRules:
        entry = self._layouts[self._program.entry]
        given = tuple(ANYTHING if name.startswith(BEFORE) else FALSE for name in entry.bits)
        self._rules.append(BooleanRule("start", (), TRUE, entry.entry, given))
        for procedure in self._program.procedures:
            _ProcedureFlow(self, procedure).run()
        return BooleanRules(tuple(self._locations), tuple(self._rules))

    def _layout(self, procedure: Procedure) -> _Layout:
        names = [
            name
            for one in (*self._program.globals, *procedure.parameters)
            for name in (BEFORE + one, one)
        ]
        names += procedure.locals
        if len(set(names)) != len(names):
            raise self.error(procedure.line, f"{procedure.name} declares a variable twice")
        bits = {name: index for index, name in enumerate(names)}
        first = len(self._locations)
        for name in _names(procedure.enforce):
            if name not in bits:
                raise self.error(procedure.line, f"no variable {name}")
        enforce = resolved(procedure.enforce, bits) if procedure.enforce != TRUE else TRUE
        count = len(procedure.body) + 1
        self._locations += [
            Location(f"{procedure.name}.{k}", len(bits), enforce) for k in range(count)
        ]
        self._locations.append(Location(f"{procedure.name}.entry", len(bits)))
        self._locations.append(Location(f"{procedure.name}.exit", len(bits) + procedure.results))
        return _Layout(first + count, first + count + 1, first, bits, procedure.results)

    def layout(self, name: str, line: int) -> tuple[Procedure, _Layout]:
        if name not in self._procedures:
            raise self.error(line, f"no procedure {name}")
        return self._procedures[name], self._layouts[name]

    def add(self, rule: BooleanRule) -> None:
        self._rules.append(rule)

    @property
    def globals(self) -> tuple[str, ...]:
        return self._program.globals

    def error(self, line: int, text: str) -> InputError:
        return InputError(f"{self._file}:{line}: {text}")


class _ProcedureFlow:
    """The rules of one procedure."""

    def __init__(self, flow: _Flow, procedure: Procedure) -> None:
        self._flow = flow
        self._procedure = procedure
        self._layout = flow.layout(procedure.name, procedure.line)[1]
        self._same = tuple(Bit(0, index) for index in range(self._layout.size))
        self._labels: dict[str, int] = {}
        for position, statement in enumerate(procedure.body):
            for label in statement.labels:
                if label in self._labels:
                    raise flow.error(statement.line, f"a second label {label}")
                self._labels[label] = self._layout.first + position

    def run(self) -> None:
        first = self._layout.first
        start: dict[str, Expression] = {
            name: Bit(0, self._layout.bits[BEFORE + name])
            for name in (*self._flow.globals, *self._procedure.parameters)
        }
        start |= dict.fromkeys(self._procedure.locals, ANYTHING)
        self._add("entry", (self._layout.entry,), TRUE, first, self._updates(start))
        for position, statement in enumerate(self._procedure.body):
            self._statement(statement, first + position)
        if self._procedure.results == 0:
            last = first + len(self._procedure.body)
            self._add("end", (last,), TRUE, self._layout.exit, self._same)

    def _statement(self, statement: Statement, here: int) -> None:
        line, after = statement.line, here + 1
        match statement.action:
            case Skip():
                self._step(line, here, TRUE, after)
            case Assume(condition):
                self._step(line, here, self._read(condition, line), after)
            case Assert(condition):
                holds = self._read(condition, line)
                self._add(f"{line}", (here,), negation(holds), None, ())
                self._step(line, here, holds, after)
            case Goto(labels):
                for label in labels:
                    if label not in self._labels:
                        raise self._flow.error(line, f"no label {label}")
                    self._step(line, here, TRUE, self._labels[label])
            case Assign(names, values):
                self._fits(names, values, line)
                read = [self._read(value, line) for value in values]
                new = dict(zip(names, read, strict=True))
                self._add(f"{line}", (here,), TRUE, after, self._updates(new))
            case Return(values):
                self._return(values, here, line)
            case Call():
                self._call(statement.action, here, line)

    def _return(self, values: Sequence[Expression], here: int, line: int) -> None:
        if len(values) != self._procedure.results:
            raise self._flow.error(line, f"{self._procedure.results} values are to be returned")
        results = tuple(self._read(value, line) for value in values)
        self._add(f"{line}", (here,), TRUE, self._layout.exit, (*self._same, *results))

    def _call(self, call: Call, here: int, line: int) -> None:
        callee, layout = self._flow.layout(call.procedure, line)
        if len(call.arguments) != len(callee.parameters):
            raise self._flow.error(line, f"{callee.name} has {len(callee.parameters)} parameters")
        if call.names and len(call.names) != callee.results:
            raise self._flow.error(line, f"{callee.name} returns {callee.results} values")
        given: dict[str, Expression] = {g: Bit(0, self._layout.bits[g]) for g in self._flow.globals}
        arguments = [self._read(a, line) for a in call.arguments]
        given |= dict(zip(callee.parameters, arguments, strict=True))
        entered: list[Expression] = [FALSE] * layout.size
        for name, value in given.items():
            entered[layout.bits[BEFORE + name]] = value
        self._add(f"{line} call", (here,), TRUE, layout.entry, tuple(entered))
        new = {g: Bit(1, layout.bits[g]) for g in self._flow.globals}
        self._known(call.names, line)
        new |= {name: Bit(1, layout.size + k) for k, name in enumerate(call.names)}
        same = conjunction(
            equivalence(Bit(1, layout.bits[BEFORE + name]), value) for name, value in given.items()
        )
        self._add(f"{line}", (here, layout.exit), same, here + 1, self._updates(new))

    # -------------------------------------------------------------------------------------- parts

    def _step(self, line: int, here: int, guard: Expression, after: int) -> None:
        self._add(f"{line}", (here,), guard, after, self._same)

    def _add(
        self,
        name: str,
        body: tuple[int, ...],
        guard: Expression,
        head: int | None,
        updates: tuple[Expression, ...],
    ) -> None:
        self._flow.add(BooleanRule(f"{self._procedure.name}:{name}", body, guard, head, updates))

    def _updates(self, new: Mapping[str, Expression]) -> tuple[Expression, ...]:
        updates: list[Expression] = list(self._same)
        for name, value in new.items():
            updates[self._layout.bits[name]] = value
        return tuple(updates)

    def _fits(self, names: Sequence[str], values: Sequence[Expression], line: int) -> None:
        if len(names) != len(values):
            raise self._flow.error(line, f"{len(values)} values for {len(names)} variables")
        self._known(names, line)

    def _known(self, names: Sequence[str], line: int) -> None:
        if len(set(names)) != len(names):
            raise self._flow.error(line, "a variable is assigned to twice at once")
        for name in names:
            if name not in self._layout.bits:
                raise self._flow.error(line, f"no variable {name}")

    def _read(self, expression: Expression, line: int) -> Expression:
        for name in _names(expression):
            if name not in self._layout.bits:
                raise self._flow.error(line, f"no variable {name}")
        return resolved(expression, self._layout.bits)


def resolved(expression: Expression, bits: Mapping[str, int]) -> Expression:
    """The expression over bits of premise 0."""
    return mapped(expression, lambda name: Bit(0, bits[name]))


def _names(expression: Expression) -> Iterable[str]:
    return (leaf.name for leaf in leaves(expression) if isinstance(leaf, Name))
