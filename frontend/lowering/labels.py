"""Labels as values (GNU C): `&&label` and `goto *pointer`, in LLVM text.

The address of a label becomes one in an object of its function that nothing else leads to, and an
`indirectbr` a switch over the labels whose address is taken.  A jump to anything else is undefined
behaviour: the run ends there.  How far apart labels are is not said by anybody; here it is one
byte, which the ledger says where the program makes numbers of addresses or tells their order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.llvmtext.inputs import Inputs
from seahorn_py.frontend.llvmtext.lines import DEBUG
from seahorn_py.frontend.llvmtext.module import FunctionText, ModuleText
from seahorn_py.frontend.llvmtext.tokens import NAME

_ADDRESS = pattern(rf"blockaddress\(@({NAME}), %({NAME})\)")
_JUMP = pattern(r"  indirectbr ptr (.*), \[(.*)\]")
_TARGET = pattern(rf"label %({NAME})")
_NUMBER = pattern(r"\b(?:ptrtoint|ptrtoaddr) \(?ptr |\bicmp (?:\w+ )?[us][lg][te] ptr ")
_OBJECT = "sea.labels."


class _Labels:
    """The labels whose address is taken, by function, and what stands for them."""

    def __init__(self, module: ModuleText, inputs: Inputs) -> None:
        self._inputs = inputs
        self._found: dict[str, dict[str, int]] = {}
        for text in _texts(module):
            for function, label in _ADDRESS.findall(text):
                labels = self._found.setdefault(function, {})
                labels.setdefault(label, len(labels))
            if _NUMBER.search(text):
                inputs.assume("the labels of a function lie one byte after the other")

    def objects(self) -> dict[str, str]:
        """An object for each function, with a byte a label."""
        return {
            _object(function): f"internal constant [{len(labels)} x i8] zeroinitializer, align 1"
            for function, labels in self._found.items()
        }

    def replaced(self, text: str) -> str:
        """The text with addresses in these objects."""
        return _ADDRESS.sub(lambda m: self._address(m[1], m[2]), text) if "bloc" in text else text

    def _address(self, function: str, label: str) -> str:
        number = self._found[function][label]
        base = f"@{_object(function)}"
        return f"getelementptr (i8, ptr {base}, {self._inputs.word} {number})" if number else base

    def body(self, function: FunctionText) -> list[str]:
        """The lines of a function, with switches."""
        lines: list[str] = []
        wrong: list[str] = []
        for line in function.lines:
            found = _JUMP.match(line)
            if found is None:
                lines.append(self.replaced(line))
                continue
            end = self._inputs.name()[1:]
            debug = _debug_of(line)
            lines += self._switch(function.name, self.replaced(found[1]), found[2], end, debug)
            wrong += [f"{end}:", f"  call void @sea.defined(i1 false){debug}", "  unreachable"]
        return [*lines, *wrong]

    def _switch(
        self, function: str, pointer: str, targets: str, end: str, debug: str
    ) -> Iterator[str]:
        """A number for the label that the pointer is the address of, and a switch over it.

        The switch has as many edges to each label as the jump had, since phis count them.
        """
        labels = _TARGET.findall(targets)
        chosen = "-1"
        for number, label in enumerate(labels):
            if label not in self._found.get(function, ()):
                continue
            bit, choice = self._inputs.name(), self._inputs.name()
            yield f"  {bit} = icmp eq ptr {pointer}, {self._address(function, label)}{debug}"
            yield f"  {choice} = select i1 {bit}, i32 {number}, i32 {chosen}{debug}"
            chosen = choice
        yield f"  switch i32 {chosen}, label %{end} ["
        yield from (f"    i32 {number}, label %{label}" for number, label in enumerate(labels))
        yield f"  ]{debug}"


def without_label_values(module: ModuleText, inputs: Inputs) -> ModuleText:
    """The module without addresses of labels and jumps to them."""
    if not any("  indirectbr " in text or "blockaddress(" in text for text in _texts(module)):
        return module
    labels = _Labels(module, inputs)
    objects = {name: labels.replaced(body) for name, body in module.globals.items()}
    functions = {
        name: replace(f, lines=tuple(labels.body(f))) for name, f in module.functions.items()
    }
    return replace(module, globals={**objects, **labels.objects()}, functions=functions)


def _texts(module: ModuleText) -> Iterator[str]:
    yield from module.globals.values()
    yield from (line for f in module.functions.values() for line in f.lines)


def _object(function: str) -> str:
    quoted = function[:1] == '"'
    return f'"{_OBJECT}{function[1:]}' if quoted else f"{_OBJECT}{function}"


def _debug_of(line: str) -> str:
    found = DEBUG.search(line)
    return found[0] if found else ""
