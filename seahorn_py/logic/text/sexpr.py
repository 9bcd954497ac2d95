"""S-expressions of SMT-LIB 2.7 (section 3.1): read without recursion, each list with its line.

An atom keeps its text as it was written, so that `|5|` (a symbol) and `5` (a numeral) stay apart;
`name_of` gives the name of a symbol.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from seahorn_py.base.errors import InputError
from seahorn_py.base.patterns import pattern


class Form(NamedTuple):
    """A parenthesised list that begins at `line`."""

    items: list[Node]
    line: int


Node: TypeAlias = str | Form

_TOKEN = pattern(r"""[()\n]|\|[^|\\]*\||"(?:[^"]|"")*"|;[^\n]*|[^\s()|";]+|\S""")
_SIMPLE = pattern(r"[A-Za-z~!@$%^&*_\-+=<>.?/][A-Za-z0-9~!@$%^&*_\-+=<>.?/]*")
_KEYWORDS = frozenset(
    ("!", "_", "as", "let", "exists", "forall", "match", "par", "BINARY", "DECIMAL")
)


def read(text: str, source: str) -> list[Node]:
    """The s-expressions of a text; InputError with `source` and line when it is not well formed."""
    open_forms = [Form([], 1)]
    items = open_forms[0].items
    line = 1
    for token in _TOKEN.findall(text):
        if token == "(":
            form = Form([], line)
            items.append(form)
            open_forms.append(form)
            items = form.items
        elif token == ")":
            open_forms.pop()
            if not open_forms:
                raise InputError(f"{source}:{line}: a closing parenthesis too many")
            items = open_forms[-1].items
        elif token == "\n":
            line += 1
        elif token[0] in '|"':
            if len(token) == 1:
                raise InputError(f"{source}:{line}: no closing {token}")
            line += token.count("\n")
            items.append(token)
        elif token[0] != ";":
            items.append(token)
    if len(open_forms) > 1:
        raise InputError(f"{source}:{open_forms[-1].line}: no closing parenthesis")
    return items


def name_of(atom: str) -> str:
    """The name of a symbol, without the bars of a quoted one."""
    return atom[1:-1] if atom[0] == "|" else atom


def is_simple(name: str) -> bool:
    """Whether a name can stand as a symbol without bars."""
    return name not in _KEYWORDS and _SIMPLE.fullmatch(name) is not None


def quoted(name: str) -> str:
    """A name as a symbol; InputError for the two characters that no SMT-LIB symbol can have."""
    if is_simple(name):
        return name
    if "|" in name or "\\" in name:
        raise InputError(f"the name {name!r} cannot be written in SMT-LIB; rename it")
    return f"|{name}|"
