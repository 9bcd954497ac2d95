"""Engines and abstract domains of other distributions, as engines."""

from __future__ import annotations

from typing import Any

from seahorn_py.base.plugins import Kind, PlugIn
from seahorn_py.engines.engine import Engine
from seahorn_py.engines.wrappers.abstracted import Abstracted
from seahorn_py.engines.wrappers.guarded import Guarded
from seahorn_py.invariants.domains import MakesDomain


def plugged(plugin: PlugIn) -> Engine:
    """The engine that a plug-in has, or that looks for invariants by its domain; or SeaError."""
    if plugin.kind is Kind.DOMAIN:
        made = plugin.load(_domain, "a function of linear terms and thresholds that makes a value")
        return Guarded(plugin.name, Abstracted(made))
    return Guarded(plugin.name, plugin.load(_engine, "a class or an object with a method solve"))


def _engine(found: Any) -> Engine | None:
    made: Engine = found() if isinstance(found, type) else found
    return made if callable(getattr(made, "solve", None)) else None


def _domain(found: Any) -> MakesDomain | None:
    made: MakesDomain = found
    return made if callable(found) else None
