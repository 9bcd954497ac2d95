"""The models of the C library, linked with the programs that need them.

A model is the C meaning of a function, under `models/`.  Those that a program refers to, does not
define and declares with the type they have become part of it before anything else is done, so that
proof, interpreter and native run see the same code.  A function that the program declares with
another type is not the library's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from seahorn_py.frontend.irtext import NAME, FunctionText, ModuleText, references, split_module
from seahorn_py.frontend.libcalls import rewritten
from seahorn_py.frontend.support import model_modules
from seahorn_py.options import FrontendOptions

_DECLARED = re.compile(rf"^declare [^@\n]*@({NAME})\(", re.MULTILINE)
_EXTERNAL = re.compile(rf"^@({NAME}) = external ", re.MULTILINE)
_STATIC = re.compile(rf"^define internal [^@\n]*@({NAME})\(", re.MULTILINE)
_NEVER = ("llvm.", "__VERIFIER_")
_DECIDING = "@sea.failing.malloc("


def library(texts: Iterable[str], bits: int) -> tuple[str, ...]:
    """The modules of the library if these modules may need any; ChildError without a compiler."""
    if not any(map(_may_need, texts)):
        return ()
    return tuple(content.decode() for content in model_modules(bits).values())


def _may_need(text: str) -> bool:
    """Whether a module mentions anything that could be a function or object of the library."""
    names = (name for pattern in (_DECLARED, _EXTERNAL) for name in pattern.findall(text))
    return any(not name.startswith(_NEVER) for name in names)


def with_models(program: str, library: Sequence[str], options: FrontendOptions) -> list[str]:
    """The module of a program, and modules with what it needs of the library."""
    if not library:
        return [program]
    program = rewritten(program, options)
    user = split_module(program)
    # Calls inside of the library are rewritten too, but for those that decide what may fail.
    texts = [t if _DECIDING in t else rewritten(t, options, user.functions) for t in library]
    parts = [_Part(split_module(text), frozenset(_STATIC.findall(text))) for text in texts]
    homes = {name: part for part in parts for name in part.public}
    waiting = [name for name in _undefined(user) if _is_library(user, homes, name)]
    while waiting:
        name = waiting.pop()
        for needed in homes[name].take(name):
            if needed in homes and not _defines(user, needed):
                waiting.append(needed)
    return [program, *(part.text() for part in parts if part.taken)]


def _undefined(user: ModuleText) -> Iterator[str]:
    yield from user.declarations
    yield from (name for name, body in user.globals.items() if body.startswith("external "))


def _defines(user: ModuleText, name: str) -> bool:
    body = user.globals.get(name)
    return name in user.functions or (body is not None and not body.startswith("external "))


def _is_library(user: ModuleText, homes: dict[str, _Part], name: str) -> bool:
    """Whether a name that the program does not define means what the library has under it."""
    if name not in homes:
        return False
    model = homes[name].module.functions.get(name)
    declared = user.declarations.get(name)
    if model is None or declared is None:
        return model is None and declared is None
    if declared.parameters == ("...",):
        return declared.result == model.result
    types = (declared.result, declared.parameter_types, declared.variadic)
    return types == (model.result, model.parameter_types, model.variadic)


@dataclass
class _Part:
    """One module of the library, and what a program takes of it."""

    module: ModuleText
    static: frozenset[str]
    taken: dict[str, None] = field(default_factory=dict)

    @property
    def public(self) -> list[str]:
        """What other modules may refer to."""
        objects = (
            name
            for name, body in self.module.globals.items()
            if not body.startswith(("internal ", "private ", "external "))
        )
        return [*(f for f in self.module.functions if f not in self.static), *objects]

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
        for function in functions:
            lines += self._definition(function)
        lines += self._declarations(functions)
        lines += module.groups
        lines += _debug_metadata(module)
        lines += (f"!{number} = {body}" for number, body in module.metadata.items())
        return "\n".join(lines) + "\n"

    def _definition(self, function: FunctionText) -> list[str]:
        linkage = "internal " if function.name in self.static else ""
        header = f"define {linkage}{_signature(function)}{function.group}{function.debug} {{"
        return [header, *function.lines, "}"]

    def _declarations(self, functions: Iterable[FunctionText]) -> Iterator[str]:
        mentioned = {name for f in functions for line in f.lines for name in references(line)}
        for name, function in self.module.declarations.items():
            if name in mentioned:
                yield f"declare{function.debug} {_signature(function)}{function.group}"


def _signature(function: FunctionText) -> str:
    return f"{function.prefix} @{function.name}({', '.join(function.parameters)})"


def _debug_metadata(module: ModuleText) -> list[str]:
    """Compile units, and of the flags only that they are of the version of this LLVM."""
    units = [line for line in module.named_metadata if line.startswith("!llvm.dbg.cu")]
    version = next(n for n, body in module.metadata.items() if "Debug Info Version" in body)
    return [*units, f"!llvm.module.flags = !{{!{version}}}"]
