"""Formulas of z3's Python interface as SMT-LIB text, and the way back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import z3

from seahorn_py.base.errors import InputError
from seahorn_py.base.patterns import pattern
from seahorn_py.logic.solvers.solver_child import message
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.foreign import Signature, Written, check_names
from seahorn_py.logic.text.smtlib import print_sort, print_term

_OF_LET = pattern(r"a!\d+")
"""How z3's printer names the parts of a formula, whatever the names of constants are."""

Definition = tuple[tuple[z3.ExprRef, ...], z3.ExprRef]
"""Constants for the parameters of a relation, and a formula over them."""


def written(term: object) -> Written:
    """A term of z3; InputError if it is none, or two things in it have one name."""
    if not isinstance(term, z3.ExprRef):
        raise InputError(f"{type(term).__name__}: expected a formula of z3 or pySMT")
    functions = _functions(term)
    check_names(functions)
    text = term.sexpr()
    for name in functions:
        if "(let (" in text and _OF_LET.fullmatch(name):
            raise InputError(f"{name}: z3 names parts of the formula so; rename the constant")
    return Written(text, sort_text(term.sort()), functions)


def sort_text(sort: z3.SortRef) -> str:
    """A sort as SMT-LIB text."""
    return sort.sexpr()


def _functions(term: z3.ExprRef) -> dict[str, Signature]:
    found: dict[str, Signature] = {}
    seen: set[int] = set()
    todo = [term]
    while todo:
        node = todo.pop()
        if node.get_id() in seen:
            continue
        seen.add(node.get_id())
        if z3.is_quantifier(node):
            todo.append(node.body())
            _tell_apart(node)
        elif z3.is_app(node):
            todo.extend(node.children())
            if node.decl().kind() == z3.Z3_OP_UNINTERPRETED:
                _add(found, node.decl())
    return found


def _tell_apart(quantified: z3.ExprRef) -> None:
    """InputError if the text would take a free constant for a variable of the quantifier."""
    names = {quantified.var_name(k) for k in range(quantified.num_vars())}
    check_names(names)
    inside = _functions(quantified.body()).keys()
    for name in names & inside:
        raise InputError(f"{name} is a constant and a variable that is bound around it")
    for name in inside:
        if name.rpartition("!")[0] in names:
            raise InputError(f"{name}: z3 may name a variable in the formula so; rename it")


def _add(found: dict[str, Signature], function: z3.FuncDeclRef) -> None:
    name = str(function.name())
    sorts = tuple(sort_text(function.domain(k)) for k in range(function.arity()))
    signature = sorts, sort_text(function.range())
    if found.setdefault(name, signature) != signature:
        raise InputError(f"two functions or constants are called {name}")


def definitions(
    formulas: Mapping[str, tuple[Sequence[Term], Term]],
) -> Mapping[str, Definition]:
    """Formulas over symbols, in z3's main context; the constants have the names of the symbols."""
    return {name: _definition(symbols, term) for name, (symbols, term) in formulas.items()}


def _definition(symbols: Sequence[Term], formula: Term) -> Definition:
    names = {symbol: f"p!{k}" for k, symbol in enumerate(symbols)}
    declared = [f"(declare-const {n} {print_sort(s.symbol_type())})" for s, n in names.items()]
    equal = [f"(assert (= {n} {n}))" for n in names.values()]
    text = [*declared, *equal, f"(assert {print_term(formula, names)})"]
    try:
        read = list(z3.parse_smt2_string("\n".join(text)))
    except z3.Z3Exception as error:
        raise InputError(f"z3 does not read the formula: {message(error)}") from None
    plain = tuple(one.arg(0) for one in read[: len(names)])
    kept = tuple(
        z3.Const(symbol.symbol_name(), one.sort())
        for symbol, one in zip(symbols, plain, strict=True)
    )
    whole = read[len(names) :]  # nothing for `true`
    body = whole[0] if len(whole) == 1 else z3.And(z3.BoolVal(True), *whole)
    return kept, z3.substitute(body, *zip(plain, kept, strict=True))
