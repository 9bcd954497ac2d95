"""What CBMC reads and C does not, apart from calls (`events.vocabulary`).

Quantifiers over bounded ranges become loops, uninterpreted functions are declared before they are
used, and comparisons of numbers of objects become calls.  A quantifier is
`__CPROVER_forall { T i; (a <= i && i < b) ==> c }`, or the same of `__CPROVER_exists`, with `&& c`
in the place of `==> c`.  It becomes an expression of GNU C on the same lines that evaluates `c` for
each number of the range, which is exact since `c` has no effect.  Bounds may be `<` or `<=`, also
the other way round.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from seahorn_py.base.patterns import pattern

CBMC_MACROS = (
    "-D__CPROVER_size_t=__SIZE_TYPE__",
    "-D__CPROVER_bool=_Bool",
    "-D__ESBMC_contract=",
    *(
        f"-D__CPROVER_overflow_{name}(a,b)="
        f"({{__typeof__((a){sign}(b))sea_o;__builtin_{what}_overflow(a,b,&sea_o);}})"
        for name, sign, what in (("plus", "+", "add"), ("minus", "-", "sub"), ("mult", "*", "mul"))
    ),
)
"""Types that CBMC knows, whether a sum, difference or product leaves its type, and a mark of ESBMC
at functions with a contract, which their clauses tell anyway."""

_BEGIN = pattern(rb"\b__CPROVER_(forall|exists)\s*\{")
_UNINTERPRETED = pattern(rb"\b__CPROVER_uninterpreted_\w+")
_OWN_DECLARATION = rb"^[A-Za-z_][\w \t*]*\b%s\s*\([^;{}()=]*\)\s*;"
_NO_CODE = pattern(rb"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
_DECLARATION = pattern(rb"\s*([\w\s]+?[\s*])(\w+)\s*;(.*)", re.DOTALL)
_LOOSE = (b"|", b"^", b"&", b"?", b",", b"=")
"""Operators that bind less than a comparison."""
_SIGNED = pattern(rb"(?:(?:signed|short|int|long)\s*)+$")
_OBJECT = rb"\b__CPROVER_POINTER_OBJECT\s*(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))"
_OBJECTS = pattern(_OBJECT + rb"(\s*)([=!]=)(\s*)" + _OBJECT)
_NO_C = (
    (_BEGIN, "a quantifier over what is no bounded range is"),
    (
        pattern(rb"\b__CPROVER_(?:requires|ensures|assigns|loop_invariant|decreases)\b"),
        "contracts of functions and loops are",
    ),
)


def in_c(source: bytes) -> bytes:
    """The text in C, as far as that is understood."""
    return without_quantifiers(declared(_objects_compared(source)))


def _objects_compared(source: bytes) -> bytes:
    """The text in which the numbers of two objects are not compared, but the objects are."""

    def same(found: re.Match[bytes]) -> bytes:
        one, *spaces, other = found[1], found[2], found[4], found[5]
        return b"(__sea_same_object(%s,%s%s) %s 1)" % (one, b"".join(spaces), other, found[3])

    return _OBJECTS.sub(same, source)


def declared(source: bytes) -> bytes:
    """The text with one declaration of each uninterpreted function, in front of its first use.

    The first declaration counts, as for CBMC, which does not compare them.  If the function is used
    before, it goes behind the last function before that, on the same line.
    """
    for name in sorted(set(_UNINTERPRETED.findall(source))):
        own = re.compile(_OWN_DECLARATION % name, re.MULTILINE)
        declarations = [f for f in own.finditer(source) if _is_outermost(source, f)]
        if not declarations:
            continue
        found, *others = declarations
        for other in reversed(others):
            lines = b"\n" * other[0].count(b"\n")
            source = source[: other.start()] + lines + source[other.end() :]
        first = source.index(name)
        at = source.rfind(b"\n}", 0, first) + 2
        if first < found.start() and at > 1:
            text = found[0].replace(b"\n", b" ")
            source = b"%s %s%s" % (source[:at], text, source[at:])
    return source


def _is_outermost(source: bytes, found: re.Match[bytes]) -> bool:
    """Whether something stands in no braces, so that it is no part of a statement."""
    before = _NO_CODE.sub(b"", source[: found.start()])
    return before.count(b"{") == before.count(b"}")


def without_quantifiers(source: bytes) -> bytes:
    """The text in C, but for quantifiers whose range is not understood."""
    done: list[bytes] = []
    at = 0
    while (found := _BEGIN.search(source, at)) is not None:
        end = _closing(source, found.end())
        loop = _loop(found[1], source[found.end() : end])
        if loop is None:
            done.append(source[at : found.end()])
            at = found.end()
            continue
        lines = source.count(b"\n", found.start(), end)
        done += [source[at : found.start()], loop.replace(b"\n", b" "), b"\n" * lines]
        at = end + 1
    return b"".join((*done, source[at:]))


def no_c(file: Path, source: bytes) -> str:
    """Which extension of CBMC in a text is no C, with its line; "" if there is none."""
    source = without_quantifiers(source)
    for extension, what in _NO_C:
        found = extension.search(source)
        if found is not None:
            line = source.count(b"\n", 0, found.start()) + 1
            return f"{file}:{line}: {what} not supported"
    return ""


def _closing(source: bytes, at: int) -> int:
    depth = 1
    while at < len(source):
        depth += (source[at] == ord("{")) - (source[at] == ord("}"))
        if depth == 0:
            return at
        at += 1
    return at


def _loop(kind: bytes, text: bytes) -> bytes | None:
    declared = _DECLARATION.match(text)
    if declared is None:
        return None
    of, name, formula = declared.groups()
    formula = formula.strip().rstrip(b";")
    if kind == b"forall":
        range_, implies, body = _split(formula, b"==>")
        parts, ok = _conjuncts(range_), bool(implies)
    else:
        first, *rest = _conjuncts(formula)
        parts = [first, *rest[:1]]
        body, ok = b" && ".join(rest[1:]), len(rest) > 1
    bounds = _bounds(parts, name, of) if ok and len(parts) == 2 else None
    if bounds is None or b"==>" in body:
        return None
    low, test, high = bounds
    begin, joined = (b"0", b"||") if kind == b"exists" else (b"1", b"&&")
    return (
        b"({ _Bool sea_q = %s; for (%s%s = %s; %s %s (%s);) { sea_q = sea_q %s (%s);"
        b" if (%s == (%s) || __builtin_add_overflow(%s, 1, &%s)) break; } sea_q; })"
        % (begin, of, name, low, name, test, high, joined, body, name, high, name, name)
    )


def _split(text: bytes, at: bytes) -> tuple[bytes, bytes, bytes]:
    """The text around the first such mark that is in no parentheses."""
    depth = 0
    for k in range(len(text)):
        depth += (text[k] in b"([") - (text[k] in b")]")
        if depth == 0 and text.startswith(at, k):
            return text[:k], at, text[k + len(at) :]
    return text, b"", b""


def _conjuncts(text: bytes) -> list[bytes]:
    text = text.strip()
    while _is_wrapped(text):
        text = text[1:-1].strip()
    if _has_any(text, (b"||", b"?", b",", b"==>")):
        return [b"(%s)" % text]
    first, mark, rest = _split(text, b"&&")
    return [*_conjuncts(first), *_conjuncts(rest)] if mark else [text]


def _has_any(text: bytes, operators: Iterable[bytes]) -> bool:
    """Whether one of these operators, which bind less than others, is in no parentheses."""
    return any(_split(text, operator)[1] for operator in operators)


def _is_wrapped(text: bytes) -> bool:
    """Whether the first parenthesis is closed by the last character."""
    depth = 0
    for k, byte in enumerate(text):
        depth += (byte == ord("(")) - (byte == ord(")"))
        if depth == 0:
            return k > 0 and k + 1 == len(text)
    return False


def _bounds(parts: list[bytes], name: bytes, of: bytes) -> tuple[bytes, bytes, bytes] | None:
    """The first number, how others are compared with the end, and the end."""
    parts = [_ascending(part.strip()) for part in parts]
    own = rb"(?:\b%s\b|\(\s*%s\s*\))" % (name, name)
    low = re.fullmatch(rb"(.+?)\s*(<=?)\s*" + own, parts[0], re.DOTALL)
    high = re.fullmatch(own + rb"\s*(<=?)\s*(.+)", parts[1], re.DOTALL)
    if low is None or high is None or any(_has_any(m, _LOOSE) for m in (low[1], high[2])):
        return None
    if low[1].strip(b" (").startswith(b"-") and not _SIGNED.match(of.strip()):
        return None
    begin = b"(%s)" % low[1] + (b" + 1" if low[2] == b"<" else b"")
    return begin, high[1], high[2]


def _ascending(comparison: bytes) -> bytes:
    """`b >= a` as `a <= b`."""
    for greater, less in ((b">=", b"<="), (b">", b"<")):
        left, mark, right = _split(comparison, greater)
        if mark and not left.endswith(b"-") and not right.startswith((b">", b"=")):
            return b"%s %s %s" % (right.strip(), less, left.strip())
    return comparison
