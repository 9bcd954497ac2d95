"""From files to a project: contracts in comments and side files become clauses in the C text.

A clause is put behind the parentheses of its function or loop before the preprocessor sees the
text.  So macros in clauses mean what they mean in the program.  One reader reads all clauses; the
line marker before a clause tells it where the clause was written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from pathlib import Path

from tree_sitter import Node

from seahorn_py.base.errors import InputError, Span
from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.csource.syntax import LOOPS, CText, within
from seahorn_py.frontend.compiling.compiler import line_marker, preprocessed, source_text
from seahorn_py.options import FrontendOptions
from seahorn_py.processes.deadline import Deadline
from seahorn_py.validation.contracts.acsl import comments
from seahorn_py.validation.contracts.model import Clause
from seahorn_py.validation.contracts.predicates import written_out
from seahorn_py.validation.contracts.project import Project, read_unit
from seahorn_py.validation.contracts.sidefile import Entry, read_side_file

_TOP = frozenset(
    {"translation_unit", "preproc_ifdef", "preproc_if", "preproc_else", "preproc_elif"}
    | {"linkage_specification", "declaration_list"}
)
_NOT_IN_CLAUSES = pattern(r'[#"`@$]|//|/\*|\?\?|%:|<%|%>|<:|:>')
_CHARACTER = pattern(r"'(?:\\\w+|\\.|[^'\\])'")


@dataclass
class _Text:
    """A file as it was written, and the clauses that are put into it, by byte."""

    path: Path
    text: CText
    clauses: dict[int, list[Clause]] = field(default_factory=dict)

    def put(self, byte: int, clauses: Sequence[Clause]) -> None:
        """Put clauses at a byte.  Raises InputError for one that is not closed in itself."""
        for clause in clauses:
            if not _is_closed(clause.text):
                raise InputError(f"{clause.place}: {clause.kind.value}: no C expression")
        self.clauses.setdefault(byte, []).extend(clauses)

    def edited(self) -> bytes:
        """The text with its clauses."""
        parts, at = [], 0
        for byte, clauses in sorted(self.clauses.items()):
            parts.append(self.text.text[at:byte])
            for clause in clauses:
                word = f"__CPROVER_{clause.kind.value}({clause.text})\n"
                marker = line_marker(clause.place.line, clause.place.file)
                parts += [b"\n", marker, word.encode("utf-8", "surrogateescape")]
            line = self.text.position(byte).line
            begin = self.text.text.rfind(b"\n", 0, byte) + 1
            parts += [line_marker(line, str(self.path)), b" " * (byte - begin)]
            at = byte
        return b"".join([*parts, self.text.text[at:]])


def _is_closed(text: str) -> bool:
    """Whether a text is on one line, has no comments or strings, and its parentheses match."""
    if not (text.isascii() and text.isprintable()) or _NOT_IN_CLAUSES.search(text):
        return False
    depth = 0
    for character in _CHARACTER.sub("0", text):
        depth += (character == "(") - (character == ")")
        if depth < 0 or character in "'":
            return False
    return depth == 0


def read_project(
    files: Sequence[Path],
    options: FrontendOptions,
    side_files: Sequence[Path],
    deadline: Deadline,
) -> Project:
    """All files with their contracts.  Raises InputError for what cannot be read."""
    texts = []
    for path in files:
        if path.suffix not in (".c", ".i"):
            raise InputError(f"{path}: contracts need C files")
        if not path.is_file() and path not in dict(options.edited):
            raise InputError(f"{path}: no such file")
        texts.append(_Text(path, CText(str(path), source_text(path, options))))
    for text in texts:
        _from_comments(text)
    for side in side_files:
        for entry in read_side_file(side):
            _from_entry(texts, entry)
    edited = tuple((text.path, text.edited()) for text in texts if text.clauses)
    options = replace(options, edited=(*options.edited, *edited))
    made = [preprocessed(path, options, deadline) for path in files]
    texts_made = enumerate(zip(files, made, strict=True))
    return written_out(Project(tuple(read_unit(k, p, text) for k, (p, text) in texts_made)))


def _from_comments(text: _Text) -> None:
    for _, end, clauses in comments(text.text.text, Span(str(text.path), 0, 0, "")):
        text.put(_behind_head(text, end, clauses[0]), clauses)


def _behind_head(text: _Text, byte: int, clause: Clause) -> int:
    """The byte behind the parentheses of the function or loop that follows a comment."""
    rest = text.text.text[byte:]
    at = byte + len(rest) - len(rest.lstrip())
    node = text.text.root.descendant_for_byte_range(at, at + 1)
    while node is not None and node.parent is not None:
        if node.start_byte == at and node.type in LOOPS:
            return _behind_loop(node, clause)
        if node.start_byte == at and node.type in ("function_definition", "declaration"):
            declarator = _function(node)
            if declarator is not None:
                return declarator.end_byte
        node = node.parent
    raise InputError(f"{clause.place}: the annotation stands before no function or loop")


def _function(node: Node) -> Node | None:
    """The declarator with the parameters, if the node declares one function and nothing else."""
    declarators = node.children_by_field_name("declarator")
    found = declarators[0] if len(declarators) == 1 else None
    while found is not None and found.type != "function_declarator":
        found = found.child_by_field_name("declarator")
    return found


def _behind_loop(loop: Node, clause: Clause) -> int:
    condition = loop.child_by_field_name("condition")
    if loop.type == "while_statement" and condition is not None:
        return condition.end_byte
    if loop.type == "for_statement":
        return next(c.end_byte for c in reversed(loop.children) if c.type == ")")
    raise InputError(f"{clause.place}: contracts of `do` loops are not supported")


def _from_entry(texts: Sequence[_Text], entry: Entry) -> None:
    """Put the clauses of a side file's entry where its function is defined, or else declared."""
    near = [t for t in texts if entry.file in ("", str(t.path), t.path.name)]
    found = [(t, n) for t in near for n in _definitions(t.text, entry.function)]
    if len(found) > 1:
        raise InputError(f"{entry.place}: {len(found)} functions are called {entry.function}")
    if not found:
        found = [(t, n) for t in near for n in _declarations(t.text, entry.function)][:1]
    if not found:
        raise InputError(f"{entry.place}: no function {entry.function} is found")
    text, node = found[0]
    declarator = _function(node)
    assert declarator is not None
    if entry.clauses:
        text.put(declarator.end_byte, entry.clauses)
    loops = [inner for inner in within(node) if inner.type in LOOPS]
    if len(entry.loops) > len(loops):
        raise InputError(f"{entry.place}: {entry.function} has only {len(loops)} loops")
    for loop, clauses in zip(loops, entry.loops, strict=False):
        if clauses:
            text.put(_behind_loop(loop, clauses[0]), clauses)


def _top(node: Node) -> Iterator[Node]:
    for child in node.children:
        if child.type in _TOP:
            yield from _top(child)
        else:
            yield child


def _definitions(text: CText, name: str) -> Iterator[Node]:
    for node in _top(text.root):
        is_it = node.type == "function_definition" and text.function_name(node) == name
        if is_it and _function(node) is not None:
            yield node


def _declarations(text: CText, name: str) -> Iterator[Node]:
    for node in _top(text.root):
        declarator = _function(node) if node.type == "declaration" else None
        inner = declarator.child_by_field_name("declarator") if declarator is not None else None
        if inner is not None and text.source(inner) == name:
            yield node
