"""What repeating a relation gives, exactly, as far as Presburger arithmetic can say it.

Verdoolaege, Cohen, Beletska: "Transitive closures of affine integer tuple relations and their
overapproximations", SAS 2011: what isl computes, with a flag that says whether it is exact.
Bardin, Finkel, Leroux, Petrucci: "FAST: acceleration from theory to practice", STTT 2008: loops
with several paths by flattening.

Step of the papers -> code:

    isl's closure of the relation, of the part of it that can come again, or
    of a power of it (a swap or a flip returns after two rounds: Finkel,
    Leroux: "How to compose Presburger-accelerations", FSTTCS 2002)               `_directly`
    accelerated paths one after the other, until nothing new comes                `_flattened`
    the same from a set of states                                                 `Repeated.advance`
    one closure for each value of what never changes                              `_by_values`

Whatever is composed here is contained in the closure.  It is the closure if it contains the
identity and one more step leads nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import product
from typing import TypeVar

from seahorn_py.base.records import dataclass
from seahorn_py.logic.presburger.presburger import (
    Beyond,
    Map,
    Presburger,
    Set,
    identity_like,
    pieces,
    sliced,
    union,
)

OPERATIONS = 300_000
"""Elementary steps of isl for one attempt."""

MAX_POWER = 8
MAX_PIECES = 64
"""The most pieces of a relation; one that has more is given up."""

MAX_VALUES = 16
"""The most values of an unchanged coordinate for which a relation is split by its value."""

MAX_WORD = 3
MAX_PATHS = 6
MAX_ROUNDS = 6

T = TypeVar("T", Map, Set)
Found = TypeVar("Found")


def star(arithmetic: Presburger, step: Map) -> Map | None:
    """The reflexive and transitive closure of `step`; None when it is not found exactly."""
    found = _found_at_once(arithmetic, step)
    return _by_values(arithmetic, step) if found is None else found


@dataclass(frozen=True)
class Repeated:
    """A relation and what is found of its repetition, once."""

    arithmetic: Presburger
    step: Map

    @cached_property
    def closure(self) -> Map | None:
        """See `star`."""
        return star(self.arithmetic, self.step)

    @cached_property
    def _words(self) -> Sequence[Map]:
        return _attempt(self.arithmetic, lambda: _accelerated(self.step)) or ()

    def advance(self, start: Set) -> Set:
        """States that are reached from `start`; all of them where there is a closure.

        Otherwise these are at least `start` and what one step gives.
        """
        if self.closure is not None:
            return start.apply(self.closure).coalesce()
        found = _attempt(self.arithmetic, lambda: _grown(start, self.step, self._words))
        return start.union(start.apply(self.step)).coalesce() if found is None else found


def _found_at_once(arithmetic: Presburger, step: Map) -> Map | None:
    found = _attempt(arithmetic, lambda: _directly(step))
    return _attempt(arithmetic, lambda: _flattened(step)) if found is None else found


def _by_values(arithmetic: Presburger, step: Map) -> Map | None:
    """The same where a variable that is never changed has few values: `x += k` is linear then."""
    parts = _attempt(arithmetic, lambda: sliced(step, MAX_VALUES))
    closures = [identity_like(step)] if parts else []
    for part in parts or ():
        closure = _found_at_once(arithmetic, part)
        if closure is None:
            return None
        closures.append(closure)
    return union(closures) if closures else None


def _attempt(arithmetic: Presburger, work: Callable[[], Found | None]) -> Found | None:
    try:
        with arithmetic.within(OPERATIONS):
            return work()
    except Beyond:
        return None


# --------------------------------------------------------------------------------- one relation


def _directly(step: Map) -> Map | None:
    """`step` itself, then the part that can come again, then powers of both."""
    if step.is_empty():
        return identity_like(step)
    for powered in (step, _recurrent(step)):
        for found in _by_powers(step, powered):
            return found
    return None


def _recurrent(step: Map) -> Map:
    """The part of the relation that can follow itself."""
    return step.intersect_domain(step.range()).coalesce()


def _by_powers(step: Map, repeated: Map) -> Iterator[Map]:
    """`(1 + .. + r^(k-1)) ; (r^k)*` for some power; with `step` before it when r is a part."""
    prefix = identity_like(step)
    power = repeated
    for _ in range(MAX_POWER):
        closed = _closed(power)
        if closed is not None:
            found = prefix.apply_range(closed)
            if repeated is not step:
                found = identity_like(step).union(step.apply_range(found))
            yield found.coalesce()
            return
        prefix = prefix.union(power).coalesce()
        power = power.apply_range(repeated).coalesce()
        if power.n_basic_map() > MAX_PIECES or prefix.n_basic_map() > MAX_PIECES:
            return


def _closed(step: Map) -> Map | None:
    """The closure of isl with the identity, if it is exact."""
    closure, exact = step.transitive_closure()
    return closure.union(identity_like(step)).coalesce() if exact else None


# ---------------------------------------------------------------------------------- several paths


def _flattened(step: Map) -> Map | None:
    """Closures of paths, one after the other in some order, that leave nothing out."""
    found = identity_like(step)
    accelerated = _accelerated(step)
    if accelerated is None:
        return None
    return _saturated(found, step, accelerated)


def _saturated(found: Map, step: Map, closures: Sequence[Map]) -> Map | None:
    """The same from a relation; None unless nothing new would come."""
    found = _grown(found, step, closures)
    return found if _after(found, step).is_subset(found) else None


def _grown(found: T, step: Map, closures: Sequence[Map]) -> T:
    for _ in range(MAX_ROUNDS):
        for closure in (*closures, step):
            if _size(found) > MAX_PIECES or _after(found, step).is_subset(found):
                return found
            found = found.union(_after(found, closure)).coalesce()
    return found


def _after(found: T, step: Map) -> T:
    if isinstance(found, Map):
        return found.apply_range(step)
    return found.apply(step)


def _size(found: Map | Set) -> int:
    return found.n_basic_map() if isinstance(found, Map) else found.n_basic_set()


def _accelerated(step: Map) -> list[Map] | None:
    """Closures of words of paths; None when a path alone has none."""
    paths = pieces(step.coalesce())
    if len(paths) > MAX_PATHS:
        return None
    found = []
    for length in range(1, MAX_WORD + 1):
        for word in product(paths, repeat=length):
            if length > 1 and all(path is word[0] for path in word):
                continue
            composed = word[0]
            for path in word[1:]:
                composed = composed.apply_range(path)
            if composed.is_empty():
                continue
            closure = _directly(composed)
            if closure is not None:
                found.append(closure)
            elif length == 1:
                return None
        if length >= 2 and len(found) > 4 * MAX_PATHS:
            break
    return found
