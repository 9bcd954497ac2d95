"""The encodings of a generated program, rule by rule, against runs of it.

A run of the program in encoding form passes cut points.  From one to the next, an encoding must
allow what the run did and nothing else: with the state before, the inputs and the summary of a call
fixed, the rule to where the run went is satisfiable with the state there, and unsatisfiable with
any other; rules to other places are unsatisfiable.  So every step of loops and calls is compared
with small questions, and the output of a function with its summary.

Where an encoding approximates (its ledger says so), other states are possible too.  Where wrapping
is an obligation, the obligation may be violated instead.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import chain

import z3
from differential import Mismatch, Observed
from steps import Elements, Held, State, Step, steps_of

from seahorn_py.encode.encoder import encode
from seahorn_py.encode.encoding import Arithmetic, EncodeOptions, Encoding
from seahorn_py.encode.signedness import signedness
from seahorn_py.horn.ledger import Approximation
from seahorn_py.horn.system import Atom, Check, Obligation, Query, Rule
from seahorn_py.ir.algebra import signed
from seahorn_py.ir.interpreter import Interpreter
from seahorn_py.ir.memory import bytes_of
from seahorn_py.ir.program import Input, Program, RegionHavoc
from seahorn_py.ir.types import IntType, RegionType
from seahorn_py.logic.solvers.solvers import script_of
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.connectives import conjuncts
from seahorn_py.logic.terms.terms import Sort, Term
from seahorn_py.passes.ranges.ranges import value_ranges

_SOLVING = z3.Then("simplify", "solve-eqs", "smt")
OPTIONS = {
    "bv": EncodeOptions(Arithmetic.BV),
    "cases": EncodeOptions(split_all=True),
    "obligations": EncodeOptions(),
}
SOLVER_MILLISECONDS = 300
STEPS_A_RULE = 1
STEPS_OF_MAIN = 10
"""Between `main`, which only calls the generated function that an input names, and functions."""
OTHER_RULES = 0.5
"""How often a step is compared with a rule to another place: the entry leads to every function."""


@dataclass
class Tally:
    """Steps compared; questions without an exact answer: approximated, wrapped, not decided."""

    steps: int = 0
    questions: int = 0
    loose: int = 0
    wrapped: int = 0
    undecided: int = 0


def encoding_differences(
    seen: Observed, draws: int, encodings: Iterable[str] = OPTIONS
) -> tuple[list[Mismatch], Tally]:
    """Mismatches in the steps of the first `draws` runs of each function, in some `OPTIONS`."""
    program, tally = seen.prepared, Tally()
    runner, ranges, found = Interpreter(program), value_ranges(program), list[Mismatch]()
    for name in encodings:
        encoding = encode(program, OPTIONS[name], ranges)
        comparison = Comparison(encoding, tally)
        for function, step in _different_steps(encoding, runner, seen, draws):
            wrong = comparison.complaint(step)
            found += [Mismatch(function, f"{name}: {wrong}: {step}")] if wrong else []
    return found, tally


def _different_steps(
    encoding: Encoding, runner: Interpreter, seen: Observed, draws: int
) -> Iterator[tuple[int, Step]]:
    """Steps of runs with their functions: at most `STEPS_A_RULE` between the same places."""
    known: set[Step] = set()
    between: Counter[tuple[str | int | None, ...]] = Counter()
    for function, runs in seen.runs.items():
        for step in chain.from_iterable(steps_of(encoding, runner, run) for run in runs[:draws]):
            is_main = [encoding.cuts[state.relation].function for state in step.body] == ["main"]
            places, limit = (("main",), STEPS_OF_MAIN) if is_main else (step.places, STEPS_A_RULE)
            if between[places] < limit and step not in known:
                known.add(step)
                between[places] += 1
                yield function, step


class Comparison:
    """Asks the rules of one encoding about steps."""

    def __init__(self, encoding: Encoding, tally: Tally) -> None:
        self._tally = tally
        self._random = random.Random(0)
        self._last: tuple[AskedRule, Step, z3.Solver] | None = None
        self._relations = encoding.system.relations
        self._cuts = encoding.cuts
        self._inputs = _inputs(encoding.program)
        # arbitrary values are inputs, which are given
        approximations = [
            entry
            for entry in encoding.system.ledger
            if entry.kind is Approximation.OVER and not entry.text.startswith("arbitrary value")
        ]
        self._approximate = {
            entry.origin.chain[-1].function for entry in approximations if entry.origin.chain
        }
        self._anywhere = any(not entry.origin.chain for entry in approximations)
        self._rules: dict[tuple[str, ...], list[AskedRule]] = {}
        for rule in encoding.system.rules:
            key = tuple(atom.relation for atom in rule.body)
            self._rules.setdefault(key, []).append(AskedRule(rule))

    def complaint(self, step: Step) -> str:
        """What is wrong with what the encoding says of a step; empty if nothing."""
        self._tally.steps += 1
        rules = self._rules.get(tuple(state.relation for state in step.body), [])
        found = self._wrong(step, rules)
        obligations = (r for r in rules if isinstance(r.query, Obligation))
        if found and any(self._answer(r, step) == z3.sat for r in obligations):
            self._tally.wrapped += 1
            return ""
        return found

    def _wrong(self, step: Step, rules: Sequence[AskedRule]) -> str:
        taken = [rule for rule in rules if rule.leads_to(step.to)]
        after = step.to if isinstance(step.to, State) else None
        if taken or step.to is not None:
            there = [] if after is None else self._equal("after", after)
            if all(self._answer(rule, step, *there) == z3.unsat for rule in taken):
                return "the step is not possible"
        if after is not None:
            for rule in taken:
                other = z3.Not(z3.And(*self._equal("after", after, rule)))
                if self._allows(rule, step, other):
                    return f"another state is possible by {rule.rule.name}"
        others = [r for r in rules if r not in taken and not isinstance(r.query, Obligation)]
        if others and self._random.random() < OTHER_RULES:
            rule = self._random.choice(others)
            if self._allows(rule, step):
                return f"{rule.rule.name} is possible"
        return ""

    def _allows(self, rule: AskedRule, step: Step, *more: z3.BoolRef) -> bool:
        """The rule allows what did not happen, and no approximation is the reason."""
        if self._answer(rule, step, *more) != z3.sat:
            return False
        function = self._cuts[step.body[0].relation].function if step.body else ""
        # the linker tells functions of one name apart by a suffix, which C does not have
        named = function.partition(".")[0] in self._approximate
        is_loose = named or (self._anywhere and rule.has_unknowns)
        self._tally.loose += is_loose
        return not is_loose

    def _answer(self, rule: AskedRule, step: Step, *more: z3.BoolRef) -> z3.CheckSatResult:
        solver = self._solver(rule, step)
        solver.push()
        solver.add(*more)
        answer = solver.check()
        solver.pop()
        self._tally.questions += 1
        self._tally.undecided += answer == z3.unknown
        return answer

    def _solver(self, rule: AskedRule, step: Step) -> z3.Solver:
        """The rule with what was before the step and what it read."""
        if self._last is None or self._last[:2] != (rule, step):
            before = (self._equal(f"before.{i}", state) for i, state in enumerate(step.body))
            solver = _SOLVING.solver()
            solver.set("timeout", SOLVER_MILLISECONDS)
            solver.add(rule.constraint, *chain(*before), *self._read(rule, step))
            self._last = (rule, step, solver)
        return self._last[2]

    def _equal(self, name: str, state: State, by: AskedRule | None = None) -> list[z3.BoolRef]:
        """The symbols `name.K` have the values of the state; of memory all, or what `by` wrote."""
        parameters, facts = self._relations[state.relation].parameters, list[z3.BoolRef]()
        for k, (parameter, value) in enumerate(zip(parameters, state.values, strict=True)):
            symbol = _position(name, k, parameter.sort).symbol_name()
            shape = Shape(parameter.width or 1, parameter.signed)
            if by is not None and isinstance(value, Elements):
                facts += [] if k in by.fresh else _holds(symbol, parameter.sort, shape, value)
            else:
                facts.append(_is(symbol, parameter.sort, shape, value))
        return facts

    def _read(self, asked: AskedRule, step: Step) -> Iterator[z3.BoolRef]:
        """The inputs that were read have their values; several of one site in their order."""
        given: dict[int, list[int]] = {}
        for site, value in reversed(step.inputs):
            given.setdefault(site, []).append(value)
        visits: dict[int, int] = {}
        for number, read in enumerate(asked.rule.inputs):
            visit = visits[read.site] = visits.get(read.site, -1) + 1
            left = given.get(read.site)
            if not left:
                continue
            shape = self._inputs[read.site][visit]
            if read.extent is None:
                name, sort = read.symbol.symbol_name(), terms.sort_of(read.symbol)
                yield _is(name, sort, shape, left.pop())
            else:
                yield from asked.elements(number, shape, bytes(reversed(left)))
                left.clear()


@dataclass(frozen=True)
class Shape:
    """How a machine integer is represented."""

    width: int
    signed: bool


class AskedRule:
    """A rule as z3 sees it: `before.I.K` and `after.K` are the arguments of its atoms."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.query = rule.head.kind if isinstance(rule.head, Query) else None

    def leads_to(self, to: State | int | None) -> bool:
        """The rule describes a step to that state, or to that check."""
        if isinstance(self.rule.head, Atom):
            return isinstance(to, State) and to.relation == self.rule.head.relation
        return isinstance(self.query, Check) and self.query.site == to

    @property
    def has_unknowns(self) -> bool:
        """The rule has symbols for results that are only bounded, or for arbitrary memory."""
        if any(read.extent is not None for read in self.rule.inputs):
            return True
        parts = list(conjuncts(self.rule.constraint))
        defined = {str(part.arg(0).symbol_name()) for part in parts if _is_definition(part)}
        names = {s.symbol_name() for s in terms.free_symbols(self.rule.constraint)}
        conditions = {name for name in names if "%" in name and name.endswith("?")}
        return any("#" in name for name in names) or bool(conditions - defined)

    @cached_property
    def fresh(self) -> frozenset[int]:
        """The positions of the head at which new memory stands, to which nothing was written."""
        known = {argument for atom in self.rule.body for argument in atom.arguments}
        arguments = self.rule.head.arguments if isinstance(self.rule.head, Atom) else ()
        return frozenset(
            k for k, given in enumerate(arguments) if given.is_symbol() and given not in known
        )

    def elements(self, number: int, shape: Shape, data: bytes) -> Iterator[z3.BoolRef]:
        """The memory that the input of that number is about has these bytes."""
        read = self.rule.inputs[number]
        assert read.extent is not None
        sort, size = terms.sort_of(read.symbol), read.extent.element
        memory = z3.Const(read.symbol.symbol_name(), _z3_sort(sort))
        start = _position(f"extent.{number}", 0, sort.index_type).symbol_name()
        for k in range(0, len(data), size):
            place = z3.Const(start, _z3_sort(sort.index_type)) + k
            element = int.from_bytes(data[k : k + size], "little")
            yield memory[place] == _value(sort.elem_type, shape, element)

    @cached_property
    def constraint(self) -> z3.BoolRef:
        """The constraint, and what the arguments are."""
        named = [(f"before.{i}", atom) for i, atom in enumerate(self.rule.body)]
        if isinstance(self.rule.head, Atom):
            named.append(("after", self.rule.head))
        equations = [
            terms.eq(_position(name, k, terms.sort_of(argument)), argument)
            for name, atom in named
            for k, argument in enumerate(atom.arguments)
        ]
        for number, read in enumerate(self.rule.inputs):
            if read.extent is not None:
                address = read.extent.address
                position = _position(f"extent.{number}", 0, terms.sort_of(address))
                equations.append(terms.eq(position, address))
        whole = terms.and_([self.rule.constraint, *equations])
        return z3.parse_smt2_string(script_of([whole]))[0]


def _is_definition(part: Term) -> bool:
    return bool(part.is_iff() and part.arg(0).is_symbol())


def _position(name: str, number: int, sort: Sort) -> Term:
    """The symbol of an argument; symbols have one sort each in a process."""
    return terms.symbol(f"{name}.{number}.{sort}", sort)


def _inputs(program: Program) -> Mapping[int, list[Shape]]:
    """What the inputs of each site are, in order; of memory, what its elements are."""
    signs = signedness(program)
    found: dict[int, list[Shape]] = {}
    for name, function in program.functions.items():
        for statement in (s for block in function.blocks for s in block.statements):
            if isinstance(statement, Input | RegionHavoc):
                result = statement.result
                of = result.type.element if isinstance(result.type, RegionType) else result.type
                is_signed = isinstance(of, IntType) and signs.get((name, result.name), True)
                shape = Shape(8 * bytes_of(of, program.pointer_width), is_signed)
                if isinstance(of, IntType):
                    shape = Shape(of.width, is_signed)
                found.setdefault(statement.site.number, []).append(shape)
    return found


@lru_cache(4096)
def _is(name: str, sort: Sort, shape: Shape, value: Held) -> z3.BoolRef:
    """The symbol holds the machine integer, or the region the elements."""
    symbol = z3.Const(name, _z3_sort(sort))
    if isinstance(value, Elements):
        return symbol == _array(sort, shape, value)
    return symbol == _value(sort, shape, value)


@lru_cache(4096)
def _array(sort: Sort, shape: Shape, held: Elements) -> z3.ArrayRef:
    array = z3.K(_z3_sort(sort.index_type), _value(sort.elem_type, shape, held.rest))
    for address, element in held.items:
        if element != held.rest:
            index = _value(sort.index_type, Shape(0, False), address)
            array = z3.Store(array, index, _value(sort.elem_type, shape, element))
    return array


@lru_cache(4096)
def _holds(name: str, sort: Sort, shape: Shape, value: Elements) -> tuple[z3.BoolRef, ...]:
    """The region holds the elements where something was written.

    What lies elsewhere may be arbitrary, as in a fresh object.
    """
    symbol = z3.Const(name, _z3_sort(sort))
    return tuple(
        symbol[_value(sort.index_type, Shape(0, False), address)]
        == _value(sort.elem_type, shape, element)
        for address, element in value.items
    )


@lru_cache(4096)
def _value(sort: Sort, shape: Shape, value: int) -> z3.ExprRef:
    if sort is terms.BOOL:
        return z3.BoolVal(bool(value))
    if sort is terms.INT:
        return z3.IntVal(signed(shape.width, value) if shape.signed else value)
    return z3.BitVecVal(value, sort.width)


@cache
def _z3_sort(sort: Sort) -> z3.SortRef:
    if sort.is_array_type():
        return z3.ArraySort(_z3_sort(sort.index_type), _z3_sort(sort.elem_type))
    if sort is terms.BOOL:
        return z3.BoolSort()
    return z3.IntSort() if sort is terms.INT else z3.BitVecSort(sort.width)
