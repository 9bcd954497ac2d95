"""The C parts of this package, compiled once: run time of native executables, models of libraries.

They are kept in the user's cache folder, under a name made from everything they depend on.  Where
nothing can be written, or others could write, they are compiled once in each process.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import re
import stat
import tempfile
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass
from seahorn_py.frontend.compiling import exacttext
from seahorn_py.frontend.compiling.compiler import FLAGS, zig_path
from seahorn_py.frontend.llvmtext.tokens import NAME
from seahorn_py.processes import scratch
from seahorn_py.processes.child import ChildError, command
from seahorn_py.processes.deadline import Deadline

TARGETS = {32: "i386-linux-gnu", 64: "x86_64-linux-gnu"}
LIBRARY_FOLDER = "<libc>/"
"""Where the models of the C library are, according to their debug information."""

RULE_FOLDER = "<rule>/"
"""Where the code of rules is, in the same way."""

ENTRY = "<entry>"
"""The file of the call of an entry, according to debug information."""

OUR_FOLDERS = (LIBRARY_FOLDER, RULE_FOLDER)

_FRONTEND = Path(__file__).parent.parent
_MEMORY_MIB = 4096
_SECONDS = 60


@dataclass(frozen=True)
class _Part:
    """C files of one folder, how they are compiled, and how a result is called."""

    folder: str
    headers: tuple[str, ...]
    sources: tuple[str, ...]
    flags: tuple[str, ...]
    ending: str
    shown_folder: str = ""
    linked: str = ""
    """The one result, an executable; else each source is compiled to a result of its own."""
    has_homes: bool = False
    """Whether it is kept too in which result each function or object is."""

    @property
    def results(self) -> tuple[str, ...]:
        """The names of the compiled files."""
        return (self.linked,) if self.linked else self.compiled

    @property
    def compiled(self) -> tuple[str, ...]:
        """What the compiler makes of the sources."""
        return tuple(source.replace(".c", self.ending) for source in self.sources)


_FREESTANDING = (
    *("-O1", "-ffreestanding", "-fno-builtin", "-nostdinc", "-fno-pic", "-mno-red-zone"),
    *("-fno-stack-protector", "-fno-strict-aliasing", "-fwrapv", "-Wall", "-Werror", "-c"),
    *("-fno-asynchronous-unwind-tables", "-fno-addrsig"),
)
_RUNTIME = _Part(
    "runtime",
    ("system.h", "protocol.h", "runtime.h", "filter.h"),
    (
        "start.c",
        "baton.c",
        "alone.c",
        "inputs.c",
        "draw.c",
        "text.c",
        "watch.c",
        "libc.c",
        "math.c",
        "arith.c",
    ),
    _FREESTANDING,
    ".o",
)
_LAUNCHER = _Part(
    "runtime",
    ("system.h", "protocol.h", "filter.h"),
    ("launch.c",),
    _FREESTANDING,
    ".o",
    linked="launch",
)
_PAGES = ("separate-code", "noexecstack", "norelro", "max-page-size=4096")
STATIC = (
    *("ld.lld", "-static", "-nostdlib", "--threads=1", "--no-undefined"),
    *("--no-dependent-libraries", *(word for page in _PAGES for word in ("-z", page))),
)
"""How executables without a system are linked: nothing comes in but the files that are named."""
_MODELS = _Part(
    "models",
    ("model.h", "letters.h", "threads.h"),
    (
        *("string.c", "ctype.c", "stdlib.c", "memory.c", "stdio.c", "parsing.c"),
        *("unistd.c", "locale.c", "exit.c", "math.c", "functions.c", "inet.c", "verifiers.c"),
        *("files.c", "descriptors.c", "signals.c", "clocks.c", "environment.c"),
        *("wide.c", "multibyte.c", "random48.c", "names.c"),
        *("threads.c", "threads_locks.c", "threads_waits.c", "threads_c11.c"),
    ),
    # Otherwise a function that is defined as one of the library is taken to mean that.
    (
        *(*FLAGS, "-Xclang", "-disable-lifetime-markers", "-fno-builtin", "-nostdinc"),
        "-fdebug-compilation-dir=/",
    ),
    ".ll",
    LIBRARY_FOLDER,
    has_homes=True,
)
_HOMES = "homes.json"
_PUBLIC = pattern(
    rf"^(?:define (?!internal )[^@\n]*@({NAME})\(|@({NAME}) = dso_local )".encode(), re.MULTILINE
)

_LIBC_FOLDER = "lib/libc"
"""The folder of the compiler with musl's sources and headers."""

_LIBC_SEARCH = {
    bits: (
        *("musl/src/include", "musl/src/internal", f"musl/arch/{machine}", "musl/arch/generic"),
        *("musl/src", "musl/include", f"include/{headers}", "include/generic-musl"),
    )
    for bits, machine, headers in (
        (32, "i386", "x86-linux-musl"),
        (64, "x86_64", "x86_64-linux-musl"),
    )
}


LIBC = {
    "format.c": "vsnprintf snprintf vsprintf sprintf vasprintf asprintf",
    "scan.c": "vsscanf sscanf __isoc99_vsscanf __isoc99_sscanf strtof strtod strtold atof "
    "wcstol wcstoul wcstoll wcstoull wcstoimax wcstoumax wcstof wcstod wcstold",
    "option.c": "getopt getopt_long getopt_long_only",
    "floats.c": "remainder remainderf remainderl scalbn scalbnf scalbnl ldexp ldexpf ldexpl "
    "remquo remquof remquol frexpf frexp frexpl nextafter nextafterf nextafterl nexttoward "
    "nexttowardf nexttowardl ilogb ilogbf ilogbl logb logbf logbl",
    "search.c": "hcreate hdestroy hsearch lsearch lfind tsearch tfind tdelete tdestroy twalk",
    "inet.c": "inet_aton inet_pton inet_ntop inet_addr inet_network inet_makeaddr inet_lnaof "
    "inet_netof inet_ntoa",
    "words.c": "fnmatch l64a a64l strverscmp",
    "time.c": "strftime gmtime_r localtime_r gmtime localtime timegm mktime timelocal asctime_r "
    "asctime ctime_r ctime",
    "regcomp.c": "regfree regcomp",
    "regexec.c": "regexec",
}
"""Files of ours that take in sources of a real library, and the functions that are in them."""

_EXACT = "exact.c"
"""What has a model as well."""


def _libc(bits: int, source: str) -> _Part:
    """A file of ours that takes in those of a real library."""
    folders = [zig_path().parent / _LIBC_FOLDER / name for name in _LIBC_SEARCH[bits]]
    return _Part(
        "libc",
        ("shim.h", "parts.h", "text.h", "classes.h", "regular.h", "area.h"),
        (source,),
        (
            *(*_MODELS.flags, f"-fdebug-prefix-map={zig_path().parent / _LIBC_FOLDER}/=<libc>/"),
            *("-I.", *(f"-I{folder}" for folder in folders)),
        ),
        ".ll",
        LIBRARY_FOLDER,
    )


@functools.cache
def runtime_objects(bits: int) -> Mapping[str, bytes]:
    """File name -> content of the objects for one width; ChildError if they do not compile."""
    return _built(_RUNTIME, bits)


@functools.cache
def launcher() -> bytes:
    """The executable that puts a process behind walls; ChildError if it does not compile."""
    return _built(_LAUNCHER, 64)[_LAUNCHER.linked]


def layout_script() -> bytes:
    """The linker script of all executables that are made of programs."""
    return (_FRONTEND / "runtime" / "program.lds").read_bytes()


@functools.cache
def model_modules(bits: int) -> Mapping[str, bytes]:
    """File name -> LLVM text of the models for one width; ChildError if they do not compile."""
    return _built(_MODELS, bits)


@functools.cache
def model_homes(bits: int) -> Mapping[str, str]:
    """In which of these modules each function or object is.

    It is kept with them, since to look for it takes five times as long as to read it.
    """
    kept = _kept(_MODELS, bits, _texts(_MODELS, {}))
    if kept is not None:
        with contextlib.suppress(OSError):
            return dict(json.loads((kept / _HOMES).read_bytes()))
    return homes(model_modules(bits))


def homes(modules: Mapping[str, bytes]) -> dict[str, str]:
    """In which of these modules each function or object is."""
    found = ((file, _PUBLIC.findall(text)) for file, text in modules.items())
    return {(a or b).decode(): file for file, names in found for a, b in names}


@functools.cache
def further_model(name: str, text: str, bits: int) -> bytes:
    """LLVM text of a C file that is a model as well; ChildError if it does not compile."""
    part = replace(_MODELS, sources=(name,))
    (content,) = _built(part, bits, {name: text.encode()}).values()
    return content


def libc_modules(bits: int, names: Container[str]) -> Mapping[str, bytes]:
    """The same of files that take in a real library: those that have some of these functions."""
    files = (file for file, held in LIBC.items() if any(name in names for name in held.split()))
    return {file: _libc_module(bits, file) for file in files}


@functools.cache
def _libc_module(bits: int, file: str) -> bytes:
    (content,) = _built(_libc(bits, file), bits).values()
    return content


@functools.cache
def exact_modules(bits: int) -> Mapping[str, bytes]:
    """The same of exact functions that have a model as well, in C and in Zig."""
    found = _built(_libc(bits, _EXACT), bits)
    (of_c,) = found.values()
    layout = [line for line in of_c.decode().split("\n") if line.startswith("target ")]
    target, cpu = exacttext.TARGETS[bits]
    flags = ("-target", target, f"-mcpu={cpu}", "-OReleaseSmall", "-fstrip", "-lc")
    part = _Part("libc", (), (), (*flags, *sorted(exacttext.NAMES)), ".ll", linked="zig.ll")
    kept = _kept(part, bits, {"": Path(exacttext.__file__).read_bytes()})
    if kept is not None:
        with contextlib.suppress(OSError):
            return {**found, "zig.ll": (kept / "zig.ll").read_bytes()}
    made = exacttext.plain(_of_zig(part, flags), "\n".join(layout)).encode()
    if kept is not None:
        _keep({"zig.ll": made}, kept)
    return {**found, "zig.ll": made}


def _of_zig(part: _Part, flags: tuple[str, ...]) -> str:
    """The LLVM text of the compiler's library."""
    with scratch.folder() as directory:
        caches = {f"ZIG_{name}_CACHE_DIR": str(directory / name) for name in ("GLOBAL", "LOCAL")}
        source = str(zig_path().parent / "lib/c.zig")
        argv = ["build-obj", source, *flags, "-fno-emit-bin", "-femit-llvm-ir=zig.ll"]
        _run(part, argv, directory, caches)
        return (directory / "zig.ll").read_text()


def _built(part: _Part, bits: int, given: Mapping[str, bytes] | None = None) -> Mapping[str, bytes]:
    """The results of a part; `given` has texts of sources that are none of ours."""
    texts = _texts(part, given or {})
    kept = _kept(part, bits, texts)
    if kept is not None:
        with contextlib.suppress(OSError):
            return {name: (kept / name).read_bytes() for name in part.results}
    results = _compiled(part, bits, texts)
    if kept is not None:
        _keep(results, kept)
    return {name: results[name] for name in part.results}


def _texts(part: _Part, given: Mapping[str, bytes]) -> dict[str, bytes]:
    """The texts of all files that a part is made of."""
    return {
        name: given[name] if name in given else (_FRONTEND / part.folder / name).read_bytes()
        for name in (*part.headers, *part.sources)
    }


def _kept(part: _Part, bits: int, texts: Mapping[str, bytes]) -> Path | None:
    """Where the results are kept; None without a home, or where others might put theirs."""
    compiler = zig_path().stat()
    made = (
        bits,
        part.has_homes,
        part.flags,
        part.linked and STATIC,
        compiler.st_size,
        compiler.st_mtime_ns,
    )
    seal = hashlib.sha256(repr(made).encode())
    for name, text in texts.items():
        seal.update(name.encode() + b"\0" + text + b"\0")
    chosen = Path(os.environ.get("XDG_CACHE_HOME", ""))
    try:
        cache = chosen if chosen.is_absolute() else Path.home() / ".cache"
        if not cache.parent.is_dir():
            return None
    except (RuntimeError, OSError):
        return None
    folder = cache / "seahorn-py" / seal.hexdigest()[:32]
    is_ours = all(map(_is_ours_alone, (folder.parent, folder)))
    return folder if is_ours and not _is_open_to_all(cache) else None


def _is_ours_alone(folder: Path) -> bool:
    """Whether nobody else can have put anything there; a folder that is not there yet is ours."""
    try:
        found = folder.lstat()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    is_shared = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not is_shared


def _is_open_to_all(folder: Path) -> bool:
    """Whether anybody may put another folder in the place of one that is in it."""
    mode = folder.stat().st_mode if folder.exists() else 0
    return bool(mode & stat.S_IWOTH) and not mode & stat.S_ISVTX


def _keep(results: Mapping[str, bytes], folder: Path) -> None:
    """Put the files there, all at once, unless they cannot be or another process was faster."""
    with contextlib.suppress(OSError):
        for missing in (folder.parent.parent, folder.parent):
            missing.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryDirectory(dir=folder.parent) as place:
            made = Path(place) / "results"
            made.mkdir(mode=0o700)
            for name, content in results.items():
                (made / name).write_bytes(content)
            made.rename(folder)


def _compiled(part: _Part, bits: int, texts: Mapping[str, bytes]) -> Mapping[str, bytes]:
    with scratch.folder() as directory:
        for file, text in texts.items():
            shown = f'# 1 "{part.shown_folder}{file}"\n' if part.shown_folder else ""
            (directory / file).write_bytes(shown.encode() + text)
        argv = ["clang", "-target", TARGETS[bits], *part.flags, *part.sources]
        _run(part, argv, directory)
        if part.linked:
            start = ("-e", "sea.start", "-o", part.linked)
            _run(part, [*STATIC, *start, *part.compiled], directory)
        results = {file: (directory / file).read_bytes() for file in part.results}
    return {**results, _HOMES: json.dumps(homes(results)).encode()} if part.has_homes else results


def _run(
    part: _Part, argv: Sequence[str], directory: Path, env: Mapping[str, str] | None = None
) -> None:
    """Run a part of the bundled compiler; ChildError if it fails."""
    limit = Deadline.after(_SECONDS)
    done = command([str(zig_path()), *argv], limit, _MEMORY_MIB, cwd=directory, env=env or {})
    if done.code != 0:
        errors = done.errors.strip() or "failed without a message"
        raise ChildError(f"{part.folder}: {errors.splitlines()[0]}")
