"""Every reader, for a while, on odd inputs; the fuzzing finds, repeats and shrinks faults."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from random import Random

import pytest
from fuzz_corpus import ROOT, llvm_texts
from fuzz_mutation import MOST_BYTES, Corpus, odd_bytes, odd_text
from fuzz_targets import TARGETS, C, Odd, Target
from fuzzing import Fault, fuzz, generated, kind_of, smallest

from seahorn_py.base.errors import InputError

GIVEN = os.environ.get("SEA_FUZZ_SECONDS")
SECONDS, MOST = (float(GIVEN), 1 << 62) if GIVEN else (30.0, 50)
"""By default the same inputs on every machine, so that a change fails and no fast day does."""

SEED = 1


@pytest.mark.long
@pytest.mark.timeout(SECONDS + 400)
@pytest.mark.parametrize("name", TARGETS)
def test_a_reader_accepts_or_refuses_whatever_it_is_given(name: str) -> None:
    found = fuzz(TARGETS[name], SECONDS, SEED, most=MOST)
    shown = [
        f"{fault.text}: scripts/fuzz {name} --seed {SEED} --only {fault.number}"
        for fault in found.faults.values()
    ]
    assert not shown
    assert found.executions >= 5
    assert found.accepted > 0 or found.executions < 100


# ----------------------------------------------------------------------------- the fuzzing itself


def reader(read: object, suffix: str = ".txt") -> Target:
    corpus = Corpus(C, ("int main(void) { return f(1, 2) + 3; }\n", 'char *x = "a b";\n'))
    return Target("faulty", suffix, lambda r: odd_text(corpus, r), read, C.tokens)  # type: ignore[arg-type]


def kinds(read: object, most: int = 30, seconds: float = 60.0) -> set[str]:
    return set(fuzz(reader(read), seconds, 7, most=most).faults)


def refuse(file: Path) -> None:
    raise InputError(f"{file}: no")


def test_what_is_accepted_or_refused_is_no_fault() -> None:
    assert not kinds(lambda _: None)
    assert not kinds(refuse)


def unnamed(_: Path) -> None:
    raise InputError("no")


def crash(_: Path) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def recurse(file: Path) -> None:
    recurse(file)


def leave(file: Path) -> None:
    (file.parent / "left").write_text("")


def odd(_: Path) -> Odd:
    return Odd("odd", "told")


def spin(_: Path) -> None:
    until = time.process_time() + 20
    while time.process_time() < until:
        pass


@pytest.mark.parametrize(
    ("read", "kind", "most"),
    [
        (unnamed, "unnamed InputError", 3),
        (crash, "the process ended with -11", 3),
        (recurse, "RecursionError", 3),
        (leave, "files", 3),
        (odd, "odd", 3),
        (lambda _: {}[0], "KeyError", 3),
        (spin, "slow", 1),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_everything_else_is_a_fault(read: object, kind: str, most: int) -> None:
    (found,) = kinds(read, most)
    assert found.startswith(kind)


def test_inputs_follow_from_their_numbers_and_are_small() -> None:
    for name in ("smt", "yaml", "rip"):
        some = [generated(TARGETS[name], 3, k) for k in range(40)]
        assert some == [generated(TARGETS[name], 3, k) for k in range(40)]
        assert len(set(some)) > 30
        assert all(len(data) <= MOST_BYTES for data in some)
    assert generated(TARGETS["smt"], 3, 1) != generated(TARGETS["smt"], 4, 1)


@pytest.mark.full
def test_inputs_are_the_same_in_every_folder() -> None:
    assert not [text for text in llvm_texts() if str(ROOT) in text or str(Path.cwd()) in text]


def test_bytes_are_changed() -> None:
    good = bytes(range(256)) * 4
    some = {odd_bytes([good], Random(k)) for k in range(50)}
    assert len(some) > 40 and all(len(data) <= MOST_BYTES for data in some)
    assert odd_bytes([b""], Random(1)) is not None


def needs_a_return(file: Path) -> None:
    if b"return" in file.read_bytes():
        raise KeyError("return")


def test_a_fault_is_shrunk_to_what_shows_it() -> None:
    target = reader(needs_a_return)
    data = b"int x;\n" * 40 + b"int main(void) { return 1; }\n" + b"int y;\n" * 40
    fault = Fault(kind_of(target, data), "", 0, data)
    assert smallest(target, fault) == b"return"
