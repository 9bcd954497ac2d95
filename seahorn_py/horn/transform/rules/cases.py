"""Rules with alternatives become rules without: one for each disjunct and each way of an `ite`.

A disjunction among the conditions of a rule, and a conditional term in them or in its arguments,
stand for several rules.  The cases of a rule say together what it says, so models stay what they
are; a step of a refutation is one of the rule that its own was made from.  A rule that would become
more than `most` rules stays as it is, as one with quantifiers does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import Atom, HornSystem, Refutation, Rule, Step, formulas
from seahorn_py.horn.transform.transformation import Both, same_model
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import is_quantified, nodes, rebuilt
from seahorn_py.logic.terms.connectives import conjuncts
from seahorn_py.logic.terms.terms import Term


@dataclass(frozen=True)
class Cases:
    """A rule for each case of a rule, of which there are `most` at most."""

    most: int = 16

    def apply(self, system: HornSystem) -> tuple[HornSystem, Both]:
        """The system of cases, with the same models; it may stay what it is."""
        taken = {rule.name for rule in system.rules}
        made: list[Rule] = []
        whole: dict[str, str] = {}
        for rule in system.rules:
            for number, case in enumerate(self._of(rule)):
                name = rule.name if number == 0 else _free(f"{rule.name} case {number}", taken)
                made.append(replace(case, name=name))
                whole[name] = rule.name

        def step(one: Step) -> Step:
            return replace(one, rule=whole[one.rule])

        def back(found: Refutation) -> Refutation:
            return Refutation(tuple(map(step, found.steps)))

        return replace(system, rules=tuple(made)), Both(same_model, back)

    def _of(self, rule: Rule) -> Sequence[Rule]:
        """The cases of a rule, those that are impossible by how they are written left out."""
        if any(is_quantified(part) for part in formulas(rule)):
            return (rule,)
        done: list[Rule] = []
        todo = [rule]
        while todo:
            if len(done) + len(todo) > self.most:
                return (rule,)
            one = todo.pop()
            cases = list(_split(one))
            if not cases:
                done.append(one)
            todo.extend(case for case in reversed(cases) if case.constraint is not terms.FALSE)
        return done


def _split(rule: Rule) -> Iterator[Rule]:
    """The cases of the first alternative of a rule; none if it has no alternative."""
    parts = list(conjuncts(rule.constraint))
    for number, part in enumerate(parts):
        if part.is_or():
            for case in part.args():
                others = [*parts[:number], case, *parts[number + 1 :]]
                yield replace(rule, constraint=terms.and_(others))
            return
    for part in formulas(rule):
        for node in nodes(part):
            if node.is_ite():
                condition, then, otherwise = node.args()
                yield _where(rule, condition, node, then)
                yield _where(rule, terms.not_(condition), node, otherwise)
                return


def _where(rule: Rule, condition: Term, old: Term, new: Term) -> Rule:
    """The rule where a condition holds, with `new` in place of `old`."""

    def atom(one: Atom) -> Atom:
        return Atom(one.relation, tuple(_replaced(a, old, new) for a in one.arguments))

    head = atom(rule.head) if isinstance(rule.head, Atom) else rule.head
    constraint = terms.and_([condition, _replaced(rule.constraint, old, new)])
    return replace(rule, body=tuple(map(atom, rule.body)), constraint=constraint, head=head)


def _replaced(term: Term, old: Term, new: Term) -> Term:
    built: dict[Term, Term] = {}
    for node in nodes(term):
        built[node] = new if node is old else rebuilt(node, tuple(built[a] for a in node.args()))
    return built[term]


def _free(wanted: str, taken: set[str]) -> str:
    name = wanted
    while name in taken:
        name += "'"
    taken.add(name)
    return name
