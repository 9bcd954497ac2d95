"""Calls of functions in clauses, written out.

A clause may call a function of the program that does nothing but compute a value: declarations with
a value, assignments to locals, `if`, `return`.  The call becomes an expression over its arguments,
with the conversions that C makes.  Two things are read as clauses mean them, not as C runs them: an
argument or a local that a result does not need is not evaluated, and `&` between truth values is
`&&`.  A call that is no such one stays in the clause, which is refused then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

from tree_sitter import Node

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.csource.syntax import CText, within
from seahorn_py.validation.contracts.model import Clause, Refused
from seahorn_py.validation.contracts.project import Name, Project, Unit

_MAX_DEPTH = 20
_MAX_CHARACTERS = 20_000
_CALL = pattern(r"'(?:\\.|[^'\\])*'|\b([A-Za-z_]\w*)\s*\(")
_SKIPPED = pattern(r"'(?:\\.|[^'\\])*'|[()\[\],]")
_PLAIN = frozenset({"char", "short", "int", "long", "unsigned", "signed", "float", "double"})
_MEMBER = pattern(r"(?:\.|->)\s*$")
_BOUND = pattern(r"\{[^;{}]*?(\w+)\s*;")
_COMPARING = frozenset({"==", "!=", "<", "<=", ">", ">=", "&&", "||"})
_VALID = frozenset(f"__CPROVER_{word}" for word in ("is_fresh", "r_ok", "w_ok", "rw_ok"))
_BOOLEAN = frozenset({"_Bool"})
"""A `bool` that is left behind the preprocessor may be any type."""


def written_out(project: Project) -> Project:
    """The project with the clauses of all functions written out; those of loops stay."""
    return Project(tuple(_unit(project, k, unit) for k, unit in enumerate(project.units)))


def _unit(project: Project, number: int, unit: Unit) -> Unit:
    contracts = {}
    for name, contract in unit.contracts.items():
        taken = frozenset(p.name for p in contract.parameters)
        types = {p.name: _type_of(p.declared, p.name) for p in contract.parameters}
        clauses = (_clause(project, number, c, taken, types) for c in contract.clauses)
        contracts[name] = replace(contract, clauses=tuple(clauses))
    return replace(unit, contracts=contracts)


def _type_of(declared: str, name: str) -> str:
    """The type in a plain declaration of a parameter, "" for one of another form."""
    before, found, after = declared.rpartition(name)
    return "" if not found or after.strip() else " ".join(before.replace("*", " * ").split())


def _clause(
    project: Project, unit: int, clause: Clause, taken: frozenset[str], types: Mapping[str, str]
) -> Clause:
    bound = frozenset(_BOUND.findall(clause.text))
    try:
        text = _Expansion(project, unit, taken | bound).text(clause.text, types)
    except Refused:
        return clause
    return replace(clause, text=text)


@dataclass(frozen=True)
class _Value:
    """A C expression; `is_truth` if it is 0 or 1, `type` if that is known."""

    text: str
    is_truth: bool = False
    type: str = ""


@dataclass
class _Expansion:
    """Writes out the calls in one clause, which stands in file `unit`.

    `taken` are names that mean something else in the clause than in a function.
    """

    project: Project
    unit: int
    taken: frozenset[str]
    depth: int = 0

    def text(self, text: str, types: Mapping[str, str]) -> str:
        """A text in which calls are written out; Refused if one cannot be."""
        parts, at = [], 0
        while (found := _CALL.search(text, at)) is not None:
            is_plain = (
                found[1]
                and found[1] not in self.taken
                and not _MEMBER.search(text, 0, found.start())
            )
            home = self.project.function(self.unit, found[1]) if is_plain else None
            if home is None:
                parts.append(text[at : found.end()])
                at = found.end()
                continue
            arguments, end = _arguments(text, found.end())
            values = [
                _Value(a, type=types.get(a, "")) for a in (self.text(a, types) for a in arguments)
            ]
            parts += [text[at : found.start()], self.call(home, values).text]
            at = end
        return "".join([*parts, text[at:]])

    def call(self, home: Name, arguments: Sequence[_Value]) -> _Value:
        """The value of a call."""
        unit = self.project.units[home.unit]
        node = unit.functions[home.name]
        if home.name in unit.contracts or self.depth > _MAX_DEPTH:
            raise Refused(f"{home.name} is not written out")
        parameters = _parameters(unit.text, node)
        if len(parameters) != len(arguments):
            raise Refused(f"{home.name} has other parameters")
        block, kind = node.child_by_field_name("body"), node.child_by_field_name("type")
        declarator = node.child_by_field_name("declarator")
        if block is None or kind is None or declarator is None or _is_special(node):
            raise Refused(f"{home.name} is not understood")
        if declarator.type != "function_declarator":
            raise Refused(f"{home.name} returns a pointer")
        body = _Body(self, home.unit, unit.text, unit.text.source(kind))
        for (name, of), value in zip(parameters, arguments, strict=True):
            body.bind(name, of, value)
        self.depth += 1
        found = body.returned(block.named_children)
        self.depth -= 1
        if found is None:
            raise Refused(f"{home.name} does not return")
        return found


@dataclass
class _Body:
    """The body of a function; `known` has the values of its parameters and locals."""

    expansion: _Expansion
    home: int
    source: CText
    result: str
    known: dict[str, _Value] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)

    def bind(self, name: str, of: str, value: _Value) -> None:
        """Let a parameter or local of a type have a value."""
        self.types[name] = of
        self.known[name] = _converted(of, value)

    def returned(self, statements: Sequence[Node]) -> _Value | None:
        """What statements return; None if they come to their end."""
        for k, node in enumerate(statements):
            match node.type:
                case "comment":
                    continue
                case "return_statement" if node.named_children:
                    return _converted(self.result, self._value(node.named_children[0]))
                case "declaration":
                    self._declared(node)
                case "expression_statement":
                    self._assigned(node)
                case "if_statement":
                    found = self._branch(node, statements[k + 1 :])
                    if found is not None:
                        return found
                case _:
                    raise Refused("a statement that computes no value")
        return None

    def _declared(self, node: Node) -> None:
        kind = node.child_by_field_name("type")
        declared = node.children_by_field_name("declarator")
        is_plain = len(declared) == 1 and declared[0].type == "init_declarator"
        if kind is None or not is_plain or _is_special(node):
            raise Refused("a declaration without a value")
        name, value = (declared[0].child_by_field_name(w) for w in ("declarator", "value"))
        if name is None or value is None or name.type != "identifier":
            raise Refused("a declaration that is no plain one")
        self.bind(self.source.source(name), self.source.source(kind), self._value(value))

    def _assigned(self, node: Node) -> None:
        inner = node.named_children[0] if node.named_children else node
        left, right = (inner.child_by_field_name(side) for side in ("left", "right"))
        is_plain = inner.type == "assignment_expression" and inner.children[1].type == "="
        if left is None or right is None or not is_plain or left.type != "identifier":
            raise Refused("an effect")
        name = self.source.source(left)
        if name not in self.known:
            raise Refused("an effect")
        self.bind(name, self.types[name], self._value(right))

    def _branch(self, node: Node, rest: Sequence[Node]) -> _Value | None:
        """What an `if` and the statements behind it return."""
        condition, then, other = (
            node.child_by_field_name(w) for w in ("condition", "consequence", "alternative")
        )
        if condition is None or then is None:
            raise Refused("an if that is not understood")
        test = self._value(condition).text
        others = other.named_children[:1] if other is not None else []
        branches = [self._after(part) for part in (_statements([then]), _statements(others))]
        values = [value for value, _ in branches]
        if values == [None, None]:
            (_, first), (_, second) = branches
            for name in self.known:
                if first[name] != second[name]:
                    self.known[name] = _choice(test, first[name], second[name])
            return None
        found = [v or replace(self, known=k).returned(rest) for v, k in branches]
        if found[0] is None or found[1] is None:
            raise Refused("an end without a result")
        return _choice(test, found[0], found[1])

    def _after(self, statements: Sequence[Node]) -> tuple[_Value | None, dict[str, _Value]]:
        """What statements return, and the values behind them; locals of theirs are forgotten."""
        inner = replace(self, known=dict(self.known), types=dict(self.types))
        if any(n.type == "declaration" and self._hides(n) for n in statements):
            raise Refused("a local with the name of another one")
        value = inner.returned(statements)
        return value, inner.known

    def _hides(self, node: Node) -> bool:
        return any(
            n.type == "identifier" and self.source.source(n) in self.known
            for d in node.children_by_field_name("declarator")
            if (n := d.child_by_field_name("declarator")) is not None
        )

    # -------------------------------------------------------------------------------- expressions

    def _value(self, node: Node) -> _Value:
        if node.type == "identifier":
            return self._named(self.source.source(node))
        if node.type == "call_expression":
            return self._call(node)
        if node.type == "binary_expression":
            return self._binary(node)
        if node.type == "parenthesized_expression" and len(node.named_children) == 1:
            inner = self._value(node.named_children[0])
            return replace(inner, text=f"({inner.text})")
        text = self._rebuilt(node)
        is_not = node.type == "unary_expression" and node.children[0].type == "!"
        is_truth = is_not or node.type in ("true", "false") or text in ("0", "1")
        if node.type == "conditional_expression":
            is_truth = all(self._value(n).is_truth for n in node.named_children[1:])
        return _Value(text, is_truth)

    def _binary(self, node: Node) -> _Value:
        left, right = self._value(node.named_children[0]), self._value(node.named_children[-1])
        sign = node.children[1].type
        are_truths = left.is_truth and right.is_truth
        if sign == "&" and are_truths:
            return _Value(f"({left.text} && {right.text})", True)
        return _Value(f"{left.text} {sign} {right.text}", sign in _COMPARING)

    def _call(self, node: Node) -> _Value:
        callee, given = (node.child_by_field_name(w) for w in ("function", "arguments"))
        name = self.source.source(callee) if callee is not None else ""
        arguments = [self._value(n) for n in given.named_children] if given is not None else []
        home = self.expansion.project.function(self.home, name)
        if name in self.known:
            raise Refused(f"{name} is a local")
        if home is not None:
            return self.expansion.call(home, arguments)
        if name not in _VALID:
            raise Refused(f"a call of {name} is not supported")
        return _Value(f"{name}({', '.join(a.text for a in arguments)})", True)

    def _rebuilt(self, node: Node) -> str:
        parts, at = [], node.start_byte
        for child in node.children:
            parts.append(self.source.text[at : child.start_byte].decode())
            inner = self._value(child).text if child.is_named else self.source.source(child)
            parts.append(inner)
            at = child.end_byte
        return "".join([*parts, self.source.text[at : node.end_byte].decode()])

    def _named(self, name: str) -> _Value:
        if name in self.known:
            return self.known[name]
        units = self.expansion.project.units
        is_constant = all(name in _constants(units[k]) for k in {self.home, self.expansion.unit})
        if name in self.expansion.taken or not is_constant:
            raise Refused(f"{name} may mean something else in the clause")
        return _Value(name)


def _is_special(node: Node) -> bool:
    """Whether a declaration or definition is of what is volatile or keeps its value."""
    is_local = node.type == "declaration"
    return any(
        (c.type == "storage_class_specifier" and is_local)
        or (c.type == "type_qualifier" and c.text != b"const")
        for c in node.children
    )


def _constants(unit: Unit) -> frozenset[str]:
    """The names of the constants of enumerations in a file."""
    names = (
        n.child_by_field_name("name") for n in within(unit.text.root) if n.type == "enumerator"
    )
    return frozenset(unit.text.source(name) for name in names if name is not None)


def _choice(test: str, then: _Value, otherwise: _Value) -> _Value:
    is_truth = then.is_truth and otherwise.is_truth
    return _Value(f"(({test}) ? ({then.text}) : ({otherwise.text}))", is_truth)


def _converted(of: str, value: _Value) -> _Value:
    """The value in a type: a truth value stays what it is, and so does one of the same type."""
    if len(value.text) > _MAX_CHARACTERS:
        raise Refused(f"longer than {_MAX_CHARACTERS} characters")
    of = " ".join(of.replace("*", " * ").split())
    if value.is_truth and of in _BOOLEAN:
        return _Value(f"({value.text})", True, of)
    if of == value.type:
        return replace(value, text=f"({value.text})", is_truth=of in _BOOLEAN)
    if of in _BOOLEAN:
        return _Value(f"(({value.text}) != 0)", True, of)
    is_name = of.isidentifier() and of not in _PLAIN
    cast = f"const {of}" if is_name else of  # `(T)(x)` could be a call of T
    return _Value(f"(({cast})({value.text}))", False, of)


def _statements(nodes: Sequence[Node]) -> list[Node]:
    """The statements in blocks."""
    return [n for node in nodes for n in (_inside(node))]


def _inside(node: Node) -> Iterator[Node]:
    if node.type == "compound_statement":
        yield from node.named_children
    else:
        yield node


def _parameters(text: CText, node: Node) -> list[tuple[str, str]]:
    """Names and types of the parameters of a definition; Refused for types of other forms."""
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.type != "function_declarator":
        declarator = declarator.child_by_field_name("declarator")
    given = declarator.child_by_field_name("parameters") if declarator is not None else None
    found = []
    for child in given.named_children if given is not None else ():
        inner = child.child_by_field_name("declarator")
        while inner is not None and inner.type == "pointer_declarator":
            inner = inner.child_by_field_name("declarator")
        if inner is None or inner.type != "identifier":
            raise Refused("parameters that are not plain ones")
        name = text.source(inner)
        found.append((name, _type_of(text.source(child), name)))
    return found


def _arguments(text: str, at: int) -> tuple[list[str], int]:
    """The arguments in the parentheses that were opened before `at`, and the place behind them."""
    found, depth, begin = [], 1, at
    for mark in _SKIPPED.finditer(text, at):
        depth += (mark[0] in ("(", "[")) - (mark[0] in (")", "]"))
        if depth == 0 or (depth == 1 and mark[0] == ","):
            found.append(text[begin : mark.start()].strip())
            begin = mark.end()
        if depth == 0:
            return [a for a in found if a], mark.end()
    raise Refused("parentheses that do not match")
