"""The real libraries against the models."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sequences import modelled, real
from sequences.calls import Call, Library, Outcome, Seen, Sequence, Verdict, signed
from sequences.modelled import Models
from sequences.operations import operations
from sequences.real import Real


@dataclass(frozen=True, slots=True)
class Difference:
    """An outcome of a real library that the models cannot give."""

    library: Library
    sequence: Sequence
    outcome: Outcome
    verdict: Verdict

    def __str__(self) -> str:
        verdict = self.verdict
        wanted, got = signed(verdict.wanted), signed(verdict.got)
        calls = zip(self.sequence.calls, self.outcome.calls(), strict=False)
        return "\n".join(
            [
                f"{self.library.value}: call {verdict.call} shows {wanted}, the models {got}, "
                f"in {verdict.tried} attempts",
                *(self._line(n, call, seen) for n, (call, seen) in enumerate(calls, 1)),
            ]
        )

    def _line(self, number: int, call: Call, seen: Seen) -> str:
        operation = operations()[call.operation]
        given = ", ".join(str(signed(x)) for x in call.arguments[: len(operation.kinds)])
        mark = ">" if number == self.verdict.call else " "
        return f"{mark} {operation.function}({given}) {seen}"


def compare(
    reals: list[Real], models: Models, given: list[Sequence], fault: int = 0
) -> Iterator[Difference]:
    for one in reals:
        fitting = [real.available(sequence, one.library) for sequence in given]
        outcomes = real.run(one, fitting)
        verdicts = modelled.search(models, fitting, outcomes, fault)
        for sequence, outcome, verdict in zip(fitting, outcomes, verdicts, strict=True):
            if not verdict.possible:
                yield Difference(one.library, sequence, outcome, verdict)
