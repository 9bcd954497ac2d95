"""Lines of LLVM text that bring arbitrary values and checks into a program.

Numbers given here are provisional: inlining copies calls, and only then is every copy numbered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from seahorn_py.base.errors import Span, UnsupportedError
from seahorn_py.frontend.llvmtext.layout import ArrayType, LlvmType, StructType, Types, data_layout
from seahorn_py.frontend.llvmtext.lowered import RawCheck, RawSite
from seahorn_py.frontend.llvmtext.module import ModuleText, spoken
from seahorn_py.frontend.llvmtext.tokens import Cursor, split_top
from seahorn_py.ir.operands import PADDING
from seahorn_py.ir.program import SILENT, SiteKind
from seahorn_py.ir.types import FloatType, IntType, PointerType
from seahorn_py.options import Property

AREA = "%sea.area"
"""Begins the name of a slot that holds variable arguments."""

_OWN_BYTES = 4096
_LEAF_LIMIT = 16
_ANY_ATTRIBUTES = "nounwind memory(inaccessiblemem: readwrite)"
_VALID_ATTRIBUTES = "nounwind"
_HAVOC_ATTRIBUTES = "nounwind memory(argmem: readwrite, inaccessiblemem: readwrite)"

Cause = tuple[SiteKind, str, str, bool | None]
"""Why a value is arbitrary: kind, C function or object, its C type, whether that is signed."""


class Inputs:
    """The provisional sites and checks of a module, and the text that reads or evaluates them."""

    def __init__(self, module: ModuleText) -> None:
        self.types = Types(data_layout(module.layout), spoken(module.types))
        self.word = str(self.types.word)
        self.sites: list[RawSite] = []
        self.checks: list[RawCheck] = []
        self.steps: list[Span | None] = []
        self.makes: dict[int, tuple[int, Span | None]] = {}
        self.assumptions: dict[str, None] = {}
        self.gaps: dict[str, None] = {}
        self.recognised: dict[str, None] = {}
        self.objects: list[str] = []
        self._silent: dict[str, None] = {}
        self._module = module
        self._types_read: set[str] = set()
        self._names = 0

    def name(self) -> str:
        """A register that no other line of the module has."""
        self._names += 1
        return f"%sea.{self._names}"

    def object(self) -> str:
        """A new global of the module, for a pointer that the program does not set."""
        name = f"@sea.object.{len(self.objects)}"
        contents = f"[{_OWN_BYTES} x i8] zeroinitializer"
        self.objects.append(f"{name} = internal global {contents}, align 16")
        self.assume(
            "an uninitialised pointer leads to an object of its own, of"
            f" {_OWN_BYTES} bytes that are 0"
        )
        return name

    def is_scalar(self, kind: str) -> bool:
        """Whether a value of the type comes from one `sea.input`."""
        read = self._read(kind)
        return isinstance(read, IntType | FloatType | PointerType)

    def size(self, kind: str) -> int:
        """Bytes of the type in memory; 0 for one that has no size."""
        return self.types.size(self._read(kind))

    def is_open(self, kind: str) -> bool:
        """How large an object of the type is, only its definition tells."""
        last = self._read(kind)
        while isinstance(last, StructType) and last.members:
            last = last.members[-1]
        return not self.size(kind) or (isinstance(last, ArrayType) and last.count == 0)

    def value(self, result: str, kind: str, cause: Cause, debug: str) -> list[str]:
        """Lines that define `result` as an arbitrary value of a first-class type."""
        if self.is_scalar(kind):
            return [f"  {result} = {self._input(kind, cause)}{debug}"]
        lines: list[str] = []
        partial = "poison"
        paths = self._paths(kind)
        if not paths:
            raise UnsupportedError(f"an arbitrary value of the type {kind} is not supported")
        for at, (path, leaf) in enumerate(paths):
            part = self.name()
            whole = result if at + 1 == len(paths) else self.name()
            lines.append(f"  {part} = {self._input(leaf, cause)}{debug}")
            lines.append(f"  {whole} = insertvalue {kind} {partial}, {leaf} {part}, {path}{debug}")
            partial = whole
        return lines

    def fill(self, address: str, kind: str, cause: Cause, debug: str) -> list[str]:
        """Lines that give an object of the type arbitrary contents: by leaves, or by one havoc.

        An object whose address is passed to a call is never promoted to registers, hence leaves.
        """
        leaves = self._small_leaves(kind)
        if leaves is None:
            return self.havoc(address, str(self.size(kind)), cause, debug)
        lines: list[str] = []
        padding = (cause[0], cause[1], PADDING, False)
        parts = [(*leaf, cause) for leaf in leaves]
        parts += [(at, leaf, padding) for at, leaf in self._gaps(leaves, self.size(kind))]
        for offset, leaf, why in parts:
            part, place = self.name(), address
            if offset:
                place = self.name()
                lines.append(
                    f"  {place} = getelementptr i8, ptr {address}, {self.word} {offset}{debug}"
                )
            lines.append(f"  {part} = {self._input(leaf, why)}{debug}")
            lines.append(f"  store {leaf} {part}, ptr {place}, align 1{debug}")
        return lines

    def havoc(self, address: str, size: str, cause: Cause, debug: str) -> list[str]:
        """One line that makes `size` bytes arbitrary."""
        number = self._site(("", *cause))
        return [f"  call void @sea.havoc(ptr {address}, {self.word} {size}, i32 {number}){debug}"]

    def silent(self, name: str, arguments: str, debug: str) -> str:
        """One line that calls a function without body, which changes nothing in a run."""
        self._silent[name] = None
        return f"  call void (...) @{SILENT}{name}({arguments}){debug}"

    def check(
        self,
        condition: str,
        text: str,
        debug: str,
        property_: Property = Property.UNREACH_CALL,
    ) -> list[str]:
        """One line that checks an `i1`."""
        number = len(self.checks)
        self.checks.append(RawCheck(number, property_.value, text))
        return [f"  call void @sea.check(i1 {condition}, i32 {number}){debug}"]

    def assume(self, text: str) -> None:
        """Record what the lowering takes for granted."""
        self.assumptions[text] = None

    def gap(self, text: str) -> None:
        """Record what is not checked though a property asks for it."""
        self.gaps[text] = None

    def recognise(self, text: str) -> None:
        """Record how a name of another verifier is understood; "" is none."""
        if text:
            self.recognised[text] = None

    def declarations(self) -> list[str]:
        """The sea functions."""
        inputs = [
            f"declare {kind} @sea.input.{kind}(i32) {_ANY_ATTRIBUTES}"
            for kind in sorted(self._types_read)
        ]
        return [
            *inputs,
            f"declare void @sea.havoc(ptr, {self.word}, i32) {_HAVOC_ATTRIBUTES}",
            f"declare void @sea.check(i1, i32) {_ANY_ATTRIBUTES}",
            f"declare void @sea.assume(i1) {_ANY_ATTRIBUTES}",
            f"declare void @sea.defined(i1) {_ANY_ATTRIBUTES}",
            f"declare i1 @sea.valid.access(ptr, {self.word}) {_VALID_ATTRIBUTES}",
            f"declare i1 @sea.valid.write(ptr, {self.word}) {_VALID_ATTRIBUTES}",
            f"declare i1 @sea.valid.free(ptr) {_VALID_ATTRIBUTES}",
            f"declare i1 @sea.valid.call(ptr) {_VALID_ATTRIBUTES}",
            f"declare i1 @sea.valid.noleak() {_VALID_ATTRIBUTES}",
            f"declare i1 @sea.valid.nolost() {_VALID_ATTRIBUTES}",
            f"declare void @sea.reuse(i1) {_ANY_ATTRIBUTES}",
            f"declare void @sea.scope(ptr, i1) {_VALID_ATTRIBUTES}",
            f"declare void @sea.called(ptr) {_ANY_ATTRIBUTES}",
            f"declare void @sea.stop() noreturn {_ANY_ATTRIBUTES}",
            *(f"declare void @{SILENT}{name}(...)" for name in self._silent),
        ]

    def _input(self, kind: str, cause: Cause) -> str:
        self._types_read.add(kind)
        return f"call {kind} @sea.input.{kind}(i32 {self._site((kind, *cause))})"

    def _site(self, key: tuple[str, SiteKind, str, str, bool | None]) -> int:
        number = len(self.sites)
        kind, why, name, c_type, signed = key
        self.sites.append(RawSite(number, why, kind, name, c_type or kind, signed))
        return number

    def _read(self, kind: str) -> LlvmType:
        return self.types.read(Cursor.of(kind))

    def _small_leaves(self, kind: str) -> Sequence[tuple[int, str]] | None:
        """Offsets and types of the scalars of a small type, None for a large one."""
        read = self._read(kind)
        if self.types.size(read) > _LEAF_LIMIT * 16:
            return None
        leaves = self.types.leaves(read)
        if len(leaves) > _LEAF_LIMIT:
            return None
        return [(offset, str(leaf)) for offset, leaf in leaves]

    def _gaps(self, leaves: Sequence[tuple[int, str]], size: int) -> Iterator[tuple[int, str]]:
        """Offsets and types of integers for the bytes between scalars, and behind the last one."""
        at = 0
        for start, kind in (*leaves, (size, "")):
            while at < start:
                count = max(n for n in (1, 2, 4, 8) if at + n <= start)
                yield at, f"i{8 * count}"
                at += count
            at = max(at, start + (self.size(kind) if kind else 0))

    def _paths(self, kind: str) -> list[tuple[str, str]]:
        """Index paths and types of the leaves of a struct or array type."""
        found: list[tuple[str, str]] = []
        waiting = [("", kind)]
        while waiting:
            path, part = waiting.pop()
            members = self._members(part)
            if members is None:
                found.append((path, part))
                continue
            steps = [(f"{path}, {i}" if path else str(i), m) for i, m in enumerate(members)]
            waiting.extend(reversed(steps))
        return found

    def _members(self, kind: str) -> Sequence[str] | None:
        text = self._module.types.get(kind[1:], kind) if kind[:1] == "%" else kind
        if text[:1] == "{":
            return split_top(text[1:-1].strip())
        if text[:1] == "[":
            count, _, element = text[1:-1].partition(" x ")
            return [element] * int(count)
        return None
