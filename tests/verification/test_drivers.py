"""Drivers and servers under rules of use: a bug that a macro turns on is found, repaired proved."""

from __future__ import annotations

import pytest
from command import EXAMPLES

from seahorn_py import FrontendOptions, VerifyOptions, verify
from seahorn_py.options import Property
from seahorn_py.result import Answer, VerificationResult

RULES = {
    "char_device": "linux-mutex",
    "usb_scanner": "linux-alloc-in-spinlock",
    "job_worker": "descriptor",
    "http_server": "socket-order",
    "log_rotator": "stdio-stream",
}
SOON = {"usb_scanner"}
"""Whose bug is found within three seconds of one processor."""


def asked(name: str, *defines: str) -> VerificationResult:
    frontend = FrontendOptions(
        rules=(RULES[name],), properties=frozenset({Property.RULE}), defines=defines
    )
    return verify(EXAMPLES / "rules" / f"{name}.c", VerifyOptions(frontend, timeout=150))


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=() if n in SOON else pytest.mark.full) for n in RULES],
)
def test_the_bug_is_found(name: str) -> None:
    result = asked(name, "BUG")
    assert result.answer is Answer.UNSAFE, result


@pytest.mark.full
@pytest.mark.parametrize("name", RULES)
def test_the_repaired_program_is_proved(name: str) -> None:
    assert asked(name).answer is Answer.SAFE
