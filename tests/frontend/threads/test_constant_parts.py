"""Parts of globals that keep their first values, and those that may change."""

from __future__ import annotations

import pytest

from seahorn_py.frontend.llvmtext.module import split_module
from seahorn_py.frontend.lowering.threads.constant_parts import KEPT, with_constant_parts

TEXT = """@m = dso_local global {{ i32, i32 }} {value}, align 4
@p = internal global ptr {other}, align 8
define void @f(i32 %x) {{
entry:
  %k = load i32, ptr getelementptr inbounds nuw (i8, ptr @m, i64 4), align 4
  store i32 1, ptr @m, align 4
  {line}
  ret void
}}
"""


def is_kept(line: str, value: str = "zeroinitializer", other: str = "null") -> bool:
    module = split_module(TEXT.format(line=line, value=value, other=other))
    found = with_constant_parts(module)
    return found is not None and any(f"{KEPT}m" in line for line in found.functions["f"].lines)


@pytest.mark.parametrize(
    "line",
    [
        "store i32 0, ptr getelementptr inbounds nuw (i8, ptr @m, i64 4), align 4",
        "store i32 %x, ptr @m, align 4",
        "call void @sea.valid.rw(ptr @m, i64 4)",
    ],
)
def test_what_is_not_changed_is_constant(line: str) -> None:
    assert is_kept(line)


@pytest.mark.parametrize(
    "line",
    [
        "store i32 %x, ptr getelementptr inbounds nuw (i8, ptr @m, i64 4), align 4",
        "store i64 7, ptr @m, align 4",
        "store i8 1, ptr getelementptr inbounds nuw (i8, ptr @m, i64 7), align 1",
        "store ptr @m, ptr @p, align 8",
        "call void @g(ptr getelementptr inbounds nuw (i8, ptr @m, i64 4))",
        "%a = getelementptr i8, ptr @m, i32 %x",
        "%b = cmpxchg ptr @m, i32 0, i32 1 seq_cst seq_cst, align 4",
    ],
)
def test_what_may_change_is_loaded(line: str) -> None:
    assert not is_kept(line)


def test_a_zero_over_another_value_is_a_change() -> None:
    line = "store i32 0, ptr getelementptr inbounds nuw (i8, ptr @m, i64 4), align 4"
    assert not is_kept(line, value="{ i32 0, i32 2 }")
    assert not is_kept(line, value="{ [1 x i32] zeroinitializer, i32 2 }")


def test_a_global_with_another_name_may_change() -> None:
    text = "@n = alias i32, ptr @m\n" + TEXT.format(line="", value="zeroinitializer", other="null")
    assert with_constant_parts(split_module(text)) is None


def test_a_global_that_another_leads_to_may_change() -> None:
    assert not is_kept("%a = load ptr, ptr @p, align 8", other="@m")


def test_what_threads_are_given_may_change() -> None:
    text = TEXT.replace("@m", "@sea.product.given.1")
    module = split_module(text.format(line="ret void", value="zeroinitializer", other="null"))
    assert with_constant_parts(module) is None
