"""Atoms about calls, labels and locals: where modules get their stores, and what is not seen."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from seahorn_py.base.errors import InputError
from seahorn_py.frontend.compiling.compiler import compile_files
from seahorn_py.frontend.temporal.insertion import with_formula
from seahorn_py.frontend.temporal.product import Fuel
from seahorn_py.options import FrontendOptions
from seahorn_py.processes.deadline import Deadline

SEEN = "__sea_formula_seen_0"


def woven(texts: dict[str, str], folder: Path, atom: str) -> tuple[str, tuple[str, ...]]:
    """The text of all modules, and the gaps."""
    paths = []
    for name, text in texts.items():
        paths.append(folder / name)
        paths[-1].write_text(text)
    options = FrontendOptions(formula=f'G !"{atom}"', fuel=Fuel.NONE.value)
    deadline = Deadline.after(60)
    modules, gaps, _ = with_formula(
        paths, compile_files(paths, options, deadline), options, deadline
    )
    return "\n".join(modules), gaps


def stores(text: str, function: str) -> list[str]:
    """What is stored to the global of the first atom in a function, and calls, in order."""
    found = re.search(rf"define [^\n]*@{function}\(.*?\n}}", text, re.DOTALL)
    assert found is not None
    pattern = rf"store ([^\n]*?), ptr @{SEEN}|call [^\n]*?@([\w.]+)\("
    calls = [a or b.replace("sea.rule.formula.", "") for a, b in re.findall(pattern, found[0])]
    return [one for one in calls if not one.startswith("llvm.")]


def test_calls_are_seen_where_functions_begin_or_at_calls_of_others(tmp_path: Path) -> None:
    seen = ["i8 1", "step", "i8 0", "step"]
    main = "extern void f(void);\nint main(void) { f(); }\n"
    text, gaps = woven({"a.c": main}, tmp_path, "call f")
    assert gaps == () and stores(text, "main")[:6] == ["begin", *seen, "f"]
    other = "void f(void) { }\nstatic void (*p)(void) = f;\nvoid g(void) { p(); }\n"
    text, gaps = woven({"a.c": main, "b.c": other}, tmp_path, "call f")
    assert gaps == () and stores(text, "f") == ["step", *seen]
    assert stores(text, "main")[:2] == ["begin", "f"]


def test_calls_are_not_taken_for_what_the_compiler_knows(tmp_path: Path) -> None:
    text = "extern int abs(int);\nint main(void) { return abs(-3); }\n"
    woven_text, gaps = woven({"a.c": text}, tmp_path, "call abs")
    assert gaps == () and stores(woven_text, "main")[1:6] == ["i8 1", "step", "i8 0", "step", "abs"]


def test_labels_and_locals_are_seen(tmp_path: Path) -> None:
    text = "int main(void) { int k = 1; l: k = 2; if (k) goto l; { unsigned char c = 3; } }\n"
    made, gaps = woven({"a.c": text}, tmp_path, "label main:l")
    assert gaps == () and stores(made, "main")[:5] == ["begin", "i8 1", "step", "i8 0", "step"]
    made, gaps = woven({"a.c": text}, tmp_path, "main::k > 3")
    found = [one for one in stores(made, "main") if one.startswith(("i", "step"))]
    assert gaps == () and found[:4] == ["i32 1", "step", "step", "i32 2"]
    made, gaps = woven({"a.c": text}, tmp_path, "main::c > 3")
    assert gaps == () and "i8 3" in stores(made, "main")


@pytest.mark.parametrize(
    ("text", "atom"),
    [
        ("extern void f(void);\nint main(void) { void (*p)(void) = f; p(); }\n", "call f"),
        (
            'void g(void) { }\nvoid f(void) __attribute__((alias("g")));int main(void) { f(); }\n',
            "call f",
        ),
        ("int main(void) { int k = 1, *p = &k; *p = 2; }\n", "main::k == 1"),
        ("extern int scan(int *);\nint main(void) { int k; scan(&k); }\n", "main::k == 1"),
    ],
)
def test_what_is_not_seen_of_them_is_a_gap(text: str, atom: str, tmp_path: Path) -> None:
    assert woven({"a.c": text}, tmp_path, atom)[1]


@pytest.mark.parametrize(
    ("text", "atom", "said"),
    [
        ("int main(void) { }\n", "call f", "no function of this name"),
        ("int main(void) { l: ; }\n", "label main:m", "no such label"),
        ("int main(void) { int a[3]; }\n", "main::a", "no scalar variable"),
        ("int main(void) { { int k = 1; } int k = 2; }\n", "main::k == 1", "more than one"),
        ("static int k; int main(void) { k = 2; }\n", "main::k == 1", "no scalar variable"),
    ],
)
def test_what_a_program_has_not_is_refused(text: str, atom: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        woven({"a.c": text}, tmp_path, atom)
