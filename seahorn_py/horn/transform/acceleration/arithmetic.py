"""The transformations that rest on isl, which they load when they are applied, since it is slow."""

from __future__ import annotations

from collections.abc import Sequence

from seahorn_py.base.errors import InputError
from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import HornSystem, Model, Refutation
from seahorn_py.horn.transform.transformation import (
    Both,
    Inapplicable,
    Models,
    NotCarried,
    same_model,
)
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Status, check_scripts, script_of
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.smtlib import parse_term, print_symbol
from seahorn_py.processes.deadline import NEVER, Deadline


@dataclass(frozen=True)
class LinearPart:
    """What is no linear arithmetic over integers becomes arbitrary (`linearpart`)."""

    def apply(self, system: HornSystem) -> tuple[HornSystem, Models]:
        """The weaker system, with the same models; a linear one stays what it is.

        Inapplicable where a relation has bit-vectors or reals.
        """
        from seahorn_py.horn.transform.acceleration.linearpart import linear_part
        from seahorn_py.logic.presburger.presburger import Beyond, Presburger

        try:
            part = linear_part(system, Presburger())
        except Beyond as limit:
            raise Inapplicable(str(limit)) from None
        return part if part.rules != system.rules else system, Models(same_model)


@dataclass(frozen=True)
class Acceleration:
    """Loops are replaced by their closures (`stages`), which may be `polynomials`.

    Unless they are `needed`, a system in which no loop has a closure may stay what it is, or lose
    relations without a loop.  z3 is asked until the deadline for values that isl does not find.
    """

    deadline: Deadline = NEVER
    polynomials: bool = True
    needed: bool = True

    def apply(self, system: HornSystem) -> tuple[HornSystem, Both]:
        """The system without the loops; Inapplicable where none has a closure and one is needed.

        A refutation is not carried back when it is too long to be written out, or rests on more
        than the iterations of a loop, as the ledger of the system says.
        """
        from seahorn_py.horn.transform.acceleration.reading_back import (
            TooLong,
            read_model,
            read_refutation,
        )
        from seahorn_py.horn.transform.acceleration.stages import accelerate
        from seahorn_py.logic.presburger.presburger import Beyond, Presburger

        arithmetic = Presburger()
        found = accelerate(system, arithmetic, polynomials=self.polynomials)
        if self.needed and not found.loops:
            raise Inapplicable("no loop has a closure")

        def model(model: Model) -> Model:
            try:
                return read_model(found, model, arithmetic)
            except Beyond as limit:
                raise NotCarried(str(limit)) from None

        def refutation(refutation: Refutation) -> Refutation:
            try:
                return read_refutation(found, refutation, arithmetic, self._solution)
            except (TooLong, Beyond) as limit:
                raise NotCarried(str(limit)) from None

        return found.system, Both(model, refutation)

    def _solution(self, formula: Term, wanted: Sequence[Term]) -> list[Term] | None:
        """Values of the symbols that satisfy the formula, as z3 finds them."""
        names = tuple(print_symbol(symbol) for symbol in wanted)
        try:
            script = script_of([formula])
        except InputError:
            return None
        limit = self.deadline
        (found,) = check_scripts(
            [script], Solver.Z3, limit, seconds_each=limit.remaining, wanted=names
        )
        if found.status is not Status.SAT:
            return None
        return [parse_term(value, {}, "a value of a step") for value in found.values]
