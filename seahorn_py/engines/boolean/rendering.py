"""Boolean rules -> a program text in the syntax of Bebop, as `--show-boolean-program` shows it.

Where the system has the shape of a program (`shape`) each function becomes a procedure: its
parameters are the predicates of its contexts, what it returns those of its summaries.  A relation
is a label with a variable for each of its predicates, named after it; a rule with one premise is an
assumption, a parallel assignment and a jump; a rule that derives a context is a call, after which
the rules go on that have the summary as a further premise.

Any other system becomes one procedure without parameters for the queries, and one for each relation
that is a further premise somewhere: it returns the valuation of some fact of that relation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from seahorn_py.engines.boolean.expressions import (
    FALSE,
    TRUE,
    And,
    Bit,
    Choose,
    Expression,
    Iff,
    Name,
    Not,
    Or,
)
from seahorn_py.engines.boolean.programs import (
    INIT,
    Action,
    Assert,
    Assign,
    Assume,
    BooleanProgram,
    Call,
    Goto,
    Procedure,
    Return,
    Skip,
    Statement,
)
from seahorn_py.engines.boolean.rules import BooleanRule, BooleanRules
from seahorn_py.engines.boolean.shape import ENTRY, EXIT, Shape
from seahorn_py.engines.refinement.precision import Precision
from seahorn_py.horn.system import HornSystem, Rule
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.infix import print_infix

Path = tuple[int, ...]
"""Premises by number of their locations: what is known at a point between two calls."""


def rendered(system: HornSystem, precision: Precision, rules: BooleanRules) -> BooleanProgram:
    """The program text of an abstraction by these predicates."""
    shape = Shape(system)
    renderer = _Renderer(system, precision, rules, shape.regular)
    if shape.regular:
        procedures = [
            renderer.start(shape),
            *(renderer.function(f, shape) for f in shape.functions),
        ]
        return BooleanProgram((), tuple(procedures), INIT)
    return BooleanProgram((), tuple(renderer.derivations()), INIT)


class _Renderer:
    def __init__(
        self, system: HornSystem, precision: Precision, rules: BooleanRules, shaped: bool
    ) -> None:
        self._shaped = shaped
        self._rules = rules
        self._names = [location.name for location in rules.locations]
        self._numbers = {name: k for k, name in enumerate(self._names)}
        self._variables = [
            _named([print_infix(p, _shown(system, name)) for p in precision.of(name)])
            for name in self._names
        ]
        self._by_premises: dict[Path, list[tuple[Rule, BooleanRule]]] = {}
        for rule, boolean in zip(system.rules, rules.rules, strict=True):
            self._by_premises.setdefault(boolean.body, []).append((rule, boolean))
        self._labels = 0

    # ------------------------------------------------------------------------------ shaped systems

    def start(self, shape: Shape) -> Procedure:
        """Calls of the functions that facts give contexts to."""
        facts = self._by_premises.get((), [])
        body: list[Statement] = []
        labels = [self._label() for _ in facts]
        body.append(_plain(Goto(tuple(labels)) if labels else Assume(FALSE)))
        for label, (rule, boolean) in zip(labels, facts, strict=True):
            function = shape.function(self._names[_head(boolean)])
            body += self._guarded(label, rule, boolean)
            body += [_plain(Call((), _identifier(function), boolean.updates)), _plain(Return(()))]
        return Procedure(INIT, (), 0, (), tuple(body), TRUE)

    def function(self, function: str, shape: Shape) -> Procedure:
        """A procedure for a function."""
        entry, exit_ = self._numbers[function + ENTRY], self._numbers.get(function + EXIT)
        locations = [k for k, n in enumerate(self._names) if shape.function(n) == function]
        locations.sort(key=lambda location: location != entry)
        body = [s for location in locations for s in self._location(location, exit_)]
        parameters = self._variables[entry]
        locals_ = {v for s in body for v in _assigned(s.action)} | {
            v for location in locations for v in self._variables[location]
        }
        results = len(self._variables[exit_]) if exit_ is not None else 0
        ordered = tuple(sorted(locals_ - set(parameters)))
        name = _identifier(function)
        return Procedure(name, tuple(parameters), results, ordered, tuple(body), TRUE)

    # ------------------------------------------------------------------------------ other systems

    def derivations(self) -> Iterator[Procedure]:
        """A procedure for the queries, and one for each relation that is a further premise."""
        further = sorted({location for rule in self._rules.rules for location in rule.body[1:]})
        yield self._derivation(INIT, None)
        for location in further:
            yield self._derivation(self._some(location), location)

    def _derivation(self, name: str, wanted: int | None) -> Procedure:
        facts = self._by_premises.get((), [])
        labels = [self._label() for _ in facts]
        body = [_plain(Goto(tuple(labels)) if labels else Assume(FALSE))]
        for label, (rule, boolean) in zip(labels, facts, strict=True):
            body += self._taken(label, rule, boolean, ())
        for location in range(len(self._names)):
            body += self._location(location, wanted)
        results = len(self._variables[wanted]) if wanted is not None else 0
        used = {v for s in body for v in _assigned(s.action)}
        used |= {v for own in self._variables for v in own}
        return Procedure(name, (), results, tuple(sorted(used)), tuple(body), TRUE)

    # ----------------------------------------------------------------------------------- locations

    def _location(self, location: int, wanted: int | None) -> list[Statement]:
        """A label, and what can be done there."""
        enforce = self._expression(self._rules.locations[location].enforce, (location,))
        head: Action = Assume(enforce) if enforce != TRUE else Skip()
        start = Statement(head, (_identifier(self._names[location]),))
        if location != wanted:
            return [start, *self._after((location,))]
        back = Return(tuple(Name(v) for v in self._variables[location]))
        if not self._continued((location,)):
            return [start, _plain(back)]
        here, on = self._label(), self._label()
        choice = [_plain(Goto((here, on))), Statement(back, (here,)), Statement(Skip(), (on,))]
        return [start, *choice, *self._after((location,))]

    def _continued(self, path: Path) -> bool:
        return any(p[: len(path)] == path for p in self._by_premises)

    def _after(self, path: Path) -> list[Statement]:
        """What follows where these premises are known: rules, and calls that add a premise."""
        options = [
            self._taken(self._label(), rule, boolean, path)
            for rule, boolean in self._by_premises.get(path, [])
        ]
        if not self._shaped:
            options += [self._lookup(path, location) for location in self._further(path)]
        if not options:
            return [_plain(Assume(FALSE))]
        labels = tuple(option[0].labels[0] for option in options)
        return [_plain(Goto(labels)), *(s for option in options for s in option)]

    def _taken(self, label: str, rule: Rule, boolean: BooleanRule, path: Path) -> list[Statement]:
        """One rule: an error, a call, or a jump."""
        found = self._guarded(label, rule, boolean, path)
        if boolean.head is None:
            return [*found, _plain(Assert(FALSE)), _plain(Assume(FALSE))]
        values = tuple(self._expression(u, path) for u in boolean.updates)
        name = self._names[boolean.head]
        if self._shaped and name.endswith(ENTRY):
            return [*found, *self._call(name.removesuffix(ENTRY), values, path)]
        targets = self._variables[boolean.head]
        changed = [(t, v) for t, v in zip(targets, values, strict=True) if v != Name(t)]
        if changed:
            names, new = zip(*changed, strict=True)
            found.append(_plain(Assign(names, new)))
        return [*found, _plain(Goto((_identifier(name),)))]

    def _call(self, function: str, values: tuple[Expression, ...], path: Path) -> list[Statement]:
        """A call, and what follows with the summary as a further premise."""
        exit_ = self._numbers.get(function + EXIT)
        results = self._results(exit_, len(path)) if exit_ is not None else ()
        call = _plain(Call(results, _identifier(function), values))
        if exit_ is None or not self._continued((*path, exit_)):
            return [call, _plain(Assume(FALSE))]
        return [call, *self._after((*path, exit_))]

    def _further(self, path: Path) -> list[int]:
        """The locations of which a fact may be the next premise."""
        count = len(path)
        longer = {p[count] for p in self._by_premises if len(p) > count and p[:count] == path}
        return sorted(longer)

    def _lookup(self, path: Path, location: int) -> list[Statement]:
        """Some fact of a relation as a further premise."""
        results = self._results(location, len(path))
        call = Statement(Call(results, self._some(location), ()), (self._label(),))
        return [call, *self._after((*path, location))]

    def _some(self, location: int) -> str:
        """The procedure that returns some fact of a relation."""
        return f"some.{_identifier(self._names[location])}"

    def _results(self, location: int, premise: int) -> tuple[str, ...]:
        """The variables that hold a summary."""
        ticks = "'" * premise
        name = self._names[location].removesuffix(EXIT)
        return tuple(f"{{{name}{ticks}: {v.strip('{}')}}}" for v in self._variables[location])

    def _guarded(
        self, label: str, rule: Rule, boolean: BooleanRule, path: Path = ()
    ) -> list[Statement]:
        guard = self._expression(boolean.guard, path)
        action: Action = Assume(guard) if guard != TRUE else Skip()
        return [Statement(action, (label,), remark=_remark(rule))]

    def _expression(self, expression: Expression, path: Sequence[int]) -> Expression:
        """Bits by the names of their variables."""
        match expression:
            case Bit(0, index):
                return Name(self._variables[path[0]][index])
            case Bit(premise, index):
                return Name(self._results(path[premise], premise)[index])
            case Not(argument):
                return Not(self._expression(argument, path))
            case And(parts):
                return And(tuple(self._expression(p, path) for p in parts))
            case Or(parts):
                return Or(tuple(self._expression(p, path) for p in parts))
            case Iff(one, other):
                return Iff(self._expression(one, path), self._expression(other, path))
            case Choose(one, other):
                return Choose(self._expression(one, path), self._expression(other, path))
            case _:
                return expression

    def _label(self) -> str:
        self._labels += 1
        return f"rule.{self._labels}"


def _plain(action: Action) -> Statement:
    return Statement(action)


def _head(rule: BooleanRule) -> int:
    assert rule.head is not None
    return rule.head


def _assigned(action: Action) -> tuple[str, ...]:
    return action.names if isinstance(action, Assign | Call) else ()


def _shown(system: HornSystem, relation: str) -> Mapping[Term, str]:
    """Parameters by the names that they have in the program, where they have one."""
    return {p.symbol: p.c_name for p in system.relations[relation].parameters if p.c_name}


def _named(texts: Sequence[str]) -> list[str]:
    """Variables named after predicates, each differently."""
    found: list[str] = []
    for text in texts:
        base = re.sub(r"[{}\n]", "_", text)
        name = next(n for n in _numbered(base) if n not in found)
        found.append(name)
    return found


def _numbered(base: str) -> Iterator[str]:
    yield f"{{{base}}}"
    number = 2
    while True:
        yield f"{{{base} #{number}}}"
        number += 1


def _identifier(name: str) -> str:
    """A name that texts can have."""
    found = re.sub(r"[^A-Za-z0-9_.]", "_", name)
    return found if re.match(r"[A-Za-z_]", found) else f"_{found}"


def _remark(rule: Rule) -> str:
    place = str(rule.origin)
    return rule.name if place == "?" else place
