"""Terms in infix form, for people: C operators, names chosen by the caller.

Quantifiers and operators without a C counterpart keep their SMT-LIB name in call form.  Iterative,
so that deep terms print too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count

import pysmt.operators as op

from seahorn_py.logic.terms.terms import Term

_INFIX = {
    op.AND: "&&",
    op.OR: "||",
    op.IMPLIES: "==>",
    op.IFF: "==",
    op.EQUALS: "==",
    op.LE: "<=",
    op.LT: "<",
    op.PLUS: "+",
    op.MINUS: "-",
    op.TIMES: "*",
    op.BV_ADD: "+",
    op.BV_SUB: "-",
    op.BV_MUL: "*",
    op.BV_AND: "&",
    op.BV_OR: "|",
    op.BV_XOR: "^",
    op.BV_LSHL: "<<",
    op.BV_LSHR: ">>",
    op.BV_ULT: "<u",
    op.BV_ULE: "<=u",
    op.BV_SLT: "<",
    op.BV_SLE: "<=",
}
_FLIPPED = {op.LE: ">", op.LT: ">=", op.EQUALS: "!=", op.IFF: "!="}


LONGEST = 10_000
"""The most characters of a part; a term that shares its parts may have a text without bounds."""

ElementText = Callable[[Term, Term, Callable[[Term], str]], str | None]
"""An array and an index, and what shows a term -> the text of the element."""


def _no_element(array: Term, index: Term, show: Callable[[Term], str]) -> str | None:
    return None


def print_infix(term: Term, names: Mapping[Term, str], element: ElementText = _no_element) -> str:
    """`term` with its symbols named by `names` (others by themselves), elements by `element`.

    A part with a text of more than LONGEST characters is shown as `...`.
    """
    names = {**_bound(term, names), **names}
    texts: dict[Term, str] = {}
    work = [term]
    while work:
        node = work[-1]
        missing = [a for a in node.args() if a not in texts]
        if missing:
            work.extend(missing)
            continue
        work.pop()
        text = _element(node, texts, names, element) or _text(node, texts, names)
        texts[node] = text if len(text) <= LONGEST else "..."
    return _bare(texts[term])


def _bare(text: str) -> str:
    return text[1:-1] if text.startswith("(") and _closes_at_end(text) else text


def _closes_at_end(text: str) -> bool:
    depth = 0
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return position == len(text) - 1
    return False


def _text(node: Term, texts: Mapping[Term, str], names: Mapping[Term, str]) -> str:
    kind = node.node_type()
    arguments = [texts[a] for a in node.args()]
    if kind == op.SYMBOL:
        return names.get(node, str(node.symbol_name()))
    if node.is_constant():
        return _constant(node)
    if kind == op.NOT:
        return _negation(node, texts)
    if kind in _INFIX:
        return "(" + f" {_INFIX[kind]} ".join(arguments) + ")"
    if kind == op.ITE:
        return f"({arguments[0]} ? {arguments[1]} : {arguments[2]})"
    name = str(node.function_name()) if kind == op.FUNCTION else op.op_to_str(kind).lower()
    return f"{name}({', '.join((*arguments, *_indices(node)))})"


def _indices(node: Term) -> tuple[str, ...]:
    """The numbers of an indexed operator, in the order of SMT-LIB."""
    if node.is_bv_extract():
        return str(node.bv_extract_end()), str(node.bv_extract_start())
    if node.is_bv_zext() or node.is_bv_sext():
        return (str(node.bv_extend_step()),)
    if node.is_bv_rol() or node.is_bv_ror():
        return (str(node.bv_rotation_step()),)
    return ()


def _bound(term: Term, names: Mapping[Term, str]) -> dict[Term, str]:
    """Short names for quantified variables: k, k2, k3, ..."""
    taken, found, seen = set(names.values()), dict[Term, str](), set[Term]()
    work = [term]
    while work:
        node = work.pop()
        if node in seen:
            continue
        seen.add(node)
        work.extend(node.args())
        for variable in node.quantifier_vars() if node.is_quantifier() else ():
            own = (f"k{n}" if n > 1 else "k" for n in count(1))
            name = next(n for n in own if n not in taken)
            taken.add(found.setdefault(variable, name))
    return found


def _element(
    node: Term, texts: Mapping[Term, str], names: Mapping[Term, str], element: ElementText
) -> str | None:
    """An element of an array, an array with one changed, or a quantified formula."""
    if node.is_select():
        array, index = node.args()
        return element(array, index, texts.__getitem__) or f"{texts[array]}[{_bare(texts[index])}]"
    if node.is_store():
        below, index, value = node.args()
        here = element(base_of(below), index, texts.__getitem__) or f"[{_bare(texts[index])}]"
        return f"({texts[below]} with {here} = {_bare(texts[value])})"
    if node.is_quantifier():
        bound = ", ".join(names[v] for v in node.quantifier_vars())
        name = "forall" if node.is_forall() else "exists"
        return f"({name} {bound}: {_bare(texts[node.arg(0)])})"
    return None


def base_of(array: Term) -> Term:
    """The array that stores were made to."""
    while array.is_store():
        array = array.arg(0)
    return array


def _negation(node: Term, texts: Mapping[Term, str]) -> str:
    inner = node.arg(0)
    flipped = _FLIPPED.get(inner.node_type())
    if flipped is None:
        return f"!{texts[inner]}"
    left, right = (texts[a] for a in inner.args())
    return f"({left} {flipped} {right})"


def _constant(node: Term) -> str:
    if node.is_bool_constant():
        return "1" if node.is_true() else "0"
    if node.is_bv_constant():
        return str(node.bv_signed_value())
    return str(node.constant_value())
