"""The choice of a solver: bitwuzla (Niemetz, Preiner 2023) for Booleans, bit-vectors and arrays of
them, z3 (de Moura, Bjorner 2008) for everything else.
"""

from __future__ import annotations

from typing import cast

import bitwuzla
import z3

from seahorn_py.base.errors import InternalError
from seahorn_py.logic.solvers.construction.anyterms import Z3Terms
from seahorn_py.logic.solvers.construction.bitterms import BitwuzlaTerms
from seahorn_py.logic.solvers.construction.protocol import Terms, TermsOf
from seahorn_py.logic.solvers.solver import Solver


def terms_of(solver: Solver) -> Terms:
    """Terms of a solver, which is not cvc5."""
    match solver:
        case Solver.BITWUZLA:
            bits: TermsOf[bitwuzla.Term] = BitwuzlaTerms()
            return cast("Terms", bits)
        case Solver.Z3:
            numbers: TermsOf[z3.ExprRef] = Z3Terms()
            return cast("Terms", numbers)
        case Solver.CVC5:
            raise InternalError("no terms of cvc5 are built")
