"""An LLVM module cut into its top-level entities, still as text; one pass over the lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from seahorn_py.errors import InputError
from seahorn_py.frontend.llvmtext.tokens import symbol_name

_NAMED = re.compile(r'([%@](?:"[^"]*"|[-\w$.]+)) = (.*)', re.ASCII)
_FUNCTION = re.compile(r'(?:define|declare) .*?(@(?:"[^"]*"|[-\w$.]+))\(', re.ASCII)
_KIND = re.compile(r"(?:\w+(?:\([^)]*\))? )*?(global|constant|alias|ifunc) ", re.ASCII)
_LABEL = re.compile(r'("[^"]*"|[-\w$.]+):', re.ASCII)
_TARGET = re.compile(r'label %("[^"]*"|[-\w$.]+)', re.ASCII)


@dataclass(frozen=True, slots=True)
class FunctionText:
    """A definition: its header line and the lines of its body."""

    name: str
    header: str
    lines: tuple[str, ...]


@dataclass
class ModuleText:
    """The entities of a module by name.

    `globals` and `aliases` hold what stands right of `=`, `metadata` the text of `!N` by number.
    """

    layout: str = ""
    types: dict[str, str] = field(default_factory=dict)
    globals: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    functions: dict[str, FunctionText] = field(default_factory=dict)
    metadata: dict[str, str] = field(default_factory=dict)


def split_module(text: str) -> ModuleText:
    """Cut a module's text into entities."""
    module = ModuleText()
    lines = iter(text.splitlines())
    for line in lines:
        match line[:1]:
            case "!":
                name, _, body = line.partition(" = ")
                module.metadata[name[1:]] = body
            case "d":
                _add_function(module, line, lines)
            case "%" | "@":
                _add_named(module, line)
            case "t" if line.startswith("target datalayout"):
                module.layout = line.split('"')[1]
            case _:
                pass
    return module


def _add_function(module: ModuleText, line: str, lines: Iterator[str]) -> None:
    found = _FUNCTION.match(line)
    if found is None:
        raise InputError(f"LLVM text: not a function header: {line}")
    name = symbol_name(found[1])
    if line.startswith("declare"):
        return
    body: list[str] = []
    for inner in lines:
        if inner == "}":
            break
        body.append(inner)
    module.functions[name] = FunctionText(name, line, tuple(body))


def _add_named(module: ModuleText, line: str) -> None:
    found = _NAMED.match(line)
    if found is None:
        raise InputError(f"LLVM text: not a definition: {line}")
    name, text = symbol_name(found[1]), found[2]
    if line[0] == "%":
        module.types[name] = text.removeprefix("type ")
        return
    kind = _KIND.match(text)
    if kind is None:
        raise InputError(f"LLVM text: not a definition: {line}")
    (module.globals if kind[1] in ("global", "constant") else module.aliases)[name] = text


@dataclass(frozen=True, slots=True)
class BlockText:
    """A basic block: its label, its lines (the last is the terminator), and its successors."""

    label: str
    lines: tuple[str, ...]
    successors: tuple[str, ...]


def split_blocks(lines: tuple[str, ...], entry: str) -> dict[str, BlockText]:
    """Cut a body into blocks; `entry` is the label of the first if it is not written."""
    blocks: dict[str, BlockText] = {}
    label, body = entry, list[str]()
    switch: list[str] = []
    for line in lines:
        if switch or (line.startswith("  switch ") and "]" not in line):
            switch.append(line)
            if line.startswith("  ]"):
                body.append("".join(switch))
                switch = []
        elif line.startswith("  "):
            body.append(line)
        elif found := _LABEL.match(line):
            if body:
                blocks[label] = _block(label, body)
            label, body = found[1], []
    if body:
        blocks[label] = _block(label, body)
    return blocks


def _block(label: str, body: list[str]) -> BlockText:
    terminator = body[-1]
    if "label %" not in terminator:
        return BlockText(label, tuple(body), ())
    targets = dict.fromkeys(_TARGET.findall(terminator))
    return BlockText(label, tuple(body), tuple(targets))


def reverse_postorder(blocks: dict[str, BlockText]) -> list[BlockText]:
    """The blocks that the first one reaches, definitions before their uses (loops apart)."""
    entry = next(iter(blocks))
    order: list[str] = []
    seen = {entry}
    stack = [(entry, iter(reversed(blocks[entry].successors)))]
    while stack:
        label, rest = stack[-1]
        following = next((s for s in rest if s not in seen), None)
        if following is None:
            order.append(label)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(reversed(blocks[following].successors))))
    return [blocks[label] for label in reversed(order)]
