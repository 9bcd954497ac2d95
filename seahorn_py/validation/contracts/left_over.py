"""Contracts that no analysis looks at; they get rows, lest anybody takes them for proved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from seahorn_py.validation.contracts.compiled import Compiled
from seahorn_py.validation.contracts.model import Row, Status
from seahorn_py.validation.contracts.project import Name, Project


def left_over(project: Project, compiled: Compiled, jobs: Iterable[Name]) -> Iterator[Row]:
    """A row for each contract that is refused and has no body, and for each loop out of reach."""
    for number, unit in enumerate(project.units):
        for name, why in unit.refused.items():
            if project.function(number, name) is None:
                place = unit.contracts[name].place
                yield Row(name, place, Status.UNKNOWN, reason=why)
    reached = {one for job in jobs for one in compiled.cone(job, lambda _: frozenset()).functions}
    for number, unit in enumerate(project.units):
        for name, node in unit.functions.items():
            own = [loop for loop in unit.loops if node.start_byte <= loop.at < node.end_byte]
            if own and Name(number, name) not in reached:
                why = f"{own[0].clauses[0].place}: no function with a contract leads to this loop"
                place = unit.places.at(node.start_byte, name)
                yield Row(name, place, Status.UNKNOWN, reason=why)
