"""ESBMC's quantifiers in clauses, as CBMC's.

`__ESBMC_forall(&j, !(range) || e)` speaks of a variable that the function declares.  It becomes
`__CPROVER_forall { T j; (0 <= j && range) ==> e }` if T is unsigned, or without `0 <=` if the range
has a lower bound; `__ESBMC_exists(&j, range && e)` likewise.  What is no such form stays.
"""

from __future__ import annotations

import re

from seahorn_py.base.patterns import pattern

_QUANTIFIER = pattern(r"\b__ESBMC_(forall|exists)\s*\(\s*&\s*(\w+)\s*,")
_DECLARED = r"([A-Za-z_][\w \t]*?)[ \t]+%s\s*[;=,]"
_UNSIGNED = pattern(r"unsigned\b.*|.*\bunsigned|size_t|uint\d+_t|u(?:8|16|32|64)|uint")
_EXCLUDED = pattern(r"\s*!\s*\(")
_LOWER = pattern(r"(>=|>)\s*\w+|\w+\s*(<=|<)\s*\w+\s*&&")


def quantified(text: str, before: str) -> str:
    """The clause with CBMC's quantifiers; `before` is the C text in front of it."""
    while (found := _last(text)) is not None:
        end = _closing(text, found.end())
        made = _as_cbmc(found[1], found[2], text[found.end() : end - 1].strip(), before)
        if end <= 0 or not made:
            return text
        text = f"{text[: found.start()]}{made}{text[end:]}"
    return text


def _last(text: str) -> re.Match[str] | None:
    """The last quantifier, which has none in it."""
    return next(reversed(list(_QUANTIFIER.finditer(text))), None)


def _as_cbmc(kind: str, name: str, body: str, before: str) -> str:
    declared = re.findall(_DECLARED % re.escape(name), before)
    of = declared[-1].strip() if declared else ""
    if not of or of == "return":
        return ""
    is_unsigned = _UNSIGNED.fullmatch(of) is not None
    if kind == "exists":
        return f"__CPROVER_exists {{ {of} {name}; {f'0 <= {name} && ' * is_unsigned}{body} }}"
    excluded = _EXCLUDED.match(body)
    end = 0 if excluded is None else _closing(body, excluded.end())
    rest = body[end:].strip()
    if excluded is None or not rest.startswith("||"):
        return ""
    range_ = body[excluded.end() : end - 1].strip()
    if is_unsigned and _LOWER.search(range_) is None:
        range_ = f"0 <= {name} && {range_}"
    return f"__CPROVER_forall {{ {of} {name}; ({range_}) ==> ({rest[2:].strip()}) }}"


def _closing(text: str, at: int) -> int:
    """The place behind the parenthesis that closes the one just before `at`; 0 if there is none."""
    depth = 1
    for k in range(at, len(text)):
        depth += (text[k] == "(") - (text[k] == ")")
        if depth == 0:
            return k + 1
    return 0
