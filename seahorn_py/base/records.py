"""Dataclasses whose methods are generated when they are first called.

`dataclasses.dataclass` compiles about six methods for each class that it decorates, which takes
0.3 ms.  A run imports hundreds of classes and calls few methods of some.  `dataclass` takes the
same arguments, as far as they are used here, and makes a class that behaves in the same way.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

__all__ = ["dataclass", "generate_all"]

Fields: TypeAlias = "tuple[dataclasses.Field[Any], ...]"
_GUARDS = ("__setattr__", "__delattr__")
_ORDER = ("__lt__", "__le__", "__gt__", "__ge__")
_PARTS: dict[str, dict[str, bool]] = {
    "__init__": {"init": True},
    "__repr__": {"repr": True},
    "__eq__": {"eq": True},
    "__hash__": {"eq": True, "unsafe_hash": True},
    **{name: {"eq": True, "order": True} for name in _ORDER},
}
"""What the standard library has to be asked for to generate a method."""

_waiting: list[tuple[type, str, bool]] = []
"""Methods that were not generated when their class was made: class, name, whether it is frozen."""

_NOTHING = {"init": False, "repr": False, "eq": False, "match_args": False}

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(
        cls: type | None = None,
        /,
        *,
        eq: bool = True,
        order: bool = False,
        unsafe_hash: bool = False,
        frozen: bool = False,
        slots: bool = False,
        kw_only: bool = False,
    ) -> Any:
        """As `dataclasses.dataclass`."""

        def decorated(cls: type) -> type:
            written = _written(cls)
            cls.__doc__ = cls.__doc__ or cls.__name__  # else it would be made of a signature
            read = partial(_read, frozen=frozen, slots=slots, kw_only=kw_only)
            inherits = any("__dataclass_fields__" in vars(base) for base in cls.__mro__[1:])
            is_plain = type(cls) is type and not (slots or inherits or "__init__" in written)
            made: Any = _Unread.mark(cls, read) if is_plain else read(cls)
            wanted = ["__init__", "__repr__", *(["__eq__"] if eq else [])]
            wanted += _ORDER if order else ()
            wanted += ["__hash__"] if unsafe_hash or (eq and frozen) else []
            if "__init__" not in written:
                made.__signature__ = _Signature(made, frozen)
            for name in wanted:
                if name not in written:
                    setattr(made, name, _later(made, name, frozen))
            if eq and not frozen and not unsafe_hash and "__hash__" not in written:
                made.__hash__ = None
            return _frozen(made, slots) if frozen else made

        return decorated if cls is None else decorated(cls)


def _read(cls: type, *, frozen: bool, slots: bool, kw_only: bool) -> type:
    """The class with its fields, as the standard library reads them."""
    inherits = frozen and any(map(dataclasses.is_dataclass, cls.__bases__))
    made: Any = dataclasses.dataclass(
        init=False, repr=False, eq=False, frozen=inherits, slots=slots, kw_only=kw_only
    )(cls)
    made.__dataclass_params__.frozen = frozen  # what inherits must be alike in that
    found: type = made
    return found


class _Unread:
    """What a class has in the place of what its fields tell, until somebody asks for that.

    Of each class that a run imports it makes few objects, or none.
    """

    NAMES = ("__dataclass_fields__", "__dataclass_params__", "__match_args__")

    def __init__(self, cls: type, name: str, read: Callable[[type], type]) -> None:
        self._cls, self._name, self._read = cls, name, read

    @staticmethod
    def mark(cls: type, read: Callable[[type], type]) -> type:
        """The class, whose fields are read later."""
        for name in _Unread.NAMES:
            if name not in vars(cls):
                setattr(cls, name, _Unread(cls, name, read))
        return cls

    def __get__(self, _: object, owner: type) -> object:
        """Read the fields; then it is as if they had been read at once."""
        own = vars(self._cls)
        for name in self.NAMES:
            if isinstance(own.get(name), _Unread):
                delattr(self._cls, name)
        guards = {name: own[name] for name in _GUARDS if name in own}
        for name in guards:
            delattr(self._cls, name)
        self._read(self._cls)
        for name, guard in guards.items():
            setattr(self._cls, name, guard)
        return getattr(self._cls, self._name)


class _Signature:
    """What `inspect` says of the parameters of a class; its `__init__` is generated for that."""

    def __init__(self, cls: type, frozen: bool) -> None:
        self._cls, self._frozen = cls, frozen

    def __get__(self, made: object, owner: type) -> object:
        """The signature, of the class alone: not of its objects, nor of what inherits from it."""
        if made is not None or owner is not self._cls:
            raise AttributeError("__signature__")
        import inspect  # costs start-up time

        found = inspect.signature(_generated(self._cls, "__init__", self._frozen))
        return found.replace(parameters=[*found.parameters.values()][1:])


def _written(cls: type) -> frozenset[str]:
    """The methods that the class defines itself; `__eq__` alone sets `__hash__` to None."""
    found = {name for name in _PARTS if name in vars(cls)}
    if vars(cls).get("__hash__", cls) is None and "__eq__" in found:
        found.discard("__hash__")
    return frozenset(found)


def _later(cls: type, name: str, frozen: bool) -> Callable[..., Any]:
    """The method of that name, which generates itself when it is called first."""

    def method(self: Any, *arguments: Any, **named: Any) -> Any:
        generated = _generated(cls, name, frozen)
        setattr(cls, name, generated)
        return generated(self, *arguments, **named)

    method.__name__, method.__qualname__ = name, f"{cls.__qualname__}.{name}"
    _waiting.append((cls, name, frozen))
    return method


def generate_all() -> None:
    """Generate the methods that most objects need, for the copies of this process."""
    for cls, name, frozen in _waiting:
        if name in _WRITERS:
            setattr(cls, name, _generated(cls, name, frozen))
    _waiting.clear()


def _generated(cls: type, name: str, frozen: bool) -> Callable[..., Any]:
    """The method that the standard library generates, for a class with the same fields.

    Those that most objects need are written here, in a quarter of the time; the rest, and those of
    unusual fields, are made by the standard library for a twin of the class.
    """
    fields = dataclasses.fields(cls)
    if _are_usual(cls, fields) and name in _WRITERS:
        return _compiled(cls, name, _WRITERS[name](cls, fields, frozen), fields)
    content: dict[str, Any] = {
        "__module__": cls.__module__,
        "__doc__": cls.__doc__,
        "__annotations__": {field.name: field.type for field in fields},
        **{field.name: field for field in fields},
    }
    if hasattr(cls, "__post_init__"):
        content["__post_init__"] = cls.__post_init__
    parts: dict[str, Any] = {**_NOTHING, **_PARTS[name], "frozen": frozen and name == "__init__"}
    twin: type = dataclasses.dataclass(**parts)(type(cls.__name__, (), content))
    method: Callable[..., Any] = vars(twin)[name]
    method.__qualname__ = f"{cls.__qualname__}.{name}"
    return method


class _Factory:
    """The default of a parameter in whose place something new is made."""

    def __repr__(self) -> str:
        return "<factory>"


_FACTORY = _Factory()


def _are_usual(cls: Any, fields: Fields) -> bool:
    """Whether all annotations are fields, and all fields parameters that may have a place."""
    plain = len(cls.__dataclass_fields__) == len(fields)
    return plain and all(f.init and not f.kw_only and f.name != "self" for f in fields)


def _init(cls: Any, fields: Fields, frozen: bool) -> str:
    """Assign each parameter to its field."""
    parameters, lines = ["self"], []
    for field in fields:
        name, value = field.name, field.name
        if field.default is not dataclasses.MISSING:
            parameters.append(f"{name}=__default_{name}")
        elif field.default_factory is not dataclasses.MISSING:
            parameters.append(f"{name}=__factory")
            value = f"__new_{name}() if {name} is __factory else {name}"
        else:
            parameters.append(name)
        set_ = f"__set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}"
        lines.append(f"  {set_}")
    lines += ["  self.__post_init__()"] if hasattr(cls, "__post_init__") else []
    return "\n".join([f"def __init__({', '.join(parameters)}):", *(lines or ["  pass"])])


def _eq(_: Any, fields: Fields, __: bool) -> str:
    """Equal if the classes are the same and the compared fields are equal."""
    names = [field.name for field in fields if field.compare]
    mine, other = ("".join(f"{who}.{n}," for n in names) for who in ("self", "other"))
    return (
        "def __eq__(self, other):\n  if other.__class__ is self.__class__:\n"
        f"    return ({mine}) == ({other})\n  return NotImplemented"
    )


def _hash(_: Any, fields: Fields, __: bool) -> str:
    """That of the compared fields."""
    hashed = (f.name for f in fields if (f.compare if f.hash is None else f.hash))
    return f"def __hash__(self):\n  return hash(({''.join(f'self.{n},' for n in hashed)}))"


_WRITERS = {"__init__": _init, "__eq__": _eq, "__hash__": _hash}


def _compiled(cls: Any, name: str, text: str, fields: Fields) -> Callable[..., Any]:
    names: dict[str, Any] = {"__name__": cls.__module__, "__set": object.__setattr__}
    names["__factory"] = _FACTORY
    for field in fields:
        names[f"__default_{field.name}"] = field.default
        names[f"__new_{field.name}"] = field.default_factory
    exec(text, names)  # of names of fields alone
    method: Callable[..., Any] = names[name]
    method.__qualname__ = f"{cls.__qualname__}.{name}"
    if name == "__init__":
        method.__annotations__ = {**{f.name: f.type for f in fields}, "return": None}
    return method


def _frozen(cls: Any, slots: bool) -> type:
    """The class, whose objects refuse to be changed."""
    cls.__setattr__, cls.__delattr__ = _refuse_to_assign, _refuse_to_delete
    if slots and "__getstate__" not in vars(cls):
        cls.__getstate__, cls.__setstate__ = _state, _with_state
    found: type = cls
    return found


def _refuse_to_assign(_: object, name: str, value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(_: object, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[object]:
    """What is kept of an object that has no dictionary."""
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _with_state(self: Any, state: list[object]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)
