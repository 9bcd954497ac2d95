"""The rules that come with the program, and those of files."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from seahorn_py.base.errors import InputError
from seahorn_py.base.plugins import Kind, PlugIn, find
from seahorn_py.frontend.library.contracts import Source, contract_of
from seahorn_py.frontend.rules.automaton import Rule, When, matching

ALL = "all"
_OURS = (".yml", ".yaml")
_AUTOMATA = ".spc"
_SLIC = ".slic"


@functools.cache
def pack() -> Mapping[str, Rule]:
    """The rules that come with the program, by name."""
    from seahorn_py.frontend.rules.rulefiles import rule_of  # loads slowly

    folder = resources.files("seahorn_py.frontend.rules") / "pack"
    files = sorted((f for f in folder.iterdir() if f.name.endswith(_OURS)), key=lambda f: f.name)
    rules = [rule_of(file.read_text(encoding="utf-8"), f"<rules>/{file.name}") for file in files]
    return {rule.name: rule for rule in rules}


def names(given: tuple[str, ...]) -> tuple[str, ...]:
    """The rules that are asked for, each once; `all` stands for those of the pack."""
    found = [n for name in given for n in (pack() if name == ALL else (name,))]
    return tuple(dict.fromkeys(found))


@functools.cache
def rule(given: str) -> Rule:
    """The rule of that name, or that a file has; InputError if there is none."""
    if given.endswith(_AUTOMATA):
        from seahorn_py.frontend.rules.spc import read_automata

        return read_automata(Path(given))
    if given.endswith(_SLIC):
        from seahorn_py.frontend.rules.slic import read_slic

        return read_slic(Path(given))
    if given.endswith(_OURS):
        from seahorn_py.frontend.rules.rulefiles import read_rule

        return read_rule(Path(given))
    found = pack().get(given) or _plugged(given)
    if found is None:
        import difflib

        near = difflib.get_close_matches(given, list(pack()), 1)
        hint = f"; did you mean {near[0]}?" if near else "; `sea-py rules` lists them"
        raise InputError(f"there is no rule {given}{hint}")
    return found


def is_file(given: str) -> bool:
    """Whether this is the path of a rule file, not a name."""
    return given.endswith((*_OURS, _AUTOMATA, _SLIC))


def plug_in_of(given: str) -> PlugIn | None:
    """The plug-in that has the rule RULE or PACK:RULE; None for a file and for a rule of ours."""
    if given == ALL or is_file(given) or given in pack():
        return None
    return find(Kind.RULE, given.partition(":")[0])


def _plugged(given: str) -> Rule | None:
    """The rule that a plug-in has under this name; SeaError if it is none."""
    from seahorn_py.frontend.rules.rulefiles import rule_of

    plugin = plug_in_of(given)
    if plugin is None:
        return None
    texts = plugin.load(_texts, "a rule as YAML text, a path of one, or texts by names of rules")
    text = texts.get(given.partition(":")[2])
    if text is None:
        names = ", ".join(f"{plugin.name}:{name}" for name in texts)
        raise InputError(f"{plugin} has no rule {given}; known: {names}")
    return rule_of(text, f"<{plugin.distribution}>/{given}")


def _texts(found: object) -> Mapping[str, str] | None:
    """The texts of rules by name, of a single one under no name."""
    if isinstance(found, Path):
        return {"": found.read_text(encoding="utf-8")}
    if isinstance(found, Mapping):
        return {str(name): str(text) for name, text in found.items()}
    return {"": found} if isinstance(found, str) else None


def tell_objects_apart(given: tuple[str, ...]) -> bool:
    """Whether one of the rules tells objects apart by their addresses."""
    return any(
        automaton.tells_objects_apart for one in map(rule, given) for automaton in one.automata
    )


def watches(given: tuple[str, ...], name: str) -> bool:
    """Whether one of the rules is about calls of a function."""
    return any(
        matching(automaton, when, name)
        for one in map(rule, given)
        for automaton in one.automata
        for when in (When.ENTER, When.RETURN)
    )


def is_unknown(name: str) -> bool:
    """Whether no model says what a function without body gives."""
    contract = contract_of(name)
    return contract is None or contract.source is Source.UNKNOWN
