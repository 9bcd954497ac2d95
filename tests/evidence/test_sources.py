"""The second native replay: with sources of the C library in the place of our models."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from seahorn_py import verify
from seahorn_py.frontend.compiling import support
from seahorn_py.frontend.compiling.exacttext import NAMES, NUMBERS
from seahorn_py.frontend.library.contracts import Kind, Source, contract_of
from seahorn_py.frontend.llvmtext.lowered import RawSite
from seahorn_py.frontend.lowering.library import models
from seahorn_py.ir.program import SiteKind
from seahorn_py.result import Answer, VerificationResult
from seahorn_py.verification.answers import library_sources

HEAD = "#include <stdlib.h>\n#include <string.h>\nextern void reach_error(void);\n"


def answered(folder: Path, body: str) -> VerificationResult:
    file = folder / "case.c"
    file.write_text(f"{HEAD}int main(void) {{ {body} return 0; }}\n")
    return verify(file, timeout=30, encoding="bv")


@pytest.mark.parametrize("bits", (32, 64))
def test_exact_functions_have_a_model_and_sources(bits: int) -> None:
    homes = models._homes(models._exact(bits))
    found = {name for name in homes if not name.startswith("sea.")}
    assert found - (NAMES | NUMBERS) == set()
    assert len((NAMES | NUMBERS) - found) <= 1  # two functions may have the same code
    for name in found:
        contract = contract_of(name)
        assert contract is not None
        assert (contract.kind, contract.source) == (Kind.EXACT, Source.MODEL), name


def test_an_error_is_reached_with_sources_too(tmp_path: Path) -> None:
    result = answered(
        tmp_path, 'char t[] = "7b"; if (strchr(t, 98) && atoi(t) == 7) reach_error();'
    )
    assert result.answer is Answer.UNSAFE
    assert "a run with sources of atoi, strchr in the place" in str(result.evidence)


def test_no_error_rests_on_a_wrong_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model of strchr finds nothing."""
    given = dict(support.model_modules(64))
    begin, _, rest = given["string.ll"].decode().partition("define dso_local ptr @strchr(")
    body, _, end = rest.partition("\n}")
    wrong = re.sub(r"ret ptr %\w+", "ret ptr null", body)
    assert wrong != body
    given["string.ll"] = f"{begin}define dso_local ptr @strchr({wrong}\n}}{end}".encode()
    monkeypatch.setattr(models, "model_modules", lambda bits: given)
    models._library.cache_clear()
    try:
        result = answered(tmp_path, 'char t[] = "ab"; if (!strchr(t, 98)) reach_error();')
    finally:
        models._library.cache_clear()
    assert result.answer is Answer.UNKNOWN
    assert "with sources of strchr in the place of their models" in str(result.reason)


def test_other_programs_are_not_built_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*given: object) -> None:
        raise AssertionError(given)

    monkeypatch.setattr(library_sources, "matched", refused)
    body = 'char t[] = "ab"; if (strcmp(t, "b") < 0 && abs(t[0]) == 97) reach_error();'
    result = answered(tmp_path, body)
    assert result.answer is Answer.UNSAFE


def test_sites_of_the_library_are_passed_over() -> None:
    def site(number: int, kind: SiteKind, name: str) -> RawSite:
        return RawSite(number, kind, "i32", name, "int", True)

    ours = (site(0, SiteKind.NONDET, "f"), site(1, SiteKind.UNINIT, "x"))
    more = (
        *(
            site(0, SiteKind.UNINIT, "y"),
            site(1, SiteKind.NONDET, "f"),
            site(2, SiteKind.EXTERN, "shl"),
        ),
        site(3, SiteKind.UNINIT, "x"),
    )
    assert library_sources.matched(ours, more) == {0: 1, 1: 3}
    assert library_sources.matched(ours, more[:3]) is None
    assert library_sources.matched(ours, (*more, site(4, SiteKind.NONDET, "f"))) is None
