"""Events that are told though they are hard to see, and those that leave a gap."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from seahorn_py.base.errors import UnsupportedError
from seahorn_py.frontend.compiling.compiler import compile_files
from seahorn_py.frontend.rules.missed import unbuilt
from seahorn_py.frontend.rules.rulefiles import rule_of
from seahorn_py.frontend.rules.weaving import woven
from seahorn_py.options import FrontendOptions
from seahorn_py.processes.deadline import Deadline

TAKE = "rule: take\nper: lock\non:\n  - enter: take(lock)\n    error: taken\n"
SECOND = TAKE.replace("take(lock)", "take(_, lock)")
WRITE = "rule: write\non:\n  - write: g = v\n    if: v == 3\n    error: three\n"
END = "rule: end\non:\n  - end:\n    error: ended\n"
TOLD = re.compile(r"call void @sea\.rule\.0_(?:enter|write|end)_0\((.*?)\)(?=,|$)", re.MULTILINE)
HEAD = "extern void take(int *); int l, g;\n"


def told(folder: Path, rule: str, *programs: str) -> tuple[list[str], tuple[str, ...]]:
    """What the events hand over, in their order, and what is not watched."""
    files = [folder / f"file{k}.c" for k in range(len(programs))]
    for file, text in zip(files, programs, strict=True):
        file.write_text(text)
    rules = [rule_of(rule, "rule.yml")]
    options, deadline = FrontendOptions(flags=unbuilt(rules)), Deadline.after(60)
    modules, gaps, _ = woven(compile_files(files, options, deadline), rules, options, deadline)
    return TOLD.findall("\n".join(modules[: len(files)])), gaps


GAPS = {
    "table": (TAKE, HEAD + "void (*const of[])(int *) = {take}; int main(void) { of[0](&l); }"),
    "variable": (TAKE, HEAD + "void (*op)(int *) = take; int main(void) { op(&l); }"),
    "global": (WRITE, HEAD + "int *p = &g; int main(void) { *p = 3; }"),
    "inner_main": (END, HEAD + "int main(void) { if (l++) return 0; main(); take(&l); }"),
    "other_name": (
        TAKE,
        'extern void take(int *) __asm__("took"); int l; int main(void) { take(&l); }',
    ),
    "own_other_name": (
        TAKE,
        'void take(int *) __asm__("took"); void take(int *p) {} int l;int main(void) { take(&l); }',
    ),
}


@pytest.mark.parametrize("name", GAPS)
def test_what_may_be_missed_is_a_gap(tmp_path: Path, name: str) -> None:
    gaps = told(tmp_path, *GAPS[name])[1]
    assert len(gaps) == 1
    assert gaps[0].endswith("are not watched by a rule")


SEEN = {
    "result_in_memory": (
        TAKE,
        "struct b { long a[5]; }; extern struct b take(int *); int l;"
        "int main(void) { struct b x = take(&l); }",
        ["ptr @l"],
    ),
    "result_of_the_program_in_memory": (
        TAKE,
        "struct b { long a[5]; }; int l; struct b take(int *p) { struct b x = {}; return x; }"
        "int main(void) { struct b x = take(&l); }",
        ["ptr %1"],
    ),
    "structure_in_memory": (
        SECOND,
        "struct b { long a[5]; }; extern void take(struct b, int *); int l;"
        "int main(void) { struct b x = {}; take(x, &l); }",
        ["ptr @l"],
    ),
    "volatile": (WRITE, "volatile int g; int main(void) { g = 3; }", ["i64 %sea.rule.0.1"]),
    "first_instruction": (
        TAKE,
        HEAD + "void f(void) { for (;;) take(&l); } int main(void) { f(); }",
        ["ptr @l"],
    ),
    "tail": (
        TAKE,
        HEAD + "void f(int *p) { __attribute__((musttail)) return take(p); }"
        "int main(void) { f(&l); }",
        ["ptr %3"],
    ),
    "builtin": (
        TAKE.replace("take(lock)", "memcpy(lock, _, _)"),
        '#include <string.h>\nchar l[4]; int main(void) { memcpy(l, "abc", 4); }',
        ["ptr @l"],
    ),
}


@pytest.mark.parametrize("name", SEEN)
def test_an_event_is_told_with_its_values(tmp_path: Path, name: str) -> None:
    rule, program, values = SEEN[name]
    assert told(tmp_path, rule, program) == (values, ())


def test_a_static_function_does_not_hide_that_of_another_file(tmp_path: Path) -> None:
    static = "static int take(int *p) { return *p; } int f(int *p) { return take(p); }"
    values, gaps = told(tmp_path, TAKE, static, HEAD + "int main(void) { take(&l); }")
    assert values[1:] == ["ptr @l"]
    assert not gaps


def test_a_bound_name_may_be_any_and_a_block_is_assumed(tmp_path: Path) -> None:
    rule = TAKE.replace("take(lock)\n", "take(raw_0)\n    if: raw_0 == 0\n")
    rule += "  - enter: take(lock)\n    block: true\n"
    file, options = tmp_path / "file.c", FrontendOptions()
    file.write_text(HEAD + "int main(void) { take(&l); }")
    deadline = Deadline.after(60)
    texts = compile_files((file,), options, deadline)
    modules, _, assumed = woven(texts, [rule_of(rule, "rule.yml")], options, deadline)
    assert modules[-1].count("sea.rule.0_enter_0") == 1
    assert assumed == ("no run comes to a block of the rule take: enter of take",)
    assert not re.search(r"load ptr, ptr (%\w+).*\n  store ptr %\w+, ptr \1,", modules[-1])


CUT = {
    "two_registers": "struct s { long a, b; }; extern void take(struct s, int *);",
    "no_register": "struct s {}; extern void take(struct s, int *);",
    "two_that_cancel": (
        "struct s { long a, b; }; struct e {}; extern void take(struct s, int *, struct e);"
    ),
}


@pytest.mark.parametrize("name", CUT)
def test_values_beside_a_structure_in_registers_are_refused(tmp_path: Path, name: str) -> None:
    more = ", (struct e){}" if name == "two_that_cancel" else ""
    call = f"int l; int main(void) {{ struct s x; take(x, &l{more}); }}"
    with pytest.raises(UnsupportedError, match="beside a structure"):
        told(tmp_path, SECOND, CUT[name] + call)


def test_values_of_a_function_declared_without_parameters_are_refused(tmp_path: Path) -> None:
    program = "extern void take(); struct s { long a, b; }; int l; int main(void)"
    with pytest.raises(UnsupportedError, match="declared without parameters"):
        told(tmp_path, SECOND, program + "{ struct s x; take(x, &l); }")
