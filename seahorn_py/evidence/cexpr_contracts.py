r"""What a model says where functions are entered and left, as C conditions over their parameters.

The relation at the entry holds the contexts in which a function is called: its precondition.  The
one at the exit is its summary: a postcondition, in which parameters have their values at the entry
(as in ACSL) and `\result` is what the function returns.
"""

from __future__ import annotations

from collections.abc import Mapping

from seahorn_py.encode.encoding import Arithmetic, Cut, CutKind, Encoding
from seahorn_py.evidence.cexpr_heads import Speaker
from seahorn_py.evidence.cexpr_leaf import Leaf
from seahorn_py.evidence.ctext_types import IntegerType, integer_type
from seahorn_py.evidence.smt_text import smt
from seahorn_py.horn.system import Model, Parameter, Role
from seahorn_py.ir.program import Register
from seahorn_py.logic.terms import Term
from seahorn_py.result import Contract

RESULT = "\\result"
_FIRST = "ret.0"


def contracts(encoding: Encoding, model: Model) -> tuple[Contract, ...]:
    """The contracts of C functions that were not inlined, without those that say nothing."""
    speaker = Speaker(encoding, model)
    entries: dict[str, str] = {}
    found = []
    for name in encoding.system.relations:
        cut = encoding.cuts[name]
        if cut.function == encoding.program.entry:  # no function of the C text
            continue
        if cut.kind is CutKind.ENTRY:
            entries[cut.function] = name
        elif cut.kind is CutKind.EXIT and cut.function in entries:
            contract = _contract(encoding, speaker, entries[cut.function], name)
            if contract.requires or contract.ensures or contract.left_out:
                found.append(contract)
    return tuple(found)


def _contract(encoding: Encoding, speaker: Speaker, entry: str, exit_: str) -> Contract:
    before = speaker.over(entry, _leaves(encoding, entry), {})
    after = speaker.over(exit_, _leaves(encoding, exit_), {})
    known = {conjunct.text for conjunct in before.said}
    return Contract(
        encoding.cuts[entry].function,
        before.relation.origin.span,
        tuple(c.text for c in before.said),
        tuple(c.text for c in after.said if c.text not in known),
        tuple(smt(part) for part in dict.fromkeys((*before.left_out, *after.left_out))),
        encoding.options.arithmetic is Arithmetic.INT,
    )


def _leaves(encoding: Encoding, name: str) -> Mapping[Term, Leaf]:
    """The parameters of a function at its entry, and what it returns first."""
    relation, cut = encoding.system.relations[name], encoding.cuts[name]
    leaves = (
        (p.symbol, _leaf(p, register, encoding, cut))
        for p, register in zip(relation.parameters, cut.registers, strict=True)
    )
    return {symbol: leaf for symbol, leaf in leaves if leaf is not None}


def _leaf(parameter: Parameter, register: Register, encoding: Encoding, cut: Cut) -> Leaf | None:
    c_name = parameter.c_name
    if parameter.width is None or parameter.width > 64:
        return None
    if parameter.role is Role.ENTRY and c_name is not None and c_name.isidentifier():
        kind = integer_type(parameter.c_type, encoding.program.pointer_width)
        if kind is not None and kind.width != parameter.width:
            return None
    elif cut.kind is CutKind.EXIT and register.name == _FIRST:
        c_name, kind = RESULT, None
    else:
        return None
    signed = parameter.signed
    if encoding.options.arithmetic is not Arithmetic.INT and kind is not None:
        signed = kind.signed
    return Leaf(c_name, kind, parameter.width, signed, IntegerType(parameter.width, signed).range)
