"""Array programs of symbolic size: proved as they are, refuted with `-DBUG`.

An ordinary run takes some of them; `--full` takes all.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py import FrontendOptions, VerifyOptions, verify
from seahorn_py.options import Encodings
from seahorn_py.result import Answer

PROGRAMS = sorted((Path(__file__).parent.parent.parent / "c_examples" / "arrays").glob("*.c"))
ORDINARY = ("heap", "init", "maximum")


def cases() -> list[pytest.param]:
    return [
        pytest.param(path, id=path.stem, marks=() if path.stem in ORDINARY else (pytest.mark.full,))
        for path in PROGRAMS
    ]


def answer(path: Path, *defines: str, executions: float) -> Answer:
    options = VerifyOptions(
        FrontendOptions(bits=32, defines=defines),
        Encodings.INT,
        timeout=90,
        executions=executions,
    )
    return verify(path, options).answer


@pytest.mark.full
@pytest.mark.parametrize("path", cases())
def test_proved_for_every_size(path: Path) -> None:
    assert answer(path, executions=0.1) is Answer.SAFE


COPIES = """
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
#define SIZE 100000
int main(void) {
    int a[SIZE], b[SIZE], c[SIZE], d[SIZE], i;
    for (i = 0; i < SIZE; i++) a[i] = __VERIFIER_nondet_int();
    for (i = 0; i < SIZE; i++) b[i] = a[i];
    for (i = 0; i < SIZE; i++) c[i] = b[i];
    for (i = 0; i < SIZE; i++) d[i] = c[i];
    for (i = 0; i < SIZE; i++) if (a[i] != d[i]) reach_error();
    return 0;
}
"""


@pytest.mark.full
def test_copies_of_copies_of_a_fixed_size(tmp_path: Path) -> None:
    file = tmp_path / "copies.c"
    file.write_text(COPIES)
    assert answer(file, executions=0.1) is Answer.SAFE


@pytest.mark.parametrize("path", cases())
def test_the_planted_bug_is_found_in_the_encoding(path: Path) -> None:
    assert answer(path, "BUG", executions=0) is Answer.UNSAFE
