"""The steps of a rule's automaton in a run, told beside the statements that made it move."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import takewhile
from pathlib import PurePath

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.compiling.support import RULE_FOLDER
from seahorn_py.frontend.rules.automaton import Automaton, Rule
from seahorn_py.result import Change, TraceStep, Violation

_KNOWN = pattern(r"known_(?P<place>\d+)\.(?P<name>\w+)")
_STATE = "state"


def told(violation: Violation, rule: Rule) -> Violation:
    """The violation with a trace in C: what the automaton did is a change at the statement.

    It lies where the program was when the automaton found the error.
    """
    automata = {automaton.name: automaton for automaton in rule.automata}
    trace = tuple(_Telling(automata).steps(violation.trace))
    place = violation.place
    if place is not None and place.file.startswith(RULE_FOLDER) and trace:
        place = trace[-1].place
    return replace(violation, trace=trace, place=place)


@dataclass
class _Telling:
    automata: Mapping[str, Automaton]

    def steps(self, trace: tuple[TraceStep, ...]) -> Iterator[TraceStep]:
        """The steps of the program, each with the changes of automata at its events.

        What an event interrupted is one step; the last event is where the run ends.
        """
        states: dict[tuple[str, str], str] = {}
        waiting: TraceStep | None = None
        is_interrupted = False
        event: TraceStep | None = None
        for step in trace:
            if not step.place.file.startswith(RULE_FOLDER):
                if waiting and is_interrupted and _are_at_one_place(waiting, step):
                    step = replace(step, changes=(*waiting.changes, *step.changes))
                elif waiting is not None:
                    yield waiting
                waiting, is_interrupted, event = step, False, None
                continue
            is_interrupted = True
            event = _event(step) or event
            automaton = self.automata.get(PurePath(step.place.file).stem)
            moves = tuple(_moves(step, automaton, states)) if automaton is not None else ()
            if moves and event is not None:
                if waiting is None or not _are_at_one_place(waiting, event):
                    if waiting is not None:
                        yield waiting
                    waiting = event
                waiting = replace(waiting, changes=(*waiting.changes, *moves))
        if waiting is not None:
            yield waiting
        if event is not None and (waiting is None or not _are_at_one_place(waiting, event)):
            yield event


def _event(step: TraceStep) -> TraceStep | None:
    """The statement at which a step of an automaton was inlined; None without one."""
    own = sum(1 for _ in takewhile(lambda span: span.file.startswith(RULE_FOLDER), step.chain))
    if own == len(step.chain):
        return None
    return TraceStep(step.chain[own], step.chain[own + 1 :], activation=step.activation)


def _are_at_one_place(one: TraceStep, other: TraceStep) -> bool:
    here, there = one.place, other.place
    is_one_line = (here.file, here.line) == (there.file, there.line)
    return is_one_line and (one.chain, one.activation) == (other.chain, other.activation)


def _moves(
    step: TraceStep, automaton: Automaton, states: dict[tuple[str, str], str]
) -> Iterator[Change]:
    """The changes of states and ghost variables in a step of the automaton's code."""
    for change in step.changes:
        found = _KNOWN.fullmatch(change.name)
        if found is None:
            continue
        name = found["name"]
        if name in {ghost.name for ghost in automaton.ghosts}:
            yield Change(name, change.value)
        elif name == _STATE and change.value.isdecimal():
            key = (automaton.name, found["place"])
            before = states.get(key, automaton.states[0])
            after = automaton.states[int(change.value)]
            states[key] = after
            if after != before:
                yield Change(automaton.name, f"{before} -> {after}")
