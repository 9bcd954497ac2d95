"""The solvers by name, for modules that only say which solver was used."""

from enum import Enum


class Solver(Enum):
    """The solvers; bitwuzla decides bit-vectors, Booleans and arrays of bit-vectors only."""

    Z3 = "z3"
    CVC5 = "cvc5"
    BITWUZLA = "bitwuzla"
