"""Which calls a contract may stand for, and the C files of the analysis of one function.

A contract stands for a call if it says all that the call may do:

- The function touches only variables of its own file, and objects that its parameters lead to.
  None of these has pointers in it.
- The function keeps no state that clauses cannot speak of.
- The clause `assigns` names what the call may change; without it, all that it touches may change.

Any other call is analysed as it stands, with the body of the function, which needs no contract.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field, replace
from functools import partial
from pathlib import Path

from tree_sitter import Node

from seahorn_py.base.records import dataclass
from seahorn_py.csource.syntax import is_pure, place_of_condition
from seahorn_py.frontend.compiling.compiler import line_marker
from seahorn_py.validation.contracts.compiled import TYPES_OF, Compiled, Cone
from seahorn_py.validation.contracts.frames import Frame, frame
from seahorn_py.validation.contracts.harness import (
    PROVE,
    USE,
    Checks,
    Replacing,
    Wrapped,
    formulas,
    stub,
    wrapper,
)
from seahorn_py.validation.contracts.loop_checks import at_condition, at_cut, unchecked
from seahorn_py.validation.contracts.loop_cuts import written
from seahorn_py.validation.contracts.model import Contract, Kind, LoopContract, Refused
from seahorn_py.validation.contracts.project import Name, Project
from seahorn_py.validation.contracts.replaced import Edit, Plan, Usable
from seahorn_py.validation.contracts.targets import targets


@dataclass(frozen=True)
class Piece:
    """The analysis of one function: files with their texts, the entry ("" for `main`), the checks.

    `used`: contracts that stand for calls.  `assumed`: what the answer rests on beside them.
    `notes`: what is not checked.  `unseen`: functions without a body, with a contract that cannot
    stand for a call.  If it `is_cut`, one round stands for all rounds of some loop.
    """

    texts: tuple[tuple[Path, bytes], ...]
    entry: str
    checks: Checks
    used: tuple[Contract, ...]
    assumed: tuple[str, ...]
    notes: tuple[str, ...]
    unseen: tuple[str, ...] = ()
    is_cut: bool = False


@dataclass
class Edits:
    """Edits of the files, by number: replacements of bytes, and code at the end."""

    edits: dict[int, list[Edit]] = field(default_factory=dict)
    ends: dict[int, list[bytes]] = field(default_factory=dict)

    def add(self, unit: int, edit: Edit) -> None:
        """Add an edit of the file of this number."""
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
        """The contract as it stands for calls, or the reason why it cannot."""
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
        """The types of the parameters of the function, as the file of the contract has them."""
        unit, name = contract.unit, contract.function
        is_defined = self.compiled.is_defined(unit, name)
        if not is_defined and self.project.function(unit, name) is not None:
            raise Refused("the file that defines the function does not see the contract")
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
        """The variables that a function touches.

        Raises Refused if it does more than a contract can say.
        """
        if home.unit != contract.unit:
            raise Refused("the file that defines the function does not see the contract")
        cone = self.compiled.cone(home, _nothing)
        if cone.hidden:
            raise Refused(cone.hidden[0])
        if cone.lasting:
            raise Refused(f"{cone.lasting} may leave something behind")
        variables = cone.variables | self.named(contract)
        for variable in variables:
            if variable.unit != contract.unit:
                raise Refused(f"the variable {variable.name} lies in another file")
            if not self.compiled.is_flat(variable.unit, self.compiled.variable(variable)):
                raise Refused(f"the variable {variable.name} has pointers in it")
        names = frozenset(variable.name for variable in variables)
        self._check_names(contract, names)
        return names

    def named(self, contract: Contract) -> frozenset[Name]:
        """The global variables that clauses mention; a change of them changes what clauses mean."""
        words = {
            word
            for kind in (Kind.REQUIRES, Kind.ENSURES)
            for one in formulas(contract, kind)
            for word in one.names.difference(p.name for p in contract.parameters)
        }
        homes = (self.compiled.home(contract.unit, word) for word in words)
        return frozenset(home for home in homes if home and self.compiled.is_variable(home))

    def _check_names(self, contract: Contract, variables: Iterable[str]) -> None:
        """Raises Refused if a parameter hides a variable that the function touches."""
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

    # --------------------------------------------------------------- contracts at calls of a run

    def frame_at_calls(self, name: Name, contract: Contract, failing: str) -> Frame:
        """The frame of a function that is called from anywhere, with any arguments."""
        touched = self.compiled.cone(name, _nothing).variables | self.named(contract)
        own = frozenset(variable for variable in touched if variable.unit == name.unit)
        _, kinds = self.signature(contract)
        return frame(contract, own, self.compiled, kinds, self._depth, failing, by_address=True)

    def all_that_changes(self, contract: Contract) -> tuple[str, ...]:
        """C text for what a call may change that says nothing of it: variables and arguments."""
        unit, (_, kinds) = contract.unit, self.signature(contract)
        parameters = zip(contract.parameters, kinds, strict=True)
        pointers = (f"(*{p.name})" for p, kind in parameters if self._may_change(unit, kind))
        return *pointers, *self.touched_at_calls(contract)

    def touched_at_calls(self, contract: Contract) -> tuple[str, ...]:
        """The variables of its file that a function touches, or that its contract names."""
        home = self.compiled.home(contract.unit, contract.function)
        variables = self.named(contract)
        if home is not None:
            variables |= self.compiled.cone(home, _nothing).variables
        return tuple(sorted(v.name for v in variables if v.unit == contract.unit))

    def _may_change(self, unit: int, kind: str | None) -> bool:
        is_pointer, target = self.compiled.target(unit, kind)
        return is_pointer and target is not None and not self.compiled.is_function(unit, kind)

    # ------------------------------------------------------------------------ calls replaced

    def piece(
        self,
        name: Name,
        contract: Contract | None,
        calls_bodies: bool = False,
        cuts: bool = False,
    ) -> Piece:
        """The analysis of a function; with `calls_bodies`, calls are checked but stay calls.

        If it `cuts`, one round stands for all rounds of loops, where that can be.
        """
        plan, cone = self._planned(name, contract)
        functions = sorted(cone.functions, key=lambda f: (f.unit, f.name))
        made, checks = Edits(), Checks()
        for function in functions:
            for edit in plan.edits.get(function, ()):
                made.add(function.unit, edit)
        used = tuple(dict.fromkeys(c for f in functions for c in plan.used.get(f, ())))
        self._stubs(used, calls_bodies, made, checks)
        entry, assumed = "", tuple[str, ...]()
        if contract is not None:
            whole = self.compiled.cone(name, _nothing)
            touched = whole.variables.union(*map(self.named, (contract, *used)))
            wrapped = self._wrapped(name, contract, touched, checks)
            entry, assumed = wrapped.name, tuple(self._assumed(name, cone, touched))
            if contract.of(Kind.ASSIGNS):
                kept = (f"{n}, which no file defines, is not changed" for n in whole.foreign)
                assumed = (*assumed, *sorted(kept))
            made.ends.setdefault(name.unit, []).append(wrapper(wrapped, checks))
        loops = list(self._loops(cone))
        notes = tuple(note for _, _, loop in loops for note in unchecked(loop.clauses))
        cut = [self._loop(*one, made, checks, cuts) for one in loops]
        unseen = tuple(n for n in sorted(cone.others) if self.project.contract(name.unit, n))
        assumed = (*assumed, *(f"{other} has no body" for other in unseen))
        if calls_bodies and used:
            cone = self.compiled.cone(name, _nothing)
        units = sorted({*cone.units, *(one.unit for one in used), name.unit})
        texts = tuple(self.text(unit, made, cone.functions) for unit in units)
        used = tuple(one for one in used if not calls_bodies or self._home(one) is None)
        return Piece(texts, entry, checks, used, assumed, notes, unseen, any(cut))

    def _planned(self, name: Name, contract: Contract | None) -> tuple[Plan, Cone]:
        """The plan that replaces calls of a function, and the cone that is left."""
        plan = Plan(self.project, self.usable, name, contract is not None)
        cone = self.compiled.cone(name, plan.replaced)
        if contract is not None and self.compiled.calls_itself(name, cone, plan.replaced):
            plan = Plan(self.project, self.usable, name, False)
            cone = self.compiled.cone(name, plan.replaced)
        return plan, cone

    def _stubs(
        self, used: tuple[Contract, ...], calls_bodies: bool, made: Edits, checks: Checks
    ) -> None:
        for one in used:
            usable = self.usable(one)
            assert isinstance(usable, Usable)
            keeps = calls_bodies and self._home(one) is not None
            code = stub(replace(usable.replacing, calls_body=keeps), checks)
            made.ends.setdefault(one.unit, []).append(code)

    def _home(self, contract: Contract) -> Name | None:
        return self.compiled.home(contract.unit, contract.function)

    def probe(self, name: Name, contract: Contract, clauses: int) -> Piece:
        """The analysis that asks whether some input satisfies the first required clauses."""
        made, checks = Edits(), Checks()
        wrapped = Wrapped(contract, f"{PROVE}{name.unit}_{name.name}", probe=clauses)
        made.ends[name.unit] = [wrapper(wrapped, checks)]
        texts = (self.text(name.unit, made, frozenset()),)
        return Piece(texts, wrapped.name, checks, (), (), ())

    def _wrapped(
        self, name: Name, contract: Contract, touched: frozenset[Name], checks: Checks
    ) -> Wrapped:
        self._check_names(contract, [variable.name for variable in touched])
        found: Frame | None = None
        failing = ""
        if contract.of(Kind.ASSIGNS):
            clause = contract.of(Kind.ASSIGNS)[0]
            failing = checks.add("assigns: something else changes", clause.place)
            _, kinds = self.signature(contract)
            found = frame(contract, touched, self.compiled, kinds, self._depth, failing)
        arbitrary = tuple(sorted(v.name for v in touched if self._is_reachable(name, v)))
        return Wrapped(contract, f"{PROVE}{name.unit}_{name.name}", found, failing, arbitrary)

    def _is_reachable(self, name: Name, variable: Name) -> bool:
        """Whether the file of a function can make a variable of another file arbitrary."""
        kind = self.compiled.variable(variable) if variable.unit != name.unit else None
        is_seen = self.compiled.home(name.unit, variable.name) == variable
        is_seen &= self.compiled.mentions(name.unit, variable.name)
        return kind is not None and is_seen and self.compiled.is_flat(variable.unit, kind)

    def _assumed(self, name: Name, cone: Cone, touched: frozenset[Name]) -> Iterator[str]:
        """What is assumed about the calls of a function, beside contracts."""
        yield from cone.hidden
        for variable in sorted(touched, key=lambda v: v.name):
            if variable.unit != name.unit and not self._is_reachable(name, variable):
                yield f"{variable.name}, of another file, holds its initial value"

    def _loops(self, cone: Cone) -> Iterator[tuple[int, int, LoopContract]]:
        """The loops with clauses: the number of the file, that of the loop, and the clauses."""
        for function in sorted(cone.functions, key=lambda f: (f.unit, f.name)):
            unit = self.project.units[function.unit]
            node = unit.functions.get(function.name)
            for number, loop in enumerate(unit.loops):
                if node is not None and node.start_byte <= loop.at < node.end_byte:
                    yield function.unit, number, loop

    def _loop(
        self, unit: int, number: int, loop: LoopContract, made: Edits, checks: Checks, cuts: bool
    ) -> bool:
        """Put the clauses of a loop into its text; gives whether it is cut."""
        text = self.project.units[unit].text
        node = text.root.descendant_for_byte_range(loop.at, loop.at + 1)
        while node is not None and node.type not in ("for_statement", "while_statement"):
            node = node.parent
        assert node is not None
        condition = node.child_by_field_name("condition")
        has_any = any(one.kind is Kind.INVARIANT for one in loop.clauses)
        cut = (
            written(text, node, partial(self.compiled.is_harmless, unit))
            if cuts and has_any
            else None
        )
        told = "1" if condition is None else text.source(condition)
        if cut is not None:
            declared, code = at_cut(loop, number, checks, cut, told)
        else:
            is_silent = condition is None or is_pure(condition)
            declared, code = at_condition(loop, number, checks, told if is_silent else None)
        if code:
            made.add(unit, (node.start_byte, node.start_byte, f"{{ {declared}"))
            made.add(unit, (node.end_byte, node.end_byte, " }"))
            self._at_condition(unit, node, code, made, checks)
        return cut is not None

    def _at_condition(self, unit: int, node: Node, code: str, made: Edits, checks: Checks) -> None:
        """Put code before the condition of a loop."""
        condition = node.child_by_field_name("condition")
        if condition is None:
            at = place_of_condition(node)
            assert at is not None
            checks.heads.append(self.project.units[unit].places.at(at))
            made.add(unit, (at, at, f"({{ {code} 1; }})"))
            return
        inner = condition.type == "parenthesized_expression" and node.type == "while_statement"
        start, end = condition.start_byte + inner, condition.end_byte - inner
        checks.heads.append(self.project.units[unit].places.at(start))
        made.add(unit, (start, start, f"({{ {code} }}), ("))
        made.add(unit, (end, end, ")"))

    def text(self, unit: int, made: Edits, kept: frozenset[Name]) -> tuple[Path, bytes]:
        """A file with its edits, and without the bodies of functions that are not `kept`."""
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


def _nothing(_: Name) -> frozenset[str]:
    return frozenset()
