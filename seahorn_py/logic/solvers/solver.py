"""The solvers by name, for those that only tell which one it was."""

from enum import Enum


class Solver(Enum):
    """The solvers; bitwuzla decides bit-vectors, Booleans and arrays of bit-vectors only."""

    Z3 = "z3"
    CVC5 = "cvc5"
    BITWUZLA = "bitwuzla"
