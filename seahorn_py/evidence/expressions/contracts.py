r"""What a model says where functions are entered and left, as C conditions over their parameters.

The relation at the entry holds the contexts in which a function is called: its precondition.  The
one at the exit is its summary: a postcondition, in which parameters have their values at the entry
(as in ACSL), `\result` is what the function returns, and `\old(g)` is what a global that it may
change was at the entry.
"""

from __future__ import annotations

from collections.abc import Mapping

from seahorn_py.base.patterns import pattern
from seahorn_py.csource.types import IntegerType, integer_type
from seahorn_py.encode.encoding import Arithmetic, CutKind, Encoding
from seahorn_py.evidence.expressions.heads import Speaker
from seahorn_py.evidence.expressions.lvalue import Lvalue
from seahorn_py.evidence.expressions.smt_text import smt
from seahorn_py.evidence.expressions.variables import globals_at_entry, globals_at_exit
from seahorn_py.horn.system import Model, Parameter, Role
from seahorn_py.ir.program import Register, Variable
from seahorn_py.logic.terms.terms import Term
from seahorn_py.result import Contract

RESULT = "\\result"
_NUMBER = pattern(r"ret\.(\d+)")


def contracts(
    encoding: Encoding, model: Model, returned: Mapping[str, int]
) -> tuple[Contract, ...]:
    """The contracts of C functions that were not inlined, without those that say nothing.

    `returned` is how many values each function returns in C, where globals are no results.
    """
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
            leaves = _Leaves(encoding, cut.function, returned.get(cut.function, 0))
            contract = _contract(encoding, speaker, entries[cut.function], name, leaves)
            if contract.requires or contract.ensures or contract.left_out:
                found.append(contract)
    return tuple(found)


def _contract(
    encoding: Encoding, speaker: Speaker, entry: str, exit_: str, leaves: _Leaves
) -> Contract:
    before = speaker.over(entry, leaves.at(entry), {})
    after = speaker.over(exit_, leaves.at(exit_), {})
    known = {conjunct.text for conjunct in before.said}
    return Contract(
        encoding.cuts[entry].function,
        before.relation.origin.span,
        tuple(c.text for c in before.said),
        tuple(c.text for c in after.said if c.text not in known),
        tuple(smt(part) for part in dict.fromkeys((*before.left_out, *after.left_out))),
        encoding.options.arithmetic is Arithmetic.INT,
    )


class _Leaves:
    """What the relations at the entry and the exit of one function are about, in C."""

    def __init__(self, encoding: Encoding, function: str, returned: int) -> None:
        self._encoding = encoding
        self._returned = returned
        self._before = globals_at_entry(encoding.program.functions[function])
        self._after = globals_at_exit(encoding.program.functions[function])

    def at(self, name: str) -> Mapping[Term, Lvalue]:
        """The parameters of a relation that C has a name for."""
        relation, cut = self._encoding.system.relations[name], self._encoding.cuts[name]
        is_exit = cut.kind is CutKind.EXIT
        leaves = (
            (p.symbol, self._leaf(p, register, is_exit))
            for p, register in zip(relation.parameters, cut.registers, strict=True)
        )
        return {symbol: leaf for symbol, leaf in leaves if leaf is not None}

    def _leaf(self, parameter: Parameter, register: Register, is_exit: bool) -> Lvalue | None:
        number = _NUMBER.fullmatch(register.name)
        if parameter.width is None or parameter.width > 64 or parameter.role is Role.REGION:
            return None
        if parameter.role is not Role.ENTRY:
            if number is None or not is_exit:
                return None
            return self._result(parameter, int(number[1]))
        variable = self._before.get(register)
        if variable is not None:
            is_old = is_exit and register not in self._after.unchanged
            return self._global(parameter, variable, f"\\old({variable})" if is_old else "")
        c_name = parameter.c_name
        if c_name is None or not c_name.isidentifier():
            return None
        kind = integer_type(parameter.c_type, self._encoding.program.pointer_width)
        return self._named(parameter, c_name, kind)

    def _result(self, parameter: Parameter, number: int) -> Lvalue | None:
        if number < self._returned:
            return self._named(parameter, RESULT, None) if self._returned == 1 else None
        variable = self._after.results.get(number)
        return None if variable is None else self._global(parameter, variable)

    def _global(self, parameter: Parameter, variable: Variable, text: str = "") -> Lvalue | None:
        if variable.signed is None or parameter.width is None:
            return None
        known = integer_type(variable.c_type, self._encoding.program.pointer_width)
        kind = known or IntegerType(parameter.width, variable.signed)
        return self._named(parameter, text or str(variable), kind)

    def _named(self, parameter: Parameter, name: str, kind: IntegerType | None) -> Lvalue | None:
        width, signed = parameter.width or 0, parameter.signed
        if kind is not None and kind.width != width:
            return None
        if self._encoding.options.arithmetic is not Arithmetic.INT and kind is not None:
            signed = kind.signed
        return Lvalue(name, kind, width, signed, IntegerType(width, signed).range)
