"""Which variables have one value, from native text."""

from __future__ import annotations

import pytest

from seahorn_py.frontend.llvmtext.stored import stored_once

TAIL = """}
!1 = !DILocalVariable(name: "n", scope: !8, file: !9, line: 7, type: !12)
!2 = distinct !DILocalVariable(name: "k", arg: 1, scope: !8, file: !9, line: 2, type: !12)
"""
HEAD = """define void @main() #0 {
  %1 = alloca i32, align 4
  %2 = alloca i32, align 4
  call void @llvm.lifetime.start.p0(ptr %1)
    #dbg_declare(ptr %1, !1, !DIExpression(), !23)
    #dbg_declare(ptr %2, !2, !DIExpression(), !23)
  store i32 5, ptr %1, align 4, !dbg !25
  store i32 %arg, ptr %2, align 4
  %3 = load i32, ptr %1, align 4
"""
N, K = ("n", 7), ("k", 2)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", {N, K}),
        ("  store i32 %3, ptr %1, align 4", {K}),
        ("  store i32 %1, ptr %12, align 4", {K}),
        ("  store ptr %1, ptr %12, align 8", {K}),
        ("  call void @g(ptr %2)", {N}),
        ("  %4 = getelementptr i8, ptr %2, i64 1", {N}),
        ("  %4 = load volatile i32, ptr %2, align 4", {N, K}),
        ("  store volatile i32 0, ptr %2, align 4", {N}),
        ("  #dbg_value(i32 3, !1, !DIExpression(), !2)", {K}),
        ("  %4 = alloca i32\n    #dbg_declare(ptr %4, !1, !DIExpression(), !2)", {N, K}),
        (
            "  store i32 1, ptr %4, align 4\n    #dbg_declare(ptr %4, !1, !DIExpression(), !2)",
            {N, K},
        ),
        ("    #dbg_declare(ptr %4, !2, !DIExpression(DW_OP_deref), !2)", {N}),
        ("}\ndefine i32 @f() {\n  store i32 1, ptr %1, align 4", {N, K}),
    ],
)
def test_what_is_stored_once(line: str, expected: set[tuple[str, int]]) -> None:
    assert stored_once(f"{HEAD}{line}\n{TAIL}") == expected
