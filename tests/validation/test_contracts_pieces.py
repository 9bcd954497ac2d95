"""Which calls a contract stands for: never one of which it does not say all."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py.base.errors import UnsupportedError
from seahorn_py.options import FrontendOptions
from seahorn_py.processes.deadline import Deadline
from seahorn_py.validation.contracts.compiled import compiled
from seahorn_py.validation.contracts.contract_files import read_project
from seahorn_py.validation.contracts.linkage import check_names
from seahorn_py.validation.contracts.pieces import Pieces
from seahorn_py.validation.contracts.project import Name
from seahorn_py.validation.contracts.replaced import Usable

PUT = "void put(int *p, int *q)\n__CPROVER_assigns(*p, *q)\n{ *p = 1; *q = 2; }\n"
ADD = "int g;\nvoid add(int *p)\n__CPROVER_assigns(*p, g)\n{ *p = 1; g = 2; }\n"


def pieces(folder: Path, *texts: str) -> Pieces:
    files = []
    for number, text in enumerate(texts):
        files.append(folder / f"f{number}.c")
        files[-1].write_text(text)
    options, deadline = FrontendOptions(), Deadline.after(60)
    project = read_project(files, options, (), deadline)
    return Pieces(project, compiled(project.units, (), options, deadline), 3)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("int f(int x) CLAUSE { static int k; return k++; }", "static variable"),
        ("void *f(int x) CLAUSE { return 0; }", "result has pointers"),
        ("struct s { int *q; }; int f(struct s *p) CLAUSE { return 0; }", "leads to pointers"),
        ("void free(void *); int f(int *p) CLAUSE { free(p); return 0; }", "free may leave"),
        ("int *g; int f(int x) CLAUSE { return *g; }", "g has pointers"),
        ("int (*g)(void); int f(int x) CLAUSE { return g(); }", "through a pointer|has pointers"),
        ("int getchar(void); int f(int x) CLAUSE { return getchar(); }", "getchar may leave"),
        ('int f(int x) CLAUSE { __asm__ volatile("nop"); return 0; }', "assembly"),
        ("int lim; int g(void) { return lim; } int f(int lim) CLAUSE { return g(); }", "hides"),
    ],
)
def test_contracts_that_do_not_say_all(body: str, why: str, tmp_path: Path) -> None:
    made = pieces(tmp_path, body.replace("CLAUSE", "__CPROVER_assigns() __CPROVER_ensures(1)"))
    found = made.usable(made.project.units[0].contracts["f"])
    assert isinstance(found, str)
    assert any(part in found for part in why.split("|")), found


@pytest.mark.parametrize(
    "body",
    [
        "int f(int x) __CPROVER_ensures(1) { return x; }",
        "struct s { int a[3]; }; int f(struct s *p) __CPROVER_ensures(1) { return p->a[0]; }",
        "int g; int f(int *p) __CPROVER_assigns(g, *p) { g = *p; return 0; }",
        "int f(int n) __CPROVER_ensures(1) { return n == 0 ? 0 : f(n - 1); }",
    ],
)
def test_contracts_that_say_all(body: str, tmp_path: Path) -> None:
    made = pieces(tmp_path, body)
    assert isinstance(made.usable(made.project.units[0].contracts["f"]), Usable)


def used(folder: Path, text: str) -> list[str]:
    made = pieces(folder, text)
    contract = made.project.units[0].contracts["f"]
    return [one.function for one in made.piece(Name(0, "f"), contract).used]


@pytest.mark.parametrize(
    ("body", "is_used"),
    [
        ("void f(void) C { int x, y; put(&x, &y); }", True),
        ("void f(void) C { int x; put(&x, &x); }", False),
        ("void f(void) C { int a[2]; put(a, a + 1); }", False),
        ("void f(void) C { int a[2], b[2]; put(a + 1, &b[0]); }", True),
        ("void f(int *p, int *q) C { put(p, q); }", True),
        ("void f(int *p, int *q) C { put(p, p); }", False),
        ("void f(void) C { int x; put(&x, 0); }", True),
        ("void f(void) C { int a[2]; put(a, 0 + a); }", False),
        ("void f(void) C { int a[2]; put(0 + a, a); }", False),
        ("void f(int *p) C { put(p, (int *)(0 + (long)p)); }", False),
        ("void f(int *p, int *q) C { p = q; put(p, q); }", False),
        ("void f(int *p, int *q) C { int **r = &p; *r = q; put(p, q); }", False),
        ("void f(int *p, int n) C { put(p, (int *)((long)n + (long)p)); }", False),
        ("void f(int *p) C { int *q = p; put(p, q); }", False),
        ("void f(void (*put)(int *, int *)) C { int x, y; put(&x, &y); }", False),
        ("void f(void put(int *, int *)) C { int x, y; put(&x, &y); }", False),
        (
            "void f(void (*p)(int *, int *)) C { int x, y; __auto_type put = p; put(&x, &y); }",
            False,
        ),
        (
            "void f(void (*p)(int *, int *)) C { int x, y;"
            " __attribute__((unused)) void (*const put)(int *, int *) = p; put(&x, &y); }",
            False,
        ),
        ("void f(int n) C { int x, y; void (*p)(int *, int *) = put; put(&x, &y); }", True),
        ("void h(int *p, int *q) { put(p, q); } void f(int *p) C { h(p, p); }", False),
    ],
)
def test_arguments_lead_to_different_objects(body: str, is_used: bool, tmp_path: Path) -> None:
    text = PUT + body.replace(" C ", " __CPROVER_ensures(1) ")
    assert used(tmp_path, text) == (["put"] if is_used else [])


@pytest.mark.parametrize(
    ("body", "is_used"),
    [
        ("void f(void) C { int x; add(&x); }", True),
        ("void f(void) C { add(&g); }", False),
        ("void f(int *p) C { add(p); }", True),
        ("void f(int n) C { int *p = n ? &g : &n; add(p); }", False),
        ("void f(int *p) C { add(p); if (*p) f(&g); }", False),
    ],
)
def test_arguments_are_no_variables_that_are_touched(
    body: str, is_used: bool, tmp_path: Path
) -> None:
    text = ADD + body.replace(" C ", " __CPROVER_ensures(1) ")
    assert ("add" in used(tmp_path, text)) == is_used


@pytest.mark.parametrize(
    "clause",
    ["ensures(g == __CPROVER_old(g))", "requires(g == 7)", "ensures(p[0] < g)"],
)
def test_what_clauses_speak_of_is_touched(clause: str, tmp_path: Path) -> None:
    clause = f"__CPROVER_{clause}"
    head = f"int g;\nvoid add(int *p)\n__CPROVER_assigns(*p)\n{clause}\n{{ *p = 1; }}\n"
    call = "void f(void) __CPROVER_ensures(1) { add(&g); }\n"
    assert used(tmp_path, head + call) == []
    assert used(tmp_path, head + call.replace("{", "{ int x;").replace("&g", "&x")) == ["add"]


@pytest.mark.parametrize("start", ['"a constant b"', "{0}", '"global"'])
def test_variables_are_told_from_constants(start: str, tmp_path: Path) -> None:
    text = f"char x[16] = {start}; const int k = 3;\n"
    text += "int f(void) __CPROVER_assigns() { x[0] = 1; return k; }\n"
    made = pieces(tmp_path, text)
    found = made.usable(made.project.units[0].contracts["f"])
    assert isinstance(found, Usable)
    assert found.variables == {"x"}


F = "int f(int x) __CPROVER_ensures(1) { return x; }\n"
UNCLEAR = [
    ('int g; extern int h __attribute__((alias("g")));\n' + F,),
    ('int g; extern int h __asm__("g"); int k(void) { return h; }\n' + F,),
    ("extern int g __attribute__((weak)); int k(void) { return g; }\n" + F,),
    ("__attribute__((weak)) " + F, F.replace("return x", "return 1")),
    ("__attribute__((weak)) int g;\n" + F, "int g = 1;\n"),
    ('int k(int x) __asm__("f");\n' + F,),
    ("#pragma redefine_extname f k\n" + F,),
]
CLEAR = [
    (F, "static " + F, "static int g;\n"),
    ("static int g;\n" + F, "int g;\n"),
    (F.replace("{", '{ __asm__("nop"); __asm__ volatile ("nop" : : ); if (x) __asm__("nop");'),),
    ('int puts(const char *) __asm__("puts");\n' + F,),
    ("extern int g;\n" + F, "int g;\n"),
]


@pytest.mark.parametrize("texts", [*UNCLEAR, *CLEAR])
def test_names_that_are_not_their_own(texts: tuple[str, ...], tmp_path: Path) -> None:
    made = pieces(tmp_path, *texts)
    if texts in CLEAR:
        check_names(made.project.units, made.compiled)
        return
    with pytest.raises(UnsupportedError):
        check_names(made.project.units, made.compiled)


def assumed(folder: Path, *texts: str) -> tuple[str, ...]:
    made = pieces(folder, *texts)
    return made.piece(Name(0, "g"), made.project.units[0].contracts["g"]).assumed


OTHER = "int get(void);\nint g(void) __CPROVER_ensures(1) { return get(); }\n"


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ((OTHER, "int x; int get(void) { return x; }\n"), "x, of another file"),
        ((f"static int x;\n{OTHER}int h(void) {{ return x; }}\n",
          "static int x; int get(void) { return x; }\n"), "x, of another file"),
        ((OTHER, "int x; int get(void)\n__CPROVER_assigns()\n__CPROVER_requires(x == 0)\n"
          "{ return 1; }\n"), "x, of another file"),
        (("extern int x; int g(void) __CPROVER_assigns() { x = 1; return 0; }\n",), "x, which no"),
        (("extern int x; int g(void) __CPROVER_assigns() { return x; }\n",), ""),
        ((f"extern int x;\n{OTHER}int h(void) {{ return x; }}\n",
          "int x; int get(void) { return x; }\n"), ""),
    ],
)  # fmt: skip
def test_what_a_proof_rests_on(texts: tuple[str, ...], said: str, tmp_path: Path) -> None:
    found = assumed(tmp_path, *texts)
    assert any(one.startswith(said) for one in found) if said else found == ()


def test_static_functions_of_one_name_keep_their_contracts(tmp_path: Path) -> None:
    one = (
        "static int h(void)\n__CPROVER_ensures(__CPROVER_return_value == {0})\n{{ return {0}; }}\n"
    )
    two = "int f{0}(void)\n__CPROVER_ensures(__CPROVER_return_value == {0})\n{{ return h(); }}\n"
    texts = [(one + two).format(k) for k in (1, 2)]
    made = pieces(tmp_path, *texts)
    for k in (0, 1):
        contract = made.project.units[k].contracts[f"f{k + 1}"]
        piece = made.piece(Name(k, f"f{k + 1}"), contract)
        assert [one.unit for one in piece.used] == [k]
        ((path, text),) = piece.texts
        assert path.name == f"f{k}.c"
        assert f"__sea_use_{k}_h".encode() in text


def test_a_piece_has_no_bodies_but_those_of_its_cone(tmp_path: Path) -> None:
    text = "int other(int x) { return x * 77; }\nint f(int x) __CPROVER_ensures(1) { return x; }\n"
    made = pieces(tmp_path, text)
    ((_, found),) = made.piece(Name(0, "f"), made.project.units[0].contracts["f"]).texts
    assert b"77" not in found
    assert b"int other(int x) ;" in found
