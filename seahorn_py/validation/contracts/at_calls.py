"""Contracts at the calls of a program: a whole run, in which they are checked or stand for bodies.

    enforced    f becomes a wrapper: assume(requires); call the body; assert(ensures) and the frame
    replaced    f becomes a stub: assert(requires); havoc(assigns); any result; assume(ensures)

Both are C, put into the preprocessed texts, and the program that they make is asked about as any
other.  A proof of a program with stubs rests on their contracts, which `--modular` proves.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from pathlib import Path

from seahorn_py.base.errors import InputError, Span
from seahorn_py.base.records import dataclass
from seahorn_py.options import VerifyOptions
from seahorn_py.processes.deadline import Deadline
from seahorn_py.validation.contracts.compiled import compiled
from seahorn_py.validation.contracts.contract_files import read_project
from seahorn_py.validation.contracts.each_function import bodiless, without_macros
from seahorn_py.validation.contracts.harness import (
    Checks,
    Replacing,
    Statement,
    Wrapped,
    lines,
    prototype,
    stub,
    wrapper,
)
from seahorn_py.validation.contracts.model import Contract, Kind, Refused
from seahorn_py.validation.contracts.pieces import Edits, Pieces
from seahorn_py.validation.contracts.project import Name, Project

ALL = "*"
_BODY = "__sea_body_"


@dataclass(frozen=True)
class Instrumented:
    """The options for a program with contracts at its calls, and what its answers rest on."""

    options: VerifyOptions
    assumed: tuple[str, ...]


def with_contracts(
    files: Sequence[Path],
    options: VerifyOptions,
    enforced: Sequence[str],
    replaced: Sequence[str],
    side_files: Sequence[Path] = (),
) -> Instrumented:
    """The program with the contracts of some functions, by name or all, at their calls.

    Raises InputError for a function without a contract, and for a contract that cannot be put in.
    """
    deadline = Deadline.after(options.timeout)
    project = read_project(files, options.frontend, side_files, deadline)
    plain = replace(without_macros(options.frontend), entries=options.frontend.entries)
    without = tuple(bodiless(project))
    pieces = Pieces(project, compiled(project.units, without, plain, deadline), plain.pointer_depth)
    stubs = dict(_chosen(project, replaced))
    checked = {name: one for name, one in _chosen(project, enforced) if name not in stubs}
    work = _Putting(pieces)
    try:
        for contract in checked.values():
            work.enforce(contract)
        for contract in stubs.values():
            work.replace(contract)
    except Refused as why:
        raise InputError(str(why)) from None
    frontend = replace(plain, edited=work.texts(stubs), assume_initialised=True)
    assumed = (*_required(checked.values()), *_standing(stubs.values()))
    return Instrumented(replace(options, frontend=frontend), assumed)


def _chosen(project: Project, names: Sequence[str]) -> Iterator[tuple[str, Contract]]:
    found = {
        name: contract
        for unit in project.units
        for name, contract in unit.contracts.items()
        if name != "main" and contract is project.contract(contract.unit, name)
    }
    known = {name for unit in project.units for name in unit.functions}.union(found, (ALL,))
    for name in names:
        if name not in known:
            raise InputError(f"no function {name} is there")
    if names and not found:
        raise InputError("no function has a contract")
    yield from ((n, c) for n, c in found.items() if n in names or ALL in names)


@dataclass
class _Putting:
    """The work on a program: its edits, and the error functions of its contracts."""

    pieces: Pieces
    made: Edits = field(default_factory=Edits)
    checks: Checks = field(default_factory=Checks)
    _told: int = 0

    def enforce(self, contract: Contract) -> None:
        """Make the function a wrapper of its body."""
        name = contract.function
        home = self.pieces.project.function(contract.unit, name)
        if home is None or home.unit != contract.unit:
            raise Refused(f"{contract.place}: no body of {name} in the file of its contract")
        unit = self.pieces.project.units[home.unit]
        definition = unit.functions[name]
        storage = "" if name in unit.linked else "static "
        start = definition.start_byte
        declared = f"{storage}{prototype(contract, name)}; "
        self.made.add(home.unit, (start, start, declared))
        named = definition.child_by_field_name("declarator")
        while named is not None and named.type != "identifier":
            named = named.child_by_field_name("declarator")
        assert named is not None
        self.made.add(home.unit, (named.start_byte, named.end_byte, f"{_BODY}{name}"))
        self._end(contract, wrapper(self._wrapped(home, contract), self.checks))

    def _wrapped(self, home: Name, contract: Contract) -> Wrapped:
        body = f"{_BODY}{contract.function}"
        apart = self.pieces.touched_at_calls(contract)
        plain = Wrapped(contract, contract.function, body=body, apart=apart)
        if not contract.of(Kind.ASSIGNS):
            return plain
        failing = self.checks.add(
            "assigns: something else changes", contract.of(Kind.ASSIGNS)[0].place
        )
        found = self.pieces.frame_at_calls(home, contract, failing)
        return replace(plain, frame=found, failing=failing)

    def replace(self, contract: Contract) -> None:
        """Make the function a stub."""
        whole = () if contract.of(Kind.ASSIGNS) else self.pieces.all_that_changes(contract)
        apart = self.pieces.touched_at_calls(contract)
        one = Replacing(contract, contract.function, (), whole, apart=apart)
        self._end(contract, stub(one, self.checks))

    def _end(self, contract: Contract, code: bytes) -> None:
        """Put code at the end of the file of a contract, with error functions that are new."""
        known = len(self.checks.found)
        failing = list(self.checks.found.items())[self._told :]
        self._told = known
        ends = self.made.ends.setdefault(contract.unit, [])
        ends += [code, lines([_failing(name, *told) for name, told in failing])]

    def texts(self, stubs: Iterable[str]) -> tuple[tuple[Path, bytes], ...]:
        """The texts of all files; functions that are stubs have no other body."""
        units = self.pieces.project.units
        gone = frozenset(stubs)
        kept = frozenset(
            Name(k, name)
            for k, unit in enumerate(units)
            for name in unit.functions
            if name not in gone
        )
        return tuple(self.pieces.text(k, self.made, kept) for k in range(len(units)))


def _failing(name: str, said: str, place: Span) -> Statement:
    """The definition of an error function, whose error is a failed assertion."""
    given = f"{json.dumps(said)}, {json.dumps(place.file)}, {place.line}"
    declared = "extern void __sea_assert_fail(const char *, const char *, int);"
    return Statement(f"void {name}(void) {{ {declared} __sea_assert_fail({given}); }}", place)


def _required(of: Iterable[Contract]) -> Iterator[str]:
    """What the program assumes of calls."""
    for contract in of:
        said = "; ".join(clause.text for clause in contract.of(Kind.REQUIRES))
        if said:
            yield f"calls of {contract.function} keep what it requires: {said}"


def _standing(of: Iterable[Contract]) -> Iterator[str]:
    """The contracts that stand for bodies."""
    for contract in of:
        yield f"{contract.function} keeps its contract, which stands for its body"
