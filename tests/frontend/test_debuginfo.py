"""Debug metadata in, C names, types and places out."""

import pytest

from seahorn_py.frontend.llvmtext.ctypes_text import CTypes
from seahorn_py.frontend.llvmtext.debuginfo import DebugInformation, is_plain
from seahorn_py.frontend.llvmtext.metadata import Metadata, parse_node
from seahorn_py.frontend.reading.reader import read_text
from seahorn_py.ir.printer import print_function
from seahorn_py.ir.program import Bind, Scope

TYPES = {
    "1": '!DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)',
    "2": '!DIBasicType(name: "unsigned char", size: 8, encoding: DW_ATE_unsigned_char)',
    "3": '!DIBasicType(name: "double", size: 64, encoding: DW_ATE_float)',
    "4": '!DIBasicType(name: "_Bool", size: 8, encoding: DW_ATE_boolean)',
    "5": '!DIDerivedType(tag: DW_TAG_typedef, name: "u8", file: !90, line: 1, baseType: !2)',
    "6": "!DIDerivedType(tag: DW_TAG_const_type, baseType: !5)",
    "7": "!DIDerivedType(tag: DW_TAG_pointer_type, baseType: !6, size: 64)",
    "8": "!DIDerivedType(tag: DW_TAG_const_type, baseType: !7)",
    "9": "!DIDerivedType(tag: DW_TAG_pointer_type, baseType: null, size: 64)",
    "10": "!DICompositeType(tag: DW_TAG_array_type, baseType: !1, size: 192, elements: !11)",
    "11": "!{!12, !13}",
    "12": "!DISubrange(count: 2)",
    "13": "!DISubrange(count: 3)",
    "14": "!DIDerivedType(tag: DW_TAG_pointer_type, baseType: !10, size: 64)",
    "15": "!DISubroutineType(types: !16)",
    "16": "!{!1, !7, null}",
    "17": "!DIDerivedType(tag: DW_TAG_pointer_type, baseType: !15, size: 64)",
    "18": '!DICompositeType(tag: DW_TAG_enumeration_type, name: "e", baseType: !2, size: 8)',
    "19": '!DICompositeType(tag: DW_TAG_structure_type, name: "s", size: 256, elements: !20)',
    "20": "!{!21, !22, !23}",
    "21": '!DIDerivedType(tag: DW_TAG_member, name: "a", baseType: !1, size: 32)',
    "22": '!DIDerivedType(tag: DW_TAG_member, name: "m", baseType: !10, size: 192, offset: 32)',
    "23": '!DIDerivedType(tag: DW_TAG_member, name: "u", baseType: !24, size: 32, offset: 224)',
    "24": "!DICompositeType(tag: DW_TAG_union_type, size: 32, elements: !25)",
    "25": "!{!26}",
    "26": '!DIDerivedType(tag: DW_TAG_member, name: "f", baseType: !1, size: 32)',
    "27": "!DISubroutineType(types: !28)",
    "28": "!{null}",
    "29": "!DICompositeType(tag: DW_TAG_array_type, baseType: !17, size: 128, elements: !30)",
    "30": "!{!12}",
    "31": "!DICompositeType(tag: DW_TAG_array_type, baseType: !1, elements: !32)",
    "32": "!{!33}",
    "33": "!DISubrange(count: -1)",
    "34": "!DIDerivedType(tag: DW_TAG_volatile_type, baseType: !1)",
}  # fmt: skip


@pytest.mark.parametrize(
    ("number", "text", "signed"),
    [
        ("1", "int", True),
        ("2", "unsigned char", False),
        ("3", "double", None),
        ("4", "_Bool", False),
        ("5", "u8", False),
        ("6", "const u8", False),
        ("7", "const u8 *", None),
        ("8", "const u8 *const", None),
        ("9", "void *", None),
        ("10", "int[2][3]", None),
        ("14", "int (*)[2][3]", None),
        ("15", "int (const u8 *, ...)", None),
        ("17", "int (*)(const u8 *, ...)", None),
        ("18", "enum e", False),
        ("19", "struct s", None),
        ("24", "union <anonymous>", None),
        ("27", "void (void)", None),
        ("29", "int (*[2])(const u8 *, ...)", None),
        ("31", "int[]", None),
        ("34", "volatile int", True),
        (None, "void", None),
    ],
)
def test_the_text_and_signedness_of_a_type(number, text, signed):
    types = CTypes(Metadata(TYPES))
    assert types.text(number) == text
    assert types.signed(number) is signed


def test_fragments_name_the_member_they_cover():
    types = CTypes(Metadata(TYPES))
    paths = {
        (o, s): types.part_at("19", o, s) for o, s in ((0, 32), (96, 32), (32, 192), (224, 32))
    }
    assert {k: p and p.path for k, p in paths.items()} == {
        (0, 32): ".a",
        (96, 32): ".m[0][2]",
        (32, 192): ".m",
        (224, 32): ".u",
    }
    assert types.part_at("19", 0, 64) is None
    assert types.part_at("1", 0, 16) is None


def test_scalar_members_by_offset_and_none_of_a_large_object():
    types = CTypes(Metadata(TYPES))
    members = {m.offset: m.path for m in types.scalars("19")}
    assert members == {
        0: ".a",
        4: ".m[0][0]",
        8: ".m[0][1]",
        12: ".m[0][2]",
        16: ".m[1][0]",
        20: ".m[1][1]",
        24: ".m[1][2]",
        28: ".u",
    }
    large = TYPES | {
        "40": "!DICompositeType(tag: DW_TAG_array_type, baseType: !1, size: 32000, elements: !41)",
        "41": "!{!42}",
        "42": "!DISubrange(count: 1000)",
    }
    assert CTypes(Metadata(large)).scalars("40") == []


def test_a_node_with_text_that_looks_like_fields():
    node = parse_node(r'distinct !DIFile(filename: "a, b: \22c\22.c", directory: "", flags: A | B)')
    assert node.string("filename") == 'a, b: "c".c'
    assert node.fields["flags"] == "A | B"
    assert parse_node("!{!1, !2}").kind == ""


PLACES = {
    "1": '!DIFile(filename: "a.c", directory: "/nowhere")',
    "2": 'distinct !DISubprogram(name: "main", scope: !1, file: !1, line: 9, unit: !1)',
    "3": 'distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 2, unit: !1)',
    "4": "distinct !DILexicalBlock(scope: !3, file: !1, line: 3, column: 3)",
    "5": "!DILocation(line: 4, column: 7, scope: !4, inlinedAt: !6)",
    "6": "distinct !DILocation(line: 11, column: 2, scope: !2)",
    "7": "!DILocation(line: 0, scope: !8, inlinedAt: !5)",
    "8": 'distinct !DISubprogram(name: "__clang_trap_msg$Undefined$overflow", file: !1)',
}


def test_places_with_the_calls_they_were_inlined_through():
    debug = DebugInformation(Metadata(PLACES))
    chain = [(s.file, s.line, s.column, s.function) for s in debug.origin("5").chain]
    assert chain == [("a.c", 4, 7, "f"), ("a.c", 11, 2, "main")]
    assert debug.origin("5") is debug.origin("5")
    assert debug.origin("6").chain == debug.origin("5").chain[1:]
    assert debug.origin("7").chain == debug.origin("5").chain
    assert debug.origin(None).chain == ()


def test_a_long_inlining_chain_needs_no_stack():
    texts = {"0": "!DILocation(line: 1, scope: !9999)", "9999": PLACES["2"]}
    for i in range(1, 3000):
        texts[str(i)] = f"!DILocation(line: {i}, scope: !9999, inlinedAt: !{i - 1})"
    assert len(DebugInformation(Metadata(texts)).origin("2999").chain) == 3000


def test_a_relative_file_is_looked_for_where_it_was_compiled(tmp_path, monkeypatch):
    (tmp_path / "x.c").write_text("")
    monkeypatch.chdir(tmp_path)
    texts = {
        "1": '!DIFile(filename: "x.c", directory: "/elsewhere")',
        "2": '!DISubprogram(name: "f", file: !1, line: 1)',
        "3": f'!DIFile(filename: "x.c", directory: "{tmp_path}")',
        "4": '!DISubprogram(name: "f", file: !3, line: 1)',
    }
    assert DebugInformation(Metadata(texts)).subprogram("2").chain[0].file == "x.c"
    monkeypatch.chdir("/")
    assert DebugInformation(Metadata(texts)).subprogram("4").chain[0].file == f"{tmp_path}/x.c"


def test_which_expressions_take_the_value_as_it_is():
    assert is_plain("!DIExpression()")
    assert is_plain("!DIExpression(DW_OP_LLVM_fragment, 32, 32)")
    assert not is_plain("!DIExpression(DW_OP_deref)")
    assert not is_plain("!DIExpression(DW_OP_plus_uconst, 4, DW_OP_stack_value)")


MODULE = """
target datalayout = "e-m:e-i64:64-f80:128-S128"

@g = dso_local global { i32, i8 } zeroinitializer, align 4, !dbg !20

define i32 @f(i32 %0, ptr %1) !dbg !3 {
    #dbg_value(i32 %0, !10, !DIExpression(), !15)
    #dbg_declare(ptr %1, !11, !DIExpression(), !15)
  %3 = add i32 %0, 1, !dbg !15
    #dbg_value(i32 %3, !12, !DIExpression(DW_OP_LLVM_fragment, 0, 32), !15)
    #dbg_value(i32 poison, !10, !DIExpression(), !15)
    #dbg_value(i32 7, !10, !DIExpression(DW_OP_plus_uconst, 4), !15)
    #dbg_value(!DIArgList(i32 %0, i32 %3), !10, !DIExpression(), !15)
    #dbg_value(ptr @g, !11, !DIExpression(), !15)
    #dbg_value(i16 4, !12, !DIExpression(DW_OP_LLVM_fragment, 0, 16), !15)
    #dbg_label(!16, !15)
  %4 = load i32, ptr @g
  ret i32 %3
}

!1 = !DIFile(filename: "a.c", directory: "/nowhere")
!2 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!3 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 2, unit: !1)
!4 = !DICompositeType(tag: DW_TAG_structure_type, name: "s", size: 64, elements: !5)
!5 = !{!6, !7}
!6 = !DIDerivedType(tag: DW_TAG_member, name: "x", baseType: !2, size: 32)
!7 = !DIDerivedType(tag: DW_TAG_member, name: "c", baseType: !8, size: 8, offset: 32)
!8 = !DIBasicType(name: "char", size: 8, encoding: DW_ATE_signed_char)
!10 = !DILocalVariable(name: "n", arg: 1, scope: !3, file: !1, line: 2, type: !2)
!11 = !DILocalVariable(name: "v", scope: !3, file: !1, line: 3, type: !2)
!12 = !DILocalVariable(name: "t", scope: !3, file: !1, line: 4, type: !4)
!15 = !DILocation(line: 5, column: 6, scope: !3)
!16 = !DILabel(scope: !3, name: "l", file: !1, line: 5)
!20 = !DIGlobalVariableExpression(var: !21, expr: !DIExpression())
!21 = !DIGlobalVariable(name: "g", scope: !1, file: !1, line: 1, type: !4)
"""


def test_debug_records_bind_variables():
    function = read_text(MODULE, entry="f").functions["f"]
    assert print_function(function).splitlines()[2:] == [
        "  bind n = %0 : int, signed parameter",
        "  bind &v = %1 : int, signed local",
        "  %3 = add i32 %0, 1",
        "  bind t.x = %3 : int, signed local",
        "  bind n = ? : int, signed parameter",
        "  bind n = ? : int, signed parameter",
        "  bind n = ? : int, signed parameter",
        "  bind v = @g : int, signed local",
        "  %4 = load i32 from @g",
        "  return %3",
    ]
    binds = [s for s in function.blocks[0].statements if isinstance(s, Bind)]
    first, part = binds[0].variable, binds[2].variable
    assert (first.scope, first.c_type, first.signed) == (Scope.PARAMETER, "int", True)
    assert str(first.span) == "a.c:2:0"
    assert (part.scope, part.c_type, str(part)) == (Scope.LOCAL, "int", "t.x")
    assert str(function.origin) == "a.c:2:0"
    assert str(binds[0].origin) == "a.c:5:6"


def test_globals_have_the_names_of_their_members():
    item = read_text(MODULE, entry="f").globals["g"]
    assert {at: (str(v), v.c_type, v.scope) for at, v in item.variables.items()} == {
        0: ("g.x", "int", Scope.GLOBAL),
        4: ("g.c", "char", Scope.GLOBAL),
    }
    assert str(item.origin) == "a.c:1:0"
