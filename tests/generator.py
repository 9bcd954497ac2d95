"""Random C programs without undefined behaviour but division by zero, packed many to a file.

`program(seed, count, bits)` makes `count` functions of integer code, each with a result of 64 bits,
and a `main` that runs the function its first input names, compares the result with an oracle input
(equal: error) and otherwise shows the result by the sites it reads, bit by bit.  What is undefined
in C but defined here (wrapping, shifts by the width or more) is generated too.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from generated import PRELUDE, CType, Expression, File, c_types


@dataclass
class Scope:
    """What a statement may read and write, and how deep it lies."""

    readable: list[Expression]
    writable: list[Expression]
    loops: int = 0
    depth: int = 0
    budget: list[int] = field(default_factory=list)


class Generator:
    """One file of random functions; all choices come from one seeded sequence."""

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
        return self._random.choice(scope.readable)

    def _variable(self, scope: Scope) -> Expression:
        return self._random.choice(scope.writable)

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

    def _shallow(self, scope: Scope) -> Expression:
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

    # -------------------------------------------------------------------------------- statements

    def statements(self, scope: Scope, indent: str) -> list[str]:
        """One to four statements."""
        lines: list[str] = []
        for _ in range(self._random.randint(1, 4)):
            if scope.budget[0] <= 0:
                break
            scope.budget[0] -= 1
            lines += self._statement(scope, indent)
        return lines or [f"{indent};"]

    def _statement(self, scope: Scope, indent: str) -> list[str]:
        r = self._random.random()
        if scope.depth < 3 and r < 0.18:
            return self._if(scope, indent)
        if scope.depth < 2 and r < 0.34:
            return self._loop(scope, indent)
        if scope.depth < 3 and r < 0.42:
            return self._switch(scope, indent)
        if scope.loops and r < 0.5:
            word = self._random.choice(["break", "continue"])
            return [f"{indent}if ({self._shallow(scope).text}) {word};"]
        if r < 0.6:
            return [indent + self._special(scope)]
        return [indent + self._assignment(scope)]

    def _assignment(self, scope: Scope) -> str:
        place = self._variable(scope)
        r = self._random.random()
        if r < 0.12 and place.type.width > 1:
            return self._random.choice([f"{place.text}++;", f"--{place.text};"])
        value = self.expression(scope, self._random.choice([0, 1, 1, 2, 3])).text
        if r < 0.4:
            return f"{place.text} {self._random.choice('+-*&|^')}= {value};"
        return f"{place.text} = {value};"

    def _special(self, scope: Scope) -> str:
        x, y = self._shallow(scope).text, self._shallow(scope).text
        return self._random.choice(
            [
                f"{{ int p = {x}, q = {y}; swap_int(&p, &q); g0 += p - 2 * q; }}",
                f"{{ unsigned short p = {x}; bump(&p, {y}); g3 ^= p; }}",
                f"{{ struct small s = make({x}, {y}); g2 += sum(s, &s) + s.a; }}",
                f"{{ struct plain t = gs; t.b ^= {x}; gs = t; }}",
                f"{{ unsigned h[3] = {{{x}, {y}}}; h[1] += h[0]; ga[2] ^= h[1] - h[2]; }}",
                f"{{ union {{ unsigned w; unsigned char b[4]; }} u; u.w = {x}; g1 += u.b[1]; }}",
            ]
        )

    def _inner(self, scope: Scope, loops: int = 0) -> Scope:
        return Scope(
            list(scope.readable),
            list(scope.writable),
            scope.loops + loops,
            scope.depth + 1,
            scope.budget,
        )

    def _if(self, scope: Scope, indent: str) -> list[str]:
        lines = [f"{indent}if ({self._shallow(scope).text}) {{"]
        lines += self.statements(self._inner(scope), indent + "  ")
        if self._random.random() < 0.5:
            lines += [f"{indent}}} else {{", *self.statements(self._inner(scope), indent + "  ")]
        return [*lines, f"{indent}}}"]

    def _loop(self, scope: Scope, indent: str) -> list[str]:
        self._names += 1
        counter, bound = f"i{self._names}", self._random.randint(1, 5)
        of = self._random.choice([t for t in self._types if t.width >= 8])
        inner = self._inner(scope, 1)
        inner.readable.append(Expression(counter, of))
        body = self.statements(inner, indent + "    ")
        head, tail = self._random.choice(
            [
                (f"for ({of.name} {counter} = 0; {counter} < {bound}; {counter}++) {{", "}"),
                (f"{of.name} {counter} = {bound}; while ({counter}-- > 0) {{", "}"),
                (f"{of.name} {counter} = 0; do {{", f"}} while (++{counter} < {bound});"),
            ]
        )
        return [f"{indent}{{ {head}", *body, f"{indent}{tail} }}"]

    def _switch(self, scope: Scope, indent: str) -> list[str]:
        lines = [f"{indent}switch ((int){self._shallow(scope).text}) {{"]
        inner = self._inner(scope)
        inner.loops = 0  # a break here would leave the switch
        for label in sorted(self._random.sample(range(-2, 8), self._random.randint(1, 4))):
            lines += [f"{indent}case {label}: {{", *self.statements(inner, indent + "  ")]
            lines.append(f"{indent}}}" + (" break;" if self._random.random() < 0.6 else ""))
        if self._random.random() < 0.5:
            lines += [f"{indent}default: {{", *self.statements(inner, indent + "  "), f"{indent}}}"]
        return [*lines, f"{indent}}}"]

    # --------------------------------------------------------------------------------- functions

    def helper(self, number: int) -> str:
        """A function of parameters, which later functions call."""
        result, parameters = self._type(), [self._type() for _ in range(self._random.randint(1, 3))]
        variables = [Expression(f"p{k}", of) for k, of in enumerate(parameters)]
        scope = Scope(list(variables), list(variables), depth=1, budget=[3])
        heading = ", ".join(f"{of.name} p{k}" for k, of in enumerate(parameters))
        lines = [f"static {result.name} h{number}({heading}) {{"]
        lines += self.statements(scope, "  ")
        lines += [f"  return {self._shallow(scope).text};", "}"]
        self._helpers.append((f"h{number}", result, parameters))
        return "\n".join(lines)

    def function(self, number: int) -> str:
        """A function of inputs; its result depends on all it has written."""
        lines = [f"static unsigned long long f{number}(void) {{", "  unsigned long long r = 0;"]
        variables = []
        for k in range(self._random.randint(1, 3)):
            of = self._type()
            variables.append(Expression(f"v{k}", of))
            start = self._start(of)
            lines.append(f"  {of.name} v{k}{start};")
        lines.append("  struct fields b = {1, 2, 3, 1, -5};")
        fields = [
            Expression(f"b.{name}", self._by_name[of])
            for name, of in [("a", "int"), ("b", "int"), ("d", "int"), ("e", "int")]
        ]
        wide = Expression("b.c", self._by_name["unsigned long long"])
        shared = [Expression("g0", self._int), Expression("g1", self._by_name["unsigned char"])]
        shared += [Expression("g2", self._by_name["long long"]), Expression("gs.b", self._int)]
        shared += [Expression("ga[1]", self._by_name["unsigned int"])]
        chosen = self._random.sample([*fields, wide, *shared], 3)
        # What a bit-field is promoted to depends on its width: it is read under a cast.
        readable = [Expression(f"(({v.type.name}){v.text})", v.type) for v in chosen]
        # most functions are small, so that many are compared; interplay needs a few larger ones
        budget = [self._random.choice([1, 2, 2, 3, 3, 8])]
        scope = Scope([*variables, *readable], [*variables, *chosen], budget=budget)
        for _ in range(3):
            lines += self.statements(scope, "  ")
        lines += [f"  r = r * 31 + (unsigned long long){v.text};" for v in [*variables, *chosen]]
        return "\n".join([*lines, "  return r;", "}"])

    def _start(self, of: CType) -> str:
        r = self._random.random()
        if r < 0.08:
            return ""
        if r < 0.75:
            return f" = __VERIFIER_nondet_{of.nondet}()"
        return f" = {self.constant(of).text}"


def program(seed: int, count: int, bits: int) -> File:
    """A file of `count` functions for a data model of 32 or 64 bits."""
    generator = Generator(seed, bits)
    inputs = "".join(
        f"extern {t.name} __VERIFIER_nondet_{t.nondet}(void);\n" for t in c_types(bits)
    )
    helpers = "\n".join(generator.helper(k) for k in range(max(2, count // 20)))
    functions = tuple((k, generator.function(k)) for k in range(count))
    return File(f"{inputs}{PRELUDE}\n{helpers}", functions)
