"""Formulas as sets of isl: one set a Boolean term and polarity, one affine function an integer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import islpy as isl
from pysmt import operators as op

from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Sort, Term


class Beyond(Exception):
    """Not Presburger arithmetic, or too much for isl; the text says which term or limit."""


class Writer:
    """Translates terms over these symbols; the results are shared between equal terms."""

    def __init__(self, context: isl.Context, symbols: Sequence[Term]) -> None:
        self._context = context
        self._space = isl.Space.set_alloc(context, 0, len(symbols))
        self._position = {symbol: k for k, symbol in enumerate(symbols)}
        self._numbers: dict[Term, isl.PwAff] = {}
        self._sets: dict[tuple[Term, bool], isl.Set] = {}

    def set(self, formula: Term) -> isl.Set:
        """The points at which the formula holds."""
        for node, polarity in _demands(formula):
            if polarity is None:
                self._numbers[node] = self._number(node)
            else:
                self._sets[node, polarity] = self._set(node, polarity)
        return self._sets[formula, True].intersect(self._booleans())

    # ------------------------------------------------------------------------------- integers

    def _number(self, node: Term) -> isl.PwAff:
        arguments = [self._numbers[a] for a in node.args() if a in self._numbers]
        kind = node.node_type()
        if kind == op.SYMBOL:
            return self._coordinate(node)
        if kind == op.INT_CONSTANT:
            return self._constant(int(node.constant_value()))
        if kind == op.PLUS:
            return _sum(arguments)
        if kind == op.MINUS:
            return arguments[0].sub(arguments[1])
        if kind == op.TIMES:
            return self._product(node)
        if kind == op.ITE:
            return self._choice(node)
        if kind == op.FUNCTION:
            return self._division(node)
        raise Beyond(f"{_brief(node)} is not linear arithmetic")

    def _coordinate(self, symbol: Term) -> isl.PwAff:
        local = isl.LocalSpace.from_space(self._space)
        position = self._position[symbol]
        return isl.PwAff.from_aff(isl.Aff.var_on_domain(local, isl.dim_type.set, position))

    def _constant(self, value: int) -> isl.PwAff:
        local = isl.LocalSpace.from_space(self._space)
        return isl.PwAff.from_aff(isl.Aff.zero_on_domain(local)).add_constant_val(
            self._value(value)
        )

    def _product(self, node: Term) -> isl.PwAff:
        result = self._constant(1)
        for argument in node.args():
            factor = self._numbers[argument]
            if not (result.is_cst() or factor.is_cst()):
                raise Beyond(f"{_brief(node)} is not linear")
            result = result.mul(factor)
        return result

    def _choice(self, node: Term) -> isl.PwAff:
        condition, then, otherwise = node.args()
        yes = self._numbers[then].intersect_domain(self._sets[condition, True])
        no = self._numbers[otherwise].intersect_domain(self._sets[condition, False])
        return yes.union_add(no).coalesce()

    def _division(self, node: Term) -> isl.PwAff:
        name = node.function_name().symbol_name()
        if name not in ("div", "mod") or not node.arg(1).is_int_constant():
            raise Beyond(f"{_brief(node)} is not linear arithmetic")
        divisor = int(node.arg(1).constant_value())
        if not divisor:
            raise Beyond("a division by 0")
        dividend, size = self._numbers[node.arg(0)], self._value(abs(divisor))
        if name == "mod":
            return dividend.mod_val(size)
        quotient = dividend.scale_down_val(size).floor()
        return quotient if divisor > 0 else quotient.neg()

    # ------------------------------------------------------------------------------- Booleans

    def _set(self, node: Term, polarity: bool) -> isl.Set:
        kind = node.node_type()
        if kind == op.SYMBOL:
            return self._coordinate(node).eq_set(self._constant(int(polarity)))
        if kind == op.BOOL_CONSTANT:
            wanted = node.constant_value() is polarity
            make = isl.Set.universe if wanted else isl.Set.empty
            return make(self._space)
        if kind in (op.AND, op.OR):
            parts = [self._sets[a, polarity] for a in node.args()]
            return self._all(parts) if (kind == op.AND) is polarity else self._any(parts)
        if kind == op.NOT:
            return self._sets[node.arg(0), not polarity]
        if kind == op.IMPLIES:
            left, right = self._sets[node.arg(0), not polarity], self._sets[node.arg(1), polarity]
            return (left.union(right) if polarity else left.intersect(right)).coalesce()
        if kind == op.ITE:
            condition, then, otherwise = node.args()
            return self._either(condition, (then, polarity), (otherwise, polarity))
        if kind == op.IFF:
            one, other = node.args()
            return self._either(one, (other, polarity), (other, not polarity))
        if kind in (op.EQUALS, op.LE, op.LT):
            return self._comparison(node, polarity)
        raise Beyond(f"{_brief(node)} is not linear arithmetic")

    def _either(self, condition: Term, yes: tuple[Term, bool], no: tuple[Term, bool]) -> isl.Set:
        then = self._sets[condition, True].intersect(self._sets[yes])
        return then.union(self._sets[condition, False].intersect(self._sets[no])).coalesce()

    def _comparison(self, node: Term, polarity: bool) -> isl.Set:
        if terms.sort_of(node.arg(0)) is not terms.INT:
            raise Beyond(f"{_brief(node)} compares no integers")
        left, right = (self._numbers[a] for a in node.args())
        kind = node.node_type()
        if kind == op.EQUALS:
            return left.eq_set(right) if polarity else left.ne_set(right)
        if kind == op.LE:
            return left.le_set(right) if polarity else left.gt_set(right)
        return left.lt_set(right) if polarity else left.ge_set(right)

    def _all(self, parts: list[isl.Set]) -> isl.Set:
        result = isl.Set.universe(self._space)
        for part in sorted(parts, key=lambda s: s.n_basic_set()):
            result = result.intersect(part)
        return result.coalesce()

    def _any(self, parts: list[isl.Set]) -> isl.Set:
        result = isl.Set.empty(self._space)
        for part in parts:
            result = result.union(part)
        return result.coalesce()

    def _booleans(self) -> isl.Set:
        """Booleans are 0 or 1."""
        result = isl.Set.universe(self._space)
        for symbol, position in self._position.items():
            if terms.sort_of(symbol) is terms.BOOL:
                result = result.lower_bound_val(isl.dim_type.set, position, self._value(0))
                result = result.upper_bound_val(isl.dim_type.set, position, self._value(1))
        return result

    def _value(self, value: int) -> isl.Val:
        return isl.Val.read_from_str(self._context, str(value))


def _sum(parts: Sequence[isl.PwAff]) -> isl.PwAff:
    total = parts[0]
    for part in parts[1:]:
        total = total.add(part)
    return total


def _demands(formula: Term) -> Iterator[tuple[Term, bool | None]]:
    """What the formula is made of, parts first: integers, and Booleans where they are to hold, or
    not to hold.  A negation that nothing asks for is never worked out.
    """
    done: set[tuple[Term, bool | None]] = set()
    todo: list[tuple[Term, bool | None, bool]] = [(formula, True, False)]
    while todo:
        node, polarity, expanded = todo.pop()
        if (node, polarity) in done:
            continue
        if expanded:
            done.add((node, polarity))
            yield node, polarity
            continue
        todo.append((node, polarity, True))
        todo.extend((part, wanted, False) for part, wanted in _parts(node, polarity))


def _parts(node: Term, polarity: bool | None) -> Iterator[tuple[Term, bool | None]]:
    """The arguments of a node, each with the polarities that the node needs of it."""
    kind = node.node_type()
    if node.is_quantifier():
        raise Beyond(f"{_brief(node)}, a quantifier")
    for number, argument in enumerate(node.args()):
        if _sort(argument) is terms.INT:
            yield argument, None
        elif kind in (op.AND, op.OR):
            yield argument, polarity
        elif kind == op.NOT or (kind == op.IMPLIES and number == 0):
            yield argument, not polarity
        elif kind == op.IMPLIES or (kind == op.ITE and number and polarity is not None):
            yield argument, polarity
        else:
            yield argument, True
            yield argument, False


def _sort(node: Term) -> Sort:
    """INT or BOOL."""
    sort = terms.sort_of(node)
    if sort is not terms.INT and sort is not terms.BOOL:
        raise Beyond(f"a term of sort {sort} is no integer and no Boolean")
    return sort


def _brief(node: Term) -> str:
    kind = op.op_to_str(node.node_type()).lower()
    name = node.function_name().symbol_name() if node.is_function_application() else kind
    return f"a term with '{name}'"
