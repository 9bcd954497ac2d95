"""Other numbers of the policy for one test."""

from __future__ import annotations

import pytest

from seahorn_py.policy.policy import policy


def change(monkeypatch: pytest.MonkeyPatch, section: str, **numbers: float) -> None:
    """Let some numbers of a section be others; what else the policy says stays."""
    before = getattr(policy(), section)
    changed = type(before)(**{**vars(before), **numbers})
    monkeypatch.setitem(vars(policy()), section, changed)
