"""Where locals end, in programs that compare addresses.

A new local may lie where another one was that has ended: a pointer to that one, which nobody may
follow, can still be compared.  Clang marks the lives of locals, and LLVM those of a function that
it inlines, whose locals become those of the caller.  A program that compares no addresses cannot
tell, so its marks mean nothing.  Where accesses are checked `checks.scopes` has told them already.

Variable-length arrays, and what `alloca` gave to a function that is inlined, have no marks: the
stack is cut back.  The end of null says that locals without marks may have ended.
"""

from __future__ import annotations

import re

from seahorn_py.frontend.llvmtext.tokens import NAME

_COMPARED = re.compile(
    r"^  \S+ = (?:icmp (?!.*, null\b)(?:samesign )?\w+ ptr |ptrtoint ptr )|ptrtoint \(ptr ", re.M
)
_MARK = re.compile(
    rf"^  call void @llvm\.lifetime\.(start|end)\.p0\(ptr (?:nonnull )?(%{NAME})\)[^,\n]*", re.M
)
_CUT = re.compile(r"^  call void @llvm\.stackrestore\.p0\(ptr [^)]*\)[^,\n]*", re.M)
_TOLD = re.compile(r" call (?:void @sea\.scope|i1 @sea\.valid\.(?:access|write))\(")


def with_lives(text: str) -> str:
    """The text with `sea.scope` for LLVM's marks, if addresses are compared and it has none."""
    if _TOLD.search(text) or not _COMPARED.search(text):
        return text
    text = _CUT.sub("  call void @sea.scope(ptr null, i1 false)", text)
    return _MARK.sub(
        lambda m: f"  call void @sea.scope(ptr {m[2]}, i1 {str(m[1] == 'start').lower()})", text
    )
