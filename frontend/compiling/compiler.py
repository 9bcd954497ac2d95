"""C files, preprocessed files and LLVM files to LLVM text, one module per file.

The compiler is the plain clang driver inside the `ziglang` wheel, started as a binary: never `zig
cc`, which optimises, defines NDEBUG and takes the headers and the processor of the host.  Undefined
behaviour is left to the property: the flags take from the compiler every licence to exploit it, and
no optimisation pass runs.  Texts are as the LLVM of llvmlite prints them; what another compiler
wrote is parsed and printed once in a child.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib import util
from pathlib import Path

from seahorn_py.base.errors import InputError, Stage, StageFailure
from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.compiling.flags import is_about_text
from seahorn_py.frontend.compiling.ownnames import without_ours
from seahorn_py.frontend.compiling.quantifiers import CBMC_MACROS, in_c, no_c
from seahorn_py.frontend.compiling.sanitizers import compiler_flags, needs_c
from seahorn_py.options import FrontendOptions, Order
from seahorn_py.processes import scratch
from seahorn_py.processes.child import ChildError, Completed, call, command
from seahorn_py.processes.deadline import Deadline

_C_SUFFIXES = frozenset({".c", ".i"})
_MEMORY_MIB = 8192
_TARGETS = {32: "i386-linux-gnu", 64: "x86_64-linux-gnu"}
_HEADER_DIRS = (
    "include",
    "libc/include/x86-linux-gnu",
    "libc/include/generic-glibc",
    "libc/include/x86-linux-any",
    "libc/include/any-linux-any",
)
_TOLERATED = (
    "implicit-function-declaration",
    "implicit-int",
    "int-conversion",
    "parentheses",
    "incompatible-pointer-types",
    "incompatible-function-pointer-types",
    "return-mismatch",
)
FLAGS = (
    *("-S", "-emit-llvm", "-g", "-O1", "-Xclang", "-disable-llvm-passes", "-U__OPTIMIZE__"),
    *("-w", "-std=gnu17", "-fbracket-depth=100000", "-fno-pic", "-ffp-contract=off"),
    *(f"-Wno-error={warning}" for warning in _TOLERATED),
    *("-fwrapv", "-fwrapv-pointer", "-fno-strict-aliasing", "-fno-delete-null-pointer-checks"),
    *("-fno-finite-loops", "-fno-strict-float-cast-overflow"),
    # of a comparison only the sign is promised, so clang must not compute it; of strchr it does not
    # convert the character that is looked for
    *(f"-fno-builtin-{name}" for name in ("strcmp", "strncmp", "memcmp", "bcmp")),
    *(f"-fno-builtin-{name}" for name in ("wcscmp", "wcsncmp", "wmemcmp", "strchr")),
    "-D__NO_CTYPE",  # classes of characters are functions, which follow the locale, not tables
    *("-Xclang", "-no-enable-noundef-analysis", "-fno-crash-diagnostics"),
    *CBMC_MACROS,
)
"""What every C file is compiled with; no pass runs, nothing is derived from undefined behaviour."""

_READ_AS_BUILTIN = pattern(
    r"\n(?:define (?P<scope>internal )?[^@\n]*|(?=@\w+ = [^\n]*\balias ))@(?P<name>"
    r"(?:mem|str|stp|wmem|wcs)\w+|b(?:cmp|copy|zero)|r?index|l?l?abs|ffsl?l?|_?alloca"
    r"|(?:m|c|re)alloc|aligned_alloc|free|abort|_?exit|_Exit|vfork"
    r"|(?:_|sig|__sig)?setjmp|(?:_|sig)?longjmp"
    r"|v?[fs]?(?:printf|scanf)|v?snprintf|fopen|fread|fwrite"
    r"|is[a-z]{4,6}|to(?:lower|upper|ascii)"
    r"|(?:fabs|sqrt|cbrt|hypot|pow|exp(?:2|10|m1)?|log(?:2|10|1p|b)?|ilogb|erfc?|[lt]gamma"
    r"|floor|ceil|trunc|round(?:even)?|rint|nearbyint|l?l(?:round|rint)"
    r"|a?(?:sin|cos|tan)h?|atan2|sincos|fm(?:in|ax)(?:imum(?:_num)?)?|fma|fmod|modf|fdim"
    r"|remainder|remquo|frexp|ldexp|scalbl?n|copysign|next(?:after|toward)|nan"
    r"|(?:__)?finite|__(?:exp10|sinpi|cospi|tanpi)"
    r"|conj|c(?:abs|arg|exp|imag|log|pow|proj|real|sqrt|a?(?:sin|cos|tan)h?))[fl]?)(?:\(| = )",
)
"""Functions of the program, or other names of such, whose calls clang would take for the library's.

They are those of its table of library functions (`clang/Basic/Builtins.td`).
"""

_OTHER_NAME = pattern(r"^@(\w+) = (?!internal )[^\n]*\balias ", re.MULTILINE)
"""Names of what has another one: clang takes their addresses for different unless one is weak."""

_TAKEN_FOR_FUNCTION = pattern(r"redefinition of '(\w+)' as different kind of symbol")
"""Variables with names of the C library's functions, which clang knows without any header."""

_PLAIN_NAME = pattern(r"(?![-@])(?!.*/@[^/]*$)[^\x00-\x1f\x7f\udc80-\udcff]*", re.DOTALL)
"""What clang takes for a file and writes as it is: no option, no file of options, no odd byte.

It hands the last part of a path on to itself, where a leading `@` is a file of options again.
"""

_UNUSUAL = pattern(rb"[^ !#-\[\]-~]")
"""What is written in octal in a string of C: no character that can be printed, or `"` or `\\`."""

_LINE_MARKER = pattern(rb"^[ \t]*#[ \t]*(?:line[ \t]+)?\d+.*$", re.MULTILINE)
_DEFINITION = pattern(r"^#define ([^\s(]+)(\([^)]*\))? ?(.*)$", re.MULTILINE)
_UNKNOWN_FLAG = pattern(r"unknown argument:? '([^']+)'")
_DROPPED_FLAGS_LIMIT = 12
_ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C"}
_SHOWN_ERRORS = 3
_BUILTIN_DEFINED = pattern(r"definition of builtin function '__builtin_(\w+)'")
_NOT_C = pattern(r"identifier '__CPROVER_(?:for|ex)|types for '__CPROVER_uninterpreted_")


def compile_files(
    files: Sequence[Path], options: FrontendOptions, deadline: Deadline
) -> tuple[str, ...]:
    """Compile each file to the text of an LLVM module; `InputError` says what is wrong with one.

    A function that some file defines is meant in all of them, a static one only in its own.
    """
    texts = [_compile_file(file, (), (), options, deadline) for file in files]
    others = sorted({name for text in texts for name in _OTHER_NAME.findall(text)})
    found = [list(_READ_AS_BUILTIN.finditer(text)) for text in texts]
    shared = {f["name"] for own in found for f in own if not f["scope"]}
    for k, (file, own) in enumerate(zip(files, found, strict=True)):
        names = sorted(shared.union(f["name"] for f in own))
        if (names or others) and file.suffix in _C_SUFFIXES:
            texts[k] = _compile_file(file, names, others, options, deadline)
    return tuple(texts)


def unmarked(source: bytes) -> bytes:
    """The text with its line markers blanked: places are those of the file itself."""
    return _LINE_MARKER.sub(b"", source)


def source_text(file: Path, options: FrontendOptions) -> bytes:
    """The text of a file that is compiled; places in it are those of the file itself."""
    return dict(options.edited).get(file) or unmarked(read(file))


def line_marker(line: int, file: str) -> bytes:
    """The line before the line of that number of a file, whatever the file is called."""
    name = _UNUSUAL.sub(lambda byte: b"\\%03o" % byte[0][0], os.fsencode(file))
    return b'# %d "%s"\n' % (line, name)


@dataclass(frozen=True, slots=True)
class Macro:
    """A definition that the preprocessor has seen; `parameters` with their parentheses, or none."""

    name: str
    parameters: str
    body: str


def macros(file: Path, options: FrontendOptions, deadline: Deadline) -> tuple[Macro, ...]:
    """All macros that are defined anywhere in a C file, its headers, the options or the compiler.

    `InputError` says what is wrong with the file.
    """
    given = options.clang or os.environ.get("SEA_CLANG")
    flags = [*compiler_flags(FLAGS, options), "-E", "-dD"]
    source = read(file)
    done = _compiled(file, source, given, flags, options, deadline)
    if done.code != 0:
        raise InputError(*_complaint(file, source, done))
    return tuple(Macro(*found) for found in _DEFINITION.findall(done.output))


def preprocessed(file: Path, options: FrontendOptions, deadline: Deadline) -> bytes:
    """The text of a C file with its headers and without macros; places are in line markers."""
    given = options.clang or os.environ.get("SEA_CLANG")
    source = read(file)
    done = _compiled(file, source, given, [*FLAGS, "-E"], options, deadline)
    if done.code != 0:
        raise InputError(*_complaint(file, source, done))
    return done.output.encode("utf-8", "surrogateescape")


def zig_path() -> Path:
    """The bundled compiler's binary; `InputError` if the wheel is missing."""
    spec = util.find_spec("ziglang")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        binary = Path(folder) / "zig"
        if binary.is_file():
            return binary
    raise InputError("the bundled C compiler is missing: install the package ziglang")


def _compile_file(
    file: Path,
    own: Iterable[str],
    weak: Sequence[str],
    options: FrontendOptions,
    deadline: Deadline,
) -> str:
    """The module of a file; calls of the functions `own` are not taken for the C library's."""
    is_given = file in dict(options.edited)
    if os.path.isdir(file):
        raise InputError(f"{file}: is a directory")
    if not os.path.isfile(file) and not is_given:
        raise InputError(f"{file}: no such file")
    match file.suffix:
        case suffix if suffix in _C_SUFFIXES:
            return without_ours(file, _compile_c(file, own, weak, options, deadline))
        case ".ll" | ".bc":
            if only := needs_c(options):
                why = "its checks are inserted by the C compiler"
                raise InputError(f"{file}: {only} needs a C file: {why}")
            if options.order is Order.ALL:
                raise InputError(f"{file}: all orders of evaluation are known of C files only")
            return without_ours(file, _normalise(file, file, options, deadline))
        case _:
            raise InputError(f"{file}: unsupported file type (expected .c, .i, .ll or .bc)")


def read(file: Path) -> bytes:
    """What is in a file; InputError if it cannot be read."""
    try:
        return file.read_bytes()
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}") from None


def _compile_c(
    file: Path,
    own: Iterable[str],
    weak: Sequence[str],
    options: FrontendOptions,
    deadline: Deadline,
) -> str:
    source = read(file) if os.path.isfile(file) else b""
    given = options.clang or os.environ.get("SEA_CLANG")
    flags = [*compiler_flags(FLAGS, options), *(f"-fno-builtin-{name}" for name in own)]
    done = _compiled(file, source, given, flags, options, deadline, weak)
    variables = sorted(set(_TAKEN_FOR_FUNCTION.findall(done.errors)))
    defined = sorted(set(_BUILTIN_DEFINED.findall(done.errors)))
    if variables or defined:
        flags += [f"-fno-builtin-{name}" for name in variables]
        flags += [f"-D__builtin_{name}=sea_builtin_{name}" for name in defined]
        done = _compiled(file, source, given, flags, options, deadline, weak)
    if done.code != 0 and _NOT_C.search(done.errors):
        whole = _without_headers(file, options, deadline)
        done = _compiled(file, source, given, flags, whole, deadline, weak)
    if done.code != 0 or not done.output:
        raise InputError(*_complaint(file, dict(options.edited).get(file, source), done))
    if given is None:
        return done.output
    with scratch.folder() as folder:
        module = folder / "module.ll"
        module.write_text(done.output, encoding="utf-8")
        return _normalise(file, module, options, deadline)


def _without_headers(file: Path, options: FrontendOptions, deadline: Deadline) -> FrontendOptions:
    """The options with the text of the file and its headers, made C (`quantifiers`)."""
    text = in_c(preprocessed(file, options, deadline))
    own = (*options.flags, *dict(options.flags_of).get(file, ()))
    return replace(
        options,
        flags=tuple(flag for flag in own if not is_about_text(flag)),
        flags_of=(),
        include_dirs=(),
        defines=(),
        edited=((file, text),),
    )


def _compiled(
    file: Path,
    source: bytes,
    given: Path | str | None,
    flags: Sequence[str],
    options: FrontendOptions,
    deadline: Deadline,
    weak: Sequence[str] = (),
) -> Completed:
    with scratch.folder() as folder:
        text = dict(options.edited).get(file, unmarked(source))
        if weak:
            marks = "".join(f"#pragma weak {name}\n" for name in weak)
            text = marks.encode() + line_marker(1, str(file)) + text
        if b"__CPROVER_" in text and "-E" not in flags:
            text = in_c(text)
        inputs = [str(file)]
        if text != source or not _PLAIN_NAME.fullmatch(str(file)):
            inputs = _unmarked_copy(file, text, folder)
        if given is None:
            argv = [str(zig_path()), "clang", *_bundled_flags(options.bits, flags)]
            return _run([*argv, *_user_flags(file, options), *inputs], deadline)
        argv = [_other_clang(str(given)), f"-m{options.bits}", *flags]
        argv += ["-isystem", str(_own_include())]
        return _run_other([*argv, *_user_flags(file, options), *inputs], deadline)


def _unmarked_copy(file: Path, source: bytes, folder: Path) -> list[str]:
    """Flags and a private copy without line markers that still calls itself by the user's path."""
    copy = folder / f"unmarked{file.suffix}"
    copy.write_bytes(line_marker(1, str(file)) + source)
    return [f"-iquote{_folder(file.parent)}", str(copy)]


def _folder(folder: Path) -> str:
    """A folder as clang takes it for one: `=` at its beginning would be another root."""
    return str(folder) if folder.is_absolute() else f"./{folder}"


def _bundled_flags(bits: int, flags: Sequence[str]) -> list[str]:
    library = zig_path().parent / "lib"
    folders = [_own_include(), *(library / folder for folder in _HEADER_DIRS)]
    search = [flag for folder in folders for flag in ("-isystem", str(folder))]
    return ["-target", _TARGETS[bits], "-nostdinc", "-D__GLIBC_MINOR__=36", *search, *flags]


def _own_include() -> Path:
    return Path(__file__).parent.parent / "include"


def _user_flags(file: Path, options: FrontendOptions) -> list[str]:
    plain = (str(folder) for folder in options.include_dirs)
    include = [f"-I./{name}" if name.startswith(("=", "-", "@")) else f"-I{name}" for name in plain]
    defines = (f"-D{define}" for define in options.defines)
    own = dict(options.flags_of).get(file, ())
    return [*include, *defines, *options.flags, *own, "-o", "-"]


def _other_clang(given: str) -> str:
    found = shutil.which(given)
    if found is None:
        raise InputError(f"{given}: the compiler given by --clang or SEA_CLANG cannot be run")
    return found


def _run(argv: Sequence[str], deadline: Deadline) -> Completed:
    try:
        return command(argv, deadline, _MEMORY_MIB, env=_ENVIRONMENT)
    except OSError as error:
        raise InputError(f"{argv[0]}: the compiler cannot be run: {error.strerror}") from None
    except ChildError as error:
        raise StageFailure(Stage.FRONT_END, f"compiling: {error}") from None


def _run_other(argv: list[str], deadline: Deadline) -> Completed:
    """Run a compiler that may not know all flags; those it complains about are left out."""
    for _ in range(_DROPPED_FLAGS_LIMIT):
        done = _run(argv, deadline)
        unknown = set(_UNKNOWN_FLAG.findall(done.errors)) & set(argv)
        if done.code == 0 or not unknown:
            return done
        for flag in unknown:
            at = argv.index(flag)
            start = at - 1 if argv[at - 1] == "-Xclang" else at
            del argv[start : at + 1]
    return done


def _complaint(file: Path, source: bytes, done: Completed) -> list[str]:
    """What is wrong with a file, in a few lines."""
    if done.code < 0 or done.code > 128 or "frontend command failed" in done.errors:
        return [f"{file}: the compiler crashed on this file"]
    lines = done.errors.splitlines()
    if b"__CPROVER_" in source and (unread := no_c(file, source)):
        return [unread]
    errors = [line for line in lines if "error:" in line]
    if errors:
        return errors[:_SHOWN_ERRORS]
    return [f"{file}: the compiler gave no code: {lines[0] if lines else f'code {done.code}'}"]


def _normalise(file: Path, module: Path, options: FrontendOptions, deadline: Deadline) -> str:
    """The module as our LLVM prints it; checks that it is one, and for the right target.

    The child reads it, so that this process does not hold it twice.
    """
    request = json.dumps({"file": str(module.absolute()), "bits": options.bits})
    try:
        answer = json.loads(call("seahorn_py.frontend.lowering.llvm:normalise", request, deadline))
    except ChildError as error:
        raise InputError(f"{file}: not a valid LLVM module: {error}") from None
    if "error" in answer:
        raise InputError(f"{file}: {answer['error']}")
    return str(answer["text"])
