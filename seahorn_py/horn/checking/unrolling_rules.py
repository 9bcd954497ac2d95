"""A rule over placeholders, instantiated with cvc5's terms; used by `unrolling_child` only.

A conjunct `s = t` of a rule in which `s` occurs nowhere before is a definition of `s`, in force
even where the rule is not used: `s` can always be chosen so.  Likewise `g1 -> s = t1`, `g2 -> s =
t2`, which define `s` as one of the cases or something new.  So cvc5's rewriter folds constants
through loops.  What does not fold gets a name, and terms stay small.

The rules that leave one instance share their free symbols: a derivation takes one of them, so no
two values are asked of a symbol.  Equal terms have one name, so what these rules have in common is
in the script once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

import cvc5
from cvc5 import Kind

from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import Atom, Rule
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.connectives import conjuncts
from seahorn_py.logic.terms.terms import Sort, Term
from seahorn_py.logic.text.smtlib import print_sort, print_term

# ----------------------------------------------------------------------------------------- values


@dataclass(frozen=True, slots=True)
class Value:
    """A term; `ground` when it has no free symbols."""

    term: cvc5.Term
    ground: bool


class Formula:
    """cvc5's terms, and the assertions collected so far."""

    def __init__(self) -> None:
        self.manager = cvc5.TermManager()
        self.lines: list[str] = []
        self._solver = cvc5.Solver(self.manager)
        self._solver.setOption("arrays-exp", "true")
        self._solver.setLogic("ALL")
        self._symbols = cvc5.SymbolManager(self.manager)
        self._parser = cvc5.InputParser(self._solver, self._symbols)
        self._count = 0
        self._names: dict[cvc5.Term, Value] = {}
        self._placeholders: dict[Term, tuple[str, cvc5.Term]] = {}
        self._parsed: dict[Term, cvc5.Term] = {}
        self._replaced: dict[tuple[cvc5.Term, tuple[cvc5.Term, ...]], cvc5.Term] = {}
        self.true = Value(self.manager.mkTrue(), True)

    def constant(self, sort: Sort) -> cvc5.Term:
        """A new free symbol, declared in the script."""
        self._count += 1
        name = f"u{self._count}"
        self.lines.append(f"(declare-const {name} {print_sort(sort)})")
        return self._declared(name, sort)

    def placeholder(self, symbol: Term) -> tuple[str, cvc5.Term]:
        """What stands for a symbol of rules, and its name; it is always replaced."""
        found = self._placeholders.get(symbol)
        if found is None:
            name, sort = f"p{len(self._placeholders)}", terms.sort_of(symbol)
            found = self._placeholders[symbol] = name, self._declared(name, sort)
        return found

    def _declared(self, name: str, sort: Sort) -> cvc5.Term:
        self._read(f"(declare-const {name} {print_sort(sort)})")
        self._parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, name, "name")
        return self._parser.nextTerm()

    def _read(self, text: str) -> None:
        self._parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "text")
        self._parser.nextCommand().invoke(self._solver, self._symbols)

    def parse(self, term: Term, symbols: Iterable[Term]) -> cvc5.Term:
        """A term of ours over placeholders of its symbols."""
        found = self._parsed.get(term)
        if found is None:
            text = print_term(term, {s: self.placeholder(s)[0] for s in symbols})
            self._parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "term")
            found = self._parsed[term] = self._parser.nextTerm()
        return found

    def replaced(
        self, term: cvc5.Term, needed: Iterable[Term], values: Mapping[Term, Value]
    ) -> cvc5.Term:
        """The term with values for the placeholders of the symbols that it needs."""
        olds = [self.placeholder(s)[1] for s in needed]
        news = tuple(values[s].term for s in needed)
        found = self._replaced.get((term, news))
        if found is None:
            found = self._replaced[term, news] = self.simplified(term.substitute(olds, [*news]))
        return found

    def simplified(self, term: cvc5.Term) -> cvc5.Term:
        """The term as cvc5's rewriter leaves it."""
        return self._solver.simplify(term)

    def named(self, term: cvc5.Term, sort: Sort, ground: bool) -> Value:
        """A value with this term; one that is neither constant nor small gets a name."""
        if ground or term.getNumChildren() == 0:
            return Value(term, ground)
        found = self._names.get(term)
        if found is None:
            found = self._names[term] = Value(self.constant(sort), False)
            self.lines.append(f"(assert (= {found.term} {term}))")
        return found

    def joined(self, kind: Kind, parts: Sequence[Value]) -> Value:
        """Conjunction or disjunction."""
        if len(parts) == 1:
            return parts[0]
        term = self.simplified(self.manager.mkTerm(kind, *(p.term for p in parts)))
        return self.named(term, terms.BOOL, _is_value(term))

    def selected(self, guard: Value) -> Value:
        """A free Boolean that implies the guard."""
        choice = self.constant(terms.BOOL)
        if not guard.term.isBooleanValue():
            self.lines.append(f"(assert (=> {choice} {guard.term}))")
        return Value(choice, False)

    def choice(self, selectors: Sequence[Value], cases: Sequence[Value], sort: Sort) -> Value:
        """The case of the first selector that holds, the last one where none does."""
        result = cases[-1]
        for selector, case in zip(reversed(selectors[:-1]), reversed(cases[:-1]), strict=True):
            if case.term != result.term:
                term = self.manager.mkTerm(Kind.ITE, selector.term, case.term, result.term)
                result = self.named(term, sort, False)
        return result


# ------------------------------------------------------------------------------------------ rules


@dataclass
class Plan:
    """A rule over placeholders: definitions in order, then condition and head arguments."""

    rule: Rule
    formula: Formula
    body: list[list[Term]] = field(default_factory=list)
    free: list[Term] = field(default_factory=list)
    definitions: list[tuple[Term, cvc5.Term, tuple[Term, ...]]] = field(default_factory=list)
    condition: cvc5.Term = field(init=False)
    needed: tuple[Term, ...] = ()
    head: list[tuple[cvc5.Term, tuple[Term, ...], Sort]] = field(default_factory=list)

    def __post_init__(self) -> None:
        conditions: list[Term] = []
        seen: set[Term] = set()
        for atom in self.rule.body:
            self.body.append([self._bound(a, seen, conditions) for a in atom.arguments])
        self._define(list(conjuncts(self.rule.constraint)), seen, conditions)
        condition = terms.and_(conditions)
        arguments = self.rule.head.arguments if isinstance(self.rule.head, Atom) else ()
        for term in (condition, *arguments):
            self._leave_free(terms.free_symbols(term) - seen, seen)
        self.condition, self.needed = self._parsed(condition)
        self.head = [(*self._parsed(a), terms.sort_of(a)) for a in arguments]

    def _bound(self, argument: Term, seen: set[Term], conditions: list[Term]) -> Term:
        if argument.is_symbol() and argument not in seen:
            seen.add(argument)
            return argument
        sort = terms.sort_of(argument)
        stand_in = terms.symbol(f"argument!{len(seen)}.{sort}", sort)
        conditions.append(terms.eq(argument, stand_in))
        seen.add(stand_in)
        return stand_in

    def _define(self, conjuncts: Sequence[Term], seen: set[Term], conditions: list[Term]) -> None:
        cases = _cases(conjuncts)
        for conjunct in conjuncts:
            symbol, value = _equation(conjunct)
            if symbol is not None and symbol not in seen | terms.free_symbols(value):
                self._definition(symbol, value, seen)
                continue
            conditions.append(conjunct)
            symbol, _, _ = _case(conjunct)
            if symbol is not None and symbol not in seen:
                otherwise = terms.symbol(f"otherwise!{_name(symbol)}", terms.sort_of(symbol))
                value = otherwise
                for guard, case in reversed(cases[symbol]):
                    value = terms.ite(guard, case, value)
                if symbol not in terms.free_symbols(value):
                    self._definition(symbol, value, seen)

    def _definition(self, symbol: Term, value: Term, seen: set[Term]) -> None:
        self._leave_free(terms.free_symbols(value) - seen, seen)
        seen.add(symbol)
        self.definitions.append((symbol, *self._parsed(value)))

    def _leave_free(self, symbols: set[Term] | frozenset[Term], seen: set[Term]) -> None:
        self.free.extend(sorted(symbols, key=_name))
        seen |= symbols

    def _parsed(self, term: Term) -> tuple[cvc5.Term, tuple[Term, ...]]:
        symbols = tuple(terms.by_name(terms.free_symbols(term)))
        return self.formula.parse(term, symbols), symbols

    def instance(
        self, states: Sequence[Sequence[Value]], free: dict[Term, Value]
    ) -> tuple[Value, list[Value]] | None:
        """Condition and head arguments for these premises; None when the condition is false.

        `free` has the free symbols of the rules that leave one instance.
        """
        formula = self.formula
        values: dict[Term, Value] = {}
        for symbols, state in zip(self.body, states, strict=True):
            values.update(zip(symbols, state, strict=True))
        for symbol in self.free:
            if symbol not in free:
                free[symbol] = Value(formula.constant(terms.sort_of(symbol)), False)
            values[symbol] = free[symbol]
        for symbol, term, needed in self.definitions:
            values[symbol] = self._value(term, needed, terms.sort_of(symbol), values)
        condition = self._value(self.condition, self.needed, terms.BOOL, values)
        if condition.term.isBooleanValue() and not condition.term.getBooleanValue():
            return None
        return condition, [self._value(t, needed, sort, values) for t, needed, sort in self.head]

    def _value(
        self, term: cvc5.Term, needed: tuple[Term, ...], sort: Sort, values: Mapping[Term, Value]
    ) -> Value:
        if not needed:
            return Value(self.formula.simplified(term), True)
        replaced = self.formula.replaced(term, needed, values)
        ground = all(values[s].ground for s in needed) or _is_value(replaced)
        return self.formula.named(replaced, sort, ground)


def _is_value(term: cvc5.Term) -> bool:
    """A constant of a sort that has no operators to hide behind."""
    return bool(term.isBooleanValue() or term.isBitVectorValue() or term.isIntegerValue())


def _equation(formula: Term) -> tuple[Term | None, Term]:
    """Symbol and value of `s = t`, `s`, `not s`."""
    if formula.is_symbol():
        return formula, terms.TRUE
    if formula.is_not() and formula.arg(0).is_symbol():
        return formula.arg(0), terms.FALSE
    if (formula.is_equals() or formula.is_iff()) and formula.arg(0).is_symbol():
        return formula.arg(0), formula.arg(1)
    return None, formula


def _case(formula: Term) -> tuple[Term | None, Term, Term]:
    """Symbol, guard and value of `g -> s = t`."""
    if formula.is_implies():
        symbol, value = _equation(formula.arg(1))
        return symbol, formula.arg(0), value
    return None, formula, formula


def _cases(conjuncts: Sequence[Term]) -> dict[Term, list[tuple[Term, Term]]]:
    found: dict[Term, list[tuple[Term, Term]]] = {}
    for conjunct in conjuncts:
        symbol, guard, value = _case(conjunct)
        if symbol is not None:
            found.setdefault(symbol, []).append((guard, value))
    return found


def _name(symbol: Term) -> str:
    name: str = symbol.symbol_name()
    return name
