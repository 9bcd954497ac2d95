"""Random expressions of a generated function: integers, and parts of objects in memory."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from generated import CType, Expression, c_types
from generated_memory import Object


@dataclass
class Scope:
    """What a statement may read and write, and how deep it lies."""

    readable: list[Expression]
    writable: list[Expression]
    loops: int = 0
    depth: int = 0
    budget: list[int] = field(default_factory=list)
    objects: tuple[Object, ...] = ()


@dataclass(frozen=True)
class Mentioned:
    """What an object may use in a scope (`generated_memory.Given`)."""

    expressions: Expressions
    scope: Scope
    random: random.Random

    def value(self) -> str:
        """A shallow expression."""
        return self.expressions.shallow(self.scope).text

    def index(self, count: int) -> str:
        """A variable cut to the length, or a constant."""
        r = self.random
        if r.random() < 0.2 or not self.scope.readable:
            return str(r.randrange(count))
        variable = r.choice(self.scope.readable).text
        if count & (count - 1) == 0 and r.random() < 0.5:
            return f"((unsigned){variable} & {count - 1}u)"
        return f"((unsigned){variable} % {count}u)"


class Expressions:
    """Makes expressions; all choices come from one seeded sequence."""

    def __init__(self, seed: int, bits: int) -> None:
        self._random = random.Random(f"{seed}/{bits}")
        self._types = c_types(bits)
        self._by_name = {t.name: t for t in self._types}
        self._int = self._by_name["int"]
        self._helpers: list[tuple[str, CType, list[CType]]] = []
        self._names = 0

    # ----------------------------------------------------------------------------- types, leaves

    def _type(self) -> CType:
        return self._random.choice(self._types)

    def _common(self, left: CType, right: CType) -> CType:
        """The usual arithmetic conversions."""
        wide, other = (left, right) if left.width >= right.width else (right, left)
        if wide.width < 32:
            return self._int
        signed = wide.signed and (other.signed or other.width < wide.width)
        return next(t for t in self._types if (t.width, t.signed) == (wide.width, signed))

    def constant(self, of: CType) -> Expression:
        """A small number, or one at a border of the type."""
        r = self._random
        borders = [
            0,
            1,
            -1,
            1 << (of.width - 1),
            (1 << (of.width - 1)) - 1,
            r.getrandbits(of.width),
        ]
        value = r.choice(borders) if r.random() < 0.4 else r.randint(-9, 20)
        value &= (1 << of.width) - 1
        if of.width <= 64:
            return Expression(f"(({of.name}){value}ull)", of)
        high, low = value >> 64, value & ((1 << 64) - 1)
        return Expression(f"(({of.name})((unsigned __int128){high}ull << 64 | {low}ull))", of)

    def _leaf(self, scope: Scope) -> Expression:
        r = self._random.random()
        if r < 0.2 or not scope.readable:
            return self.constant(self._type())
        if r < 0.24:
            of = self._type()
            return Expression(f"__VERIFIER_nondet_{of.nondet}()", of)
        mentioned = self._mentioned(scope, writable=False) if r < 0.65 else None
        return mentioned or self._random.choice(scope.readable)

    def _variable(self, scope: Scope) -> Expression:
        """A scalar, or a part of an object."""
        mentioned = self._mentioned(scope, writable=True) if self._random.random() < 0.5 else None
        return mentioned or self._random.choice(scope.writable)

    def _mentioned(self, scope: Scope, writable: bool) -> Expression | None:
        """A part of an object, or a number that depends on one."""
        if not scope.objects:
            return None
        chosen = self._random.choice(scope.objects)
        places = chosen.places if writable else (*chosen.places, *chosen.numbers)
        if not places:
            return None
        # what a part of an object mentions is made without objects, so that it ends
        plain = replace(scope, objects=())
        place = self._random.choice(places)(Mentioned(self, plain, self._random))
        if writable:
            return place
        return Expression(f"(({place.type.name}){place.text})", place.type)

    # ------------------------------------------------------------------------------- expressions

    def expression(self, scope: Scope, depth: int) -> Expression:
        """A value; every operation is in parentheses."""
        if depth == 0 or self._random.random() < 0.15:
            return self._leaf(scope)
        kinds: list[tuple[Callable[[Scope, int], Expression], int]] = [
            (self._arithmetic, 30),
            (self._comparison, 10),
            (self._logical, 6),
            (self._shift, 10),
            (self._division, 10),
            (self._unary, 10),
            (self._cast, 12),
            (self._conditional, 8),
            (self._builtin, 8),
            (self._call, 6),
        ]
        makers, weights = zip(*kinds, strict=True)
        return self._random.choices(makers, weights)[0](scope, depth - 1)

    def shallow(self, scope: Scope) -> Expression:
        """A value of one or two operations, or none."""
        return self.expression(scope, self._random.choice([0, 1, 1, 2]))

    def _arithmetic(self, scope: Scope, depth: int) -> Expression:
        left, right = self.expression(scope, depth), self.expression(scope, depth)
        operator = self._random.choice(["+", "-", "*", "&", "|", "^"])
        text = f"({left.text} {operator} {right.text})"
        return Expression(text, self._common(left.type, right.type))

    def _comparison(self, scope: Scope, depth: int) -> Expression:
        left, right = self.expression(scope, depth), self.expression(scope, depth)
        operator = self._random.choice(["<", "<=", ">", ">=", "==", "!="])
        return Expression(f"({left.text} {operator} {right.text})", self._int)

    def _logical(self, scope: Scope, depth: int) -> Expression:
        left, right = self.expression(scope, depth), self.expression(scope, depth)
        operator = self._random.choice(["&&", "||"])
        return Expression(f"({left.text} {operator} {right.text})", self._int)

    def _shift(self, scope: Scope, depth: int) -> Expression:
        left = self.expression(scope, depth)
        of = self._common(left.type, left.type)
        operator = self._random.choice(["<<", ">>"])
        if self._random.random() < 0.3:
            amount = str(self._random.randrange(of.width))
        elif self._random.random() < 0.1:
            amount = self._variable(scope).text  # perhaps the width or more
        else:
            amount = f"(int)({self.expression(scope, depth).text} & {of.width - 1})"
        return Expression(f"({left.text} {operator} {amount})", of)

    def _division(self, scope: Scope, depth: int) -> Expression:
        operator = self._random.choice(["/", "%"])
        if self._random.random() < 0.15:
            return self._bare_division(scope, operator)
        left, right = self.expression(scope, depth), self._variable(scope)
        of = self._common(left.type, right.type)
        left = Expression(f"(({of.name}){left.text})", of)
        guard = f"({of.name}){right.text} != 0"
        if of.signed:
            guard += f" && ({of.name}){right.text} != -1"
        text = f"({guard} ? {left.text} {operator} {right.text} : {self.constant(of).text})"
        return Expression(text, of)

    def _bare_division(self, scope: Scope, operator: str) -> Expression:
        """Ends the run for some values, whether its result is used or not."""
        left, right = self._variable(scope).text, self._variable(scope).text
        of = self._random.choice([self._int, self._by_name["long long"]])
        right = self._random.choice([left, right, right, "-1"])
        text = f"(({of.name}){left} {operator} ({of.name}){right})"
        if self._random.random() < 0.3:
            unused = self.constant(of)
            return Expression(f"((void){text}, {unused.text})", of)
        return Expression(text, of)

    def _unary(self, scope: Scope, depth: int) -> Expression:
        operand = self.expression(scope, depth)
        operator = self._random.choice(["-", "~", "!", "+"])
        of = self._int if operator == "!" else self._common(operand.type, operand.type)
        return Expression(f"({operator}{operand.text})", of)

    def _cast(self, scope: Scope, depth: int) -> Expression:
        of = self._type()
        return Expression(f"(({of.name}){self.expression(scope, depth).text})", of)

    def _conditional(self, scope: Scope, depth: int) -> Expression:
        condition, then, other = (self.expression(scope, depth) for _ in range(3))
        text = f"({condition.text} ? {then.text} : {other.text})"
        return Expression(text, self._common(then.type, other.type))

    def _builtin(self, scope: Scope, depth: int) -> Expression:
        x = self.expression(scope, depth).text
        uint, ulonglong = self._by_name["unsigned int"], self._by_name["unsigned long long"]
        ushort = self._by_name["unsigned short"]
        v = self._variable(scope).text
        return self._random.choice(
            [
                Expression(f"__builtin_popcount((unsigned){x})", self._int),
                Expression(f"__builtin_popcountll((unsigned long long){x})", self._int),
                Expression(f"((unsigned){v} ? __builtin_clz((unsigned){v}) : 32)", self._int),
                Expression(f"((unsigned){v} ? __builtin_ctz((unsigned){v}) : 32)", self._int),
                Expression(f"__builtin_ffs((int){x})", self._int),
                Expression(f"__builtin_parity((unsigned){x})", self._int),
                Expression(f"__builtin_bswap16((unsigned short){x})", ushort),
                Expression(f"__builtin_bswap32((unsigned){x})", uint),
                Expression(f"__builtin_bswap64((unsigned long long){x})", ulonglong),
                Expression(f"__builtin_abs((int){x})", self._int),
                Expression(f"__builtin_rotateleft32((unsigned){x}, (unsigned){v} & 31)", uint),
                self._overflow(scope, depth),
            ]
        )

    def _overflow(self, scope: Scope, depth: int) -> Expression:
        places = [v for v in scope.writable if v.text.isidentifier() and v.type.width >= 8]
        places.append(Expression("g3", self._by_name["unsigned int"]))
        place = self._random.choice(places)
        operation = self._random.choice(["add", "sub", "mul"])
        of = place.type.name
        left, right = self.expression(scope, depth).text, self.expression(scope, depth).text
        text = f"__builtin_{operation}_overflow(({of}){left}, ({of}){right}, &{place.text})"
        return Expression(text, self._int)

    def _call(self, scope: Scope, depth: int) -> Expression:
        choices: list[Callable[[], Expression]] = [
            lambda: Expression(
                f"down((unsigned){self._leaf(scope).text} & 3, (unsigned){self._leaf(scope).text})",
                self._by_name["unsigned int"],
            ),
            lambda: Expression(
                f"gcd({self._leaf(scope).text} & 63, {self._leaf(scope).text} & 31)",
                self._by_name["long long"],
            ),
        ]
        called = self._helper_call(scope, depth)
        if called:
            choices += 3 * [lambda: called]
        return self._random.choice(choices)()

    def _helper_call(self, scope: Scope, depth: int) -> Expression | None:
        if not self._helpers:
            return None
        name, result, parameters = self._random.choice(self._helpers)
        given = ", ".join(self.expression(scope, min(depth, 1)).text for _ in parameters)
        return Expression(f"{name}({given})", result)
