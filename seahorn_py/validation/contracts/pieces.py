"""Which calls a contract may stand for, and the C files of the analysis of one function.

A contract takes the place of a call if it says all that the call may do: the function touches but
objects without pointers that its parameters lead to and variables of its own file, keeps nothing to
itself, and what it may change is named by `assigns`, or all of it may change.  A call that is not
like this is analysed as it stands: that needs no contract.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from tree_sitter import Node

from seahorn_py.csource.names import visible
from seahorn_py.csource.syntax import CText, within
from seahorn_py.frontend.compiling.compiler import line_marker
from seahorn_py.validation.contracts.compiled import TYPES_OF, Compiled, Cone
from seahorn_py.validation.contracts.frames import Frame, frame
from seahorn_py.validation.contracts.harness import (
    PROVE,
    USE,
    Checks,
    Replacing,
    Wrapped,
    at_condition,
    prototype,
    stub,
    unchecked,
    wrapper,
)
from seahorn_py.validation.contracts.model import Contract, Kind, LoopContract, Refused
from seahorn_py.validation.contracts.project import Name, Project, calls
from seahorn_py.validation.contracts.separation import NULL, Root, root
from seahorn_py.validation.contracts.targets import targets

Edit = tuple[int, int, str]


@dataclass(frozen=True)
class Usable:
    """A contract that may stand for calls; `pointers` are the positions of parameters that are.

    `variables` are those of the file that the function touches, None for any.
    """

    replacing: Replacing
    pointers: tuple[int, ...]
    variables: frozenset[str] | None


@dataclass(frozen=True)
class Piece:
    """The analysis of one function: files, their texts, the entry ("" for `main`), its checks.

    `used` are functions whose contracts stand for calls, `assumed` what the answer rests on beside
    them; `unseen` have no body, and a contract that cannot stand for a call.
    """

    texts: tuple[tuple[Path, bytes], ...]
    entry: str
    checks: Checks
    used: tuple[Contract, ...]
    assumed: tuple[str, ...]
    notes: tuple[str, ...]
    unseen: tuple[str, ...] = ()


@dataclass
class _Edits:
    """What is put into the files, by number: replacements of bytes, and code at the end."""

    edits: dict[int, list[Edit]] = field(default_factory=dict)
    ends: dict[int, list[bytes]] = field(default_factory=dict)

    def add(self, unit: int, edit: Edit) -> None:
        self.edits.setdefault(unit, []).append(edit)


class Pieces:
    """Makes the pieces of a program."""

    def __init__(self, project: Project, compiled: Compiled, depth: int) -> None:
        self.project = project
        self.compiled = compiled
        self._depth = depth
        self._usable: dict[tuple[int, str], Usable | str] = {}

    # ------------------------------------------------------------------- contracts in use

    def usable(self, contract: Contract) -> Usable | str:
        """The contract as it stands for calls, or why it cannot."""
        key = contract.unit, contract.function
        if key not in self._usable:
            try:
                self._usable[key] = self._made_usable(contract)
            except Refused as why:
                self._usable[key] = str(why)
        return self._usable[key]

    def _made_usable(self, contract: Contract) -> Usable:
        unit, name = contract.unit, contract.function
        if name in self.project.units[unit].refused:
            raise Refused(self.project.units[unit].refused[name])
        home = self.compiled.home(unit, name)
        result, kinds = self.signature(contract)
        if self.compiled.target(unit, result)[0] or not self._is_flat(unit, result):
            raise Refused("the result has pointers in it")
        pointers = tuple(k for k, kind in enumerate(kinds) if self._is_pointer(unit, kind))
        variables = None if home is None else self._variables(contract, home)
        self._check_targets(contract, variables)
        names = [contract.parameters[k].name for k in pointers]
        single = [
            contract.parameters[k].name
            for k in pointers
            if self.compiled.is_struct(unit, self.compiled.target(unit, kinds[k])[1])
        ]
        whole: list[str] = []
        if not contract.of(Kind.ASSIGNS) and variables is not None:
            if len(single) < len(names):
                raise Refused("the contract does not say what is assigned")
            whole = [*(f"(*{one})" for one in single), *sorted(variables)]
        stub_name = f"{USE}{unit}_{name}"
        replacing = Replacing(contract, stub_name, tuple(single), tuple(whole))
        stub(replacing, Checks())
        return Usable(replacing, pointers, variables)

    def signature(self, contract: Contract) -> tuple[str | None, tuple[str | None, ...]]:
        """The types of the function with a contract, in the file of the contract."""
        unit, name = contract.unit, contract.function
        is_defined = self.compiled.is_defined(unit, name)
        found = self.compiled.signature(unit, name if is_defined else f"{TYPES_OF}{name}")
        if len(found[1]) != len(contract.parameters):
            raise Refused(f"{contract.place}: the parameters are not understood")
        return found

    def _is_flat(self, unit: int, kind: str | None) -> bool:
        return kind is None or self.compiled.is_flat(unit, kind)

    def _is_pointer(self, unit: int, kind: str | None) -> bool:
        is_pointer, target = self.compiled.target(unit, kind)
        if not self._is_flat(unit, target if is_pointer else kind):
            raise Refused("a parameter leads to pointers")
        return is_pointer

    def _variables(self, contract: Contract, home: Name) -> frozenset[str]:
        """The variables that a function touches; Refused where it does more than can be said."""
        if home.unit != contract.unit:
            raise Refused("the file that defines the function does not see the contract")
        cone = self.compiled.cone(home, _nothing)
        if cone.hidden:
            raise Refused(cone.hidden[0])
        if cone.lasting:
            raise Refused(f"{cone.lasting} may leave something behind")
        for variable in cone.variables:
            if variable.unit != contract.unit:
                raise Refused(f"the variable {variable.name} lies in another file")
            if not self.compiled.is_flat(variable.unit, self.compiled.variable(variable)):
                raise Refused(f"the variable {variable.name} has pointers in it")
        names = frozenset(variable.name for variable in cone.variables)
        self._check_names(contract, names)
        return names

    def _check_names(self, contract: Contract, variables: Iterable[str]) -> None:
        """Refused where a parameter hides a variable that the function touches."""
        hidden = {p.name for p in contract.parameters}.intersection(variables)
        if hidden:
            raise Refused(f"{contract.place}: the parameter {min(hidden)} hides a variable")

    def _check_targets(self, contract: Contract, variables: frozenset[str] | None) -> None:
        copies = {parameter.name for parameter in contract.parameters}
        for clause in contract.of(Kind.ASSIGNS):
            for target in targets(clause):
                if target.root in copies or (variables is not None and target.root in variables):
                    continue
                home = self.compiled.home(contract.unit, target.root)
                if home is None or variables is None:
                    raise Refused(f"{clause.place}: assigns: {target.root} is not known here")

    # ------------------------------------------------------------------------ calls replaced

    def piece(self, name: Name, contract: Contract | None, calls_bodies: bool = False) -> Piece:
        """The analysis of a function; with `calls_bodies` contracts are checked and not used."""
        for with_parameters in (contract is not None, False):
            plan = _Plan(self, name, with_parameters)
            cone = self.compiled.cone(name, plan.replaced)
            if not with_parameters or not _calls_itself(self.compiled, name, cone, plan):
                break
        made, checks = _Edits(), Checks()
        functions = sorted(cone.functions, key=lambda f: (f.unit, f.name))
        for function in functions:
            for edit in plan.edits.get(function, ()):
                made.add(function.unit, edit)
        used = tuple(dict.fromkeys(c for f in functions for c in plan.used.get(f, ())))
        for one in used:
            usable = self.usable(one)
            assert isinstance(usable, Usable)
            keeps = calls_bodies and self.compiled.home(one.unit, one.function) is not None
            code = stub(replace(usable.replacing, calls_body=keeps), checks)
            made.ends.setdefault(one.unit, []).append(code)
        entry = ""
        if contract is not None:
            wrapped = self._wrapped(name, contract, cone, checks)
            entry = wrapped.name
            made.ends.setdefault(name.unit, []).append(wrapper(wrapped, checks))
        notes = tuple(self._loops(cone, made, checks))
        if calls_bodies and used:
            cone = self.compiled.cone(name, _nothing)
        units = sorted({*cone.units, *(one.unit for one in used), name.unit})
        texts = tuple(self._text(unit, made, cone.functions) for unit in units)
        unseen = tuple(n for n in sorted(cone.others) if self.project.contract(name.unit, n))
        assumed = () if contract is None else tuple(self._assumed(name, cone))
        assumed = (*assumed, *(f"{other} has no body" for other in unseen))
        return Piece(texts, entry, checks, used, assumed, notes, unseen)

    def probe(self, name: Name, contract: Contract, clauses: int) -> Piece:
        """The analysis that asks whether any input satisfies the first clauses required."""
        made, checks = _Edits(), Checks()
        wrapped = Wrapped(contract, f"{PROVE}{name.unit}_{name.name}", probe=clauses)
        made.ends[name.unit] = [wrapper(wrapped, checks)]
        texts = (self._text(name.unit, made, frozenset()),)
        return Piece(texts, wrapped.name, checks, (), (), ())

    def _wrapped(self, name: Name, contract: Contract, cone: Cone, checks: Checks) -> Wrapped:
        whole = self.compiled.cone(name, _nothing)
        self._check_names(contract, [variable.name for variable in whole.variables])
        found: Frame | None = None
        failing = ""
        if contract.of(Kind.ASSIGNS):
            clause = contract.of(Kind.ASSIGNS)[0]
            failing = checks.add("assigns: something else changes", clause.place)
            _, kinds = self.signature(contract)
            found = frame(contract, whole.variables, self.compiled, kinds, self._depth, failing)
        arbitrary = tuple(sorted(v.name for v in cone.variables if self._is_reachable(name, v)))
        return Wrapped(contract, f"{PROVE}{name.unit}_{name.name}", found, failing, arbitrary)

    def _is_reachable(self, name: Name, variable: Name) -> bool:
        """A variable of another file that can be made arbitrary in that of a function."""
        kind = self.compiled.variable(variable) if variable.unit != name.unit else None
        is_seen = self.compiled.mentions(name.unit, variable.name)
        return kind is not None and is_seen and self.compiled.is_flat(variable.unit, kind)

    def _assumed(self, name: Name, cone: Cone) -> Iterator[str]:
        """What nobody proves of the calls of a function, beside contracts."""
        yield from cone.hidden
        for variable in sorted(cone.variables, key=lambda v: v.name):
            if variable.unit != name.unit and not self._is_reachable(name, variable):
                yield f"{variable.name}, of another file, holds its initial value"

    def _loops(self, cone: Cone, made: _Edits, checks: Checks) -> Iterator[str]:
        for function in sorted(cone.functions, key=lambda f: (f.unit, f.name)):
            unit = self.project.units[function.unit]
            node = unit.functions.get(function.name)
            for number, loop in enumerate(unit.loops):
                if node is not None and node.start_byte <= loop.at < node.end_byte:
                    self._loop(function.unit, number, loop, made, checks)
                    yield from unchecked(loop.clauses)

    def _loop(
        self, unit: int, number: int, loop: LoopContract, made: _Edits, checks: Checks
    ) -> None:
        text = self.project.units[unit].text
        declared, code = at_condition(loop, number, checks)
        if not code:
            return
        node = text.root.descendant_for_byte_range(loop.at, loop.at + 1)
        while node is not None and node.type not in ("for_statement", "while_statement"):
            node = node.parent
        assert node is not None
        made.add(unit, (node.start_byte, node.start_byte, f"{{ {declared}"))
        made.add(unit, (node.end_byte, node.end_byte, " }"))
        condition = node.child_by_field_name("condition")
        if condition is None:
            at = _second_semicolon(node)
            made.add(unit, (at, at, f"({{ {code} 1; }})"))
            return
        inner = condition.type == "parenthesized_expression" and node.type == "while_statement"
        start, end = condition.start_byte + inner, condition.end_byte - inner
        made.add(unit, (start, start, f"({{ {code} }}), ("))
        made.add(unit, (end, end, ")"))

    def _text(self, unit: int, made: _Edits, kept: frozenset[Name]) -> tuple[Path, bytes]:
        """A file with what is put into it, and without the bodies of functions not kept."""
        found = self.project.units[unit]
        edits = list(made.edits.get(unit, ()))
        for name, node in found.functions.items():
            body = node.child_by_field_name("body")
            is_old = any(child.type == "declaration" for child in node.named_children)
            if Name(unit, name) not in kept and body is not None and not is_old:
                end = found.places.at(body.end_byte)
                marker = line_marker(end.line, end.file).decode("utf-8", "surrogateescape")
                edits = [e for e in edits if not node.start_byte <= e[0] < node.end_byte]
                edits.append((body.start_byte, body.end_byte, f";\n{marker}"))
        parts, at = [], 0
        for start, end_, code in sorted(edits, key=lambda e: (e[0], e[1])):
            parts += [found.plain[at:start], code.encode("utf-8", "surrogateescape")]
            at = end_
        text = b"".join([*parts, found.plain[at:], *made.ends.get(unit, ())])
        return found.path, text


def _second_semicolon(loop: Node) -> int:
    """Where the condition of a `for` would be that has none; a declaration ends in the first."""
    marks = [child for child in loop.children if child.type == ";"]
    first = loop.child_by_field_name("initializer")
    has_own = first is not None and first.type == "declaration"
    return marks[1 - has_own].start_byte


def _nothing(_: Name) -> frozenset[str]:
    return frozenset()


def _calls_itself(compiled: Compiled, name: Name, cone: Cone, plan: _Plan) -> bool:
    """Whether a call of the function stays one, so that its arguments may lead anywhere."""
    return any(
        compiled.home(one.unit, name.name) == name
        for one in cone.functions
        if name.name in compiled.symbols(one) - plan.replaced(one)
    )


def _declared(text: CText, before: Node, contract: Contract) -> str:
    """The declaration of a stub, of the type that the function has in this file.

    A function that is not declared before the place calls itself there, and has its contract.
    """
    name = f"{USE}{contract.unit}_{contract.function}"
    found = visible(text, contract.function, before)
    earlier = (
        text.source(n)
        for n in within(text.root)
        if n.end_byte <= before.start_byte and n.type == "identifier"
    )
    if found is not None or contract.function in earlier:
        return f"extern __typeof__({contract.function}) {name}; "
    return f"{prototype(contract, name)}; "


class _Plan:
    """Which calls are replaced in the analysis of one function."""

    def __init__(self, pieces: Pieces, analysed: Name, with_parameters: bool) -> None:
        self._pieces = pieces
        self._analysed = analysed
        self._with_parameters = with_parameters
        self.edits: dict[Name, list[Edit]] = {}
        self.used: dict[Name, list[Contract]] = {}
        self._replaced: dict[Name, frozenset[str]] = {}

    def replaced(self, name: Name) -> frozenset[str]:
        """The functions that a function does not mention once its calls have been replaced."""
        if name not in self._replaced:
            self._replaced[name] = frozenset(self._plan(name))
        return self._replaced[name]

    def _plan(self, name: Name) -> Iterator[str]:
        unit = self._pieces.project.units[name.unit]
        node = unit.functions.get(name.name)
        if node is None:
            return
        edits = self.edits.setdefault(name, [])
        used = self.used.setdefault(name, [])
        kept: dict[str, int] = {}
        for inner in within(node):
            if inner.type == "identifier":
                word = unit.text.source(inner)
                kept[word] = kept.get(word, 0) + 1
        for call in calls(unit.text, node):
            found = self._usable(name, node, call)
            callee = call.child_by_field_name("function")
            if found is None or callee is None:
                continue
            edits.append((callee.start_byte, callee.end_byte, found.replacing.name))
            used.append(found.replacing.contract)
            kept[found.replacing.contract.function] -= 1
        for contract in dict.fromkeys(used):
            edits.append((node.start_byte, node.start_byte, _declared(unit.text, node, contract)))
            if kept[contract.function] == 0:
                yield contract.function

    def _usable(self, name: Name, definition: Node, call: Node) -> Usable | None:
        """The contract that may stand for a call."""
        unit = self._pieces.project.units[name.unit]
        callee, given = (call.child_by_field_name(f) for f in ("function", "arguments"))
        if callee is None or callee.type != "identifier" or given is None:
            return None
        word = unit.text.source(callee)
        declared = visible(unit.text, word, callee)
        if declared is not None and not declared.derived.startswith("("):
            return None
        contract = self._pieces.project.contract(name.unit, word)
        usable = None if contract is None else self._pieces.usable(contract)
        if not isinstance(usable, Usable):
            return None
        arguments = [n for n in given.named_children if n.type != "comment"]
        is_fitting = len(arguments) == len(usable.replacing.contract.parameters)
        return (
            usable if is_fitting and self._are_apart(name, definition, usable, arguments) else None
        )

    def _are_apart(
        self, name: Name, definition: Node, usable: Usable, arguments: list[Node]
    ) -> bool:
        """Whether the arguments lead to different objects, none of which the function touches."""
        touched = usable.variables
        if len(usable.pointers) < 2 and touched == frozenset():
            return True
        text = self._pieces.project.units[name.unit].text
        trusted = self._with_parameters and name == self._analysed
        roots: list[Root] = []
        for position in usable.pointers:
            found = root(text, arguments[position], definition, trusted)
            if found is None or (
                found.kind == "object" and (touched is None or found.name in touched)
            ):
                return False
            roots += [found] if found != NULL else []
        return len(set(roots)) == len(roots)
