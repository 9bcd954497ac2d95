"""The new program: its blocks, as they are written, and what is known of its registers.

Every method that computes gives an operand.  It writes a statement only if the operand is neither a
constant nor a register that exists already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from seahorn_py.base.errors import NOWHERE, Origin
from seahorn_py.ir.memory import bytes_of
from seahorn_py.ir.program import (
    TRUE,
    Address,
    Binary,
    BinaryOp,
    Bits,
    Branch,
    Cast,
    CastOp,
    Compare,
    FloatConst,
    Input,
    IntConst,
    Offset,
    Operand,
    Phi,
    Predicate,
    Register,
    Select,
    Site,
    Statement,
)
from seahorn_py.ir.traverse import uses
from seahorn_py.ir.types import BOOL, POINTER, IntType, Type
from seahorn_py.passes.ranges import intervals
from seahorn_py.passes.ranges.conditions import learn
from seahorn_py.passes.ranges.intervals import Range, exactly, full, join
from seahorn_py.passes.simplify.folding import fold
from seahorn_py.passes.unfolding.code.computed import (
    Computed,
    constant,
    constant_as,
    is_made_of_constants,
    key,
    may_end,
    named,
)
from seahorn_py.passes.unfolding.code.drafts import Draft, Into, dominates, meeting
from seahorn_py.passes.unfolding.code.equalities import is_plain, narrow, opposite
from seahorn_py.passes.unfolding.code.products import simpler
from seahorn_py.passes.unfolding.code.values import Term, Unfit, Value

Facts = Mapping[Register, Range]


class Code:
    """The blocks written so far, and the block and facts of the run that is being followed.

    A *word* is an integer of the width of a pointer.  Raises Unfit after `most` statements.
    """

    def __init__(
        self, width: int, most: int, arbitrary: Callable[[Type], Site], hoists: bool = False
    ) -> None:
        """`hoists`: comparisons are written as early as they can be."""
        self.word = IntType(width)
        self._arbitrary = arbitrary
        self.drafts: list[Draft] = []
        self.draft = self.begun()
        self.facts: Facts = {}
        self.origin: Origin = NOWHERE
        self.definitions: dict[Register, Statement] = {}
        self.inputs: dict[Register, Site] = {}
        self.numbered: set[int | str] = set()
        """The objects and functions whose addresses were computed with as numbers."""
        self.phis: dict[Register, tuple[Draft, tuple[Operand, ...]]] = {}
        self.ranges: dict[Register, Range] = {}
        self.joins: dict[str, Facts] = {}
        self._computed: dict[tuple[object, ...], list[tuple[Draft, Register]]] = {}
        self._homes: dict[Register, Draft] = {}
        self._hoists = hoists
        self._opposites: dict[Register, Register] = {}
        self._most = most
        self._size = 0
        self._names = 0

    # ----------------------------------------------------------------------------------- blocks

    def begun(self, *edges: Into) -> Draft:
        """A new block."""
        above = meeting([edge.source for edge in edges])
        depth = 0 if above is None else above.depth + 1
        draft = Draft(f"b{len(self.drafts)}", edges, above, depth)
        self.drafts.append(draft)
        return draft

    def fresh(self, type_: Type) -> Register:
        """A new register."""
        self._names += 1
        return Register(f"u{self._names}", type_)

    def write(self, statement: Statement, home: Draft | None = None) -> None:
        """Put a statement at the end of the block, or of one that every run to it passes."""
        self._size += 1
        if self._size > self._most:
            raise Unfit(f"more than {self._most} statements")
        home = home or self.draft
        home.statements.append(statement)
        result = getattr(statement, "result", None)
        if isinstance(result, Register):
            self._homes[result] = home

    def read(self, type_: Type, site: Site) -> Register:
        """Read an input of a site; gives its register."""
        result = self.fresh(type_)
        self.write(Input(result, site))
        self.inputs[result] = site
        return result

    def unknown(self, what: object, type_: Type) -> Operand:
        """What depends on where objects lie: any value, the same on the ways that follow."""
        same = self._computed.setdefault(("unknown", what, type_), [])
        for home, there in same:
            if dominates(home, self.draft):
                return there
        same.append((self.draft, self.fresh(type_)))
        self.write(Input(same[-1][1], self._arbitrary(type_)))
        return same[-1][1]

    def is_moved_null(self, value: Value) -> bool:
        """Whether a value is null plus an index that is not known."""
        made = self.definitions.get(value) if isinstance(value, Register) else None
        return isinstance(made, Offset) and self.is_astray(made.base)

    def is_astray(self, value: Value) -> bool:
        """Whether a value is made of constant addresses alone, moved or chosen among."""
        return is_made_of_constants(value, self.definitions, self.phis)

    def phi(self, incoming: Sequence[tuple[Draft, Operand]]) -> Operand:
        """The value that belongs to the edge taken, at the head of the present block."""
        values = {value for _, value in incoming}
        if len(values) == 1:
            return values.pop()
        result = self.fresh(incoming[0][1].type)
        self._size += 1
        self.draft.phis.append(Phi(result, tuple((d.label, value) for d, value in incoming)))
        self._homes[result] = self.draft
        self.phis[result] = self.draft, tuple(value for _, value in incoming)
        return result

    def split(self, condition: Operand, origin: Origin) -> tuple[Draft, Draft]:
        """End the block with a branch; gives the new blocks of its two sides."""
        draft = self.draft
        first, second = (self.begun(Into(draft, condition, truth)) for truth in (True, False))
        draft.terminator = Branch(condition, first.label, second.label, origin)
        return first, second

    # ----------------------------------------------------------------------------------- ranges

    def range(self, operand: Operand, facts: Facts | None = None) -> Range | None:
        """The values that an integer may have under some facts: by default, those of the run.

        None if the operand is no integer.
        """
        if isinstance(operand, IntConst):
            return exactly(operand.type.width, operand.value)
        if not isinstance(operand, Register) or not isinstance(operand.type, IntType):
            return None
        known = self.facts if facts is None else facts
        found = known.get(operand) or self.ranges.get(operand)
        if (
            found is None
            and (other := known.get(self._opposites.get(operand, operand))) is not None
        ):
            found = None if other.value is None else exactly(1, 1 - other.value)
        return found or full(operand.type.width)

    def note(self, register: Register, range_: Range | None) -> None:
        """Note that all values of the register lie in a range."""
        if range_ is not None:
            self.ranges[register] = range_

    def joined(self, parts: Sequence[tuple[Operand, Facts]]) -> Range | None:
        """A range of all values of some operands, each under facts of its own."""
        found: Range | None = None
        for operand, facts in parts:
            part = self.range(operand, facts)
            if part is None:
                return None
            found = part if found is None else join(found, part)
        return found

    # ------------------------------------------------------------------------------- computation

    def compute(self, statement: Computed) -> Operand:
        """The result of a statement whose operands belong to the new program."""
        known, statement = self._known(statement)
        if known is None and self._hoists:
            plain = narrow(statement, self.definitions)
            if plain is not statement:
                return plain if isinstance(plain, IntConst) else self.compute(plain)
        if known is None:
            known = self._by_cases(statement) or simpler(self, statement)
        if known is not None:
            return known
        same = self._computed.setdefault(key(statement), [])
        for home, there in same:
            if dominates(home, self.draft):
                return self._in_run(there, statement)
        result = self.fresh(statement.result.type)
        home = self._earliest(statement) if self._hoists else self.draft
        self.write(named(statement, result), home)
        self.definitions[result] = statement
        same.append((home, result))
        if (other := opposite(statement)) is not None:
            for _, there in self._computed.get(key(other), ()):
                self._opposites[result], self._opposites[there] = there, result
        self.note(result, self._result(statement, {} if self._hoists else self.facts))
        return self._in_run(result, statement)

    def _in_run(self, result: Register, statement: Computed) -> Register:
        """The result; it is noted what the facts of the run tell of it, if others can find it."""
        known = self._result(statement) if self._hoists else None
        before = self.range(result)
        now = None if known is None or before is None else intervals.meet(known, before)
        if now is not None and now != before and isinstance(self.facts, dict):
            self.facts[result] = now
        return result

    def _earliest(self, statement: Computed) -> Draft:
        """The block where the last operand is made: facts of several ways are about one result."""
        if not is_plain(statement):
            return self.draft
        homes = [self._homes.get(read, self.draft) for read in uses(statement)]
        return max(homes, key=lambda home: home.depth, default=self.draft)

    def _known(self, statement: Computed) -> tuple[Operand | None, Computed]:
        """The result if it is a constant or exists already, and a simpler form of the statement."""
        while True:
            folded = fold(statement, self.definitions)
            match folded:
                case Binary() | Compare() | Cast() | Select():
                    statement = folded
                case Register() | IntConst() | FloatConst() | Address():
                    return folded, statement
                case _:
                    break
        known = constant(statement)
        range_ = self._result(statement) if known is None else None
        if range_ is not None and range_.value is not None and not may_end(statement):
            known = IntConst(range_.value, IntType(range_.width))
        return known, statement

    def _by_cases(self, statement: Computed) -> Operand | None:
        """The result if some operand is a `Select`, and the result is a constant for both its arms.

        For example, `max(p, 0) - p` is 0 if `p` is not negative.
        """
        if not isinstance(statement, Binary | Compare) or may_end(statement):
            return None
        for operand in (statement.left, statement.right):
            made = self.definitions.get(operand) if isinstance(operand, Register) else None
            if not isinstance(made, Select):
                continue
            arms = [
                self._in_case(statement, operand, arm, made.condition, truth)
                for arm, truth in ((made.then, True), (made.otherwise, False))
            ]
            if all(isinstance(arm, IntConst) for arm in arms):
                first, second = arms
                assert first is not None and second is not None
                return first if first == second else self.select(made.condition, first, second)
        return None

    def _in_case(
        self,
        statement: Binary | Compare,
        old: Operand,
        new: Operand,
        condition: Operand,
        truth: bool,
    ) -> Operand | None:
        """The result with `new` in the place of `old`, if the condition is as `truth` says."""
        left = new if statement.left == old else statement.left
        right = new if statement.right == old else statement.right
        facts = learn(condition, truth, self.range, self.definitions)
        before = self.facts
        self.facts = {**before, **(facts or {})}
        try:
            return self._known(replace(statement, left=left, right=right))[0]
        finally:
            self.facts = before

    def _result(self, statement: Computed, facts: Facts | None = None) -> Range | None:
        """The range of the result under some facts: by default, those of the run."""
        match statement:
            case Binary(op=op, left=left, right=right):
                a, b = self.range(left, facts), self.range(right, facts)
                return None if a is None or b is None else intervals.binary(op, a, b)
            case Compare(predicate=predicate, left=left, right=right):
                a, b = self.range(left, facts), self.range(right, facts)
                decided = None if a is None or b is None else intervals.decide(predicate, a, b)
                return None if decided is None else exactly(1, int(decided))
            case Cast(op=op, value=value, result=result) if isinstance(result.type, IntType):
                a = self.range(value, facts)
                return None if a is None else intervals.cast(op, a, result.type.width)
            case Select(then=then, otherwise=otherwise):
                return self.joined(
                    [(arm, self.facts if facts is None else facts) for arm in (then, otherwise)]
                )
            case Bits(op=op, arguments=arguments):
                ranges = [r for r in (self.range(a, facts) for a in arguments) if r is not None]
                return intervals.bits(op, ranges) if len(ranges) == len(arguments) else None
            case _:
                return None

    def moved(
        self, base: Register | Address, constant: int, terms: tuple[Term, ...]
    ) -> Register | Address:
        """A pointer from outside, or null, moved by a constant and by indices."""
        if not constant and not terms:
            return base
        result = self.fresh(base.type)
        statement = Offset(result, base, constant, terms, self.origin)
        self.write(statement)
        self.definitions[result] = statement
        return result

    def binary(self, op: BinaryOp, left: Operand, right: Operand) -> Operand:
        """`left op right`."""
        return self.compute(Binary(Register("", left.type), op, left, right, self.origin))

    def compare(self, predicate: Predicate, left: Operand, right: Operand) -> Operand:
        """`left predicate right`."""
        return self.compute(Compare(Register("", BOOL), predicate, left, right, self.origin))

    def select(self, condition: Operand, then: Operand, otherwise: Operand) -> Operand:
        """`condition ? then : otherwise`."""
        result = Register("", then.type)
        return self.compute(Select(result, condition, then, otherwise, self.origin))

    def add(self, left: Operand, right: Operand) -> Operand:
        """Their sum."""
        return self.binary(BinaryOp.ADD, left, right)

    def multiply(self, left: Operand, right: Operand) -> Operand:
        """Their product."""
        return self.binary(BinaryOp.MUL, left, right)

    def difference(self, left: Operand, right: Operand) -> Operand:
        """Their difference."""
        return self.binary(BinaryOp.SUB, left, right)

    def shifted(self, value: Operand, bits: int) -> Operand:
        """The value without its lowest `bits`: a logical shift to the right."""
        assert isinstance(value.type, IntType)
        return self.binary(BinaryOp.LSHR, value, IntConst(bits, value.type))

    def both(self, left: Operand, right: Operand) -> Operand:
        """The conjunction of two i1."""
        return self.binary(BinaryOp.AND, left, right)

    def either(self, left: Operand, right: Operand) -> Operand:
        """The disjunction of two i1."""
        return self.binary(BinaryOp.OR, left, right)

    def negated(self, condition: Operand) -> Operand:
        """The negation of an i1."""
        return self.binary(BinaryOp.XOR, condition, TRUE)

    def resized(self, value: Operand, to: IntType, sign: bool = False) -> Operand:
        """An integer cut or extended to a width."""
        assert isinstance(value.type, IntType)
        width = value.type.width
        if width == to.width:
            return value
        longer = CastOp.SEXT if sign else CastOp.ZEXT
        op = CastOp.TRUNC if to.width < width else longer
        return self.compute(Cast(Register("", to), op, value, self.origin))

    def converted(self, value: Operand, to: Type) -> Operand:
        """The bits of a value as a value of another type of the same size, or of part of a byte."""
        if value.type == to:
            return value
        if (known := constant_as(value, to)) is not None:
            return known
        if isinstance(value.type, IntType) and isinstance(to, IntType):
            return self.resized(value, to)
        op = CastOp.BITCAST
        if POINTER in (to, value.type):
            op = CastOp.INTTOPTR if to == POINTER else CastOp.PTRTOINT
            other = value.type if to == POINTER else to
            if not isinstance(other, IntType):
                if bytes_of(other, self.word.width) != bytes_of(POINTER, self.word.width):
                    raise Unfit("a pointer is read as a float, or a float as a pointer")
                return self.converted(self.converted(value, self.word), to)
        return self.compute(Cast(Register("", to), op, value, self.origin))
