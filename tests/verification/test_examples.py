"""Every example program has its verdict, in both encodings and both data models.

An ordinary run pairs integers with 32 bit and bit-vectors with 64; `--full` runs all four.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from seahorn_py import FrontendOptions, VerifyOptions, verify
from seahorn_py.options import Encodings, Property
from seahorn_py.result import Answer

EXAMPLES = sorted((Path(__file__).parent.parent.parent / "c_examples").glob("*.c"))


def cases() -> list[pytest.param]:
    found = []
    for path in EXAMPLES:
        only = re.search(r"bits: (\d+)", path.read_text())
        for bits in (32, 64) if only is None else (int(only.group(1)),):
            for encoding in (Encodings.INT, Encodings.BV):
                name = f"{path.stem}-{bits}-{encoding.value}"
                once = only is not None or (bits == 32) == (encoding is Encodings.INT)
                marks = () if once else (pytest.mark.full,)
                found.append(pytest.param(path, bits, encoding, id=name, marks=marks))
    return found


@pytest.mark.parametrize(("path", "bits", "encoding"), cases())
def test_example(path: Path, bits: int, encoding: Encodings) -> None:
    marks = re.search(r"expected: (safe|unsafe)(?: \((int|bv) only\))?", path.read_text())
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
