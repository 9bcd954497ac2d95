"""Patterns: automata that need names of functions alone.

    pattern: {never: X}                      X is not called
    pattern: {never: X, after: Y}            X is not called once Y has returned
    pattern: {never: X, before: Y}           X is not called before Y has returned
    pattern: {never: X, between: Y, and: Z}  nor between the return of Y and the next call of Z
    pattern: {at-least-once: Y}              Y is called before the program ends

The patterns are those of Dwyer, Avrunin and Corbett (ICSE 1999) whose violation a finite run shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from seahorn_py.frontend.rules.automaton import Automaton, Event, Transition, When

FORMS = (
    ("never",),
    ("never", "after"),
    ("never", "before"),
    ("never", "between", "and"),
    ("at-least-once",),
)
"""The keys of each pattern."""

_OUTSIDE, _INSIDE = "outside", "inside"


def automaton_of(name: str, words: Mapping[str, str], place: str) -> Automaton:
    """The automaton of a pattern whose keys are those of a form."""
    return Automaton(name, (_OUTSIDE, _INSIDE), tuple(_transitions(words, place)))


def _transitions(words: Mapping[str, str], place: str) -> Iterator[Transition]:
    def made(event: Event, at: str, to: str = "", error: str = "") -> Transition:
        return Transition(event, (at,), target=to, error=error, place=place)

    never, once = words.get("never", ""), words.get("at-least-once", "")
    begin = words.get("between") or words.get("after") or words.get("before") or ""
    call = Event(When.ENTER, never)
    if once:
        yield made(Event(When.ENTER, once), _OUTSIDE, to=_INSIDE)
        yield made(Event(When.END), _OUTSIDE, error=f"{once} was never called")
        return
    if not begin:
        yield made(call, _OUTSIDE, error=f"{never} is called")
        return
    if "before" in words:
        yield made(call, _OUTSIDE, error=f"{never} is called before {begin}")
    else:
        end = words.get("and")
        what = f"between {begin} and {end}" if end else f"after {begin}"
        yield made(call, _INSIDE, error=f"{never} is called {what}")
        if end:
            yield made(Event(When.ENTER, end), _INSIDE, to=_OUTSIDE)
    yield made(Event(When.RETURN, begin), _OUTSIDE, to=_INSIDE)
