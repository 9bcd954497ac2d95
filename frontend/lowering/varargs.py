"""Variable arguments become ordinary memory, as the platform's calling convention lays them out.

Instead of `...` a function takes the address of an area that the caller fills with the further
arguments one after the other: System V ABI for i386 (3.2.3) and for AMD64 (3.5.7), there as if all
registers were taken, so that only the overflow area is read.  What the compiler made of `va_arg`
then runs as it is; to read more than was given is an access outside of an object.  A pointer may
lead to functions with and without `...`, so a call through one stays a call with all arguments, and
a function with `...` has a copy of its pointer that collects them.  Functions without body keep
their `...`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace

from seahorn_py.base.errors import UnsupportedError
from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.llvmtext.debugtext import DebugText
from seahorn_py.frontend.llvmtext.inputs import AREA, Inputs
from seahorn_py.frontend.llvmtext.lines import (
    DEBUG,
    LABEL,
    TARGET,
    CallText,
    argument,
    read_call,
    result_type,
)
from seahorn_py.frontend.llvmtext.module import FunctionText, ModuleText
from seahorn_py.frontend.llvmtext.tokens import NAME, Cursor, closing, split_top

_GIVEN = f"{AREA}.given"
_BY_VALUE = pattern(r"\bbyval\(((?:[^()]|\([^()]*\))*)\)")
_ALIGN = pattern(r"\balign (\d+)")
_INDIRECT = pattern(rf"( +(?:%{NAME} = )?(?:tail )?call )([^\"@]*?)(%{NAME})\(")
_ALIAS = pattern(rf"alias .*, ptr @({NAME})$")
_TAG = pattern(
    rf"  (%{NAME}) = getelementptr [^%]*%struct\.__va_list_tag, ptr %{NAME}, i32 0, i32 [01]\b"
)
_OFFSET = pattern(rf"  (%{NAME}) = load i32, ptr (%{NAME}),")
_FREE = pattern(rf"  %{NAME} = icmp ule i32 (%{NAME}), \d+\b")
_BOTH = pattern(rf"  %{NAME} = and i1 (%{NAME}), (%{NAME})")
_BRANCH = pattern(rf"  br i1 (%{NAME}), label %({NAME}), label %({NAME})(.*)")
_INCOMING = pattern(rf"\[ [^\]]*, %({NAME}) \]")
_GP_END, _FP_END = 48, 176


def laid_out(
    module: ModuleText,
    variadic: Mapping[str, FunctionText],
    taken: Iterable[str],
    inputs: Inputs,
    debug: DebugText,
) -> ModuleText:
    """The module with no function that takes variable arguments but those without body.

    `variadic` are all functions that do, `taken` those that pointers may lead to.
    """
    return _Rewriting(module, variadic, taken, inputs, debug).run()


@dataclass(frozen=True, slots=True)
class _Slot:
    """Where an argument lies in its area; a struct is passed by value through a pointer."""

    offset: int
    type: str
    value: str
    by_value: bool


class _Rewriting:
    """Rewrites the functions of one module."""

    def __init__(
        self,
        module: ModuleText,
        variadic: Mapping[str, FunctionText],
        taken: Iterable[str],
        inputs: Inputs,
        debug: DebugText,
    ) -> None:
        self._module = module
        self._variadic = variadic
        self._inputs = inputs
        self._debug = debug
        self._aliases = {
            name: found[1] for name, body in module.aliases.items() if (found := _ALIAS.match(body))
        }
        self._taken = [variadic[name] for name in taken]
        self._collecting: dict[tuple[str, ...], FunctionText] = {}
        self._is_wide = inputs.word == "i64"
        self._slot = 8 if self._is_wide else 4

    def run(self) -> ModuleText:
        """The rewritten module."""
        functions = {name: self._function(f) for name, f in self._module.functions.items()}
        functions |= {f.name: f for f in self._collecting.values()}
        word = self._inputs.word
        copy = f"llvm.memcpy.p0.p0.{word}"
        copying = FunctionText(copy, "void", ("ptr", "ptr", word, "i1"), "", "")
        declarations = {copy: copying, **self._module.declarations}
        return replace(self._module, functions=functions, declarations=declarations)

    def _function(self, function: FunctionText) -> FunctionText:
        areas: list[str] = []
        lines: list[str] = []
        for line in self._without_registers(function):
            lines.extend(self._call(line, areas) if " call " in line else (line,))
        at = 1 if lines and lines[0][:1] not in ("", " ") else 0
        lines[at:at] = areas
        parameters = tuple(f"ptr {_GIVEN}" if p == "..." else p for p in function.parameters)
        return replace(function, parameters=parameters, lines=tuple(lines))

    # --------------------------------------------------------------------------------- calls

    def _call(self, line: str, areas: list[str]) -> Iterable[str]:
        call = read_call(line)
        if call is None:
            return self._through_pointer(line)
        if call.callee.startswith("llvm.va_"):
            return self._intrinsic(call)
        name = self._aliases.get(call.callee, call.callee)
        if name in self._variadic and name in self._module.functions:
            return self._direct(call, self._variadic[name], areas)
        return (line,)

    def _direct(self, call: CallText, callee: FunctionText, areas: list[str]) -> list[str]:
        count = len(callee.parameters) - 1
        if len(call.arguments) < count:
            raise self._refusal(f"{call.callee}() is called without its parameters", call.debug)
        lines, area = self._area(call.arguments[count:], call.debug, areas)
        given = ", ".join((*call.arguments[:count], f"ptr {area}"))
        target = f"{call.result} = " if call.result else ""
        made = f"  {target}call {call.type} @{callee.name}({given}){call.tail}{call.debug}"
        return [*lines, made]

    def _area(
        self, arguments: Sequence[str], debug: str, areas: list[str]
    ) -> tuple[list[str], str]:
        """Lines that lay out arguments, and the address of their area."""
        slots, size, align = self._layout(arguments)
        area = f"{AREA}{self._inputs.name()[len('%sea') :]}"
        areas.append(f"  {area} = alloca [{size} x i8], align {align}")
        lines: list[str] = []
        for slot in slots:
            place = area
            if slot.offset:
                place = self._inputs.name()
                moved = f"getelementptr i8, ptr {area}, {self._inputs.word} {slot.offset}"
                lines.append(f"  {place} = {moved}{debug}")
            lines.append(self._filled(slot, place, debug))
        return lines, area

    def _filled(self, slot: _Slot, place: str, debug: str) -> str:
        if not slot.by_value:
            return f"  store {slot.type} {slot.value}, ptr {place}, align {self._slot}{debug}"
        word = self._inputs.word
        copied = f"ptr {place}, ptr {slot.value}, {word} {self._inputs.size(slot.type)}, i1 false"
        return f"  call void @llvm.memcpy.p0.p0.{word}({copied}){debug}"

    def _layout(self, arguments: Sequence[str]) -> tuple[list[_Slot], int, int]:
        """The slots of arguments in order, the size of all, and their alignment."""
        slots: list[_Slot] = []
        end, widest = 0, self._slot
        types = self._inputs.types
        for text in arguments:
            kind, value = argument(text)
            passed = _BY_VALUE.search(text)
            if passed:
                kind, found = passed[1], _ALIGN.search(text)
                align = int(found[1]) if found else self._slot
            else:
                align = types.align(types.read(Cursor.of(kind)))
            align = max(align, self._slot)
            widest = max(widest, align)
            offset = -(-end // align) * align
            end = -(-(offset + self._inputs.size(kind)) // self._slot) * self._slot
            slots.append(_Slot(offset, kind, value, passed is not None))
        return slots, end, widest

    # ------------------------------------------------------------------------ through pointers

    def _through_pointer(self, line: str) -> list[str]:
        """The call, by a pointer that leads to functions which take what is given."""
        found = _INDIRECT.match(line) if self._taken else None
        if found is None:
            return [line]
        end = closing(line, found.end() - 1)
        arguments = split_top(line[found.end() : end])
        result = result_type(found[2])
        pointer = found[3]
        lines: list[str] = []
        for callee in self._taken:
            if callee.result != result or not _accepts(callee, arguments):
                continue
            same, chosen = self._inputs.name(), self._inputs.name()
            collecting = self._collector(callee, arguments)
            lines.append(f"  {same} = icmp eq ptr {pointer}, @{callee.name}")
            lines.append(f"  {chosen} = select i1 {same}, ptr @{collecting}, ptr {pointer}")
            pointer = chosen
        return [*lines, f"{found[1]}{result} {pointer}({', '.join(arguments)}){line[end + 1 :]}"]

    def _collector(self, callee: FunctionText, arguments: Sequence[str]) -> str:
        """The function that takes these arguments and gives them to one with `...`."""
        kinds = tuple(_parameter(text) for text in arguments)
        key = (callee.name, *kinds)
        if key not in self._collecting:
            name = f"sea.variadic.{len(self._collecting)}"
            parameters = tuple(f"{kind} %{i}" for i, kind in enumerate(kinds))
            result = "" if callee.result == "void" else "%result"
            prefix = callee.result
            if callee.name not in self._module.functions:
                prefix += f" ({', '.join((*callee.parameter_types, '...'))})"
            target = f"{result} = " if result else ""
            areas: list[str] = []
            line = f"  {target}call {prefix} @{callee.name}({', '.join(parameters)})"
            body = [*self._call(line, areas), f"  ret {callee.result} {result}".rstrip()]
            self._collecting[key] = FunctionText(
                name, callee.result, parameters, callee.group, "", (*areas, *body)
            )
        return self._collecting[key].name

    # ------------------------------------------------------------------------------- intrinsics

    def _intrinsic(self, call: CallText) -> list[str]:
        """`va_start`, `va_copy`, `va_end` on a `va_list` of the platform."""
        pointers = [argument(text)[1] for text in call.arguments]
        match call.callee.split(".")[1]:
            case "va_start":
                return self._start(pointers[0], call.debug)
            case "va_copy":
                return self._copy(pointers[0], pointers[1], call.debug)
            case _:
                return []

    def _start(self, target: str, debug: str) -> list[str]:
        if not self._is_wide:
            return [f"  store ptr {_GIVEN}, ptr {target}, align 4{debug}"]
        values = (f"i32 {_GP_END}", f"i32 {_FP_END}", f"ptr {_GIVEN}", "ptr null")
        lines: list[str] = []
        for value, offset in zip(values, (0, 4, 8, 16), strict=True):
            place = self._member(target, offset, debug, lines)
            lines.append(f"  store {value}, ptr {place}, align 4{debug}")
        return lines

    def _copy(self, target: str, source: str, debug: str) -> list[str]:
        members = [("ptr", 0)]
        if self._is_wide:
            members = [("i32", 0), ("i32", 4), ("ptr", 8), ("ptr", 16)]
        lines: list[str] = []
        for kind, offset in members:
            value = self._inputs.name()
            place = self._member(source, offset, debug, lines)
            lines.append(f"  {value} = load {kind}, ptr {place}, align 4{debug}")
            place = self._member(target, offset, debug, lines)
            lines.append(f"  store {kind} {value}, ptr {place}, align 4{debug}")
        return lines

    def _member(self, base: str, offset: int, debug: str, lines: list[str]) -> str:
        """The address so many bytes further, which a new line computes."""
        if not offset:
            return base
        place = self._inputs.name()
        moved = f"getelementptr i8, ptr {base}, {self._inputs.word} {offset}"
        lines.append(f"  {place} = {moved}{debug}")
        return place

    # -------------------------------------------------------------------------------- registers

    def _without_registers(self, function: FunctionText) -> Iterable[str]:
        """The lines without the blocks that read arguments from registers: there are none.

        What the compiler makes of `va_arg` branches to such a block if the offset into the saved
        registers, member 0 or 1 of the list, is small enough, and else to one that reads memory.
        """
        if not any("__va_list_tag" in line for line in function.lines):
            return function.lines
        reading = _Registers(Counter(t for line in function.lines for t in TARGET.findall(line)))
        lines = [reading.read(line) for line in function.lines]
        for label, line in _labelled(lines):
            if label in reading.memory and "@llvm.ptrmask." in line:
                debug = DEBUG.search(line)
                text = "a variable argument of a type that is aligned to 16 bytes is not supported"
                raise self._refusal(text, debug[0] if debug else "")
        return _without_blocks(lines, reading.dead)

    def _refusal(self, text: str, debug: str) -> UnsupportedError:
        place = self._debug.place(debug)
        return UnsupportedError(f"{place}: {text}" if place else text)


@dataclass
class _Registers:
    """Reads the lines of a function for what is known of the offsets in its argument lists.

    `targets` counts jumps by label, `false` are comparisons that fail, `dead` the labels of blocks
    behind them, `memory` of those that are taken instead.
    """

    targets: Counter[str]
    members: set[str] = field(default_factory=set)
    offsets: set[str] = field(default_factory=set)
    false: set[str] = field(default_factory=set)
    dead: set[str] = field(default_factory=set)
    memory: set[str] = field(default_factory=set)

    def read(self, line: str) -> str:
        """The line, or a jump instead of a branch that is always taken the same way."""
        if found := _TAG.match(line):
            self.members.add(found[1])
        elif (found := _OFFSET.match(line)) and found[2] in self.members:
            self.offsets.add(found[1])
        elif self._fails(line):
            self.false.add(line.split(" ")[2])
        elif (found := _BRANCH.match(line)) and self._is_taken(found[1], found[2]):
            self.dead.add(found[2])
            self.memory.add(found[3])
            return f"  br label %{found[3]}{found[4]}"
        return line

    def _is_taken(self, condition: str, label: str) -> bool:
        """The condition fails, and nothing else leads to what it leads to."""
        return condition in self.false and self.targets[label] == 1

    def _fails(self, line: str) -> bool:
        free, both = _FREE.match(line), _BOTH.match(line)
        if free:
            return free[1] in self.offsets
        return both is not None and {both[1], both[2]} <= self.false


def _accepts(callee: FunctionText, arguments: Sequence[str]) -> bool:
    """Whether the arguments begin with the parameters of a function with `...`."""
    wanted = callee.parameter_types
    return wanted == tuple(argument(text)[0] for text in arguments[: len(wanted)])


def _parameter(text: str) -> str:
    """The parameter for an argument: all but its value."""
    value = argument(text)[1]
    return text[: len(text) - len(value)].rstrip()


def _labelled(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each line with the label of its block, "" for the entry."""
    here = ""
    for line in lines:
        found = LABEL.match(line)
        here = found[1] if found else here
        yield here, line


def _without_blocks(lines: Iterable[str], dead: set[str]) -> Iterator[str]:
    for label, line in _labelled(lines):
        if label not in dead:
            yield _surviving(line, dead) if " = phi " in line else line


def _surviving(phi: str, dead: set[str]) -> str:
    """The phi without what comes from these blocks."""
    pairs = list(_INCOMING.finditer(phi))
    if all(pair[1] not in dead for pair in pairs):
        return phi
    kept = ", ".join(pair[0] for pair in pairs if pair[1] not in dead)
    return phi[: pairs[0].start()] + kept + phi[pairs[-1].end() :]
