"""Plug-ins of a verification: those that are asked for, and what the ledger says of them.

An engine or a domain gives evidence, which is checked as any other: that it took part is said, and
nothing rests on it.  A pass, a model of a function or a rule is part of the question: the answer
takes for granted that it is right.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from seahorn_py.base.errors import SeaError, Stage, StageFailure
from seahorn_py.base.plugins import Kind, PlugIn, named
from seahorn_py.engines.plugged import plugged
from seahorn_py.frontend.lowering.library.other_models import texts_of
from seahorn_py.frontend.rules.known import plug_in_of
from seahorn_py.horn.ledger import Approximation, Ledger, LedgerEntry
from seahorn_py.ir.program import Program
from seahorn_py.ir.verifier import check
from seahorn_py.options import VerifyOptions
from seahorn_py.passes.pipeline import Pass


def used(options: VerifyOptions) -> tuple[PlugIn, ...]:
    """The plug-ins that the options name; SeaError for one that is not there."""
    return tuple(dict.fromkeys(_used(options)))


def _used(options: VerifyOptions) -> Iterator[PlugIn]:
    yield from (one for one in options.engines if isinstance(one, PlugIn))
    for plan in (options.schedule.int, options.schedule.bv):
        yield from (one.engine for one in plan or () if isinstance(one.engine, PlugIn))
    yield from (named(Kind.PASS, name) for name in options.passes)
    yield from (named(Kind.LIBRARY_MODEL, name) for name in options.frontend.library_models)
    for rule in options.frontend.rules:
        found = plug_in_of(rule)
        if found is not None:
            yield found


def load_all(options: VerifyOptions) -> Ledger:
    """Load what the options name, and say in the ledger what it is; SeaError if that fails."""
    found = used(options)
    for one in found:
        match one.kind:
            case Kind.ENGINE | Kind.DOMAIN:
                plugged(one)
            case Kind.PASS:
                _pass_of(one)
            case Kind.LIBRARY_MODEL:
                texts_of(one)
            case Kind.RULE:
                pass  # reading the rule has loaded it
    return tuple(map(_entry, found))


def _entry(plugin: PlugIn) -> LedgerEntry:
    """What is said of a plug-in that took part."""
    match plugin.kind:
        case Kind.ENGINE | Kind.DOMAIN:
            text = f"{plugin} took part; its evidence was checked"
            return LedgerEntry(Approximation.OVER, text)
        case Kind.PASS:
            text = f"{plugin} keeps what the program does"
        case Kind.LIBRARY_MODEL:
            text = f"{plugin} does what the functions do"
        case Kind.RULE:
            text = f"{plugin} is what is meant"
    return LedgerEntry(Approximation.ASSUMED, text)


def passed(program: Program, options: VerifyOptions) -> Program:
    """The program after the passes of plug-ins; StageFailure where one fails."""
    for name in options.passes:
        plugin = named(Kind.PASS, name)
        try:
            program = _pass_of(plugin)(program)
            check(program, name)
        except (MemoryError, SeaError):
            raise
        except Exception as error:  # whatever code of others does
            said = " ".join(f"{type(error).__name__}: {error}".split())
            raise StageFailure(Stage.FRONT_END, f"{plugin} failed: {said}") from None
    return program


def _pass_of(plugin: PlugIn) -> Pass:
    return plugin.load(_callable, "a function from a Program to a Program")


def _callable(found: Any) -> Pass | None:
    made: Pass = found
    return made if callable(found) else None
