"""Program -> HornSystem: one relation for each location between two statements.

A function `f` has `f.entry(globals)`, the contexts in which it is called, `f.N(globals at entry,
globals, locals)` for its locations, numbered from 0, and `f.exit(globals at entry, globals)`, its
summary (Reps, Horwitz, Sagiv 1995).  A statement is a rule; a call is two: one adds a context, one
joins the caller with the summary.  What is not initialised is a free symbol of the rule that starts
the function, or of the fact for `main`.

A division by 0 ends the run: the rule asks that no divisor that is evaluated is 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import assert_never

from seahorn_py.base.errors import Origin, Span
from seahorn_py.horn.system import (
    Atom,
    Check,
    CheckId,
    HornSystem,
    Parameter,
    Query,
    Relation,
    Role,
    Rule,
)
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.rip.meaning import defined, value
from seahorn_py.rip.syntax import (
    Assert,
    Assign,
    Assume,
    Call,
    Expression,
    Function,
    If,
    Program,
    Statement,
    Type,
    Variable,
    While,
)

MAIN = "main"
Values = dict[str, Term]


def encode(program: Program) -> HornSystem:
    """The Horn system of a program."""
    relations: dict[str, Relation] = {}
    rules: list[Rule] = []
    for function in program.functions:
        _FunctionEncoder(program, function, relations, rules).run()
    start = [_symbol(MAIN, v) for v in program.variables]
    rules.append(Rule("start", (), terms.TRUE, Atom(f"{MAIN}.entry", tuple(start))))
    return HornSystem(relations, tuple(rules))


class _FunctionEncoder:
    """One function; a location is the name of its relation."""

    def __init__(
        self,
        program: Program,
        function: Function,
        relations: dict[str, Relation],
        rules: list[Rule],
    ) -> None:
        self._file = program.file
        self._globals = program.variables
        self._function = function
        self._relations = relations
        self._rules = rules
        self._places = 0
        name = function.name
        self._entry = [_parameter(name, v, Role.ENTRY) for v in self._globals]
        self._before = tuple(p.symbol for p in self._entry)
        self._now = [_parameter(name, v, Role.GLOBAL) for v in self._globals]
        self._locals = [_parameter(name, v, Role.CURRENT) for v in function.variables]
        self._values: Values = {
            variable.name: parameter.symbol
            for variable, parameter in zip(
                (*self._globals, *function.variables), (*self._now, *self._locals), strict=True
            )
        }

    def run(self) -> None:
        """Add the relations and rules."""
        name, line = self._function.name, self._function.line
        entry = self._relation(f"{name}.entry", self._entry, line)
        exit_ = self._relation(f"{name}.exit", [*self._entry, *self._now], line)
        first = self._place(line)
        start = dict(zip((v.name for v in self._globals), self._before, strict=True))
        self._rule(
            (Atom(entry, self._before),), [], self._at(first, {**self._values, **start}), line
        )
        last = self._block(self._function.body, first)
        results = tuple(self._values[v.name] for v in self._globals)
        self._rule((self._at(last),), [], Atom(exit_, (*self._before, *results)), line)

    # --------------------------------------------------------------------------------- statements

    def _block(self, statements: Iterable[Statement], location: str) -> str:
        """The location after the statements, which begin at `location`."""
        for statement in statements:
            location = self._statement(statement, location)
        return location

    def _statement(self, statement: Statement, location: str) -> str:
        match statement:
            case Assign(line, names, values):
                after = self._place(line)
                new = {n: value(v, self._values) for n, v in zip(names, values, strict=True)}
                guards = [defined(v, self._values) for v in values]
                self._rule(
                    (self._at(location),), guards, self._at(after, {**self._values, **new}), line
                )
                return after
            case Assume(line, condition):
                after = self._place(line)
                self._step(location, after, condition, True)
                return after
            case Assert(line, condition):
                after = self._place(line)
                self._query(location, condition)
                self._step(location, after, condition, True)
                return after
            case If(line, condition, then, otherwise):
                after = self._place(line)
                for branch, taken in ((then, True), (otherwise, False)):
                    self._jump(self._branch(location, condition, branch, taken), after, line)
                return after
            case While(line, condition, body):
                after = self._place(line)
                self._jump(self._branch(location, condition, body, True), location, line)
                self._step(location, after, condition, False)
                return after
            case Call(line, callee):
                after = self._place(line)
                self._call(callee, location, after, line)
                return after
        assert_never(statement)

    def _branch(
        self, location: str, condition: Expression, block: Sequence[Statement], taken: bool
    ) -> str:
        """The location after a block that is run where the condition has that value."""
        inside = self._place(condition.line)
        self._step(location, inside, condition, taken)
        return self._block(block, inside)

    def _call(self, callee: str, location: str, after: str, line: int) -> None:
        here = self._at(location)
        given = tuple(self._values[v.name] for v in self._globals)
        results = {v.name: _symbol(f"{self._function.name}:{callee}", v) for v in self._globals}
        self._rule((here,), [], Atom(f"{callee}.entry", given), line)
        summary = Atom(f"{callee}.exit", (*given, *results.values()))
        self._rule((here, summary), [], self._at(after, {**self._values, **results}), line)

    def _query(self, location: str, condition: Expression) -> None:
        line = condition.line
        wrong = terms.not_(value(condition, self._values))
        check = CheckId("assert", f"line {line}", self._origin(line))
        number = len(self._rules)
        query = Query(f"assert:{number}", Check(check, number))
        self._rule((self._at(location),), [defined(condition, self._values), wrong], query, line)

    # ------------------------------------------------------------------------- relations and rules

    def _step(self, location: str, after: str, condition: Expression, taken: bool) -> None:
        """Go on where the condition has that value."""
        holds = value(condition, self._values)
        guards = [defined(condition, self._values), holds if taken else terms.not_(holds)]
        self._rule((self._at(location),), guards, self._at(after), condition.line)

    def _jump(self, location: str, after: str, line: int) -> None:
        self._rule((self._at(location),), [], self._at(after), line)

    def _rule(
        self, body: tuple[Atom, ...], guards: Iterable[Term], head: Atom | Query, line: int
    ) -> None:
        name = f"{self._function.name}:{line}.{len(self._rules)}"
        self._rules.append(Rule(name, body, terms.and_(guards), head, origin=self._origin(line)))

    def _place(self, line: int) -> str:
        number = self._places
        self._places += 1
        parameters = [*self._entry, *self._now, *self._locals]
        return self._relation(f"{self._function.name}.{number}", parameters, line)

    def _relation(self, name: str, parameters: Sequence[Parameter], line: int) -> str:
        self._relations[name] = Relation(name, tuple(parameters), self._origin(line))
        return name

    def _at(self, location: str, values: Mapping[str, Term] | None = None) -> Atom:
        known = self._values if values is None else values
        now = (known[v.name] for v in (*self._globals, *self._function.variables))
        return Atom(location, (*self._before, *now))

    def _origin(self, line: int) -> Origin:
        return Origin((Span(self._file, line, 1, self._function.name),))


def _parameter(function: str, variable: Variable, role: Role) -> Parameter:
    suffix = "@entry" if role is Role.ENTRY else ""
    symbol = _symbol(function, variable, suffix)
    return Parameter(symbol, role, variable.name + suffix, variable.type.value, function)


def _symbol(scope: str, variable: Variable, suffix: str = "") -> Term:
    name = f"{scope}.{variable.name}{suffix}"
    if variable.type is Type.INT:
        return terms.variable(name, terms.INT)
    return terms.variable(f"{name}?", terms.BOOL)  # in C a variable of that name may be a number
