"""Invariants as a user reads them: at C lines, in C names.

A model's formula at a loop head is printed in infix form with the C name of every parameter that
has one.  A parameter without a C name keeps the name of its SSA value; such an invariant is marked
by the `%` of that name.  Elements of memory are named by the objects they lie in.  Beside that text
an invariant has a C expression, of those conjuncts whose variables certainly hold the values, and
SMT-LIB for the others.
"""

from __future__ import annotations

from collections.abc import Callable

from seahorn_py.base.patterns import pattern
from seahorn_py.encode.encoding import CutKind, Encoding
from seahorn_py.evidence.expressions.elements import Elements
from seahorn_py.evidence.expressions.heads import Speaker
from seahorn_py.evidence.expressions.lvalue import joined
from seahorn_py.evidence.expressions.smt_text import smt
from seahorn_py.horn.system import Model, Parameter, Relation, Role
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.infix import base_of, print_infix
from seahorn_py.result import Invariant

MAX_CHARACTERS = 2_000
_SUFFIX = pattern(r"(\?|~\d+|\[[^]]*\](~\d+)?)$")
"""What tells symbols of different sorts apart (`encode.names`)."""


def show(encoding: Encoding, model: Model, *, in_c: bool = False) -> tuple[Invariant, ...]:
    """The invariants of all cut points, in the order of the relations, without trivial ones.

    With `in_c` they are C expressions as far as that is possible, and those at the exits of
    functions are left to their contracts.
    """
    shown = []
    elements = Elements(encoding)
    speaker = Speaker(encoding, model)
    for name, relation in encoding.system.relations.items():
        formula = model.interpretations.get(name, terms.TRUE)
        cut = encoding.cuts[name]
        if formula is terms.TRUE or cut.kind is CutKind.ENTRY:
            continue
        if in_c and cut.kind is CutKind.EXIT:
            continue
        text = _text(elements, relation, formula)
        if len(text) > MAX_CHARACTERS:
            text = f"({len(text)} characters; see the model in SMT-LIB)"
        place = relation.origin.span
        function = place.function if place else cut.function
        c, other = _in_c(speaker, name) if in_c else ("", ())
        shown.append(Invariant(function, place, text, c, other))
    return tuple(shown)


def _in_c(speaker: Speaker, name: str) -> tuple[str, tuple[str, ...]]:
    """What C can say, and the rest."""
    spoken = speaker.at(name)
    text = joined((conjunct.text for conjunct in spoken.said), "&&")
    return text, tuple(smt(part) for part in spoken.left_out)


def _text(elements: Elements, relation: Relation, formula: Term) -> str:
    """The formula, the elements of its regions by their places; of several regions, by which."""
    names = _names(relation)
    regions = [p for p in relation.parameters if p.role is Role.REGION]
    sizes = {p.symbol: (p.width or 8) // 8 for p in regions}

    def place(array: Term, index: Term, show: Callable[[Term], str]) -> str | None:
        if array not in sizes:
            changed = array.is_store() and place(base_of(array), index, show)
            return f"({changed} of {show(array)})" if changed else None
        found = elements.text(index, sizes[array], show)
        return found if found is None or len(sizes) == 1 else f"{found}@{names[array]}"

    return print_infix(formula, names, place)


def _names(relation: Relation) -> dict[terms.Term, str]:
    """Readable names, unique within the relation."""
    names: dict[terms.Term, str] = {}
    taken: set[str] = set()
    for parameter in relation.parameters:
        name = _name(parameter)
        copy = 2
        while name in taken:
            name = f"{_name(parameter)}!{copy}"
            copy += 1
        taken.add(name)
        names[parameter.symbol] = name
    return names


def _name(parameter: Parameter) -> str:
    if parameter.c_name is not None:
        return parameter.c_name
    text = _SUFFIX.sub("", str(parameter.symbol.symbol_name()))
    _, mark, register = text.partition(".%")
    return "%" + (register if mark else text.rsplit(".", 1)[-1])
