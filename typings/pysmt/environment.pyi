"""What one process has once: its terms and their sorts."""

from pysmt.formula import FormulaManager
from pysmt.type_checker import SimpleTypeChecker

class Environment:
    @property
    def formula_manager(self) -> FormulaManager: ...
    @property
    def stc(self) -> SimpleTypeChecker: ...

def get_env() -> Environment: ...
