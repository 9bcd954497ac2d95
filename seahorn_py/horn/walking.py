"""A refutation as a graph of rule instances, which can be walked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from seahorn_py.base.notebook import Shown
from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import Atom, HornSystem, Refutation, Rule
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.infix import print_infix


@dataclass(frozen=True, eq=False)
class Instance(Shown):
    """A rule that is applied to the facts of its premises, one for each atom of its body.

    `number` is that of its step; an instance that is used twice is one object.  `arguments` are
    those of the fact that it derives; that of a query has none.  `values` has other symbols of the
    rule whose values are known.
    """

    number: int
    rule: Rule
    arguments: tuple[Term, ...]
    premises: tuple[Instance, ...]
    values: Mapping[Term, Term]

    @property
    def fact(self) -> str:
        """What it derives, `false` for a query."""
        if not isinstance(self.rule.head, Atom):
            return "false"
        return f"{self.rule.head.relation}({', '.join(_text(one) for one in self.arguments)})"

    def walk(self) -> Iterator[Instance]:
        """All instances that lead here, each once, premises first; this one is the last."""
        done: set[int] = set()
        todo: list[tuple[Instance, bool]] = [(self, False)]
        while todo:
            one, is_ready = todo.pop()
            if one.number in done:
                continue
            if is_ready:
                done.add(one.number)
                yield one
            else:
                todo.append((one, True))
                todo.extend((premise, False) for premise in reversed(one.premises))

    def shown(self) -> Mapping[str, object]:
        """Each instance in a line, in the order of `walk`."""
        return {str(one.number): str(one) for one in self.walk()}

    def __str__(self) -> str:
        used = ", ".join(str(one.number) for one in self.premises)
        return f"{self.fact} by {self.rule.name}{f' of {used}' if used else ''}"

    def __repr__(self) -> str:
        return "\n".join(f"{one.number}: {one}" for one in self.walk())


def instances(system: HornSystem, refutation: Refutation) -> Instance:
    """The instance that derives the query; it leads to all others that are needed."""
    rules = {rule.name: rule for rule in system.rules}
    found: list[Instance] = []
    for number, step in enumerate(refutation.steps):
        premises = tuple(found[k] for k in step.premises)
        found.append(Instance(number, rules[step.rule], step.arguments, premises, step.values))
    return found[-1]


def _text(value: Term) -> str:
    return print_infix(value, {})


def run_backwards(system: HornSystem, refutation: Refutation) -> list[int]:
    """The steps of the run that a refutation of a program stands for, the last one first.

    A relation `f.entry` holds the contexts of the function `f`; a rule with two premises joins a
    run of the caller, the first, with a summary of the callee.  From the query the run is followed
    along first premises to the entry of the function, on to the caller that gave the context, and
    so to the start.  Where a summary is joined the whole callee is put in, from entry to exit.
    """
    rules = {rule.name: rule for rule in system.rules}
    found = []
    todo = [(len(refutation.steps) - 1, False)]
    while todo:
        number, inside = todo.pop()
        step = refutation.steps[number]
        head = rules[step.rule].head
        if inside and isinstance(head, Atom) and head.relation.endswith(".entry"):
            continue
        found.append(number)
        if len(step.premises) == 2:
            caller, summary = step.premises
            todo += [(caller, inside), (summary, True)]
        else:
            todo += [(premise, inside) for premise in step.premises]
    return found
