"""How many rounds loops were seen to make: a guess at the most that they ever make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from seahorn_py.evidence.runs.random_values import drawing
from seahorn_py.ir.interpreter import Draw, Frame, Interpreter
from seahorn_py.ir.program import Program, Register
from seahorn_py.ir.regions import Value
from seahorn_py.ir.run import RunLimits
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline
from seahorn_py.verification.termination.loop_places import Key

MOST_ROUNDS = 100
"""No more rounds are worth a guess: engines unwind a loop as often."""
STEPS = 20_000
"""Steps of one run of the interpreter."""
FEWEST = 8
"""What fewer runs show is chance."""
SEEDS = 40
"""So many of the runs have random inputs."""


def rounds_seen(
    program: Program, numbers: Mapping[Key, Register], words: Sequence[int], deadline: Deadline
) -> Mapping[Key, int] | None:
    """The most rounds of each loop whose rounds are numbered; `words` are numbers of the program.

    None if a loop makes too many, or more in the second half of the runs than in the first.
    """
    limit = deadline.at_most(policy().termination.runs_seconds)
    limits = RunLimits(seconds=policy().termination.run_seconds, steps=STEPS)
    interpreter, seen = Interpreter(program), _Watcher(numbers)
    made = raised = 0
    for draw in draws(words):
        before = seen.most.copy()
        try:
            interpreter.run({}, limits, seen, draw=draw)
        except _TooMany:
            return None
        made += 1
        raised = raised if seen.most == before else made
        if limit.remaining == 0:
            break
    is_steady = made >= FEWEST and 2 * raised <= made
    return {key: seen.most[key] for key in numbers} if is_steady else None


def draws(words: Sequence[int]) -> Iterator[Draw]:
    """Ways to choose inputs."""
    for value in (0, 1, -1, 2):
        yield lambda _, value=value: value  # type: ignore[misc]
    for seed in range(SEEDS):
        yield drawing(seed, words)


class _TooMany(Exception):
    """Ends the interpreter's run, since a loop makes too many rounds."""


class _Watcher:
    """Notes the most rounds of each loop."""

    def __init__(self, numbers: Mapping[Key, Register]) -> None:
        self._names = {key: register.name for key, register in numbers.items()}
        self.most: Counter[Key] = Counter()

    def at_block(self, function: str, label: str, frame: Frame) -> None:
        """Note the number of the round that begins at the head of a loop."""
        name = self._names.get((function, label))
        if name is not None:
            rounds = frame[name]
            if rounds > MOST_ROUNDS:
                raise _TooMany
            self.most[function, label] = max(self.most[function, label], rounds)

    def at_return(
        self, function: str, arguments: tuple[Value, ...], results: tuple[Value, ...]
    ) -> None:
        """Nothing to note."""
