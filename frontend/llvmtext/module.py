"""An LLVM module cut into its top-level entities, still as text; one pass over the lines.

The text is as LLVM prints it (LLVM Language Reference Manual): an entity, an instruction or a debug
record a line, two spaces before an instruction, four before a debug record.  Names are as the text
has them, with the quotes of those that need some; `spoken` tells what they mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from typing import TypeVar

from seahorn_py.base.errors import InputError
from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.llvmtext.lines import argument, leading_type, result_type
from seahorn_py.frontend.llvmtext.tokens import NAME, closing, split_top, symbol_name

Entity = TypeVar("Entity")

_NAMED = pattern(rf"[%@]({NAME}) = (?:type )?")
_KIND = pattern(r"(?:\w+(?:\([^)]*\))? )*?(global|constant|alias|ifunc) ", re.ASCII)
_EXTERN = pattern(r"external (?:[\w()]+ )*?(?:global|constant) (.*)")
_HEADER = pattern(rf" @({NAME})\(")
_DEBUG = pattern(r" !dbg !(\d+)")
_GROUP = pattern(r" #\d+")
_BEFORE_TYPE = (
    "private internal available_externally linkonce weak common appending extern_weak"
    " linkonce_odr weak_odr external dso_local dso_preemptable default hidden protected"
    " dllimport dllexport"
)
_LINKAGE = frozenset(_BEFORE_TYPE.split())


@dataclass(frozen=True, slots=True)
class FunctionText:
    """A definition (`lines` is its body) or a declaration (`lines` is empty).

    `prefix` is calling convention, attributes and result type; `group` the attribute group and
    `debug` the subprogram, as text with a space in front, or "".
    """

    name: str
    prefix: str
    parameters: tuple[str, ...]
    group: str
    debug: str
    lines: tuple[str, ...] = ()

    @property
    def result(self) -> str:
        """The result type."""
        return result_type(self.prefix)

    @property
    def variadic(self) -> bool:
        """Takes further arguments, or is declared without a parameter list."""
        return self.parameters[-1:] == ("...",)

    @property
    def parameter_types(self) -> tuple[str, ...]:
        """The types of the fixed parameters."""
        return tuple(argument(p)[0] for p in self.parameters if p != "...")


@dataclass
class ModuleText:
    """The entities of a module by name without `@` or `%`, in the order of the text.

    `types`, `globals` and `aliases` hold what stands right of `=`, `metadata` the text of `!N` by
    number, `target`, `groups` and `named_metadata` whole lines.  `weak` are declared functions
    whose address may be null, `handlers` those that catch exceptions, `refused` those that cannot
    be lowered, with the reason.
    """

    target: list[str] = field(default_factory=list)
    types: dict[str, str] = field(default_factory=dict)
    globals: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    functions: dict[str, FunctionText] = field(default_factory=dict)
    declarations: dict[str, FunctionText] = field(default_factory=dict)
    groups: list[str] = field(default_factory=list)
    metadata: dict[str, str] = field(default_factory=dict)
    named_metadata: list[str] = field(default_factory=list)
    weak: set[str] = field(default_factory=set)
    handlers: set[str] = field(default_factory=set)
    refused: dict[str, str] = field(default_factory=dict)
    assembly: bool = False

    @property
    def layout(self) -> str:
        """The data layout string, "" if there is none."""
        return next((line.split('"')[1] for line in self.target if "datalayout" in line), "")

    def signature(self, name: str) -> FunctionText | None:
        """The definition of a function, else its declaration."""
        return self.functions.get(name) or self.declarations.get(name)


def extern_globals(module: ModuleText) -> dict[str, str]:
    """Globals that no file defines, with their types."""
    found: dict[str, str] = {}
    for name, body in module.globals.items():
        match = _EXTERN.match(body)
        if match:
            found[name] = leading_type(match[1])[0]
    return found


def spoken(entities: Mapping[str, Entity]) -> dict[str, Entity]:
    """The entities by what their names mean: without quotes, escapes resolved."""
    return {symbol_name(f"@{name}"): entity for name, entity in entities.items()}


def split_module(text: str) -> ModuleText:
    """Cut the text of a module into entities; InputError for a line that is none."""
    module = ModuleText()
    lines = iter(text.split("\n"))
    for line in lines:
        match line[:1]:
            case "!":
                name, _, body = line[1:].partition(" = ")
                if name.isdigit():
                    module.metadata[name] = body
                else:
                    module.named_metadata.append(line)
            case "d":
                _add_function(module, line, lines)
            case "%" | "@":
                _add_named(module, line)
            case "a":
                module.groups.append(line)
            case "t":
                module.target.append(line)
            case "m":
                module.assembly = True
            case _:
                pass
    return module


def _add_named(module: ModuleText, line: str) -> None:
    """A type, an object, or another name for one."""
    found = _NAMED.match(line)
    if found is None:
        raise InputError(f"LLVM text: not a definition: {line}")
    name, text = found[1], line[found.end() :]
    if line[0] == "%":
        module.types[name] = text
        return
    kind = _KIND.match(text)
    if kind is None:
        raise InputError(f"LLVM text: not a definition: {line}")
    (module.globals if kind[1] in ("global", "constant") else module.aliases)[name] = text


def _add_function(module: ModuleText, line: str, lines: Iterator[str]) -> None:
    function = _header(line)
    if line.startswith("declare"):
        module.declarations[function.name] = function
        if " extern_weak " in line:
            module.weak.add(function.name)
        return
    if " personality " in line:
        module.handlers.add(function.name)
    body = tuple(iter(lines.__next__, "}"))
    module.functions[function.name] = replace(function, lines=body)


def _header(line: str) -> FunctionText:
    """A function without its body."""
    found = _HEADER.search(line)
    if found is None:
        raise InputError(f"LLVM text: not a function header: {line}")
    end = closing(line, found.end() - 1)
    before = _DEBUG.sub("", line[: found.start()]).split(" ")[1:]
    prefix = " ".join(word for word in before if word not in _LINKAGE)
    group = _GROUP.search(line, end)
    debug = _DEBUG.search(line)
    return FunctionText(
        found[1],
        prefix,
        split_top(line[found.end() : end]),
        group[0] if group else "",
        debug[0] if debug else "",
    )
