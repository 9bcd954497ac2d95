"""LLVM text as lowering rewrites it: a module in entities, calls and arguments in parts.

Only text that LLVM itself printed is read here: one instruction per line, two spaces before an
instruction, four before a debug record (LLVM Language Reference Manual).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

NAME = r'(?:[-\w.$]+|"[^"]*")'
SYMBOL = re.compile(rf"@({NAME})")
_PARENTHESIS = re.compile(r'[()]|"[^"]*"')
_TOP = re.compile(r'[()\[\]{}<>,]|"[^"]*"')
_HEADER = re.compile(rf" @({NAME})\(")
_CALL = re.compile(rf" +(?:(%{NAME}) = )?(?:(?:tail|musttail|notail) )?call (.*)")
_DEBUG = re.compile(r" ?,? !dbg !(\d+)")
_TYPE_WORD = re.compile(
    r"(?:i\d+|void|float|double|ptr|half|bfloat|x86_fp80|fp128|metadata|label)\b"
)
_NAMED_TYPE = re.compile(rf"%{NAME}")
_STRING = r'"[^"]*"(?:="[^"]*")?'
_WORD = re.compile(rf"[\w.]+|{_STRING}")
_ATTRIBUTE = re.compile(rf"[a-z_]\w*(?=[ (]|$)|{_STRING}(?= )")
_CLOSERS = {"{": "}", "[": "]", "<": ">"}
_VALUE_WORDS = (
    "true false null undef poison zeroinitializer none getelementptr ptrtoint inttoptr bitcast"
    " trunc addrspacecast ptrtoaddr add sub xor blockaddress dso_local_equivalent no_cfi splat asm"
)
_VALUE_WORD = frozenset(_VALUE_WORDS.split())
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
    """The entities of a module; `globals` and `functions` by name without `@`.

    `weak` are declared functions whose address may be null, `handlers` those that catch exceptions.
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
    assembly: bool = False

    @property
    def layout(self) -> str:
        """The data layout string."""
        return next(line.split('"')[1] for line in self.target if "datalayout" in line)

    def signature(self, name: str) -> FunctionText | None:
        """The definition of a function, else its declaration."""
        return self.functions.get(name) or self.declarations.get(name)


@dataclass(frozen=True, slots=True)
class CallText:
    """A direct call.  `debug` is `, !dbg !N` or ""; `tail` what follows the arguments before it.

    `exact` tells that the call names its function type, as variadic and old-style calls do.
    """

    result: str | None
    prefix: str
    callee: str
    arguments: tuple[str, ...]
    tail: str
    debug: str

    @property
    def type(self) -> str:
        """The type of the result."""
        return result_type(self.prefix)


def split_module(text: str) -> ModuleText:
    """Cut the text of a module into entities."""
    module = ModuleText()
    lines = iter(text.split("\n"))
    for line in lines:
        match line[:1]:
            case "!":
                _add_metadata(module, line)
            case "d":
                _add_function(module, line, lines)
            case "@":
                _add_global(module, line)
            case "%":
                name, _, body = line.partition(" = type ")
                module.types[name[1:]] = body
            case "a":
                module.groups.append(line)
            case "t":
                module.target.append(line)
            case "m":
                module.assembly = True
            case _:
                pass
    return module


def _add_metadata(module: ModuleText, line: str) -> None:
    name, _, body = line.partition(" = ")
    if name[1:].isdigit():
        module.metadata[name[1:]] = body
    else:
        module.named_metadata.append(line)


def _add_global(module: ModuleText, line: str) -> None:
    name, _, body = line.partition(" = ")
    kind = body.partition('"')[0].split(" ")
    known = module.aliases if "alias" in kind or "ifunc" in kind else module.globals
    known[name[1:]] = body


def _add_function(module: ModuleText, line: str, lines: Iterator[str]) -> None:
    header = _read_header(line)
    if line.startswith("declare"):
        module.declarations[header.name] = header
        if " extern_weak " in line:
            module.weak.add(header.name)
        return
    if " personality " in line:
        module.handlers.add(header.name)
    body: list[str] = []
    for inner in lines:
        if inner == "}":
            break
        body.append(inner)
    module.functions[header.name] = FunctionText(
        header.name, header.prefix, header.parameters, header.group, header.debug, tuple(body)
    )


def _read_header(line: str) -> FunctionText:
    found = _HEADER.search(line)
    assert found is not None, line
    end = closing(line, found.end() - 1)
    before = _DEBUG.sub("", line[: found.start()]).split(" ")[1:]
    prefix = " ".join(word for word in before if word not in _LINKAGE)
    group = re.search(r" #\d+", line[end:])
    debug = _DEBUG.search(line)
    return FunctionText(
        found[1],
        prefix,
        split_top(line[found.end() : end]),
        group[0] if group else "",
        f" !dbg !{debug[1]}" if debug else "",
    )


def read_call(line: str) -> CallText | None:
    """The parts of a direct call; None for another instruction or an indirect call."""
    found = _CALL.match(line)
    if found is None:
        return None
    rest = found[2]
    callee = _HEADER.search(rest)
    if callee is None or _is_argument(rest, callee.start()):
        return None
    end = closing(rest, callee.end() - 1)
    after = rest[end + 1 :]
    debug = _DEBUG.search(after)
    return CallText(
        found[1],
        rest[: callee.start()],
        callee[1],
        split_top(rest[callee.end() : end]),
        after[: debug.start()] if debug else after,
        f", !dbg !{debug[1]}" if debug else "",
    )


def _is_argument(text: str, at: int) -> bool:
    """Whether a position lies inside parentheses, as a symbol among arguments does."""
    before = text[:at]
    return before.count("(") != before.count(")")


def closing(text: str, start: int) -> int:
    """The position of the parenthesis that closes the one at `start`."""
    depth = 0
    for found in _PARENTHESIS.finditer(text, start):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if depth == 0:
            return found.start()
    raise ValueError(text)


def split_top(text: str) -> tuple[str, ...]:
    """The parts between commas that are in no brackets."""
    if not text:
        return ()
    parts: list[str] = []
    depth, start = 0, 0
    for found in _TOP.finditer(text):
        if found[0] == "," and depth == 0:
            parts.append(text[start : found.start()].strip())
            start = found.end()
        elif found[0] in "([{<":
            depth += 1
        elif found[0] in ")]}>":
            depth -= 1
    return (*parts, text[start:].strip())


def leading_type(text: str) -> tuple[str, str]:
    """A type at the start of the text, and the text behind it."""
    if text[:1] in _CLOSERS:
        depth = 0
        for found in _TOP.finditer(text):
            depth += (found[0] in "([{<") - (found[0] in ")]}>")
            if depth == 0:
                return text[: found.end()], text[found.end() :].lstrip()
    found_name = _TYPE_WORD.match(text) or _NAMED_TYPE.match(text)
    if found_name is None:
        raise ValueError(f"no type: {text}")
    return found_name[0], text[found_name.end() :].lstrip()


def result_type(prefix: str) -> str:
    """The result type in the text between `call` or `define` and the callee's name."""
    while prefix[:1] not in _CLOSERS and not _TYPE_WORD.match(prefix) and prefix[:1] != "%":
        prefix = _skip_word(prefix)
    return leading_type(prefix)[0]


def argument(text: str) -> tuple[str, str]:
    """Type and value of an argument or parameter; attributes are left out."""
    kind, rest = leading_type(text)
    word = _ATTRIBUTE.match(rest)
    while word is not None and word[0] not in _VALUE_WORD:
        rest = _skip_word(rest)
        word = _ATTRIBUTE.match(rest)
    return kind, rest


def _skip_word(text: str) -> str:
    word = _WORD.match(text)
    if word is None:
        raise ValueError(f"no type: {text}")
    rest = text[word.end() :]
    if rest.startswith("("):
        return rest[closing(rest, 0) + 1 :].lstrip()
    rest = rest.lstrip()
    if word[0] == "align":
        return rest.partition(" ")[2]
    return rest


def references(line: str) -> list[str]:
    """The names of all symbols in a line."""
    return SYMBOL.findall(line) if "@" in line else []


def plain(line: str) -> str:
    """The line without what lets passes assume that pointers stay in their object."""
    if " = getelementptr " not in line:
        return line
    head, _, tail = line.partition(" = getelementptr ")
    while tail.startswith(("inbounds ", "nuw ", "nusw ")):
        tail = tail.partition(" ")[2]
    return f"{head} = getelementptr {tail}"
