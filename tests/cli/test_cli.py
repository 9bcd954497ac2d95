"""What users meet: one-line errors with exit code 2, warnings, exit codes, the last line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from command import EXAMPLES, Done, sea_py, sea_py_process


def one_line_error(done: Done) -> str:
    assert done.returncode == 2, done
    assert "Traceback" not in done.stderr + done.stdout
    return done.stderr.strip()


# ------------------------------------------------------------------------------- processes


def test_the_answer_is_the_exit_code_of_the_process() -> None:
    for example, code, line in (("counter_safe", 0, "unsat"), ("counter_unsafe", 1, "sat")):
        done = sea_py_process("pf", EXAMPLES / f"{example}.c")
        assert (done.returncode, done.stdout.splitlines()[-1]) == (code, line)
        assert done.stderr == ""


def test_an_error_is_one_line_and_an_exit_code_of_the_process() -> None:
    assert "nowhere.c" in one_line_error(sea_py_process("pf", "nowhere.c"))


# ------------------------------------------------------------------------------- answers


def test_a_safe_program() -> None:
    done = sea_py("pf", EXAMPLES / "counter_safe.c")
    assert (done.returncode, done.stdout.splitlines()[-2:]) == (
        0,
        ["safe: no run reaches an error", "unsat"],
    )
    assert "re-proved by" in done.stdout
    assert done.stderr == ""


def test_an_unsafe_program() -> None:
    done = sea_py("pf", EXAMPLES / "counter_unsafe.c")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "sat"
    assert re.search(r"unsafe: .*counter_unsafe.c:\d+:\d+: reach_error\(\)", done.stdout)
    assert "__VERIFIER_nondet_int = -" in done.stdout


def test_json() -> None:
    done = sea_py("pf", "--json", EXAMPLES / "unsigned_wrap_unsafe.c")
    found = json.loads(done.stdout)
    assert found["verdict"] == "unsafe"
    assert found["violation"]["inputs"][0]["value"] == 4294967295
    assert found["times"].keys() >= {"front end", "execute"}


def test_invariants_have_c_names_and_lines() -> None:
    done = sea_py("pf", "--show-invars", EXAMPLES / "two_counters_safe.c")
    lines = [x for x in done.stdout.splitlines() if x.startswith("invariant: ")]
    places = [x for x in lines if re.search(r"two_counters_safe\.c:\d+", x)]
    assert any(re.search(r"\bx\b", x) and re.search(r"\by\b", x) for x in places), done.stdout


def test_strict_turns_an_assumption_into_unknown(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text("int f(void); int main(void) { if (f() == 3) assert(0); return 0; }")
    assert sea_py("pf", "--overflow", "assume", "--strict", file).stdout.endswith("unknown\n")


def test_a_property_file(tmp_path: Path) -> None:
    prp = tmp_path / "p.prp"
    prp.write_text("CHECK( init(main()), LTL(G ! call(reach_error())) )\n")
    assert sea_py("pf", "--property", prp, EXAMPLES / "exit_safe.c").returncode == 0


def test_nothing_to_check_is_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text("int main(void) { return 0; }\n")
    done = sea_py("pf", "--property", "unreach-call", file)
    assert done.returncode == 3
    assert "warning: nothing to check" in done.stdout
    assert done.stdout.splitlines()[-1] == "unknown"


def test_an_error_that_clang_finds_unreachable_is_safe_with_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text("void reach_error(void); int main(void) { for (;;); reach_error(); }\n")
    done = sea_py("pf", file)
    assert done.returncode == 0
    assert "warning: nothing to check" in done.stdout


def test_version_and_help() -> None:
    assert sea_py("--version").stdout.startswith("sea-py, version 0.1")
    assert "chc" in sea_py("--help").stdout


def test_smt_prints_horn_clauses() -> None:
    done = sea_py("smt", EXAMPLES / "counter_safe.c")
    assert done.returncode == 0
    assert "(set-logic HORN)" in done.stdout
    assert done.stdout.rstrip().endswith("(check-sat)")


def test_what_smt_prints_chc_solves(tmp_path: Path) -> None:
    for name, status in (("counter_safe", "sat"), ("counter_unsafe", "unsat")):
        out = tmp_path / f"{name}.smt2"
        assert sea_py("smt", "-o", out, EXAMPLES / f"{name}.c").returncode == 0
        assert sea_py("chc", out).stdout.splitlines()[-1] == status


# ---------------------------------------------------------------------------- bad input

BAD_FILES = {
    "syntax.c": "int main(void) { int x = ; return 0; }\n",
    "nomain.c": "int f(void) { return 0; }\n",
    "broken.ll": "define i32 @main() {\n  ret i33 zero\n}\n",
    "broken.bc": "BC\xc0\xde nonsense",
    "kind.txt": "int main(void) { return 0; }\n",
}
MESSAGES = {
    "syntax.c": r"syntax\.c:1:\d+: error: expected expression",
    "nomain.c": r"nomain\.c.*main",
    "broken.ll": r"broken\.ll",
    "broken.bc": r"broken\.bc",
    "kind.txt": r"kind\.txt",
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_text(BAD_FILES[name], encoding="latin-1")
    assert re.search(MESSAGES[name], one_line_error(sea_py("pf", file)))


def test_a_missing_file() -> None:
    message = one_line_error(sea_py("pf", "nowhere.c"))
    assert "nowhere.c" in message
    assert "\n" not in message


def test_a_folder(tmp_path: Path) -> None:
    assert str(tmp_path) in one_line_error(sea_py("pf", tmp_path))


def test_a_wrong_option() -> None:
    assert "--colour" in one_line_error(sea_py("pf", "--colour", EXAMPLES / "counter_safe.c"))


def test_an_unknown_property() -> None:
    message = one_line_error(sea_py("pf", "--property", "good", EXAMPLES / "counter_safe.c"))
    assert "unknown property good" in message


def test_a_property_that_is_not_supported() -> None:
    asked = "def-behavior"
    message = one_line_error(sea_py("pf", "--property", asked, EXAMPLES / "counter_safe.c"))
    assert f"the property {asked} is not supported; supported: unreach-call, valid-mem" in message


def test_a_missing_property_file() -> None:
    message = one_line_error(sea_py("pf", "--property", "no.prp", EXAMPLES / "counter_safe.c"))
    assert "no.prp" in message


@pytest.mark.parametrize(
    ("command", "option"),
    [("smt", "-o"), ("pf", "--trace-cegar"), ("pf", "--show-boolean-program")],
)
def test_an_unwritable_output(command: str, option: str, tmp_path: Path) -> None:
    out = tmp_path / "none" / "out"
    message = one_line_error(sea_py(command, option, out, EXAMPLES / "counter_safe.c"))
    assert str(out) in message


@pytest.mark.parametrize("option", ["--witness", "--trace-json"])
def test_what_cannot_be_written_costs_no_answer(option: str, tmp_path: Path) -> None:
    out = tmp_path / "none" / "out.yml"
    done = sea_py("pf", option, out, EXAMPLES / "counter_unsafe.c")
    assert done.returncode == 2 and str(out) in done.stderr
    assert done.stdout.splitlines()[-1] == "sat"


def test_a_time_that_is_no_number() -> None:
    assert "nan" in one_line_error(sea_py("pf", "--timeout", "nan", EXAMPLES / "counter_safe.c"))


@pytest.mark.parametrize("through", ["option", "environment"])
def test_a_missing_compiler(through: str) -> None:
    file = EXAMPLES / "counter_safe.c"
    if through == "option":
        done = sea_py("pf", "--clang", "/nowhere/clang", file)
    else:
        done = sea_py("pf", file, SEA_CLANG="/nowhere/clang")
    assert "/nowhere/clang" in one_line_error(done)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(set-logic HORN)\n(assert (forall ((x Int)) (=> (p x) false)))\n", r"a\.smt2.*p"),
        ("(set-logic HORN)\n(declare-fun p (Int) Bool\n", r"a\.smt2"),
        ("\x00\x01", r"a\.smt2"),
    ],
)
def test_a_bad_horn_file(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "a.smt2"
    file.write_text(text)
    assert re.search(message, one_line_error(sea_py("chc", file)))


def test_a_missing_horn_file() -> None:
    assert "no.smt2" in one_line_error(sea_py("chc", "no.smt2"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('int main(void) { int x; __asm__("mov $1, %0" : "=r"(x)); return x; }', "assembly"),
        (
            "int pthread_cancel(unsigned long);\nint main(void) { return pthread_cancel(0); }",
            "pthread_cancel",
        ),
    ],
)
def test_what_is_refused_names_the_line(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "a.c"
    file.write_text(text)
    error = one_line_error(sea_py("pf", file))
    assert re.search(rf"a\.c:\d+.*{message}", error), error


def test_home_may_be_missing(tmp_path: Path) -> None:
    done = sea_py_process("pf", EXAMPLES / "exit_safe.c", cwd=tmp_path, without="HOME")
    assert done.stdout.splitlines()[-1] == "unsat"


def test_term_asks_for_other_properties_as_pf_does() -> None:
    """None is dropped without a word: safe would be said where memory is asked about."""
    file = EXAMPLES / "heap_overrun_unsafe.c"
    assert "asked for alone" in one_line_error(sea_py("term", "--property", "valid-deref", file))
