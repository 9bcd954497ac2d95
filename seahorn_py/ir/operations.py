"""The operations of statements, with LLVM's names; `ir.semantics` says what they mean."""

from __future__ import annotations

from enum import Enum


class BinaryOp(Enum):
    """Two integers of one width to one of the same width (LLVM's names; no poison)."""

    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    UDIV = "udiv"
    SDIV = "sdiv"
    UREM = "urem"
    SREM = "srem"
    SHL = "shl"
    LSHR = "lshr"
    ASHR = "ashr"
    AND = "and"
    OR = "or"
    XOR = "xor"


class Predicate(Enum):
    """Comparisons of two integers or pointers."""

    EQ = "eq"
    NE = "ne"
    UGT = "ugt"
    UGE = "uge"
    ULT = "ult"
    ULE = "ule"
    SGT = "sgt"
    SGE = "sge"
    SLT = "slt"
    SLE = "sle"

    @property
    def negated(self) -> Predicate:
        """The predicate that holds where this one does not."""
        return _NEGATED[self]


_NEGATED = {
    Predicate.EQ: Predicate.NE,
    Predicate.NE: Predicate.EQ,
    Predicate.UGT: Predicate.ULE,
    Predicate.UGE: Predicate.ULT,
    Predicate.ULT: Predicate.UGE,
    Predicate.ULE: Predicate.UGT,
    Predicate.SGT: Predicate.SLE,
    Predicate.SGE: Predicate.SLT,
    Predicate.SLT: Predicate.SGE,
    Predicate.SLE: Predicate.SGT,
}


class CastOp(Enum):
    """Conversions between types of registers."""

    ZEXT = "zext"
    SEXT = "sext"
    TRUNC = "trunc"
    PTRTOINT = "ptrtoint"
    INTTOPTR = "inttoptr"
    BITCAST = "bitcast"
    FPEXT = "fpext"
    FPTRUNC = "fptrunc"
    SITOFP = "sitofp"
    UITOFP = "uitofp"
    FPTOSI = "fptosi"
    FPTOUI = "fptoui"
    FPTOSI_SAT = "fptosi.sat"
    FPTOUI_SAT = "fptoui.sat"


class BitsOp(Enum):
    """Integer intrinsics; every argument and the result have one width.

    CTLZ and CTTZ of 0 are the width.  FSHL and FSHR take three arguments.
    """

    CTPOP = "ctpop"
    CTLZ = "ctlz"
    CTTZ = "cttz"
    BSWAP = "bswap"
    BITREVERSE = "bitreverse"
    FSHL = "fshl"
    FSHR = "fshr"
    ABS = "abs"
    SMAX = "smax"
    SMIN = "smin"
    UMAX = "umax"
    UMIN = "umin"
    SADD_SAT = "sadd.sat"
    UADD_SAT = "uadd.sat"
    SSUB_SAT = "ssub.sat"
    USUB_SAT = "usub.sat"


class OverflowOp(Enum):
    """The overflow bit of `llvm.*.with.overflow`; the value part is an ordinary `Binary`."""

    SADD = "sadd"
    UADD = "uadd"
    SSUB = "ssub"
    USUB = "usub"
    SMUL = "smul"
    UMUL = "umul"
