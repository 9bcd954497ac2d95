"""Phis, statements and terminators, one a line.

A register that is read has the type that its place tells, or UNKNOWN; so has the result of what is
done to a region, which takes its type from that.
"""

from __future__ import annotations

from collections.abc import Mapping

from seahorn_py.base.errors import Origin
from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.ir.parser.spans import placed, variable
from seahorn_py.ir.parser.tokens import NAME, UNKNOWN, ParseError, Words
from seahorn_py.ir.program import (
    Alloca,
    Binary,
    BinaryOp,
    Bind,
    Bits,
    BitsOp,
    Branch,
    Call,
    Cast,
    CastOp,
    CheckSite,
    Compare,
    Fail,
    FloatOp,
    Havoc,
    Input,
    Jump,
    Lifetime,
    Load,
    MemoryCopy,
    MemorySet,
    Offset,
    Operand,
    Overflow,
    OverflowOp,
    Phi,
    Predicate,
    RegionFill,
    RegionHavoc,
    RegionLoad,
    RegionStore,
    Register,
    Return,
    Select,
    Site,
    Statement,
    Stop,
    StopKind,
    Store,
    Terminator,
    Valid,
    Validity,
)
from seahorn_py.ir.types import BOOL, POINTER, RegionType, Type

_BINARY = {op.value: op for op in BinaryOp}
_CASTS = {op.value: op for op in CastOp}
_BITS = {op.value: op for op in BitsOp}
_PHI = pattern(rf"%{NAME} = phi ")
_BIND = pattern(r"bind (\S*) = (.*?)( : .*)")


@dataclass(frozen=True)
class Numbered:
    """The sites and checks of a program by their numbers."""

    sites: Mapping[int, Site]
    checks: Mapping[int, CheckSite]

    def site(self, words: Words) -> Site:
        """`site 3`."""
        words.expect("site")
        number = words.number()
        if number not in self.sites:
            raise ParseError(f"there is no site {number}")
        return self.sites[number]

    def check(self, words: Words) -> CheckSite:
        """`check 3`."""
        words.expect("check")
        number = words.number()
        if number not in self.checks:
            raise ParseError(f"there is no check {number}")
        return self.checks[number]


def in_block(
    text: str, results: tuple[Type, ...], numbered: Numbered
) -> Phi | Statement | Terminator:
    """A line of a block; `results` are the types that its function returns."""
    line, origin = placed(text)
    if line.split(" ", 1)[0] in ("jump", "branch", "return", "stop", "fail"):
        return _terminator(line, results, numbered, origin)
    return _phi(line) if _PHI.match(line) else _statement(line, numbered, origin)


def _phi(line: str) -> Phi:
    """`%x = phi i32 [a: 0, b: %y]`."""
    words = Words(line)
    result = words.register().name
    words.expect("=", "phi")
    kind = words.kind_of_value()

    def incoming() -> tuple[str, Operand]:
        label = words.name()
        words.expect(":")
        return label, words.operand(kind)

    words.expect("[")
    found = words.upto("]", incoming)
    words.end()
    return Phi(Register(result, kind), found)


def _terminator(
    line: str, results: tuple[Type, ...], numbered: Numbered, origin: Origin
) -> Terminator:
    words = Words(line)
    found: Terminator
    match words.take():
        case "jump":
            found = Jump(words.name(), origin)
        case "branch":
            condition = words.operand(BOOL)
            words.expect("?")
            then = words.name()
            words.expect(":")
            found = Branch(condition, then, words.name(), origin)
        case "return":
            found = Return(_returned(words, results), origin)
        case "stop":
            found = Stop(StopKind(words.take()), origin)
        case "fail":
            found = Fail(numbered.check(words), origin)
        case other:
            raise ParseError(f"no terminator: {other[:40]}")
    words.end()
    return found


def _returned(words: Words, results: tuple[Type, ...]) -> tuple[Operand, ...]:
    found = []
    for number, kind in enumerate(results):
        if number:
            words.expect(",")
        found.append(words.operand(kind))
    return tuple(found)


# -------------------------------------------------------------------------------------- statements


def _statement(line: str, numbered: Numbered, origin: Origin) -> Statement:
    """One statement."""
    bound = _BIND.fullmatch(line)
    if bound is not None:
        value = None if bound[2] == "?" else _alone(bound[2])
        return Bind(variable(bound[1] + bound[3]), value, origin)
    words = Words(line)
    results: tuple[Register, ...] = ()
    if words.kind == "register":
        results = words.several(words.register)
        words.expect("=")
    reader = _Reader(words, numbered, origin)
    found = reader.computed(results) if results else reader.done()
    words.end()
    return found


def _alone(text: str) -> Operand:
    words = Words(text)
    found = words.operand()
    words.end()
    return found


def _argument(words: Words, kind: Type) -> Operand:
    """An operand behind a type, which is that of a constant without one of its own."""
    return words.register() if words.kind == "register" else words.operand(kind)


@dataclass(frozen=True)
class _Reader:
    """The part of a statement behind its results."""

    words: Words
    numbered: Numbered
    origin: Origin

    def done(self) -> Statement:
        """A statement without results."""
        words, origin = self.words, self.origin
        match words.take():
            case "store":
                volatile, value = words.skip("volatile"), words.typed()
                words.expect("to")
                return Store(value, words.operand(), volatile, origin)
            case "copy":
                return MemoryCopy(*self._three(), origin)
            case "set":
                return MemorySet(*self._three(), origin)
            case "havoc":
                address, size = self._two()
                return Havoc(address, size, self.numbered.site(words), origin)
            case "begin":
                return Lifetime(words.operand(), True, origin)
            case "end":
                return Lifetime(words.operand(), False, origin)
            case "call":
                return self._call(())
            case other:
                raise ParseError(f"no statement: {other[:40]}")

    def computed(self, results: tuple[Register, ...]) -> Statement:
        """A statement that gives registers their values."""
        if self.words.skip("call"):
            return self._call(results)
        if len(results) > 1:
            raise ParseError("only a call has several results")
        if self.words.kind == "register":
            return self._region(results[0])
        return self._single(results[0].name, self.words.take())

    def _single(self, result: str, word: str) -> Statement:  # noqa: C901 - a flat match
        words, origin = self.words, self.origin
        match word:
            case "icmp":
                predicate = Predicate(words.take())
                return Compare(Register(result, BOOL), predicate, *self._pair(), origin)
            case "select":
                condition = words.operand(BOOL)
                words.expect("?")
                then, otherwise = self._pair()
                return Select(Register(result, then.type), condition, then, otherwise, origin)
            case "overflow":
                op = OverflowOp(words.take())
                return Overflow(Register(result, BOOL), op, *self._pair(), origin)
            case "offset":
                return self._offset(Register(result, POINTER))
            case "alloca":
                size = words.operand()
                words.expect("align")
                return Alloca(Register(result, POINTER), size, words.number(), origin)
            case "load":
                volatile, kind = words.skip("volatile"), words.kind_of_value()
                words.expect("from")
                return Load(Register(result, kind), words.operand(), volatile, origin)
            case "region":
                words.expect("of")
                value = words.typed()
                if isinstance(value.type, RegionType):
                    raise ParseError("a region of regions")
                return RegionFill(Register(result, RegionType(value.type)), value, origin)
            case "havoc":
                whole = words.skip("whole")
                operands = self._three()
                site = self.numbered.site(words)
                return RegionHavoc(Register(result, UNKNOWN), *operands, site, whole, origin)
            case "valid":
                kind_of = Validity(words.take())
                return Valid(Register(result, BOOL), kind_of, *self._two(), origin)
            case "input":
                kind = words.kind_of_value()
                return Input(Register(result, kind), self.numbered.site(words))
            case _:
                return self._operation(result, word)

    def _operation(self, result: str, word: str) -> Statement:
        """An operation by its name, of one or several words."""
        words, origin = self.words, self.origin
        if word in _BINARY:
            left, right = self._pair()
            return Binary(Register(result, left.type), _BINARY[word], left, right, origin)
        if word in _CASTS:
            value = words.typed()
            words.expect("to")
            return Cast(Register(result, words.kind_of_value()), _CASTS[word], value, origin)
        while (kind := words.type_or_none()) is None:
            word += f" {words.take()}"
        target = Register(result, kind)
        arguments = words.several(lambda: _argument(words, kind))
        if word in _BITS:
            return Bits(target, _BITS[word], arguments, origin)
        return FloatOp(target, word, arguments, origin)

    def _pair(self) -> tuple[Operand, Operand]:
        """`i32 %x, 1`."""
        words = self.words
        kind = words.kind_of_value()
        left = words.operand(kind)
        words.expect(",")
        return left, words.operand(kind)

    def _two(self) -> tuple[Operand, Operand]:
        first = self.words.operand()
        self.words.expect(",")
        return first, self.words.operand()

    def _three(self) -> tuple[Operand, Operand, Operand]:
        first, second = self._two()
        self.words.expect(",")
        return first, second, self.words.operand()

    def _offset(self, result: Register) -> Offset:
        """`%p + 8 + %x * 4`."""
        words = self.words
        base, constant = words.operand(POINTER), 0
        terms: list[tuple[Operand, int]] = []
        while words.skip("+"):
            if words.kind == "word" and not words.has_type():
                constant += words.number()
                continue
            index = words.operand()
            words.expect("*")
            terms.append((index, words.number()))
        return Offset(result, base, constant, tuple(terms), self.origin)

    def _region(self, result: Register) -> Statement:
        """`%r[%p]` or `%r[%p := i8 1]`."""
        words = self.words
        region = words.register()
        words.expect("[")
        address = words.operand()
        if words.skip(":="):
            value = words.typed()
            words.expect("]")
            return RegionStore(result, region, address, value, self.origin)
        words.expect("]")
        return RegionLoad(result, region, address, self.origin)

    def _call(self, results: tuple[Register, ...]) -> Call:
        words = self.words
        kinds = () if words.skip("void") else words.several(words.kind_of_value)
        if len(kinds) != len(results):
            raise ParseError("the number of results is not that of their types")
        through = words.kind == "register"
        callee = words.register(POINTER) if through else words.name()
        words.expect("(")
        arguments = words.upto(")", words.typed)
        typed = tuple(Register(r.name, k) for r, k in zip(results, kinds, strict=True))
        return Call(typed, callee, arguments, self.origin)
