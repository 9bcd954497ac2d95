"""Contracts at the calls of a run: checked, or in the place of bodies."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from seahorn_py.base.errors import InputError
from seahorn_py.options import FrontendOptions, Property, VerifyOptions
from seahorn_py.result import Answer
from seahorn_py.validation.contracts.at_calls import Instrumented, with_contracts
from seahorn_py.verification.pipeline import verify

HEAD = "extern void __VERIFIER_assert(int);\n#define CHECK __VERIFIER_assert\n"
HEAD += "#define ENSURES __ESBMC_ensures\n#define REQUIRES __ESBMC_requires\n"
HEAD += "#define ASSIGNS __ESBMC_assigns\n#define OLD __ESBMC_old\n#define R __ESBMC_return_value\n"


def made(tmp_path: Path, text: str, enforced: str = "", replaced: str = "") -> Instrumented:
    file = tmp_path / "a.c"
    file.write_text(HEAD + text)
    frontend = FrontendOptions(properties=frozenset({Property.UNREACH_CALL}))
    options = VerifyOptions(frontend, timeout=200)
    return with_contracts([file], options, enforced.split(), replaced.split())


def answer(tmp_path: Path, text: str, enforced: str = "", replaced: str = "") -> Answer:
    return verify([tmp_path / "a.c"], made(tmp_path, text, enforced, replaced).options).answer


SMALL = "int f(int x) { REQUIRES(x > 0); ENSURES(R > x); return x + 1; }"
FRESH = (
    "struct s { int x; } a, b; void f(struct s *p) { REQUIRES(__ESBMC_is_fresh(p, sizeof *p));"
    " ASSIGNS(p->x); ENSURES(p->x == 1); ENSURES(b.x == OLD(b.x)); p->x = 1; }"
)


@pytest.mark.parametrize(
    ("text", "enforced", "replaced", "wanted"),
    [
        # what holds of the body but not of its contract is no longer known
        (f"{SMALL} int main(void) {{ CHECK(f(5) == 6); }}", "f", "", Answer.SAFE),
        (f"{SMALL} int main(void) {{ CHECK(f(5) == 6); }}", "", "f", Answer.UNSAFE),
        (f"{SMALL} int main(void) {{ f(-5); }}", "", "f", Answer.UNSAFE),
        # p leads to g: a change of *p is one of g, and is allowed
        (
            "int g; void f(int *p) { ASSIGNS(*p); *p = 3; } int main(void) { f(&g); CHECK(g); }",
            "*",
            "",
            Answer.SAFE,
        ),
        (
            "int g, h; void f(int *p) { ASSIGNS(*p); h = 3; } int main(void) { f(&g); }",
            "f",
            "",
            Answer.UNSAFE,
        ),
        # what is fresh is none of the variables that the contract speaks of
        (f"{FRESH} int main(void) {{ f(&b); }}", "", "f", Answer.UNSAFE),
        (f"{FRESH} int main(void) {{ f(&a); CHECK(a.x == 1 && !b.x); }}", "", "f", Answer.SAFE),
    ],
)
def test_answers(tmp_path: Path, text: str, enforced: str, replaced: str, wanted: Answer) -> None:
    assert answer(tmp_path, text, enforced, replaced) is wanted


def test_without_assigns_all_that_it_touches_may_change(tmp_path: Path) -> None:
    text = "int g = 1; static void f(int *p) { ENSURES(1); g = *p; }"
    found = made(tmp_path, f"{text} int main(void) {{ int k = 1; f(&k); CHECK(k); }}", "", "f")
    stub = dict(found.options.frontend.edited)[tmp_path / "a.c"].decode()
    assert "&(*p), sizeof (*p)" in stub
    assert "&g, sizeof g" in stub
    assert found.assumed == ("f keeps its contract, which stands for its body",)


def test_what_is_assumed_of_calls_is_told(tmp_path: Path) -> None:
    found = made(tmp_path, f"{SMALL} int main(void) {{ f(1); }}", "*")
    assert found.assumed == ("calls of f keep what it requires: x > 0",)


def test_a_name_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no function g is there"):
        made(tmp_path, f"{SMALL} int main(void) {{ f(1); }}", "g")
    with pytest.raises(InputError, match="no function has a contract"):
        made(tmp_path, "int main(void) { return 0; }", "*")


def test_the_address_of_a_pointer_is_a_form_of_fresh(tmp_path: Path) -> None:
    text = "void f(int *p) { REQUIRES(__ESBMC_is_fresh(&p, sizeof *p)); *p = 1; }"
    found = made(tmp_path, f"{text} int main(void) {{ int k; f(&k); }}", "", "f")
    assert b"sea_is_dereferenceable((p)" in dict(found.options.frontend.edited)[tmp_path / "a.c"]


def test_old_in_what_is_required_is_the_value(tmp_path: Path) -> None:
    text = "int g = 2; void f(void) { REQUIRES(OLD(g) > 1); g = 0; }"
    found = made(tmp_path, f"{text} int main(void) {{ f(); }}", "", "f")
    options = replace(found.options, timeout=100)
    assert verify([tmp_path / "a.c"], options).answer is Answer.SAFE


def test_esbmc_assigns_an_object_by_its_pointer(tmp_path: Path) -> None:
    text = "void f(int *p) { ASSIGNS(p); p[1] = 0; } int main(void) { int a[2]; f(a); }"
    with pytest.raises(InputError, match="an object of unknown size"):
        made(tmp_path, text, "", "f")
