"""The formula of a run, a sequence of rule instances, and the inputs that solve it.

The formula is SMT-LIB text.  A rule is a predicate over its symbols and *ports*: the values of its
atoms' arguments, of its inputs' guards, and where contents of memory are read the addresses and
sizes.  An instance applies the predicate to constants of its own, and shares the head ports of the
instances that derived its body atoms.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from seahorn_py.base.records import dataclass
from seahorn_py.evidence.replay.sequence import Instance
from seahorn_py.horn.system import Atom, Extent, InputRead, Rule
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Sort, Term
from seahorn_py.logic.text.smtlib import print_sort, print_symbol, print_term

MAX_ELEMENTS = 4096
"""How many elements of one read are asked for; those after them are 0."""

MAX_BYTES = 1 << 20
"""How many values one read takes at most."""


@dataclass(frozen=True)
class _Read:
    """An input of an instance: the names of its constants, what the rule says of it."""

    number: int
    position: int
    symbol: str
    read: InputRead

    @property
    def guard(self) -> str:
        return f"i{self.number}.g{self.position}"

    @property
    def address(self) -> str:
        return f"i{self.number}.a{self.position}"

    @property
    def size(self) -> str:
        return f"i{self.number}.z{self.position}"

    def element(self, extent: Extent, number: int) -> str:
        """The element of this number, as a term."""
        sort = terms.sort_of(extent.address)
        if sort is terms.INT:
            return f"(select {self.symbol} (+ {self.address} {number * extent.element}))"
        step = print_term(terms.bv_const(number * extent.element, sort.width))
        return f"(select {self.symbol} (bvadd {self.address} {step}))"


@dataclass(frozen=True)
class RunFormula:
    """The formula of `run`.

    `sizes` says, once it is known, how many bytes the reads of memory take, None for one that does
    not happen; the keys are guards.  With `most`, inputs and sizes lie so close to 0.
    """

    run: Sequence[Instance]
    sizes: Mapping[str, int | None]
    most: int | None = None

    @cached_property
    def _symbols(self) -> Mapping[str, tuple[Term, ...]]:
        rules = {i.rule.name: i.rule for i in self.run}
        return {name: _symbols(rule) for name, rule in rules.items()}

    @cached_property
    def _places(self) -> Mapping[str, Mapping[Term, int]]:
        return {name: {s: k for k, s in enumerate(own)} for name, own in self._symbols.items()}

    def script(self) -> str:
        """Definitions of the rules, one application an instance, and the sizes."""
        rules = {i.rule.name: i.rule for i in self.run}
        index = {name: k for k, name in enumerate(rules)}
        lines = [_definition(index[name], rule) for name, rule in rules.items()]
        for number, instance in enumerate(self.run):
            arguments = list(self._arguments(number, instance))
            shared = {n for n, _ in arguments if not n.startswith(f"i{number}.")}
            lines += [
                f"(declare-const {n} {print_sort(s)})" for n, s in arguments if n not in shared
            ]
            applied = " ".join(n for n, _ in arguments)
            name = f"rule{index[instance.rule.name]}"
            lines.append(f"(assert ({name} {applied}))" if applied else f"(assert {name})")
        return "\n".join([*lines, *self._fixed(), *self._small()])

    def _arguments(self, number: int, instance: Instance) -> Iterator[tuple[str, Sort]]:
        """Names and sorts of an instance's constants, in the order of the rule's definition."""
        rule = instance.rule
        for k, symbol in enumerate(self._symbols[rule.name]):
            yield f"i{number}.s{k}", terms.sort_of(symbol)
        for a, (atom, source) in enumerate(zip(rule.body, instance.sources, strict=True)):
            owner = f"i{number}.b{a}" if source is None else f"i{source}.h"
            for k, argument in enumerate(atom.arguments):
                yield f"{owner}.{k}", terms.sort_of(argument)
        if isinstance(rule.head, Atom):
            for k, argument in enumerate(rule.head.arguments):
                yield f"i{number}.h.{k}", terms.sort_of(argument)
        for k, read in enumerate(rule.inputs):
            yield f"i{number}.g{k}", terms.BOOL
            if read.extent is not None:
                yield f"i{number}.a{k}", terms.sort_of(read.extent.address)
                yield f"i{number}.z{k}", terms.sort_of(read.extent.size)

    def _fixed(self) -> Iterator[str]:
        for item, extent in self._extents():
            if item.guard in self.sizes:
                size = self.sizes[item.guard]
                if size is None:
                    yield f"(assert (not {item.guard}))"
                else:
                    yield f"(assert {item.guard})"
                    yield f"(assert (= {item.size} {_number(extent.size, size)}))"

    def _small(self) -> Iterator[str]:
        """That no input and no size is far from 0."""
        if self.most is None:
            return
        for item in self._reads():
            name, of = item.symbol, item.read.symbol
            if item.read.extent is not None:
                name, of = item.size, item.read.extent.size
            if terms.sort_of(of) is terms.INT or terms.sort_of(of).is_bv_type():
                yield f"(assert (=> {item.guard} {_near(name, of, self.most)}))"

    def open_sizes(self) -> tuple[str, ...]:
        """The guards and the sizes of the reads of memory, if a size is not constant."""
        reads = list(self._extents())
        if all(extent.size.is_constant() for _, extent in reads):
            return ()
        return tuple(name for item, _ in reads for name in (item.guard, item.size))

    def with_sizes(self, values: Mapping[str, Term]) -> RunFormula:
        """The formula in which the sizes have the values found for `open_sizes`."""
        sizes = {
            item.guard: _integer(values[item.size]) if values[item.guard].is_true() else None
            for item, _ in self._extents()
            if item.guard in values
        }
        return RunFormula(self.run, sizes, self.most)

    def wanted(self) -> tuple[str, ...]:
        """The terms whose values are the inputs and their guards."""
        return tuple(dict.fromkeys(n for item in self._reads() for n in self._wanted(item)))

    def _wanted(self, item: _Read) -> Iterator[str]:
        yield item.guard
        extent = item.read.extent
        if extent is None:
            yield item.symbol
        else:
            yield from (item.element(extent, k) for k in range(self._elements(item, extent)))

    def _elements(self, item: _Read, extent: Extent) -> int:
        return min(-(-self._size(item, extent) // extent.element), MAX_ELEMENTS)

    def _size(self, item: _Read, extent: Extent) -> int:
        if extent.size.is_constant():
            return min(_integer(extent.size), MAX_BYTES)
        return min(self.sizes.get(item.guard) or 0, MAX_BYTES)

    def reads(self, values: Mapping[str, Term]) -> Iterator[tuple[int, int]]:
        """Site and value of what is read, in execution order; of contents of memory the bytes."""
        for item in self._reads():
            if not values[item.guard].is_true():
                continue
            extent = item.read.extent
            if extent is None:
                yield item.read.site, _integer(values[item.symbol])
            else:
                for byte in self._bytes(item, extent, values):
                    yield item.read.site, byte

    def _bytes(self, item: _Read, extent: Extent, values: Mapping[str, Term]) -> bytes:
        """The bytes of the elements, little-endian."""
        width, data = 8 * extent.element, bytearray()
        for k in range(self._elements(item, extent)):
            element = _integer(values[item.element(extent, k)]) % (1 << width)
            data += element.to_bytes(extent.element, "little")
        size = self._size(item, extent)
        return bytes(data[:size]).ljust(size, b"\0")

    def _reads(self) -> Iterator[_Read]:
        for number, instance in enumerate(self.run):
            place = self._places[instance.rule.name]
            for k, read in enumerate(instance.rule.inputs):
                yield _Read(number, k, f"i{number}.s{place[read.symbol]}", read)

    def _extents(self) -> Iterator[tuple[_Read, Extent]]:
        for item in self._reads():
            if item.read.extent is not None:
                yield item, item.read.extent


def _integer(term: Term) -> int:
    return int(term.constant_value())


def _number(like: Term, value: int) -> str:
    sort = terms.sort_of(like)
    constant = terms.int_const(value) if sort is terms.INT else terms.bv_const(value, sort.width)
    return print_term(constant)


def _near(name: str, like: Term, most: int) -> str:
    """Whether the number lies within `most` of 0; that of a bit-vector may have a sign."""
    low, high = _number(like, -most), _number(like, most)
    sort = terms.sort_of(like)
    if sort is terms.INT:
        return f"(and (< {low} {name}) (< {name} {high}))"
    if sort.width <= most.bit_length():
        return "true"
    return f"(or (bvult {name} {high}) (bvugt {name} {low}))"


def _symbols(rule: Rule) -> tuple[Term, ...]:
    """All symbols of a rule, in a fixed order."""
    found: dict[Term, None] = {}
    for term in _ports(rule):
        found.update(dict.fromkeys(terms.free_symbols(term)))
    found.update(dict.fromkeys(terms.free_symbols(rule.constraint)))
    found.update(dict.fromkeys(read.symbol for read in rule.inputs))
    return tuple(terms.by_name(found))


def _ports(rule: Rule) -> list[Term]:
    """What the ports stand for: arguments of the body and the head, what is said of inputs."""
    head = rule.head.arguments if isinstance(rule.head, Atom) else ()
    ports = [argument for atom in rule.body for argument in atom.arguments]
    ports += head
    for read in rule.inputs:
        ports.append(read.guard)
        if read.extent is not None:
            ports += [read.extent.address, read.extent.size]
    return ports


def _definition(index: int, rule: Rule) -> str:
    ports = _ports(rule)
    parameters = [f"({print_symbol(s)} {print_sort(terms.sort_of(s))})" for s in _symbols(rule)]
    parameters += [f"(port{k} {print_sort(terms.sort_of(p))})" for k, p in enumerate(ports)]
    equalities = [f"(= port{k} {print_term(p)})" for k, p in enumerate(ports)]
    body = f"(and true {print_term(rule.constraint)} {' '.join(equalities)})"
    return f"(define-fun rule{index} ({' '.join(parameters)}) Bool {body})"
