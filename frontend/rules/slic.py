"""Rules from specifications in SLIC (Ball and Rajamani, "SLIC: a specification language for
interface checking", Microsoft Research 2002), as far as they are about calls.

    state { enum {Free, Held} s = Free; }
    take.entry { if (s == Held) abort "taken twice"; else s = Held; }
    give.exit { if ($return == 0) s = Free; }

`state` declares variables with their first values. The body of an event is C: `$1`, `$2` are the
arguments, `$return` is the result, `abort` with or without a text is a violation, `halt` ends the
run as one that is not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from seahorn_py.base.errors import InputError
from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.rules.automaton import (
    NOT_BOUND,
    OTHERS,
    Automaton,
    Event,
    Ghost,
    Rule,
    Transition,
    When,
)
from seahorn_py.processes.textfile import text_of

_COMMENT = pattern(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_HEAD = pattern(r"\s*(?:(?P<state>state)|(?P<name>[A-Za-z_]\w*)\.(?P<when>entry|exit))\s*\{")
_ENUM = pattern(r"enum\s*\w*\s*\{(?P<names>[^{}]*)\}\s*(?P<name>\w+)\s*(?:=\s*(?P<initial>.+))?")
_VARIABLE = pattern(r"(?P<type>[\w\s*]+?)\s*\b(?P<name>[A-Za-z_]\w*)\s*(?:=\s*(?P<initial>.+))?")
_BRACE = pattern(r'[{}]|"(?:\\.|[^"\\\n])*"')
_ABORT = pattern(r'\babort\b\s*(?:\(\s*\))?\s*(?P<text>"(?:\\.|[^"\\\n])*")?')
_HALT = pattern(r"\bhalt\b\s*(?:\(\s*\))?")
_ARGUMENT = pattern(r"\$(\d+)")
_RESULT = "$return"
_MOST_BYTES = 1 << 20
_START = "start"


def read_slic(path: Path) -> Rule:
    """The rule of a file; InputError, with its line, for anything else."""
    return slic_of(text_of(path), str(path))


def slic_of(text: str, origin: str) -> Rule:
    """The rule that a text says; InputError with the origin and the line of what is wrong."""
    if len(text) > _MOST_BYTES:
        raise InputError(f"{origin}: too large for a rule")
    plain = _COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    ghosts: list[Ghost] = []
    constants: list[str] = []
    transitions: list[Transition] = []
    for head, body, line in _parts(plain, origin):
        place = f"{origin}:{line}"
        if head["state"]:
            for declared in filter(None, (part.strip() for part in _declared(body))):
                ghosts.append(_ghost(declared, constants, place))
        else:
            transitions.append(_transition(head, body, place))
    name = Path(origin).stem
    automaton = Automaton(
        name, (_START,), tuple(transitions), tuple(ghosts), constants=tuple(constants)
    )
    return Rule(name, name, (automaton,), "", origin)


def _parts(text: str, origin: str) -> Iterator[tuple[re.Match[str], str, int]]:
    """The heads of blocks, each with what stands in its braces and its line."""
    at = 0
    while text[at:].strip():
        head = _HEAD.match(text, at)
        start = at + len(text[at:]) - len(text[at:].lstrip())
        line = 1 + text.count("\n", 0, start)
        if head is None:
            raise InputError(f"{origin}:{line}: expected state, f.entry or f.exit with a block")
        depth, end = 1, head.end()
        while depth:
            brace = _BRACE.search(text, end)
            if brace is None:
                raise InputError(f"{origin}:{line}: the block has no end")
            depth += {"{": 1, "}": -1}.get(brace[0], 0)
            end = brace.end()
        yield head, text[head.end() : end - 1], line
        at = end


def _declared(body: str) -> list[str]:
    return body.split(";")


def _ghost(text: str, constants: list[str], place: str) -> Ghost:
    """A variable of the state; the names of an enumeration become constants."""
    found = _ENUM.fullmatch(text)
    if found is not None:
        constants.append(found["names"].strip())
        return Ghost(found["name"], "int", (found["initial"] or "0").strip())
    found = _VARIABLE.fullmatch(text)
    if found is None:
        raise InputError(f"{place}: {text}: expected a type, a name and perhaps a first value")
    return Ghost(found["name"], found["type"].strip(), (found["initial"] or "0").strip())


def _transition(head: re.Match[str], body: str, place: str) -> Transition:
    """The event does what the body says."""
    when = When.ENTER if head["when"] == "entry" else When.RETURN
    if when is When.ENTER and _RESULT in body:
        raise InputError(f"{place}: a call that begins has no result yet: use exit")
    count = max(map(int, _ARGUMENT.findall(body)), default=0)
    parameters = tuple(
        f"argument{k}" if f"${k}" in body else NOT_BOUND for k in range(1, count + 1)
    )
    result = "result" if _RESULT in body else ""
    event = Event(when, head["name"], (*parameters, OTHERS), result)
    written = _ABORT.sub(lambda found: f"violated({found['text'] or _told(head)})", body)
    written = _HALT.sub("__VERIFIER_assume(0)", written).replace(_RESULT, "result")
    written = _ARGUMENT.sub(r"argument\1", written)
    return Transition(event, actions=(f"{{ {written} }}",), place=place)


def _told(head: re.Match[str]) -> str:
    return f'"abort in {head["name"]}.{head["when"]}"'
