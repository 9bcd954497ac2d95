"""Checks that a local has a value when it is read: the property `uninit`.

A scalar whose address is only used to load and store it gets a shadow bit that its stores set and
its loads check; it is cleared where the scalar's life begins.  What has a value from the start
needs no bit.  Other objects are not followed: a gap of a proof.  A function that should return a
value and ends without one reads its result, which has none.
"""

from __future__ import annotations

from collections.abc import Mapping

from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.llvmtext.debugtext import DebugText
from seahorn_py.frontend.llvmtext.inputs import Inputs
from seahorn_py.frontend.llvmtext.lines import DEBUG, REGISTER
from seahorn_py.frontend.llvmtext.module import FunctionText
from seahorn_py.frontend.llvmtext.tokens import NAME
from seahorn_py.ir.program import NOT_COVERED
from seahorn_py.options import Property

_GAP = "reads of arrays, structs, heap blocks and locals with pointers to them are not checked"
_ASSUMED = f"{NOT_COVERED}uninit of arrays, structs, heap blocks and locals with pointers to them"
_ALLOCA = pattern(rf"  (%{NAME}) = alloca ")
_BEGIN = pattern(rf"  call void @llvm\.lifetime\.(start|end)\.p0\(ptr (%{NAME})\)")
_LOAD = pattern(rf"  %{NAME} = load (?:volatile )?([^,]+), ptr (%{NAME}), align ")
_STORE = pattern(rf"  store (?:volatile )?(\S+) ([^%]\S*|%{NAME}), ptr (%{NAME}), align ")
_DECLARE = pattern(rf"    #dbg_declare\(ptr (%{NAME}), !(\d+),")
_HEAP = pattern(r"@(?:malloc|realloc|aligned_alloc|alloca)\(")


def check_reads(
    function: FunctionText,
    unset: Mapping[str, str],
    inputs: Inputs,
    debug: DebugText,
    *,
    assumes: bool = False,
) -> list[str]:
    """The lines of a function with checks of the slots `unset`, given with their types.

    These are the slots that do not get a value where their life begins.  That what is not checked
    has a value is a gap, or assumed.
    """
    scalars = {slot for slot, kind in unset.items() if inputs.is_scalar(kind)}
    followed = scalars - _used_otherwise(function, unset)
    if len(followed) < len(unset) or any(map(_HEAP.search, function.lines)):
        inputs.assume(_ASSUMED) if assumes else inputs.gap(_GAP)
    if not followed:
        return list(function.lines)
    shadows = {slot: inputs.name() for slot in sorted(followed)}
    declared = filter(None, map(_DECLARE.match, function.lines))
    names = {found[1]: debug.name(found[2]) for found in declared}
    out: list[str] = []
    for line in function.lines:
        out.extend(_before(line, shadows, names, inputs))
        out.append(line)
        out.extend(_after(line, shadows))
    return out


def _used_otherwise(function: FunctionText, unset: Mapping[str, str]) -> set[str]:
    """The slots whose address is used for more than loads and stores of the whole."""
    found: set[str] = set()
    for line in function.lines:
        if line.startswith("    #dbg") or _ALLOCA.match(line) or _BEGIN.match(line):
            continue
        load, store = _LOAD.match(line), _STORE.match(line)
        direct = ""
        if load and unset.get(load[2]) == load[1]:
            direct = load[2]
        elif store and unset.get(store[3]) == store[1] and store[2] != store[3]:
            direct = store[3]
        found.update(r for r in REGISTER.findall(line) if r in unset and r != direct)
    return found


def _before(
    line: str, shadows: Mapping[str, str], names: Mapping[str, str], inputs: Inputs
) -> list[str]:
    load = _LOAD.match(line) if " = load " in line else None
    if load is None or load[2] not in shadows:
        return []
    place = DEBUG.search(line)
    debug = place[0] if place else ""
    name = names.get(load[2], "")
    text = f"{name} has no value" if name else "the function ends without a value"
    bit = inputs.name()
    return [
        f"  {bit} = load i1, ptr {shadows[load[2]]}, align 1{debug}",
        *inputs.check(bit, text, debug, Property.UNINIT),
    ]


def _after(line: str, shadows: Mapping[str, str]) -> list[str]:
    allocated = _ALLOCA.match(line) if " = alloca " in line else None
    if allocated and allocated[1] in shadows:
        shadow = shadows[allocated[1]]
        return [f"  {shadow} = alloca i1, align 1", f"  store i1 false, ptr {shadow}, align 1"]
    begun = _BEGIN.match(line)
    if begun and begun[2] in shadows:
        return [f"  store i1 false, ptr {shadows[begun[2]]}, align 1"]
    stored = _STORE.match(line)
    if stored and stored[3] in shadows:
        return [f"  store i1 true, ptr {shadows[stored[3]]}, align 1"]
    return []
