"""Lines of LLVM text in parts that keep their text, as lowering rewrites them: calls, arguments."""

from __future__ import annotations

from seahorn_py.base.errors import UnsupportedError
from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.llvmtext.tokens import NAME, VALUE_WORDS, bracketed, closing, split_top

SYMBOL = pattern(rf"@({NAME})")
REGISTER = pattern(rf"%{NAME}")
LABEL = pattern(rf"({NAME}):")
TARGET = pattern(rf"label %({NAME})")
DEFINITION = pattern(rf"define [^@]*@({NAME})\(.*?(?: !dbg !(?P<subprogram>\d+))?[^!]*\{{$")
"""The first line of a function: its name, and its `subprogram` if it has debug information."""
DEBUG = pattern(r", !dbg !\d+")
"""What attaches a place to a line; debug records and headers have it in another form."""

_CALLEE = pattern(rf" @({NAME})\(")
_CALL = pattern(rf" +(?:(%{NAME}) = )?(?:(?:tail|musttail|notail) )?call (.*)")
_PLACE = pattern(r" ?,? !dbg !(\d+)")
_TYPE_WORD = pattern(r"(?:i\d+|void|float|double|ptr|half|bfloat|x86_fp80|fp128|metadata|label)\b")
_STRING = r'"[^"]*"(?:="[^"]*")?'
_WORD = pattern(rf"[\w.]+|{_STRING}")
_ATTRIBUTE = pattern(rf"[a-z_]\w*(?=[ (]|$)|{_STRING}(?= )")
_OPENING = ("{", "[", "<")


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


def read_call(line: str) -> CallText | None:
    """The parts of a direct call; None for another instruction or an indirect call."""
    found = _CALL.match(line)
    if found is None:
        return None
    rest = found[2]
    callee = _CALLEE.search(rest)
    if callee is None or _is_argument(rest, callee.start()):
        return None
    end = closing(rest, callee.end() - 1)
    after = rest[end + 1 :]
    debug = _PLACE.search(after)
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


def leading_type(text: str) -> tuple[str, str]:
    """A type at the start of the text, and the text behind it."""
    if text[:1] in _OPENING:
        end = bracketed(text)
    else:
        found = _TYPE_WORD.match(text) or REGISTER.match(text)
        if found is None:
            raise UnsupportedError(f"LLVM text: no type that is known in: {text}")
        end = found.end()
    return text[:end], text[end:].lstrip()


def result_type(prefix: str) -> str:
    """The result type in the text between `call` or `define` and the callee's name."""
    while prefix[:1] not in (*_OPENING, "%") and not _TYPE_WORD.match(prefix):
        prefix = _behind_word(prefix)
    return leading_type(prefix)[0]


def argument(text: str) -> tuple[str, str]:
    """Type and value of an argument or parameter; attributes are left out."""
    kind, rest = leading_type(text)
    word = _ATTRIBUTE.match(rest)
    while word is not None and word[0] not in VALUE_WORDS:
        rest = _behind_word(rest)
        word = _ATTRIBUTE.match(rest)
    return kind, rest


def _behind_word(text: str) -> str:
    """The text behind an attribute."""
    word = _WORD.match(text)
    if word is None:
        raise UnsupportedError(f"LLVM text: no type that is known in: {text}")
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
