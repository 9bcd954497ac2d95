"""The arguments of `main` (C17, 5.1.2.2.1): strings of any contents, and null behind the last.

`argc` is at least 1 here: a hosted program has a name.  What `argv` leads to are objects of the
entry, as nobody may free them.  A program that does not use `argv` has none of them; one that only
reads `argv[k]` for constants k has those strings; else a loop makes all.  Linux bounds the number
and the length of arguments (execve(2), "Limits on size of arguments and environment").  A third
parameter, the environment, may be there if nothing uses it.
"""

from __future__ import annotations

from seahorn_py.base.errors import UnsupportedError
from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.llvmtext.inputs import Inputs
from seahorn_py.frontend.llvmtext.lines import REGISTER
from seahorn_py.frontend.llvmtext.module import FunctionText
from seahorn_py.frontend.llvmtext.tokens import NAME
from seahorn_py.ir.program import OF_ARGV, SiteKind

MOST = 1 << 20
LENGTH_BITS = 17
BOUNDS = f"main has at most {MOST} arguments, each shorter than {1 << LENGTH_BITS} bytes"
SHORT_LINES = "lines that are read and arguments of main have at most"
"""How the assumption of `--line-length` begins."""

_COUNT = (SiteKind.EXTERN, "argc", "int", True)
_LENGTH = (SiteKind.EXTERN, "length of an argument", "unsigned int", False)
_BYTES = (SiteKind.EXTERN, "argv", "char", True)
AMOUNTS = frozenset({_COUNT[1], _LENGTH[1]})
"""Names of the inputs that say how many there are, and how long."""

_MANY = 8
_KEPT = pattern(rf"  store ptr (%{NAME}), ptr (%{NAME}), ")
_LOADED = pattern(rf"  (%{NAME}) = load ptr, ptr (%{NAME}), ")
_MOVED = pattern(
    rf"  (%{NAME}) = getelementptr (?:(?:inbounds|nuw|nusw) )*ptr, ptr (%{NAME}), i\d+ (\d+)\b"
)


def arguments(main: FunctionText, inputs: Inputs, most: int = 0) -> tuple[str, list[str]]:
    """What `main` is called with, and the lines that make it.

    Strings have at most `most` characters; 0 for the bound of the system.
    """
    match main.parameter_types:
        case ():
            return "", []
        case (count,) | (count, "ptr") | (count, "ptr", "ptr") as kinds if count == "i32":
            argc, some = inputs.name(), inputs.name()
            lines = [
                *inputs.value(argc, "i32", _COUNT, ""),
                f"  {some} = icmp sgt i32 {argc}, 0",
                f"  call void @sea.assume(i1 {some})",
            ]
            if len(kinds) == 1:
                return f"i32 {argc}", lines
            environment = "".join(", ptr null" for _ in kinds[2:])
            if environment and _strings(main, 2) != 0:
                raise UnsupportedError("main that uses its third parameter is not supported")
            wanted = _strings(main, 1)
            if wanted == 0:
                return f"i32 {argc}, ptr null{environment}", lines
            vector = _Vector(inputs, argc, most)
            lines += vector.made()
            lines += vector.all_strings() if wanted is None else vector.first_strings(wanted)
            return f"i32 {argc}, ptr {vector.address}{environment}", lines
        case _:
            raise UnsupportedError("main with these parameters is not supported")


class _Vector:
    """Lines of the entry that make the vector and the strings."""

    def __init__(self, inputs: Inputs, argc: str, most: int) -> None:
        self.address = inputs.name() + OF_ARGV
        self._inputs = inputs
        self._argc = argc
        self._most = most if most < 1 << LENGTH_BITS else 0
        self._word = inputs.word

    def made(self) -> list[str]:
        """The vector of `argc + 1` pointers, without contents."""
        self._inputs.assume(BOUNDS)
        few, wide, count = (self._inputs.name() for _ in range(3))
        return [
            f"  {few} = icmp sle i32 {self._argc}, {MOST}",
            f"  call void @sea.assume(i1 {few})",
            *self._widened(wide, self._argc),
            f"  {count} = add {self._word} {wide}, 1",
            f"  {self.address} = alloca ptr, {self._word} {count}, align 8",
        ]

    def first_strings(self, count: int) -> list[str]:
        """As many strings as there are, at most `count`, and null behind the last."""
        lines: list[str] = []
        for k in range(count):
            inside, given, value = (self._inputs.name() for _ in range(3))
            there, after = f"sea.argument.{k}", f"sea.argument.{k}.after"
            string, made = self._string()
            lines += [
                f"  {inside} = icmp sge i32 {self._argc}, {k}",
                f"  br i1 {inside}, label %{there}, label %{after}",
                f"{there}:",
                *made,
                f"  {given} = icmp sgt i32 {self._argc}, {k}",
                f"  {value} = select i1 {given}, ptr {string}, ptr null",
                *self._put(value, f"{self._word} {k}"),
                f"  br label %{after}",
                f"{after}:",
            ]
        return lines

    def all_strings(self) -> list[str]:
        """A loop that makes every string, and null behind the last."""
        number, following, more = (self._inputs.name() for _ in range(3))
        string, made = self._string()
        return [
            "  br label %sea.arguments",
            "sea.arguments:",
            "  br label %sea.argument",
            "sea.argument:",
            f"  {number} = phi i32 [ 0, %sea.arguments ], [ {following}, %sea.argument ]",
            *made,
            *self._put(string, f"i32 {number}"),
            f"  {following} = add i32 {number}, 1",
            f"  {more} = icmp slt i32 {following}, {self._argc}",
            f"  br i1 {more}, label %sea.argument, label %sea.arguments.after",
            "sea.arguments.after:",
            *self._put("null", f"i32 {self._argc}"),
        ]

    def _string(self) -> tuple[str, list[str]]:
        """The address of a new string, and the lines that make it."""
        string, length, wide, size, end = (self._inputs.name() for _ in range(5))
        string += OF_ARGV
        return string, [
            *self._inputs.value(length, f"i{LENGTH_BITS}", _LENGTH, ""),
            *self._short(length),
            f"  {wide} = zext i{LENGTH_BITS} {length} to {self._word}",
            f"  {size} = add {self._word} {wide}, 1",
            f"  {string} = alloca i8, {self._word} {size}, align 1",
            *self._inputs.havoc(string, wide, _BYTES, ""),
            f"  {end} = getelementptr i8, ptr {string}, {self._word} {wide}",
            f"  store i8 0, ptr {end}, align 1",
        ]

    def _short(self, length: str) -> list[str]:
        """Lines that assume the greatest length of strings, if there is one."""
        if not self._most:
            return []
        few = self._inputs.name()
        return [
            f"  {few} = icmp ule i{LENGTH_BITS} {length}, {self._most}",
            f"  call void @sea.assume(i1 {few})",
        ]

    def _put(self, value: str, index: str) -> list[str]:
        place = self._inputs.name()
        return [
            f"  {place} = getelementptr ptr, ptr {self.address}, {index}",
            f"  store ptr {value}, ptr {place}, align 4",
        ]

    def _widened(self, wide: str, narrow: str) -> list[str]:
        cast = "bitcast" if self._word == "i32" else "zext"
        return [f"  {wide} = {cast} i32 {narrow} to {self._word}"]


def _strings(main: FunctionText, position: int) -> int | None:
    """How many entries of a vector that `main` is given can matter; None if that is not known."""
    given = main.parameters[position].rpartition(" ")[2]
    known = _Known(given if given[:1] == "%" else f"%{position}")
    while known.learn(main.lines):
        pass
    highest = -1
    for line in main.lines:
        if line.startswith("    #dbg") or known.tracked.isdisjoint(REGISTER.findall(line)):
            continue
        index = known.accessed(line)
        if index is None:
            return None
        highest = max(highest, index)
    return highest + 1 if highest < _MANY else None


class _Known:
    """The registers of `main` that hold addresses in the vector, by index, and its slots."""

    def __init__(self, given: str) -> None:
        self._given = given
        self._slots: set[str] = set()
        self._entries: dict[str, int] = {given: 0}

    @property
    def tracked(self) -> set[str]:
        """The registers whose uses matter."""
        return self._slots | self._entries.keys()

    def learn(self, lines: tuple[str, ...]) -> bool:
        """Read the lines once; whether that told anything new."""
        before = len(self._slots) + len(self._entries)
        for line in lines:
            kept, loaded, moved = _KEPT.match(line), _LOADED.match(line), _MOVED.match(line)
            if kept and kept[1] == self._given:
                self._slots.add(kept[2])
            elif loaded and loaded[2] in self._slots:
                self._entries[loaded[1]] = 0
            elif moved and moved[2] in self._entries:
                self._entries[moved[1]] = self._entries[moved[2]] + int(moved[3])
        return len(self._slots) + len(self._entries) > before

    def accessed(self, line: str) -> int | None:
        """The index that a line accesses, -1 if it accesses none; None if that is not known."""
        kept, loaded, moved = _KEPT.match(line), _LOADED.match(line), _MOVED.match(line)
        if kept and kept[1] == self._given and kept[2] in self._slots:
            return -1
        if kept and kept[1] not in self.tracked:
            return self._entries.get(kept[2])
        if loaded:
            return -1 if loaded[2] in self._slots else self._entries.get(loaded[2])
        if moved and moved[2] in self._entries:
            return -1
        return -1 if " = alloca " in line else None
