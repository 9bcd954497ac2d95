"""No answer is safe where nothing was checked, in any command: unknown, or the evidence says it.

A check that was made and is unreachable counts; so does the absence of all operations that a
property is about.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from command import sea_py

from seahorn_py import FrontendOptions, VerifyOptions, verify
from seahorn_py.frontend.compiling.mentions import mentions
from seahorn_py.options import Property
from seahorn_py.result import Answer, VerificationResult

NOTHING = {
    "nothing": "int main(void) { return 0; }",
    "a declaration": "void reach_error(void); int main(void) { return 0; }",
    "a definition": "void reach_error(void) { } int main(void) { return 0; }",
    "a header": "#include <assert.h>\nint main(void) { return 0; }",
    "a comment": "int main(void) { /* reach_error(); */ return 0; } // assert(0)",
    "a string": 'int main(void) { return "reach_error()"[0] == 0; }',
    "a prototype in a header": "extern void __VERIFIER_error(void);\nint main(void) { return 1; }",
}
SOMETHING = {
    "folded away": "void reach_error(void); int main(void) { if (0) reach_error(); return 0; }",
    "behind a return": "void reach_error(void); int main(void) { return 0; reach_error(); }",
    "never called": "void reach_error(void); void f(void) { reach_error(); } int main(void) { }",
    "by a macro": "#include <assert.h>\n#define CHECK(x) \\\n  assert(x)\n"
    "int main(void) { if (0) CHECK(0); return 0; }",
    "a definition that is called": "void reach_error(void) { }\n"
    "int main(void) { int x = 3; if (x > 4) reach_error(); return 0; }",
    "after an endless loop": "void reach_error(void); int main(void) { for (;;); reach_error(); }",
    "in braces that do not match": "void reach_error(void);\n#if 0\n}\n#endif\n"
    "int main(void) { if (0) reach_error(); return 0; }",
}


def answered(folder: Path, text: str, **chosen: Any) -> VerificationResult:
    file = folder / "a.c"
    file.write_text(text)
    return verify(file, executions_off(), **chosen)


def executions_off() -> VerifyOptions:
    return VerifyOptions(executions=0)


@pytest.mark.parametrize("chosen", [{}, {"property": "unreach-call"}])
@pytest.mark.parametrize("name", NOTHING)
def test_nothing_to_check_is_unknown(name: str, chosen: dict[str, Any], tmp_path: Path) -> None:
    result = answered(tmp_path, NOTHING[name], **chosen)
    assert (result.answer, result.reason) == (Answer.UNKNOWN, "nothing to check")
    assert any(w.startswith("nothing to check: no error function") for w in result.warnings)
    assert not result.evidence


@pytest.mark.parametrize("name", SOMETHING)
def test_what_is_unreachable_was_checked(name: str, tmp_path: Path) -> None:
    result = answered(tmp_path, SOMETHING[name])
    assert result.answer is Answer.SAFE
    assert result.evidence


OPERATIONS = [p for p in Property if p not in (Property.UNREACH_CALL, Property.TERMINATION)]


@pytest.mark.parametrize("property_", OPERATIONS, ids=lambda p: p.value)
def test_a_program_without_the_operations_is_safe_and_says_so(
    property_: Property, tmp_path: Path
) -> None:
    result = answered(tmp_path, NOTHING["nothing"], property=property_)
    assert result.answer is Answer.SAFE
    about = f"the compiled program has no operation that {property_.value} is about"
    assert result.evidence[0] == about
    warning = f"nothing to check for {property_.value}: no operation needs it"
    assert result.warnings == (warning,)


@pytest.mark.parametrize("name", [p.value for p in OPERATIONS])
def test_a_property_as_text_is_checked(name: str) -> None:
    """Names were kept as they are, and nothing was checked."""
    given: Any = frozenset({name})
    options = FrontendOptions(properties=given)
    assert options.properties == {Property(name)}
    assert options.wants(Property(name))


def test_division_by_zero_as_text_is_found(tmp_path: Path) -> None:
    given: Any = frozenset({"div-by-zero"})
    file = tmp_path / "a.c"
    file.write_text("int nd_int(void); int main(void) { return 7 / nd_int(); }\n")
    result = verify(file, VerifyOptions(FrontendOptions(properties=given)))
    assert result.answer is Answer.UNSAFE


def test_operations_that_are_never_reached_were_checked(tmp_path: Path) -> None:
    text = "int main(void) { unsigned n = 3; int x = 1; if (n > 5) x = x + 1; return x; }"
    result = answered(tmp_path, text, property="no-overflow")
    assert result.answer is Answer.SAFE
    assert not result.warnings
    assert "no operation" not in result.evidence[0]


def test_each_property_without_a_check_is_named(tmp_path: Path) -> None:
    text = "int nd_int(void); int main(void) { int x = nd_int(); return x > 0 ? x - 1 : 0; }"
    wanted = ["no-overflow", "shift", "unreach-call"]
    result = answered(tmp_path, text, property=wanted)
    assert result.answer is Answer.SAFE
    assert [w.split(":")[0] for w in result.warnings] == [
        "nothing to check for unreach-call",
        "nothing to check for shift",
    ]
    alone = answered(tmp_path, NOTHING["nothing"], property=["shift", "unreach-call"])
    assert (alone.answer, alone.reason) == (Answer.UNKNOWN, "nothing to check")


def test_a_label_that_is_not_there_is_no_check(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text("int main(void) { int x = 1; if (x > 3) { BAD: return 1; } return 0; }\n")
    assert sea_py("pf", "--error-label", "BAD", file).returncode == 0
    assert sea_py("pf", "--error-label", "WORSE", file).returncode == 3
    assert sea_py("pf", "--error-function", "fail", file).returncode == 3


COMMANDS = [
    ("pf", "--property", "unreach-call"),
    ("pf", "--all-checks", "--property", "unreach-call"),
    ("pf", "--engine", "spacer", "--property", "unreach-call"),
    ("bpf", "--bound", "3", "--property", "unreach-call"),
    ("svcomp",),
    ("exe", "-o", "prog", "--property", "unreach-call"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_says_unknown(command: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(NOTHING["a declaration"])
    done = sea_py(*command, file, cwd=tmp_path)
    assert done.returncode == 3
    assert done.stdout.splitlines()[-1] == "unknown"
    assert "unknown: front end: nothing to check" in done.stdout


@pytest.mark.parametrize("command", [("pf",), ("bpf", "--bound", "3"), ("pf", "--strict")])
def test_the_properties_of_every_program_are_asked_about_instead(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    file = tmp_path / "a.c"
    file.write_text(NOTHING["a declaration"])
    done = sea_py(*command, file, cwd=tmp_path)
    assert done.returncode == 0, done
    assert "property: div-by-zero  safe" in done.stdout


HINTS = "- {file: a.c, line: 4, invariant: i >= 0}\n"
LOOP = """%s
int main(void) {
  int i = 0;
  while (i < 5)
    i = i + 1;
%s  return 0;
}
"""


@pytest.mark.parametrize(
    ("head", "body", "code"),
    [
        ("", "", 3),
        ("void reach_error(void);", "", 3),
        ("void reach_error(void);", "  if (i < 0) reach_error();\n", 0),
    ],
)
def test_invariants_are_no_checks_of_the_program(
    head: str, body: str, code: int, tmp_path: Path
) -> None:
    (tmp_path / "a.c").write_text(LOOP % (head, body))
    (tmp_path / "hints.yml").write_text(HINTS)
    done = sea_py("pf", "--invariants", "hints.yml", "a.c", cwd=tmp_path)
    assert done.returncode == code, done


def test_a_witness_of_a_program_without_checks_is_not_confirmed(tmp_path: Path) -> None:
    checked, bare = tmp_path / "checked.c", tmp_path / "bare.c"
    checked.write_text(LOOP % ("void reach_error(void);", "  if (i < 0) reach_error();\n"))
    witness = tmp_path / "w.yml"
    assert sea_py("pf", "--witness", witness, checked).returncode == 0
    assert sea_py("validate", witness, checked).stdout.splitlines()[-1] == "confirmed"
    bare.write_text(LOOP % ("", ""))
    text = witness.read_text()
    for old, new in (
        (
            hashlib.sha256(checked.read_bytes()).hexdigest(),
            hashlib.sha256(bare.read_bytes()).hexdigest(),
        ),
        ("checked.c", "bare.c"),
    ):
        text = text.replace(old, new)
    witness.write_text(text)
    done = sea_py("validate", witness, bare)
    assert done.stdout.splitlines()[-1] == "unknown"
    assert "nothing to check" in done.stdout


# ------------------------------------------------------------------------------- other languages


def test_other_languages(tmp_path: Path) -> None:
    rip, boolean, horn = tmp_path / "a.rip", tmp_path / "a.bp", tmp_path / "a.smt2"
    rip.write_text("int x;\nvoid main() { x = 1; }\n")
    boolean.write_text("decl g;\nvoid main() begin\n  g := 1;\nend\n")
    for command, file in (("rip", rip), ("bp", boolean)):
        done = sea_py(command, file)
        assert done.stdout == "unknown: nothing to check: no assertion in the program\nunknown\n"
        assert done.returncode == 3
    horn.write_text(
        "(set-logic HORN)(declare-fun p (Int) Bool)"
        "(assert (forall ((x Int)) (=> (= x 0) (p x))))(check-sat)\n"
    )
    done = sea_py("chc", horn)
    assert done.stdout.startswith("no clause is a query; ")
    assert done.stdout.endswith("\nsat\n")


# -------------------------------------------------------------------------------- the text itself


@pytest.mark.parametrize(
    ("text", "mentioned"),
    [
        ("void f(void);", False),
        ("void f(void) { }", False),
        ("void g(void) { f(); }", True),
        ("#define G f()", True),
        ("#define G(x) \\\n x, \\\n f()", True),
        ("# define f g", True),
        ("#include <f>", False),
        ("int a[] = { f };", True),
        ("} void f(void); {", True),
        ("void g(void) { h(); } int f;", False),
        ("void g(void) { if (x) { } f(); }", True),
    ],
)
def test_where_a_name_counts(text: str, mentioned: bool, tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(text)
    assert mentions([file], ["f"]) is mentioned


HASHED = """
void reach_error(void);
unsigned long hash(void *p) { unsigned long x = (unsigned long)p; return x >> 5 ^ x * 31; }
int main(void) { int a; volatile unsigned long r = hash(&a); if (%s) reach_error(); return 0; }
"""


def test_without_a_check_the_layout_of_memory_does_not_matter(tmp_path: Path) -> None:
    assert answered(tmp_path, HASHED % "0 && r").answer is Answer.SAFE
    for condition in ("r & 1", "r % 7 == 3", "hash(&a) > hash(&r)"):
        assert answered(tmp_path, HASHED % condition).answer is not Answer.SAFE
