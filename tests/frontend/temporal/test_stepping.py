"""Where letters change and runs end: calls of the automaton in modules, and what is not seen."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from seahorn_py.frontend.compiling.compiler import compile_files
from seahorn_py.frontend.temporal.insertion import with_formula
from seahorn_py.frontend.temporal.product import Fuel
from seahorn_py.options import FrontendOptions
from seahorn_py.processes.deadline import Deadline

HEAD = "extern void exit(int);\nint x;\n"


def woven(texts: dict[str, str], folder: Path, atom: str = "x == 0") -> tuple[str, tuple[str, ...]]:
    """The text of all modules with calls, and the gaps."""
    paths = []
    for name, text in texts.items():
        paths.append(folder / name)
        paths[-1].write_text(text)
    options = FrontendOptions(formula=f'G "{atom}"', fuel=Fuel.NONE.value)
    deadline = Deadline.after(60)
    modules, gaps, _ = with_formula(
        paths, compile_files(paths, options, deadline), options, deadline
    )
    return "\n".join(modules), gaps


def body(text: str, name: str) -> list[str]:
    """The functions that a function calls, in order."""
    found = re.search(rf"define [^\n]*@{name}\(.*?\n}}", text, re.DOTALL)
    assert found is not None
    return re.findall(r"call [^\n]*?@([\w.]+)\(", found[0])


@pytest.mark.parametrize(
    "text",
    [
        'extern int z __attribute__((alias("x")));\nint main(void) { x = 1; }\n',
        "void (*e)(int) = exit;\nint main(void) { e(0); }\n",
        "int main(void) { void (*e)(int) = x ? exit : 0; e(0); }\n",
        "int main(void) { int (*p)(void) = main; p(); }\n",
        'extern void errx(int, const char *, ...);\nint main(void) { errx(1, ""); }\n',
        "extern void sassert(int);\nint main(void) { sassert(x); }\n",
        "__attribute__((destructor)) void d(void) { x = 3; }\nint main(void) { }\n",
    ],
)
def test_ends_and_writes_that_are_not_seen_are_gaps(text: str, tmp_path: Path) -> None:
    atom = "z == 0" if "alias" in text else "x == 0"
    assert woven({"a.c": HEAD + text}, tmp_path, atom)[1]


@pytest.mark.parametrize("atom", ["outer == 0", "1 / x == 0", "1 << x == 2", "x = 1"])
def test_atoms_whose_values_are_not_known_are_gaps(atom: str, tmp_path: Path) -> None:
    text = "extern int outer;\nint main(void) { }\n"
    assert woven({"a.c": HEAD + text}, tmp_path, atom)[1]


@pytest.mark.parametrize(
    ("declared", "call"),
    [
        ("", "__builtin_trap()"),
        ("extern void klee_silent_exit(int);\n", "klee_silent_exit(0)"),
        (
            "extern void __assert_fail(const char *, const char *, unsigned, const char *);\n",
            '__assert_fail("", "", 1, "")',
        ),
    ],
)
def test_runs_end_without_a_word_of_their_headers(declared: str, call: str, tmp_path: Path) -> None:
    text, gaps = woven({"a.c": f"{HEAD}{declared}int main(void) {{ {call}; x = 1; }}\n"}, tmp_path)
    assert gaps == () and body(text, "main")[:2] == [
        "sea.rule.formula.begin",
        "sea.rule.formula.end",
    ]


@pytest.mark.parametrize(
    "text",
    [
        'void f(void);\nvoid g(void) __attribute__((alias("f")));\nvoid f(void) { g(); }\n',
        "void f(void *p) { ((void (*)(void *))p)(p); }\nvoid g(void) { f(f); }\n",
        "void f(void);\nvoid g(void) { f(); }\nvoid f(void) { g(); }\n",
    ],
)
def test_each_recursion_has_a_step(text: str, tmp_path: Path) -> None:
    text, _ = woven({"a.c": HEAD + text + "int main(void) { }\n"}, tmp_path)
    assert "sea.rule.formula.step" in body(text, "f")


def test_functions_mean_what_each_file_sees(tmp_path: Path) -> None:
    """A static function ends no run, that of the library does; `abs` is one of the program."""
    main = HEAD + "extern int abs(int);\nextern void abort(void);\n"
    main += "int main(void) { abs(1); abort(); }\n"
    other = "extern int x;\nint abs(int v) { x = 1; return v; }\n"
    other += "static void abort(void) { }\nvoid other(void) { abort(); }\n"
    text, gaps = woven({"a.c": main, "b.c": other}, tmp_path)
    assert gaps == ()
    ends = "sea.rule.formula.end"
    assert body(text, "main") == ["sea.rule.formula.begin", "abs", ends, "abort"]
    assert body(text, "other") == ["abort"]
    assert body(text, "abs")[-1] == "sea.rule.formula.step"


def test_members_of_structures_and_labels_are_seen(tmp_path: Path) -> None:
    text = "struct { int a, b; } s;\nint main(void) { void *p = &&l; s.b = 1; l: goto *p; }\n"
    text, gaps = woven({"a.c": text}, tmp_path, "s.b == 0")
    assert gaps == () and body(text, "main").count("sea.rule.formula.step") == 2
