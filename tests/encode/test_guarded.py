"""Operations behind which a run goes on only if they did not wrap."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py.encode.encoder import encode
from seahorn_py.encode.encoding import EncodeOptions
from seahorn_py.horn.system import Obligation, Query
from seahorn_py.options import FrontendOptions, Overflow, Property, VerifyOptions
from seahorn_py.passes.pipeline import prepare
from seahorn_py.processes.deadline import Deadline
from seahorn_py.verification.pipeline import load

HEAD = "extern int I(void); extern void reach_error(void); int main(void) { int x = I(), y = I();\n"
GUARDED = {
    "a sum": "int z = x + y; if (z == 7) reach_error();",
    "a product": "int z = x * 3; if (z == 7) reach_error();",
    "a loop": "while (x < y) x += 3; if (x == 7) reach_error();",
    "a counter": "while (I()) x++; if (x == 7) reach_error();",
}
FREE = {
    "unsigned": "unsigned z = (unsigned)x + 3u; if (z == 7) reach_error();",
    "asked by the program": "int z; if (__builtin_add_overflow(x, y, &z) && z == 7) reach_error();",
}


def obligations(folder: Path, body: str, overflow: Overflow) -> int:
    """How many operations are asked about, or written out as cases, in integers."""
    file = folder / "a.c"
    file.write_text(f"{HEAD}{body} return 0; }}\n")
    frontend = FrontendOptions(overflow=overflow, properties=frozenset({Property.UNREACH_CALL}))
    _, source = load([file], VerifyOptions(frontend), Deadline.after(60))
    system = encode(prepare(source), EncodeOptions()).system
    asked = [r for r in system.queries if isinstance(r.head, Query)]
    text = " ".join(rule.constraint.serialize() for rule in system.rules)
    return sum(isinstance(r.head.kind, Obligation) for r in asked) + text.count("4294967296")


@pytest.mark.parametrize("body", GUARDED.values(), ids=GUARDED)
def test_neither_a_query_nor_cases(body: str, tmp_path: Path) -> None:
    assert obligations(tmp_path, body, Overflow.WRAP) > 0
    assert obligations(tmp_path, body, Overflow.ASSUME) == 0


@pytest.mark.parametrize("body", FREE.values(), ids=FREE)
def test_what_may_wrap_is_asked_about(body: str, tmp_path: Path) -> None:
    assert obligations(tmp_path, body, Overflow.ASSUME) > 0
