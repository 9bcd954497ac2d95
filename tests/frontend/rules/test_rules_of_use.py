"""What rules answer about small programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py import FrontendOptions, VerifyOptions, verify
from seahorn_py.base.errors import InputError
from seahorn_py.options import Property
from seahorn_py.result import Answer, VerificationResult

LOCK = """\
rule: lock
per: lock
states: [free, held]
on:
  - enter: take(lock)
    in: held
    error: taken twice
  - return: take(lock)
    to: held
  - enter: give(lock)
    in: free
    error: given back twice
  - enter: give(lock)
    to: free
  - end:
    in: held
    error: held at the end
"""
MADE = """\
rule: made
per: thing
states: [unknown, live, gone]
on:
  - return: make() = thing
    in: live
    block: true
  - return: make() = thing
    new: true
    to: live
  - enter: drop(thing)
    in: gone
    error: dropped twice
  - enter: drop(thing)
    in: live
    to: gone
  - end:
    in: live
    error: never dropped
"""
NUMBERS = MADE.replace("per: thing", "per: thing\nnothing: -1")
HEAD = "extern void take(int *), give(int *), exit(int), *make(void), drop(void *);\n"
FILES = "extern int make(void); extern void drop(int);\n"


def asked(folder: Path, program: str, *rules: str, timeout: float = 60) -> VerificationResult:
    """What is answered about a program and rules, each a text or the name of one of the pack."""
    source = folder / "program.c"
    source.write_text(program)
    names = []
    for number, rule in enumerate(rules):
        names.append(rule)
        if "\n" in rule:
            file = folder / f"rule{number}.yml"
            file.write_text(rule)
            names[-1] = str(file)
    frontend = FrontendOptions(rules=tuple(names), properties=frozenset({Property.RULE}))
    return verify(source, VerifyOptions(frontend, timeout=timeout))


UNSAFE = {
    "double_lock": (LOCK, "int l; int main(void) { take(&l); take(&l); give(&l); }", "taken twice"),
    "leak_by_exit": (LOCK, "int l; int main(void) { take(&l); exit(1); }", "held at the end"),
    "leak_in_callee": (
        LOCK,
        "int l; static void stop(void) { exit(0); } int main(void) { take(&l); stop(); give(&l); }",
        "held at the end",
    ),
    "alias": (
        LOCK,
        "int l; int main(void) { int *p = &l; take(p); give(&l); give(p); }",
        "given back twice",
    ),
    "second_of_many": (
        MADE,
        "int main(void) { for (int i = 0; i < 3; i++) { void *p = make(); if (i != 1) drop(p); } }",
        "never dropped",
    ),
    "number_zero": (
        NUMBERS,
        "int main(void) { int f = make(); if (f == 0) { drop(f); drop(f); } else drop(f); }",
        "dropped twice",
    ),
}


@pytest.mark.parametrize("name", UNSAFE)
def test_a_violation_is_found(tmp_path: Path, name: str) -> None:
    rule, text, message = UNSAFE[name]
    result = asked(tmp_path, (FILES if rule is NUMBERS else HEAD) + text, rule)
    assert result.answer is Answer.UNSAFE, result
    assert result.violation is not None
    assert result.violation.text == message


SAFE = {
    "two_locks": (LOCK, "int l, m; int main(void) { take(&l); take(&m); give(&l); give(&m); }"),
    "null": (MADE, "int main(void) { void *p = make(); if (p) drop(p); drop(0); drop(0); }"),
    "many_objects": (
        MADE,
        "int main(void) { for (int i = 0; i < 30; i++) { void *p = make(); drop(p); } }",
    ),
    "numbers": (
        NUMBERS,
        "int main(void) { int f = make(), g = make(); drop(f); drop(g); drop(-1); drop(-1); }",
    ),
    "made_again": (
        MADE,
        "int main(void) { void *p = make(); drop(p); void *q = make(); drop(q); }",
    ),
    "two_at_a_time": (
        MADE,
        "int main(void) { void *p = make(), *q = make(); drop(p); drop(q); }",
    ),
    "never_called": (LOCK, "int l; int f(void) { take(&l); take(&l); } int main(void) {}"),
}


@pytest.mark.parametrize("name", SAFE)
def test_a_rule_that_holds_is_proved(tmp_path: Path, name: str) -> None:
    rule, text = SAFE[name]
    result = asked(tmp_path, (FILES if rule is NUMBERS else HEAD) + text, rule)
    assert result.answer is Answer.SAFE, result


def test_a_function_of_the_program_tells_of_its_calls_through_pointers(tmp_path: Path) -> None:
    text = """int l; void take(int *p) { *p = 1; } void give(int *p) { *p = 0; }
    int main(void) { void (*f)(int *) = take; f(&l); f(&l); give(&l); }"""
    result = asked(tmp_path, text, LOCK)
    assert result.answer is Answer.UNSAFE, result


def test_a_call_through_a_pointer_that_is_not_watched_leaves_no_proof(tmp_path: Path) -> None:
    text = "int l; int main(void) { void (*f)(int *) = give; take(&l); f(&l); take(&l); give(&l); }"
    result = asked(tmp_path, HEAD + text, LOCK)
    assert result.answer is Answer.UNKNOWN, result


def test_more_objects_than_places_leave_no_answer(tmp_path: Path) -> None:
    text = "int l[40]; int main(void) { for (int i = 0; i < 40; i++) take(l + i); }"
    result = asked(tmp_path, HEAD + text, LOCK, timeout=8)
    assert result.answer is Answer.UNKNOWN, result
    assert result.reason


def test_each_of_several_rules_has_its_answer(tmp_path: Path) -> None:
    text = "int l; int main(void) { void *p = make(); take(&l); give(&l); }"
    result = asked(tmp_path, HEAD + text, LOCK, MADE)
    answers = [row.answer for row in result.properties]
    assert answers == [Answer.SAFE, Answer.UNSAFE]


def test_wrong_c_of_a_rule_names_the_rule_and_its_file(tmp_path: Path) -> None:
    rule = LOCK.replace("    to: held", "    if: nothing_known > 0\n    to: held")
    with pytest.raises(InputError, match=r"rule0.yml: the rule lock as C: .*nothing_known"):
        asked(tmp_path, HEAD + "int l; int main(void) { take(&l); }", rule)


PATTERN = "rule: pattern\npattern: {never: take, between: drop, and: give}\n"


@pytest.mark.parametrize(
    ("calls", "answer"),
    [
        ("take(&l); drop(&l); give(&l); take(&l);", Answer.SAFE),
        ("drop(&l); give(&l); drop(&l); take(&l);", Answer.UNSAFE),
    ],
)
def test_a_pattern_is_an_automaton(tmp_path: Path, calls: str, answer: Answer) -> None:
    result = asked(tmp_path, f"{HEAD} int l; int main(void) {{ {calls} }}", PATTERN)
    assert result.answer is answer, result


def test_realloc_frees_the_block_that_it_moves(tmp_path: Path) -> None:
    text = """#include <stdlib.h>
    int main(void) { char *p = malloc(1); if (!p) return 0;
      char *q = realloc(p, 2000); if (q) { free(q); free(p); } else free(p); }"""
    result = asked(tmp_path, text, "heap")
    assert result.answer is Answer.UNSAFE, result
    assert result.violation is not None
    assert result.violation.text == "the block is freed twice"
