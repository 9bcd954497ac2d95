"""The body of an SV-LIB procedure as instructions.

A contract holds of a statement if `:ensures` holds whenever its end is reached after `:requires`
held at its beginning; what is left by `return`, `break` or `goto` does not reach its end, but for
the body of a procedure.  `(old t)` in `:ensures` is the value of `t` at the beginning.  What must
be remembered for that until the end is in ghost variables.  `:invariant` holds whenever the head of
its loop, or its label, is reached.  `:decreases` is the bounded measure of a loop: whenever the
loop goes on it is at least 0 and less than in the round before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import NoReturn, Protocol

from seahorn_py.base.errors import InputError
from seahorn_py.base.records import dataclass
from seahorn_py.horn.svlib.promises import (
    FLAGS,
    MOST_NESTED,
    Attribute,
    attributes,
    text_of,
    without_old,
)
from seahorn_py.horn.svlib.tasks import (
    Annotation,
    Assign,
    Assume,
    Branch,
    Call,
    Check,
    Havoc,
    Instruction,
    Jump,
    Variable,
)
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import BOOL, INT, Sort, Term
from seahorn_py.logic.text.sexpr import Form, Node, name_of


class Surroundings(Protocol):
    """What a body stands in."""

    def term(
        self,
        node: Node,
        line: int,
        expected: Sort | None = None,
        others: Mapping[str, Term] | None = None,
    ) -> Term:
        """A term over the variables of the procedure, and over `others` under these names."""

    def variable(self, node: Node, line: int) -> Variable:
        """A variable that may be assigned."""

    def ghost(self, sort: Sort) -> Variable:
        """A new variable that nothing else uses."""

    def is_fixed(self, term: Term) -> bool:
        """Whether the term has one value as long as the procedure runs."""

    def signature(self, name: str, line: int) -> tuple[list[Sort], list[Sort]]:
        """Sorts of the inputs and outputs of a procedure."""

    def annotations(self, tag: str) -> Sequence[Attribute]:
        """What the script says of a tag elsewhere."""

    def error(self, line: int, message: str) -> InputError:
        """An error at a line."""


@dataclass
class _Place:
    """Where a jump goes; its number is known when the code is complete."""

    number: int | None = None


@dataclass
class _Jump:
    targets: list[_Place]
    condition: Term | None = None


@dataclass
class _Loop:
    again: _Place
    after: _Place
    repeat: list[Check]


@dataclass
class Body:
    """Instructions that grow, and what is known of tags."""

    around: Surroundings
    code: list[Instruction | _Jump] = field(default_factory=list)
    heads: dict[str, _Place] = field(default_factory=dict)
    open: list[Annotation] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    _labels: dict[str, _Place] = field(default_factory=dict)
    _gone_to: dict[str, int] = field(default_factory=dict)
    _loops: list[_Loop] = field(default_factory=list)
    _end: _Place = field(default_factory=_Place)
    _depth: int = 0
    _tag: str = ""

    def whole(self, node: Node, line: int) -> None:
        """The body of the procedure: `return` leads to its end, where contracts are checked."""
        self._statement(node, line, is_body=True)
        for name, where in self._gone_to.items():
            if self._labels[name].number is None:
                raise self.around.error(where, f"there is no label {name}")

    def instructions(self) -> tuple[Instruction, ...]:
        """The code, with numbers for places."""
        return tuple(_numbered(one) if isinstance(one, _Jump) else one for one in self.code)

    def place_of(self, tag: str) -> int:
        """The place of the loop or label that has this tag."""
        return _number(self.heads[tag])

    # ------------------------------------------------------------------------------- statements

    def _statement(self, node: Node, line: int, is_body: bool = False) -> None:
        if not isinstance(node, Form):
            raise self.around.error(line, f"{node} stands where a statement is expected")
        self._depth += 1
        if self._depth > MOST_NESTED:
            raise self.around.error(node.line, "statements nest too deep")
        self._plain(node, is_body)
        if is_body and self._end.number is None:
            self._here(self._end)
        self._depth -= 1

    def _plain(self, node: Form, is_body: bool) -> None:
        line = node.line
        match node.items:
            case ["!", statement, *rest]:
                self._annotated(statement, rest, line, is_body)
            case ["sequence", *statements]:
                for one in statements:
                    self._statement(one, line)
            case ["assume", condition]:
                self.code.append(Assume(self.around.term(condition, line, BOOL)))
            case ["assign", _, *_]:
                self.code.append(Assign(dict(self._pair(one, line) for one in node.items[1:])))
            case ["havoc", _, *_]:
                names = [self.around.variable(one, line) for one in node.items[1:]]
                self.code.append(Havoc(tuple(names)))
            case ["call", str(name), Form(arguments), Form(results)]:
                self._call(name_of(name), arguments, results, line)
            case [
                "if" | "while" | "choice" | "label" | "goto" | "return" | "break" | "continue",
                *_,
            ]:
                self._control(node)
            case _:
                self._refuse(line)

    def _control(self, node: Form) -> None:
        line = node.line
        match node.items:
            case ["if", condition, then]:
                self._if(condition, then, Form(["sequence"], line), line)
            case ["if", condition, then, otherwise]:
                self._if(condition, then, otherwise, line)
            case ["while", condition, body]:
                self._while(condition, body, [], line)
            case ["choice", Form([_, *_] as options)]:
                self._choice(options, line)
            case ["label", str(name)]:
                self._label(name_of(name), line)
            case ["goto", str(name)]:
                self._gone_to.setdefault(name_of(name), line)
                self._go(self._labels.setdefault(name_of(name), _Place()))
            case ["return"]:
                self._go(self._end)
            case ["break" | "continue" as word] if self._loops:
                self._leave(word)
            case _:
                self._refuse(line)

    def _refuse(self, line: int) -> NoReturn:
        raise self.around.error(line, "this statement is not understood here")

    def _here(self, place: _Place) -> None:
        place.number = len(self.code)

    def _go(self, *targets: _Place) -> None:
        self.code.append(_Jump(list(targets)))

    def _pair(self, node: Node, line: int) -> tuple[Term, Term]:
        match node:
            case Form([target, value]):
                variable = self.around.variable(target, node.line)
                return variable.symbol, self.around.term(value, node.line, variable.sort)
        raise self.around.error(line, "assign has pairs of a variable and a term")

    def _call(self, name: str, given: Sequence[Node], results: Sequence[Node], line: int) -> None:
        inputs, outputs = self.around.signature(name, line)
        targets = [self.around.variable(one, line) for one in results]
        if len(given) != len(inputs) or [t.sort for t in targets] != outputs:
            raise self.around.error(line, f"{name} takes or gives something else")
        if len({t.symbol for t in targets}) != len(targets):
            raise self.around.error(line, "two results go into one variable")
        values = [self.around.term(n, line, s) for n, s in zip(given, inputs, strict=True)]
        self.code.append(Call(name, tuple(values), tuple(t.symbol for t in targets), line))

    def _if(self, condition: Node, then: Node, otherwise: Node, line: int) -> None:
        first, second, after = _Place(), _Place(), _Place()
        self.code.append(_Jump([first, second], self.around.term(condition, line, BOOL)))
        self._here(first)
        self._statement(then, line)
        self._go(after)
        self._here(second)
        self._statement(otherwise, line)
        self._here(after)

    def _choice(self, options: Sequence[Node], line: int) -> None:
        after = _Place()
        places = [_Place() for _ in options]
        self._go(*places)
        for place, option in zip(places, options, strict=True):
            self._here(place)
            self._statement(option, line)
            self._go(after)
        self._here(after)

    def _while(self, condition: Node, body: Node, promised: Sequence[Attribute], line: int) -> None:
        test = self.around.term(condition, line, BOOL)
        loop = _Loop(_Place(), _Place(), [])
        first = _Place()
        self._here(loop.again)
        self._promises(promised, ":invariant")
        self.code.append(_Jump([first, loop.after], test))
        self._here(first)
        for one in promised:
            if one.kind == ":decreases":
                loop.repeat.append(self._measured(one, test))
        self._loops.append(loop)
        self._statement(body, line)
        self._leave("continue")
        self._loops.pop()
        self._here(loop.after)

    def _leave(self, word: str) -> None:
        loop = self._loops[-1]
        if word == "continue":
            self.code.extend(loop.repeat)
        self._go(loop.again if word == "continue" else loop.after)

    def _measured(self, given: Attribute, test: Term) -> Check:
        """Remember a measure; the check that it is less when the loop goes on."""
        measure = self.around.term(given.value, given.line, INT)
        before = self.around.ghost(INT)
        self.code.append(Assign({before.symbol: measure}))
        lower = terms.and_(
            [terms.le(terms.int_const(0), measure), terms.lt(measure, before.symbol)]
        )
        return Check(terms.implies(test, lower), self._annotation(given))

    def _label(self, name: str, line: int) -> None:
        place = self._labels.setdefault(name, _Place())
        if place.number is not None:
            raise self.around.error(line, f"the label {name} is there twice")
        self._here(place)

    # ------------------------------------------------------------------------------ annotations

    def _annotated(self, statement: Node, rest: Sequence[Node], line: int, is_body: bool) -> None:
        wrong = self.around.error(line, "an attribute of this statement is not understood")
        own = attributes(rest, line, lambda: wrong)
        tags = [name_of(one.value) for one in own if one.kind == ":tag" and type(one.value) is str]
        promised = [one for one in own if one.kind != ":tag"]
        promised += [one for tag in tags for one in self.around.annotations(tag)]
        word = str(statement.items[0]) if isinstance(statement, Form) and statement.items else ""
        outer, self._tag = self._tag, tags[0] if tags else ""
        self._check_kinds(promised, word)
        ends = self._begin(promised, word)
        head = _Place(len(self.code))
        self._inner(statement, promised, outer, line, is_body)
        if word == "label":
            self._promises(promised, ":check-true", ":invariant")
        if word in ("label", "while"):
            self.heads.update(dict.fromkeys(tags, head))
        if is_body:
            self.tags += tags
        self.code.extend(ends)
        self._tag = outer

    def _inner(
        self,
        statement: Node,
        promised: Sequence[Attribute],
        outer: str,
        line: int,
        is_body: bool,
    ) -> None:
        match statement:
            case Form(["while", condition, body]):
                self._while(condition, body, promised, statement.line)
            case _:
                named, self._tag = self._tag, outer
                self._statement(statement, line, is_body)
                self._tag = named
        if is_body and self._end.number is None:
            self._here(self._end)

    def _check_kinds(self, promised: Sequence[Attribute], word: str) -> None:
        """What may stand at which statement."""
        kinds = {one.kind for one in promised}
        for one in promised:
            loops = one.kind in (":decreases", *FLAGS) and word != "while"
            heads = one.kind == ":invariant" and word not in ("while", "label")
            if loops or heads or (one.kind == ":check-true" and word == "while"):
                raise self.around.error(one.line, f"{one.kind} cannot stand at {word or 'this'}")
            if one.kind in FLAGS and not (one.kind == FLAGS[1] and ":decreases" in kinds):
                self.open.append(Annotation(self._tag, one.kind, "", one.line))

    def _begin(self, promised: Sequence[Attribute], word: str) -> list[Check]:
        """What is checked and remembered before a statement; what is checked behind it."""
        if word not in ("while", "label"):
            self._promises(promised, ":check-true")
        ensured = [one for one in promised if one.kind == ":ensures"]
        if not ensured:
            return []
        required = [
            self.around.term(one.value, one.line, BOOL)
            for one in promised
            if one.kind == ":requires"
        ]
        before = self._remembered(terms.and_(required)) if required else terms.TRUE
        return [self._ensured(one, before) for one in ensured]

    def _ensured(self, given: Attribute, before: Term) -> Check:
        node, olds = without_old(given.value)
        values = {
            name: self._remembered(self.around.term(old, given.line)) for name, old in olds.items()
        }
        condition = self.around.term(node, given.line, BOOL, values)
        return Check(terms.implies(before, condition), self._annotation(given))

    def _remembered(self, term: Term) -> Term:
        if self.around.is_fixed(term):
            return term
        ghost = self.around.ghost(terms.sort_of(term))
        self.code.append(Assign({ghost.symbol: term}))
        return ghost.symbol

    def _promises(self, promised: Sequence[Attribute], *kinds: str) -> None:
        for one in promised:
            if one.kind in kinds:
                condition = self.around.term(one.value, one.line, BOOL)
                self.code.append(Check(condition, self._annotation(one)))

    def _annotation(self, given: Attribute) -> Annotation:
        return Annotation(self._tag, given.kind, text_of(given.value), given.line)


def _numbered(jump: _Jump) -> Instruction:
    places = tuple(_number(target) for target in jump.targets)
    return Jump(places) if jump.condition is None else Branch(jump.condition, *places)


def _number(place: _Place) -> int:
    assert place.number is not None
    return place.number
