"""Our dataclasses behave as those of the standard library, whose methods come later."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import itertools
import pickle
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, ClassVar

import pytest

from seahorn_py.base import records

Decorator = Callable[..., Any]
CHOICES = [
    dict(zip(("eq", "order", "unsafe_hash", "frozen", "slots", "kw_only"), values, strict=True))
    for values in itertools.product((True, False), repeat=6)
    if values[0] or not values[1]  # an order needs equality
]


def pair(decorator: Decorator, **chosen: bool) -> Any:
    @decorator(**chosen)
    class Pair:
        one: int
        two: list[int] = dataclasses.field(default_factory=list, compare=False)
        three: str = dataclasses.field(default="x", repr=False)
        known: ClassVar[int] = 7

        def total(self) -> int:
            return self.one + len(self.two)

    return Pair


def told(work: Callable[[], object]) -> object:
    """What comes of it, or the error in words."""
    try:
        return work()
    except (TypeError, AttributeError) as error:
        return type(error), str(error)


def behaviour(pair: Any) -> list[object]:
    """What can be seen of a class of pairs, with its methods in one order of their first calls."""
    makers: list[Callable[[], Any]] = [
        lambda: pair(one=1, two=[2]),
        lambda: pair(one=1, three="y"),
        lambda: pair(1, [3]),
        lambda: pair(),
        lambda: pair(one=1, four=4),
    ]
    a, b = pair(one=1, two=[2]), pair(one=1, two=[3])
    works: list[Callable[[], object]] = [
        *(lambda make=make: repr(make()) for make in makers),
        lambda: (a == b, a != b, a == 1, a == pair(one=2)),
        lambda: [a < pair(one=2), a >= b],
        lambda: hash(a) == hash(b),
        lambda: hash(a) == hash((1, "x")),
        lambda: pair.__hash__ is None,
        lambda: setattr(a, "one", 5),
        lambda: delattr(b, "three"),
        lambda: repr(a),
        lambda: dataclasses.asdict(pair(one=4)),
        lambda: repr(dataclasses.replace(pair(one=4), three="z")),
        lambda: repr(copy.copy(pair(one=4))),
        lambda: [field.name for field in dataclasses.fields(pair)],
        lambda: pair.__match_args__,
        lambda: hasattr(pair(one=1), "__dict__"),
        lambda: pair(one=1, two=[1]).total(),
    ]
    return [told(work) for work in works]


@pytest.mark.parametrize("chosen", CHOICES, ids=str)
def test_all_can_be_seen_as_of_the_standard_library(chosen: dict[str, bool]) -> None:
    ours, theirs = pair(records.dataclass, **chosen), pair(dataclasses.dataclass, **chosen)
    assert behaviour(ours) == behaviour(theirs)
    assert behaviour(ours) == behaviour(pair(dataclasses.dataclass, **chosen))


def family(decorator: Decorator) -> ModuleType:
    """A module with classes that inherit, have methods of their own, and check their values."""
    module = ModuleType("family")
    sys.modules["family"] = module
    text = '''
from __future__ import annotations
import functools

@dataclass(frozen=True, slots=True)
class Base:
    name: str

    def __post_init__(self):
        if not self.name:
            raise ValueError("no name")

@dataclass(frozen=True, slots=True)
class Derived(Base):
    sizes: tuple[int, ...] = ()

    def __repr__(self):
        return f"<{self.name}>"

@dataclass(frozen=True)
class Hashed(Base):
    more: int = 0

    def __eq__(self, other):
        return isinstance(other, Hashed)

    def __hash__(self):
        return 5

    @functools.cached_property
    def twice(self):
        return 2 * self.more

@dataclass
class Open:
    """Words."""
    value: int = 0
'''
    module.dataclass = decorator  # type: ignore[attr-defined]
    exec(text, vars(module))
    return module


def seen(module: ModuleType) -> list[object]:
    derived, hashed = module.Derived("a", (1, 2)), module.Hashed("b", more=3)
    match derived:
        case module.Derived(name, sizes):
            matched = name, sizes
    opened = module.Open()
    opened.value += 1
    return [
        repr(derived),
        repr(module.Base("c")),
        matched,
        derived == module.Derived("a", (1, 2)),
        derived == module.Base("a"),
        hash(derived) == hash(("a", (1, 2))),
        hash(hashed),
        hashed == module.Hashed("other"),
        hashed.twice,
        opened,
        module.Open.__doc__,
        pickle.loads(pickle.dumps(derived)) == derived,
        pickle.loads(pickle.dumps(hashed)).more,
        copy.deepcopy(derived) == derived,
    ]


def test_classes_inherit_and_keep_what_they_define() -> None:
    try:
        theirs = list(map(repr, seen(family(dataclasses.dataclass))))
        ours = list(map(repr, seen(module := family(records.dataclass))))
        assert ours == theirs
        with pytest.raises(ValueError, match="no name"):
            module.Derived("")
    finally:
        del sys.modules["family"]


@dataclasses.dataclass(frozen=True)
class Theirs:
    one: int


@records.dataclass(frozen=True)
class Ours:
    one: int


@pytest.mark.parametrize("base", [Theirs, Ours])
@pytest.mark.parametrize("decorator", [dataclasses.dataclass, records.dataclass])
def test_either_kind_inherits_from_either(base: type, decorator: Decorator) -> None:
    class Heir(base):  # type: ignore[misc]
        two: int = 2

    with pytest.raises(TypeError, match="cannot inherit non-frozen dataclass from a frozen one"):
        decorator(type("Open", (base,), {}))
    heir: Any = decorator(frozen=True)(Heir)
    assert heir(1) == heir(1, 2) != heir(1, 3)
    assert hash(heir(1)) == hash((1, 2))
    with pytest.raises(dataclasses.FrozenInstanceError):
        heir(1).two = 3
    with pytest.raises(dataclasses.FrozenInstanceError):
        del heir(1).one


def test_a_method_is_generated_once_and_only_when_it_is_called() -> None:
    made = pair(records.dataclass, frozen=True)
    before = made.__eq__
    one = made(1)
    generated = made.__init__
    assert made(1) == one
    assert made.__init__ is generated
    assert made.__eq__ is not before


def test_the_parameters_of_a_class_can_be_inspected() -> None:
    @records.dataclass(frozen=True)
    class Ours:
        one: int
        two: tuple[int, ...] = (1,)
        three: list[int] = dataclasses.field(default_factory=list)

    @dataclasses.dataclass(frozen=True)
    class Theirs:
        one: int
        two: tuple[int, ...] = (1,)
        three: list[int] = dataclasses.field(default_factory=list)

    assert str(inspect.signature(Ours)) == str(inspect.signature(Theirs))
    assert not hasattr(Ours(1), "__signature__")


def test_fields_are_read_when_somebody_asks() -> None:
    @records.dataclass(frozen=True)
    class Ours:
        one: int = dataclasses.field(default=3)
        two: list[int] = dataclasses.field(default_factory=list)

    class Heir(Ours):
        pass

    assert "one" in vars(Ours)
    assert [field.name for field in dataclasses.fields(Heir)] == ["one", "two"]
    assert vars(Ours)["one"] == 3 and "two" not in vars(Ours)
    match Ours(1, [2]):
        case Ours(one, two):
            assert (one, two) == (1, [2])
    with pytest.raises(dataclasses.FrozenInstanceError):
        Ours().one = 2  # type: ignore[misc]


def test_all_that_wait_can_be_generated_at_once() -> None:
    made, plain = pair(records.dataclass, frozen=True), pair(dataclasses.dataclass, frozen=True)
    records.generate_all()
    assert "method" not in made.__init__.__code__.co_name
    assert (made(1) == made(1, three="y"), hash(made(1)) == hash(made(1))) == (False, True)
    assert repr(made(1)) == repr(plain(1))
