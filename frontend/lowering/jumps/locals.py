"""What becomes of the locals of a function that calls `setjmp` (C17, 7.13.2.1p3).

One that is not volatile and was changed between `setjmp` and `longjmp` is indeterminate then: a
scalar whose address is not taken has a flag for each place, and an arbitrary value where that is
set.  Other objects lie in memory and keep what was written, which the ledger says.  A volatile
local whose address is not taken is an ordinary one, since nobody else can see it.
"""

from __future__ import annotations

from collections.abc import Iterator

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.llvmtext.debugtext import DebugText
from seahorn_py.frontend.llvmtext.inputs import Cause, Inputs
from seahorn_py.frontend.llvmtext.lines import REGISTER
from seahorn_py.frontend.llvmtext.module import FunctionText
from seahorn_py.frontend.llvmtext.tokens import NAME
from seahorn_py.frontend.lowering.events.jumpnames import SETTING
from seahorn_py.ir.program import SiteKind
from seahorn_py.options import FrontendOptions, Property

_ALLOCA = pattern(rf"  (%{NAME}) = alloca ((?!inalloca)[^,]*|[\[{{<].*?), align \d+")
_DECLARE = pattern(rf"    #dbg_declare\(ptr (%{NAME}), !(\d+), .*, (!\d+)\)")
_LOAD = pattern(rf"  %{NAME} = load (volatile )?.*, ptr (%{NAME}), align ")
_STORE = pattern(rf"  store (volatile )?.* (\S+), ptr (%{NAME}), align ")
_BUFFERS = pattern(r"\[1 x %struct\.__jmp_buf_tag\]|%struct\.__jmp_buf_tag$")
_KEPT = (
    "locals of a function with setjmp() that are no scalars, or whose address is taken, keep what"
    " was written when longjmp() returns to it"
)


@dataclass
class _Local:
    """A slot; it is `plain` if it is only loaded and stored.

    `stores` are those that may come between `setjmp` and `longjmp`.
    """

    type: str
    plain: bool = True
    volatile: bool = False
    stores: int = 0
    declared: str = ""
    debug: str = ""


class Locals:
    """The locals of one function with so many places of `setjmp`."""

    def __init__(
        self,
        function: FunctionText,
        places: int,
        inputs: Inputs,
        debug: DebugText,
        options: FrontendOptions,
    ) -> None:
        self._inputs = inputs
        self._debug = debug
        self._found = _locals(function) if places else {}
        is_c = any(local.declared for local in self._found.values())
        self._tracked = {
            slot: local
            for slot, local in self._found.items()
            if local.plain and local.stores and not local.volatile
            if inputs.is_scalar(local.type) and (local.declared or not is_c)
        }
        if self._tracked and options.wants(Property.UNINIT):
            inputs.gap("reads of locals that are indeterminate after longjmp() are not checked")
        if options.wants(Property.VALID_DEREF) and any(map(self._is_inner, self._found.values())):
            inputs.gap("accesses to locals of blocks that longjmp() has left are not seen")
        for slot, local in self._found.items():
            is_named = local.declared and not local.volatile and not _BUFFERS.match(local.type)
            if is_named and slot not in self._tracked and not (local.plain and not local.stores):
                inputs.assume(_KEPT)
        self._flags = {
            slot: [f"{inputs.name()}.changed" for _ in range(places)] for slot in self._tracked
        }

    def _is_inner(self, local: _Local) -> bool:
        """Whether pointers may lead to a local that lives as long as an inner block."""
        scoped = bool(local.declared) and not self._debug.is_function_scope(local.declared)
        return scoped and not local.plain

    def slots(self) -> Iterator[str]:
        """Lines at the start of the function."""
        for flags in self._flags.values():
            for flag in flags:
                yield f"  {flag} = alloca i1, align 1"
                yield f"  store i1 false, ptr {flag}, align 1"

    def rewritten(self, line: str) -> list[str]:
        """A line, with what it means to the locals."""
        stored = _STORE.match(line)
        if stored and stored[3] in self._tracked:
            return [line, *(f"  store i1 true, ptr {f}, align 1" for f in self._flags[stored[3]])]
        found = stored[3] if stored else (m[2] if (m := _LOAD.match(line)) else "")
        local = self._found.get(found)
        if local is not None and local.plain and " volatile " in line:
            return [line.replace(" volatile ", " ", 1)]
        return [line]

    def at_place(self, number: int) -> Iterator[str]:
        """Lines at a `setjmp`: nothing has changed yet."""
        for flags in self._flags.values():
            yield f"  store i1 false, ptr {flags[number]}, align 1"

    def landing(self, number: int) -> Iterator[str]:
        """Lines before it returns again: what has changed becomes arbitrary."""
        for slot, local in self._tracked.items():
            changed, old, other, new = (self._inputs.name() for _ in range(4))
            yield f"  {changed} = load i1, ptr {self._flags[slot][number]}, align 1"
            yield f"  {old} = load {local.type}, ptr {slot}, align 1"
            yield from self._inputs.value(other, local.type, self._cause(local), local.debug)
            kind = local.type
            yield f"  {new} = select i1 {changed}, {kind} {other}, {kind} {old}"
            yield f"  store {kind} {new}, ptr {slot}, align 1"

    def _cause(self, local: _Local) -> Cause:
        c_type, signed = self._debug.variable_type(local.declared or None)
        return SiteKind.UNINIT, self._debug.name(local.declared or None), c_type, signed


def _locals(function: FunctionText) -> dict[str, _Local]:
    """The slots of a function; stores in its first block before any place cannot follow one."""
    found: dict[str, _Local] = {}
    has_begun = False
    for line in function.lines:
        has_begun |= line[:1] not in ("", " ") or any(f"@{name}(" in line for name in SETTING)
        if " = alloca " in line:
            made = _ALLOCA.match(line)
            if made:
                found[made[1]] = _Local(made[2])
        elif line.startswith("    #"):
            declared = _DECLARE.match(line)
            if declared and declared[1] in found:
                local = found[declared[1]]
                local.declared, local.debug = declared[2], f", !dbg {declared[3]}"
        elif "@llvm.lifetime." not in line:
            _mention(line, found, has_begun)
    return found


def _mention(line: str, found: dict[str, _Local], has_begun: bool) -> None:
    load, store = _LOAD.match(line), _STORE.match(line)
    direct = load[2] if load else store[3] if store and store[2] != store[3] else ""
    for register in REGISTER.findall(line):
        local = found.get(register)
        if local is None:
            continue
        if register != direct:
            local.plain = False
            continue
        local.volatile |= " volatile " in line
        local.stores += store is not None and has_begun
