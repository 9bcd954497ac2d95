"""Marks of the lives of locals, for programs that compare addresses.

A new local may lie where another one lay that has ended.  A pointer to the ended local must not be
followed, but it can still be compared.  Clang marks the lives of locals.  LLVM marks those of a
function that it inlines, whose locals become locals of the caller.  A program that compares no
addresses cannot tell the difference, so it needs no marks.  If accesses are checked, marks from
`checks.scopes` are there already.

Variable-length arrays, and objects of `alloca` in inlined functions, have no marks: LLVM cuts the
stack back.  There a mark ends null, which says that locals without marks may have ended.
"""

from __future__ import annotations

import re

from seahorn_py.base.patterns import pattern
from seahorn_py.frontend.llvmtext.tokens import NAME

_COMPARED = pattern(
    r"^  \S+ = (?:icmp (?!.*, null\b)(?:samesign )?\w+ ptr |ptrtoint ptr )|ptrtoint \(ptr ", re.M
)
_MARK = pattern(
    rf"^  call void @llvm\.lifetime\.(start|end)\.p0\(ptr (?:nonnull )?(%{NAME})\)[^,\n]*", re.M
)
_CUT = pattern(r"^  call void @llvm\.stackrestore\.p0\(ptr [^)]*\)[^,\n]*", re.M)
_TOLD = pattern(r" call (?:void @sea\.scope|i1 @sea\.valid\.(?:access|write))\(")


def with_lives(text: str) -> str:
    """The text with `sea.scope` for LLVM's marks, if addresses are compared and it has none."""
    if _TOLD.search(text) or not _COMPARED.search(text):
        return text
    text = _CUT.sub("  call void @sea.scope(ptr null, i1 false)", text)
    return _MARK.sub(
        lambda m: f"  call void @sea.scope(ptr {m[2]}, i1 {str(m[1] == 'start').lower()})", text
    )
