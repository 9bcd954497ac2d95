"""The sorts of terms."""

from pysmt.fnode import FNode
from pysmt.typing import PySMTType

class SimpleTypeChecker:
    def get_type(self, formula: FNode) -> PySMTType: ...
