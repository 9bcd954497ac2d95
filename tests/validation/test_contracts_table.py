"""The table of functions: nothing is proved that is not so, whatever a contract says."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from seahorn_py.base.errors import InputError, SeaError, Span
from seahorn_py.options import FrontendOptions, Property, VerifyOptions
from seahorn_py.result import Answer
from seahorn_py.validation.contracts.conclusions import resting
from seahorn_py.validation.contracts.each_function import prove_contracts, without_macros
from seahorn_py.validation.contracts.harness import Checks
from seahorn_py.validation.contracts.kept import Kept, key_of
from seahorn_py.validation.contracts.model import Row, Status
from seahorn_py.validation.contracts.pieces import Piece

NOWHERE = Span("a.c", 1, 1, "")
HEAD = "#define R __CPROVER_return_value\n#define ENSURES __CPROVER_ensures\n"
HEAD += "#define REQUIRES __CPROVER_requires\n#define ASSIGNS __CPROVER_assigns\n"


def rows(folder: Path, text: str, *entries: str, cache: Path | None = None) -> dict[str, Row]:
    file = folder / "a.c"
    file.write_text(HEAD + text)
    options = VerifyOptions(timeout=200)
    frontend = replace(
        options.frontend, entries=entries, properties=frozenset({Property.UNREACH_CALL})
    )
    table = prove_contracts([file], replace(options, frontend=frontend), cache=cache)
    return {row.function: row for row in table.rows}


WRONG = [
    ("f", "int f(int x) REQUIRES(x > 3) REQUIRES(x < 0) ENSURES(0) { return x; }", Status.VACUOUS),
    ("f", "int f(int x) ENSURES(R > x) { return x; }", Status.REFUTED),
    ("f", "int f(void) ENSURES(R == 1) { static int k; return ++k; }", Status.ASSUMED),
    ("f", "int g; int f(void) ASSIGNS() { g = 7; return 0; }", Status.REFUTED),
    ("f", "int g = 3; int f(void) ENSURES(R == 3) { return g; }", Status.REFUTED),
    (
        "f",
        "int f(int n) REQUIRES(n >= 0 && n < 4) ENSURES(R == 5) { return n ? f(n - 1) : 1; }",
        Status.REFUTED,
    ),
    (
        "f",
        "int g(int x) ENSURES(R > x); int f(int x) ENSURES(R > x) { return g(x); }",
        Status.ASSUMED,
    ),
]


QUANTIFIED = (
    "int a[3]; int f(int x) REQUIRES(x > 0) ENSURES(R > LEAST) { a[0] = a[1] = a[2] = x;\n"
    "__CPROVER_assert(__CPROVER_forall { unsigned k; ((unsigned)(0) <= (k) && (k) < (unsigned)(3))"
    ' ==> (a[(k)] > 0) }, ""); return a[2]; }'
)
WRONG.append(("f", QUANTIFIED.replace("LEAST", "1"), Status.REFUTED))
ALIASED = (
    "void f(int *a, int *b) REQUIRES(a && b && __CPROVER_rw_ok(a, 4) && __CPROVER_rw_ok(b, 4))"
)
WRONG.append(("f", f"{ALIASED} ENSURES(*b == __CPROVER_old(*b)) {{ *a = 1; }}", Status.REFUTED))


@pytest.mark.parametrize(("function", "text", "status"), WRONG)
def test_nothing_is_proved_that_is_not_so(
    function: str, text: str, status: Status, tmp_path: Path
) -> None:
    found = rows(tmp_path, text)[function]
    assert found.status is status, found


BARRIER = 'int g(int x) ENSURES(R == x) { __asm__ volatile("" : "+r"(x)); return x; }\n'
HALF = "int g(int x) REQUIRES(x < 9) { return x + 1; }\n"
RIGHT = [
    (QUANTIFIED.replace("LEAST", "0"), Status.PROVED),
    (f"{BARRIER}int f(int x) ENSURES(R == x) {{ return g(x); }}\n", Status.ASSUMED),
    (f"{HALF}int f(int x) REQUIRES(x < 8) ENSURES(R > x) {{ return g(x); }}\n", Status.PROVED),
]
WRONG_TWINS = [
    f"{BARRIER}int f(int x) ENSURES(R != x) {{ return g(x); }}\n",
    f"{HALF}int f(int x) REQUIRES(x < 8) ENSURES(R > x + 1) {{ return g(x); }}\n",
    f"{HALF}int f(int x) ENSURES(R > x) {{ return g(x); }}\n",
]


@pytest.mark.parametrize(("text", "status"), RIGHT)
def test_what_is_so_is_proved(text: str, status: Status, tmp_path: Path) -> None:
    """Among these, a proof with the body of a function whose contract says too little."""
    found = rows(tmp_path, text, "f")["f"]
    assert found.status is status, found
    assert found.rests_on == (("g",) if status is Status.ASSUMED else ())


@pytest.mark.parametrize("text", WRONG_TWINS)
def test_wrong_twins_of_what_is_so(text: str, tmp_path: Path) -> None:
    assert rows(tmp_path, text, "f")["f"].status is Status.REFUTED


def test_a_requirement_that_nothing_satisfies_is_named(tmp_path: Path) -> None:
    text = "int f(int x)\nREQUIRES(x > 3)\nREQUIRES(x < 0)\nREQUIRES(x != 7)\n{ return x; }\n"
    found = rows(tmp_path, text)["f"]
    assert found.status is Status.VACUOUS
    assert "a.c:7:1: no input satisfies: x < 0" in found.reason


def test_a_call_that_breaks_what_is_required(tmp_path: Path) -> None:
    text = "int g(int x) REQUIRES(x > 0) { return x; }\nint main(void) { return g(0); }\n"
    found = rows(tmp_path, text, "main")
    assert found["main"].status is Status.REFUTED
    assert "a call of g requires x > 0" in found["main"].reason
    assert found["g"].reason == "not asked about"


def test_a_pointer_that_is_not_followed_may_lead_anywhere(tmp_path: Path) -> None:
    text = (
        "struct s { int a; };\n"
        "void f(struct s *s, int n) REQUIRES(n == 0) ASSIGNS(n: s->a) { if (n) s->a = 1; }\n"
        "int main(void) { struct s t[1]; f(t + 1, 0); return 0; }\n"
    )
    found = rows(tmp_path, text, "main")["main"]
    assert found.status is Status.UNKNOWN
    assert "what s of f leads to is one object" in found.reason


def test_a_contract_that_the_definition_does_not_see(tmp_path: Path) -> None:
    (tmp_path / "b.c").write_text("int f(int x) { return 0; }\n")
    (tmp_path / "a.c").write_text(
        HEAD + "int f(int x) ENSURES(R == x);\nint main(void) { f(1); }\n"
    )
    files = [tmp_path / "a.c", tmp_path / "b.c"]
    found = {row.function: row for row in prove_contracts(files, VerifyOptions(timeout=200)).rows}
    assert found["f"].status is Status.UNKNOWN
    assert "not see" in found["f"].reason


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("int g(int n) { while (n) __CPROVER_loop_invariant(n == 5) { n--; } return n; }\n", "g"),
        ("int v(int x, ...) REQUIRES(x > 0);\n", "v"),
    ],
)
def test_what_nobody_looks_at_is_unknown(text: str, name: str, tmp_path: Path) -> None:
    found = rows(tmp_path, f"int f(int x) ENSURES(R == x) {{ return x; }}\n{text}")
    assert (found["f"].status, found[name].status) == (Status.PROVED, Status.UNKNOWN)


def test_a_sum_of_an_invariant_that_overflows_is_no_error_of_the_program(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(
        HEAD + "int f(int n) REQUIRES(n == __INT_MAX__) {\nint i = n - 1;\n"
        "while (i < n) __CPROVER_loop_invariant(i + 1 > 0)\ni++;\nreturn i; }\n"
    )
    (found,) = prove_contracts([tmp_path / "a.c"], VerifyOptions(timeout=200)).rows
    assert found.status is Status.UNKNOWN
    assert "in what is said of the loop: no-overflow" in found.reason


def test_mutual_recursion_is_an_induction(tmp_path: Path) -> None:
    text = (
        "int odd(unsigned n);\nint even(unsigned n) ENSURES(R == (n % 2 == 0))"
        " { return n == 0 ? 1 : odd(n - 1); }\n"
        "int odd(unsigned n) ENSURES(R == (n % 2)) { return n == 0 ? 0 : even(n - 1); }\n"
    )
    found = rows(tmp_path, text)
    assert {row.status for row in found.values()} == {Status.PROVED}
    assert found["odd"].rests_on == ("even",)


def row(name: str, status: Status, *used: str) -> Row:
    return Row(name, NOWHERE, status, used=used)


@pytest.mark.parametrize("status", [s for s in Status if s is not Status.PROVED])
def test_no_proof_rests_on_what_is_not_proved(status: Status) -> None:
    found = resting(
        {
            "a": row("a", Status.PROVED, "b"),
            "b": row("b", Status.PROVED, "a", "c"),
            "c": row("c", status),
        }
    )
    weak = Status.ASSUMED if status is Status.ASSUMED else Status.UNKNOWN
    assert (found["a"].status, found["b"].status) == (weak, weak)
    assert found["b"].rests_on == ("a", "c")


def test_proofs_in_a_circle_hold_together() -> None:
    found = resting({"a": row("a", Status.PROVED, "b"), "b": row("b", Status.PROVED, "a")})
    assert {one.status for one in found.values()} == {Status.PROVED}


def test_a_kept_proof_is_checked_again(tmp_path: Path) -> None:
    text = "int other(int x) { return x + 1; }\n"
    text += "int f(int x) ENSURES(R >= 0 && R >= x) { return x > 0 ? x : 0; }\n"
    cache = tmp_path / "kept"
    first = rows(tmp_path, text, cache=cache)["f"]
    assert not first.is_kept
    again = rows(tmp_path, text.replace("return x + 1", "\n\nreturn 7"), cache=cache)["f"]
    assert again.is_kept
    assert again.status is Status.PROVED
    assert first.assumed
    assert again.assumed == first.assumed
    (entry,) = cache.iterdir()
    system = entry / "system.smt2"
    system.write_text(system.read_text().replace("(check-sat)", "(assert false)\n(check-sat)"))
    assert Kept.at(cache).proof(entry.name) is None


def test_what_is_asked_belongs_to_a_kept_proof(tmp_path: Path) -> None:
    piece = Piece(((tmp_path / "a.c", b"int f(void);"),), "f", Checks(), (), (), ())
    plain = VerifyOptions()
    others = [{"error_functions": ("bad",)}, {"flags_of": ((tmp_path / "a.c", ("-m32",)),)}]
    keys = {key_of([piece], replace(plain, frontend=replace(plain.frontend, **o))) for o in others}
    assert len({key_of([piece], plain), *keys}) == 3


def test_flags_of_single_files_are_kept_but_for_macros() -> None:
    own = ("-funsigned-char", "-DX=1", "-I", "a", "-include", "b.h", "-includec.h", "-isystemd")
    frontend = FrontendOptions(flags_of=((Path("a.c"), own),))
    assert without_macros(frontend).flags_of == ((Path("a.c"), ("-funsigned-char",)),)


def test_a_folder_that_others_may_write_is_refused(tmp_path: Path) -> None:
    os.chmod(tmp_path, 0o777)
    with pytest.raises(InputError, match="others may write"):
        Kept.at(tmp_path)


def test_without_contracts_there_is_nothing_to_ask(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no function has a contract"):
        rows(tmp_path, "int f(int x) { return x; }\n")


def test_the_answer_is_about_what_was_asked(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(HEAD + "int f(int x) ENSURES(R == x) { return x; }\n")
    assert prove_contracts([file], VerifyOptions(timeout=200)).answer is Answer.SAFE


def test_blocks_that_are_left_are_no_question_about_a_function(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(HEAD + "int f(int x) ENSURES(R == x) { return x; }")
    frontend = FrontendOptions(properties=frozenset({Property.VALID_MEMTRACK}))
    with pytest.raises(SeaError, match="its caller frees"):
        prove_contracts([file], VerifyOptions(frontend, timeout=200))
