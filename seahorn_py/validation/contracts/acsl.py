r"""Contracts in comments of ACSL (ANSI/ISO C Specification Language 1.20), in the words of CBMC.

    function     requires, ensures, assigns (Section 2.3)
    loop         loop invariant, loop assigns, loop variant (Section 2.4.2)
    terms        \result, \old, \valid, \valid_read, \separated, \null, \true, \false, \nothing,
                 bounded \forall and \exists, ranges `p[a..b]` and `p + (a..b)`, `a <= b < c`

Numbers in clauses are those of C, not unbounded integers: a clause whose evaluation overflows is
not proved.  Other clauses, among them behaviors, are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from seahorn_py.base.errors import InputError, Span
from seahorn_py.base.patterns import pattern
from seahorn_py.validation.contracts.model import Clause, Kind, Refused

_TOKEN = pattern(
    rb'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|(?:[ \t]*//[^\n]*\n?)+|/\*.*?\*/', re.DOTALL
)
_MARK = pattern(rb"\A/\*@|\A(?!/\*).*?^[ \t]*//@", re.DOTALL | re.MULTILINE)
_KINDS = {
    "requires": Kind.REQUIRES,
    "ensures": Kind.ENSURES,
    "assigns": Kind.ASSIGNS,
    "loop invariant": Kind.INVARIANT,
    "loop assigns": Kind.ASSIGNS,
    "loop variant": Kind.DECREASES,
}
_OTHERS = frozenset(
    [
        "behavior",
        "assumes",
        "complete",
        "disjoint",
        "terminates",
        "decreases",
        "allocates",
        "frees",
        "ghost",
        "assert",
        "check",
        "admit",
        "axiomatic",
        "logic",
        "predicate",
        "lemma",
        "global",
        "type",
        "model",
        "exits",
        "breaks",
        "continues",
        "returns",
        "for",
        "invariant",
        "loop",
        "inductive",
        "axiom",
        "volatile",
        "include",
        "import",
    ]
)
_CLAUSE = pattern(r"\s*((?:loop\s+)?[a-z]\w*)\b(.*)", re.DOTALL)
_RELATION = pattern(r"(<=|>=|==|!=|<(?![<=])|>(?![>=]))")
_OPERATORS = ("<==>", "==>", "||", "&&")
_PREDICATES = pattern(r"\\(valid_read|valid|separated|old|forall|exists)\b")
_CONSTANTS = {"\\result": "__CPROVER_return_value", "\\null": "((void *)0)"}
_CONSTANTS |= {"\\true": "1", "\\false": "0"}
_RANGE = pattern(r"(?<!\.)\.\.(?!\.)")
_QUANTIFIED = "__sea_quantified_"


def comments(text: bytes, places: Span) -> Iterator[tuple[int, int, tuple[Clause, ...]]]:
    """The first byte of each annotation, the byte behind it, and its clauses.

    `places` has the name of the file.  Raises InputError for an annotation that is not supported.
    """
    for found in _TOKEN.finditer(text):
        if _MARK.match(found[0]) is None:
            continue
        line = text.count(b"\n", 0, found.start()) + 1
        clauses = tuple(_clauses(found[0].decode("utf-8", "replace"), places.file, line))
        if clauses:
            yield found.start(), found.end(), clauses


def _clauses(comment: str, file: str, line: int) -> Iterator[Clause]:
    body = re.sub(r"\A/\*@|\*/\Z", "", comment)
    body = re.sub(r"(?m)^([ \t]*)(?://)?@+", r"\1", body)
    body = re.sub(r"@+\s*\Z", "", body)
    body = re.sub(r"//[^\n]*", "", body)
    parts = [(part, before) for part, before in _split(body) if part.strip()]
    if not any(_is_known(_words(part)[0]) for part, _ in parts):
        return  # of another tool
    for part, before in parts:
        where = line + before.count("\n") + (part[: len(part) - len(part.lstrip())]).count("\n")
        place = Span(file, where, 1, "")
        word, rest = _words(part)
        if word not in _KINDS:
            raise InputError(f"{place}: ACSL: {word or rest} is not supported")
        yield _clause(_KINDS[word], rest, place, word.startswith("loop "))


def _words(part: str) -> tuple[str, str]:
    """The name of a clause, or "", and the text behind it."""
    found = _CLAUSE.fullmatch(part)
    name, rest = (found[1], found[2]) if found is not None else ("", part)
    return " ".join(name.split()), " ".join(rest.split())


def _is_known(word: str) -> bool:
    return word in _KINDS or word.partition(" ")[0] in _OTHERS


def _split(body: str) -> Iterator[tuple[str, str]]:
    """The clauses of a comment, each with the text before it.

    A semicolon ends a clause, unless it belongs to a quantifier.
    """
    at, quantified = 0, 0
    for k, character in enumerate(body):
        if body.startswith(("\\forall", "\\exists"), k):
            quantified += 1
        if character == ";":
            if quantified:
                quantified -= 1
                continue
            yield body[at:k], body[:at]
            at = k + 1
    yield body[at:], body[:at]


def _clause(kind: Kind, text: str, place: Span, is_loop: bool) -> Clause:
    try:
        made = _assigned(text) if kind is Kind.ASSIGNS else expression(text)
        if is_loop and kind is Kind.DECREASES and " for " in text:
            raise Refused("a variant of another measure")
    except Refused as why:
        raise InputError(f"{place}: ACSL: {kind.value}: {why}") from None
    return Clause(kind, made, place)


def _assigned(text: str) -> str:
    parts = []
    for part in _parts(text.split("\\from")[0], ","):
        part = part.strip()
        if part in ("\\nothing", "\\result", ""):
            continue
        pieces = _RANGE.split(part)
        if len(pieces) == 1:
            parts.append(expression(part))
            continue
        pointer, first, count = _range(part)
        parts.append(f"__SEA_range({pointer}, {first}, {count})")
    return ", ".join(parts)


def _range(text: str) -> tuple[str, str, str]:
    """Pointer, first and count of `p[a..b]`, `*(p + (a..b))` or `p + (a..b)`."""
    found = re.fullmatch(
        r"(.+?)\s*\[([^\[\]]*)\]|\*?\s*\(?\s*(.+?)\s*\+\s*\(([^()]*)\)\s*\)?", text
    )
    if found is None:
        raise Refused(f"the range in {text}")
    pointer = expression(found[1] or found[3])
    bounds = _RANGE.split(found[2] if found[1] else found[4])
    if len(bounds) != 2 or not bounds[0].strip() or not bounds[1].strip():
        raise Refused(f"the range in {text}")
    first, last = (expression(bound) for bound in bounds)
    end = re.fullmatch(r"(.+?)\s*-\s*1", last)
    if end is not None and not re.search(r"[<>=?&|^,]", end[1]):
        return pointer, first, f"(({end[1]}) > ({first}) ? ({end[1]}) - ({first}) : 0)"
    return pointer, first, f"(({last}) >= ({first}) ? ({last}) - ({first}) + 1 : 0)"


def expression(text: str) -> str:
    """A term or predicate of ACSL in the words of CBMC.  Raises Refused if it is not understood."""
    text = text.strip()
    for word, meaning in _CONSTANTS.items():
        text = re.sub(re.escape(word) + r"\b", meaning, text)
    made: list[str] = []
    text = _quantified(text, made)
    text = _predicates(text)
    text = _chained(text)
    strange = re.search(r"\\\w*", text)
    if strange is not None:
        raise Refused(f"{strange[0]} is not supported")
    return re.sub(rf"\b{_QUANTIFIED}(\d+)_\b", lambda name: made[int(name[1])], text)


def _quantified(text: str, made: list[str]) -> str:
    """The text with a name for each quantifier, which goes into `made`.

    A quantifier reaches to the end of the parentheses around it.
    """
    if _QUANTIFIED in text:
        raise Refused("it uses a name that is reserved")
    found = re.search(r"\\(forall|exists)\s+([\w\s]+?[\s*])(\w+)\s*;", text)
    if found is None:
        return text
    end = _end(text, found.end())
    of = "long " if found[2].strip() == "integer" else found[2]
    body = expression(text[found.end() : end])
    rest = _quantified(text[end:], made)
    made.append(f"(__CPROVER_{found[1]} {{ {of} {found[3]}; {body} }})")
    return f"{text[: found.start()]}{_QUANTIFIED}{len(made) - 1}_{rest}"


def _end(text: str, at: int) -> int:
    depth = 0
    for k in range(at, len(text)):
        depth += (text[k] == "(") - (text[k] == ")")
        if depth < 0:
            return k
    return len(text)


def _predicates(text: str) -> str:
    found = _PREDICATES.search(text)
    if found is None:
        return text
    if not text.startswith("(", found.end()):
        raise Refused(f"{found[0]} without parentheses")
    end = _end(text, found.end() + 1)
    inner = text[found.end() + 1 : end]
    return f"{text[: found.start()]}{_predicate(found[1], inner)}{_predicates(text[end + 1 :])}"


def _predicate(name: str, inner: str) -> str:
    if name == "old":
        return f"__CPROVER_old({expression(inner)})"
    if name == "separated":
        return _separated(_parts(inner, ","))
    word = "__CPROVER_r_ok" if name == "valid_read" else "__CPROVER_rw_ok"
    tests = []
    for part in _parts(inner, ","):
        if _RANGE.search(part):
            pointer, first, count = _range(part.strip())
            size = f"({count}) * sizeof(*({pointer}))"
            tests.append(f"(({count}) == 0 || {word}(({pointer}) + ({first}), {size}))")
        else:
            tests.append(f"{word}({expression(part)})")
    return tests[0] if len(tests) == 1 else f"({' && '.join(tests)})"


def _separated(terms: list[str]) -> str:
    r"""The condition that pointers are different, for `\separated`.

    Where a contract stands for a call, different pointers lead to different objects anyway.
    """
    plain = [expression(term.split("+")[0]) for term in terms]
    pairs = [(a, b) for k, a in enumerate(plain) for b in plain[k + 1 :]]
    return "(" + (" && ".join(f"(void *)({a}) != (void *)({b})" for a, b in pairs) or "1") + ")"


def _parts(text: str, mark: str) -> list[str]:
    """The parts of a text between marks that are in no parentheses."""
    parts, depth, at = [], 0, 0
    for k, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if depth == 0 and text.startswith(mark, k) and k >= at:
            parts.append(text[at:k])
            at = k + len(mark)
    return [*parts, text[at:]]


def _chained(text: str) -> str:
    """The text with `a <= b < c` as a conjunction and `a <==> b` as an equation, at any depth."""
    for operator in _OPERATORS:
        parts = _parts(text, operator)
        if operator == "==>" and any(part.endswith("<") for part in parts):
            raise Refused("an equivalence beside an implication needs parentheses")
        if len(parts) > 1:
            done = [_chained(part) for part in parts]
            if operator != "<==>":
                return f" {operator} ".join(done)
            if len(parts) != 2:
                raise Refused("several equivalences need parentheses")
            return f"(!({done[0]}) == !({done[1]}))"
    return _relations(_inside(text))


def _inside(text: str) -> str:
    """The text with `_chained` applied inside of each pair of parentheses or braces."""
    parts, at = [], 0
    while (start := text.find("(", at)) >= 0:
        end = _end(text, start + 1)
        inner = ",".join(_chained(part) for part in _parts(text[start + 1 : end], ","))
        parts += [text[at : start + 1], inner]
        at = end
    return "".join([*parts, text[at:]])


def _relations(text: str) -> str:
    marks, depth, is_loose = [], 0, False
    for k, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        is_loose |= depth == 0 and character in "?&|^"  # binds less, or may
        found = _RELATION.match(text, k) if depth == 0 else None
        before = text[k - 1] if k else ""
        if found is not None and before not in ("<", ">", "-", "=", "!"):
            marks.append(found)
    if len(marks) < 2:
        return text
    if is_loose or len({mark[1][0] for mark in marks}) > 1:
        raise Refused("comparisons in one row need parentheses")
    edges = [0, *(edge for mark in marks for edge in mark.span()), len(text)]
    terms = [text[a:b].strip() for a, b in zip(edges[::2], edges[1::2], strict=True)]
    pairs = zip(terms, marks, terms[1:], strict=False)
    return f"({' && '.join(f'{a} {mark[1]} {b}' for a, mark, b in pairs)})"
