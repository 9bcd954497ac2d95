"""Good inputs of every format: the examples of this repository, and texts that are here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from generator import program
from witness_files import UNREACH, correctness, document, edge, graph, node, violation, waypoint

from seahorn_py.frontend.compiling import compiler
from seahorn_py.options import FrontendOptions
from seahorn_py.processes.deadline import Deadline

ROOT = Path(__file__).parent.parent.parent
SHARED = ROOT.parent / "shared" / "tasks"
"""Real tasks, where they are beside the checkout."""
MOST_BYTES = 12_000
_DEBUG = re.compile(r"^(?:!|    #dbg_).*\n|,? ![a-z.]+ !\d+", re.MULTILINE)
_NAMING = re.compile(r"^(?:; ModuleID|source_filename|!).*", re.MULTILINE)
_FOLDER = re.compile(r'\bdirectory: "[^"]*"')


def files(pattern: str, *folders: Path, most: int = 60) -> list[Path]:
    """Small files of a kind, in the order of their names; evenly chosen where there are many."""
    found = [p for folder in folders for p in sorted(folder.rglob(pattern)) if p.is_file()]
    small = [p for p in found if p.stat().st_size <= MOST_BYTES]
    return small[:: 1 + len(small) // most]


def texts(pattern: str, *folders: Path, most: int = 60) -> list[str]:
    """Their texts."""
    return [p.read_text(errors="surrogateescape") for p in files(pattern, *folders, most=most)]


def programs() -> list[str]:
    """Programs as they are printed."""
    golden = texts("*.txt", ROOT / "tests" / "passes" / "golden")
    return [part[part.index("program ") :] for text in golden for part in text.split("====")[:1]]


# ------------------------------------------------------------------------------------ C and LLVM


@cache
def c_texts() -> list[str]:
    """C programs."""
    own = texts("*.c", ROOT / "c_examples", ROOT / "tests" / "loops", ROOT / "tests" / "memory")
    drawn = [program(seed, 6, 64).text() for seed in range(20)]
    return [*own, *ODD_C, *drawn, *texts("*.[ci]", SHARED / "c", most=80)]


@cache
def llvm_texts() -> list[str]:
    """LLVM modules: examples as clang gives them, half of them without debug records.

    They name no folder of this machine: the same seed gives the same inputs in each.
    An example with one in a string of its own is left out.
    """
    found = list(ODD_LLVM)
    for number, file in enumerate(files("*.c", ROOT / "c_examples", most=40)):
        (text,) = compiler.compile_files([file], FrontendOptions(), Deadline.after(100))
        text = _FOLDER.sub('directory: ""', _NAMING.sub(_relative, text))
        if f"{ROOT}/" not in text:
            found.append(_DEBUG.sub("", text) if number % 2 else text)
    return found


def _relative(line: re.Match[str]) -> str:
    return line[0].replace(f"{ROOT}/", "")


@cache
def bitcode() -> list[bytes]:
    """The same as bitcode."""
    import llvmlite.binding as llvm

    return [llvm.parse_assembly(text).as_bitcode() for text in llvm_texts()]


ODD_C = (
    """#include <stdarg.h>
extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
typedef struct { unsigned a : 3; int b : 7; union { long l; char c[8]; } u; } S;
static int sum(int n, ...) { va_list l; va_start(l, n); int s = 0;
  for (int i = 0; i < n; i++) s += va_arg(l, int); va_end(l); return s; }
static _Bool even(unsigned n) { return n == 0 ? 1 : !even(n - 1); }
int (*table[2])(int, ...) = { sum, 0 };
_Complex double z; __int128 big = (__int128)1 << 100; _Thread_local int t; _Atomic int at;
int main(int argc, char **argv) { S s = { .a = 5, .u.c = "hi" }; int v[argc + 1];
  int x = __VERIFIER_nondet_int(); switch (x) { case 1 ... 5: x++; break; case -1: default: x = 0; }
  goto end; again: x--; end: if (x > 3) goto again;
  v[0] = table[0](3, 1, 2, 3) + (int)s.b + ({ int y = x; y * 2; }); at++; z *= z;
  if (even(4) && v[0] == 7) reach_error(); return __builtin_popcount(x) + (int)(big >> 99); }
""",
    """#include <stdlib.h>
#include <string.h>
#include <assert.h>
struct N { struct N *next; int k; } *head; static const char *names[] = { "a", "bc", 0 };
void push(int k) { struct N *n = malloc(sizeof *n); if (!n) abort(); n->k = k; n->next = head;
  head = n; }
int main(void) { char b[16]; memset(b, 0, sizeof b); strcpy(b, names[1]); float f = 1.5f; double d;
  for (int i = 0; i < 3; ++i) push(i); while (head) { struct N *n = head; head = n->next; free(n); }
  d = f / 3.0; long double l = d; union { float f; unsigned u; } p = { f }; p.u ^= 1u << 31;
  __asm__ volatile ("" ::: "memory"); assert(strlen(b) == 2 && p.f < l); return 0; }
""",
    """#define CAT(a, b) a##b
#define STR(x) #x
#if defined(__GNUC__) && __STDC_VERSION__ >= 199901L
_Pragma("GCC diagnostic ignored \\"-Wall\\"")
#pragma pack(push, 1)
#endif
enum E { A, B = 0x7fffffff, C = -1 }; typedef int V __attribute__((vector_size(16)));
int CAT(ma, in)(void) { V v = { 1, 2, 3, 4 }; v += v; const char *s = STR(a b) "\\x41\\101\\n" L"";
# 7 "other.c" 1
  extern void __VERIFIER_assume(int), __VERIFIER_error(void); __VERIFIER_assume(v[1] == 4);
  do { if (v[2] != 6) { ERROR: __VERIFIER_error(); } } while (0);
  return s[0] == '\\0' ? _Generic(v[0], int: 1, default: 2) : 0 ?: 3; }
""",
)

ODD_LLVM = (
    """target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-S128"
target triple = "x86_64-unknown-linux-gnu"
%s = type { i8, [3 x i16], <{ i1, ptr }>, float, i7 }
%o = type opaque
@a = global %s zeroinitializer, align 16
@b = internal constant [4 x i8] c"\\00a\\FFb", section ".rodata"
@c = weak global ptr getelementptr inbounds (%s, ptr @a, i64 0, i32 1, i64 2)
@d = thread_local global i128 170141183460469231731687303715884105727
@e = alias ptr, ptr @c
@"q\\22 x" = external global %o
@f = constant [2 x ptr] [ptr @g, ptr null]
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [
  { i32, ptr, ptr } { i32 1, ptr @k, ptr null }]
declare i32 @__VERIFIER_nondet_int()
declare void @reach_error() noreturn
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32)
declare i32 @printf(ptr, ...)
define internal void @k() { ret void }
define i32 @g(i32 %x, ...) { ret i32 %x }
define i32 @main(i32 %n, ptr %argv) {
entry:
  %x = call i32 @__VERIFIER_nondet_int()
  %p = alloca %s, align 16
  %q = getelementptr inbounds %s, ptr %p, i32 0, i32 1, i32 %x
  store i16 5, ptr %q, align 2
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr @a, i64 16, i1 false)
  switch i32 %x, label %loop [ i32 0, label %one
    i32 -1, label %two ]
one:
  %o = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %x, i32 1)
  %o1 = extractvalue { i32, i1 } %o, 1
  br i1 %o1, label %bad, label %loop
two:
  %f = load ptr, ptr @f, align 8
  %r = call i32 (i32, ...) %f(i32 3, ptr @b, double 0x3FF0000000000000)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %x, %one ], [ %r, %two ], [ %j, %next ]
  %c = icmp slt i32 %i, 10
  br i1 %c, label %next, label %done
next:
  %j = add nsw i32 %i, 3
  br label %loop
bad:
  call void @reach_error()
  unreachable
done:
  %fr = freeze i32 undef
  %t = trunc i32 %i to i7
  %u = sext i7 %t to i64
  %fl = sitofp i64 %u to float
  %fc = fcmp ogt float %fl, 1.500000e+00
  %at = atomicrmw add ptr %p, i8 1 seq_cst, align 1
  %cx = cmpxchg ptr @c, ptr null, ptr @a acq_rel monotonic, align 8
  fence seq_cst
  %e = load i32, ptr @e, align 4
  %ret = select i1 %fc, i32 %e, i32 %fr
  ret i32 %ret
}
""",
    """declare void @__VERIFIER_error()
declare i32 @__gxx_personality_v0(...)
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @llvm.assume(i1)
declare i64 @llvm.ctpop.i64(i64)
declare x86_fp80 @llvm.fabs.f80(x86_fp80)
@i = ifunc i32 (), ptr @resolve
$any = comdat any
define ptr @resolve() comdat($any) { ret ptr @main }
define void @h(ptr byval(i64) align 8 %p, ptr sret(i32) %q) personality ptr @__gxx_personality_v0 {
  invoke void @__VERIFIER_error() to label %ok unwind label %lp
ok:
  ret void
lp:
  %l = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %l
}
define i32 @main() #0 {
  %m = call ptr @malloc(i64 24)
  %a = ptrtoint ptr %m to i64
  %z = call i64 @llvm.ctpop.i64(i64 %a)
  %b = inttoptr i64 %z to ptr
  %t = select i1 trunc (i64 ptrtoint (ptr @main to i64) to i1), ptr %b, ptr @h
  br i1 true, label %x, label %y
x:
  call void @llvm.assume(i1 true) [ "align"(ptr %m, i64 8) ]
  br label %y
y:
  %f = call x86_fp80 @llvm.fabs.f80(x86_fp80 0xK3FFF8000000000000000)
  %g = fptosi x86_fp80 %f to i33
  %s = lshr i33 %g, 40
  %d = sdiv i33 %s, 0
  call void @free(ptr %m)
  %va = va_arg ptr %m, i32
  %r = trunc i33 %d to i32
  ret i32 %r
}
attributes #0 = { noinline optnone "frame-pointer"="all" memory(argmem: read) }
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"wchar_size", i32 4}
""",
    """declare void @reach_error()
define fastcc <4 x i32> @v(<4 x i32> %x, <4 x i1> %m) {
  %y = shufflevector <4 x i32> %x, <4 x i32> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
  %z = select <4 x i1> %m, <4 x i32> %y, <4 x i32> splat (i32 7)
  %w = insertelement <4 x i32> %z, i32 1, i64 2
  ret <4 x i32> %w
}
define i32 @main() {
  %v = call i32 asm sideeffect "nop", "=r,~{memory}"()
  indirectbr ptr blockaddress(@main, %x), [label %x, label %y]
x:
  call void @reach_error()
  br label %y
y:
  ret i32 %v
}
""",
)

# ------------------------------------------------------------------------------------ small formats


@cache
def horn_texts() -> list[str]:
    """Horn clauses in SMT-LIB."""
    return [*HORN, *texts("*.smt2", SHARED / "chc", most=30)]


HORN = (
    """% clauses of Eldarica
p(X, y) :- X = 0, (y = 1, X =< 9 ; \\+ y = 2). // facts
p(X1, Y) :- p(X, Y), X1 = X + 2 * (Y - 1), X =\\= -5.
done :- p(X, Y), X > 7.
false :- done.
""",
    """(set-logic HORN)
(declare-fun |inv 1| (Int Bool) Bool)
(assert (forall ((x Int)) (=> (= x 0) (|inv 1| x false))))
(assert (forall ((x Int) (b Bool)) (=> (and (|inv 1| x b) (< x 10)) (|inv 1| (+ x 1) (not b)))))
(assert (forall ((x Int) (b Bool)) (=> (and (|inv 1| x b) (> x 10)) false)))
(check-sat)
""",
    """(declare-rel p (Int Real)) (declare-rel bad ()) ; a comment
(declare-var x Int) (declare-var y Real) (define-sort W () (_ BitVec 8))
(define-fun half ((a Int)) Int (div a 2))
(rule (=> (= x 0) (p x 1.5)) start)
(rule (let ((z (half (+ x 1)))) (=> (and (p x y) (>= (to_real z) (/ y 2.0))) (p z (- y)))))
(rule (=> (and (p x y) (< (* 3 x) (mod x 4))) bad))
(query bad)
""",
    """(set-info :status sat)
(declare-fun P ((_ BitVec 32) (Array (_ BitVec 32) (_ BitVec 8))) Bool)
(assert (forall ((a (Array (_ BitVec 32) (_ BitVec 8))) (i (_ BitVec 32)))
  (! (=> (and (= i #x00000000) (= a ((as const (Array (_ BitVec 32) (_ BitVec 8))) #b00000001)))
     (P i (store a i ((_ extract 7 0) i)))) :pattern ((P i a)))))
(assert (forall ((i (_ BitVec 32)) (a (Array (_ BitVec 32) (_ BitVec 8))))
  (=> (and (P i a) (bvult i (_ bv10 32)) (not (exists ((j (_ BitVec 32))) (= (select a j) #xff))))
      (P (bvadd i ((_ zero_extend 24) (select a i)) (concat #x0000 ((_ sign_extend 8) #x01))) a))))
(assert (forall ((i (_ BitVec 32)) (a (Array (_ BitVec 32) (_ BitVec 8))))
  (=> (P i a) (ite (bvsle i #x7fffffff) (distinct (bvurem i #x00000003) i) true))))
(check-sat)
(exit)
""",
)

WITNESSED = """extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int a[4];
static int f(int x) { return x > 2 ? x : a[x & 3]; }
int main(void) {
  int i, n = __VERIFIER_nondet_int();
  a[1] = __VERIFIER_nondet_int();
  for (i = 0; i < n; i++) {
    if (f(i) == 3) a[2]++;
    switch (n) { case 1: break; case 'b': n = 2; default: n--; }
  }
  while (i > 0) i--;
  do { int k = f(n); n = k; } while (n > 5);
  if (n == 4) { reach_error(); }
  return 0;
}
"""


def yaml_witnesses() -> list[str]:
    """Witnesses in YAML 2.0."""
    at = [
        waypoint("assumption", "7:3", "n == 4 && a[1] == 0x10u"),
        waypoint("branching", "9:5", "true"),
        waypoint("branching", "10:5", "'b'"),
        waypoint("function_enter", "9:12"),
        waypoint("function_return", "6:41", "\\result == -5"),
        waypoint("target", "14:17"),
    ]
    avoid = waypoint("branching", "12:3", "false", action="avoid")
    found = [
        json.dumps(violation(WITNESSED, *at[:3], (avoid, at[3]), at[4], at[5]), indent=1),
        json.dumps(violation(WITNESSED, at[0], at[5])),
        json.dumps(invariants()[0], indent=1),
        json.dumps(
            document("invariant_set", WITNESSED, [], "CHECK( init(main()), LTL(G ! overflow) )")
        ),
    ]
    import yaml

    plain = [yaml.safe_dump(json.loads(text)) for text in found]
    return [*found, *plain, *texts("*.yml", ROOT / "c_examples" / "witnesses", SHARED.parent)[:20]]


def invariants() -> list[object]:
    """Lists of invariants: those of a witness, and a plain one."""
    told = (
        ("loop_invariant", "8:3", "i >= 0 && (n < 5 || a[2] != 'x')"),
        ("location_invariant", "9", "(unsigned long)i < 1UL << 31"),
        ("loop_invariant", "12", "-1 <= i && i <= 2147483647"),
        ("location_invariant", "13:8", "*(a + 1) == 0 || n % 3 == 0"),
    )
    plain = [
        {"file": "a.c", "line": 8, "column": 3, "invariant": "i >= 0"},
        {"line": 12, "invariant": "n ? i : sizeof(int) > ~i", "at": "loop"},
        {"line": 9, "invariant": "a[0] == 0", "at": "statement"},
    ]
    return [correctness(WITNESSED, *told), plain]


def invariant_texts() -> list[str]:
    """Files for `--invariants`."""
    import yaml

    return [f(value) for value in invariants() for f in (json.dumps, yaml.safe_dump)]


def graphml_witnesses() -> list[str]:
    """Witnesses in GraphML 1.0."""
    path = "".join(
        (
            node("q0", entry="true"),
            node("q1"),
            node("q2"),
            node("bad", violation="true"),
            node("end", sink="true"),
            edge("q0", "q1", 6, assumption="n == 4;", assumption_scope="main"),
            edge("q1", "q2", 9, control="condition-true", enterFunction="f"),
            edge("q1", "end", 9, control="condition-false"),
            edge("q2", "bad", 14, assumption="\\result == 3;", assumption_resultfunction="f"),
        )
    )
    loops = node("q0", entry="true") + node("q1", invariant="i &gt;= 0", invariant_scope="main")
    loops += edge("q0", "q1", 8, enterLoopHead="true", startoffset="10", endoffset="20")
    found = [
        graph(WITNESSED, "violation_witness", path),
        graph(WITNESSED, "correctness_witness", loops),
    ]
    return [
        *found,
        *(t.replace("><", ">\n<") for t in found),
        *texts("*.graphml", SHARED.parent)[:9],
    ]


EXPRESSIONS = (
    *(
        "x == 3",
        "(a[1] >= 0) && !(n < 'x' || m->k.l != 0x1FuLL)",
        "p ? *(p + 1) : -1 <= sizeof(int)",
    ),
    *("(unsigned char)x << 3 ^ ~y % 7", "((struct s *)p)->next == (void *)0", "\\result > 1.5e-3f"),
    *("x - -1 > 2 & 1 | 4 && true", "&x != 0", "'\\n' == c", "(long long)i * 2 / j == 0"),
)

BOOLEAN = (
    """decl g, {x <= 2};
void main() begin decl a, b; enforce !(a & b); L1: a, b := *, choose(g, a | !b);
  if (a) then goto L1, L2; else skip; fi while (*) do g := f(a, b); od
  L2: assume(a => b = g); assert(a ^ b != T); return; end
bool f(c, d) begin return c && d; end
bool <2> h(c) begin return c, 1; end
""",
)
RIP = (
    """int x, y; bool b;
void main() { int z; x, y = 0, 12345678901234567890; /* c */
  while (x < 10 && !b) { x = x + 1; f(); }
  if (x / 3 == y * -2 || b != true) { assert(x >= 0 ? b : false); } else { assume(z > 0); ; } }
void f() { bool c; c = !c; if (c) { y = y - 1; f(); } } // end
""",
)
PROOFS = [
    """[defaults]
timeout = 60
flags = ["-Iinclude", "-DSLOTS=4"]
[[proof]]
name = "queue" # itself
sources = ["*.toml"]
bits = 32
[[proof]]
name = "queue-memory"
sources = "input*"
entry = ["queue_put"]
property = ["valid-deref", "no-overflow"]
expected = "unsafe"
modular = false
[[suppress]]
proof = "queue-*"
property = "no-overflow"
reason = "issue 17"
expires = 2027-06-30
"""
]
SCHEDULES = (
    """int:
  - spacer plain
  - {engine: kinduction, share: 0.5}
bv:
  - {engine: bmc, seconds: 2}
  - spacer
""",
    'bv: [bmc, "spacer symbolic", {engine: imc, share: 1, seconds: 1.5}]\n',
)
DEFINITION = """format_version: '2.0'
input_files: 'foo.i'
properties:
  - property_file: ../properties/unreach-call.prp
    expected_verdict: true
  - property_file: ../properties/valid-memsafety.prp
    expected_verdict: false
    subproperty: valid-deref
options:
  language: C
  data_model: ILP32
"""
TASK_LIST = """{"file": "a.c", "property": "unreach-call", "expected": true, "arch": "64bit"}
{"file": "b.i", "extra_files": ["c.c"], "property": "p/no-overflow.prp", "category": "x"}
{"file": "h.smt2", "expected": "sat", "track": "LIA"}
"""
PROPERTIES = (
    f"{UNREACH}\n",
    "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n\n",
    "CHECK( init(main()), LTL(G ! overflow) )\nCHECK( init(main()), LTL(F end) )\n",
)
PRECISIONS = (
    '{"integers": {"inv": ["(<= |x| 5)", "(= x (+ y 1))"], "main.L": ["b"]}, "bit-vectors": {}}\n',
    '{\n "bit-vectors": {\n  "inv": [\n   "(bvult v (_ bv7 8))"\n  ]\n }\n}\n',
)
CEGAR = ("domain=predicates,abstraction=cartesian,refinement=tree,order=bfs,initial=on-demand",)


def sets() -> Iterator[str]:
    """Sets of tasks."""
    yield "# all\n\ntasks/*.yml\n./**/b[a-z]?.c\nx/*.i\n"
