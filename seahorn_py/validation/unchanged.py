"""Whether code can be put at its places in a C text without changing the program around it.

The syntax tree of a text that was not preprocessed is a guess: a statement below a directive, or a
label before a declaration, may not be what it looks like.  So the text is compiled with an empty
statement wherever code is to stand.  The result must be the same as without these statements.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from seahorn_py.base.errors import InputError
from seahorn_py.base.patterns import pattern
from seahorn_py.csource.syntax import CText
from seahorn_py.frontend.compiling.compiler import compile_files
from seahorn_py.options import FrontendOptions
from seahorn_py.processes.deadline import Deadline

Edited = tuple[tuple[Path, bytes], ...]

_ATTACHED = pattern(r",? ![\w.]+ !\d+")
_NO_CODE = pattern(r"!|; ModuleID|source_filename|\s*#dbg_|$")


def unchanged(
    files: Sequence[Path],
    texts: Sequence[CText],
    bare: Edited,
    options: FrontendOptions,
    deadline: Deadline,
) -> bool:
    """Whether the `bare` texts, those with empty statements, compile to the same code.

    Raises InputError if the program itself does not compile.
    """
    if [content for _, content in bare] == [text.text for text in texts]:
        return True
    plain = compile_files(files, options, deadline)
    try:
        made = compile_files(files, replace(options, edited=bare), deadline)
    except InputError:
        return False
    return all(
        list(_code(one)) == list(_code(other)) for one, other in zip(plain, made, strict=True)
    )


def _code(module: str) -> Iterator[str]:
    """The lines of a module that are code: no comments and no debug records."""
    for line in module.splitlines():
        if not _NO_CODE.match(line):
            yield _ATTACHED.sub("", line)
