"""Random finite Horn systems over small bit-vectors, and what they derive, by enumeration.

The shape is that of encodings: steps between relations, conditions and cases that define symbols,
inputs, and a function that is called, with contexts and summaries.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import TypeVar

from horn_examples import query

from seahorn_py.horn.system import Atom, HornSystem, Parameter, Query, Relation, Rule
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.evaluate import compile_term
from seahorn_py.logic.terms.terms import Sort, Term, bv_sort

WIDTH = 2
WORD = bv_sort(WIDTH)
T = TypeVar("T")
Fact = tuple[str, tuple[int, ...]]


def word(name: str) -> Term:
    return terms.symbol(f"{name}.w{WIDTH}", WORD)


def bit(name: str) -> Term:
    return terms.symbol(f"{name}.b", terms.BOOL)


A, B = word("a"), word("b")  # the parameters of every relation
X, Y, N, R = word("x"), word("y"), word("n"), word("r")
P, Q = bit("p"), bit("q")


class Generator:
    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def system(self) -> HornSystem:
        names = [f"m.{k}" for k in range(self._random.randint(1, 4))]
        rules: list[Rule] = [self._fact(names[0])]
        if self._random.random() < 0.2:
            rules.append(self._fact(self._pick(names)))
        for name in names:
            rules.extend(self._steps(name, names, (A, B)))
        function = self._random.random() < 0.5
        if function:
            rules.extend(self._function())
            rules.extend(self._call("m.call", self._pick(names), names, (A, B)))
            names.append("m.call")
        rules.append(self._query(self._pick(names)))
        relations = {name: _relation(name, 2) for name in names}
        if function:
            widths = {"f.entry": 1, "f.1": 2, "f.call": 2, "f.exit": 2}
            relations |= {name: _relation(name, width) for name, width in widths.items()}
        numbered = (
            Rule(f"{k}: {r.name}", r.body, r.constraint, r.head) for k, r in enumerate(rules)
        )
        return HornSystem(relations, tuple(numbered))

    # --------------------------------------------------------------------------------------- rules

    def _fact(self, name: str) -> Rule:
        arguments = tuple(self._pick([X, self._number(), Y]) for _ in range(2))
        return Rule("fact", (), self._maybe(self._condition([X, Y])), Atom(name, arguments))

    def _steps(self, name: str, names: list[str], body: tuple[Term, ...]) -> Iterator[Rule]:
        exclusive = self._random.random() < 0.6
        condition = self._condition([A, B, X])
        for number in range(self._random.randint(1, 2)):
            guard = terms.not_(condition) if number and exclusive else condition
            guard = guard if exclusive else self._maybe(self._condition([A, B, X]))
            defined, value = self._defined()
            head = Atom(self._pick(names), (value, self._expression([A, B, X, Y])))
            constraint = terms.and_([*defined, guard])
            yield Rule(f"{name} on", (Atom(name, body),), constraint, head)

    def _function(self) -> Iterator[Rule]:
        """`f(a)`: a loop at `f.1` that may call `f` again; `a` never changes."""
        inside = Atom("f.1", (A, B))
        yield Rule("begin", (Atom("f.entry", (A,)),), terms.TRUE, Atom("f.1", (A, A)))
        leaves = self._condition([A, B])
        defined, value = self._defined()
        yield Rule("leave", (inside,), terms.and_([*defined, leaves]), Atom("f.exit", (A, value)))
        stays = terms.not_(leaves)
        if self._random.random() < 0.5:
            again = self._expression([A, B])
            yield Rule("loop", (inside,), stays, Atom("f.1", (A, again)))
        else:
            yield Rule("to the call", (inside,), stays, Atom("f.call", (A, B)))
            argument = self._expression([A, B])
            caller = Atom("f.call", (A, B))
            yield Rule("context", (caller,), terms.TRUE, Atom("f.entry", (argument,)))
            back = self._pick(["f.1", "f.exit"])
            result = self._expression([A, B, R])
            summary = Atom("f.exit", (argument, R))
            yield Rule("join", (caller, summary), terms.TRUE, Atom(back, (A, result)))

    def _call(
        self, place: str, source: str, names: list[str], body: tuple[Term, ...]
    ) -> Iterator[Rule]:
        """From `source` to the call, and on with its result."""
        entering = self._condition([A, B, X])
        yield Rule("enter", (Atom(source, body),), entering, Atom(place, body))
        argument = self._expression([A, B])
        guard = self._maybe(self._condition([A, B]))
        caller, summary = Atom(place, body), Atom("f.exit", (argument, R))
        yield Rule("context", (caller,), guard, Atom("f.entry", (argument,)))
        after = Atom(self._pick(names), (R, self._expression([A, B, R])))
        yield Rule("join", (caller, summary), guard, after)

    def _query(self, name: str) -> Rule:
        condition = terms.and_([self._condition([A, B]), self._condition([A, B, X])])
        return Rule("query", (Atom(name, (A, B)),), condition, query())

    # --------------------------------------------------------------------------------------- terms

    def _defined(self) -> tuple[list[Term], Term]:
        """Conjuncts that say what `n` is, as an encoding's phis do, and `n`; or a plain value."""
        kind = self._random.random()
        if kind < 0.4:
            return [], self._expression([A, B, X])
        if kind < 0.6:
            return [terms.eq(N, self._expression([A, B, X]))], N
        left, right = self._expression([A, B, X]), self._expression([A, B, Y])
        cases = [terms.implies(P, terms.eq(N, left)), terms.implies(Q, terms.eq(N, right))]
        first = terms.iff(P, self._condition([A, B, X]))
        other = terms.not_(P) if kind < 0.9 else self._condition([A, B, Y])
        return [first, terms.iff(Q, other), *cases, self._maybe(terms.or_([P, Q]))], N

    def _maybe(self, condition: Term) -> Term:
        return condition if self._random.random() < 0.5 else terms.TRUE

    def _condition(self, symbols: list[Term]) -> Term:
        left, right = self._expression(symbols), self._expression(symbols)
        if self._random.random() < 0.4:
            return terms.eq(left, right)
        return terms.bv(self._pick(["bvult", "bvule", "bvslt"]), left, right)

    def _expression(self, symbols: list[Term]) -> Term:
        kind = self._random.random()
        if kind < 0.3:
            return self._pick(symbols)
        if kind < 0.5:
            return self._number()
        operator = self._pick(["bvadd", "bvsub", "bvxor", "bvand", "bvmul"])
        return terms.bv(operator, self._pick(symbols), self._pick([*symbols, self._number()]))

    def _number(self) -> Term:
        return terms.bv_const(self._random.randrange(1 << WIDTH), WIDTH)

    def _pick(self, choices: list[T]) -> T:
        return self._random.choice(choices)


def _relation(name: str, width: int) -> Relation:
    symbols = [terms.symbol(f"{name}#{k}.w{WIDTH}", WORD) for k in range(width)]
    return Relation(name, tuple(Parameter(s) for s in symbols))


def reached(system: HornSystem) -> bool:
    """Whether a query is derived, by enumerating all facts."""
    facts: set[Fact] = set()
    tables = [list(_instances(rule)) for rule in system.rules]
    changed = True
    while changed:
        changed = False
        for table in tables:
            for body, head in table:
                if head not in facts and facts.issuperset(body):
                    if not head[0]:
                        return True
                    facts.add(head)
                    changed = True
    return False


def _instances(rule: Rule) -> Iterator[tuple[tuple[Fact, ...], Fact]]:
    atoms = [*rule.body, *([] if isinstance(rule.head, Query) else [rule.head])]
    parts = [rule.constraint, *(argument for atom in atoms for argument in atom.arguments)]
    symbols = sorted({s for p in parts for s in terms.free_symbols(p)}, key=str)
    condition = compile_term(rule.constraint, symbols)
    arguments = [[compile_term(a, symbols) for a in atom.arguments] for atom in atoms]
    seen = set()
    for values in itertools.product(*(_domain(terms.sort_of(s)) for s in symbols)):
        if condition(values):
            facts = [
                (atom.relation, tuple(int(f(values)) for f in row))
                for atom, row in zip(atoms, arguments, strict=True)
            ]
            head = facts.pop() if isinstance(rule.head, Atom) else ("", ())
            if (tuple(facts), head) not in seen:
                seen.add((tuple(facts), head))
                yield tuple(facts), head


def _domain(sort: Sort) -> tuple[object, ...]:
    return (False, True) if sort.is_bool_type() else tuple(range(1 << WIDTH))
