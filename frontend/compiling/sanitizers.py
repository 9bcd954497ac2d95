"""Checks that clang defines: its flags, and its traps read as checks.

UndefinedBehaviorSanitizer (clang documentation) branches to a block with `llvm.ubsantrap(i8 kind)`
where a check fails; the kind, and how the condition of the branch is computed, tell the property.
The branch becomes `sea.check` and a jump; where its property is not asked for, only the jump.

SV-COMP's `no-overflow` is about the results of signed operations (rules, section "Properties"):
`+ - *`, negation, `INT_MIN / -1` and `INT_MIN % -1`, and `<<` of a signed value, which is undefined
unless the value is not negative and the exact result fits (C17, 6.5.7).  Shifts of unsigned values
and to the right are no overflow.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.llvmtext.debugtext import DebugText
from seahorn_py.frontend.llvmtext.inputs import Inputs
from seahorn_py.frontend.llvmtext.lines import DEBUG, LABEL
from seahorn_py.frontend.llvmtext.tokens import NAME
from seahorn_py.ir.program import BOUNDS_ALONE
from seahorn_py.options import FrontendOptions, Overflow, Property

_WRAPPING = "-fwrapv"
_BY_PROPERTY = {
    Property.NO_OVERFLOW: ("signed-integer-overflow", "shift"),
    Property.SHIFT: ("signed-integer-overflow", "shift"),
    Property.UNSIGNED_OVERFLOW: ("unsigned-integer-overflow",),
    Property.CONVERSION: ("implicit-conversion", "float-cast-overflow"),
    Property.BOUNDS: ("array-bounds",),
    Property.DIV_BY_ZERO: ("integer-divide-by-zero",),
}
_WITHOUT_WRAPPING = (Property.NO_OVERFLOW, Property.SHIFT)
_ASSUMED = ("signed-integer-overflow",)
_OWN = frozenset({Property.DIV_BY_ZERO})
"""Properties of which `checks.inserted` knows too; clang's part is only what it folds itself."""

_TRAP = pattern(r"  call void @llvm\.ubsantrap\(i8 (\d+)\)(.*)")
_BRANCH = pattern(rf"  br i1 (%{NAME}|true|false), label %({NAME}), label %({NAME})(.*)")
_DEFINITION = pattern(rf"  (%{NAME}) = (.*)")
_OPERANDS = pattern(rf"%{NAME}")
_STEP = pattern(r" = getelementptr (?:(?:inbounds|nuw|nusw) )*(?![\[{%])")
_NO_OVERFLOW = "signed arithmetic does not overflow"
_ARITHMETIC = frozenset({0, 12, 13, 21})
_DIVISION, _SHIFT, _BOUNDS = 3, 20, 18
_CONVERSIONS = frozenset({5, 7})
_TEXTS = {
    **dict.fromkeys(_ARITHMETIC, "the result does not fit"),
    _DIVISION: "the quotient does not fit",
    _SHIFT: "a shift of this value by this amount is undefined",
    _BOUNDS: "the index is out of bounds",
    **dict.fromkeys(_CONVERSIONS, "the conversion changes the value"),
}


def compiler_flags(flags: Sequence[str], options: FrontendOptions) -> list[str]:
    """The flags with those that the properties add, and without those that hide their checks."""
    wanted = [_BY_PROPERTY[p] for p in _BY_PROPERTY if options.wants(p)]
    if _cuts_overflow(options):
        wanted.append(_ASSUMED)
    if not wanted:
        return list(flags)
    tells = _cuts_overflow(options) or any(map(options.wants, _WITHOUT_WRAPPING))
    kept = [f for f in flags if f != _WRAPPING or not tells]
    names = dict.fromkeys(name for several in wanted for name in several)
    return [*kept, f"-fsanitize={','.join(names)}", "-fsanitize-trap=all", "-fno-sanitize-merge"]


def needs_c(options: FrontendOptions) -> str:
    """What is wanted that only clang can check; "" if there is none."""
    for property_ in _BY_PROPERTY:
        if options.wants(property_) and property_ not in _OWN:
            return f"the property {property_.value}"
    return "--overflow assume" if _cuts_overflow(options) else ""


def _cuts_overflow(options: FrontendOptions) -> bool:
    """Whether a run ends without an error where signed arithmetic overflows.

    Of termination the encoding tells what overflow is: integers without bounds count there.
    """
    asked = Property.NO_OVERFLOW, Property.TERMINATION
    return options.overflow is Overflow.ASSUME and not any(map(options.wants, asked))


class Traps:
    """Rewrites the traps of the functions of one module."""

    def __init__(self, inputs: Inputs, debug: DebugText, options: FrontendOptions) -> None:
        self._inputs = inputs
        self._debug = debug
        self._options = options
        self._cuts = _cuts_overflow(options)
        self._active = self._cuts or any(map(options.wants, _BY_PROPERTY))
        self._alone = options.wants(Property.BOUNDS) and not options.wants(Property.VALID_DEREF)

    def rewrite(self, lines: Sequence[str]) -> Sequence[str]:
        """The lines of a function with checks instead of branches to traps.

        Of pointers clang checks no steps, and those from an array may lead right behind its end.
        """
        if self._alone and any(map(_STEP.search, lines)):
            self._inputs.assume(BOUNDS_ALONE)
        traps = _traps(lines) if self._active else {}
        if not traps:
            return lines
        definitions = {m[1]: m[2] for m in map(_DEFINITION.match, lines) if m}
        out: list[str] = []
        for line in lines:
            branch = _BRANCH.match(line) if line.startswith("  br i1 ") else None
            if branch and branch[3] in traps:
                out.extend(self._check(branch, *traps[branch[3]], definitions))
            else:
                out.append(line)
        return out

    def _check(
        self, branch: re.Match[str], kind: int, trap: str, definitions: dict[str, str]
    ) -> list[str]:
        condition, target, _, tail = branch.groups()
        place = DEBUG.search(tail)
        debug = place[0] if place else ""
        jump = f"  br label %{target}{debug}"
        fits = self._assumed(kind, condition, definitions)
        if fits is not None:
            return [*without_overflow(self._inputs, fits, debug), jump]
        found = self._meaning(kind, condition, definitions)
        if found is None:
            return [jump]
        property_, condition = found
        text = self._debug.trap_message(trap) or _TEXTS[kind]
        return [*self._inputs.check(condition, text, debug, property_), jump]

    def _assumed(self, kind: int, condition: str, definitions: dict[str, str]) -> str | None:
        """What is assumed to hold where a signed result may overflow; None where none may."""
        if not self._cuts:
            return None
        if kind == _DIVISION:
            fits = _of_quotient(condition, definitions)
            return fits if definitions.get(fits, "").startswith("or ") else None
        return condition if kind in _ARITHMETIC and _is_signed(condition, definitions) else None

    def _meaning(
        self, kind: int, condition: str, definitions: dict[str, str]
    ) -> tuple[Property, str] | None:
        """The wanted property that a trap belongs to, and the condition that must hold for it."""
        if kind == _DIVISION:
            return self._division(condition, definitions)
        if kind in _ARITHMETIC:
            signed = _is_signed(condition, definitions)
            candidates = [Property.NO_OVERFLOW if signed else Property.UNSIGNED_OVERFLOW]
        elif kind == _SHIFT:
            candidates = [Property.SHIFT]
            if _has_base_check(condition, definitions):
                candidates.append(Property.NO_OVERFLOW)
        elif kind == _BOUNDS:
            candidates = [Property.BOUNDS]
        else:
            candidates = [Property.CONVERSION] if kind in _CONVERSIONS else []
        wanted = next(filter(self._options.wants, candidates), None)
        return (wanted, condition) if wanted else None

    def _division(self, condition: str, definitions: dict[str, str]) -> tuple[Property, str] | None:
        """A zero divisor is left to the check before the division, except where there is none."""
        condition = _of_quotient(condition, definitions)
        if definitions.get(condition, "").startswith("or "):
            return (Property.NO_OVERFLOW, condition) if self._wants_overflow else None
        if condition != "false":
            return None
        by_zero = self._options.wants(Property.DIV_BY_ZERO)
        return (Property.DIV_BY_ZERO if by_zero else Property.NO_OVERFLOW), condition

    @property
    def _wants_overflow(self) -> bool:
        return self._options.wants(Property.NO_OVERFLOW)


def without_overflow(inputs: Inputs, condition: str, debug: str) -> list[str]:
    """One line behind which runs go on where the condition holds; recorded."""
    inputs.assume(_NO_OVERFLOW)
    return [f"  call void @sea.assume(i1 {condition}){debug}"]


def _of_quotient(condition: str, definitions: dict[str, str]) -> str:
    """The part of the condition of a division that is not about zero."""
    definition = definitions.get(condition, "")
    return _OPERANDS.findall(definition)[-1] if definition.startswith("and ") else condition


def _traps(lines: Sequence[str]) -> dict[str, tuple[int, str]]:
    """The labels of the blocks that trap, each with its kind and debug text."""
    found: dict[str, tuple[int, str]] = {}
    label = ""
    for line in lines:
        if line[:1] not in ("", " "):
            named = LABEL.match(line)
            label = named[1] if named else ""
        elif "@llvm.ubsantrap(" in line:
            trap = _TRAP.match(line)
            if trap:
                found[label] = (int(trap[1]), trap[2])
    return found


def _is_signed(condition: str, definitions: dict[str, str]) -> bool:
    """`condition` is the negated flag of `llvm.s*.with.overflow`."""
    flag = _OPERANDS.search(definitions.get(condition, ""))
    pair = _OPERANDS.findall(definitions.get(flag[0], ""))[-1:] if flag else []
    return not pair or "@llvm.u" not in definitions.get(pair[0], "")


def _has_base_check(condition: str, definitions: dict[str, str]) -> bool:
    """Only for `<<` of a signed value clang looks at the bits that are shifted out."""
    registers = _OPERANDS.findall(definitions.get(condition, ""))
    return any(definitions.get(r, "").startswith("phi i1 [ true,") for r in registers)
