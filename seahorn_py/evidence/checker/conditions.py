"""What a solver is asked: models clause by clause, refutations step by step, steps of paths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .clauses import Atom, Rejected, Rule, Sexp, System, all_of, call, read, show, value
from .instances import Instances, is_quantified, with_lets, within_lets

MAX_CASES = 64


@dataclass(frozen=True)
class Condition:
    """A script, what it is about, and whether it must be satisfiable or must not.

    Each of the `splits` is a list of assertions of which one holds whatever the values.
    """

    about: str
    script: str
    satisfiable: bool = False
    splits: Sequence[Sequence[str]] = ()


def declarations(constants: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Constants by name and sort."""
    return (f"(declare-const {name} {sort})" for name, sort in constants)


def model_conditions(system: System, model: Mapping[str, str]) -> Iterator[Condition]:
    """Every clause is valid: body, constraint and the negated head cannot hold together."""
    for rule in system.rules:
        atoms = [*rule.body, *([rule.head] if rule.head else [])]
        lines = [model[name] for name in dict.fromkeys(a.relation for a in atoms)]
        lines += declarations(rule.variables)
        lines += (f"(assert {call(a.relation, a.arguments)})" for a in rule.body)
        lines += (f"(assert {part})" for part in rule.constraint)
        if rule.head is not None:
            lines.append(f"(assert (not {call(rule.head.relation, rule.head.arguments)}))")
        script = "\n".join(lines)
        yield Condition(rule.name, script, splits=list(_splits(rule, model, script)))


def _splits(rule: Rule, model: Mapping[str, str], script: str) -> Iterator[Sequence[str]]:
    """A conjunct of the head that does not hold, then a disjunct of each premise that does."""
    wrong = _parts("and", _defined(rule.head, model)) if rule.head else []
    premises = [_defined(atom, model) for atom in rule.body]
    if 1 < len(wrong) <= MAX_CASES or any(map(is_quantified, (*wrong, *premises))):
        denied: list[Sexp | None] = [*wrong] or [None]
        yield [_case(rule, script, part, premises) for part in denied]
    for premise in premises:
        parts = _parts("or", premise)
        if 1 < len(parts) <= MAX_CASES:
            yield [f"(assert {show(part)})" for part in parts]


def _case(rule: Rule, script: str, wrong: Sexp | None, premises: Sequence[Sexp]) -> str:
    found = Instances(rule, script)
    if wrong is not None:
        found.denied(wrong)
    for premise in premises:
        found.claimed(premise)
    return "\n".join(found.lines)


def _defined(atom: Atom, model: Mapping[str, str]) -> Sexp:
    """The definition of the atom's relation at its arguments."""
    definition: Any = read(model[atom.relation])[0]
    _, _, bound, _, formula = definition
    given = [read(argument)[0] for argument in atom.arguments]
    pairs = [[name, value] for (name, _), value in zip(bound, given, strict=True)]
    return ["let", pairs, formula] if pairs else formula


def _parts(connective: str, formula: Sexp) -> list[Sexp]:
    """Formulas that the connective joins."""
    around, inner = within_lets(formula)
    joined = isinstance(inner, list) and inner[0] == connective
    return [with_lets(around, part) for part in (inner[1:] if joined else [inner])]


def refutation_conditions(system: System, steps: Sequence[Any]) -> Iterator[Condition]:
    """Each step is an instance of its clause, from facts that earlier steps derive."""
    derived: list[Atom | None] = []
    for number, step in enumerate(steps):
        rule = system.rules[step["clause"]]
        if any(not 0 <= p < number for p in step["premises"]):
            raise Rejected(f"step {number + 1} rests on a later one")
        premises = [derived[p] for p in step["premises"]]
        if [a.relation for a in rule.body] != [p.relation if p else "" for p in premises]:
            raise Rejected(f"step {number + 1} has other premises than its clause")
        fact = Atom(rule.head.relation, tuple(map(value, step["arguments"]))) if rule.head else None
        derived.append(fact)
        pairs = zip((*rule.body, rule.head), (*premises, fact), strict=True)
        lines = [*declarations(rule.variables), *(f"(assert {p})" for p in rule.constraint)]
        for atom, ground in pairs:
            if atom and ground:
                equal = zip(atom.arguments, ground.arguments, strict=True)
                lines += (f"(assert (= {x} {y}))" for x, y in equal)
        yield Condition(f"step {number + 1}", "\n".join(lines), satisfiable=True)
    if not steps or derived[-1] is not None:
        raise Rejected("the last step does not derive false")


class Steps:
    """Clauses as predicates `T!n` over their variables and ports, which the arguments equal.

    A path has states `x!at!R!k` and marks `on!at!R`: the path is at the relation there.
    """

    def __init__(self, system: System, model: Mapping[str, str]) -> None:
        self.system = system
        self.numbers = {name: number for number, name in enumerate(system.relations)}
        self.definitions = [*model.values(), *map(self._definition, system.rules)]

    def _definition(self, rule: Rule) -> str:
        port = "q!"
        while any(name.startswith(port) for name, _ in rule.variables):
            port += "!"
        atoms = [a for a in (*rule.body, rule.head) if a is not None]
        sorts = [sort for atom in atoms for sort in self.system.relations[atom.relation]]
        given = [argument for atom in atoms for argument in atom.arguments]
        bound = [f"({name} {sort})" for name, sort in rule.variables]
        bound += (f"({port}{k} {sort})" for k, sort in enumerate(sorts))
        equal = (f"(= {port}{k} {argument})" for k, argument in enumerate(given))
        holds = all_of([*rule.constraint, *equal])
        return f"(define-fun T!{rule.number} ({' '.join(bound)}) Bool {holds})"

    def state(self, at: str, relation: str) -> list[str]:
        """The constants of a state."""
        sorts = self.system.relations[relation]
        return [f"x!{at}!{self.numbers[relation]}!{k}" for k in range(len(sorts))]

    def mark(self, at: str, relation: str) -> str:
        """Whether the path is at the relation there."""
        return f"on!{at}!{self.numbers[relation]}"

    def declared(self, at: str, relation: str) -> Iterator[str]:
        """A state and its mark."""
        sorts = self.system.relations[relation]
        yield from declarations(zip(self.state(at, relation), sorts, strict=True))
        yield f"(declare-const {self.mark(at, relation)} Bool)"

    def applied(self, rule: Rule, at: str, ports: Sequence[str], lines: list[str]) -> str:
        """The clause with variables of its own."""
        own = [f"l!{at}!{rule.number}!{k}" for k in range(len(rule.variables))]
        sorts = (sort for _, sort in rule.variables)
        lines.extend(declarations(zip(own, sorts, strict=True)))
        return call(f"T!{rule.number}", [*own, *ports])
