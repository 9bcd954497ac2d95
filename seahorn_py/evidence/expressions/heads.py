"""What a model says at the heads of loops, as C expressions over variables of the same function."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from seahorn_py.base.errors import Origin, Span
from seahorn_py.base.records import dataclass
from seahorn_py.csource.types import IntegerType, integer_type
from seahorn_py.encode.encoding import Arithmetic, CutKind, Encoding
from seahorn_py.evidence.expressions.expressions import written
from seahorn_py.evidence.expressions.lvalue import Lvalue
from seahorn_py.evidence.expressions.variables import Held, holders
from seahorn_py.horn.system import Model, Parameter, Relation, Role
from seahorn_py.ir.graph import (
    blocks_by_label,
    dominator_tree,
    loop_heads,
    predecessors,
    reverse_postorder,
)
from seahorn_py.ir.program import Call, Function, Register, Scope
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.infix import print_infix
from seahorn_py.result import Conjunct, LoopHead

_MAX_SHOWN = 200


@dataclass(frozen=True)
class Spoken:
    """What a model says at a cut point: the conjuncts that C can say, and those that it cannot."""

    relation: Relation
    said: tuple[Conjunct, ...]
    left_out: tuple[Term, ...]


class Speaker:
    """Says in C what a model says at the cut points of an encoding."""

    def __init__(self, encoding: Encoding, model: Model) -> None:
        self._encoding = encoding
        self._model = model
        self._loops = {name: Loops(f) for name, f in encoding.program.functions.items()}

    def loops(self, name: str) -> Loops | None:
        """The loops of the function, if the relation is the head of one of them."""
        cut = self._encoding.cuts[name]
        loops = self._loops[cut.function]
        return loops if cut.kind is CutKind.BLOCK and cut.label in loops.heads else None

    def at(self, name: str) -> Spoken:
        """What is said of the variables that a relation is about."""
        relation, cut = self._encoding.system.relations[name], self._encoding.cuts[name]
        named = self._loops[cut.function].held.get(cut.label, {})
        leaves, sources = _leaves(relation, cut.registers, named, self._encoding)
        return self.over(name, leaves, sources)

    def over(
        self, name: str, leaves: Mapping[Term, Lvalue], sources: Mapping[Term, Held]
    ) -> Spoken:
        """What is said of some parameters of a relation."""
        relation = self._encoding.system.relations[name]
        formula = self._model.interpretations.get(name, terms.TRUE)
        ranges = _ranges(relation)
        found = written(terms.and_((*ranges, formula)), leaves)
        said = tuple(Conjunct(text, _used(part, sources)) for part, text in found.said)
        return Spoken(relation, said, tuple(p for p in found.left_out if p not in ranges))


def heads(encoding: Encoding, model: Model) -> tuple[LoopHead, ...]:
    """The heads of all loops that are relations of the encoding."""
    found = []
    speaker = Speaker(encoding, model)
    for name in encoding.system.relations:
        loops = speaker.loops(name)
        if loops is not None:
            spoken = speaker.at(name)
            missing = tuple(print_infix(part, {})[:_MAX_SHOWN] for part in spoken.left_out)
            regular = loops.is_regular(encoding.cuts[name].label)
            exact = encoding.options.arithmetic is Arithmetic.INT
            found.append(LoopHead(spoken.relation.origin, spoken.said, missing, regular, exact))
    return tuple(found)


class Loops:
    """The loops of a function that is encoded."""

    def __init__(self, function: Function) -> None:
        blocks = blocks_by_label(function)
        self.heads = frozenset(
            label
            for label in loop_heads(function)
            if not (blocks[label].statements and isinstance(blocks[label].statements[0], Call))
        )
        self._function = function

    @cached_property
    def held(self) -> Mapping[str, Mapping[Register, tuple[Held, ...]]]:
        """The variables that are equal to registers, by block."""
        return holders(self._function)

    def is_regular(self, label: str) -> bool:
        """All edges that come back to the head start where it has been passed."""
        place = {block: k for k, block in enumerate(reverse_postorder(self._function))}
        tree = dominator_tree(self._function)
        back = [p for p in predecessors(self._function)[label] if place[p] >= place[label]]
        return all(tree.dominates(label, p) for p in back)


def _leaves(
    relation: Relation,
    registers: tuple[Register, ...],
    named: Mapping[Register, tuple[Held, ...]],
    encoding: Encoding,
) -> tuple[dict[Term, Lvalue], dict[Term, Held]]:
    """The parameters that are integer variables of the function that the head lies in."""
    leaves: dict[Term, Lvalue] = {}
    sources: dict[Term, Held] = {}
    for parameter, register in zip(relation.parameters, registers, strict=True):
        if parameter.role is Role.REGION or parameter.role is Role.ENTRY:
            continue
        held = next((h for h in named.get(register, ()) if is_near(h, relation.origin)), None)
        leaf = None if held is None else _leaf(parameter, held, encoding)
        if leaf is not None and held is not None:
            leaves[parameter.symbol], sources[parameter.symbol] = leaf, held
    return leaves, sources


def is_near(held: Held, origin: Origin) -> bool:
    """The variable is global, or a local of the same copy of the function around the place."""
    variable, span = held.variable, origin.span
    if variable.scope is Scope.GLOBAL:
        return True
    if span is None or variable.span is None:
        return False
    return variable.span.function == span.function and held.inlined_at == origin.chain[1:]


def _leaf(parameter: Parameter, held: Held, encoding: Encoding) -> Lvalue | None:
    variable = held.variable
    if variable.signed is None or variable.name.startswith("&"):
        return None
    truth = variable.c_type in ("_Bool", "bool")
    width = parameter.width or (8 if truth else 0)
    known = integer_type(variable.c_type, encoding.program.pointer_width)
    if not width or (known is not None and known.width != width):
        return None
    kind = IntegerType(width, variable.signed, truth)
    signed = parameter.signed if encoding.options.arithmetic is Arithmetic.INT else kind.signed
    return Lvalue(str(variable), kind, width, signed, IntegerType(width, signed, truth).range)


def _ranges(relation: Relation) -> list[Term]:
    """The known bounds of integers, where they say more than the width."""
    found = []
    for parameter in relation.parameters:
        if parameter.range is None or parameter.width is None:
            continue
        low, high = IntegerType(parameter.width, parameter.signed).range
        if parameter.range[0] > low:
            found.append(terms.le(terms.int_const(parameter.range[0]), parameter.symbol))
        if parameter.range[1] < high:
            found.append(terms.le(parameter.symbol, terms.int_const(parameter.range[1])))
    return found


def _used(part: Term, sources: Mapping[Term, Held]) -> tuple[tuple[str, Span | None], ...]:
    return tuple(_declarations(part, sources))


def _declarations(part: Term, sources: Mapping[Term, Held]) -> Iterator[tuple[str, Span | None]]:
    seen = (sources[symbol].variable for symbol in terms.free_symbols(part) if symbol in sources)
    yield from sorted({(v.name, v.span) for v in seen}, key=str)
