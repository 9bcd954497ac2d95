"""Rules from YAML files of ours.

    rule: lock-in-turn
    about: a lock is taken and given back in turn
    per: lock                       # an automaton for each object; without it one for the program
    states: [free, held]            # the first is where it begins
    ghosts: {depth: int = 0}
    on:
      - enter: take_lock(lock)
        in: held
        error: the lock is taken twice
      - return: take_lock(lock) = result
        if: result == 0
        to: held
      - end:
        in: held
        error: the lock is held at the end

`docs/reference/rules.md` says what each key means.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import yaml

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
from seahorn_py.frontend.rules.patterns import FORMS, automaton_of
from seahorn_py.processes.textfile import text_of

_OF_AUTOMATON = ("per", "nothing", "before-conversion", "states", "ghosts")
_KEYS = ("rule", "about", "page", *_OF_AUTOMATON, "on", "pattern")
_OF_TRANSITION = (*(when.value for when in When), "in", "if", "do", "to", "error", "block", "new")
_NAME = r"[A-Za-z_]\w*"
_EVENT = pattern(
    rf"(?P<name>[\w*?\[\]]+)\s*\((?P<parameters>[^()]*)\)\s*(?:=\s*(?P<result>{_NAME})\s*)?"
)
_ACCESS = pattern(rf"(?P<name>{_NAME})\s*(?:=\s*(?P<result>{_NAME})\s*)?")
_GHOST = pattern(r"(?P<type>[^=]+?)\s*(?:=\s*(?P<initial>.+))?")
_WORD = pattern(rf"{_NAME}(?:-\w+)*")
_NUMBER = pattern(r"-?\d{1,9}")
_START = "start"
_MOST_BYTES = 1 << 20


def read_rule(path: Path) -> Rule:
    """The rule of a file; InputError, with its line, for anything else."""
    return rule_of(text_of(path), str(path))


def rule_of(text: str, origin: str) -> Rule:
    """The rule that a text says; InputError with the origin and the line of what is wrong."""
    if len(text) > _MOST_BYTES:
        raise InputError(f"{origin}: too large for a rule")
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise InputError(f"{origin}: no YAML: {str(error).replace(chr(10), ' ')}") from None
    return _Reading(origin).rule(root)


class _Reading:
    """Reads the nodes of one file."""

    def __init__(self, origin: str) -> None:
        self._origin = origin

    def rule(self, root: yaml.Node | None) -> Rule:
        keys = self._mapping(root, _KEYS)
        if "rule" not in keys:
            raise self._wrong(root, "a rule needs the key rule")
        if ("on" in keys) == ("pattern" in keys):
            raise self._wrong(root, "a rule needs the key on, or the key pattern in its place")
        name = self._matching(keys["rule"], _WORD, "a name of letters, digits and -")
        about = self._text(keys["about"]) if "about" in keys else name
        page = self._text(keys["page"]) if "page" in keys else ""
        made = self._of_pattern if "pattern" in keys else self._automaton
        return Rule(name, about, (made(name, keys),), page, self._origin)

    def _automaton(self, name: str, keys: Mapping[str, yaml.Node]) -> Automaton:
        states = self._states(keys["states"]) if "states" in keys else (_START,)
        per = self._matching(keys["per"], re.compile(_NAME), "a name") if "per" in keys else ""
        nothing = "0"
        if "nothing" in keys:
            nothing = self._matching(keys["nothing"], _NUMBER, "a number")
            if not per:
                raise self._wrong(keys["nothing"], "nothing: there is no object without per")
        ghosts = tuple(self._ghosts(keys["ghosts"])) if "ghosts" in keys else ()
        transitions = tuple(self._transition(node, states, per) for node in self._items(keys["on"]))
        written = "before-conversion" in keys and self._flag(keys["before-conversion"])
        return Automaton(name, states, transitions, ghosts, per, int(nothing), written)

    def _states(self, node: yaml.Node) -> tuple[str, ...]:
        states = tuple(self._texts(node))
        if len(set(states)) < len(states) or not states:
            raise self._wrong(node, "expected states with different names")
        for state in states:
            if not re.fullmatch(_NAME, state):
                raise self._wrong(node, f"{state}: a state is called by a name of C")
        return states

    def _of_pattern(self, name: str, keys: Mapping[str, yaml.Node]) -> Automaton:
        """The automaton of a pattern, which has nothing beside."""
        node = keys["pattern"]
        for other in _OF_AUTOMATON:
            if other in keys:
                raise self._wrong(keys[other], f"{other}: a pattern needs names alone")
        words = self._mapping(node, tuple(word for form in FORMS for word in form))
        if frozenset(words) not in map(frozenset, FORMS):
            forms = "; ".join(", ".join(form) for form in FORMS)
            raise self._wrong(node, f"expected the keys of one pattern: {forms}")
        wanted = re.compile(r"[\w*?\[\]]+")
        given = {k: self._matching(v, wanted, "the name of a function") for k, v in words.items()}
        place = f"{self._origin}:{node.start_mark.line + 1}"
        return automaton_of(name, given, place)

    def _transition(self, node: yaml.Node, states: tuple[str, ...], per: str) -> Transition:
        keys = self._mapping(node, _OF_TRANSITION)
        kinds = [when for when in When if when.value in keys]
        if len(kinds) != 1:
            names = ", ".join(when.value for when in When)
            raise self._wrong(node, f"expected one event: {names}")
        event = self._event(kinds[0], keys[kinds[0].value])
        sources = tuple(self._texts(keys["in"])) if "in" in keys else ()
        target = self._text(keys["to"]) if "to" in keys else ""
        for state in (*sources, *([target] if target else [])):
            if state not in states:
                raise self._wrong(node, f"there is no state {state}{_nearest(state, states)}")
        made = Transition(
            event,
            sources,
            self._text(keys["if"]) if "if" in keys else "",
            tuple(self._texts(keys["do"])) if "do" in keys else (),
            target,
            self._text(keys["error"]) if "error" in keys else "",
            "block" in keys and self._flag(keys["block"]),
            is_birth="new" in keys and self._flag(keys["new"]),
            place=f"{self._origin}:{node.start_mark.line + 1}",
        )
        self._check(node, made, per)
        return made

    def _check(self, node: yaml.Node, made: Transition, per: str) -> None:
        if made.error and (made.target or made.actions or made.blocks):
            raise self._wrong(node, "the run ends with an error: nothing can follow")
        if made.is_birth and per not in made.event.bound:
            raise self._wrong(node, "new: the event does not bind the object")
        if made.is_birth and made.event.when is not When.RETURN:
            raise self._wrong(node, "new: an object is made when a call returns")

    def _event(self, when: When, node: yaml.Node) -> Event:
        text = self._text(node).strip()
        if when is When.END:
            if text:
                raise self._wrong(node, "the end has no name")
            return Event(when)
        is_call = when in (When.ENTER, When.RETURN)
        found = (_EVENT if is_call else _ACCESS).fullmatch(text)
        if found is None:
            form = "f(a, b) = result" if is_call else "global = value"
            raise self._wrong(node, f"{text}: expected {form}")
        result = found["result"] or ""
        if when is When.ENTER and result:
            raise self._wrong(node, "a call that begins has no result yet: use return")
        parameters = tuple(self._parameters(node, found["parameters"])) if is_call else ()
        return Event(when, found["name"], parameters, result)

    def _parameters(self, node: yaml.Node, text: str) -> Iterator[str]:
        names = [part.strip() for part in text.split(",")] if text.strip() else []
        for k, name in enumerate(names):
            if name == OTHERS and k + 1 < len(names):
                raise self._wrong(node, "nothing can stand behind ...")
            if name not in (OTHERS, NOT_BOUND) and not re.fullmatch(_NAME, name):
                raise self._wrong(node, f"{name}: a parameter is bound to a name of C, or _")
            yield name

    def _ghosts(self, node: yaml.Node) -> Iterator[Ghost]:
        for key, value in self._pairs(node):
            name = self._matching(key, re.compile(_NAME), "a name of C")
            found = _GHOST.fullmatch(self._text(value).strip())
            if found is None:
                raise self._wrong(value, "expected a type of C, and = with a first value")
            is_set = found["type"] == "set"
            if is_set and found["initial"]:
                raise self._wrong(value, "a set is empty at first")
            yield Ghost(name, found["type"], found["initial"] or "0", is_set)

    # ------------------------------------------------------------------------------------- nodes

    def _wrong(self, node: yaml.Node | None, text: str) -> InputError:
        line = f":{node.start_mark.line + 1}" if node is not None else ""
        return InputError(f"{self._origin}{line}: {text}")

    def _pairs(self, node: yaml.Node | None) -> list[tuple[yaml.Node, yaml.Node]]:
        if not isinstance(node, yaml.MappingNode):
            raise self._wrong(node, "expected keys with values")
        return list(node.value)

    def _mapping(self, node: yaml.Node | None, known: tuple[str, ...]) -> Mapping[str, yaml.Node]:
        found: dict[str, yaml.Node] = {}
        for key, value in self._pairs(node):
            name = self._text(key)
            if name not in known:
                raise self._wrong(key, f"unknown key {name}{_nearest(name, known)}")
            if name in found:
                raise self._wrong(key, f"the key {name} stands twice")
            found[name] = value
        return found

    def _items(self, node: yaml.Node) -> list[yaml.Node]:
        if not isinstance(node, yaml.SequenceNode):
            raise self._wrong(node, "expected a list")
        return list(node.value)

    def _text(self, node: yaml.Node) -> str:
        if not isinstance(node, yaml.ScalarNode):
            raise self._wrong(node, "expected a text")
        return str(node.value)

    def _texts(self, node: yaml.Node) -> list[str]:
        if isinstance(node, yaml.SequenceNode):
            return [self._text(item) for item in node.value]
        return [self._text(node)]

    def _matching(self, node: yaml.Node, pattern: re.Pattern[str], what: str) -> str:
        text = self._text(node)
        if not pattern.fullmatch(text):
            raise self._wrong(node, f"{text}: expected {what}")
        return text

    def _flag(self, node: yaml.Node) -> bool:
        text = self._text(node)
        if text not in ("true", "false"):
            raise self._wrong(node, f"{text}: expected true or false")
        return text == "true"


def _nearest(name: str, known: tuple[str, ...]) -> str:
    found = difflib.get_close_matches(name, known, 1)
    return f" (meant: {found[0]}?)" if found else f" (known: {', '.join(known)})"
