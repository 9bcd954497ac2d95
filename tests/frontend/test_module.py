"""LLVM text in, entities and parts of lines out."""

from __future__ import annotations

import pytest

from seahorn_py.base.errors import InputError, UnsupportedError
from seahorn_py.frontend.llvmtext.inputs import Inputs
from seahorn_py.frontend.llvmtext.lines import argument, read_call, result_type
from seahorn_py.frontend.llvmtext.module import split_module, spoken

MODULE = r"""; ModuleID = 'x'
source_filename = "x.c"
target datalayout = "e-m:e-p:32:32-i64:32"
target triple = "i386-unknown-linux-gnu"

%"a\20type" = type { i32, i32 }
$"c" = comdat any
@"a = b" = dso_local global %"a\20type" zeroinitializer, align 4, !dbg !1
@s = private unnamed_addr constant [9 x i8] c"alias }\00\00", align 1
@other = alias i32, ptr @"a = b"

; Function Attrs: noinline
define internal zeroext i8 @"f\20g"(ptr byval([4 x i8]) align 4 %p, i32 noundef %0) #2 !dbg !4 {
  ret i8 1
}

declare !dbg !7 extern_weak void @maybe(ptr, ...) #1

attributes #1 = { nounwind }
!llvm.module.flags = !{!9}
!1 = !DIGlobalVariableExpression(var: !2, expr: !DIExpression())
!9 = !{i32 2, !"a = b", i32 3}
"""


def test_a_module_has_its_entities_by_name() -> None:
    module = split_module(MODULE)
    assert module.layout == "e-m:e-p:32:32-i64:32" and len(module.target) == 2
    assert list(module.types) == [r'"a\20type"'] and list(spoken(module.types)) == ["a type"]
    assert list(module.globals) == ['"a = b"', "s"] and list(module.aliases) == ["other"]
    assert module.globals["s"].startswith("private unnamed_addr constant [9 x i8] c")
    assert module.groups == ["attributes #1 = { nounwind }"]
    assert module.named_metadata == ["!llvm.module.flags = !{!9}"]
    assert module.metadata["9"] == '!{i32 2, !"a = b", i32 3}' and len(module.metadata) == 2
    assert module.weak == {"maybe"} and not module.handlers and not module.assembly


def test_a_function_has_its_header_in_parts() -> None:
    module = split_module(MODULE)
    function = module.functions[r'"f\20g"']
    assert spoken(module.functions) == {"f g": function}
    assert (function.prefix, function.result) == ("zeroext i8", "i8")
    assert function.parameters == ("ptr byval([4 x i8]) align 4 %p", "i32 noundef %0")
    assert (function.group, function.debug, function.lines) == (" #2", " !dbg !4", ("  ret i8 1",))
    declared = module.declarations["maybe"]
    assert (
        declared.variadic and declared.parameter_types == ("ptr",) and declared.debug == " !dbg !7"
    )
    assert module.signature("maybe") is declared and module.signature("s") is None


def test_an_object_of_a_type_with_an_odd_name_has_a_size() -> None:
    assert Inputs(split_module(MODULE)).size(r'%"a\20type"') == 8


@pytest.mark.parametrize(
    "line",
    ["@x is nothing", "%x", "@x = thing i32 0", "define void f() {", "declare void @f(i32"],
)
def test_a_line_that_is_no_entity_is_refused(line: str) -> None:
    with pytest.raises(InputError, match="LLVM text"):
        split_module(f"{line}\n")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("i32 noundef %x", ("i32", "%x")),
        ("ptr byval({ i32, [2 x i8] }) align 4 %p", ("ptr", "%p")),
        ('i8 range(i8 0, 2) "a"="b" %x', ("i8", "%x")),
        ("{ i32, ptr } undef", ("{ i32, ptr }", "undef")),
        ('%"a b" zeroinitializer', ('%"a b"', "zeroinitializer")),
        ("ptr mul (i64 2, i64 3)", ("ptr", "mul (i64 2, i64 3)")),
        ("ptr getelementptr (i8, ptr @g, i32 1)", ("ptr", "getelementptr (i8, ptr @g, i32 1)")),
    ],
)
def test_an_argument_is_a_type_and_a_value(text: str, parts: tuple[str, str]) -> None:
    assert argument(text) == parts


def test_types_that_are_not_known_are_refused() -> None:
    for text in ("token %x", "ppc_fp128 %x", ""):
        with pytest.raises(UnsupportedError, match="no type that is known"):
            argument(text)
    with pytest.raises(UnsupportedError, match="no type that is known"):
        result_type("fastcc token")


def test_a_call_has_its_parts() -> None:
    call = read_call('  %r = tail call i32 (ptr, ...) @"p f"(ptr @s, i32 1) #3, !dbg !5')
    assert call is not None
    assert (call.result, call.callee, call.type) == ("%r", '"p f"', "i32")
    assert call.arguments == ("ptr @s", "i32 1") and (call.tail, call.debug) == (" #3", ", !dbg !5")
    assert read_call("  call void %p(ptr @s)") is None and read_call("  ret void") is None
