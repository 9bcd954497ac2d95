"""The models of the C library, linked with the programs that need them.

A model is the C meaning of a function, under `models/`.  Those that a program refers to, does not
define and declares with the type they have become part of it before anything else is done, so that
proof, interpreter and native run see the same code.  A function that the program declares with
another type is not the library's.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import field

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.compiling.exacttext import NAMES, NUMBERS
from seahorn_py.frontend.compiling.support import (
    LIBC,
    exact_modules,
    homes,
    libc_modules,
    model_homes,
    model_modules,
)
from seahorn_py.frontend.library.contracts import plain_name
from seahorn_py.frontend.llvmtext.lines import argument, references
from seahorn_py.frontend.llvmtext.module import FunctionText, ModuleText, split_module
from seahorn_py.frontend.llvmtext.tokens import NAME, split_top
from seahorn_py.frontend.lowering.library.endings import AT_EXIT, DESTRUCTORS
from seahorn_py.frontend.lowering.library.libcalls import REWRITTEN, rewritten
from seahorn_py.frontend.lowering.library.other_models import other_modules
from seahorn_py.options import FrontendOptions, Libc, Property

_OUTSIDE = pattern(rf"^(?:declare [^@\n]*@({NAME})\(|@({NAME}) = external )", re.MULTILINE)
_STATIC = pattern(rf"^define internal [^@\n]*@({NAME})\(", re.MULTILINE)
_NODE = pattern(r"!(\d+)\b")
_DECIDING = "memory.ll"
_RESIZING = pattern(r"@realloc(?![\w.$-])")
_RESIZED = "sea.checked.realloc"
_ERRNO = "@__errno_location("
_TOLD = "sea.told."
_MAY_TELL = pattern(
    r"^declare (?:[^@\n]* )?(?P<type>\w+) @(?P<name>(?:sqrt|fmod)[fl]?)\((?P<types>[^()\n]*)\)",
    re.M,
)
_FLOATS = {"": "double", "f": "float", "l": "x86_fp80"}
_USED = "sea.uses."
_NO_DEADLOCK = "__sea_no_deadlock"
_SHORT_LINES = "__sea_line_length"
_LINE_LENGTH = "sea.line.length"
_USES = pattern(rf"@{re.escape(_USED)}([\w.]+)\(")
_TO_SOME_BYTES = pattern(r" call [^@]*@realloc\(.*, i\d+ (?:noundef )?[1-9]\d*\)")


@dataclass(frozen=True)
class Library:
    """Modules of the library by their names, and in which of them each function or object is."""

    texts: Mapping[str, str]
    homes: Mapping[str, str]


_NO_LIBRARY = Library({}, {})


def library(texts: Iterable[str], options: FrontendOptions) -> Library:
    """What these modules may need of the library; ChildError where it cannot be compiled."""
    outside = {name for text in texts for name in _names(_OUTSIDE, text)}
    public = REWRITTEN | model_homes(options.bits).keys()
    others = other_modules(options.library_models, options.bits)
    ends = any(f"@{DESTRUCTORS} = " in text for text in texts)
    if not ends and outside.isdisjoint(public | _names_in_libc() | _homes(others).keys()):
        return _NO_LIBRARY
    found = _library(options.bits)
    of_libc = outside & _names_in_libc()
    if of_libc and options.libc is not Libc.MODELS:
        found = _with(found, _texts("libc/", libc_modules(options.bits, of_libc)))
    if options.libc is Libc.REAL:
        found = _with(found, _exact(options.bits))
    return _with(found, others)


def _with(whole: Library, texts: Mapping[str, str]) -> Library:
    """With further modules, whose functions win."""
    return Library({**whole.texts, **texts}, {**whole.homes, **_homes(texts)})


def _texts(folder: str, modules: Mapping[str, bytes]) -> dict[str, str]:
    return {folder + file: content.decode() for file, content in modules.items()}


def exact(module: ModuleText, library: Library) -> tuple[str, ...]:
    """The exact functions that a linked module has from the library, of which there are sources."""
    names = (NAMES | NUMBERS) & module.functions.keys() & library.homes.keys()
    return tuple(sorted(names))


@functools.cache
def _exact(bits: int) -> Mapping[str, str]:
    return _texts("exact/", exact_modules(bits))


@functools.cache
def _names_in_libc() -> frozenset[str]:
    """The names that lead to the sources of a real library."""
    return frozenset(name for names in LIBC.values() for name in names.split())


@functools.cache
def _library(bits: int) -> Library:
    """The whole library of models."""
    return Library(_texts("", model_modules(bits)), model_homes(bits))


def _homes(texts: Mapping[str, str]) -> dict[str, str]:
    return homes({file: text.encode() for file, text in texts.items()})


def modelled(name: str, bits: int = 64) -> bool:
    """Whether the library has a function of that name."""
    is_modelled = name in REWRITTEN or name in model_homes(bits)
    return is_modelled or plain_name(name) in _names_in_libc()


def with_models(program: str, library: Library, options: FrontendOptions) -> list[str]:
    """The module of a program, and modules with what it needs of the library."""
    if not library.texts:
        return [program]
    program = _told(_checked_resizing(rewritten(program, options)))
    taking = _Taking(split_module(program), library, options)
    taking.take_all()
    texts = taking.texts()
    return [program, *texts, _uses(program, texts, options)]


def _uses(program: str, models: Iterable[str], options: FrontendOptions) -> str:
    """A module that tells models which other functions the program refers to, and what is asked."""
    asked = sorted({name for text in models for name in _USES.findall(text)})
    referred = set(references(program)) if asked else set()
    if options.wants(Property.NO_DEADLOCK):
        referred.add(_NO_DEADLOCK)
    if options.line_length:
        referred.add(_SHORT_LINES)
    return _line_length(models, options) + "".join(
        f"define i1 @{_USED}{names}() alwaysinline {{\n"
        f"  ret i1 {str(not referred.isdisjoint(names.split('.'))).lower()}\n}}\n"
        for names in asked
    )


def _line_length(models: Iterable[str], options: FrontendOptions) -> str:
    """What tells models the greatest length of a line; "" where none asks."""
    if not any(f"@{_LINE_LENGTH}(" in text for text in models):
        return ""
    kind, most = f"i{options.bits}", options.line_length
    return f"define {kind} @{_LINE_LENGTH}() alwaysinline {{\n  ret {kind} {most}\n}}\n"


def _checked_resizing(program: str) -> str:
    """The program with the model of `realloc` where the size may be 0; every stage has the rest."""
    declared = re.search(r"^declare [^@\n]*@realloc\((.*)\)", program, re.MULTILINE)
    types = [argument(text)[0] for text in split_top(declared[1])] if declared else []
    if len(types) != 2 or types[0] != "ptr":
        return program
    lines = [
        line if line.startswith("declare ") or _TO_SOME_BYTES.search(line) else _resized(line)
        for line in program.split("\n")
    ]
    return "\n".join([*lines, f"declare ptr @{_RESIZED}({', '.join(types)})", ""])


def _told(program: str) -> str:
    """The program with models of operations on floats that may set errno, if it looks at that."""
    declared = [found for found in _MAY_TELL.finditer(program) if _of_floats(found)]
    if _ERRNO not in program or not declared:
        return program
    names = "|".join(found["name"] for found in declared)
    calls = re.compile(rf"(?<!declare )(\bcall [^@\n]*@)({names})(?=\()")
    models = (
        f"declare {found['type']} @{_TOLD}{found['name']}({found['types']})" for found in declared
    )
    return "\n".join([calls.sub(rf"\1{_TOLD}\2", program), *models, ""])


def _of_floats(declared: re.Match[str]) -> bool:
    """Whether a function is declared with the types that the library has."""
    kind = _FLOATS[declared["name"][4:]]
    count = 1 if declared["name"].startswith("sqrt") else 2
    types = [argument(text)[0] for text in split_top(declared["types"])]
    return declared["type"] == kind and types == [kind] * count


def _resized(line: str) -> str:
    return _RESIZING.sub(f"@{_RESIZED}", line)


class _Taking:
    """What one program takes of the library."""

    def __init__(self, user: ModuleText, library: Library, options: FrontendOptions) -> None:
        self._user = user
        self._library = library
        self._options = options
        self._homes = library.homes
        self._parts: dict[str, _Part] = {}

    def take_all(self) -> None:
        """Take what the program refers to, and what that refers to in turn."""
        waiting = [n for n in _undefined(self._user) if n in self._homes and self._is_meant(n)]
        plain = set(self._plain_ends(waiting))
        waiting = [name for name in waiting if name not in plain]
        if self._has_last_acts(waiting):
            waiting.append(AT_EXIT)
        while waiting:
            name = waiting.pop()
            waiting.extend(
                needed
                for needed in self._part(name).take(name)
                if needed in self._homes and not _defines(self._user, needed)
            )

    def _has_last_acts(self, called: Container[str]) -> bool:
        """Whether something may run when `main` has returned."""
        return "atexit" in called or DESTRUCTORS in self._user.globals

    def _plain_ends(self, called: Container[str]) -> Iterator[str]:
        """The functions that only end the run, since nothing is registered for it."""
        if not self._has_last_acts(called):
            yield "exit"
        if "at_quick_exit" not in called:
            yield "quick_exit"

    def texts(self) -> list[str]:
        """A module of what was taken, for each module of the library."""
        return [part.text() for part in self._parts.values() if part.taken]

    def _part(self, name: str) -> _Part:
        file = self._homes[name]
        if file not in self._parts:
            text = self._library.texts[file]
            # Calls inside of the library are rewritten too, but for those that decide what fails.
            if self._options.malloc_may_fail and file != _DECIDING:
                text = rewritten(text, self._options, self._user.functions)
            self._parts[file] = _Part(split_module(text), frozenset(_STATIC.findall(text)))
        return self._parts[file]

    def _is_meant(self, name: str) -> bool:
        """Whether a name that the program does not define means what the library has under it."""
        model = self._part(name).module.functions.get(name)
        declared = self._user.declarations.get(name)
        if model is None or declared is None:
            return model is None and declared is None
        if declared.parameters == ("...",):
            return declared.result == model.result
        types = (declared.result, declared.parameter_types, declared.variadic)
        return types == (model.result, model.parameter_types, model.variadic)


def _names(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    """What either group of the pattern finds."""
    return (function or other for function, other in pattern.findall(text))


def _undefined(user: ModuleText) -> Iterator[str]:
    yield from user.declarations
    yield from (name for name, body in user.globals.items() if body.startswith("external "))


def _defines(user: ModuleText, name: str) -> bool:
    body = user.globals.get(name)
    return name in user.functions or (body is not None and not body.startswith("external "))


@dataclass
class _Part:
    """One module of the library, and what a program takes of it."""

    module: ModuleText
    static: frozenset[str]
    taken: dict[str, None] = field(default_factory=dict)

    def take(self, name: str) -> list[str]:
        """Take a function or object with what it refers to here; returns what is elsewhere."""
        elsewhere: list[str] = []
        waiting = [name]
        while waiting:
            current = waiting.pop()
            if current in self.taken:
                continue
            function = self.module.functions.get(current)
            body = self.module.globals.get(current, "external ")
            if function is None and body.startswith("external "):
                elsewhere.append(current)
                continue
            self.taken[current] = None
            lines = function.lines if function else (body,)
            waiting.extend(found for line in lines for found in references(line))
        return elsewhere

    def text(self) -> str:
        """A module of what was taken."""
        module = self.module
        functions = [f for name, f in module.functions.items() if name in self.taken]
        objects = {name: body for name, body in module.globals.items() if name in self.taken}
        lines = list(module.target)
        lines += (f"%{name} = type {body}" for name, body in module.types.items())
        lines += (f"@{name} = {body}" for name, body in objects.items())
        mentioned = {name for f in functions for line in f.lines for name in references(line)}
        lines += (
            f"@{name} = {body}"
            for name, body in module.globals.items()
            if name in mentioned and name not in self.taken
        )
        for function in functions:
            lines += self._definition(function)
        lines += self._declarations(mentioned)
        lines += module.groups
        lines += _debug_metadata(module)
        lines += _metadata(module, lines)
        return "\n".join(lines) + "\n"

    def _definition(self, function: FunctionText) -> list[str]:
        linkage = "internal " if function.name in self.static else ""
        header = f"define {linkage}{_signature(function)}{function.group}{function.debug} {{"
        return [header, *function.lines, "}"]

    def _declarations(self, mentioned: Container[str]) -> Iterator[str]:
        for name, function in self.module.declarations.items():
            if name in mentioned:
                yield f"declare{function.debug} {_signature(function)}{function.group}"


def _signature(function: FunctionText) -> str:
    return f"{function.prefix} @{function.name}({', '.join(function.parameters)})"


def _debug_metadata(module: ModuleText) -> list[str]:
    """Compile units, and the one flag that says which version of LLVM wrote them."""
    units = [line for line in module.named_metadata if line.startswith("!llvm.dbg.cu")]
    version = next(n for n, body in module.metadata.items() if "Debug Info Version" in body)
    return [*units, f"!llvm.module.flags = !{{!{version}}}"]


def _metadata(module: ModuleText, lines: Iterable[str]) -> list[str]:
    """The metadata that lines refer to, directly or not."""
    found: dict[str, str] = {}
    waiting = [number for line in lines for number in _NODE.findall(line)]
    while waiting:
        number = waiting.pop()
        if number not in found:
            found[number] = f"!{number} = {module.metadata[number]}"
            waiting.extend(_NODE.findall(module.metadata[number]))
    return list(found.values())
