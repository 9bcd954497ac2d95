"""The keywords of `verify` for the most frequent options, beside `options=`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias, TypedDict

from seahorn_py.base.plugins import PlugIn
from seahorn_py.horn.ledger import Approximation, Ledger, LedgerEntry
from seahorn_py.options import Encodings, EngineName, Property, Schedule, VerifyOptions
from seahorn_py.properties import (
    asks_each,
    check_together,
    formula_of,
    is_temporal,
    read_properties,
)

Wanted: TypeAlias = str | Property | Path
"""A property, its name, or the path of a `.prp` file."""


class Shortcuts(TypedDict, total=False):
    """Each keyword overrides the option of its name in `VerifyOptions` or `FrontendOptions`.

    `property` is one or several of: `Property`, names, groups, paths of `.prp` files.  `rules` has
    names and files of rules of use.  `engines` and `encoding` may be names.  `timeout` is in
    seconds.
    """

    property: Wanted | Iterable[Wanted]
    rules: Iterable[str | Path]
    bits: int
    timeout: float
    memory_mib: int
    jobs: int
    strict: bool
    encoding: Encodings | str
    engines: Iterable[EngineName | PlugIn | str]


def applied(options: VerifyOptions, chosen: Shortcuts) -> VerifyOptions:
    """The options with those that are chosen by keywords.

    Raises TypeError for an unknown name, ValueError for a wrong value, and SeaError for a `.prp`
    file that is none.
    """
    found: dict[str, Any] = dict(chosen)
    for name in found:
        if name not in Shortcuts.__annotations__:
            raise TypeError(_unknown(name))
    frontend = {name: found.pop(name) for name in ("bits",) if name in found}
    if "property" in found:
        wanted = found.pop("property")
        frontend["properties"] = _properties(wanted)
        frontend["formula"] = formula_of(
            one for one in _listed(wanted) if isinstance(one, str | Path)
        )
        found["each_property"] = asks_each(_listed(wanted))
    if "rules" in found:
        frontend["rules"] = tuple(map(str, _several("rules", found.pop("rules"))))
    if "engines" in found and not isinstance(found["engines"], str):
        found["engines"] = tuple(_several("engines", found["engines"]))
    if frontend:
        found["frontend"] = replace(options.frontend, **frontend)
    return replace(options, **found)


def paths_of(files: str | Path | Iterable[str | Path]) -> list[Path]:
    """The files of a program.  Raises ValueError for none, and for something that is no path."""
    given = [files] if isinstance(files, str | PathLike) else list(_several("files", files))
    if not given or not all(isinstance(one, str | PathLike) for one in given):
        raise ValueError(f"files={tuple(given)!r}: expected a path, or several")
    return [Path(one) for one in given]


def _several(name: str, given: Any) -> Iterable[Any]:
    """The given values.  Raises ValueError if there is only one, which cannot be iterated."""
    if not isinstance(given, Iterable) or isinstance(given, bytes | bytearray):
        raise ValueError(f"{name}={given!r}: expected one, or several")
    return given


def _unknown(name: str) -> str:
    import difflib  # costs start-up time

    near = difflib.get_close_matches(name, Shortcuts.__annotations__, 1, cutoff=0.0)
    return f"verify() has no option {name!r}; did you mean {near[0]!r}?"


def _properties(given: Wanted | Iterable[Wanted]) -> frozenset[Property | str]:
    """The given properties; `.prp` files and groups become the properties in them."""
    several = _listed(given)
    if not several:
        raise ValueError("property=(): expected a property, or several")
    found: set[Property | str] = set()
    for one in several:
        is_file = isinstance(one, Path) or (isinstance(one, str) and one.endswith(".prp"))
        is_more = isinstance(one, str) and (asks_each([one]) or is_temporal(one))
        if is_file or is_more:
            found.update(read_properties([one]))
        else:
            found.add(one)
    return frozenset(found)


def _listed(given: Wanted | Iterable[Wanted]) -> list[Any]:
    single = isinstance(given, str | Property | Path)
    return [given] if single else list(_several("property", given))


def check_choices(options: VerifyOptions) -> None:
    """Raises SeaError if options do not go together, or an engine does not know its choice."""
    if options.abstraction.choices or options.schedule != Schedule():
        from seahorn_py.verification.encodings.one_encoding import (
            check_engines,  # costs start-up time
        )

        check_engines(options)
    check_together(options.frontend, options.each_property)


def plugged_in(options: VerifyOptions) -> Ledger:
    """What the ledger says of plug-ins that take part, which are loaded; SeaError if one is not.

    It says of files of rules which ones they are.  Without a name that could be a plug-in nothing
    is looked for.
    """
    files = _rule_files(options)
    if not has_plug_ins(options):
        return files
    from seahorn_py.verification.plugged import load_all  # costs start-up time

    return (*load_all(options), *files)


def _rule_files(options: VerifyOptions) -> Ledger:
    """The digests of rules of use that are files."""
    if not options.frontend.rules:
        return ()
    from hashlib import sha256

    from seahorn_py.frontend.rules.known import is_file

    said = "the rule in {} is what is asked for, sha256 {}"
    files = [Path(one) for one in options.frontend.rules if is_file(one) and Path(one).is_file()]
    return tuple(
        LedgerEntry(Approximation.ASSUMED, said.format(file, sha256(file.read_bytes()).hexdigest()))
        for file in files
    )


def has_plug_ins(options: VerifyOptions) -> bool:
    """Whether the options name a plug-in."""
    plans = (one for plan in (options.schedule.int, options.schedule.bv) for one in plan or ())
    engines = (*options.engines, *(one.engine for one in plans))
    asked = any(isinstance(one, PlugIn) for one in engines) or options.passes
    return bool(asked or options.frontend.library_models) or _has_rules(options)


def _has_rules(options: VerifyOptions) -> bool:
    """Whether a rule is one of a plug-in."""
    if not options.frontend.rules:
        return False
    from seahorn_py.frontend.rules.known import plug_in_of  # costs start-up time

    return any(plug_in_of(rule) is not None for rule in options.frontend.rules)
