"""The objects of the run time are compiled once and kept, where there is a place for them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from seahorn_py.frontend.compiling import support
from seahorn_py.frontend.compiling.support import runtime_objects


def fresh_objects(bits: int = 64) -> dict[str, bytes]:
    """As a new process gets them."""
    runtime_objects.cache_clear()
    return dict(runtime_objects(bits))


def no_compiler(*_: object) -> dict[str, bytes]:
    raise AssertionError("compiled again")


def test_a_second_process_compiles_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first = fresh_objects()
    monkeypatch.setattr(support, "_compiled", no_compiler)
    assert fresh_objects() == first
    entries = {"start.o", "alone.o", "baton.o"}
    drawn = {"inputs.o", "draw.o", "text.o"}
    assert set(first) == {*entries, *drawn, "watch.o", "libc.o", "math.o", "arith.o"}


def test_both_widths_are_kept_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert fresh_objects(32) != fresh_objects(64)
    assert fresh_objects(32)["start.o"][4] == 1  # ELF class of 32 bits


def test_without_a_home_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "missing"))
    assert fresh_objects()["start.o"]
    assert not list(tmp_path.iterdir())


def test_a_place_that_is_no_folder_is_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    cache.write_text("a file")
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    assert fresh_objects()["start.o"]


@pytest.mark.parametrize("mask", [0o022, 0o000])
def test_what_is_kept_is_for_its_owner_alone(
    mask: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "new"))
    before = os.umask(mask)
    try:
        fresh_objects()
    finally:
        os.umask(before)
    (kept,) = (tmp_path / "new" / "seahorn-py").iterdir()
    for folder in (kept, kept.parent, kept.parent.parent):
        assert folder.stat().st_mode & 0o777 == 0o700


def planted_cache(place: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, dict[str, bytes]]:
    """A cache with other content than what is right, which is returned too."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(place))
    right = fresh_objects()
    (kept,) = (place / "seahorn-py").iterdir()
    for file in kept.iterdir():
        file.write_bytes(b"planted")
    assert fresh_objects() != right
    return kept, right


@pytest.mark.parametrize("what", ["link", "link above", "writable", "writable above", "open"])
def test_what_others_may_have_put_there_is_not_used(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, right = planted_cache(tmp_path / "cache", monkeypatch)
    folder = kept.parent if "above" in what else kept
    if "link" in what:
        folder.rename(tmp_path / "elsewhere")
        folder.symlink_to(tmp_path / "elsewhere")
    else:
        folder = kept.parent.parent if what == "open" else folder
        folder.chmod(0o777)
    assert fresh_objects() == right


def test_what_somebody_else_owns_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, right = planted_cache(tmp_path / "cache", monkeypatch)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert fresh_objects() == right


@pytest.mark.parametrize("bits", (32, 64))
def test_where_models_are_is_kept_with_them(bits: int) -> None:
    found = support.homes(support.model_modules(bits))
    assert found["strlen"] == "string.ll"
    assert support.model_homes(bits) == found
