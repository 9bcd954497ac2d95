"""Random C programs without undefined behaviour but division by zero, packed many to a file.

`program(seed, count, bits)` makes `count` functions of integer code, each with a result of 64 bits,
and a `main` that runs the function its first input names, compares the result with an oracle input
(equal: error) and otherwise shows the result by the sites it reads, bit by bit.  What is undefined
in C but defined here (wrapping, shifts by the width or more) is generated too.  Every third
function works on objects in memory (`generated_memory`).
"""

from __future__ import annotations

from generated import PRELUDE, CType, Expression, File, c_types
from generated_arrays import Arrays
from generated_expressions import Expressions, Mentioned, Scope
from generated_memory import MEMORY_PRELUDE, Maker, Object
from generated_objects import Objects


class Generator(Expressions):
    """One file of random functions."""

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
            return [f"{indent}if ({self.shallow(scope).text}) {word};"]
        if r < (0.8 if scope.objects else 0.6):
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
        if scope.objects and self._random.random() < 0.8:
            return self._on_object(scope)
        x, y = self.shallow(scope).text, self.shallow(scope).text
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

    def _on_object(self, scope: Scope) -> str:
        statements = [s for o in scope.objects for s in o.statements]
        return self._random.choice(statements)(Mentioned(self, scope, self._random))

    def _inner(self, scope: Scope, loops: int = 0) -> Scope:
        return Scope(
            list(scope.readable),
            list(scope.writable),
            scope.loops + loops,
            scope.depth + 1,
            scope.budget,
            scope.objects,
        )

    def _if(self, scope: Scope, indent: str) -> list[str]:
        lines = [f"{indent}if ({self.shallow(scope).text}) {{"]
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
        lines = [f"{indent}switch ((int){self.shallow(scope).text}) {{"]
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
        lines += [f"  return {self.shallow(scope).text};", "}"]
        self._helpers.append((f"h{number}", result, parameters))
        return "\n".join(lines)

    def function(self, number: int) -> str:
        """A function of inputs; its result depends on all it has written."""
        lines = [f"static unsigned long long f{number}(void) {{", "  unsigned long long r = 0;"]
        objects = self._objects() if number % 3 == 1 else []
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
        budget = [self._random.choice([1, 1, 2, 2, 3, 6])]
        lines += [f"  {line}" for one in objects for line in one.declared]
        scope = Scope(
            [*variables, *readable], [*variables, *chosen], budget=budget, objects=tuple(objects)
        )
        for _ in range(3):
            lines += self.statements(scope, "  ")
        lines += [f"  r = r * 31 + (unsigned long long){v.text};" for v in [*variables, *chosen]]
        lines += [f"  {line}" for one in objects for line in (*one.shown, *one.freed)]
        return "\n".join([*lines, "  return r;", "}"])

    def _objects(self) -> list[Object]:
        """One object, or two that statements may mix."""
        maker = Maker(self._random, self._by_name)
        arrays, others = Arrays(maker), Objects(maker)
        makers = [arrays.array, arrays.array, arrays.matrix, arrays.block, arrays.linked]
        makers += [others.record, others.union, others.string, others.calls, others.floats]
        return [make() for make in self._random.sample(makers, self._random.choice([1, 1, 1, 2]))]

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
    return File(f"{inputs}{PRELUDE}{MEMORY_PRELUDE}\n{helpers}", functions)
