"""Sets of an automaton as C code."""

from __future__ import annotations

from collections.abc import Iterator

from seahorn_py.frontend.rules.automaton import VIOLATED

FULL = "the rule watches more objects at a time than there are places"
"""The error that says nothing about the program."""


def set_code(name: str, count: int) -> Iterator[str]:
    """Variables and functions of a set with so many places for elements.

    An element that was once in it keeps its place, so that few paths differ in them.
    """
    places = range(count)
    for k in places:
        yield f"static _Bool {name}_has_{k}; static const void *{name}_{k};"
    yield f"static int {name}_count;"
    known = [f"({name}_count > {k} && {name}_{k} == element)" for k in places]
    found = " || ".join(f"({known[k]} && {name}_has_{k})" for k in places)
    yield f"static _Bool {name}_in(const void *element) {{ return {found}; }}"
    yield f"static void {name}_add(const void *element) {{"
    for k in places:
        yield f"if ({known[k]}) {{ {name}_has_{k} = 1; return; }}"
    for k in places:
        taken = f"{name}_count = {k + 1}; {name}_{k} = element; {name}_has_{k} = 1;"
        yield f"if ({name}_count == {k}) {{ {taken} return; }}"
    yield f"{VIOLATED}({literal(FULL)}); }}"
    yield f"static void {name}_keep(const void *element) {{"
    yield f"if ({' || '.join(known)}) return;"
    for k in places:
        taken = f"{name}_count = {k + 1}; {name}_{k} = element;"
        yield f"if ({name}_count == {k}) {{ {taken} return; }}"
    yield "}"
    yield f"static void {name}_remove(const void *element) {{"
    for k in places:
        yield f"if ({known[k]}) {name}_has_{k} = 0;"
    yield "}"
    none = " && ".join(f"!{name}_has_{k}" for k in places)
    yield f"static _Bool {name}_empty(void) {{ return {none}; }}"


def literal(message: str) -> str:
    """A string literal of C."""
    return '"' + "".join(_escaped(c) for c in message.encode()) + '"'


def _escaped(byte: int) -> str:
    plain = 32 <= byte < 127 and chr(byte) not in '"\\?'
    return chr(byte) if plain else f"\\{byte:03o}"
