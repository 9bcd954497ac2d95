"""A task as a Horn system: a relation for each cut point, contexts and summaries of procedures.

    p.entry(constants, values at the entry)                     the contexts in which `p` is called
    p.K(constants, values at the entry, values now)             a run of `p` comes to place K
    p.exit(constants, values at the entry, globals, outputs)    the summary of `p`

A variable that nothing changes has one symbol for both.  Cut points are the places to which two
ways lead, and those behind what a run chooses: so all choices are arguments of facts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import assert_never

from seahorn_py.base.errors import Origin, Span
from seahorn_py.base.records import dataclass
from seahorn_py.horn.svlib.tasks import (
    Annotation,
    Assign,
    Assume,
    Branch,
    Call,
    Check,
    Havoc,
    Jump,
    Procedure,
    Task,
    Variable,
    successors,
)
from seahorn_py.horn.system import Atom, CheckId, HornSystem, Parameter, Query, Relation, Rule
from seahorn_py.horn.system import Check as Checked
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term

PROPERTY = "correct-annotations"


@dataclass(frozen=True)
class Made:
    """What a rule says of a run: values that are chosen, and which way.

    `variables` have their values in the fact that the rule derives, from `first` on.
    """

    kind: str
    variables: tuple[tuple[Variable, int], ...] = ()
    number: int = 0


@dataclass(frozen=True)
class Emitted:
    """The system; what rules say of runs; the relation of a place, of which model it is.

    `violates` has the annotation of each query.
    """

    system: HornSystem
    made: Mapping[str, Made]
    points: Mapping[tuple[str, int], str]
    violates: Mapping[str, Annotation]


@dataclass
class _Way:
    """A way through instructions: where it began, what holds on it, what variables are."""

    body: tuple[Atom, ...]
    values: dict[Term, Term]
    holds: list[Term] = field(default_factory=list)

    def now(self, term: Term) -> Term:
        """A term with the values that variables have by now."""
        return terms.substitute(term, self.values)

    def fork(self, condition: Term) -> _Way:
        """The way on which a condition holds, too."""
        return _Way(self.body, dict(self.values), [*self.holds, condition])


def emit(task: Task) -> Emitted:
    """The Horn system of a task: it has a solution if all annotations hold."""
    script = _Script(task)
    script.begin()
    done: set[str] = set()
    while script.called - done:
        name = min(script.called - done)
        done.add(name)
        _Procedure(script, task.procedures[name]).emit()
    relations = {name: script.relations[name] for name in sorted(script.relations)}
    system = HornSystem(relations, tuple(script.rules))
    return Emitted(system, script.made, script.points, script.violates)


class _Script:
    def __init__(self, task: Task) -> None:
        self.task = task
        self.relations: dict[str, Relation] = {}
        self.rules: list[Rule] = []
        self.made: dict[str, Made] = {}
        self.points: dict[tuple[str, int], str] = {}
        self.violates: dict[str, Annotation] = {}
        self.called: set[str] = {task.entry}
        changed = task.changed()
        self.constants = [v.symbol for v in task.constants]
        self.globals = [v.symbol for v in task.globals]
        self.moving = [s for s in self.globals if s in changed]
        self.at_entry = {
            s: terms.variable(f"{s.symbol_name()}@entry", terms.sort_of(s)) for s in changed
        }

    def relation(self, name: str, symbols: list[Term], line: int) -> None:
        parameters = tuple(Parameter(s) for s in symbols)
        self.relations.setdefault(name, Relation(name, parameters, self.origin(line)))

    def origin(self, line: int) -> Origin:
        return Origin((Span(self.task.source, line, 1, ""),))

    def rule(self, way: _Way, head: Atom | Query, line: int, made: Made | None = None) -> str:
        name = f"r{len(self.rules)}"
        if made is not None:
            self.made[name] = made
        constraint = terms.and_(way.holds)
        self.rules.append(Rule(name, way.body, constraint, head, origin=self.origin(line)))
        return name

    def entry(self, name: str) -> list[Term]:
        """The symbols of the contexts of a procedure."""
        inputs = [v.symbol for v in self.task.procedures[name].inputs]
        before = [self.at_entry.get(s, s) for s in (*self.globals, *inputs)]
        return [*self.constants, *before]

    def exit(self, name: str) -> list[Term]:
        """The symbols of the summaries of a procedure."""
        outputs = [v.symbol for v in self.task.procedures[name].outputs]
        return [*self.entry(name), *self.moving, *outputs]

    def begin(self) -> None:
        """The call that is asked about."""
        task = self.task
        symbols = self.entry(task.entry)
        self.relation(f"{task.entry}.entry", symbols, task.line)
        given = (*self.constants, *self.globals, *task.arguments)
        way = _Way((), {}, [task.axioms])
        made = Made("model", tuple((v, k) for k, v in enumerate((*task.constants, *task.globals))))
        self.rule(way, Atom(f"{task.entry}.entry", given), task.line, made)


class _Procedure:
    def __init__(self, script: _Script, procedure: Procedure) -> None:
        self._script = script
        self._own = procedure
        self._entry = script.entry(procedure.name)
        rest = (*procedure.inputs, *procedure.outputs, *procedure.locals, *procedure.ghosts)
        fixed = set(self._entry)
        self._now = [*script.moving, *(v.symbol for v in rest if v.symbol not in fixed)]
        self._cuts = _cuts(procedure)
        self._waiting: list[int] = []

    def emit(self) -> None:
        name = self._own.name
        self._script.relation(f"{name}.entry", self._entry, self._own.line)
        self._script.relation(f"{name}.exit", self._script.exit(name), self._own.line)
        values = {s: self._script.at_entry.get(s, s) for s in self._now if s in self._inputs()}
        way = _Way((Atom(f"{name}.entry", tuple(self._entry)),), values)
        self._go(way, 0, self._made("init-proc-vars", self._own.fresh))
        done: set[int] = set()
        while self._waiting:
            place = self._waiting.pop()
            if place not in done:
                done.add(place)
                self._from(place)

    def _inputs(self) -> set[Term]:
        return {*self._script.moving, *(v.symbol for v in self._own.inputs)}

    def _made(self, kind: str, variables: tuple[Variable, ...], number: int = 0) -> Made:
        symbols = [*self._entry, *self._now]
        return Made(kind, tuple((v, symbols.index(v.symbol)) for v in variables), number)

    def _point(self, place: int) -> str:
        name = f"{self._own.name}.{place}"
        self._script.relation(name, [*self._entry, *self._now], self._own.line)
        self._script.points[self._own.name, place] = name
        return name

    def _go(self, way: _Way, place: int, made: Made | None = None) -> None:
        arguments = (*self._entry, *(way.now(s) for s in self._now))
        self._script.rule(way, Atom(self._point(place), arguments), self._own.line, made)
        self._waiting.append(place)

    def _from(self, place: int) -> None:
        """The rules from a cut point to the next ones."""
        start = Atom(self._point(place), (*self._entry, *self._now))
        ways = [(place, _Way((start,), {}))]
        while ways:
            at, way = ways.pop()
            while at < len(self._own.code):
                after = self._step(at, way, ways)
                if after is None:
                    break
                at = after
                if at in self._cuts:
                    self._go(way, at)
                    break
            else:
                self._leave(way)

    def _leave(self, way: _Way) -> None:
        symbols = self._script.exit(self._own.name)[len(self._entry) :]
        head = Atom(f"{self._own.name}.exit", (*self._entry, *(way.now(s) for s in symbols)))
        self._script.rule(way, head, self._own.line)

    def _step(self, at: int, way: _Way, ways: list[tuple[int, _Way]]) -> int | None:
        """The place behind an instruction; None where rules or other ways go on instead."""
        instruction = self._own.code[at]
        match instruction:
            case Assume(condition):
                way.holds.append(way.now(condition))
            case Assign(values):
                way.values.update({s: way.now(value) for s, value in values.items()})
            case Check(condition, annotation):
                self._check(way, condition, annotation)
            case Havoc(variables):
                way.values.update({v.symbol: terms.fresh_like(v.symbol) for v in variables})
                self._go(way, at + 1, self._made("havoc", variables))
                return None
            case Call():
                self._call(way, instruction)
                self._go(way, at + 1)
                return None
            case Branch(condition, then, otherwise):
                test = way.now(condition)
                self._fork(way.fork(test), then, ways)
                self._fork(way.fork(terms.not_(test)), otherwise, ways)
                return None
            case Jump((place,)):
                return place
            case Jump(places):
                for number, place in enumerate(places):
                    self._go(way, place, Made("choice", (), number))
                return None
            case _:
                assert_never(instruction)
        return at + 1

    def _fork(self, way: _Way, place: int, ways: list[tuple[int, _Way]]) -> None:
        if terms.FALSE in way.holds:
            return
        if place in self._cuts:
            self._go(way, place)
        else:
            ways.append((place, way))

    def _check(self, way: _Way, condition: Term, annotation: Annotation) -> None:
        holds = way.now(condition)
        origin = self._script.origin(annotation.line)
        text = f"{annotation.kind} {annotation.text}"
        query = Query(f"q{len(self._script.rules)}", Checked(CheckId(PROPERTY, text, origin), 0))
        name = self._script.rule(way.fork(terms.not_(holds)), query, annotation.line)
        self._script.violates[name] = annotation
        way.holds.append(holds)

    def _call(self, way: _Way, call: Call) -> None:
        script = self._script
        script.called.add(call.procedure)
        script.relation(f"{call.procedure}.entry", script.entry(call.procedure), call.line)
        given = [
            *script.constants,
            *(way.now(s) for s in script.globals),
            *(way.now(a) for a in call.arguments),
        ]
        script.rule(way, Atom(f"{call.procedure}.entry", tuple(given)), call.line)
        results = {s: terms.fresh_like(s) for s in script.moving}
        outputs = [terms.fresh_like(s) for s in call.results]
        summary = Atom(f"{call.procedure}.exit", (*given, *results.values(), *outputs))
        way.body = (*way.body, summary)
        way.values.update(results)
        way.values.update(zip(call.results, outputs, strict=True))


def _cuts(procedure: Procedure) -> frozenset[int]:
    """The places at which ways are cut."""
    ways: dict[int, int] = {0: 1}
    cuts = {0, *procedure.heads.values()}
    for place, instruction in enumerate(procedure.code):
        after = successors(place, instruction)
        for one in after:
            ways[one] = ways.get(one, 0) + 1
        if isinstance(instruction, Havoc | Call) or (
            len(after) > 1 and isinstance(instruction, Jump)
        ):
            cuts.update(after)
    return frozenset(cuts | {place for place, count in ways.items() if count > 1})
