"""Models of library functions by plug-ins: C text, compiled as our own models are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from seahorn_py.base.errors import SeaError
from seahorn_py.base.plugins import Kind, PlugIn, named
from seahorn_py.frontend.compiling.support import further_model
from seahorn_py.processes.child import ChildError


def other_modules(names: tuple[str, ...], bits: int) -> Mapping[str, str]:
    """LLVM text of the models of these plug-ins, under names of their own; SeaError for none."""
    found = {}
    for name in names:
        plugin = named(Kind.LIBRARY_MODEL, name)
        try:
            content = further_model(f"{_plain(name)}.c", texts_of(plugin), bits)
        except ChildError as error:
            raise SeaError(f"{plugin} does not compile: {error}") from None
        found[f"plug-in/{name}"] = content.decode()
    return found


def texts_of(plugin: PlugIn) -> str:
    """The C text of a plug-in; SeaError if it has none."""
    return plugin.load(_text, "C text, a path of a file with it, or a function that gives either")


def _text(found: object) -> str | None:
    made = found() if callable(found) else found
    if isinstance(made, Path):
        return made.read_text(encoding="utf-8")
    return made if isinstance(made, str) else None


def _plain(name: str) -> str:
    return "".join(one if one.isalnum() else "_" for one in name)
