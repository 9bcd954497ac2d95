"""The steps of a rule's automaton in a run, told beside the statements that made it move."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
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
        """The steps of the program, each with the changes of automata that came behind it."""
        states: dict[tuple[str, str], str] = {}
        waiting: TraceStep | None = None
        for step in trace:
            if not step.place.file.startswith(RULE_FOLDER):
                if waiting is not None:
                    yield waiting
                waiting = step
                continue
            automaton = self.automata.get(PurePath(step.place.file).stem)
            if waiting is not None and automaton is not None:
                moves = tuple(_moves(step, automaton, states))
                waiting = replace(waiting, changes=(*waiting.changes, *moves))
        if waiting is not None:
            yield waiting


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
