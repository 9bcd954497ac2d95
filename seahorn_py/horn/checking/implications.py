"""Rules under a model as scripts: whole, by cases of a premise, and by conjuncts of the head.

For a model, each rule gives one verification condition (Bjorner, Gurfinkel, McMillan, Rybalchenko
2015, section 2): body atoms and constraint and the negation of the head, with every relation
defined by its formula, must be unsatisfiable.  The relations become `define-fun` in the script, so
that the solver itself does the substitution, and quantified formulas cannot be captured.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from seahorn_py.base.records import dataclass
from seahorn_py.horn.checking.arraykeys import print_keys
from seahorn_py.horn.checking.induction import definition
from seahorn_py.horn.system import Atom, HornSystem, Model, Rule, atoms, formulas
from seahorn_py.logic.solvers.needs import Needs, needs_of
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.connectives import conjuncts
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.smtlib import print_datatypes, print_folds, print_sort, print_term
from seahorn_py.policy.policy import policy
from seahorn_py.processes.deadline import Deadline

MAX_CASES = 64
"""A disjunction of more is not split as a premise."""

MAX_GOALS = 512
"""A head of more conjuncts is not split, nor premises of more."""


def interpretation(model: Model, name: str) -> Term:
    """What the model says of a relation."""
    return model.interpretations.get(name, terms.TRUE)


def verification_condition(system: HornSystem, model: Model, rule: Rule) -> str:
    """The script that is unsatisfiable exactly when the model makes `rule` valid.

    InputError when a name cannot be written in SMT-LIB.
    """
    relations = dict.fromkeys(atom.relation for atom in atoms(rule))
    position = {name: f"R!{k}" for k, name in enumerate(relations)}
    names = _constants(rule)
    said = [interpretation(model, name) for name in relations]
    defined = [
        definition(position[name], system.relations[name].symbols, formula)
        for name, formula in zip(relations, said, strict=True)
    ]
    lines = [*_beginning(system, rule, said, defined)]
    lines += [f"(assert {_applied(position[a.relation], a, names)})" for a in rule.body]
    lines.append(f"(assert {print_term(rule.constraint, names)})")
    if isinstance(rule.head, Atom):
        head = _applied(position[rule.head.relation], rule.head, names)
        lines.append(f"(assert (not {head}))")
    return "\n".join(lines)


def premise_cases(system: HornSystem, model: Model, rule: Rule) -> list[str]:
    """The verification condition for each disjunct of the premise that has most of them.

    None where no premise has any, or too many.
    """
    parts = {atom: _disjuncts(interpretation(model, atom.relation)) for atom in rule.body}
    atom = max(parts, key=lambda atom: len(parts[atom]), default=None)
    if atom is None or not 1 < len(parts[atom]) <= MAX_CASES:
        return []
    condition, names = verification_condition(system, model, rule), _constants(rule)
    symbols, applied = system.relations[atom.relation].symbols, _applied("case!", atom, names)
    cases = (definition("case!", symbols, part) for part in parts[atom])
    return [f"{condition}\n{case}\n(assert {applied})" for case in cases]


@dataclass(frozen=True)
class Goals:
    """Scripts, all unsatisfiable only if a rule is valid; whether z3 `expects` that they are."""

    scripts: Sequence[str] = ()
    expected: bool = False


def goals(system: HornSystem, model: Model, rule: Rule, deadline: Deadline) -> Goals:
    """The condition for each conjunct of the head, under the conjuncts of premises that it needs.

    z3 tells which these are.  Where it does not, the condition has all of them.
    """
    made = _Parts(system, model, rule)
    if not 1 < len(made.premises) + len(made.goals) <= MAX_GOALS:
        return Goals()
    each = policy().confirming.reproof_seconds_at_first
    needs = needs_of(
        "\n".join([made.beginning, *made.definitions, made.constraint]),
        made.premises,
        made.goals,
        deadline,
        seconds_each=each,
    )
    scripts = [made.script(goal, needed) for goal, needed in enumerate(needs)]
    return Goals(scripts, expected=None not in needs)


class _Parts:
    """A rule's conjuncts of premises and of the head, each as an application of its definition."""

    def __init__(self, system: HornSystem, model: Model, rule: Rule) -> None:
        names = _constants(rule)
        said: list[Term] = []
        self.definitions: list[str] = []

        def applied(atom: Atom) -> Iterator[str]:
            symbols = system.relations[atom.relation].symbols
            for part in conjuncts(interpretation(model, atom.relation)):
                name = f"part!{len(self.definitions)}"
                self.definitions.append(definition(name, symbols, part))
                said.append(part)
                yield _applied(name, atom, names)

        self.premises = [text for atom in rule.body for text in applied(atom)]
        self.goals = [*applied(rule.head)] if isinstance(rule.head, Atom) else ["false"]
        self.beginning = "\n".join(_beginning(system, rule, said, ()))
        self.constraint = f"(assert {print_term(rule.constraint, names)})"

    def script(self, goal: int, needed: Needs) -> str:
        """The goal does not hold although the premises that it needs do."""
        places = range(len(self.premises)) if needed is None else needed
        defined = [self.definitions[place] for place in places]
        defined += self.definitions[len(self.premises) :][goal : goal + 1]
        assumed = [f"(assert {self.premises[place]})" for place in places]
        refuted = f"(assert (not {self.goals[goal]}))"
        return "\n".join([self.beginning, *defined, *assumed, self.constraint, refuted])


def _beginning(
    system: HornSystem, rule: Rule, said: Sequence[Term], defined: Iterable[str]
) -> Iterator[str]:
    """Datatypes, definitions, and constants for the symbols of a rule."""
    relations = dict.fromkeys(atom.relation for atom in atoms(rule))
    symbols = [s for name in relations for s in system.relations[name].symbols]
    yield from print_datatypes([*formulas(rule), *symbols, *said])
    yield from print_keys([*formulas(rule), *symbols, *said])
    yield from print_folds(said)
    yield from defined
    for symbol, name in _constants(rule).items():
        yield f"(declare-const {name} {print_sort(symbol.symbol_type())})"


def _disjuncts(formula: Term) -> tuple[Term, ...]:
    return tuple(formula.args()) if formula.is_or() else (formula,)


def _constants(rule: Rule) -> dict[Term, str]:
    """A short name for each symbol of the rule, in a fixed order."""
    found: dict[Term, None] = {}
    for term in formulas(rule):
        found.update(dict.fromkeys(terms.by_name(terms.free_symbols(term))))
    return {symbol: f"c!{k}" for k, symbol in enumerate(found)}


def _applied(name: str, atom: Atom, names: dict[Term, str]) -> str:
    if not atom.arguments:
        return name
    return f"({name} {' '.join(print_term(a, names) for a in atom.arguments)})"
