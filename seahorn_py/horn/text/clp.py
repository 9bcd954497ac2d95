"""Horn systems over integers as constraint logic programs.

    print_clp        clauses `head :- constraints, body.`; a query derives `false`
    print_eldarica   the same as Eldarica reads it: plain names, variables as arguments
    print_armc       facts `trans(From, To, Constraint, Label)` over `s(ctrl(L), data(X, ...))`
                     (Podelski, Rybalchenko 2007: ARMC, section 2)

A rule becomes one clause for each case of its constraint.  Booleans are 0 and 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import pysmt.operators as op

from seahorn_py.base.errors import UnsupportedError
from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import Atom, HornSystem, Rule, atoms, symbols_of
from seahorn_py.horn.text.clp_cases import Case, cases
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.binding import nodes
from seahorn_py.logic.terms.terms import Term

_COMPARISONS = {
    (op.EQUALS, True): "=",
    (op.EQUALS, False): "=\\=",
    (op.LE, True): "=<",
    (op.LE, False): ">",
    (op.LT, True): "<",
    (op.LT, False): ">=",
}
_ARITHMETIC = {op.PLUS: " + ", op.MINUS: " - ", op.TIMES: "*"}


def print_clp(system: HornSystem) -> str:
    """The clauses; UnsupportedError for what is no arithmetic of integers."""
    lines = []
    for rule in system.rules:
        lines.append(f"% {_commented(rule.name)}")
        head = rule.head if isinstance(rule.head, Atom) else None
        for clause in _clauses(rule):
            shown = "false" if head is None else clause.atom(head)
            goals = [*clause.constraints, *(clause.atom(atom) for atom in rule.body)]
            lines.append(f"{shown} :- {', '.join(goals)}." if goals else f"{shown}.")
    return "\n".join([*lines, ""])


def print_eldarica(system: HornSystem) -> str:
    """The clauses; UnsupportedError for what is no arithmetic of integers."""
    taken = {"mod", "false"}
    names = {name: _unique(_plain(name), taken) for name in system.relations}
    lines = []
    for rule in map(_with_variables, system.rules):
        for clause in _clauses(rule):
            atoms_ = [
                f"{names[atom.relation]}{clause.listed(atom)}"
                for atom in (*rule.body, *([rule.head] if isinstance(rule.head, Atom) else []))
            ]
            head = atoms_.pop() if isinstance(rule.head, Atom) else "false"
            goals = [*clause.constraints, *atoms_] or ["0 = 0"]
            lines.append(f"{head} :- {', '.join(goals)}.")
    return "\n".join([*lines, ""])


def _plain(name: str) -> str:
    """A name that begins with a small letter."""
    found = re.sub(r"\W", "_", name, flags=re.ASCII)
    return found if found[:1].islower() and found.isascii() else f"p{found}"


def _with_variables(rule: Rule) -> Rule:
    """A variable for each constant among the arguments of atoms."""
    constants = {a for atom in atoms(rule) for a in atom.arguments if a.is_constant()}
    fresh = {
        constant: terms.variable(f"C!{k}", terms.sort_of(constant))
        for k, constant in enumerate(sorted(constants, key=str))
    }
    equal = [terms.iff(s, c) if c.is_bool_constant() else terms.eq(s, c) for c, s in fresh.items()]

    def atom(one: Atom) -> Atom:
        return Atom(one.relation, tuple(fresh.get(a, a) for a in one.arguments))

    return replace(
        rule,
        body=tuple(map(atom, rule.body)),
        constraint=terms.and_([rule.constraint, *equal]),
        head=atom(rule.head) if isinstance(rule.head, Atom) else rule.head,
    )


def print_armc(system: HornSystem) -> str:
    """The facts; UnsupportedError for systems with calls and what is no arithmetic of integers."""
    if not system.linear:
        raise UnsupportedError("ARMC's facts have no calls: --inline=all, if nothing is recursive")
    width = max((len(r.parameters) for r in system.relations.values()), default=0)
    lines = ["start(ctrl(start)).", "error(ctrl(error))."]
    count = 0
    for rule in system.rules:
        source = rule.body[0] if rule.body else None
        target = rule.head if isinstance(rule.head, Atom) else None
        for clause in _clauses(rule):
            before = clause.state(source, "start", width)
            after = clause.state(target, "error", width)
            rho = ", ".join(clause.constraints) or "1=1"
            lines.append(f"trans({before}, {after}, ({rho}), stmt_{count}).")
            count += 1
    return "\n".join([*lines, ""])


@dataclass(frozen=True)
class _Clause:
    """One case of a rule: its constraints as text, and the text of each argument."""

    constraints: tuple[str, ...]
    arguments: Mapping[Term, str]

    def atom(self, atom: Atom) -> str:
        """The atom."""
        return f"{_atom_name(atom.relation)}{self.listed(atom)}"

    def listed(self, atom: Atom) -> str:
        """The arguments in brackets, if there are any."""
        shown = ", ".join(self.arguments[a] for a in atom.arguments)
        return f"({shown})" if shown else ""

    def state(self, atom: Atom | None, otherwise: str, width: int) -> str:
        """The state of ARMC; what a location has no value for is arbitrary."""
        name = otherwise if atom is None else _atom_name(atom.relation)
        values = [] if atom is None else [self.arguments[a] for a in atom.arguments]
        data = ", ".join([*values, *["_"] * (width - len(values))])
        return f"s(ctrl({name}), data({data}))" if data else f"s(ctrl({name}), data)"


def _clauses(rule: Rule) -> Iterator[_Clause]:
    names = _variables(rule)
    given = list(dict.fromkeys(a for atom in atoms(rule) for a in atom.arguments))
    used = {s for a in given for s in terms.free_symbols(a)}
    # every argument is a variable: `P = term` is one more conjunct
    ports = {a: terms.variable(f"P!{k}", terms.sort_of(a)) for k, a in enumerate(given)}
    fresh = {a: p for a, p in ports.items() if not (a.is_symbol() or a.is_constant())}
    taken = set(names.values())
    names |= {p: _unique(f"P{k}", taken) for k, p in enumerate(fresh.values())}
    equal = [terms.eq(port, argument) for argument, port in fresh.items()]
    for case in cases(terms.and_([rule.constraint, *equal])):
        shown = {a: _argument(fresh.get(a, a), names) for a in given}
        kept = used | set(fresh.values())
        yield _Clause(tuple(_constraints(case, names, kept, set(taken))), shown)


def _argument(argument: Term, names: Mapping[Term, str]) -> str:
    if argument.is_symbol():
        return names[argument]
    if argument.is_bool_constant():
        return str(int(argument.is_true()))
    if argument.is_int_constant():
        return str(argument.constant_value())
    raise UnsupportedError(f"clp: a value that is no integer: {argument}")


def _constraints(
    case: Case, names: Mapping[Term, str], kept: set[Term], taken: set[str]
) -> Iterator[str]:
    """What holds in the case; Boolean symbols of the rule alone have done their part."""
    for symbol, value in case.values.items():
        if symbol in kept:
            yield f"{names[symbol]} = {int(value)}"
    texts = dict(names)
    for comparison, holds in case.literals:
        yield from _comparison(comparison, holds, texts, taken)


def _comparison(
    comparison: Term, holds: bool, texts: dict[Term, str], taken: set[str]
) -> Iterator[str]:
    sign = _COMPARISONS.get((comparison.node_type(), holds))
    if sign is None:
        raise UnsupportedError(f"clp: no comparison of integers: {str(comparison)[:80]}")
    for node in (n for side in comparison.args() for n in nodes(side)):
        if node not in texts:
            yield from _defined(node, texts, taken)
    left, right = (texts[a] for a in comparison.args())
    yield f"{left} {sign} {right}"


def _defined(node: Term, texts: dict[Term, str], taken: set[str]) -> Iterator[str]:
    """Give a term its text; constraints for the results of a division."""
    kind = node.node_type()
    if node.is_int_constant():
        texts[node] = str(node.constant_value())
    elif kind in _ARITHMETIC:
        texts[node] = f"({_ARITHMETIC[kind].join(texts[a] for a in node.args())})"
    elif node.is_function_application() and str(node.function_name()) in ("div", "mod"):
        dividend, divisor = node.args()
        if not divisor.is_int_constant() or not divisor.constant_value():
            raise UnsupportedError("clp: a division by what is no constant")
        by = divisor.constant_value()
        quotient, rest = _unique("Q", taken), _unique("R", taken)
        texts[node] = quotient if str(node.function_name()) == "div" else rest
        yield f"{texts[dividend]} = {by}*{quotient} + {rest}"
        yield f"{rest} >= 0"
        yield f"{rest} < {abs(by)}"
    else:
        raise UnsupportedError(f"clp: no arithmetic of integers: {str(node)[:80]}")


def _variables(rule: Rule) -> dict[Term, str]:
    """Names that Prolog takes for variables."""
    taken: set[str] = set()
    return {s: _unique(_capitalised(s.symbol_name()), taken) for s in symbols_of(rule)}


def _capitalised(name: str) -> str:
    plain = re.sub(r"\W", "_", name, flags=re.ASCII).strip("_") or "X"
    return plain[0].upper() + plain[1:] if plain[0].isalpha() else f"X{plain}"


def _unique(wanted: str, taken: set[str]) -> str:
    name, count = wanted, 1
    while name in taken:
        count += 1
        name = f"{wanted}_{count}"
    taken.add(name)
    return name


def _atom_name(name: str) -> str:
    quoted = name.replace("\\", "\\\\").replace("'", "\\'").replace("\n", " ")
    return f"'{quoted}'"


def _commented(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text)


__all__: Sequence[str] = ["print_armc", "print_clp", "print_eldarica"]
