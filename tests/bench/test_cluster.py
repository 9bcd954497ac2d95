"""A Dask cluster loses a worker, and the run loses nothing."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import sea_py
from test_runner import fake, programs, results, verdicts

from seahorn_py.bench.rows import Ended
from seahorn_py.bench.store import read_rows

TASKS = 50


def test_without_dask_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    folder = programs(tmp_path / "tasks", 1)
    where = ("-o", tmp_path / "r.jsonl", "--scheduler", "tcp://127.0.0.1:1")
    done = sea_py("bench", folder, "--tool", "true", *where)
    assert done.returncode == 2
    assert "--scheduler needs Dask: pip install 'seahorn-py[cluster]'" in done.stderr


@pytest.fixture
def cluster() -> Iterator[Any]:
    """Three workers with one thread each, on this machine."""
    distributed = pytest.importorskip("distributed")
    local = {"n_workers": 3, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**local) as started:
        yield started


def worker_pids(cluster: Any) -> list[int]:
    from distributed import Client

    with Client(cluster.scheduler_address, set_as_default=False) as client:
        return list(client.run(os.getpid).values())


@pytest.mark.full
def test_a_lost_worker_loses_no_task(tmp_path: Path, cluster: Any) -> None:
    folder = programs(tmp_path / "tasks", TASKS)
    common = ("bench", folder, "--tool", fake(tmp_path), "-o")
    assert sea_py(*common, tmp_path / "here.jsonl", "--jobs", "3").returncode in (0, 1)

    there = tmp_path / "there.jsonl"
    victim = worker_pids(cluster)[0]
    killed = threading.Event()

    def kill_when_at_work() -> None:
        while not there.exists() or len(there.read_bytes().splitlines()) < TASKS // 5:
            killed.wait(0.05)
        os.kill(victim, signal.SIGKILL)
        killed.set()

    killer = threading.Thread(target=kill_when_at_work, daemon=True)
    killer.start()
    done = sea_py(*common, there, "--scheduler", cluster.scheduler_address)
    assert killed.is_set()
    assert done.returncode in (0, 1), done.stderr
    assert len(results(there)) == TASKS
    assert verdicts(results(there)) == verdicts(results(tmp_path / "here.jsonl"))


@pytest.mark.full
def test_limits_hold_on_the_workers(tmp_path: Path, cluster: Any) -> None:
    folder = programs(tmp_path / "tasks", 1)
    spin = f"{sys.executable} -S -E -c 'while 1: pass'"
    where = ("-o", tmp_path / "r.jsonl", "--scheduler", cluster.scheduler_address)
    assert sea_py("bench", folder, "--tool", spin, "--cpu", "0.5", *where).returncode == 0
    (row,) = read_rows(tmp_path / "r.jsonl")
    assert row.ended is Ended.CPU_TIMEOUT
    assert 0.5 <= row.cpu_s < 5


@pytest.mark.full
def test_a_scheduler_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    from seahorn_py.bench import cluster as ours

    monkeypatch.setattr(ours, "CONNECT_S", 1)
    folder = programs(tmp_path / "tasks", 1)
    where = ("-o", tmp_path / "r.jsonl", "--scheduler", "tcp://127.0.0.1:1")
    done = sea_py("bench", folder, "--tool", "true", *where)
    assert done.returncode == 2
    assert "tcp://127.0.0.1:1: no Dask scheduler there" in done.stderr
