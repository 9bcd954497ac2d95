"""Calls that become calls of stubs, in the analysis of one function."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tree_sitter import Node

from seahorn_py.base.records import dataclass
from seahorn_py.csource.names import visible
from seahorn_py.csource.syntax import CText, within
from seahorn_py.validation.contracts.harness import USE, Replacing, prototype
from seahorn_py.validation.contracts.model import Contract
from seahorn_py.validation.contracts.project import Name, Project, calls
from seahorn_py.validation.contracts.separation import NULL, Root, are_own, root

Edit = tuple[int, int, str]


@dataclass(frozen=True)
class Usable:
    """A contract that may stand for calls.

    `pointers`: the positions of the parameters that are pointers.  `variables`: the variables of
    its file that the function touches; None for any.
    """

    replacing: Replacing
    pointers: tuple[int, ...]
    variables: frozenset[str] | None


Uses = Callable[[Contract], Usable | str]
"""Contract -> the contract as it stands for calls, or the reason why it cannot."""


class Plan:
    """Which calls become calls of stubs in the analysis of one function."""

    def __init__(
        self, project: Project, usable: Uses, analysed: Name, with_parameters: bool
    ) -> None:
        self._project = project
        self._uses = usable
        self._analysed = analysed
        self._with_parameters = with_parameters
        self.edits: dict[Name, list[Edit]] = {}
        self.used: dict[Name, list[Contract]] = {}
        self._replaced: dict[Name, frozenset[str]] = {}

    def replaced(self, name: Name) -> frozenset[str]:
        """The functions that a function does not mention any more once its calls are replaced."""
        if name not in self._replaced:
            self._replaced[name] = frozenset(self._plan(name))
        return self._replaced[name]

    def _plan(self, name: Name) -> Iterator[str]:
        unit = self._project.units[name.unit]
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
        """The contract that may stand for a call; None if there is none."""
        unit = self._project.units[name.unit]
        callee, given = (call.child_by_field_name(f) for f in ("function", "arguments"))
        if callee is None or callee.type != "identifier" or given is None:
            return None
        word = unit.text.source(callee)
        if _is_declared(unit.text, word, definition):
            return None
        contract = self._project.contract(name.unit, word)
        usable = None if contract is None else self._uses(contract)
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
        """Whether the arguments lead to different objects, none of them a touched variable."""
        touched = usable.variables
        if len(usable.pointers) < 2 and touched == frozenset():
            return True
        text = self._project.units[name.unit].text
        trusted = self._with_parameters and name == self._analysed
        tries_own = not trusted and touched == frozenset()
        roots: list[Root] = []
        for position in usable.pointers:
            found = root(text, arguments[position], definition, trusted or tries_own)
            if found is None or (
                found.kind == "object" and (touched is None or found.name in touched)
            ):
                return False
            roots += [found] if found != NULL else []
        if len(set(roots)) < len(roots):
            return False
        has_parameter = any(one.kind == "parameter" for one in roots)
        return trusted or not has_parameter or are_own(text, roots, definition)


def _is_declared(text: CText, name: str, definition: Node) -> bool:
    """Whether a name may mean a parameter or local of the function."""
    own = definition.child_by_field_name("declarator")
    while own is not None and own.type != "identifier":
        own = own.child_by_field_name("declarator")
    return definition.has_error or any(
        node.parent is not None
        and node != own
        and node.parent.type.endswith(("declarator", "declaration"))
        and (node.parent.type != "init_declarator" or node == node.parent.children[0])
        for node in within(definition)
        if node.type == "identifier" and text.source(node) == name
    )


def _declared(text: CText, before: Node, contract: Contract) -> str:
    """The declaration of a stub, with the type that the function has in this file.

    If the function is not declared before `before`, the call there is one by the function itself,
    and the types are those of its contract.
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
