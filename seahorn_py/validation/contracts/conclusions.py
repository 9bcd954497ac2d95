"""The table of all functions: a contract that rests on an unproved one is not proved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from seahorn_py.base.records import dataclass
from seahorn_py.result import Answer, Violation
from seahorn_py.validation.contracts.model import Row, Status
from seahorn_py.validation.contracts.pieces import Piece

_UNDECIDED = "what "


@dataclass(frozen=True)
class Table:
    """The rows of all functions with contracts; `inlined` ones are analysed where called."""

    rows: tuple[Row, ...]
    inlined: tuple[str, ...]

    @property
    def answer(self) -> Answer:
        """SAFE if all functions that were asked about are proved, UNSAFE if one is refuted."""
        asked = [row for row in self.rows if row.is_asked]
        if any(row.status is Status.REFUTED for row in asked):
            return Answer.UNSAFE
        is_safe = all(row.status is Status.PROVED for row in asked)
        return Answer.SAFE if is_safe else Answer.UNKNOWN


def resting(rows: Mapping[str, Row]) -> dict[str, Row]:
    """The rows, of which none is proved any more if it uses a contract that is not proved."""
    found = dict(rows)
    while True:
        changed = {name: row for name, row in _weakened(found)}
        if not changed:
            break
        found.update(changed)
    return {name: replace(row, rests_on=(*row.used, *row.rests_on)) for name, row in found.items()}


def _weakened(rows: Mapping[str, Row]) -> Iterator[tuple[str, Row]]:
    for name, row in rows.items():
        if row.status not in (Status.PROVED, Status.ASSUMED):
            continue
        for other in row.used:
            status = rows[other].status if other in rows else Status.UNKNOWN
            if status is Status.PROVED or (status is row.status is Status.ASSUMED):
                continue
            new = Status.ASSUMED if status is Status.ASSUMED else Status.UNKNOWN
            why = f"rests on {other}, which is {status.value}"
            yield name, replace(row, status=new, reason=why)
            break


def violated(piece: Piece, violation: Violation, row: Row) -> Row:
    """The row for a violation of a piece."""
    said, place = piece.checks.found.get(violation.text.removesuffix("()"), ("", None))
    where = violation.place
    if piece.unseen:
        why = f"the contract of {piece.unseen[0]} cannot stand for a call"
        return replace(row, reason=f"{why}, and it has no body")
    if said.startswith(_UNDECIDED):
        return replace(row, reason=f"{place}: it is not known that {said}")
    if place is not None:
        return replace(row, status=Status.REFUTED, reason=f"{place}: violated: {said}")
    if where is not None and piece.checks.is_of_clause(where):
        why = f"here, or in what is said of the loop: {violation.property}: {violation.text}"
        return replace(row, reason=f"{where}: {why}")
    if where is not None and where.function.startswith("__sea_"):
        why = f"the contract itself is not defined: {violation.property}: {violation.text}"
        return replace(row, reason=f"{where}: {why}")
    why = f"{where}: {violation.property}: {violation.text}"
    return replace(row, status=Status.REFUTED, reason=why)
