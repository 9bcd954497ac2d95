"""Lines that compute with vectors, element by element (LLVM Language Reference Manual)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import repeat

from seahorn_py.base.errors import UnsupportedError
from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.llvmtext.inputs import Inputs
from seahorn_py.frontend.llvmtext.lines import CallText, argument, leading_type
from seahorn_py.frontend.llvmtext.tokens import NAME, split_top
from seahorn_py.frontend.lowering.vectors.arrays import VECTOR, as_array, constant

_OPERATION = pattern(
    rf"  (%{NAME}) = (?P<op>(?:[us]?(?:add|sub|mul|div|rem)|f(?:add|sub|mul|div|rem|neg)|shl"
    r"|[la]shr|and|or|xor|icmp|fcmp|select|trunc|[zs]ext|fp(?:trunc|ext|to[us]i)|[us]itofp|ptrtoint"
    r"|inttoptr|bitcast|freeze)\b(?: (?!<)[a-z]+)*) (?P<rest><.*)"
)
_ELEMENTS = pattern(rf"  (%{NAME}) = (extractelement|insertelement|shufflevector) (.*)")
_SCALED = pattern(rf"  (%{NAME}) = bitcast (.*) to (.*)")
_INTRINSIC = pattern(r"llvm\.(?P<base>[a-z_.]+)\.v(?P<count>\d+)(?P<kind>[if]\d+)$")
_FOLDED = pattern(r"vector\.reduce\.(?P<op>\w+)$")
_OF_FOLD = {
    **{word: word for word in ("add", "mul", "and", "or", "xor", "fadd", "fmul")},
    **{word: f"icmp {'ugt' if word[0] == 'u' else 'sgt'}" for word in ("smax", "umax")},
    **{word: f"icmp {'ult' if word[0] == 'u' else 'slt'}" for word in ("smin", "umin")},
}
_WRAPPING = pattern(r"(?:add|sub|mul|shl|shr)\b")


class Elements:
    """Writes lines for those of one module that compute with vectors.

    `outside` gives the lines that see to an index that is within its vector if a bit is set;
    `declare` is told of functions that are called instead of others: name, result, parameters.
    """

    def __init__(
        self,
        inputs: Inputs,
        outside: Callable[[str, str], Iterable[str]],
        declare: Callable[[str, str, Sequence[str]], None],
    ) -> None:
        self._inputs = inputs
        self._outside = outside
        self._declare = declare
        self.slots: list[str] = []
        self.wraps = False
        self._out: list[str] = []
        self._debug = ""

    def lines(self, line: str, debug: str) -> list[str] | None:
        """What stands for a line without its place; None if its types are all that changes."""
        self._out, self._debug = [], debug
        elements = _ELEMENTS.match(line)
        if elements:
            self._moved(*elements.groups())
            return self._out
        scaled = _SCALED.match(line)
        if scaled and not _same_count(scaled[2], scaled[3]):
            self._reinterpreted(*scaled.groups())
            return self._out
        operation = _OPERATION.match(line)
        if operation is None:
            return None
        self._each(operation[1], operation["op"], operation["rest"])
        return self._out

    def called(self, call: CallText, debug: str) -> list[str]:
        """What stands for the call of an intrinsic; UnsupportedError for one without scalars."""
        self._out, self._debug = [], debug
        found = _INTRINSIC.match(call.callee)
        folded = _FOLDED.match(found["base"]) if found else None
        if found is None or call.result is None or (folded and folded["op"] not in _OF_FOLD):
            raise UnsupportedError(f"{call.callee} is not supported")
        if folded:
            self._folded(call.result, folded["op"], [argument(a) for a in call.arguments])
        else:
            name = f"llvm.{found['base']}.{found['kind']}"
            self._each_call(call, name, int(found["count"]))
        return self._out

    # -------------------------------------------------------------------------- by element

    def _each(self, result: str, op: str, rest: str) -> None:
        """An operation whose operands are all vectors of one length."""
        text, _, target = rest.partition(" to ")
        first, *others = split_top(text)
        kind, value = leading_type(first)
        count, element = _vector(kind)
        operands = [(element, self._parts(count, element, value))]
        for other in others:
            other_kind, value = leading_type(other) if VECTOR.match(other) else (kind, other)
            part = _vector(other_kind)[1]
            operands.append((part if op == "select" else "", self._parts(count, part, value)))
        self.wraps |= _WRAPPING.match(op) is not None
        kinds = {"icmp": "i1", "fcmp": "i1", "select": operands[-1][0]}
        to = _vector(target)[1] if target else ""
        made = to or kinds.get(op.split(" ")[0], element)
        self._collect(
            result,
            made,
            [
                self._new(f"{op} " + ", ".join(f"{k} {v[i]}".lstrip() for k, v in operands), to)
                for i in range(count)
            ],
        )

    def _each_call(self, call: CallText, name: str, count: int) -> None:
        kinds, columns = [], []
        for text in call.arguments:
            kind, value = argument(text)
            vector = VECTOR.fullmatch(kind)
            kinds.append(vector["kind"] if vector else kind)
            whole = self._parts(count, vector["kind"], value) if vector else [value] * count
            columns.append(whole)
        made = _vector(call.type)[1]
        self._declare(name, made, kinds)
        values = []
        for row in zip(*columns, strict=True):
            given = ", ".join(f"{kind} {part}" for kind, part in zip(kinds, row, strict=True))
            values.append(self._new(f"call {made} @{name}({given})"))
        assert call.result is not None
        self._collect(call.result, made, values)

    def _folded(self, result: str, op: str, given: list[tuple[str, str]]) -> None:
        """A sum, product or extreme of all elements, from the first to the last."""
        count, element = _vector(given[-1][0])
        parts = self._parts(count, element, given[-1][1])
        value, *rest = [given[0][1], *parts] if len(given) > 1 else parts
        self.wraps |= op in ("add", "mul")
        for part in rest:
            word = _OF_FOLD[op]
            new = self._new(f"{word} {element} {value}, {part}")
            if word.startswith("icmp"):
                new = self._new(f"select i1 {new}, {element} {value}, {element} {part}")
            value = new
        self._alias(result, element, value)

    # --------------------------------------------------------------------------- movements

    def _moved(self, result: str, op: str, rest: str) -> None:
        kind, value = leading_type(split_top(rest)[0])
        count, element = _vector(kind)
        parts = self._parts(count, element, value)
        operands = [leading_type(text) for text in split_top(rest)[1:]]
        match op:
            case "extractelement":
                self._alias(result, element, self._at(parts, element, *operands[0]))
            case "insertelement":
                self._collect(result, element, self._with(parts, *operands[0], *operands[1]))
            case _:
                parts = [*parts, *self._parts(count, element, operands[0][1])]
                length, of = _vector(operands[1][0])
                mask = self._parts(length, of, operands[1][1])
                chosen = [parts[int(k)] if k.isdigit() else "poison" for k in mask]
                self._collect(result, element, chosen)

    def _at(self, parts: Sequence[str], element: str, kind: str, index: str) -> str:
        """The element of an index."""
        bits = self._bits(len(parts), kind, index)
        value = parts[-1]
        for part, bit in zip(parts[-2::-1], bits[-2::-1], strict=True):
            value = self._new(f"select i1 {bit}, {element} {part}, {element} {value}")
        return value

    def _with(
        self, parts: Sequence[str], element: str, value: str, kind: str, index: str
    ) -> list[str]:
        """The elements with another one at an index."""
        bits = self._bits(len(parts), kind, index)
        return [
            {"true": value, "false": part}.get(bit)
            or self._new(f"select i1 {bit}, {element} {value}, {element} {part}")
            for part, bit in zip(parts, bits, strict=True)
        ]

    def _bits(self, count: int, kind: str, index: str) -> list[str]:
        """For each element whether the index is its own; the run may end if it is none of them."""
        if index.isdigit() and int(index) < count:
            return ["true" if k == int(index) else "false" for k in range(count)]
        inside = self._new(f"icmp ult {kind} {index}, {count}")
        self._out += self._outside(inside, self._debug)
        return [self._new(f"icmp eq {kind} {index}, {k}") for k in range(count)]

    def _reinterpreted(self, result: str, source: str, target: str) -> None:
        """The same bits as another type, through memory."""
        kind, value = leading_type(source)
        if "i1>" in source or "i1>" in target:
            raise UnsupportedError("truth values of a vector as a number are not supported")
        slot = self._inputs.name()
        array = as_array(f"{kind} {value}")
        self.slots.append(f"  {slot} = alloca {as_array(kind)}, align 16")
        self._out.append(f"  store {array}, ptr {slot}, align 16{self._debug}")
        self._out.append(f"  {result} = load {as_array(target)}, ptr {slot}, align 16{self._debug}")

    # ------------------------------------------------------------------------------- parts

    def _parts(self, count: int, element: str, value: str) -> list[str]:
        """The elements of a register or constant."""
        if value.startswith("%"):
            array = f"[{count} x {element}]"
            return [self._new(f"extractvalue {array} {value}, {k}") for k in range(count)]
        if value.startswith(("<", "splat")):
            return [leading_type(part)[1] for part in constant(value, count)[1]]
        zero = {"ptr": "null", "float": "0.0", "double": "0.0"}.get(element, "0")
        return list(repeat(zero if value == "zeroinitializer" else value, count))

    def _new(self, text: str, to: str = "") -> str:
        name = self._inputs.name()
        self._out.append(f"  {name} = {text}{f' to {to}' if to else ''}{self._debug}")
        return name

    def _collect(self, result: str, element: str, parts: Sequence[str]) -> None:
        """The register of a result, made of its elements."""
        array, whole = f"[{len(parts)} x {element}]", "poison"
        for k, part in enumerate(parts):
            name = result if k + 1 == len(parts) else self._inputs.name()
            text = f"insertvalue {array} {whole}, {element} {part}, {k}"
            self._out.append(f"  {name} = {text}{self._debug}")
            whole = name

    def _alias(self, result: str, element: str, value: str) -> None:
        """Another name for a value, by way of an array of one."""
        one = self._new(f"insertvalue [1 x {element}] poison, {element} {value}, 0")
        text = f"extractvalue [1 x {element}] {one}, 0"
        self._out.append(f"  {result} = {text}{self._debug}")


def _vector(kind: str) -> tuple[int, str]:
    """Length and type of the elements."""
    found = VECTOR.fullmatch(kind)
    if found is None:
        raise UnsupportedError(f"the type {kind} among vectors is not supported")
    return int(found["count"]), found["kind"]


def _same_count(source: str, target: str) -> bool:
    one, other = VECTOR.match(source), VECTOR.match(target)
    return bool(one and other and one["count"] == other["count"])
