"""`sea-py rules`: the rules of use that come with the program, and what a rule says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from seahorn_py.cli.commands.commands import reports_errors, say

if TYPE_CHECKING:
    from seahorn_py.frontend.rules.automaton import Automaton, Event, Rule, Transition


@click.command()
@click.argument("name", required=False)
@reports_errors
def rules(name: str | None) -> None:
    """List the rules of use for `pf --rule`, or explain one: NAME or a rule's FILE."""
    from seahorn_py.frontend.rules.known import pack, rule

    lines = _listed(pack().values()) if name is None else _explained(rule(name))
    say("\n".join(lines))


def _listed(known: Iterable[Rule]) -> Iterator[str]:
    found = list(known)
    width = max(len(one.name) for one in found)
    for one in found:
        yield f"{one.name.ljust(width)}  {one.about}"


def _explained(one: Rule) -> Iterator[str]:
    yield f"{one.name}: {one.about}"
    if one.page:
        yield from ("", one.page.rstrip())
    for automaton in one.automata:
        yield ""
        if len(one.automata) > 1:
            yield f"The automaton {automaton.name}."
        yield from _known(automaton)
        yield from (f"  {_in_words(transition)}" for transition in automaton.transitions)


def _known(automaton: Automaton) -> Iterator[str]:
    """What the automaton knows at first."""
    each = f"each {automaton.per}" if automaton.per else "the program"
    none = f", {automaton.nothing} stands for none" if automaton.nothing else ""
    yield f"There is one automaton for {each}{none}."
    first, *others = automaton.states
    yield f"States: {', '.join([f'{first} (at first)', *others])}."
    for ghost in automaton.ghosts:
        what = "a set, empty" if ghost.is_set else f"{ghost.type}, {ghost.initial}"
        yield f"It remembers {ghost.name}: {what} at first."
    yield "The first line that fits an event is taken:"


def _in_words(transition: Transition) -> str:
    states = f" in {' or '.join(transition.sources)}" if transition.sources else ""
    guard = f" if {transition.guard}" if transition.guard else ""
    done = [action.rstrip(";") for action in transition.actions]
    if transition.is_birth:
        done.insert(0, "a new one")
    if transition.target:
        done.append(f"to {transition.target}")
    if transition.blocks:
        done.append("the run is not looked at further")
    if transition.error:
        done.append(f"error: {transition.error}")
    return f"{_event(transition.event)}{states}{guard}: {', '.join(done) or 'nothing'}"


def _event(event: Event) -> str:
    called = f"{event.name}({', '.join(event.parameters)})"
    result = f" = {event.result}" if event.result else ""
    match event.when.value:
        case "enter":
            return f"call of {called}"
        case "return":
            return f"return of {called}{result}"
        case "end":
            return "end of the program"
        case word:
            return f"{word} of {event.name}{result}"
