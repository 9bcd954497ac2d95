"""What Spacer says of relations when a query is not reachable: `and (forall x. R(x) = F) ...`.

Other shapes of the same are read too: an equation the other way round, `R(x)` or its negation in
place of an equation, variables that nothing uses.  All else is `Unreadable`: a formula that speaks
of other parameters, or of some values of them only, is worse than none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import z3

from seahorn_py.base.records import dataclass
from seahorn_py.processes.internal_errors import Expected


class Unreadable(Expected):
    """The answer has another shape; the text says which."""


@dataclass(frozen=True)
class Definition:
    """`atom` holds where `formula` does; variable k of both has the sort `sorts[k]`."""

    atom: z3.ExprRef
    formula: z3.ExprRef
    sorts: Sequence[z3.SortRef]

    def at(self, arguments: Sequence[z3.ExprRef]) -> z3.ExprRef:
        """The formula with constants for the arguments of the atom; or Unreadable."""
        places = self.atom.children()
        if [p.sort() for p in places] != [a.sort() for a in arguments]:
            raise Unreadable(f"{self._name} has other parameters")
        of = {
            z3.get_var_index(p): a for p, a in zip(places, arguments, strict=True) if z3.is_var(p)
        }
        if len(of) < len(places):
            raise Unreadable(f"{self._name} is said of some values only")
        idle = {k: z3.FreshConst(s) for k, s in enumerate(self.sorts) if k not in of}
        values = [of[k] if k in of else idle[k] for k in range(len(self.sorts))]
        found = z3.substitute_vars(self.formula, *values)
        others = [(constant, z3.FreshConst(constant.sort())) for constant in idle.values()]
        if others and not found.eq(z3.substitute(found, *others)):
            raise Unreadable(f"{self._name} depends on what is no parameter")
        return found

    @property
    def _name(self) -> str:
        return str(self.atom.decl().name())


def definitions(answer: z3.ExprRef) -> Mapping[str, Definition]:
    """What is said of each relation, by its name; or Unreadable."""
    found: dict[str, Definition] = {}
    for part in _conjuncts(answer):
        one = _definition(part)
        name = str(one.atom.decl().name())
        if name in found:
            raise Unreadable(f"{name} is said twice")
        found[name] = one
    return found


def formula_of(known: Mapping[str, Definition], atom: z3.ExprRef) -> z3.ExprRef:
    """The formula of an atom of constants; true where nothing is said of its relation."""
    one = known.get(str(atom.decl().name()))
    return z3.BoolVal(True, atom.ctx) if one is None else one.at(atom.children())


def _conjuncts(answer: z3.ExprRef) -> Iterator[z3.ExprRef]:
    todo = [answer]
    while todo:
        part = todo.pop()
        if z3.is_and(part):
            todo += part.children()
        elif not z3.is_true(part):
            yield part


def _definition(part: z3.ExprRef) -> Definition:
    sorts: list[z3.SortRef] = []
    body = part
    while z3.is_quantifier(body) and body.is_forall():
        # variable 0 is the innermost one, the last of the list
        sorts[:0] = [body.var_sort(k) for k in reversed(range(body.num_vars()))]
        body = body.body()
    if z3.is_eq(body):
        left, right = body.children()
        for atom, formula in ((left, right), (right, left)):
            if _is_applied(atom):
                return Definition(atom, formula, sorts)
    negated = z3.is_not(body)
    atom = body.arg(0) if negated else body
    if _is_applied(atom):
        return Definition(atom, z3.BoolVal(not negated, atom.ctx), sorts)
    raise Unreadable(f"no relation is defined by {' '.join(part.sexpr().split())[:80]}")


def _is_applied(term: z3.ExprRef) -> bool:
    return bool(z3.is_app(term)) and term.decl().kind() == z3.Z3_OP_UNINTERPRETED
