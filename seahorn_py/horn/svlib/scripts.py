"""SV-LIB scripts in: each `verify-call` with all that stands before it.

Refused with the line: procedures that are called before they are known, `old` outside of
`:ensures`, measures that are no integers, `:decreases-lex`, and terms that `sea-py chc` refuses.
A sort or function without interpretation is refused where it is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from seahorn_py.base.errors import InputError
from seahorn_py.base.records import dataclass
from seahorn_py.horn.svlib.bodies import Body
from seahorn_py.horn.svlib.promises import Attribute, attributes
from seahorn_py.horn.svlib.tasks import Procedure, Task, Variable
from seahorn_py.horn.text.chcfiles import HornReader
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import BOOL, INT, REAL, Sort, Term
from seahorn_py.logic.text import reading
from seahorn_py.logic.text.reading import Scope
from seahorn_py.logic.text.sexpr import Form, Node, name_of, read
from seahorn_py.processes.collector import without_collector

_IGNORED = frozenset(("set-logic", "set-info", "set-option", "get-witness", "get-info"))
_CHANGING = frozenset(("assign", "havoc", "call"))


@dataclass(frozen=True)
class _Written:
    """A procedure before its body is read."""

    inputs: tuple[Variable, ...]
    outputs: tuple[Variable, ...]
    locals: tuple[Variable, ...]
    body: Node
    line: int
    targets: frozenset[str]


def read_script(text: str, name: str) -> tuple[Task, ...]:
    """The tasks of a script, at least one; InputError, never another."""
    reader = ScriptReader(name)
    with without_collector():
        for command in read(text, name):
            if not isinstance(command, Form):
                raise InputError(f"{name}:1: {command} stands where a command is expected")
            if command.items == ["exit"]:
                break
            reader.command(command)
    if not reader.tasks:
        raise InputError(f"{name}:1: no verify-call, so that nothing is asked")
    return tuple(reader.tasks)


class ScriptReader(HornReader):
    """Reads commands one by one; terms and definitions are those of Horn clauses."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self.tasks: list[Task] = []
        self._variables: dict[str, Variable] = {}
        self._free: dict[str, Variable] = {}
        self._axioms: list[Term] = []
        self._written: dict[str, _Written] = {}
        self._promised: dict[str, list[Attribute]] = {}

    def command(self, form: Form) -> None:
        """Do what a command says; InputError, with the line, for one that is not understood."""
        match form.items:
            case [str(word), *_] if word in _IGNORED:
                pass
            case ["assert", formula]:
                self._axioms.append(self._formula(formula, form.line))
            case ["define-proc", str(name), *parts]:
                self._procedures([(name, parts)], form.line)
            case ["define-procs-rec", Form(heads), Form(bodies)] if len(heads) == len(bodies):
                self._recursive(heads, bodies, form.line)
            case ["annotate-tag", str(tag), *given]:
                wrong = self._error(form.line, "an attribute of this tag is not understood")
                promised = attributes(given, form.line, lambda: wrong)
                self._promised.setdefault(name_of(tag), []).extend(promised)
            case ["verify-call", str(name), Form(arguments)]:
                self.tasks.append(self._task(name_of(name), arguments, form.line))
            case _:
                self._declaration(form)

    def _declaration(self, form: Form) -> None:
        match form.items:
            case ["declare-var", str(name), sort]:
                self._declared(self._variables, name, sort, form.line)
            case ["declare-const", str(name), sort] | ["declare-fun", str(name), Form([]), sort]:
                self._declared(self._free, name, sort, form.line)
            case ["declare-fun" | "declare-sort", *_]:
                pass  # whoever uses it is told that it is not known
            case _:
                super()._declaration(form)

    def _declared(self, into: dict[str, Variable], written: str, sort: Node, line: int) -> None:
        name = name_of(written)
        self._variable(name, sort, line)
        into[name] = Variable(name, self._constants[name])

    def _formula(self, node: Node, line: int) -> Term:
        term = self._term(node, line)
        if terms.sort_of(term) is not BOOL:
            raise self._error(line, "what is asserted is no formula")
        return term

    # -------------------------------------------------------------------------------- procedures

    def _recursive(self, heads: Sequence[Node], bodies: Sequence[Node], line: int) -> None:
        named: list[tuple[str, list[Node]]] = []
        for head, body in zip(heads, bodies, strict=True):
            match head:
                case Form([str(name), *lists]):
                    named.append((name, [*lists, body]))
                case _:
                    raise self._error(line, "a procedure has a name and three lists of variables")
        self._procedures(named, line)

    def _procedures(self, named: Sequence[tuple[str, Sequence[Node]]], line: int) -> None:
        for written, parts in named:
            name = name_of(written)
            match parts:
                case [Form(inputs), Form(outputs), Form(inner), body] if name not in self._written:
                    lists = (
                        self._list(name, inputs, line),
                        self._list(name, outputs, line),
                        self._list(name, inner, line),
                    )
                    names = [v.name for one in lists for v in one]
                    if len(set(names)) < len(names):
                        raise self._error(line, f"two variables of {name} share a name")
                    self._written[name] = _Written(*lists, body, line, _targets(body))
                case _:
                    raise self._error(
                        line, f"{name} is no new procedure with three lists and a body"
                    )

    def _list(self, procedure: str, nodes: Sequence[Node], line: int) -> tuple[Variable, ...]:
        found = []
        for node in nodes:
            match node:
                case Form([str(written), sort]) if name_of(written):
                    name = name_of(written)
                    symbol = terms.variable(f"{procedure}.{name}", self._sort(sort, node.line))
                    found.append(Variable(name, symbol))
                case _:
                    raise self._error(line, "a variable is a name and a sort")
        return tuple(found)

    # ------------------------------------------------------------------------------------- tasks

    def _task(self, name: str, arguments: Sequence[Node], line: int) -> Task:
        targets = frozenset(t for one in self._written.values() for t in one.targets)
        read_bodies = {
            one: _ProcedureReader(self, one, written, targets, self._written)
            for one, written in self._written.items()
        }
        if name not in read_bodies:
            raise self._error(line, f"there is no procedure {name}")
        procedures = {one: reader.procedure() for one, reader in read_bodies.items()}
        expected = [v.sort for v in self._written[name].inputs]
        if len(expected) != len(arguments):
            raise self._error(line, f"{name} takes {len(expected)} arguments")
        given = [
            self.typed(self._term(node, line), sort, line)
            for node, sort in zip(arguments, expected, strict=True)
        ]
        known = {tag for reader in read_bodies.values() for tag in reader.tags_seen}
        unknown = sorted(self._promised.keys() - known)
        if unknown:
            raise self._error(line, f"no statement has the tag {unknown[0]}")
        return Task(
            self.source,
            line,
            tuple(self._free.values()),
            tuple(self._variables.values()),
            terms.and_(self._axioms),
            procedures,
            name,
            tuple(given),
            tuple(one for reader in read_bodies.values() for one in reader.body.open),
        )

    # -------------------------------------------------------------- what bodies of procedures ask

    def typed(self, term: Term, expected: Sort | None, line: int) -> Term:
        """The term, an integer as a real where one is expected; InputError for another sort."""
        if expected is REAL and terms.sort_of(term) is INT:
            return terms.to_real(term)
        if expected is not None and terms.sort_of(term) != expected:
            raise self._error(line, "a term has another sort than is expected here")
        return term

    def over(self, own: Mapping[str, Term], node: Node, line: int) -> Term:
        """A term over the names of the script and these."""
        scope = Scope(self._constants | dict(own), self._functions, self._sorts)
        return reading.read_term(node, scope, self.source, line)

    def promised(self, tag: str) -> Sequence[Attribute]:
        """What `annotate-tag` says of a tag."""
        return self._promised.get(tag, ())

    def globals(self) -> Mapping[str, Variable]:
        """The variables of the script."""
        return self._variables

    def wrong(self, line: int, message: str) -> InputError:
        """An error at a line."""
        return self._error(line, message)


@dataclass
class _ProcedureReader:
    """The surroundings of one body."""

    script: ScriptReader
    name: str
    written: _Written
    targets: frozenset[str]
    others: Mapping[str, _Written]
    ghosts: list[Variable] = field(default_factory=list)
    tags_seen: set[str] = field(default_factory=set)
    body: Body = field(init=False)

    def procedure(self) -> Procedure:
        """The procedure with its body."""
        one = self.written
        self.own = {v.name: v for v in (*one.inputs, *one.outputs, *one.locals)}
        self.known = {**self.script.globals(), **self.own}
        self.changing = {
            v.symbol
            for v in self.known.values()
            if v.name in (one.targets if v.name in self.own else self.targets)
        }
        self.body = Body(self)
        self.body.whole(one.body, one.line)
        heads = {tag: self.body.place_of(tag) for tag in self.body.heads}
        lists = (one.inputs, one.outputs, one.locals, tuple(self.ghosts))
        code = self.body.instructions()
        return Procedure(self.name, *lists, code, heads, tuple(self.body.tags), one.line)

    def term(
        self,
        node: Node,
        line: int,
        expected: Sort | None = None,
        others: Mapping[str, Term] | None = None,
    ) -> Term:
        own = {name: variable.symbol for name, variable in self.own.items()} | dict(others or {})
        return self.script.typed(self.script.over(own, node, line), expected, line)

    def variable(self, node: Node, line: int) -> Variable:
        found = self.known.get(name_of(node)) if isinstance(node, str) else None
        if found is None:
            raise self.error(line, "what is assigned is no variable")
        return found

    def ghost(self, sort: Sort) -> Variable:
        name = f"{self.name}.ghost{len(self.ghosts)}"
        self.ghosts.append(Variable(name, terms.variable(name, sort)))
        self.changing.add(self.ghosts[-1].symbol)
        return self.ghosts[-1]

    def is_fixed(self, term: Term) -> bool:
        return self.changing.isdisjoint(terms.free_symbols(term))

    def signature(self, name: str, line: int) -> tuple[list[Sort], list[Sort]]:
        called = self.others.get(name)
        if called is None:
            raise self.error(line, f"there is no procedure {name}")
        return [v.sort for v in called.inputs], [v.sort for v in called.outputs]

    def annotations(self, tag: str) -> Sequence[Attribute]:
        if tag in self.tags_seen:
            raise self.error(self.written.line, f"two statements have the tag {tag}")
        self.tags_seen.add(tag)
        return self.script.promised(tag)

    def error(self, line: int, message: str) -> InputError:
        return self.script.wrong(line, message)


def _targets(body: Node) -> frozenset[str]:
    """The names that stand where a statement would change them, and some others."""
    found: set[str] = set()
    todo = [body]
    while todo:
        match todo.pop():
            case Form([str(word), *rest]) if word in _CHANGING:
                inner = [n for r in rest if isinstance(r, Form) for n in r.items]
                found.update(name_of(n) for n in (*rest, *inner) if isinstance(n, str))
                found.update(
                    name_of(n.items[0])
                    for n in inner
                    if isinstance(n, Form) and n.items and isinstance(n.items[0], str)
                )
            case Form(items):
                todo.extend(items)
            case _:
                pass
    return frozenset(found)
