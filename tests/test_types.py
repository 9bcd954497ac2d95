"""Types say something: how few are `Any`, and that stubs describe the libraries that are there."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
TYPINGS = ROOT / "typings"
MOST_ANYLIKE = 0.02


# ----------------------------------------------------------------------------- what says nothing


def anylike() -> ModuleType:
    loader = SourceFileLoader("anylike", str(ROOT / "scripts" / "anylike"))
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None
    script = module_from_spec(spec)
    sys.modules[loader.name] = script  # where dataclasses look for it
    loader.exec_module(script)
    return script


def test_few_annotations_say_nothing() -> None:
    script = anylike()
    every = list(script.Annotations(script.sources()).all())
    for of_results in (False, True):
        found = [a for a in every if of_results != bool(a.parameter)]
        assert len(found) > 1000
        those = [str(a) for a in found if a.is_anylike]
        assert len(those) <= MOST_ANYLIKE * len(found), those


PLANTED = """
from typing import Any, Callable, Literal, TypeAlias, TypeVar
import other
from other import Opaque as Blind, Row
Json = dict[str, Any]
Tree: TypeAlias = "str | list[Tree]"
F = TypeVar("F", bound=Callable[..., Any])
class C:
    def __eq__(self, other: object) -> bool: ...
    def method(self, {parameter}) -> None:
        def inner(self, {parameter}) -> None: ...
"""
SAYS_NOTHING = ("Any", "object", "list", "dict[str, Any]", "Callable[..., Any]", "Callable", "Json")
SAYS_NOTHING += ("int | Json", "'list[Any]'", "Blind", "other.Opaque", "list[other.Opaque]", "Row")
SAYS_MUCH = (
    "int",
    "list[int]",
    "Tree",
    "Literal['Any']",
    "F",
    "Callable[[int], str]",
    "unknown.Any",
)


@pytest.mark.parametrize("annotation", [*SAYS_NOTHING, *SAYS_MUCH])
def test_what_says_nothing_is_found(annotation: str) -> None:
    other = "from typing import Any\nOpaque = Any\nRow = tuple[int, 'Opaque']\n"
    texts = {"one": PLANTED.format(parameter=f"p: {annotation}"), "other": other}
    found = [a for a in anylike().Annotations(texts).all() if a.parameter == "p"]
    assert [a.is_anylike for a in found] == [annotation in SAYS_NOTHING] * 2


# ----------------------------------------------------------------------------------------- stubs


def stubs() -> Iterator[tuple[str, ast.Module]]:
    for file in sorted(TYPINGS.rglob("*.pyi")):
        name = ".".join(file.relative_to(TYPINGS).with_suffix("").parts)
        yield name.removesuffix(".__init__"), ast.parse(file.read_text())


STUBS = dict(stubs())


def differences(name: str, stub: ast.Module, real: ModuleType) -> Iterator[str]:
    """What a stub says and the module does not have."""
    for node in stub.body:
        match node:
            case ast.ClassDef(name=named) | ast.FunctionDef(name=named):
                pass
            case (
                ast.AnnAssign(target=ast.Name(id=named)) | ast.Assign(targets=[ast.Name(id=named)])
            ):
                pass
            case _:
                continue
        if named.startswith("_"):  # for other annotations in the stub
            continue
        if not hasattr(real, named):
            yield f"{name}.{named}"
        elif isinstance(node, ast.ClassDef):
            yield from class_differences(f"{name}.{named}", node, getattr(real, named))
        elif isinstance(node, ast.FunctionDef):
            yield from call_differences(f"{name}.{named}", node, getattr(real, named))


def class_differences(name: str, stub: ast.ClassDef, real: type) -> Iterator[str]:
    """A member may be one of a subclass, since the class of a receiver is not narrowed."""
    for node in stub.body:
        match node:
            case ast.ClassDef(name=member):
                yield from class_differences(f"{name}.{member}", node, getattr(real, member))
            case ast.FunctionDef(name="__iter__") if hasattr(real, "__getitem__"):
                pass
            case ast.FunctionDef(name=member):
                made = "__new__" if member == "__init__" else member  # classes of C have only that
                found = next(chain(members(real, member), members(real, made)), None)
                if found is None:
                    yield f"{name}.{member}"
                elif not member.startswith("__") or inspect.isfunction(found):
                    yield from call_differences(f"{name}.{member}", node, found)
            case ast.AnnAssign(target=ast.Name(id=member)):
                if not hasattr(real, member) and not assigns(real, member):
                    yield f"{name}.{member}"
            case ast.Assign(targets=[ast.Name(id=member)]) if not hasattr(real, member):
                yield f"{name}.{member}"


def assigns(real: type, name: str) -> bool:
    """Whether methods of a class set an attribute."""
    try:
        text = inspect.getsource(real)
    except (OSError, TypeError):
        return False
    return re.search(rf"\bself\.{name}\b[^=\n]*=[^=]", text) is not None


def members(real: type, name: str) -> Iterator[object]:
    """What has this name in a class, in those above it but `object`, or in those below it."""
    yield from (vars(one)[name] for one in real.__mro__[:-1] if name in vars(one))
    for child in real.__subclasses__():
        yield from members(child, name)


def call_differences(name: str, stub: ast.FunctionDef, real: Any) -> Iterator[str]:
    """Whether calls as the stub has them, with all arguments and with few, fit."""
    is_property = any(isinstance(d, ast.Name) and d.id == "property" for d in stub.decorator_list)
    if is_property:
        return
    try:
        signature = inspect.signature(getattr(real, "__func__", real))
    except (TypeError, ValueError):  # some of C do not tell
        return
    given = stub.args
    positional = [*given.posonlyargs, *given.args]
    named = {a.arg: None for a in given.kwonlyargs}
    needed = {
        a.arg: None for a, d in zip(given.kwonlyargs, given.kw_defaults, strict=True) if d is None
    }
    few = positional[: len(positional) - len(given.defaults)]
    for arguments, keywords in ((positional, named), (few, needed)):
        try:
            signature.bind(*arguments, **keywords)
        except TypeError as error:
            yield f"{name}: {error}"
    for parameter in given.args:
        variadic = any(
            p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in signature.parameters.values()
        )
        if parameter.arg not in signature.parameters and parameter.arg != "self" and not variadic:
            yield f"{name}: no parameter {parameter.arg}"


@pytest.mark.parametrize("name", STUBS)
def test_libraries_have_what_stubs_say(name: str) -> None:
    real = importlib.import_module(name) if name != "distributed" else pytest.importorskip(name)
    assert not list(differences(name, STUBS[name], real))


WRONG = """
class Fraction:
    absent: int
    _numerator: int
    def limit(self) -> Fraction: ...
    def limit_denominator(self, most: int) -> Fraction: ...
    def as_integer_ratio(self, one: int) -> tuple[int, int]: ...
    @property
    def numerator(self) -> int: ...
class Number: ...
def gcd(*numbers: int) -> int: ...
Decimal: type
"""


def test_what_a_library_does_not_have_is_found() -> None:
    found = list(differences("fractions", ast.parse(WRONG), importlib.import_module("fractions")))
    names = [text.partition(":")[0].removeprefix("fractions.") for text in found]
    assert list(dict.fromkeys(names)) == [
        "Fraction.absent",
        "Fraction.limit",
        "Fraction.limit_denominator",
        "Fraction.as_integer_ratio",
        "Number",
        "gcd",
    ]
