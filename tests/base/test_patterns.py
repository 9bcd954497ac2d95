"""A pattern behaves like what `re.compile` gives, and is compiled when it is used."""

from __future__ import annotations

import copy
import pickle
import re

import pytest

from seahorn_py.base.patterns import compile_all, pattern


def test_a_pattern_is_compiled_when_it_is_used() -> None:
    wrong = pattern("(")
    with pytest.raises(re.error):
        wrong.match("a")


def test_a_pattern_behaves_like_a_compiled_one() -> None:
    mine, theirs = pattern(r"(?P<first>a+)b", re.IGNORECASE), re.compile(r"(?P<first>a+)b", re.I)
    text = "xAAb ab b"
    assert [found.span() for found in mine.finditer(text)] == [
        found.span() for found in theirs.finditer(text)
    ]
    assert mine.sub("-", text) == theirs.sub("-", text)
    assert mine.findall(text) == theirs.findall(text)
    assert mine.pattern == theirs.pattern
    assert mine.groupindex == theirs.groupindex
    assert mine.fullmatch(text) is None
    assert mine.match == mine.match


def test_a_pattern_can_be_copied() -> None:
    mine = pattern("A", re.IGNORECASE)
    for other in (copy.copy(mine), copy.deepcopy(mine), pickle.loads(pickle.dumps(mine))):
        assert other.match("a")


def test_all_can_be_compiled_at_once() -> None:
    one = pattern("a(b)")
    compile_all()
    assert "match" in vars(one)
