r"""Clauses, which are untrusted, as C expressions without effects.

A text is accepted if it is one expression of a small grammar and nothing else.  The words of CBMC
get their meaning here:

    __CPROVER_old(e), __CPROVER_return_value    variables that the wrapper or stub declares
    __CPROVER_loop_entry(e)                     a variable that is declared in front of the loop
    a ==> b                                     `!a || b`
    a quantifier                                a loop over its range (`compiling.quantifiers`)
    __CPROVER_is_fresh(p, n)                    n bytes at p are valid, and no other parameter
                                                leads to p

Numbers of bytes are rounded up to whole elements, since an entry is called with whole elements.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field

from tree_sitter import Node

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.csource.syntax import within
from seahorn_py.frontend.compiling.quantifiers import without_quantifiers
from seahorn_py.validation.contracts.model import Clause, Kind, Refused
from seahorn_py.validation.expression import KINDS, ExpressionError, alone

RESULT = "__sea_result"
OLD = "__sea_old_"
MAX_CHARACTERS = 20_000
_MAX_NESTING = 40

_ALLOWED = KINDS | {"escape_sequence", "call_expression", "argument_list"}
_FORBIDDEN = pattern(r'[#"`@$;{}]|//|/\*|\?\?|<%|%>|<:|:>|%:')
_RESERVED = pattern(r"\b(?:__)?(?:sea|SEA)_")
_QUANTIFIER = pattern(r"\b__(?:CPROVER|ESBMC)_(forall|exists)\s*\{")
_BOUND = pattern(r"\s*([\w\s]+?[\s*])(\w+)\s*;(.*)", re.DOTALL)
_ESBMC = pattern(r"\b__ESBMC_(return_value|old|is_fresh|r_ok|w_ok|rw_ok)\b")
_OF_POINTER = pattern(r"\b__ESBMC_is_fresh\s*\(\s*&\s*(?=\w+\s*,)")
"""ESBMC's second form of `is_fresh`, with the address of a pointer."""
_OLD = pattern(r"\b__ESBMC_old\s*\(")
_CHARACTER = pattern(r"'(?:\\.|[^'\\])'")
_NAMES = frozenset({"identifier", "type_identifier"})
"""In `(a) && (b)` the parser takes `a` for a type, and `&&` for the address of a label."""
_POSITIVE = frozenset({"parenthesized_expression", "conditional_expression", "cast_expression"})
_VALID = {
    "__CPROVER_is_fresh": "sea_is_dereferenceable",
    "__CPROVER_r_ok": "sea_is_dereferenceable",
    "__CPROVER_w_ok": "__CPROVER_w_ok",
    "__CPROVER_rw_ok": "__CPROVER_w_ok",
}


@dataclass
class Formula:
    """A clause as C: its text, and the expressions (`old`) to remember before the call or loop.

    `names` are its identifiers, `bound` the variables of its quantifiers, and `pointers` the
    parameters that may lead to one object.  `variables`: at a call with any arguments, the
    variables that what is fresh must not lie in; None if all arguments lead to different objects.
    """

    clause: Clause
    text: str = ""
    old: list[str] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    bound: list[str] = field(default_factory=list)
    pointers: tuple[str, ...] = ()
    variables: tuple[str, ...] | None = None


def formula(
    clause: Clause,
    olds: int = 0,
    pointers: tuple[str, ...] = (),
    rounds: bool = True,
    variables: tuple[str, ...] | None = None,
) -> Formula:
    """The formula of a clause; the numbers below `olds` name remembered values of other clauses.

    If it `rounds`, numbers of valid bytes are rounded up to whole elements.  `variables` are those
    of `Formula`.  Raises Refused for a clause that is not understood.
    """
    found = Formula(clause, pointers=pointers, variables=variables)
    try:
        if len(clause.text) > MAX_CHARACTERS:
            raise Refused(f"longer than {MAX_CHARACTERS} characters")
        if _RESERVED.search(clause.text):
            raise Refused("it uses a name that is reserved")
        text = _in_words_of_cbmc(clause)
        found.text = _Translation(found, olds, rounds).whole(text, 0)
    except Refused as why:
        raise Refused(f"{clause.place}: {clause.kind.value}: {why}") from None
    return found


def _in_words_of_cbmc(clause: Clause) -> str:
    """The text; before a call, ESBMC's `old` is the value itself."""
    is_before = clause.kind is Kind.REQUIRES
    text = _OLD.sub("(", clause.text) if is_before else clause.text
    return _ESBMC.sub(r"__CPROVER_\1", _OF_POINTER.sub("__CPROVER_is_fresh(", text))


def skolem(clause: Clause, rounds: bool = True) -> tuple[str, str, str, str] | None:
    """The type, name, range and body of a clause `forall { T i; range ==> body }`, or None.

    A clause that holds for an arbitrary i holds for all.
    """
    text = _in_words_of_cbmc(clause).strip()
    found = _QUANTIFIER.match(text)
    if found is None or found[1] != "forall" or _matching(text, found.end() - 1) != len(text) - 1:
        return None
    declared = _BOUND.fullmatch(text[found.end() : -1])
    if declared is None:
        return None
    of, name, inner = declared.groups()
    range_, implies, body = _at_top(inner.strip().rstrip(";"), "==>")
    if not implies:
        return None
    translation = _Translation(Formula(clause, bound=[name]), 0, rounds)
    return of.strip(), name, translation.whole(range_, 1), translation.whole(body, 1)


def parsed(text: str) -> tuple[Node, bytes]:
    """The node of the expression that a text is, and the parsed text; Refused if it is none."""
    if _FORBIDDEN.search(_CHARACTER.sub("0", text)) or not (text.isascii() and text.isprintable()):
        raise Refused("no C expression without effects")
    try:
        node, whole = alone(text, _ALLOWED)
    except ExpressionError as error:
        raise Refused(str(error)) from None
    return node.named_children[0], whole


@dataclass
class _Translation:
    """The translation of one clause, part by part."""

    into: Formula
    olds: int
    rounds: bool = True

    def whole(self, text: str, depth: int) -> str:
        """The text of an expression that may have implications and quantifiers in it."""
        if depth > _MAX_NESTING:
            raise Refused("nested too deep")
        text, made = self._without_quantifiers(text, depth)
        text = _implied(text)
        node, whole = parsed(text)
        done = self._expression(node, whole, is_positive=True)
        parts = re.split(r"\b(quantified_\d+_\d+_)\b", done)
        return "".join(f"({made[part]})" if part in made else part for part in parts)

    def _without_quantifiers(self, text: str, depth: int) -> tuple[str, dict[str, str]]:
        """The text with a name for each quantifier; and name -> the loop that it stands for."""
        made: dict[str, str] = {}
        while (found := _QUANTIFIER.search(text)) is not None:
            end = _matching(text, found.end() - 1)
            name = f"quantified_{depth}_{len(made)}_"
            made[name] = self._quantifier(found[1], text[found.end() : end], depth)
            text = f"{text[: found.start()]}{name}{text[end + 1 :]}"
        return text, made

    def _quantifier(self, kind: str, inner: str, depth: int) -> str:
        declared = _BOUND.fullmatch(inner)
        if declared is None:
            raise Refused("a quantifier that is not understood")
        of, name, body = declared.groups()
        self.into.bound.append(name)
        body = body.strip().rstrip(";")
        if kind == "forall":
            range_, implies, rest = _at_top(body, "==>")
            if not implies:
                raise Refused("a quantifier over what is no bounded range")
            body = f"{self.whole(range_, depth + 1)} ==> {self.whole(rest, depth + 1)}"
        else:
            body = self.whole(body, depth + 1)
        self.into.bound.pop()
        made = without_quantifiers(f"__CPROVER_{kind} {{ {of}{name}; {body} }}".encode()).decode()
        if _QUANTIFIER.search(made):
            raise Refused("a quantifier over what is no bounded range")
        return made

    def _expression(self, node: Node, whole: bytes, is_positive: bool) -> str:
        """The text of an expression with the words of CBMC replaced."""
        if node.type == "call_expression":
            return self._call(node, whole, is_positive)
        if node.type in _NAMES:
            return self._name(_source(node, whole))
        parts, at = [], node.start_byte
        for child in node.children:
            keeps = is_positive and _keeps_sign(node, whole)
            parts.append(whole[at : child.start_byte].decode())
            parts.append(
                self._expression(child, whole, keeps) if child.is_named else _source(child, whole)
            )
            at = child.end_byte
        return "".join([*parts, whole[at : node.end_byte].decode()])

    def _name(self, name: str) -> str:
        if name == "__CPROVER_return_value":
            self._in(Kind.ENSURES, name)
            return RESULT
        if name.startswith(("__CPROVER_", "__ESBMC_")):
            raise Refused(f"{name} is not supported here")
        self.into.names.add(name)
        return name

    def _in(self, kind: Kind, word: str) -> None:
        if self.into.clause.kind is not kind:
            raise Refused(f"{word} has a meaning in {kind.value} only")

    def _call(self, node: Node, whole: bytes, is_positive: bool) -> str:
        callee = node.child_by_field_name("function")
        given = node.child_by_field_name("arguments")
        name = _source(callee, whole) if callee is not None else ""
        arguments = given.named_children if given is not None else []
        if name == "__CPROVER_old" and len(arguments) == 1:
            return self._old(arguments[0], whole, Kind.ENSURES, "old")
        if name == "__CPROVER_loop_entry" and len(arguments) == 1:
            return self._old(arguments[0], whole, Kind.INVARIANT, "loop_entry")
        if name not in _VALID or not 1 <= len(arguments) <= 2:
            raise Refused(f"a call of {name} is not supported in it")
        is_assumed = is_positive and self.into.clause.kind is Kind.REQUIRES
        if name == "__CPROVER_is_fresh" and not is_assumed:
            raise Refused("is_fresh has a meaning in requires, and not negated")
        pointer = self._expression(arguments[0], whole, False)
        element = f"sizeof(*({pointer}))"
        if len(arguments) == 1:
            return f"{_VALID[name]}(({pointer}), {element})"
        size = self._expression(arguments[1], whole, False)
        rounded = f"(({size}) / {element} + (({size}) % {element} != 0)) * {element}"
        valid = _VALID[name]
        apart = self._apart(pointer, size) if name == "__CPROVER_is_fresh" else ""
        whole_too = f" && {valid}(({pointer}), {rounded})" if self.rounds else ""
        return f"({valid}(({pointer}), ({size})){whole_too}{apart})"

    def _apart(self, pointer: str, size: str) -> str:
        """A conjunct: no other parameter leads to the object of a pointer."""
        others = (q for q in self.into.pointers if not re.search(rf"\b{q}\b", pointer))
        if self.into.variables is not None:
            parts = [
                (_outside(pointer, q, f"sizeof(*({q}))"), _outside(q, pointer, size))
                for q in others
            ]
            objects = [_outside(pointer, f"&{v}", f"sizeof({v})") for v in self.into.variables]
            return "".join([*(text for pair in parts for text in pair), *objects])
        return "".join(f" && (const void *)({pointer}) != (const void *){q}" for q in others)

    def _old(self, argument: Node, whole: bytes, kind: Kind, word: str) -> str:
        self._in(kind, word)
        names = {_source(n, whole) for n in within(argument) if n.type in _NAMES}
        if names.intersection(self.into.bound):
            raise Refused(f"{word} of what a quantifier speaks of is not supported")
        if "__CPROVER_return_value" in names:
            raise Refused("there is no result before the call")
        text = self._expression(argument, whole, False)
        if text not in self.into.old:
            self.into.old.append(text)
        return f"{OLD}{self.olds + self.into.old.index(text)}"


def _outside(pointer: str, at: str, size: str) -> str:
    """A conjunct: a pointer is none to the bytes at an address.

    Pointers are compared byte by byte, since the order of different objects is not known.
    """
    same = f"(const char *)({at}) + sea_k == (const char *)({pointer})"
    loop = f"for (__typeof__(sizeof 0) sea_k = 0; sea_k < ({size}); sea_k++) if ({same}) sea_o = 0;"
    return f" && ({{ _Bool sea_o = 1; {loop} sea_o; }})"


def _source(node: Node, whole: bytes) -> str:
    return whole[node.start_byte : node.end_byte].decode()


def _keeps_sign(node: Node, whole: bytes) -> bool:
    """Whether a node is monotone in its parts: a part that becomes true makes it no less true."""
    if node.type == "binary_expression":
        return node.children[1].type in ("&&", "||")
    return node.type in _POSITIVE


def _matching(text: str, at: int) -> int:
    depth = 0
    for k in range(at, len(text)):
        depth += (text[k] in "{") - (text[k] in "}")
        if depth == 0:
            return k
    raise Refused("braces that do not match")


def _at_top(text: str, mark: str) -> tuple[str, str, str]:
    """The text before the first mark that is in no parentheses, the mark, and the text behind."""
    depth = 0
    for k, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if depth == 0 and text.startswith(mark, k):
            return text[:k], mark, text[k + len(mark) :]
    return text, "", ""


def _implied(text: str, depth: int = 0) -> str:
    """The text with implications as disjunctions; they bind least, and to the right."""
    if "==>" not in text:
        return text
    if depth > _MAX_NESTING:
        raise Refused("nested too deep")
    left, mark, right = _at_top(text, "==>")
    if mark:
        if any(_at_top(part, sign)[1] for part in (left, right) for sign in ("?", ",")):
            raise Refused("an implication beside ? or , needs parentheses")
        return f"(!({_implied(left, depth + 1)}) || ({_implied(right, depth + 1)}))"
    return "".join(_pieces(text, depth))


def _pieces(text: str, depth: int) -> Iterator[str]:
    at = 0
    while (start := text.find("(", at)) >= 0:
        end = _closed(text, start)
        yield text[at : start + 1]
        yield _implied(text[start + 1 : end], depth + 1)
        at = end
    yield text[at:]


def _closed(text: str, at: int) -> int:
    depth = 0
    for k in range(at, len(text)):
        depth += (text[k] == "(") - (text[k] == ")")
        if depth == 0:
            return k
    raise Refused("parentheses that do not match")
