"""The conjuncts that an inductive model needs to be inductive, for certificates that say no more.

What is left is an inductive validity core (Ghassabani, Gacek, Whalen 2016), found by deletion: a
conjunct is left out if the rules that use it stay valid.  Conjuncts that only support each other
are not left out together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from seahorn_py.horn.checking.implications import verification_condition
from seahorn_py.horn.system import HornSystem, Model
from seahorn_py.logic.solvers.solver import Solver
from seahorn_py.logic.solvers.solvers import Answer, Status, check_scripts
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.connectives import conjuncts
from seahorn_py.logic.terms.terms import Term
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline

MAX_CONJUNCTS = 200

_Parts = Mapping[str, tuple[Term, ...]]


def needed(system: HornSystem, model: Model, deadline: Deadline) -> Model:
    """The model with fewer conjuncts, of which none can be left out; or as far as time allows."""
    parts: _Parts = {name: tuple(_parts(f)) for name, f in model.interpretations.items()}
    if sum(map(len, parts.values())) > MAX_CONJUNCTS:
        return model
    changed = False
    while open_ := _unneeded(system, parts, deadline):
        changed = True
        for number, (name, part) in enumerate(open_):
            fewer = _without(parts, name, part)
            if number == 0 or _all_valid(_uses(system, fewer, name), deadline):
                parts = fewer
    return _model(parts) if changed else model


def _unneeded(system: HornSystem, parts: _Parts, deadline: Deadline) -> list[tuple[str, Term]]:
    """The conjuncts of which each alone can be left out."""
    tried = [(name, part) for name, held in parts.items() for part in held]
    scripts = [_uses(system, _without(parts, name, part), name) for name, part in tried]
    flat = [script for group in scripts for script in group]
    answers = iter(_answers(flat, deadline))
    proved = [[next(answers).status is Status.UNSAT for _ in group] for group in scripts]
    return [one for one, valid in zip(tried, proved, strict=True) if all(valid)]


def _all_valid(scripts: Sequence[str], deadline: Deadline) -> bool:
    return all(answer.status is Status.UNSAT for answer in _answers(scripts, deadline))


def _answers(scripts: Sequence[str], deadline: Deadline) -> list[Answer]:
    each = policy().confirming.conjunct_seconds
    return check_scripts(scripts, Solver.CVC5, deadline, seconds_each=each)


def _uses(system: HornSystem, parts: _Parts, name: str) -> list[str]:
    """The conditions of the rules that a relation is a premise of."""
    rules = [r for r in system.rules if any(atom.relation == name for atom in r.body)]
    return [verification_condition(system, _model(parts), rule) for rule in rules]


def _without(parts: _Parts, name: str, part: Term) -> _Parts:
    return {**parts, name: tuple(held for held in parts[name] if held is not part)}


def _model(parts: _Parts) -> Model:
    return Model({name: terms.and_(held) for name, held in parts.items()})


def _parts(formula: Term) -> dict[Term, None]:
    """The conjuncts of a formula, each once."""
    return dict.fromkeys(part for part in conjuncts(formula) if part is not terms.TRUE)
