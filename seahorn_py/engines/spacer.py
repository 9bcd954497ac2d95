"""Spacer under several configurations, each in a child process; the first answer wins.

Komuravelli, Gurfinkel, Chaki: SMT-based model checking for recursive programs, CAV 2014.  Z3's
implementation answers; a child for each configuration, because Z3 is known to crash and to overrun
its limits.

Step of the road -> place: the race -> `Spacer.solve`; the system as text -> `spacer_text`; the
query and the model -> `spacer_child`; the refutation -> `spacer_proof`.  Global guidance is that of
Krishnan, Chen, Shoham, Gurfinkel (CAV 2020).

Systems over arrays are also solved with one or two observed cells in place of each array, in turns
of their own (`horn.cells`), and with quantified lemmas (Gurfinkel, Shoham, Vizel: "Quantifiers on
demand", ATVA 2018).

An answer of Spacer is a claim: Z3 has returned wrong models.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from seahorn_py import child
from seahorn_py.engines.arraycells import through
from seahorn_py.engines.engine import Budget
from seahorn_py.engines.spacer_text import (
    print_system,
    problem,
    read_model,
    read_refutation,
)
from seahorn_py.errors import InputError, Stage
from seahorn_py.horn.cells import Back, Observation, has_arrays, observe
from seahorn_py.horn.constants import with_symbolic_size
from seahorn_py.horn.system import HornSystem
from seahorn_py.result import Safe, Unknown, Unsafe, Verdict

_TARGET = "seahorn_py.engines.spacer_child:solve"


@dataclass(frozen=True)
class Configuration:
    """Options of Z3's fixedpoint engine, on top of those that keep our rules as they are.

    `share` is the fraction of the remaining time after which the next one takes its place.  With an
    `observation`, what is solved is the system over observed cells.  `arrays` says on how many
    array parameters of one relation the configuration rests: it has no turn where there are fewer.
    `symbolic` makes a large constant a parameter (`horn.constants`); no turn where there is none.
    """

    name: str
    options: Mapping[str, bool | int] = field(default_factory=dict)
    share: float = 1.0
    observation: Observation | None = None
    arrays: int = 0
    symbolic: bool = False


PLAIN = Configuration("plain", {}, 0.6)
GLOBAL = Configuration("global", {"spacer.global": True}, 0.6)
DEEP = Configuration("deep", {"spacer.min_level": 100}, 0.5)
SYMBOLIC = replace(GLOBAL, name="symbolic", share=0.5, symbolic=True)
CELL = replace(GLOBAL, name="cell", share=0.5, observation=Observation(1), arrays=1)
TWO_CELLS = replace(CELL, name="two cells", observation=Observation(2))
ANY_CELLS = replace(CELL, name="any two cells", observation=Observation(2, mixed=True))
OWN_CELLS = replace(CELL, name="own cells", observation=Observation(1, shared=False), arrays=2)
SYMBOLIC_CELL = replace(CELL, name="symbolic cell", symbolic=True)
SYMBOLIC_CELLS = replace(TWO_CELLS, name="symbolic two cells", symbolic=True)
QUANTIFIED = Configuration(
    "quantified", {"spacer.q3.use_qgen": True, "spacer.ground_pobs": False}, 0.5, arrays=1
)
CONFIGURATIONS = (
    PLAIN,
    SYMBOLIC_CELL,
    CELL,
    SYMBOLIC_CELLS,
    TWO_CELLS,
    ANY_CELLS,
    OWN_CELLS,
    QUANTIFIED,
    GLOBAL,
    SYMBOLIC,
    DEEP,
)
"""In the order of their turns.

`DEEP` begins with counterexamples of a hundred steps, which the others reach one by one.
"""

_ON_ARRAYS: Mapping[str, bool | int] = {"spacer.weak_abs": False}
"""With its weak abstraction Spacer does not find shallow counterexamples over arrays."""


@dataclass(frozen=True)
class Spacer:
    """Configurations in the order of their turns.

    `rlimit` is Z3's own count of work for each configuration, 0 for no limit: with it a result does
    not depend on how fast the machine is.
    """

    configurations: tuple[Configuration, ...] = CONFIGURATIONS
    rlimit: int = 0

    def solve(self, system: HornSystem, budget: Budget) -> Verdict:
        """Run the configurations, `budget.jobs` at a time; the first answer ends the others."""
        arrays = _most_arrays(system)
        waiting = [c for c in self.configurations if c.arrays <= arrays]
        subjects = _Subjects(system)
        failures: dict[str, str] = {}
        with contextlib.ExitStack() as children:
            running: dict[child.Child, _Run] = {}
            while waiting or running:
                while waiting and len(running) < max(1, budget.jobs):
                    configuration = waiting.pop(0)
                    subject = subjects.of(configuration)
                    if subject is None:
                        continue
                    run = self._start(subject, configuration, bool(waiting), budget)
                    running[children.enter_context(run.child)] = run
                for ended in child.wait_any(list(running)):
                    run = running.pop(ended)
                    verdict = run.subject.verdict(_verdict(run))
                    if not isinstance(verdict, Unknown):
                        return verdict
                    failures[run.configuration.name] = verdict.reason
        return _unknown(failures, system)

    def _start(
        self, subject: _Subject, configuration: Configuration, others_wait: bool, budget: Budget
    ) -> _Run:
        share = configuration.share if others_wait else 1.0
        options = {**(_ON_ARRAYS if _most_arrays(subject.system) else {}), **configuration.options}
        if self.rlimit:
            options["rlimit"] = self.rlimit
        started = child.start(
            _TARGET,
            problem(subject.system, subject.text, options),
            budget.deadline.share(share),
            budget.memory_mib,
        )
        return _Run(subject, configuration, started, time.monotonic())


@dataclass(frozen=True)
class _Subject:
    """What Spacer is asked about, as text, too, and the ways back to the system to solve."""

    system: HornSystem
    text: str
    back: tuple[Back, ...] = ()

    def verdict(self, found: Verdict) -> Verdict:
        """What an answer about this system says of the one to solve."""
        for back in reversed(self.back):
            found = through(found, back)
        return found


class _Subjects:
    """The system to solve and its views, made when their first turn comes."""

    def __init__(self, system: HornSystem) -> None:
        self._system = system
        self._made: dict[tuple[Observation | None, bool], _Subject | None] = {}

    def of(self, configuration: Configuration) -> _Subject | None:
        """What a configuration solves; None when there is no such view."""
        wanted = configuration.observation, configuration.symbolic
        if wanted not in self._made:
            self._made[wanted] = self._make(*wanted)
        return self._made[wanted]

    def _make(self, observation: Observation | None, symbolic: bool) -> _Subject | None:
        system, ways = self._system, list[Back]()
        if observation is not None:
            system, back = observe(system, observation)
            ways.append(back)
        if symbolic:
            sized = None if has_arrays(system) else with_symbolic_size(system)
            if sized is None:
                return None
            system, back = sized
            ways.append(back)
        return _Subject(system, print_system(system), tuple(ways))


@dataclass(frozen=True)
class _Run:
    subject: _Subject
    configuration: Configuration
    child: child.Child
    began: float


def _verdict(run: _Run) -> Verdict:
    """What the ended child of a run found, read back into our terms."""
    system = run.subject.system
    try:
        answer = json.loads(child.result(run.child))
        statistics = {**_size(system), "configuration": run.configuration.name}
        statistics["seconds"] = round(time.monotonic() - run.began, 3)
        match answer["answer"]:
            case "safe":
                return Safe(read_model(system, answer["model"]), statistics=statistics)
            case "unsafe":
                statistics["steps"] = len(answer["steps"])
                return Unsafe(read_refutation(system, answer["steps"]), statistics)
            case _:
                return Unknown(Stage.SOLVE, answer["reason"])
    except child.ChildError as failure:
        return Unknown(Stage.SOLVE, str(failure))
    except InputError as failure:
        return Unknown(Stage.SOLVE, f"answer could not be read: {failure}")


def _most_arrays(system: HornSystem) -> int:
    """The greatest number of array parameters of a relation."""
    return max(
        (sum(p.sort.is_array_type() for p in r.parameters) for r in system.relations.values()),
        default=0,
    )


def _size(system: HornSystem) -> dict[str, float | int | str]:
    return {"relations": len(system.relations), "rules": len(system.rules)}


def _unknown(failures: Mapping[str, str], system: HornSystem) -> Unknown:
    reasons = "; ".join(f"{name}: {reason}" for name, reason in failures.items())
    return Unknown(Stage.SOLVE, f"Spacer has no answer ({reasons})", _size(system))
