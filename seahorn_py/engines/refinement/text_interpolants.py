"""Interpolants of a derivation that is a tree, by the solvers of `logic.interpolation`.

The formulas of the steps are sent as text.  A step shares nothing but its fact with the steps that
use it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence

from seahorn_py.base.errors import InputError
from seahorn_py.engines.refinement.derivation import Derivation, Formulas
from seahorn_py.logic.interpolation.interpolation import Backend
from seahorn_py.logic.interpolation.interpolation_child import answer
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.smtlib import parse_term, print_sort


class TextInterpolation:
    """Asks one solver, in this process."""

    def __init__(self, formulas: Formulas, backend: Backend) -> None:
        self._formulas = formulas
        self._backend = backend

    def ask(self, of: Derivation, until: float, seconds: float) -> list[Term] | str:
        """A formula over the parameters of its relation for each step but the last; or why not."""
        texts, sorts = self._texts(of)
        parents = [0] * (len(of.steps) - 1)
        for number, step in enumerate(of.steps):
            for premise in step.premises:
                parents[premise] = number
        shared = [self._facts(of, k) for k in range(len(parents))]
        found = self._ask(
            texts, sorts, parents, list(shared), min(until - time.monotonic(), seconds)
        )
        return found if isinstance(found, str) else self._read(found, shared)

    def cut(self, of: Derivation, step: int, until: float, seconds: float) -> Term | str:
        """A formula between what derives the fact of a step and what uses it; or why not."""
        texts, sorts = self._texts(of)
        inside = {step}
        for number in reversed(range(step + 1)):
            if number in inside:
                inside |= set(of.steps[number].premises)
        sides = [
            [text for k, text in enumerate(texts) if (k in inside) is below]
            for below in (True, False)
        ]
        both = [f"(and true {' '.join(side)})" for side in sides]
        shared = [self._facts(of, step)]
        found = self._ask(both, sorts, [1], shared, min(until - time.monotonic(), seconds))
        if isinstance(found, str):
            return found
        read = self._read(found, shared)
        return read if isinstance(read, str) else read[0]

    def _texts(self, of: Derivation) -> tuple[list[str], dict[str, str]]:
        """The formula of each step, and the sorts of all names in them."""
        texts: list[str] = []
        sorts: dict[str, str] = {}
        for rule, names in self._formulas.instances(of.steps):
            texts.append(rule.text(names))
            sorts |= {name: print_sort(terms.sort_of(s)) for s, name in names.items()}
        return texts, sorts

    def _facts(self, of: Derivation, step: int) -> dict[str, Term]:
        """The names of the fact of a step, and the parameters that they stand for."""
        relation = self._formulas.relations[of.steps[step].node.relation]
        return {f"f!{step}!{k}": symbol for k, symbol in enumerate(relation.symbols)}

    def _ask(
        self,
        texts: Sequence[str],
        sorts: Mapping[str, str],
        parents: Sequence[int],
        shared: Sequence[Mapping[str, Term]],
        seconds: float,
    ) -> list[str] | str:
        request = {
            "backend": self._backend.value,
            "symbols": dict(sorts),
            "formulas": list(texts),
            "parents": list(parents),
            "shared": [list(names) for names in shared],
            "seconds": max(0.001, seconds),
        }
        reply = json.loads(answer(json.dumps(request)))
        match reply:
            case {"answer": "found", "interpolants": list(found)}:
                return [str(text) for text in found]
            case {"answer": "none", "reason": str(reason)}:
                return f"{self._backend.value}: {reason}"
        return f"{self._backend.value} finds a derivation"

    def _read(self, texts: Sequence[str], shared: Sequence[Mapping[str, Term]]) -> list[Term] | str:
        name = f"{self._backend.value}'s interpolant"
        try:
            found = [parse_term(t, of, name) for t, of in zip(texts, shared, strict=True)]
        except InputError as failure:
            return str(failure)
        if any(terms.sort_of(one) is not terms.BOOL for one in found):
            return f"{name} is no formula"
        return found
