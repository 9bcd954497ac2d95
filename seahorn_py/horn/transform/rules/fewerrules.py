"""Rules and premises that add nothing are left out.

A rule derives nothing new if its head is one of its premises, or if another one has the same head
and no premise or condition that this one does not have.  A premise that a rule has twice is one.
All is compared as it is written, so symbols must have the same names.  Of queries that differ in
nothing else one is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import Atom, HornSystem, Refutation, Rule
from seahorn_py.horn.transform.transformation import Both, same_model
from seahorn_py.logic.terms.connectives import conjuncts

MOST_COMPARED = 100
"""A rule is compared with so many others."""


@dataclass(frozen=True)
class FewerRules:
    """Without redundant rules and premises."""

    def apply(self, system: HornSystem) -> tuple[HornSystem, Both]:
        """The smaller system, with the same models."""
        rules = [rule for rule in map(_without_twins, system.rules) if rule.head not in rule.body]
        kept = [rule for group in _by_head(rules) for rule in _needed(group)]
        names = {rule.name for rule in kept}
        changed = replace(system, rules=tuple(rule for rule in rules if rule.name in names))
        old = {rule.name: rule for rule in system.rules}
        return changed, Both(same_model, lambda found: _with_twins(old, found))


def _without_twins(rule: Rule) -> Rule:
    return replace(rule, body=tuple(dict.fromkeys(rule.body)))


def _by_head(rules: Iterable[Rule]) -> Iterable[list[Rule]]:
    """The rules in groups of the same head; queries are one group."""
    groups: dict[Atom | None, list[Rule]] = {}
    for rule in rules:
        head = rule.head if isinstance(rule.head, Atom) else None
        groups.setdefault(head, []).append(rule)
    return groups.values()


def _needed(group: Sequence[Rule]) -> list[Rule]:
    """The rules without those that have all that another one has."""
    parts = {rule.name: {*rule.body, *conjuncts(rule.constraint)} for rule in group}
    kept: list[Rule] = []
    for rule in sorted(group, key=lambda rule: len(parts[rule.name])):
        if not any(parts[other.name] <= parts[rule.name] for other in kept[:MOST_COMPARED]):
            kept.append(rule)
    return kept


def _with_twins(old: Mapping[str, Rule], refutation: Refutation) -> Refutation:
    """A premise for each that the rule had."""
    steps = []
    for step in refutation.steps:
        body = old[step.rule].body
        of = dict(zip(dict.fromkeys(body), step.premises, strict=True))
        steps.append(replace(step, premises=tuple(of[atom] for atom in body)))
    return Refutation(tuple(steps))
