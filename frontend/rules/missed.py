"""What a rule may miss: hidden events, values that stand elsewhere than in C, blocked runs.

The address of a function or global may be used by what gives other objects their first values, and
a function may have another name in the module than in C.  A structure that is an argument or a
result is handed over in several values, or through a pointer that C does not know.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.llvmtext.lines import SYMBOL
from seahorn_py.frontend.llvmtext.metadata import Metadata
from seahorn_py.frontend.llvmtext.module import FunctionText, ModuleText
from seahorn_py.frontend.llvmtext.tokens import NAME
from seahorn_py.frontend.rules.automaton import Automaton, Rule, When, matching
from seahorn_py.frontend.rules.monitor import Hook

_NUMBER = pattern(r"!(\d+)")
_INTERNAL = pattern(rf"^define internal [^@\n]*@({NAME})\(", re.MULTILINE)
_RESULT_BY_POINTER = pattern(r"ptr .*\bsret\(")
_CALLS = (When.ENTER, When.RETURN)
_BLOCKS = "__VERIFIER_assume"


def unbuilt(rules: Iterable[Rule]) -> tuple[str, ...]:
    """Flags for clang, which else computes calls of the C library by itself or renames them."""
    names = {
        transition.event.name
        for rule in rules
        for automaton in rule.automata
        for transition in automaton.transitions
        if transition.event.when in _CALLS
    }
    if any(not name.isidentifier() for name in names):
        return ("-fno-builtin",)
    return tuple(f"-fno-builtin-{name}" for name in sorted(names))


def blocked(rule: Rule, automaton: Automaton, hooks: Iterable[Hook]) -> Iterator[str]:
    """What a rule assumes of a program: runs that it blocks are not looked at further."""
    for hook in hooks:
        for transition in matching(automaton, hook.when, hook.name):
            if transition.blocks or any(_BLOCKS in action for action in transition.actions):
                what = f"{hook.when.value} of {hook.name}" if hook.name else hook.when.value
                yield f"no run comes to a block of the rule {rule.name}: {what}"


def internal(text: str) -> frozenset[str]:
    """The functions of a module that other modules do not see."""
    return frozenset(_INTERNAL.findall(text))


def in_first_values(text: str) -> Iterator[str]:
    """The names whose addresses other objects hold at first, or that have a second name."""
    for line in text.split("\n"):
        if line.startswith("@") and not line.startswith("@llvm."):
            yield from SYMBOL.findall(line)[1:]


def renamed(parts: ModuleText) -> Iterator[tuple[str, str]]:
    """The functions that C knows by another name, and that name."""
    metadata = Metadata(parts.metadata)
    for name, function in (*parts.declarations.items(), *parts.functions.items()):
        number = _NUMBER.search(function.debug)
        in_c = metadata.node(number[1]).string("name") if number else ""
        if in_c not in ("", name):
            yield name, in_c


def own_arguments(texts: Sequence[str]) -> Sequence[str]:
    """The arguments or parameters without the one that says where a result is put."""
    return texts[1:] if texts and _RESULT_BY_POINTER.match(texts[0]) else texts


def is_shifted(parts: ModuleText, function: FunctionText | None) -> bool:
    """Whether arguments may stand at other positions than in C, since structures are cut."""
    number = _NUMBER.search(function.debug) if function is not None else None
    if function is None or number is None:
        return False
    metadata = Metadata(parts.metadata)
    types = metadata.elements(metadata.follow(number[1], "type").reference("types"))[1:]
    given = [text for text in own_arguments(function.parameters) if text != "..."]
    if not types or types == [None]:
        return False
    wanted = [kind for kind in types if kind is not None]
    return len(given) != len(wanted) or any(_is_empty(metadata, kind) for kind in wanted)


def _is_empty(metadata: Metadata, kind: str) -> bool:
    """Whether a type is a structure without members, which is no value at all."""
    node = metadata.node(kind)
    while node.reference("baseType") is not None and node.kind == "DIDerivedType":
        if node.fields.get("tag") == "DW_TAG_pointer_type":
            return False
        node = metadata.node(node.reference("baseType"))
    return node.kind == "DICompositeType" and not node.number("size")
