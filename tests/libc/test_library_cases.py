"""Phenomena that public reports about verifiers name, each as a small program with its verdict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from seahorn_py import verify
from seahorn_py.options import MEMORY_SAFETY, FrontendOptions, Property, VerifyOptions
from seahorn_py.result import Answer

HEAD = """#define _GNU_SOURCE
{headers}
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
"""
ASKED = {
    "reach": frozenset({Property.UNREACH_CALL}),
    "memsafety": frozenset(MEMORY_SAFETY),
}
USUAL = {"strncat-writes-one-more": 64, "sscanf-set": 32, "putenv-aliases": 64}
"""Those of the usual run, and for how many bits."""


@dataclass(frozen=True)
class Case:
    """A program, and what holds of it."""

    name: str
    asked: frozenset[Property]
    answer: Answer
    text: str


def cases() -> Iterator[Case]:
    table = (Path(__file__).parent / "cases.txt").read_text().partition("\n\n")[2]
    for part in table.strip().split("\n\n"):
        head, _, code = part.partition("\n")
        name, asked, answer, headers = (field.strip() for field in head.split("|"))
        included = "\n".join(f"#include <{header}>" for header in headers.split())
        body = code if "main(" in code else f"int main(void) {{\n{code}\nreturn 0;\n}}"
        properties = ASKED.get(asked) or frozenset({Property(asked)})
        text = HEAD.format(headers=included) + body + "\n"
        yield Case(name, properties, Answer(answer), text)


def parameters() -> list[pytest.param]:
    return [
        pytest.param(
            case,
            bits,
            id=f"{case.name}-{bits}",
            marks=() if USUAL.get(case.name) == bits else pytest.mark.full,
        )
        for case in cases()
        for bits in (64, 32)
    ]


@pytest.mark.parametrize(("case", "bits"), parameters())
def test_the_verdict(case: Case, bits: int, tmp_path: Path) -> None:
    """Too little time is no wrong answer."""
    file = tmp_path / "case.c"
    file.write_text(case.text)
    frontend = FrontendOptions(bits=bits, properties=case.asked)
    result = verify(file, VerifyOptions(frontend, timeout=30))
    is_late = result.answer is Answer.UNKNOWN and "time limit" in (result.reason or "")
    assert is_late or result.answer is case.answer, result
