"""Contracts stand for calls in helpers whose parameter cannot lead to a local of theirs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from seahorn_py.options import Property, VerifyOptions
from seahorn_py.validation.contracts.each_function import prove_contracts
from seahorn_py.validation.contracts.model import Row, Status

STEP = """#define R __CPROVER_return_value
int shared;
void step(const int *b, int *i)
__CPROVER_requires(__CPROVER_is_fresh(b, sizeof *b) && __CPROVER_is_fresh(i, sizeof *i))
__CPROVER_requires(*b < 9 && *i < 9) __CPROVER_assigns(*i) __CPROVER_ensures(*i == *b + 1)
{ *i = *b + 1; }
"""
HELPER = "static int helper(const int *b) { BEFORE int i = 0; CALL; return i; }\n"
WHOLE = """int f(const int *b)
__CPROVER_requires(__CPROVER_is_fresh(b, sizeof *b) && *b > 0 && *b < 9)
__CPROVER_ensures(R == *b + 1)
{ return helper(b); }
"""


def row(folder: Path, before: str, call: str, whole: str = WHOLE) -> Row:
    file = folder / "a.c"
    file.write_text(STEP + HELPER.replace("BEFORE", before).replace("CALL", call) + whole)
    options = VerifyOptions(timeout=100)
    asked = replace(options.frontend, entries=("f",), properties=frozenset({Property.UNREACH_CALL}))
    rows = prove_contracts([file], replace(options, frontend=asked)).rows
    return next(found for found in rows if found.function == "f")


def test_a_local_of_the_helper_beside_its_parameter(tmp_path: Path) -> None:
    found = row(tmp_path, "", "step(b, &i)")
    assert found.used == ("step",)
    assert found.status is Status.ASSUMED  # nobody was asked about `step`


@pytest.mark.parametrize(
    ("before", "call"),
    [
        ("static int k;", "step(b, &i)"),  # the parameter may lead to what outlives a call
        ("", "step(b, &shared)"),
        ("b = &i;", "step(b, &i)"),
        ("const int **at = &b; *at = &i;", "step(b, &i)"),
    ],
)
def test_a_parameter_that_may_lead_there(before: str, call: str, tmp_path: Path) -> None:
    found = row(tmp_path, "", f"{before} {call}")
    assert found.used == ()


def test_what_the_contract_forgets_is_not_known(tmp_path: Path) -> None:
    whole = WHOLE.replace("R == *b + 1", "R == *b + 2")
    assert row(tmp_path, "", "step(b, &i)", whole).status is Status.REFUTED
