"""Small C programs with exactly one error at a known line, and the same ones without it.

Each is a function `fK`; a file has many, and its `main` runs the one that its first input names.
The line of the error ends in `// here K`.  Errors are such that AddressSanitizer and
UndefinedBehaviorSanitizer see them too: near an object, or so far away that nothing is there.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

HEAD = """\
typedef __SIZE_TYPE__ size_t;
extern void *malloc(size_t), *calloc(size_t, size_t), *realloc(void *, size_t);
extern void free(void *);
extern void *memcpy(void *, const void *, size_t), *memmove(void *, const void *, size_t);
extern void *memset(void *, int, size_t);
extern size_t strlen(const char *);
extern char *strcpy(char *, const char *);
extern int __VERIFIER_nondet_which(void);
struct pair { int x; long long y; };
struct node { int v; struct node *next; };
static void *kept; static int *shown; static volatile long long sink;
static void show(int *p) { shown = p; }
static void leave(void) { int local = 3; show(&local); }
static struct node *push(struct node *l, int v) {
  struct node *n = malloc(sizeof *n);
  n->v = v; n->next = l;
  return n;
}
"""
FAR = 1 << 27
INTEGERS = {"int": 31, "long long": 63}


@dataclass(frozen=True)
class Fault:
    """A function `fK`, and what its run violates at which of its lines: nothing if it is right."""

    number: int
    kind: str
    property: str | None
    text: str


@dataclass(frozen=True)
class FaultFile:
    """Functions in one program."""

    faults: tuple[Fault, ...]

    @property
    def text(self) -> str:
        """The C text."""
        functions = "".join(fault.text for fault in self.faults)
        cases = "".join(f"  case {f.number}: f{f.number}(); break;\n" for f in self.faults)
        main = "int main(void) {\n  switch (__VERIFIER_nondet_which()) {\n%s  }\n  return 0;\n}\n"
        return HEAD + functions + main % cases

    @property
    def lines(self) -> Mapping[int, int]:
        """The line of the error of each function that has one."""
        numbered = enumerate(self.text.splitlines(), 1)
        found = ((line, re.search(r"// here (\d+)$", text)) for line, text in numbered)
        return {int(match[1]): line for line, match in found if match}


class Maker:
    """Draws faults; `bad` says whether the one that is made has its error."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.bad = True
        self._kinds: dict[str, tuple[str, Callable[[], list[str]]]] = {
            "array": ("valid-deref", self._array),
            "block copy": ("valid-deref", self._block_copy),
            "string": ("valid-deref", self._string),
            "after free": ("valid-deref", self._after_free),
            "after return": ("valid-deref", self._after_return),
            "null": ("valid-deref", self._null),
            "constant": ("valid-deref", self._constant),
            "list": ("valid-deref", self._list),
            "double free": ("valid-free", self._double_free),
            "invalid free": ("valid-free", self._invalid_free),
            "leak": ("valid-memtrack", self._leak),
            "overflow": ("no-overflow", self._overflow),
            "division": ("div-by-zero", self._division),
            "shift": ("shift", self._shift),
        }

    def fault(self, number: int, bad: bool) -> Fault:
        """A function of a random kind; arrays are the most frequent."""
        self.bad = bad
        names = [*self._kinds, "array", "array", "array"]
        kind = self.random.choice(names)
        property_, make = self._kinds[kind]
        body = "\n".join(f"  {line}" for line in make())
        body = body.replace("// here", f"// here {number}" if bad else "")
        text = f"static void f{number}(void) {{\n{body}\n}}\n"
        return Fault(number, kind, property_ if bad else None, text)

    def _either(self, wrong: Iterable[str], right: Iterable[str]) -> str:
        return self.random.choice(list(wrong if self.bad else right))

    # --------------------------------------------------------------------------------- accesses

    def _object(self, of: str, count: int) -> tuple[str, str, str]:
        """Declares an array `a`; what frees it; where it is."""
        return self.random.choice(
            [
                (f"{of} a[{count}] = {{1}};", "", "stack"),
                (f"static {of} a[{count}];", "", "global"),
                (f"{of} *a = calloc({count}, sizeof *a);", "free(a);", "heap"),
                (f"{of} *a = malloc({count} * sizeof *a); a[0] = 1;", "free(a);", "heap"),
                (f"int n = {count}; {of} a[n]; a[0] = 1;", "", "stack"),
            ]
        )

    def _array(self) -> list[str]:
        r = self.random
        of = r.choice(["char", "short", "int", "long long", "unsigned"])
        count = r.choice([1, 2, 3, 7, 8, 16])
        declared, freed, where = self._object(of, count)
        far = [str(FAR)] if where != "stack" else [str(FAR), str(-FAR)]
        near = [str(count), str(count + 1), "-1"] if count * _size(of) < 32 else [str(count), "-1"]
        index = self._either([*near, *near, *far], map(str, range(count)))
        access = r.choice(
            [
                "a[i] = 3; // here",
                "sink = a[i]; // here",
                "a[i]++; // here",
                "*(p + i) = 4; // here",
                "sink += p[i]; // here",
                f"memset(p + i, 0, {_size(of)}); // here",
                f"{{ {of} t = 2; memcpy(p + i, &t, sizeof t); }} // here",
                "touch",
            ]
        )
        lines = [declared, f"long i = {index};", f"{of} *p = a;"]
        if access == "touch":
            last = index if self.bad and 0 <= int(index) < FAR else str(count - 1)
            if self.bad and not 0 <= int(index) < FAR:
                last = str(count)
            lines += [f"for (i = 0; i <= {last}; i++)", f"  a[i] = ({of})i; // here"]
        else:
            lines.append(access)
        return [*lines, freed]

    def _block_copy(self) -> list[str]:
        r, count = self.random, self.random.choice([4, 8, 12])
        declared, freed, _ = self._object("char", count)
        size, start = r.randint(1, count), 0
        beyond = r.choice([1, 2, 8])
        if r.random() < 0.5:
            start = count - size + (beyond if self.bad else 0)
        elif self.bad:
            size = count + beyond
        call = r.choice(
            [
                f"memcpy(a + {start}, b, n1);",
                f"memcpy(b, a + {start}, n1);",
                f"memmove(b, a + {start}, n1);",
                f"memset(a + {start}, 7, n1);",
            ]
        )
        return [declared, "char b[64] = {2};", f"size_t n1 = {size};", f"{call} // here", freed]

    def _string(self) -> list[str]:
        count = self.random.choice([3, 5, 9])
        if self.random.random() < 0.5:
            text = "x" * int(self._either([str(count), str(count + 3)], [str(count - 1), "1"]))
            return [f"char a[{count}];", f'strcpy(a, "{text}"); // here', "sink = a[0];"]
        fill = count if self.bad else count - 1
        return [
            f"char *a = malloc({count});",
            f"a[{count - 1}] = 0;",
            f"for (int i = 0; i < {fill}; i++) a[i] = 'a';",
            "sink = (long long)strlen(a); // here",
            "free(a);",
        ]

    def _after_free(self) -> list[str]:
        use = self.random.choice(
            ["sink = p[1];", "p[0] = 3;", "q[1]++;", "memset(q, 1, 4);", "show(p); sink = *shown;"]
        )
        lines = ["int *p = malloc(3 * sizeof *p), *q = p;", "p[0] = p[1] = 2;"]
        if not self.bad:
            return [*lines, use, "free(p);"]
        ended = self.random.choice(["free(p);", "free(q);", "int *t = realloc(p, 400); free(t);"])
        return [*lines, ended, f"{use} // here"]

    def _after_return(self) -> list[str]:
        """The local that is shown belongs to a function that has ended, or to this one."""
        use = self.random.choice(["sink = *shown;", "*shown = 3;", "(*shown)++;"])
        if not self.bad:
            return ["int local = 3;", "show(&local);", use]
        return ["leave();", f"{use} // here"]

    def _null(self) -> list[str]:
        kind, use = self.random.choice(
            [
                ("int", "*p = 3;"),
                ("int", "sink = p[0];"),
                ("struct pair", "p->y = 4;"),
                ("struct pair", "sink = p->x;"),
                ("struct pair", "{ struct pair t = *p; sink = t.x; }"),
                ("struct node", "sink = p->next == 0;"),
            ]
        )
        start = self._either(["0"], ["&object"])
        return [f"{kind} object = {{0}};", f"{kind} *p = {start};", f"{use} // here"]

    def _constant(self) -> list[str]:
        start = self._either(['"abc"', "(char *)numbers"], ["plain"])
        return [
            "static const char numbers[4] = {1, 2}; char plain[4] = {3};",
            f"char *p = {start};",
            "p[1] = 'x'; // here",
            "sink = numbers[0] + plain[0];",
        ]

    def _list(self) -> list[str]:
        """A list is freed while it is walked: the next node is read too late."""
        count = self.random.randint(1, 4)
        step = self._either(
            ["free(l); l = l->next; // here"], ["struct node *n = l->next; free(l); l = n;"]
        )
        build = f"for (int i = 0; i < {count}; i++) l = push(l, i);"
        return ["struct node *l = 0;", build, "while (l) {", f"  {step}", "}"]

    # ------------------------------------------------------------------------------------ frees

    def _double_free(self) -> list[str]:
        first, second = self.random.choice(
            [
                ("free(p);", "free(p);"),
                ("free(q);", "free(p);"),
                ("free(p);", "sink = !realloc(q, 9);"),
            ]
        )
        lines = [f"char *p = malloc({self.random.randint(1, 40)}), *q = p;", "sink = p == q;"]
        return [*lines, first, *([f"{second} // here"] if self.bad else [])]

    def _invalid_free(self) -> list[str]:
        wrong = ["free(p + 1);", "free(&local);", "free(&global);", "free(p - 1);"]
        lines = ["int local = 1; static int global;", "int *p = malloc(5 * sizeof *p);"]
        lines += ["show(&local); show(&global); p[0] = 1;"]
        return [*lines, *([f"{self.random.choice(wrong)} // here"] if self.bad else ["free(p);"])]

    def _leak(self) -> list[str]:
        """Lost at the line where the block is allocated; what a global leads to is not lost."""
        size = self.random.choice(["8", "40", "3 * sizeof(int)"])
        lose = self.random.choice(["p = 0;", "{ char t; p = &t; }", "p = malloc(2); free(p);"])
        keep = self.random.choice(["kept = p;", "free(p);", "kept = p; p = 0;"])
        get = self.random.choice([f"malloc({size})", f"calloc(1, {size})", f"realloc(0, {size})"])
        lines = [f"char *p = {get}; // here", "p[0] = 1;"]
        return [*lines, lose if self.bad else keep]

    # ------------------------------------------------------------------------------- arithmetic

    def _overflow(self) -> list[str]:
        of, bits = self.random.choice(list(INTEGERS.items()))
        top, r = (1 << bits) - 1, self.random
        suffix = "ll" if bits == 63 else ""
        operation, wrong, right = r.choice(
            [
                ("x + y", [(top, 1), (top - 3, 9), (-top, -2)], [(top, 0), (top, -top), (5, 6)]),
                ("x - y", [(-top, 2), (top, -1), (0, -top - 1)], [(-top, 1), (top, 1)]),
                ("x * y", [(top, 2), (top // 2, 3), (-top, 3)], [(top, 1), (-top, -1), (6, 7)]),
                ("-x", [(-top - 1, 0)], [(-top, 0), (top, 0)]),
                ("x++", [(top, 0)], [(top - 1, 0), (-top - 1, 0)]),
                ("--x", [(-top - 1, 0)], [(-top, 0), (0, 0)]),
                ("x += y", [(top, 1), (-top, -5)], [(top, -1), (3, 4)]),
                ("x / y", [(-top - 1, -1)], [(-top, -1), (-top - 1, 1)]),
            ]
        )
        x, y = r.choice(wrong if self.bad else right)
        values = f"{of} x = {_literal(x, suffix)}, y = {_literal(y, suffix)};"
        return [values, f"sink = {operation}; // here"]

    def _division(self) -> list[str]:
        of = self.random.choice(["int", "unsigned", "long long", "unsigned long long", "short"])
        divisor = self._either(["0"], ["1", "3", "7"])
        operation = self.random.choice(["x / y", "x % y", "100 / y", "x /= y"])
        return [f"{of} x = 50, y = {divisor};", f"sink = (long long)({operation}); // here"]

    def _shift(self) -> list[str]:
        of, width = self.random.choice([("int", 32), ("unsigned", 32), ("unsigned long long", 64)])
        wrong = [str(width), str(width + 9), "-1"]
        amount = self._either(wrong, ["0", "3", "7"])
        operation = self.random.choice(["x << y", "x >> y"])
        return [f"{of} x = 5; int y = {amount};", f"sink = (long long)({operation}); // here"]


def _size(of: str) -> int:
    return {"char": 1, "short": 2, "int": 4, "unsigned": 4, "long long": 8}[of]


def _literal(value: int, suffix: str) -> str:
    smallest = -(1 << (63 if suffix else 31))
    return f"({value + 1}{suffix} - 1)" if value == smallest else f"{value}{suffix}"


def faults(seed: int, count: int, bad: bool) -> FaultFile:
    """A file of `count` functions."""
    maker = Maker(seed)
    return FaultFile(tuple(maker.fault(k, bad) for k in range(count)))
