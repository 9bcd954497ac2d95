"""Spacer under several configurations, each in a child process; the first answer wins.

Komuravelli, Gurfinkel, Chaki: SMT-based model checking for recursive programs, CAV 2014.  Z3's
implementation answers; a child for each configuration, because Z3 is known to crash and to overrun
its limits.

Step of the road -> place: the race -> `Spacer.solve`; the system as text -> `spacer_text`; the
query and the model -> `spacer_child`; the refutation -> `spacer_proof`.  Global guidance is that of
Krishnan, Chen, Shoham, Gurfinkel (CAV 2020).

An answer of Spacer is a claim: Z3 has returned wrong models.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from seahorn_py import child
from seahorn_py.engines.engine import Budget
from seahorn_py.engines.spacer_text import (
    print_system,
    problem,
    read_model,
    read_refutation,
)
from seahorn_py.errors import InputError, Stage
from seahorn_py.horn.system import HornSystem
from seahorn_py.result import Safe, Unknown, Unsafe, Verdict

_TARGET = "seahorn_py.engines.spacer_child:solve"


@dataclass(frozen=True)
class Configuration:
    """Options of Z3's fixedpoint engine, on top of those that keep our rules as they are.

    `share` is the fraction of the remaining time after which the next one takes its place.
    """

    name: str
    options: Mapping[str, bool | int] = field(default_factory=dict)
    share: float = 1.0


PLAIN = Configuration("plain", {}, 0.6)
GLOBAL = Configuration("global", {"spacer.global": True}, 0.6)
DEEP = Configuration("deep", {"spacer.min_level": 100}, 0.5)
CONFIGURATIONS = (PLAIN, GLOBAL, DEEP)
"""In the order of their turns.

`DEEP` begins with counterexamples of a hundred steps, which the others reach one by one.
"""


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
        text = print_system(system)
        waiting = list(self.configurations)
        failures: dict[str, str] = {}
        with contextlib.ExitStack() as children:
            running: dict[child.Child, _Run] = {}
            while waiting or running:
                while waiting and len(running) < max(1, budget.jobs):
                    run = self._start(system, text, waiting.pop(0), bool(waiting), budget)
                    running[children.enter_context(run.child)] = run
                for ended in child.wait_any(list(running)):
                    run = running.pop(ended)
                    verdict = _verdict(system, run)
                    if not isinstance(verdict, Unknown):
                        return verdict
                    failures[run.configuration.name] = verdict.reason
        return _unknown(failures, system)

    def _start(
        self,
        system: HornSystem,
        text: str,
        configuration: Configuration,
        others_wait: bool,
        budget: Budget,
    ) -> _Run:
        share = configuration.share if others_wait else 1.0
        options = dict(configuration.options)
        if self.rlimit:
            options["rlimit"] = self.rlimit
        started = child.start(
            _TARGET,
            problem(system, text, options),
            budget.deadline.share(share),
            budget.memory_mib,
        )
        return _Run(configuration, started, time.monotonic())


@dataclass(frozen=True)
class _Run:
    configuration: Configuration
    child: child.Child
    began: float


def _verdict(system: HornSystem, run: _Run) -> Verdict:
    """What the ended child of a run found, read back into our terms."""
    try:
        answer = json.loads(child.result(run.child))
        statistics = {**_size(system), "configuration": run.configuration.name}
        statistics["seconds"] = round(time.monotonic() - run.began, 3)
        match answer["answer"]:
            case "safe":
                return Safe(read_model(system, answer["model"]), statistics)
            case "unsafe":
                statistics["steps"] = len(answer["steps"])
                return Unsafe(read_refutation(system, answer["steps"]), statistics)
            case _:
                return Unknown(Stage.SOLVE, answer["reason"])
    except child.ChildError as failure:
        return Unknown(Stage.SOLVE, str(failure))
    except InputError as failure:
        return Unknown(Stage.SOLVE, f"answer could not be read: {failure}")


def _size(system: HornSystem) -> dict[str, float | int | str]:
    return {"relations": len(system.relations), "rules": len(system.rules)}


def _unknown(failures: Mapping[str, str], system: HornSystem) -> Unknown:
    reasons = "; ".join(f"{name}: {reason}" for name, reason in failures.items())
    return Unknown(Stage.SOLVE, f"Spacer has no answer ({reasons})", _size(system))
