"""Structs, unions, strings, pointers to functions and floats (`generated_memory`)."""

from __future__ import annotations

from generated import Expression
from generated_memory import Given, Maker, Object, adding, all_of


class Objects:
    """Makes objects that are no arrays."""

    def __init__(self, maker: Maker) -> None:
        self.maker = maker

    # ----------------------------------------------------------------------- structs and unions

    def record(self) -> Object:
        """A nested struct, local or global, passed by value and pointed into."""
        name, types = self.maker.name("o"), self.maker.types
        object_ = self.maker.random.choice([name, name, "go"])
        declared = f"struct outer {name} = {{1, {{{{2, 3, {{4}}}}}}, 5, {{1, -2, 3}}}};"
        start = f"{object_}.to = &{object_}.in[1];"

        def place(given: Given) -> Expression:
            inside = f"{object_}.in[{given.index(2)}]"
            text, of = given.random.choice(
                [
                    (f"{object_}.tag", "unsigned char"),
                    (f"{object_}.w", "long long"),
                    (f"{inside}.a", "short"),
                    (f"{inside}.c[{given.index(3)}]", "int"),
                    (f"{object_}.to->b", "signed char"),
                    (f"{object_}.f.b", "int"),
                    (f"{object_}.f.e", "unsigned long long"),
                    (f"{object_}.f.c", "int"),
                ]
            )
            return Expression(text, types[of])

        def change(given: Given) -> str:
            inside, one = f"{object_}.in", given.index(2)
            return given.random.choice(
                [
                    f"{object_} = changed({object_}, (int)({given.value()}));",
                    f"{inside}[{one}] = {inside}[{given.index(2)}];",
                    f"exchange(&{inside}[{one}], {given.random.choice(['&gi', object_ + '.to'])});",
                    f"{object_}.to = &{inside}[{one}]; {object_}.to->c[2] += 3;",
                    f"g2 += weight({inside}[{one}]) - weight(*{object_}.to);",
                    f"{{ struct outer t = {object_}; t.in[{one}].a = -9; "
                    f"{object_}.w += t.in[0].a; }}",
                    f"{{ struct pair t = {{(int){given.value()}, 3}}; t = turned(turned(t)); "
                    "g0 ^= t.x; }",
                ]
            )

        fields = ["tag", "w", "in[0].a", "in[0].c[1]", "in[1].b", "in[1].c[2]", "f.a", "f.e", "f.d"]
        return Object(
            (declared, start),
            (place, place, place),
            (),
            (change, change),
            adding([*(f"{object_}.{field}" for field in fields), "gi.c[1]", f"{object_}.to->a"]),
        )

    def union(self) -> Object:
        """The same bytes in several types; a float in it is no NaN when it is used."""
        name, types = self.maker.name("u"), self.maker.types

        def place(given: Given) -> Expression:
            text, of = given.random.choice(
                [
                    (f"{name}.w[{given.index(2)}]", "unsigned int"),
                    (f"{name}.b[{given.index(8)}]", "unsigned char"),
                    (f"{name}.h[{given.index(4)}]", "unsigned short"),
                    (f"{name}.q", "unsigned long long"),
                    (f"{name}.s.high", "short"),
                ]
            )
            return Expression(text, types[of])

        def whole(given: Given) -> str:
            return given.random.choice(
                [
                    f"{{ union mixed t = {name}; t.b[{given.index(8)}]++; {name} = t; }}",
                    f"{name}.d = tame((double)({given.value()}));",
                    f"{name}.f = (float)tame((double)({given.value()}));",
                    f"g3 += (unsigned)(int)tame({name}.f);",
                ]
            )

        start = f"union mixed {name}; {name}.q = {self.maker.random.getrandbits(62)}ull;"
        return Object((start,), (place, place), (), (whole,), adding([f"{name}.q"]))

    # ------------------------------------------------------------------------ strings and calls

    def string(self) -> Object:
        """A literal or one of the words, and a copy of it."""
        name, copy = self.maker.name("s"), self.maker.name("c")
        literals = ["hello", "", "a\\0b", "worlds"]

        def number(given: Given) -> Expression:
            text = given.random.choice(
                [
                    f"(int)strlen({name})",
                    f'(strcmp({name}, "one") > 0)',
                    f"{copy}[{given.index(9)}]",
                    f"{name}[(unsigned)strlen({name}) / 2]",
                    f"words[{given.index(4)}][0]",
                ]
            )
            return Expression(f"((int){text})", self.maker.int)

        def change(given: Given) -> str:
            literal = given.random.choice(literals)
            return given.random.choice(
                [
                    f'{name} = "{literal}";',
                    f"{name} = words[{given.index(4)}];",
                    f"strcpy({copy}, {name});",
                    f"{copy}[{given.index(8)}] = 'x';",
                ]
            )

        first = self.maker.random.choice(literals)
        return Object(
            (f'const char *{name} = "{first}";', f'char {copy}[9] = "ab";'),
            (),
            (number, number),
            (change,),
            adding([f"strlen({name})"]) + all_of(copy, 9),
        )

    def calls(self) -> Object:
        """Function pointers in tables and structs; calls with variable arguments."""
        name, table = self.maker.name("k"), self.maker.name("t")
        names = ["plus", "minus", "mixed", "store"]

        def number(given: Given) -> Expression:
            x, y = (f"(int)({given.value()})" for _ in range(2))
            text = given.random.choice(
                [
                    f"operations[{given.index(4)}]({x}, {y})",
                    f"{table}[{given.index(2)}]({x}, {y})",
                    f"{name}.area({x}, {name}.side)",
                    f"total(3, {x}, {y}, {name}.side)",
                    f"(int)deep(&ga[{given.index(4)}], {given.index(4)})",
                    f"total(1, {x})",
                ]
            )
            return Expression(text, self.maker.int)

        def change(given: Given) -> str:
            one = given.random.choice(names)
            return given.random.choice(
                [
                    f"{table}[{given.index(2)}] = {one};",
                    f"{name}.area = {one};",
                    f"{name}.area = {table}[{given.index(2)}];",
                    f"{name}.side += 3;",
                ]
            )

        first, second = self.maker.random.sample(names, 2)
        return Object(
            (
                f"struct shape {name} = {{{first}, 3}};",
                f"int (*{table}[2])(int, int) = {{{second}, {first}}};",
            ),
            (),
            (number, number),
            (change,),
            adding([f"{name}.area(3, 4)", f"{table}[1](5, 6)"]),
        )

    # ------------------------------------------------------------------------------------ floats

    def floats(self) -> Object:
        """A float and a double."""
        f, d = self.maker.name("f"), self.maker.name("d")

        def value(given: Given) -> str:
            r, whole = given.random, given.value()
            constant = r.choice(["0.5", "1.25f", "-3.0", "1e10", "0.1", "0.1f", "-0.0"])
            return r.choice([f, d, d, constant, f"(double)({whole})", f"(float)({whole})"])

        def number(given: Given) -> Expression:
            compared = given.random.choice(["<", "<=", "==", "!=", ">"])
            text = given.random.choice(
                [
                    f"({value(given)} {compared} {value(given)})",
                    f"(int)tame({d})",
                    f"(int)tame({f} * 0.5f)",
                    f"({d} != {d})",
                    f"!{f}",
                ]
            )
            return Expression(text, self.maker.int)

        def change(given: Given) -> str:
            operator = given.random.choice(["+", "-", "*", "/"])
            result = f"{value(given)} {operator} {value(given)}"
            return given.random.choice(
                [
                    f"{d} = {result};",
                    f"{f} = {result};",
                    f"{f} = -{f};",
                    f"{d} = ({value(given)} < 1.5 ? {value(given)} : {d} * 3);",
                    f"{d} = __VERIFIER_nondet_double();",
                    f"{f} = __VERIFIER_nondet_float();",
                ]
            )

        return Object(
            (f"float {f} = 1.5f;", f"double {d} = __VERIFIER_nondet_double();"),
            (),
            (number, number),
            (change, change),
            adding([f"shown({d})", f"narrow({f})"]),
        )
