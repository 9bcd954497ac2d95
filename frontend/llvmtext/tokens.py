"""Tokens of LLVM assembly lines: a cursor over them, and cuts that keep the text as it is.

LLVM prints one instruction per line, so a line is the unit of reading and one regular expression
splits it (LLVM Language Reference Manual, "Identifiers" and "Constants").  What is rewritten is cut
along its brackets and commas instead; InputError where brackets do not match.
"""

from __future__ import annotations

import re

from seahorn_py.base.errors import InputError
from seahorn_py.base.patterns import pattern
from seahorn_py.ir.program import BinaryOp, CastOp

NAME = r'(?:[-\w.$]+|"[^"]*")'
"""The name of a symbol, register or label as it is written, for regular expressions."""

_TOKEN = pattern(
    rf"[%@]{NAME}"  # %name, @name, %"any name"
    r"""
    |   c?"[^"]*"                     # string
    |   !(?:"[^"]*"|[\w.]*)           # !dbg, !12, !DIExpression
    |   [-+]?\d+\.\d*(?:e[-+]?\d+)?   # decimal float
    |   0x[KHLMR]?[0-9A-Fa-f]+        # float by its bits
    |   [-+]?(?:\d+|inf\b|nan\b|qnan\b)
    |   \.\.\.
    |   [A-Za-z_$][\w.]*              # word
    |   \#\d+                         # attribute group
    |   \[(?:i\d+|float|double)[ ][^][(){}<>"@%]*\]   # constant array of numbers
    |   [()\[\]{}<>,=*:|]
    """,
    re.VERBOSE | re.ASCII,
)

_OPENING = frozenset("([{<")
_CLOSING = frozenset(")]}>")
_PARENTHESIS = pattern(r'[()]|"[^"]*"')
_BRACKET = pattern(r'[()\[\]{}<>,]|"[^"]*"')
END = ""

VALUE_WORDS = frozenset(
    (
        *("true", "false", "null", "none", "zeroinitializer", "splat", "undef", "poison"),
        *("blockaddress", "dso_local_equivalent", "no_cfi", "asm", "ptrauth"),
        *("getelementptr", "addrspacecast", "ptrtoaddr"),
        *(operation.value for operation in (*BinaryOp, *CastOp)),
    )
)
"""The words that a value may begin with; others before a value are its attributes."""


def tokens_of(line: str) -> list[str]:
    """The tokens of a line."""
    return _TOKEN.findall(line)


class Cursor:
    """A position in the tokens of a line; at its end stands `END`, which cannot be passed."""

    __slots__ = ("position", "tokens")

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.tokens.append(END)
        self.position = 0

    @classmethod
    def of(cls, line: str) -> Cursor:
        """A cursor at the start of a line."""
        return cls(_TOKEN.findall(line))

    @property
    def text(self) -> str:
        """The whole line, for messages."""
        return " ".join(self.tokens).strip()

    @property
    def passed(self) -> str:
        """The token consumed last."""
        return self.tokens[self.position - 1]

    def peek(self) -> str:
        """The next token, not consumed."""
        return self.tokens[self.position]

    def next(self) -> str:
        """The next token, consumed."""
        token = self.tokens[self.position]
        if token:
            self.position += 1
        return token

    def accept(self, token: str) -> bool:
        """Consume the next token if it is `token`."""
        if self.tokens[self.position] == token:
            self.position += 1
            return True
        return False

    def expect(self, token: str) -> None:
        """Consume `token`; raise `InputError` if something else stands there."""
        found = self.tokens[self.position]
        if found != token:
            raise InputError(f"LLVM text: expected {token!r}, found {found!r} in: {self.text}")
        self.position += 1

    def integer(self) -> int:
        """Consume an integer literal."""
        token = self.next()
        try:
            return int(token)
        except ValueError:
            raise InputError(f"LLVM text: expected a number in: {self.text}") from None

    def skip_balanced(self) -> None:
        """Consume a bracketed group; the cursor stands on its opening bracket."""
        depth = 0
        while True:
            token = self.next()
            if token in _OPENING:
                depth += 1
            elif token in _CLOSING:
                depth -= 1
            elif token == END:
                raise InputError(f"LLVM text: unbalanced brackets in: {self.text}")
            if depth == 0:
                return

    def skip_attribute(self) -> None:
        """Consume one attribute: `noundef`, `align 4`, `range(i32 0, 5)`, `"key"="value"`."""
        word = self.next()
        if word in ("align", "cc", "alignstack") and self.peek().isdigit():
            self.next()
        elif self.peek() == "(":
            self.skip_balanced()
        elif word.startswith('"') and self.accept("="):
            self.next()


def closing(text: str, start: int) -> int:
    """The position of the parenthesis that closes the one at `start`."""
    depth = 0
    for found in _PARENTHESIS.finditer(text, start):
        match found[0]:
            case "(":
                depth += 1
            case ")":
                depth -= 1
        if depth == 0:
            return found.start()
    raise InputError(f"LLVM text: unbalanced brackets in: {text}")


def bracketed(text: str) -> int:
    """The end of the group whose opening bracket the text begins with."""
    depth = 0
    for found in _BRACKET.finditer(text):
        depth += (found[0] in _OPENING) - (found[0] in _CLOSING)
        if depth == 0:
            return found.end()
    raise InputError(f"LLVM text: unbalanced brackets in: {text}")


def split_top(text: str) -> tuple[str, ...]:
    """The parts between commas that are in no brackets."""
    if not text:
        return ()
    parts: list[str] = []
    depth, start = 0, 0
    for found in _BRACKET.finditer(text):
        token = found[0]
        if token == "," and depth == 0:
            parts.append(text[start : found.start()].strip())
            start = found.end()
        elif token in _OPENING:
            depth += 1
        elif token in _CLOSING:
            depth -= 1
    return (*parts, text[start:].strip())


def symbol_name(token: str) -> str:
    """The name behind `@name` or `@"any name"`, with escapes resolved."""
    return unescaped(token[2:-1]) if token.startswith(('@"', '%"')) else token[1:]


def local_name(token: str) -> str:
    r"""The register or label behind `%name`.

    A name that needs quotes keeps them: it differs from every plain name (`%"1"` from `%1`) and
    from the names that the reader makes.
    """
    return token[1:]


_ESCAPE = pattern(r"\\([0-9A-Fa-f]{2}|\\)")


def string_bytes(token: str) -> bytes:
    r"""The bytes of a string constant `c"..."` as LLVM prints it: `\\` and `\22` are one byte."""
    text = token[2:-1].replace("\\\\", "\\5C").replace("\\", "\\x")
    try:
        return text.encode("latin-1").decode("unicode_escape").encode("latin-1")
    except UnicodeError:
        return unescaped(token[2:-1]).encode("latin-1", "replace")


def unescaped(text: str) -> str:
    r"""The characters of a string literal whose odd ones are written `\22`; bytes as Latin-1."""
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda m: "\\" if m[1] == "\\" else chr(int(m[1], 16)), text)
