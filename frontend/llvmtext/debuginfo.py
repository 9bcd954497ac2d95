"""C variables and places from the debug metadata of an LLVM module.

A `DILocation` chain (`scope`, `inlinedAt`; DWARF 5, 3.3.8) becomes an `Origin`, a
`DILocalVariable` with the fragment of its `DIExpression` a `Variable`.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from seahorn_py.base.errors import NOWHERE, Origin, Span
from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.llvmtext.ctypes_text import CTypes
from seahorn_py.frontend.llvmtext.metadata import Metadata, Node
from seahorn_py.ir.program import Scope, Variable

_FRAGMENT = pattern(r"DW_OP_LLVM_fragment, (\d+), (\d+)")
_PLAIN = pattern(r"!DIExpression\((?:DW_OP_LLVM_fragment, \d+, \d+|DW_OP_LLVM_tag_offset, \d+|)\)$")
_LOCATION = pattern(
    r"(?:distinct )?!DILocation\(line: (\d+)(?:, column: (\d+))?, scope: !(\d+)"
    r"(?:, inlinedAt: !(\d+))?"
)
TRAP_MESSAGE = "__clang_trap_msg"
"""Begins the name of a scope that clang makes up to carry the message of a sanitizer."""


class DebugInformation:
    """What the metadata of a module says, by node number; answers are shared objects."""

    def __init__(self, metadata: Metadata) -> None:
        self._metadata = metadata
        self.types = CTypes(metadata)
        self._origins: dict[str, Origin] = {}
        self._scopes: dict[str | None, tuple[str, str]] = {}
        self._files: dict[str | None, str] = {}
        self._variables: dict[tuple[str, str], Variable | None] = {}

    # ------------------------------------------------------------------------------- places

    def origin(self, number: str | None) -> Origin:
        """The place of a `DILocation` and the calls it was inlined through."""
        if number is None:
            return NOWHERE
        known = self._origins.get(number)
        return self._build_origin(number) if known is None else known

    def _build_origin(self, number: str) -> Origin:
        """Follow `inlinedAt` to a known location, then come back, so that chains share work."""
        path: list[tuple[str, Span | None]] = []
        current: str | None = number
        while current is not None and current not in self._origins:
            span, following = self._location(current)
            path.append((current, span))
            current = following
        outer = NOWHERE if current is None else self._origins[current]
        for name, span in reversed(path):
            outer = Origin((span, *outer.chain)) if span else outer
            self._origins[name] = outer
        return outer

    def _location(self, number: str) -> tuple[Span | None, str | None]:
        """The place of a `DILocation` itself, and where it was inlined.

        There is no place for locations that are made up to carry the message of a sanitizer.
        """
        found = _LOCATION.match(self._metadata.text(number))
        if found is None:
            return None, None
        line, column, scope, inlined_at = found.groups()
        file, function = self._scope(scope)
        if function.startswith(TRAP_MESSAGE):
            return None, inlined_at
        return Span(file, int(line), int(column or 0), function), inlined_at

    def _scope(self, number: str | None) -> tuple[str, str]:
        """File and function of a lexical scope."""
        known = self._scopes.get(number)
        if known is not None:
            return known
        node = self._metadata.node(number)
        file = self._file(node.reference("file"))
        while node.kind in ("DILexicalBlock", "DILexicalBlockFile"):
            node = self._metadata.node(node.reference("scope"))
        function = node.string("name") if node.kind == "DISubprogram" else ""
        self._scopes[number] = (file, function)
        return file, function

    def _file(self, number: str | None) -> str:
        """A file as the user named it; below its directory only if it cannot be found else."""
        known = self._files.get(number)
        if known is None:
            node = self._metadata.node(number)
            known, directory = node.path("filename"), node.path("directory")
            if known and directory and not os.path.isabs(known) and not os.path.exists(known):
                joined = str(Path(directory) / known)
                known = joined if os.path.exists(joined) else known
            self._files[number] = known
        return known

    def subprogram(self, number: str | None) -> Origin:
        """The place of a function definition."""
        return self._declaration(self._metadata.node(number))

    def _declaration(self, node: Node) -> Origin:
        if not node.kind:
            return NOWHERE
        function = node.string("name") if node.kind == "DISubprogram" else ""
        return Origin((Span(self._file(node.reference("file")), node.number("line"), 0, function),))

    # ---------------------------------------------------------------------------- variables

    def local(self, number: str, expression: str) -> Variable | None:
        """The local variable or parameter, or the part of it, that a debug record is about.

        None if the record is about no nameable part.
        """
        key = (number, expression)
        if key not in self._variables:
            self._variables[key] = self._build_local(number, expression)
        return self._variables[key]

    def _build_local(self, number: str, expression: str) -> Variable | None:
        node = self._metadata.node(number)
        name = node.string("name")
        if not name:
            return None
        kind, path = node.reference("type"), ""
        fragment = _FRAGMENT.search(expression)
        if fragment is not None:
            part = self.types.part_at(kind, int(fragment[1]), int(fragment[2]))
            if part is None:
                return None
            kind, path = part.type, part.path
        scope = Scope.PARAMETER if node.number("arg") else Scope.LOCAL
        scope = Scope.RESULT if name.endswith("()") else scope
        function = self._scope(node.reference("scope"))[1]
        span = Span(self._file(node.reference("file")), node.number("line"), 0, function)
        return self._variable(name, kind, scope, span, path)

    def _variable(
        self, name: str, kind: str | None, scope: Scope, span: Span, path: str
    ) -> Variable:
        return Variable(name, self.types.text(kind), self.types.signed(kind), scope, span, path)

    def address_of(self, variable: Variable) -> Variable:
        """The name `&x` for the place of a variable in memory; the type stays that of `x`."""
        return replace(variable, name=f"&{variable.name}")

    def globals_by_offset(self, number: str | None) -> tuple[dict[int, Variable], Origin]:
        """The variable of a `DIGlobalVariableExpression` and its members; its declaration."""
        node = self._metadata.node(self._metadata.node(number).reference("var"))
        name, kind = node.string("name"), node.reference("type")
        origin = self._declaration(node)
        if not name or not origin.chain:
            return {}, origin
        span = origin.chain[0]
        whole = {0: self._variable(name, kind, Scope.GLOBAL, span, "")}
        members = {
            m.offset: self._variable(name, m.type, Scope.GLOBAL, span, m.path)
            for m in self.types.scalars(kind)
        }
        return members or whole, origin


def is_plain(expression: str) -> bool:
    """Whether a `DIExpression` takes the value as it is, perhaps as a fragment."""
    return _PLAIN.match(expression) is not None
