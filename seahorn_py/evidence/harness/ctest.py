"""A violating run as a C test: a file that, compiled beside the program, feeds it the inputs.

The test exits with 1 if the error is reached and with 0 if the run ends otherwise.  It defines the
functions that give values; each returns, call by call, what the run read from it.  Values are in
the order in which operands are evaluated from left to right, as the bundled compiler does.  What no
function gives (values of uninitialised variables, results of functions of the C library) cannot be
fed; the test is written only if the run reaches the error whatever these values are.
"""

from __future__ import annotations

import shlex
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.evidence.harness.initialisers import Kind, kind_of, table
from seahorn_py.evidence.runs.inputs import undefined_shifts
from seahorn_py.frontend.lowering.events.events import is_output
from seahorn_py.frontend.lowering.library.models import modelled
from seahorn_py.frontend.runtime.native import Refusal
from seahorn_py.ir import interpreter
from seahorn_py.ir.graph import silent
from seahorn_py.ir.program import CheckSite, Havoc, Program, Site, SiteKind
from seahorn_py.ir.run import Ending, Feed, Outcome, RunLimits
from seahorn_py.options import FrontendOptions, Property

MAX_VALUES = 100_000
_VARIANTS = (0, -1, 0x5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A5A)
"""Values tried in turn for everything that cannot be fed."""

_LIMITS = RunLimits(seconds=3.0, steps=20_000_000)
_IDENTIFIER = pattern(r"[A-Za-z_]\w*")
_DEFINED = frozenset({"__VERIFIER_assert", "assert", "sassert"})
"""Functions that the test has anyway, whatever they are said to return."""

# `assert` is weak: a program may have a function of that name with another meaning
_ASSERTIONS = """\
void __assert_fail(const char *text, const char *file, unsigned line, const char *function) {
  (void)text, (void)file, (void)line, (void)function;
  END();
}
void __sea_assert_fail(const char *text, const char *file, int line) {
  (void)text, (void)file, (void)line;
  END();
}
void __VERIFIER_assert(int condition) {
  if (!condition) END();
}
__attribute__((weak)) void assert(int condition) {
  if (!condition) END();
}
__attribute__((weak)) void sassert(int condition) {
  if (!condition) END();
}
"""
_SANITIZERS = {
    Property.NO_OVERFLOW: "signed-integer-overflow,shift,integer-divide-by-zero",
    Property.SHIFT: "shift",
    Property.DIV_BY_ZERO: "integer-divide-by-zero",
    Property.BOUNDS: "bounds",
    Property.UNSIGNED_OVERFLOW: "unsigned-integer-overflow",
    Property.CONVERSION: "implicit-conversion",
}
_MEMORY = frozenset(
    {
        *(Property.VALID_DEREF, Property.VALID_FREE, Property.NULL_DEREF),
        *(Property.VALID_MEMTRACK, Property.VALID_MEMCLEANUP),
    }
)


@dataclass
class _Given:
    """A function of the test, and what it returns call by call or fills its block with."""

    kind: Kind
    fills: bool
    values: list[int] = field(default_factory=list)


def c_test(
    source: Program, run: Outcome, options: FrontendOptions, files: Sequence[Path]
) -> str | Refusal:
    """The text of the test for the FAILED `run` of the unsliced program, or why there is none."""
    check = next(c for c in source.checks if c.number == run.check)
    reason = _unseen(check, options) or _unfed_matters(source, run)
    if reason:
        return Refusal(reason)
    functions = _functions(source, run)
    if isinstance(functions, Refusal):
        return functions
    return "\n".join(
        [
            _head(check, options, files),
            *_failing(check, options),
            *(line for name, given in functions.items() for line in _function(name, given)),
            *(f"void {name}(void) {{}}" for name in silent(source) if name not in functions),
        ]
    )


# ------------------------------------------------------------------------------------- the inputs


def _functions(source: Program, run: Outcome) -> dict[str, _Given] | Refusal:
    filled = _filling(source)
    fed = {site.number: site for site in source.sites if _is_fed(site)}
    functions: dict[str, _Given] = {}
    for site in fed.values():
        kind, fills = kind_of(site), site.number in filled
        if kind is None:
            return Refusal(f"a value of type {site.type} of {site.name} cannot be given in C")
        known = functions.setdefault(site.name, _Given(kind, fills))
        if known.kind != kind or known.fills != fills:
            return Refusal(f"{site.name} gives values of more than one type")
    given = [(number, value) for number, value in run.reads if number in fed]
    if len(given) > MAX_VALUES:
        return Refusal(f"the run reads more than {MAX_VALUES} values")
    for number, value in given:
        functions[fed[number].name].values.append(value)
    return functions


def _is_fed(site: Site) -> bool:
    """The site is a call of a function that the test can define."""
    if not site.native or site.origin.span is None or not _IDENTIFIER.fullmatch(site.name):
        return False
    if site.kind is SiteKind.NONDET:
        return True
    shifts = undefined_shifts([site])
    foreign = is_output(site.name) or modelled(site.name) or site.name in _DEFINED
    return site.kind is SiteKind.EXTERN and not shifts and not foreign


def _filling(source: Program) -> frozenset[int]:
    """The sites that fill a block of memory."""
    return frozenset(
        statement.site.number
        for function in source.functions.values()
        for block in function.blocks
        for statement in block.statements
        if isinstance(statement, Havoc)
    )


def _unfed_matters(source: Program, run: Outcome) -> str:
    """Which values that cannot be fed the error may depend on; empty if it does not."""
    unfed = {site.number: site for site in source.sites if not _is_fed(site)}
    read = dict.fromkeys(number for number, _ in run.reads if number in unfed)
    if not read:
        return ""
    for value in _VARIANTS:
        again = interpreter.run(source, _with(run.feed, read, value), _LIMITS)
        if again.ending is not Ending.FAILED or again.check != run.check:
            names = dict.fromkeys(f"{unfed[n].name or '?'} ({unfed[n].origin})" for n in read)
            return f"the error may depend on what no function gives: {', '.join(names)}"
    return ""


def _with(feed: Feed, sites: Mapping[int, None], value: int) -> Feed:
    return {n: tuple(value & _MASK for _ in v) if n in sites else v for n, v in feed.items()}


_MASK = (1 << 128) - 1


# --------------------------------------------------------------------------------------- the text


def _unseen(check: CheckSite, options: FrontendOptions) -> str:
    """Why no test sees the check fail; empty if one does."""
    property_ = Property(check.property)
    if property_ is Property.UNINIT:
        return "no compiler checks reads of uninitialised variables"
    if check.text in options.error_labels:
        return f"a label, {check.text}, cannot be seen from outside of the program"
    return ""


def _head(check: CheckSite, options: FrontendOptions, files: Sequence[Path]) -> str:
    property_ = Property(check.property)
    flags = [f"-m{options.bits}", "-O0", "-g", "-w", "-std=gnu17", "-ffp-contract=off"]
    if options.bits == 32:
        flags += ["-msse2", "-mfpmath=sse"]
    if property_ in _SANITIZERS:
        flags += [f"-fsanitize={_SANITIZERS[property_]}", "-fsanitize-undefined-trap-on-error"]
    else:
        flags += ["-fwrapv", "-fno-strict-aliasing"]
    if property_ in _MEMORY:
        flags.append("-fsanitize=address")
    flags += [f"-D{define}" for define in options.defines]
    flags += [f"-I{folder}" for folder in options.include_dirs]
    what = _commented(f"{check.origin}: {check.property}: {check.text}")
    command = _commented(command_line([*flags, "-Wl,-z,muldefs", "THIS.c"], files))
    said = "".join(c if c in _PLAIN else f"\\{ord(c):03o}" for c in _ascii(what))
    leaks = int(property_ in _LEAKS)
    at_exit = "" if leaks else "  atexit(passed);\n"
    texts = {"what": what, "command": command, "said": f"check failed: {said}"}
    return _HEAD % {**texts, "leaks": leaks, "at_exit": at_exit}


def command_line(flags: Sequence[str], files: Sequence[Path]) -> str:
    """The command for a shell that compiles the files, of which none is taken for an option."""
    names = (f"./{file}" if str(file).startswith(("-", "@")) else str(file) for file in files)
    return shlex.join(["cc", *flags, *names])


_PLAIN = frozenset(string.ascii_letters + string.digits + " _-+*/%.,:;()[]{}<>=!&|^~#$@'")


def _ascii(text: str) -> str:
    return text.encode("ascii", "replace").decode()


_LEAKS = frozenset({Property.VALID_MEMTRACK, Property.VALID_MEMCLEANUP})


def _commented(text: str) -> str:
    """The text with nothing that ends a comment or continues a line."""
    return text.replace("*/", "* /").replace("/*", "/ *").replace("\\", "\\ ").replace("\n", " ")


_HEAD = """\
/* Exits with 1 while this error is there:
     %(what)s
   Compile it beside the program, this file first (its functions win over the program's):
     %(command)s
*/
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void failed(void) {
  fputs("%(said)s\\n", stderr);
  _Exit(1);
}

static void passed(void) {
  fputs("the run ended without a failing check\\n", stderr);
  _Exit(0);
}

static void trapped(int signal) {
  (void)signal;
  failed();
}

static void aborted(int signal) {
  (void)signal;
  passed();
}

const char *__asan_default_options(void) {
  return "exitcode=1:abort_on_error=0:detect_leaks=%(leaks)d";
}

__attribute__((constructor)) static void begin(void) {
  signal(SIGILL, trapped);
  signal(SIGTRAP, trapped);
  signal(SIGABRT, aborted);
%(at_exit)s}
"""


def _failing(check: CheckSite, options: FrontendOptions) -> Iterator[str]:
    """The functions whose call is the error, all of them, since one error is the other's body.

    Where they are not the property, the run ends there.
    """
    is_error = Property(check.property) is Property.UNREACH_CALL
    end = "failed" if is_error else "passed"
    for name in dict.fromkeys(("reach_error", "__VERIFIER_error", *options.error_functions)):
        yield f"void {name}(void) {{ {end}(); }}"
    yield _ASSERTIONS.replace("END", end)
    yield "void __VERIFIER_assume(int condition) {\n  if (!condition) passed();\n}"


def _function(name: str, given: _Given) -> Iterator[str]:
    values = table(given.kind, given.values)
    count = len(given.values)
    yield f"\nstatic const {given.kind.stored} values_of_{name}[] = {{{values}}};"
    if given.fills:
        yield (
            f"void {name}(void *block, size_t size) {{\n"
            "  static size_t next;\n"
            "  unsigned char *bytes = block;\n"
            "  for (size_t i = 0; i < size; i++, next++)\n"
            f"    bytes[i] = next < {count} ? values_of_{name}[next] : 0;\n}}"
        )
        return
    yield (
        f"{given.kind.c_type} {name}(void) {{\n"
        "  static size_t next;\n"
        f"  {given.kind.c_type} value = 0;\n"
        f"  if (next < {count}) memcpy(&value, &values_of_{name}[next++], "
        "sizeof value);\n"
        "  return value;\n}"
    )
