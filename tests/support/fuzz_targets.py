"""The readers that are fuzzed: each with its good inputs, its style, and what reading means.

Reading goes on for as long as it can without solving: a Horn system is printed again, a program is
lowered, prepared and run, a witness is put into its program.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from random import Random
from tempfile import gettempdir

import fuzz_corpus as corpus
from fuzz_mutation import Corpus, Style, odd_bytes, odd_text
from horn_examples import counter
from sample_rows import PLAIN

from seahorn_py.base.errors import SeaError, StageFailure
from seahorn_py.csource.syntax import CText
from seahorn_py.frontend.compiling import compiler
from seahorn_py.frontend.llvmtext.lowered import Lowered
from seahorn_py.frontend.lowering import optimizer
from seahorn_py.frontend.lowering.library import models
from seahorn_py.frontend.reading import reader
from seahorn_py.ir.interpreter import Interpreter
from seahorn_py.ir.program import Program, SiteKind
from seahorn_py.ir.run import Ending, Outcome, RunLimits
from seahorn_py.ir.verifier import check
from seahorn_py.options import FrontendOptions, Property
from seahorn_py.passes.pipeline import prepare
from seahorn_py.processes.child import ChildError, Fork
from seahorn_py.processes.deadline import Deadline
from seahorn_py.processes.textfile import text_of


@dataclass(frozen=True)
class Odd:
    """What a reader does that none should; `kind` is the same for the same fault."""

    kind: str
    text: str


@dataclass(frozen=True)
class Target:
    """A reader: its input of a number, and what comes of a file; raises what the reader raises."""

    name: str
    suffix: str
    odd: Callable[[Random], bytes]
    read: Callable[[Path], Odd | None]
    tokens: re.Pattern[str] = re.compile(r"(?s).")


# ------------------------------------------------------------------------------------------ styles

_TEXT = r"[^\W\d]\w*|[-+]?\d[\w.]*|\s+|."
C = Style(
    re.compile(
        r'(?s)#[^\n]*\n|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|' + _TEXT
    ),
    (
        *(
            "int",
            "char",
            "long",
            "unsigned",
            "float",
            "double",
            "struct",
            "union",
            "typedef",
            "void",
        ),
        *("static", "extern", "return", "if (1)", "while (1)", "for (;;)", "goto", "break;", "->"),
        *(
            "*",
            "&",
            "++",
            "--",
            "<<",
            ">>",
            "/",
            "%",
            "?:",
            "=",
            ";",
            ",",
            "[3]",
            "{ 0 }",
            "sizeof",
        ),
        *("_Complex", "__int128", "_BitInt(37)", "long double", "_Float16", "volatile", "_Atomic"),
        *("_Thread_local", "__attribute__((aligned(64)))", "__attribute__((packed))", "inline"),
        *("__attribute__((weak))", "__attribute__((constructor))", "__attribute__((naked))"),
        *('__attribute__((ifunc("f")))', '__attribute__((alias("main")))', "setjmp(0)", "alloca"),
        *("__builtin_trap()", "__builtin_memcpy", "__builtin_va_arg_pack()", 'asm("nop")'),
        *("__builtin_return_address(0)", "__builtin_setjmp", "&&label", "malloc(-1)", "realloc"),
        *(
            "__VERIFIER_assume(0);",
            "__VERIFIER_nondet_long()",
            "__VERIFIER_nondet_memory",
            "abort();",
        ),
        *("sea_witness_result", "sea_main", "#define x y\n", "#include <stdio.h>\n", "#line 9\n"),
        *(
            '#include "input.c"\n',
            "#pragma pack(1)\n",
            "??=",
            "%:",
            "$",
            "1.0L",
            "0x1p-1074",
            "1e400",
        ),
    ),
    (("(", ")"), ("{", "}"), ("-", ""), ("if (1) {", "}"), ("x + (", ")"), ("*", ""), ("!", "")),
    (
        ("int", "char", "long", "short", "unsigned", "float", "double", "_Bool", "long long"),
        ("+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "&&", "||", "==", "<", ">", "!=", ","),
        ("=", "+=", "-=", "<<=", "/="),
        ("if", "while", "for", "switch"),
        ("break", "continue", "return"),
        ("struct", "union"),
        ("static", "extern", "volatile", "const", ""),
    ),
)
LLVM = Style(
    re.compile(r'(?s);[^\n]*|c?"[^"\n]*"|[%@!#$][-\w.$]*|' + _TEXT),
    (
        *(
            "i1",
            "i8",
            "i32",
            "i64",
            "i128",
            "i7",
            "i65",
            "i8388607",
            "ptr",
            "float",
            "double",
            "half",
        ),
        *("x86_fp80", "fp128", "bfloat", "void", "label", "metadata", "token", "x86_amx", "opaque"),
        *("<4 x i32>", "<vscale x 2 x i64>", "[0 x i8]", "[4294967296 x i8]", "{ i8, ptr }", "%s"),
        *(
            "ptr addrspace(1)",
            "undef",
            "poison",
            "null",
            "zeroinitializer",
            "true",
            "none",
            "splat",
        ),
        *(
            "nuw",
            "nsw",
            "inbounds",
            "volatile",
            "atomic",
            "tail",
            "musttail",
            "fast",
            "exact",
            "to",
        ),
        *("unreachable", "ret void", "nounwind", "noreturn", "byval(i64)", "sret(i32)", "inalloca"),
        *(
            "add",
            "sdiv",
            "shl",
            "fdiv",
            "frem",
            "udiv",
            "urem",
            "trunc",
            "sext",
            "bitcast",
            "freeze",
        ),
        *(
            "getelementptr",
            "inttoptr",
            "ptrtoint",
            "load",
            "store",
            "alloca",
            "call",
            "select",
            "phi",
        ),
        *("switch", "br", "icmp", "fcmp", "extractvalue", "insertvalue", "fneg", "addrspacecast"),
        *(
            "@sea.check",
            "@sea.main",
            "@sea.input.i32",
            "@main",
            "@llvm.trap",
            "@llvm.memset.p0.i64",
        ),
        *("@setjmp", "@malloc", "@free", "@exit", "@llvm.va_start", "@llvm.stacksave", "@longjmp"),
        *("internal", "weak", "external", "appending", "thread_local", "comdat", 'gc "x"', "asm"),
        *('section ".init_array"', 'section ".interp"', "align 0", "align 4294967296", "#0", "!0"),
    ),
    (("[1 x ", "]"), ("{ ", " }"), ("<{ ", " }>"), ("(", ")"), ("bitcast (ptr ", " to ptr)")),
    (
        ("i1", "i8", "i16", "i32", "i64", "i128", "i7", "i33", "i65", "i300", "ptr", "float"),
        ("float", "double", "x86_fp80", "half", "fp128", "bfloat"),
        ("add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "sdiv", "udiv", "srem"),
        ("fadd", "fsub", "fmul", "fdiv", "frem"),
        ("eq", "ne", "slt", "sle", "sgt", "ult", "ule", "ugt", "uge", "sge"),
        ("oeq", "one", "olt", "ueq", "une", "uno", "ord", "true", "false"),
        ("sext", "zext", "trunc", "bitcast", "sitofp", "fptoui", "ptrtoint", "inttoptr", "fpext"),
        ("internal", "weak", "external", "linkonce_odr", "dso_local", "common", "private", ""),
        ("nuw", "nsw", "inbounds", "volatile", "noundef", "exact", ""),
        ("undef", "poison", "null", "zeroinitializer", "0", "1", "true", "false"),
        ("@malloc", "@free", "@reach_error", "@__VERIFIER_error", "@exit", "@abort", "@memcpy"),
    ),
)
SMT = Style(
    re.compile(r'(?s)[()\n]|\|[^|\\]*\||"(?:[^"]|"")*"|;[^\n]*|[^\s()|";]+|\s+|.'),
    (
        *("Int", "Real", "Bool", "(_ BitVec 8)", "(_ BitVec 0)", "(_ BitVec 1048577)", "String"),
        *("(Array Int Int)", "(Array Int (Array Int Bool))", "true", "false", "#b1", "#xff", "#x"),
        *("1.5", "(- 1)", "(/ 1 0)", "(div 1 0)", "(mod x 0)", "let", "forall", "exists", "match"),
        *("as", "_", "!", "par", "ite", "=>", "and", "or", "not", "xor", "=", "distinct", "+", "-"),
        *(
            "*",
            "/",
            "div",
            "mod",
            "abs",
            "<",
            "<=",
            "to_real",
            "to_int",
            "is_int",
            "select",
            "store",
        ),
        *("bvadd", "bvmul", "bvudiv", "bvsmod", "bvshl", "bvashr", "bvcomp", "concat", "bvnot"),
        *("(_ extract 7 0)", "(_ extract 0 7)", "(_ zero_extend 1000000)", "(_ repeat 1000000)"),
        *(
            "(_ rotate_left 99)",
            "(_ int2bv 8)",
            "bv2nat",
            "(_ divisible 0)",
            "declare-fun",
            "assert",
        ),
        *("define-fun", "define-fun-rec", "declare-datatypes", "push", "pop", "check-sat", "exit"),
        *(
            "(! x :named y)",
            ":pattern",
            "declare-rel",
            "rule",
            "query",
            "(_ bv5 3)",
            "(_ char #x41)",
        ),
        *(
            "lambda",
            "define-sort",
            "declare-sort",
            "declare-const",
            "declare-var",
            '"a""b"',
            "|",
            ";",
        ),
    ),
    (
        *(("(not ", ")"), ("(- ", ")"), ("(", ")"), ("(+ 1 ", ")"), ("(let ((x x)) ", ")")),
        *(("(forall ((x Int)) ", ")"), ("(Array Int ", ")"), ("(* 2 ", ")"), ("(! ", " :named z)")),
        *(("(and true ", ")"), ("(let ((x (+ x x))) ", ")"), ("(let ((x (and x x))) ", ")")),
        *(("(select (store a 0 ", ") 0)"), ("((_ zero_extend 1000) ", ")"), ("(ite true ", " 1)")),
    ),
)
YAML = Style(
    re.compile(r'(?s)"(?:\\.|[^"\\])*"|\'[^\'\n]*\'|#[^\n]*|' + _TEXT),
    (
        *(
            "&a ",
            "*a",
            "!!str ",
            "!!binary ",
            "!!python/object:os.system ",
            "!t ",
            "<<: ",
            "? ",
            "- ",
        ),
        *(
            ": ",
            "---\n",
            "...\n",
            "%YAML 1.1\n",
            "|\n  ",
            ">-\n ",
            "~",
            "null",
            "yes",
            "2001-01-01",
        ),
        *(
            "[",
            "]",
            "{",
            "}",
            ",",
            "\n",
            "\n  ",
            "entry_type",
            "violation_sequence",
            "invariant_set",
        ),
        *(
            "waypoint",
            "assumption",
            "target",
            "follow",
            "avoid",
            "cycle",
            "branching",
            "line",
            "value",
        ),
        *(
            "function_return",
            "\\\\result == 1",
            "loop_transition_invariant",
            "2.1",
            "ILP32",
            "ghost",
        ),
        *("x == nan", "x == 1e999", "x == inf", "a[1] == 1_0", "n == 0x", "true", "'a'", "default"),
    ),
    (("[", "]"), ("{a: ", "}"), ("- ", ""), ("{", "}"), ('{"a": [', "]}"), ("? ", "")),
)
TOML = Style(
    re.compile(r"(?s)#[^\n]*|'[^'\n]*'|\"[^\"\n]*\"|" + _TEXT),
    (
        *("[[proof]]", "[[suppress]]", "[defaults]", "[proof]", "[a.b]", "=", "sources", "expires"),
        *("name", "expected", "timeout", "flags", "compdb", "entry", "property", "modular"),
        *("2027-01-01", "2027-01-01T00:00:00Z", "nan", "-inf", "1e999", "0x1_0", "true", "'''"),
        *('"**"', '"/"', '"../*"', '"a\\u0000b"', '"-ffast-math"', '"@x"', '"[a"', "{ a = 1 }"),
    ),
    (("[", "]"), ("{ a = ", "}"), ('"', '"'), ("[[", "]]"), ('"""', '"""'), ("# ", "")),
)
XML = Style(
    re.compile(r"(?s)<!--.*?-->|<[^<>]*>|" + _TEXT),
    (
        *(
            "<node>",
            "</node>",
            "<edge/>",
            "<data key='x'>",
            "</data>",
            "<![CDATA[",
            "]]>",
            "<?x y?>",
        ),
        *(
            "&lt;",
            "&#0;",
            "&#x110000;",
            "&amp;",
            "&x;",
            "<!DOCTYPE a [<!ENTITY x 'y'>]>",
            "<!--",
            "-->",
        ),
        *(
            "<a:b xmlns:a='u'>",
            "entry",
            "violation",
            "true",
            "condition-true",
            "\\result",
            "; ",
            "==",
        ),
        *('<?xml version="1.0" encoding="utf-7"?>', "<graph>", "<key/>", "startline", "invariant"),
    ),
    (("<data>", "</data>"), ("<node id='n'>", "</node>"), ("<graph>", "</graph>"), ("(", ")")),
)
LANGUAGE = Style(
    re.compile(r"(?s)//[^\n]*|/\*.*?\*/|\{[^{}\n]*\}|" + _TEXT),
    (
        *(
            "int",
            "bool",
            "void",
            "if",
            "else",
            "while",
            "assert",
            "assume",
            "true",
            "false",
            "decl",
        ),
        *("begin", "end", "do", "od", "then", "fi", "goto", "skip;", "choose", "enforce", "return"),
        *(
            ":=",
            "=>",
            "!",
            "~",
            "|",
            "&",
            "^",
            "*",
            "?",
            "-",
            "/",
            "%",
            ",",
            ";",
            "T",
            "F",
            "unknown",
        ),
        *(
            "f();",
            "x = x / 0;",
            "x, x = 1, 2;",
            "main",
            "{a b}",
            "<9999999999>",
            "L1:",
            "dead",
            "schoose",
        ),
    ),
    (
        *(("(", ")"), ("!", ""), ("-", ""), ("{", "}"), ("if (true) {", "}"), ("x + (", ")")),
        *(("while (*) do ", " od"), ("if (*) then ", " fi"), ("choose(F, ", ")"), ("L: ", "")),
        *(("x + ", ""), ("a & (", ")"), ("true ? 1 : ", ""), ("a | ", "")),
    ),
)
JSON = Style(
    re.compile(r'(?s)"(?:\\.|[^"\\])*"|' + _TEXT),
    (
        *(
            "NaN",
            "-Infinity",
            "null",
            "true",
            "[]",
            "{}",
            '""',
            '"\\ud800"',
            '"\\u0000"',
            '"a.prp"',
        ),
        *(
            '"file"',
            '"property"',
            '"chc"',
            '"../a.c"',
            '"/dev/zero"',
            '"expected"',
            '"sat"',
            "1e999",
        ),
        *('"(let ((x x)) x)"', '"(= x 1"', '"integers"', '"bit-vectors"', "1E400", "-0", '"\\\\"'),
    ),
    (("[", "]"), ('{"a": ', "}"), ("[[", "]]")),
)
LINES = Style(
    re.compile(r"(?s)" + _TEXT),
    (
        *(
            "**",
            "*",
            "?",
            "[a-",
            "[!]",
            "..",
            "/",
            "#",
            "~",
            "\\",
            "CHECK",
            "init(main())",
            "LTL",
            "G",
        ),
        *(
            "valid-deref",
            "! overflow",
            "F end",
            "call(reach_error())",
            "data-race",
            "@ {",
            "COVER(",
        ),
    ),
)

# ---------------------------------------------------------------------------------- small readers


def _horn(file: Path) -> None:
    from seahorn_py.horn.system import Model
    from seahorn_py.horn.text.smtlib import print_horn, print_model, read_horn

    system = read_horn(file.read_bytes().decode(errors="replace"), str(file))
    again = read_horn(print_horn(system), str(file))
    assert len(again.rules) == len(system.rules), "printed and read again, it is another system"
    print_model(system, Model({}))


@cache
def _texts() -> tuple[CText, ...]:
    return (CText("a.c", corpus.WITNESSED.encode()),)


def _followed(read: object) -> None:
    """Put a witness into its program, as far as it fits."""
    from seahorn_py.validation.guide import guide
    from seahorn_py.validation.watching import watched
    from seahorn_py.witness.witness import ViolationWitness

    if not isinstance(read, ViolationWitness):
        _asserted(read.invariants)  # type: ignore[attr-defined]
        return
    sites = _program_sites()
    found = guide(read, _texts())
    found.feed(sites)
    for site in sites * 3:
        found.draw(site)
    for loosely in (False, True):
        _unless_misplaced(lambda: watched(read, _texts(), loosely=loosely))  # noqa: B023  at once


@cache
def _program_sites() -> tuple:
    from seahorn_py.base.errors import Origin, Span
    from seahorn_py.ir.program import Site
    from seahorn_py.ir.types import FloatKind, FloatType, IntType

    types = (IntType(32), FloatType(FloatKind.DOUBLE), IntType(1), FloatType(FloatKind.SINGLE))
    spans = (Span("a.c", 6, 14, "main"), Span("a.c", 7, 10, "main"), Span("a.c", 9, 9, "main"))
    return tuple(
        Site(number, SiteKind.NONDET, type_, "n", "", Origin((span,)))
        for number, (span, type_) in enumerate((s, t) for s in spans for t in types)
    )


def _asserted(invariants: Sequence[object]) -> None:
    from seahorn_py.validation.asserting import asserted

    for invariant in invariants:
        _unless_misplaced(lambda: asserted([invariant], _texts()))  # type: ignore[list-item]  # noqa: B023


def _printed(file: Path) -> Odd | None:
    """Print a program that was read, and read it again."""
    from seahorn_py.ir.parser.parser import parse_program
    from seahorn_py.ir.printer import print_program

    program = parse_program(text_of(file), str(file))
    again = parse_program(print_program(program, places=True), str(file))
    return None if again == program else Odd("other program", "printed and read it is another one")


def _unless_misplaced(work: Callable[[], object]) -> None:
    from seahorn_py.validation.expression import ExpressionError
    from seahorn_py.validation.places import PlaceError

    try:
        work()
    except (PlaceError, ExpressionError) as error:
        assert str(error) and "\n" not in str(error), f"a reason: {str(error)!r}"


def _witness(file: Path) -> None:
    from seahorn_py.witness.reading import read_witness

    _followed(read_witness(file))


def _invariants(file: Path) -> None:
    from seahorn_py.witness.reading import read_invariants

    _asserted(read_invariants(file))


def _expression(file: Path) -> None:
    from seahorn_py.validation.expression import c_expression
    from seahorn_py.witness.witness import Invariant, Place

    text = file.read_bytes().decode(errors="surrogateescape")
    _unless_misplaced(lambda: c_expression(text))
    _asserted([Invariant(Place("a.c", 8, 8), text, True), Invariant(Place("", 9, 9), text, False)])


def _quick_grammars() -> None:
    """Tables of grammars are made once: they take longer than most texts."""
    from lark import Lark

    from seahorn_py.logic.text import grammars

    def made(grammar: str, **options: object) -> Lark:
        name = sha256(grammar.encode()).hexdigest()[:16]
        return Lark(grammar, cache=str(Path(gettempdir()) / f"sea-fuzz-{name}.lark"), **options)  # type: ignore[arg-type]

    grammars.Lark = made  # type: ignore[assignment, misc]


def _rip(file: Path) -> None:
    from seahorn_py.horn.text.smtlib import print_horn
    from seahorn_py.rip.encoding import encode
    from seahorn_py.rip.interpreter import run
    from seahorn_py.rip.parsing import read_file

    _quick_grammars()
    program = read_file(file)
    print_horn(encode(program))
    run(program, [], steps=500)


def _bp(file: Path) -> None:
    from seahorn_py.cli.commands.bp import checked
    from seahorn_py.options import Semantics

    _quick_grammars()
    checked(file, Semantics.OVER, 0.3)


def _proofs(file: Path) -> None:
    from seahorn_py.cli.project.toml_reading import read

    read(file)


def _schedule(file: Path) -> None:
    from seahorn_py.engines.catalogue import planned
    from seahorn_py.engines.schedules import read_schedule

    schedule = read_schedule(file)
    try:
        for plan in (schedule.int, schedule.bv):
            planned(plan or (), None)
    except SeaError as error:  # a turn that is none is named by itself
        raise SeaError(f"{file}: {error}") from None


def _tasks(file: Path) -> Odd | None:
    from seahorn_py.base.errors import visible
    from seahorn_py.bench.tasks.sources import Wanted, read_tasks

    reading = read_tasks([file], Wanted())
    for problem in reading.problems:
        text = str(problem)
        if str(file.parent) not in text or len(text) > 2000 or visible(text) != text:
            return Odd("problem", text[:300])
    for task in reading.tasks:
        assert task.id and task.paths
    return None


def _rows(file: Path) -> None:
    from seahorn_py.bench.store import read_rows

    for row in read_rows(file):
        assert row == type(row).from_json(row.as_json())


def _properties(file: Path) -> None:
    from seahorn_py.properties import read_properties

    assert read_properties([str(file)])


def _precision(file: Path) -> None:
    from seahorn_py.engines.refinement.precision import precision_to_text, read_precision

    system = counter(10, 11)
    read = read_precision(file, system)
    precision_to_text(read, system, file.read_text())


def _cegar(file: Path) -> None:
    from seahorn_py.engines.refinement.configuration import configured

    try:
        configured(file.read_bytes().decode(errors="surrogateescape"))
    except SeaError as error:
        raise SeaError(f"{file}: {error}") from None


# --------------------------------------------------------------------------------------- programs

_PROPERTIES = (
    frozenset(),
    frozenset({Property.VALID_MEMSAFETY}),
    frozenset({Property.UNREACH_CALL, Property.VALID_MEMCLEANUP}),
)
_C_PROPERTIES = (*_PROPERTIES, frozenset({Property.NO_OVERFLOW}), frozenset(Property))
_LIMITS = RunLimits(seconds=0.5, steps=20_000, reads=1000, memory_mib=64)
_FEEDS = ((), (1,), (3, 0, 255, 7), (2**31 - 1, 2**63, 5))


def _program(file: Path) -> Odd | None:
    """The whole front end, with options that follow from the text; then the program is run."""
    chosen = sha256(file.read_bytes()).digest()
    known = _C_PROPERTIES if file.suffix == ".c" else _PROPERTIES
    options = FrontendOptions(
        bits=32 if chosen[0] % 8 == 0 else 64,
        properties=known[chosen[1] % len(known)],
        malloc_may_fail=chosen[2] % 4 == 0,
    )
    deadline = Deadline.after(30)
    try:
        modules = compiler.compile_files([file], options, deadline)
        library = models.library(modules, options)
        lowered = _lowered(modules, library, options)
    except StageFailure as failure:
        return None if "time limit" in failure.reason else Odd(f"stage {failure}", str(failure))
    if isinstance(lowered, Odd):
        return lowered
    if file.suffix == ".c":
        CText(str(file), compiler.unmarked(file.read_bytes()))
    if lowered is None:
        return None
    try:
        source = reader.read(lowered)
    except SeaError as error:
        raise _named(error, file) from None
    prepared = check(prepare(check(source, "reading")), "preparing")
    return _different(source, prepared)


def _lowered(
    modules: Sequence[str], library: models.Library, options: FrontendOptions
) -> Lowered | Odd | None:
    """What lowering gives; None where LLVM aborts, which the product says."""
    with Fork(partial(_lower_here, modules, library, options), Deadline.after(30)) as copy:
        try:
            answer = copy.result()
        except ChildError as error:
            return None if _is_expected(str(error)) else Odd(f"child {error}", str(error))
    if isinstance(answer, SeaError):
        raise answer
    assert isinstance(answer, Lowered | Odd)
    return answer


def _is_expected(text: str) -> bool:
    return text.startswith(("time limit", "ended by SIG", "ended without"))


def _lower_here(
    modules: Sequence[str], library: models.Library, options: FrontendOptions
) -> object:
    try:
        return optimizer.lower_here(modules, library, options)
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        ours = [f for f in frames if "/frontend/" in f.filename] or list(frames)
        where = f"{Path(ours[-1].filename).name}:{ours[-1].name}"
        return Odd(f"{type(error).__name__} {where}", f"{type(error).__name__}: {error}"[:400])


def _named(error: SeaError, file: Path) -> SeaError:
    """As `pipeline.load` does it."""
    return error if str(file) in str(error) else type(error)(f"{file}: {error}")


def _read_program(file: Path) -> Odd | None:
    try:
        return _program(file)
    except SeaError as error:
        raise _named(error, file) from None


def _different(source: Program, prepared: Program) -> Odd | None:
    """A check that fails in the program as read, and not in what is encoded."""
    made = [Interpreter(program) for program in (source, prepared)]
    havoc = {site.number for site in source.sites if site.kind is SiteKind.HAVOC}
    for values in _FEEDS:
        feed = {site.number: values for site in source.sites}
        one, two = (interpreter.run(feed, _LIMITS) for interpreter in made)
        kinds = {site.number for site in prepared.sites if site.kind is SiteKind.HAVOC} | havoc
        is_known = not any(site in kinds for site, _ in (*one.reads, *two.reads))
        is_lost = one.ending is Ending.FAILED and two.ending in (Ending.ENDED, Ending.BLOCKED)
        if is_known and is_lost:
            return Odd("runs differ", f"{_shown(one)} is {_shown(two)} when prepared")
    return None


def _shown(outcome: Outcome) -> str:
    return str(replace(outcome, reads=outcome.reads[:4]))


# ------------------------------------------------------------------------------------------ table


def _text(name: str, suffix: str, style: Style, texts: object, read: object) -> Target:
    """A target whose good inputs are made when they are first asked for."""

    @cache
    def made() -> Corpus:
        return Corpus(style, tuple(texts()) if callable(texts) else tuple(texts))  # type: ignore[arg-type]

    return Target(name, suffix, lambda r: odd_text(made(), r), read, style.tokens)  # type: ignore[arg-type]


TARGETS = {
    target.name: target
    for target in (
        _text("c", ".c", C, corpus.c_texts, _read_program),
        _text("ll", ".ll", LLVM, corpus.llvm_texts, _read_program),
        Target("bc", ".bc", lambda r: odd_bytes(corpus.bitcode(), r), _read_program),
        _text("program", ".txt", LLVM, corpus.programs, _printed),
        _text("smt", ".smt2", SMT, corpus.horn_texts, _horn),
        _text("yaml", ".yml", YAML, corpus.yaml_witnesses, _witness),
        _text("graphml", ".graphml", XML, corpus.graphml_witnesses, _witness),
        _text("invariants", ".yml", YAML, corpus.invariant_texts, _invariants),
        _text("expression", ".txt", C, corpus.EXPRESSIONS, _expression),
        _text("rip", ".rip", LANGUAGE, lambda: [*corpus.RIP, *_examples("*.rip")], _rip),
        _text("bp", ".bp", LANGUAGE, lambda: [*corpus.BOOLEAN, *_examples("*.bp")], _bp),
        _text("schedule", ".yml", YAML, corpus.SCHEDULES, _schedule),
        _text("sea-toml", ".toml", TOML, corpus.PROOFS, _proofs),
        _text("definition", ".yml", YAML, [corpus.DEFINITION], _tasks),
        _text("set", ".set", LINES, lambda: list(corpus.sets()), _tasks),
        _text("list", ".jsonl", JSON, [corpus.TASK_LIST], _tasks),
        _text("rows", ".jsonl", JSON, lambda: [_two_rows()], _rows),
        _text("property", ".prp", LINES, corpus.PROPERTIES, _properties),
        _text("precision", ".json", JSON, corpus.PRECISIONS, _precision),
        _text("cegar", ".txt", LINES, corpus.CEGAR, _cegar),
    )
}
"""Every reader by its name."""


def _examples(pattern: str) -> list[str]:
    return corpus.texts(pattern, corpus.ROOT / "rip_examples")


def _two_rows() -> str:
    return f"{PLAIN.as_json()}\n{replace(PLAIN, task='b.c').as_json()}\n"
