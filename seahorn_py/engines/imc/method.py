"""How `imc` reaches its fixpoint."""

from __future__ import annotations

from enum import Enum


class Method(Enum):
    """INTERPOLATION: McMillan 2003.  SEQUENCE: Vizel, Grumberg 2009."""

    INTERPOLATION = "interpolation"
    SEQUENCE = "sequence"
