"""SMT-LIB HORN text in: CHC-COMP files, and the `rule` and `query` commands of z3's Datalog.

Every error names file and line.  Datatypes with parameters, functions other than predicates, and
assertions that are no Horn clauses are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from seahorn_py.base.errors import InputError, Origin, Span
from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import (
    Atom,
    Check,
    CheckId,
    HornSystem,
    Parameter,
    Query,
    Relation,
    Rule,
)
from seahorn_py.horn.text.clauses import Clause, NotHorn, clauses
from seahorn_py.horn.text.prologtext import as_smtlib
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import BOOL, INT, REAL, Sort, Term
from seahorn_py.logic.text import operators, reading
from seahorn_py.logic.text.datatypes import read_datatypes
from seahorn_py.logic.text.operators import Constructor, Malformed
from seahorn_py.logic.text.reading import Scope
from seahorn_py.logic.text.sexpr import Form, Node, name_of, read
from seahorn_py.processes.collector import without_collector

_IGNORED = frozenset(("set-logic", "set-info", "set-option", "get-info", "exit"))
_ASKED = frozenset(("check-sat", "get-model", "get-proof"))
MOST_DIGITS, MOST_LEVELS = 6, 10_000
"""Of a number of levels, and of levels at once."""

_DATATYPES = frozenset(("declare-datatype", "declare-datatypes"))


@dataclass(frozen=True)
class Question:
    """What one `check-sat` or `query` asks; `shows` has the words `model` and `proof` if asked for.

    `place` is the line, as errors name it.
    """

    place: str
    system: HornSystem
    shows: frozenset[str] = frozenset()


def read_horn(text: str, name: str) -> HornSystem:
    """The Horn system of a text, with all its queries; `name` is what errors call it.

    InputError, never another.  It is raised, too, where `pop` takes clauses back: such a text is
    several systems.
    """
    reader = _read(as_smtlib(text, name), name)
    if reader.taken_back:
        raise InputError(f"{name}:1: pop takes clauses back, so that this is no single system")
    return HornSystem(reader.relations, tuple(reader.rules))


def read_questions(text: str, name: str) -> tuple[Question, ...]:
    """The questions of a text, one for each `check-sat` and each `query`; at least one.

    A `check-sat` is about what is asserted before it, a `query` about itself and the rules before;
    neither is about what `pop` has taken back before.
    """
    reader = _read(as_smtlib(text, name), name)
    asked = reader.asked or [_Asked(1, len(reader.rules), None, reader.taken_back)]
    queries = [range(one.first, one.until) for one in asked if one.first is not None]
    found = []
    for one in asked:
        others = {k for query in queries if query.start != one.first for k in query}
        others |= one.without
        rules = (reader.rules[k] for k in range(one.until) if k not in others)
        system = HornSystem(reader.relations, tuple(rules))
        found.append(Question(f"{name}:{one.line}", system, frozenset(one.shows)))
    return tuple(found)


def _read(text: str, name: str) -> HornReader:
    """A reader that has read a text."""
    reader = HornReader(name)
    with without_collector():
        for command in read(text, name):
            if not isinstance(command, Form):
                raise InputError(f"{name}:1: {command} stands where a command is expected")
            if command.items == ["exit"]:
                break
            reader.command(command)
    return reader


@dataclass
class _Asked:
    """A question: its line, how many rules there were, and the first of its own rules if any.

    It is not about the rules in `without`.
    """

    line: int
    until: int
    first: int | None
    without: frozenset[int]
    shows: list[str] = field(default_factory=list)


class HornReader:
    """Reads commands one by one, as of a file or, where nothing has lines, as of another source."""

    def __init__(self, source: str, has_lines: bool = True) -> None:
        self._has_lines = has_lines
        self.relations: dict[str, Relation] = {}
        self.rules: list[Rule] = []
        self.asked: list[_Asked] = []
        self.taken_back: frozenset[int] = frozenset()
        self._levels: list[int] = []
        self.source = source
        self._names: set[str] = set()
        self._copies: dict[str, int] = {}
        self._predicates: dict[Term, str] = {}
        self._constants: dict[str, Term] = {}
        self._functions: dict[str, Constructor] = {}
        self._sorts: dict[str, Sort] = {}
        self._scope = Scope(self._constants, self._functions, self._sorts)

    def command(self, form: Form) -> None:
        """Do what a command says; InputError, with the line, for one that is not understood."""
        match form.items:
            case [str(word), *_] if word in _IGNORED:
                pass
            case [str(word)] if word in _ASKED:
                self._asked(word, form.line)
            case ["assert" | "rule", formula]:
                self._assert(formula, "", form.line)
            case ["rule", formula, str(name)]:
                self._assert(formula, name_of(name), form.line)
            case ["query", formula, *_]:
                first = len(self.rules)
                self._query(formula, form.line)
                self.asked.append(_Asked(form.line, len(self.rules), first, self.taken_back))
            case ["push" | "pop" as word, *levels]:
                self._level(word, levels, form.line)
            case _:
                self._declaration(form)

    def _declaration(self, form: Form) -> None:
        match form.items:
            case ["declare-fun", str(name), Form(sorts), "Bool"]:
                self._declare(name_of(name), sorts, form.line)
            case ["declare-rel", str(name), Form(sorts), *_]:  # how z3 is to represent it
                self._declare(name_of(name), sorts, form.line)
            case ["declare-const", str(name), "Bool"]:
                self._declare(name_of(name), [], form.line)
            case ["declare-var", str(name), sort]:
                self._variable(name_of(name), sort, form.line)
            case ["define-fun", str(name), Form(variables), sort, body]:
                self._define(name_of(name), variables, sort, body, form.line)
            case ["define-const", str(name), sort, body]:
                self._define(name_of(name), [], sort, body, form.line)
            case [str(word), *_] if word in _DATATYPES:
                self._datatypes(form)
            case ["define-sort", str(name), Form([]), sort]:
                self._sorts[name_of(name)] = self._sort(sort, form.line)
            case _:
                self._refuse(form)

    def _asked(self, word: str, line: int) -> None:
        if word == "check-sat":
            self.asked.append(_Asked(line, len(self.rules), None, self.taken_back))
        elif not self.asked:
            raise self._error(line, f"{word} stands before any check-sat or query")
        else:
            self.asked[-1].shows.append(word.removeprefix("get-"))

    def _level(self, word: str, levels: Sequence[Node], line: int) -> None:
        """Begin levels, or take back the rules of the last ones; names stay what they are."""
        match levels:
            case []:
                count = 1
            case [str(text)] if text.isascii() and text.isdigit() and len(text) < MOST_DIGITS:
                count = int(text)
            case _:
                raise self._error(line, f"{word} is followed by a number of levels")
        if word == "push" and len(self._levels) + count <= MOST_LEVELS:
            self._levels += [len(self.rules)] * count
        elif word == "pop" and count <= len(self._levels):
            first = len(self.rules)
            for _ in range(count):
                first = self._levels.pop()
            self.taken_back |= frozenset(range(first, len(self.rules)))
        else:
            limit = "begun" if word == "pop" else "allowed"
            raise self._error(line, f"{word} of more levels than are {limit}")

    def _refuse(self, form: Form) -> None:
        first = form.items[0] if form.items else "()"
        word = first if isinstance(first, str) else "(...)"
        if word in ("declare-fun", "declare-const"):
            raise self._error(form.line, "only predicates (functions to Bool) can be declared")
        if word == "declare-sort":
            named = " ".join(one for one in form.items[1:2] if isinstance(one, str))
            raise self._error(form.line, f"the sort {named} has no interpretation; not supported")
        raise self._error(form.line, f"the command {word} is not supported in this form")

    def _error(self, line: int, message: str) -> InputError:
        return InputError(f"{self.source}:{line}: {message}")

    def _sort(self, node: Node, line: int) -> Sort:
        return reading.read_sort(node, self._scope, self.source, line)

    def _term(self, node: Node, line: int) -> Term:
        return reading.read_term(node, self._scope, self.source, line)

    # ----------------------------------------------------------------------------- declarations

    def _new(self, name: str, line: int) -> None:
        known = name in self._functions or name in self._constants or name in ("true", "false")
        if known or operators.plain(name) is not None or not name:
            raise self._error(line, f"{name} is declared twice or means something in SMT-LIB")

    def _declare(self, name: str, sorts: Sequence[Node], line: int) -> None:
        self._new(name, line)
        read_sorts = [self._sort(s, line) for s in sorts]
        parameters = tuple(
            Parameter(terms.variable(f"{name}.{k}", sort)) for k, sort in enumerate(read_sorts)
        )
        predicate = terms.fresh_predicate(name, read_sorts)
        self.relations[name] = Relation(name, parameters, self._origin(line))
        self._predicates[predicate] = name
        self._functions[name] = _application(predicate, read_sorts)

    def _variable(self, name: str, sort: Node, line: int) -> None:
        self._new(name, line)
        self._constants[name] = terms.variable(name, self._sort(sort, line))

    def _define(
        self, name: str, variables: Sequence[Node], sort: Node, body: Node, line: int
    ) -> None:
        """A macro; its variables are fresh, so that no use can capture them."""
        self._new(name, line)
        expected = self._sort(sort, line)
        symbols: dict[str, Term] = {}
        for variable in variables:
            match variable:
                case Form([str(text), own]) if name_of(text):
                    plain = terms.variable(name_of(text), self._sort(own, line))
                    symbols[name_of(text)] = terms.fresh_like(plain)
                case _:
                    raise self._error(line, "a parameter is a name and a sort")
        scope = Scope(self._constants | symbols, self._functions, self._sorts)
        term = reading.read_term(body, scope, self.source, line)
        if terms.sort_of(term) is INT and expected is REAL:
            term = terms.to_real(term)
        if terms.sort_of(term) != expected:
            raise self._error(line, f"the body of {name} has another sort")
        self._functions[name] = _macro(term, list(symbols.values()))

    def _datatypes(self, form: Form) -> None:
        declared = read_datatypes(form, self._scope, self.source)
        for name in declared.functions:
            self._new(name, form.line)
        for name in declared.sorts:
            if name in self._sorts:
                raise self._error(form.line, f"{name} is declared twice")
        self._sorts.update(declared.sorts)
        self._functions.update(declared.functions)

    # ----------------------------------------------------------------------------------- rules

    def _assert(self, formula: Node, name: str, line: int) -> None:
        term = self._term(formula, line)
        if terms.sort_of(term) is not BOOL:
            raise self._error(line, "what is asserted is no formula")
        try:
            for clause in clauses(term, self._predicates):
                self._rule(clause, name or f"line{line}", line)
        except NotHorn as error:
            raise self._error(line, f"no Horn clause: {error}") from None

    def _query(self, formula: Node, line: int) -> None:
        if isinstance(formula, str) and name_of(formula) in self.relations:
            relation = self.relations[name_of(formula)]
            self._rule(
                Clause((Atom(relation.name, relation.symbols),), terms.TRUE, None),
                f"query {relation.name}",
                line,
            )
            return
        before = len(self.rules)
        self._assert(Form(["not", formula], line), "query", line)
        for rule in self.rules[before:]:
            if isinstance(rule.head, Atom):  # z3 would ask what is not derived
                raise self._error(line, f"{rule.head.relation} is negated in a query")

    def _rule(self, clause: Clause, wanted: str, line: int) -> None:
        name, count = wanted, self._copies.get(wanted, 1)
        while name in self._names:
            count += 1
            name = f"{wanted}.{count}"
        self._names.add(name)
        self._copies[wanted] = count
        origin = self._origin(line)
        head: Atom | Query | None = clause.head
        if head is None:
            text = f"the query of line {line}" if self._has_lines else f"the query {name}"
            check = CheckId("chc", text, origin)
            head = Query(name, Check(check, len(self.rules)))
        self.rules.append(Rule(name, clause.body, clause.constraint, head, origin=origin))

    def _origin(self, line: int) -> Origin:
        place = (line, 1) if self._has_lines else (0, 0)
        return Origin((Span(self.source, *place, ""),))


def _application(predicate: Term, sorts: Sequence[Sort]) -> Constructor:
    def apply(arguments: Sequence[Term]) -> Term:
        return terms.apply(predicate, _coerced(arguments, sorts))

    return apply


def _macro(body: Term, symbols: Sequence[Term]) -> Constructor:
    sorts = [terms.sort_of(s) for s in symbols]

    def expand(arguments: Sequence[Term]) -> Term:
        values = dict(zip(symbols, _coerced(arguments, sorts), strict=True))
        return terms.substitute(body, values)

    return expand


def _coerced(arguments: Sequence[Term], sorts: Sequence[Sort]) -> list[Term]:
    if len(arguments) != len(sorts):
        raise Malformed(f"{len(arguments)} arguments instead of {len(sorts)}")
    coerced = [
        terms.to_real(a) if s is REAL and terms.sort_of(a) is INT else a
        for a, s in zip(arguments, sorts, strict=True)
    ]
    if [terms.sort_of(a) for a in coerced] != list(sorts):
        raise Malformed("an argument of another sort")
    return coerced
