"""Rules as text, for tests that show what the encoder makes."""

from __future__ import annotations

import re

import z3

from seahorn_py.encode.encoding import Encoding
from seahorn_py.horn.system import Atom, Rule
from seahorn_py.logic.solvers.solvers import script_of


def rule(encoding: Encoding, name: str) -> Rule:
    return next(r for r in encoding.system.rules if r.name == name)


def names(encoding: Encoding) -> list[str]:
    return [r.name for r in encoding.system.rules]


def atom(a: Atom) -> str:
    return f"{a.relation}({', '.join(t.serialize() for t in a.arguments)})"


DOMAIN = re.compile(r"\(-?\d+ <= [^ ()]+\)|\([^ ()]+ <= \d+\)")


def facts(r: Rule) -> list[str]:
    """The conjuncts of a constraint, without the domains of symbols."""
    parts = r.constraint.args() if r.constraint.is_and() else (r.constraint,)
    texts = [p.serialize() for p in parts if not p.is_true()]
    return [t for t in texts if not DOMAIN.fullmatch(t)]


def text(encoding: Encoding, name: str) -> list[str]:
    """Body, facts and head of a rule."""
    r = rule(encoding, name)
    head = atom(r.head) if isinstance(r.head, Atom) else f"false by {r.head.id}"
    return [*map(atom, r.body), *facts(r), head]


def impossible(r: Rule) -> bool:
    """The constraint has no solution."""
    solver = z3.Solver()
    solver.from_string(script_of([r.constraint]))
    return bool(solver.check() == z3.unsat)
