"""Arrays, blocks of the heap and lists for generated functions (`generated_memory`)."""

from __future__ import annotations

from generated import CType, Expression
from generated_memory import Given, Maker, Nothing, Object, Text, adding, all_of


class Arrays:
    """Makes arrays and what lies on the heap."""

    def __init__(self, maker: Maker) -> None:
        self.maker = maker

    # ------------------------------------------------------------------------------------ arrays

    def array(self) -> Object:
        """A local or static array, with pointers into it or not."""
        of, count, name = (
            self.maker.element(),
            self.maker.random.choice([1, 3, 4, 5, 8]),
            self.maker.name("a"),
        )
        kind = self.maker.random.choice(["", "", "static "])
        first = ", ".join(str(self.maker.random.randint(0, 9)) for _ in range(min(count, 3)))
        declared = f"{kind}{of.name} {name}[{count}] = {{{first}}};"
        made = self._elements(name, of, count, declared)
        return self._with_pointers(made, name, of, count) if count >= 4 else made

    def _elements(self, name: str, of: CType, count: int, *declared: str) -> Object:
        def place(given: Given) -> Expression:
            return Expression(f"{name}[{given.index(count)}]", of)

        def swap(given: Given) -> str:
            one, other = place(given).text, place(given).text
            return f"{{ {of.name} t = {one}; {one} = {other}; {other} = t; }}"

        def walk(given: Given) -> str:
            r, value = given.random, given.value()
            step = r.choice([f"{name}[k] * 3 + {value}", f"{name}[(k + 1) % {count}] ^ {value}"])
            return f"for (unsigned k = 0; k < {count}; k++) {name}[k] = {step};"

        return Object(
            declared,
            (place,),
            (),
            (swap, walk, *self._bytes(name, of, count)),
            all_of(name, count),
        )

    def _bytes(self, name: str, of: CType, count: int) -> tuple[Text, ...]:
        half = count * max(8, of.width) // 16
        byte = f"(unsigned char *){name}"

        def move(given: Given) -> str:
            to, start = given.index(half + 1), given.index(half + 1)
            size = given.index(half + 1) if given.random.random() < 0.6 else str(half)
            return f"memmove({byte} + {to}, {byte} + {start}, {size});"

        def fill(given: Given) -> str:
            value = given.random.choice(["0", f"{given.value()} & 1"])
            size = given.index(half + 1) if given.random.random() < 0.5 else str(half)
            return f"memset({byte} + {given.index(half + 1)}, (int)({value}), {size});"

        def copy(given: Given) -> str:
            other = f"{of.name} t[{count}]; memcpy(t, {name}, sizeof t);"
            place, value = f"{name}[{given.index(count)}]", f"t[{given.index(count)}]"
            return f"{{ {other} {place} = {value}; }}"

        def compare(given: Given) -> str:
            return f"g0 += memcmp({name}, {byte} + {given.index(half + 1)}, {half}) != 0;"

        return (move, fill, copy, compare)

    def _with_pointers(self, made: Object, array: str, of: CType, count: int) -> Object:
        """With a pointer that stays in the first half, and one to that pointer."""
        p, q, half = self.maker.name("p"), self.maker.name("q"), count // 2

        def place(given: Given) -> Expression:
            text = given.random.choice([f"{p}[{given.index(half)}]", f"(*{p})", f"(**{q})"])
            return Expression(text, of)

        def number(given: Given) -> Expression:
            other = f"{array} + {given.index(count + 1)}"
            text = given.random.choice(
                [
                    f"({p} {given.random.choice(['<', '==', '>=', '!='])} {other})",
                    f"(int)({p} - {array})",
                    f"(int)({other} - {p})",
                ]
            )
            return Expression(text, self.maker.int)

        def move(given: Given) -> str:
            to = given.index(half + 1)
            return given.random.choice(
                [
                    f"{p} = {array} + {to};",
                    f"*{q} = &{array}[{to}];",
                    f"{q} = &{p};",
                    f"if ({p} > {array}) {p}--;",
                    f"if ({p} - {array} < {half}) ++*{q};",
                ]
            )

        return Object(
            (*made.declared, f"{of.name} *{p} = {array} + 1, **{q} = &{p};"),
            (*made.places, place, place),
            (number,),
            (*made.statements, move, move),
            (*made.shown, *adding([f"({p} - {array})"])),
        )

    def matrix(self) -> Object:
        """Two dimensions; rows are pointed to."""
        of, name = self.maker.element(), self.maker.name("m")
        rows, columns = self.maker.random.choice([2, 3]), self.maker.random.choice([2, 3, 4])

        def place(given: Given) -> Expression:
            return Expression(f"{name}[{given.index(rows)}][{given.index(columns)}]", of)

        def row(given: Given) -> str:
            pointer = f"{of.name} *w = {name}[{given.index(rows)}];"
            return f"{{ {pointer} w[{given.index(columns)}] = {given.value()}; }}"

        def whole(given: Given) -> str:
            one, other = given.index(rows), given.index(rows)
            return f"memmove({name}[{one}], {name}[{other}], sizeof {name}[0]);"

        return Object(
            (f"{of.name} {name}[{rows}][{columns}] = {{{{1, 2}}, {{3}}}};",),
            (place, place),
            (),
            (row, whole),
            all_of(f"{name}[0]", columns) + all_of(f"{name}[{rows - 1}]", columns),
        )

    # ---------------------------------------------------------------------------------- the heap

    def block(self) -> Object:
        """An array on the heap, which may grow."""
        of, count, name = (
            self.maker.element(),
            self.maker.random.choice([2, 4, 5]),
            self.maker.name("y"),
        )
        get = self.maker.random.choice(
            [f"malloc({count} * sizeof *{name})", f"calloc({count}, 16)"]
        )
        fill = f"for (unsigned k = 0; k < {count}; k++) {name}[k] = k + 2;"
        made = self._elements(name, of, count, f"{of.name} *{name} = {get};", fill)

        def grow(given: Given) -> str:
            extra = given.random.choice(["0", "3", given.index(9)])
            return f"{name} = realloc({name}, ({count} + {extra}) * sizeof *{name});"

        def fresh(given: Given) -> str:
            get = f"int *t = malloc(2 * sizeof *t); t[0] = (int)({given.value()}); t[1] = 5;"
            return f"{{ {get} g0 -= t[{given.index(2)}]; free(t); }}"

        statements = (*made.statements, grow, fresh)
        freed = (f"free({name});",)
        return Object(made.declared, made.places, (), statements, made.shown, freed)

    def linked(self) -> Object:
        """A list that is pushed, popped, walked and reversed."""
        name = self.maker.name("l")
        each = f"for (struct node *n = {name}; n; n = n->next)"

        def change(given: Given) -> str:
            value = f"(int)({given.value()})"
            return given.random.choice(
                [
                    f"{{ struct node *n = malloc(sizeof *n); n->v = {value}; n->next = {name}; "
                    f"{name} = n; }}",
                    f"{{ struct node **n = &{name}; while (*n) n = &(*n)->next; "
                    f"*n = calloc(1, sizeof **n); (*n)->v = {value}; }}",
                    f"if ({name}) {{ struct node *n = {name}; g0 += n->v; {name} = n->next; "
                    "free(n); }",
                    f"{each} n->v ^= {value};",
                    f"{{ struct node *d = 0; while ({name}) {{ struct node *n = {name}->next; "
                    f"{name}->next = d; d = {name}; {name} = n; }} {name} = d; }}",
                ]
            )

        def number(given: Given) -> Expression:
            text = given.random.choice([f"length({name})", f"({name} ? {name}->v : 4)"])
            return Expression(text, self.maker.int)

        (add,) = adding(["n->v"])
        free = f"while ({name}) {{ struct node *n = {name}->next; free({name}); {name} = n; }}"
        declared = (f"struct node *{name} = 0;", *(f"{change(Nothing(self.maker.random))}",) * 2)
        shown = (f"{each} {add}",)
        return Object(declared, (), (number,), (change, change), shown, (free,))
