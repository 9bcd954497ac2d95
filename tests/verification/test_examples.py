"""Every example program has its verdict, in both encodings and both data models.

A usual run has each example once, with integers in 32 bit and bit-vectors in 64 bit in turn, or in
the encoding that its verdict is for; `--full` runs all four.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from seahorn_py import FrontendOptions, VerifyOptions, verify
from seahorn_py.options import Encodings, Property
from seahorn_py.result import Answer

EXAMPLES = sorted((Path(__file__).parent.parent.parent / "c_examples").glob("*.c"))


VERDICT = re.compile(r"expected: (safe|unsafe)(?: \((int|bv) only\))?")
BITS = {Encodings.INT: 32, Encodings.BV: 64}


def cases() -> list[pytest.param]:
    found = []
    for number, path in enumerate(EXAMPLES):
        text = path.read_text()
        verdict, model = VERDICT.search(text), re.search(r"bits: (\d+)", text)
        named = verdict is not None and verdict[2]
        usual = Encodings(named) if named else list(BITS)[number % 2]
        for bits in (32, 64) if model is None else (int(model[1]),):
            for encoding in BITS:
                once = encoding is usual and (model is not None or bits == BITS[encoding])
                marks = () if once else (pytest.mark.full,)
                name = f"{path.stem}-{bits}-{encoding.value}"
                found.append(pytest.param(path, bits, encoding, id=name, marks=marks))
    return found


@pytest.mark.parametrize(("path", "bits", "encoding"), cases())
def test_example(path: Path, bits: int, encoding: Encodings) -> None:
    marks = VERDICT.search(path.read_text())
    assert marks is not None, f"{path} states no verdict"
    expected, only = marks.groups()
    asked = re.search(r"property: ([\w-]+)", path.read_text())
    properties = frozenset() if asked is None else frozenset({Property(asked[1])})
    hard = only is not None and only != encoding.value
    # without random runs an error must be found, and replayed, through the encoding
    options = VerifyOptions(
        FrontendOptions(bits=bits, properties=properties),
        encoding,
        timeout=4 if hard else 60,
        executions=0.1 if expected == "safe" else 0,
    )
    result = verify(path, options)
    assert result.answer.value == expected or (hard and result.answer is Answer.UNKNOWN), result
