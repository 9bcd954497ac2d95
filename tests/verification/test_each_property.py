"""What plain `pf` asks about a program without a check of its own: an answer for each property."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import EXAMPLES, sea_py

from seahorn_py import VerifyOptions, verify
from seahorn_py.base.errors import SeaError, Stage
from seahorn_py.ir.program import BOUNDS_ALONE
from seahorn_py.options import FrontendOptions, Property
from seahorn_py.properties import BY_DEFAULT, GROUPS, asks_each, read_properties
from seahorn_py.result import Answer, VerificationResult, Violation
from seahorn_py.verification.questions.each_property import answered

ORDINARY = EXAMPLES / "ordinary"
BUGS = sorted(ORDINARY.glob("*_bug.c"))
USUAL = {"division", "unchecked_malloc", "uninitialised", "use_after_free"}
"""Of each property that is soon found to be violated; the README has off_by_one."""
ASKED = VerifyOptions(ask_default=True, timeout=100)


def expected(file: Path) -> str:
    return file.read_text().splitlines()[0].partition("expected: ")[2]


@pytest.mark.parametrize(
    "file",
    [
        pytest.param(
            file,
            id=file.stem,
            marks=() if file.stem.removesuffix("_bug") in USUAL else pytest.mark.full,
        )
        for file in BUGS
    ],
)
def test_an_ordinary_bug_is_found(file: Path) -> None:
    result = verify(file, ASKED)
    assert result.violation is not None, result
    assert expected(file).startswith(f"unsafe ({result.violation.property})")
    found = {row.property: row for row in result.properties}
    assert found.keys() == {p.value for p in BY_DEFAULT}
    assert found[result.violation.property].violation == result.violation


PROVED = ("off_by_one", "unchecked_malloc", pytest.param("state_machine", marks=pytest.mark.full))


@pytest.mark.full
@pytest.mark.parametrize("name", PROVED)
def test_what_was_repaired_is_proved(name: str) -> None:
    result = verify(ORDINARY / f"{name}_repaired.c", ASKED)
    assert result.answer is Answer.SAFE, result.reason
    assert all(row.answer is Answer.SAFE for row in result.properties)


def test_every_bug_has_a_repair() -> None:
    assert len(BUGS) == 9
    for file in BUGS:
        repaired = file.with_name(file.name.replace("_bug", "_repaired"))
        assert expected(repaired).startswith("safe")


def test_the_table_of_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(
        "#include <stdlib.h>\n"
        "int main(void) { int *p = malloc(8); if (!p) return 1; p[1] = 1; return 7 / p[1]; }\n"
    )
    done = sea_py("pf", "--timeout", "100", "--json", file)
    assert done.returncode == 0, done
    told = json.loads(done.stdout)
    rows = {row["property"]: row["verdict"] for row in told["properties"]}
    assert rows == {p.value: "safe" for p in BY_DEFAULT}
    done = sea_py("pf", "--timeout", "100", "--property", "all", file)
    lines = done.stdout.splitlines()
    assert lines[0].startswith("not covered: uninit of arrays, structs, heap blocks")
    shown = [line.split() for line in lines if line.startswith("property: ")]
    assert [row[2] for row in shown if row[1] == "valid-memtrack"] == ["unsafe:"]
    assert not [row for row in shown if row[1] == "unreach-call"]
    assert done.returncode == 1


def test_a_check_of_the_program_is_the_only_question(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(
        "#include <assert.h>\nint main(void) { int a[2]; a[0] = 1; assert(a[0]); return a[2]; }\n"
    )
    result = verify(file, ASKED)
    assert (result.answer, result.properties) == (Answer.SAFE, ())


@pytest.mark.full
def test_an_exe_of_an_error_found_so(tmp_path: Path) -> None:
    done = sea_py("exe", "-o", tmp_path / "prog", ORDINARY / "division_bug.c")
    assert "exits with 1 and says: " in done.stdout, done


def test_groups_lists_and_other_names() -> None:
    assert read_properties(["memory,uninit"]) == GROUPS["memory"] | {Property.UNINIT}
    assert read_properties(["memsafety", "overflow"]) == {
        Property.VALID_MEMSAFETY,
        Property.NO_OVERFLOW,
    }
    assert asks_each(["shift", "arithmetic,uninit"]) and not asks_each(["shift,uninit"])
    with pytest.raises(SeaError, match="did you mean no-overflow"):
        read_properties(["no-overflw"])


def test_termination_beside_a_group(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text("int main(void) { int i = 0; while (i < 3) i++; return 0; }\n")
    done = sea_py("pf", "--property", "termination,arithmetic", file)
    assert "property: termination  safe" in done.stdout, done


def test_flags_of_other_verifiers(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text("int main(int n) { return 1 / (n - 3); }\n")
    done = sea_py("pf", "--div-by-zero-check", "--unwind", "2", file)
    assert "div-by-zero: the divisor is 0" in done.stdout, done


def test_bounds_says_first_what_it_does_not_cover(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text("int f(int *p) { return p[1]; }\nint main(void) { int a[2]={0}; return f(a); }")
    done = sea_py("pf", "--property", "bounds", file)
    assert done.stdout.startswith("not covered: bounds of what pointers lead to"), done


KEY = """struct entry { char key[4]; int value; };
int main(void) {
  struct entry e = {0};
  for (int i = 0; i %s 4; i++)
    e.key[i] = 1;
  return e.value;
}
"""


@pytest.mark.parametrize(("relation", "row"), [("<=", "unsafe"), ("<", "safe")])
def test_a_subscript_that_stays_in_the_object(tmp_path: Path, relation: str, row: str) -> None:
    """It leaves its array for the next member: `bounds` sees it where `valid-deref` does not."""
    file = tmp_path / "a.c"
    file.write_text(KEY % relation)
    done = sea_py("pf", file)
    assert f"property: bounds       {row}" in done.stdout, done
    assert "property: valid-deref  safe" in done.stdout, done
    assert BOUNDS_ALONE not in done.stdout, done


def test_null_in_a_library_function(tmp_path: Path) -> None:
    """The text names the function that was called, and no parameter of its model."""
    file = tmp_path / "a.c"
    file.write_text(
        "#include <string.h>\nint main(int c, char **v) { return !strcmp(v[c], v[0]); }"
    )
    done = sea_py("pf", "--property", "null-deref", file)
    assert "null-deref: access through null in strcmp" in done.stdout, done


def test_little_time_after_an_error_is_told() -> None:
    options = VerifyOptions(frontend=FrontendOptions(properties=GROUPS["memory"]))

    def ask(asked: VerifyOptions) -> VerificationResult:
        if Property.BOUNDS not in asked.frontend.properties:
            return VerificationResult(Answer.UNKNOWN, stage=Stage.SOLVE, reason="BMC: time limit")
        violation = Violation("bounds", "the index is out of bounds", None, ())
        return VerificationResult(Answer.UNSAFE, violation=violation)

    rows = {row.property: row for row in answered(ask, options, GROUPS["memory"]).properties}
    assert rows["bounds"].answer is Answer.UNSAFE
    assert rows["null-deref"].reason == "time limit, which is short after an error"


def test_the_hardest_question_has_what_the_others_leave() -> None:
    """Alone it is asked about last, with nearly the half that the set of all had not."""
    memory = GROUPS["memory"]
    options = VerifyOptions(frontend=FrontendOptions(properties=memory), timeout=100)
    asked: list[tuple[frozenset[Property], float]] = []

    def ask(given: VerifyOptions) -> VerificationResult:
        asked.append((given.frontend.properties, given.timeout))
        if given.frontend.properties in ({Property.BOUNDS}, {Property.NULL_DEREF}):
            return VerificationResult(Answer.SAFE)
        return VerificationResult(Answer.UNKNOWN, stage=Stage.SOLVE, reason="time limit")

    answered(ask, options, memory)
    together, *others = [seconds for properties, seconds in asked if properties == memory]
    assert len(others) == 1 and 40 < others[0] < 50 and together < others[0]
    last, seconds = asked[-1]
    assert last == {Property.VALID_DEREF} and seconds > 90
