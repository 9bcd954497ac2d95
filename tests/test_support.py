"""The objects of the run time are compiled once and kept, where there is a place for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py.frontend import support
from seahorn_py.frontend.support import runtime_objects


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
    entries = {"start.o", "alone.o"}
    assert set(first) == {*entries, "inputs.o", "draw.o", "libc.o", "math.o", "arith.o"}


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


@pytest.mark.parametrize("spoilt", ["seahorn-py", "seahorn-py/result"])
def test_what_others_could_have_written_is_not_read(
    spoilt: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first = fresh_objects()
    (kept,) = (tmp_path / "seahorn-py").iterdir()
    (kept / "start.o").write_bytes(b"evil")
    assert fresh_objects()["start.o"] == b"evil"
    (kept if spoilt.endswith("result") else kept.parent).chmod(0o777)
    assert fresh_objects() == first


def test_what_is_kept_is_for_its_owner_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    fresh_objects()
    (kept,) = (tmp_path / "seahorn-py").iterdir()
    assert {folder.stat().st_mode & 0o777 for folder in (kept, kept.parent)} == {0o700}
