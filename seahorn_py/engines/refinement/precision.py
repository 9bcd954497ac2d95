"""Precisions: the predicates of each relation, and the parameters whose values are followed.

A precision only grows.  As text it is JSON,

    {"integers": {RELATION: [PREDICATE]}, "bit-vectors": {RELATION: [PREDICATE]}}

with predicates in SMT-LIB over the names of the relation's parameters, so that it survives small
changes of the program: what does not fit any more is left out when it is read.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from pathlib import Path

from seahorn_py.base.errors import InputError
from seahorn_py.base.records import dataclass
from seahorn_py.horn.system import HornSystem, Relation
from seahorn_py.logic.terms import terms
from seahorn_py.logic.terms.terms import Term
from seahorn_py.logic.text.smtlib import parse_term, print_symbol, print_term

INTEGERS = "integers"
BITS = "bit-vectors"


@dataclass(frozen=True)
class Precision:
    """Predicates over the parameters of relations, in the order in which they were found.

    `followed` are the parameters of a relation whose values are part of its abstract states.
    """

    predicates: Mapping[str, tuple[Term, ...]] = field(default_factory=dict)
    followed: Mapping[str, tuple[Term, ...]] = field(default_factory=dict)

    def of(self, relation: str) -> tuple[Term, ...]:
        """The predicates of a relation."""
        return self.predicates.get(relation, ())

    def values(self, relation: str) -> tuple[Term, ...]:
        """The parameters of a relation that are followed."""
        return self.followed.get(relation, ())

    def plus(self, found: Iterable[tuple[str, Term]]) -> Precision:
        """With more predicates."""
        return Precision(_merged(self.predicates, found), self.followed)

    def following(self, found: Iterable[tuple[str, Term]]) -> Precision:
        """With more parameters followed."""
        return Precision(self.predicates, _merged(self.followed, found))

    def beyond(self, other: Precision) -> Mapping[str, tuple[Term, ...]]:
        """The predicates and followed parameters that another precision does not have."""
        found: dict[str, tuple[Term, ...]] = {}
        for mine, known in ((self.predicates, other.of), (self.followed, other.values)):
            for name, own in mine.items():
                old = set(known(name))
                new = tuple(term for term in own if term not in old)
                if new:
                    found[name] = found.get(name, ()) + new
        return found

    @property
    def pairs(self) -> Iterator[tuple[str, Term]]:
        """The predicates, each with its relation."""
        return ((name, p) for name, own in self.predicates.items() for p in own)

    @property
    def size(self) -> int:
        """How many predicates and followed parameters there are."""
        return sum(len(of) for part in (self.predicates, self.followed) for of in part.values())


def _merged(
    known: Mapping[str, tuple[Term, ...]], found: Iterable[tuple[str, Term]]
) -> dict[str, tuple[Term, ...]]:
    merged = {name: dict.fromkeys(of) for name, of in known.items()}
    for name, term in found:
        merged.setdefault(name, {})[term] = None
    return {name: tuple(of) for name, of in merged.items()}


# ------------------------------------------------------------------------------------------- text


def section(system: HornSystem) -> str:
    """The part of a text in which the predicates of a system stand."""
    sorts = (p.sort for r in system.relations.values() for p in r.parameters)
    return BITS if any(sort.is_bv_type() for sort in sorts) else INTEGERS


def precision_to_text(precision: Precision, system: HornSystem, old: str = "") -> str:
    """The text; sections of an older text that are not this system's stay."""
    found = {
        name: [print_term(p) for p in precision.of(name)]
        for name in system.relations
        if precision.of(name)
    }
    sections = _sections(old, "precision") if old.strip() else {}
    return json.dumps({**sections, section(system): found}, indent=1) + "\n"


def precision_from_text(text: str, system: HornSystem, source: str = "precision") -> Precision:
    """The predicates of a text that fit a system; InputError when it is no such text."""
    return _fitting_all(_sections(text, source), system, source)


def _fitting_all(
    sections: dict[str, dict[str, list[str]]], system: HornSystem, source: str
) -> Precision:
    found = []
    for name, predicates in sections.get(section(system), {}).items():
        relation = system.relations.get(name)
        if relation is not None:
            read = (_fitting(predicate, relation, source) for predicate in predicates)
            found += [(name, term) for term in read if term is not None]
    return Precision().plus(found)


def read_precision(file: Path, system: HornSystem) -> Precision:
    """The precision in a file, nothing where there is no file; InputError for another text."""
    return _fitting_all(sections_in(file), system, str(file))


def sections_in(file: Path) -> dict[str, dict[str, list[str]]]:
    """The sections of a file, none where there is no file yet; InputError for another text."""
    if not file.parent.is_dir():
        raise InputError(f"{file}: there is no such folder")
    try:
        return _sections(file.read_text(encoding="utf-8"), str(file))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not a text file"
        raise InputError(f"{file}: cannot read: {why}") from None


def write_precision(file: Path, precision: Precision, system: HornSystem) -> None:
    """Put a precision into its section of a file; a file that cannot be written stays as it is."""
    try:
        old = file.read_text(encoding="utf-8") if file.exists() else ""
        text = precision_to_text(precision, system, old)
        handle, name = tempfile.mkstemp(dir=file.parent)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        Path(name).replace(file)
    except OSError:
        return


def _sections(text: str, source: str) -> dict[str, dict[str, list[str]]]:
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{source}:{error.lineno}: not JSON") from None
    except (ValueError, RecursionError) as error:  # numbers that are too long, deep nesting
        raise InputError(f"{source}: not a precision: {error}") from None
    lists = [
        one
        for of in (data.values() if isinstance(data, dict) else (None,))
        for one in (of.values() if isinstance(of, dict) else (None,))
    ]
    if not all(isinstance(one, list) and all(isinstance(p, str) for p in one) for one in lists):
        raise InputError(f"{source}: a precision has predicates for each relation, in sections")
    return dict(data)


def _fitting(text: str, relation: Relation, source: str) -> Term | None:
    """The predicate over the parameters of a relation; None where the relation has changed."""
    names = {print_symbol(s).strip("|"): s for s in relation.symbols}
    try:
        term = parse_term(text, names, source)
    except InputError:
        return None
    return term if terms.sort_of(term) is terms.BOOL else None
