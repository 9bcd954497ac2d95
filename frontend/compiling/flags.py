"""Flags of C compilers, as builds give them: honoured, ignored or refused.

Honoured is what changes what a program means and is passed to the compiler.  Ignored is what does
not: warnings, optimisation, debug information, what is linked.  Floats that are computed in another
way, and layouts that the models of the C library do not have, are refused; so is what is not known
here, since nobody can tell whether it matters (GCC manual, "Invoking GCC"; Clang, "Command Line
Argument Reference").
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import field
from itertools import pairwise
from pathlib import Path

from seahorn_py.base.errors import InputError
from seahorn_py.base.patterns import pattern
from seahorn_py.base.records import dataclass

_WITH_VALUE = ("-idirafter", "-isystem", "-imacros", "-include", "-iquote", "-D", "-U", "-I")
"""Honoured, with a value that may stand apart; all but -D and -U name files or folders."""

_C_ENDINGS = (".c", ".h", ".i", ".ll", ".bc")
_NO_PATH = frozenset({"-D", "-U"})
_IGNORED_WITH_VALUE = frozenset(
    ("-o", "-MF", "-MT", "-MQ", "-l", "-L", "-z", "-T", "-u", "-Xlinker", "-Xassembler", "--param")
)
_HONOURED = pattern(
    r"-std=(?:c|gnu|iso9899:)[^+]*|-ansi|-trigraphs|-nostdinc|-undef"
    r"|-f(?:un)?signed-char|-f(?:no-)?(?:short-enums|ms-extensions|declspec|gnu89-inline"
    r"|common|trapv|dollars-in-identifiers|asm|builtin(?:-\w+)?|freestanding|hosted|blocks)"
    r"|-m(?:no-)?(?:sse|avx|aes|pclmul|popcnt|bmi|lzcnt|fma|f16c|mmx|sha|rdrnd|rdseed|adx|movbe)"
    r"[\w.]*|-march=[\w.-]+|-mcpu=[\w.-]+"
)
_REFUSED = pattern(
    r"-Ofast|-ffast-math|-f(?:unsafe-math-optimizations|finite-math-only|associative-math"
    r"|reciprocal-math|no-signed-zeros|rounding-math|single-precision-constant|fp-model=.*"
    r"|pack-struct(?:=.*)?|short-wchar|no-honor-\w+|openmp|openacc|cilkplus"
    r"|signed-bitfields|unsigned-bitfields|short-double|excess-precision=fast|instrument-functions)"
    r"|-m(?:x32|16|iamcu|long-double-\w+|ms-bitfields|regparm=.*|soft-float|rtd)|-traditional.*"
    r"|-std=(?:c|gnu)\+\+.*"
)
_IGNORED = pattern(
    r"-W.*|-w|-O[0-3sgz]?|-g.*|-p|-pg|-pipe|-c|-S|-E|-v|-pedantic.*|-pthread|-rdynamic|-s|-shared.*"
    r"|-static.*|-nostdlib|-nodefaultlibs|-nostartfiles|-nolibc|-no-pie|-pie|-M\w*|-[lL].+|-P|-C|-H"
    r"|-save-temps.*|-time|-Q|-Qunused-arguments|-fuse-ld=.*|-mtune=.*|-mcmodel=.*|-m(?:no-)?red-zone"
    r"|-m(?:no-)?(?:omit-leaf-frame-pointer|retpoline.*|indirect-branch.*|stackrealign|vzeroupper)"
    r"|-mfpmath=sse|-m(?:preferred-stack-boundary|stack-alignment|branch-protection|fentry).*"
    r"|-f(?:no-)?(?:PIC|pic|PIE|pie|plt|common|lto.*|stack-.*|cf-protection.*|omit-frame-pointer"
    r"|strict-aliasing|strict-overflow|wrapv.*|delete-null-pointer-checks|tree-.*|inline.*|unroll-.*"
    r"|visibility.*|function-sections|data-sections|diagnostics-.*|color-diagnostics|caret-.*"
    r"|sanitize.*|profile-.*|coverage-.*|test-coverage|asynchronous-unwind-tables|unwind-tables"
    r"|exceptions|ident|verbose-asm|math-errno|trapping-math|merge-constants|keep-.*|ipa-.*"
    r"|optimize-.*|vectorize|slp-vectorize|semantic-interposition|stack-clash-protection|zero-.*"
    r"|max-errors=.*|error-limit=.*|message-length=.*|macro-backtrace-limit=.*|debug-.*|file-prefix-.*"
    r"|macro-prefix-.*|track-.*|reorder-.*|schedule-.*|gcse.*|if-conversion.*|split-.*|toplevel-.*"
    r"|align-.*|jump-tables|branch-.*|partial-inlining|devirtualize.*|show-.*|record-.*|temp-.*"
    r"|harden-.*|trivial-auto-var-init=.*|finite-loops|analyzer.*|compare-debug.*|working-directory"
    r"|rtti|threadsafe-statics|openmp-simd|crash-diagnostics.*|standalone-debug|integrated-as|spell-.*"
    r"|fp-contract=off|excess-precision=standard|ffp-int-builtin-inexact)"
)


@dataclass
class Given:
    """What a command line says: flags to honour, names of files, 32 or 64 where it is said."""

    flags: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    bits: int | None = None


def is_flag(token: str) -> bool:
    """Whether a token is a flag of a compiler that no command of ours has for itself."""
    if token in ("-m32", "-m64", "-o", "-h") or token.startswith("--") or len(token) < 2:
        return False
    if token.startswith(("-D", "-I")):
        return False
    known = (_HONOURED, _REFUSED, _IGNORED)
    if token.startswith("-") and any(pattern.fullmatch(token) for pattern in known):
        return True
    return token.startswith(("-f", "-m", "-std=")) or _valued(token) is not None


def is_about_text(flag: str) -> bool:
    """Whether an honoured flag means nothing for a text that has been preprocessed."""
    return _valued(flag) is not None or flag in ("-nostdinc", "-undef")


def takes_value(token: str) -> bool:
    """Whether the next token belongs to it."""
    return token in _WITH_VALUE or token in _IGNORED_WITH_VALUE


def read_flags(tokens: Sequence[str], folder: Path | None = None) -> Given:
    """Sort the arguments of a compiler; InputError for what would mean something else here.

    Names of files and folders are relative to `folder`, this one by default.
    """
    found = Given()
    waiting = list(tokens)
    while waiting:
        token = waiting.pop(0)
        valued = _valued(token)
        if valued is not None:
            name, value = valued
            if not value and not waiting:
                raise InputError(f"{token}: a value is missing behind it")
            value = value or waiting.pop(0)
            found.flags.append(name + (value if name in _NO_PATH else _placed(value, folder)))
        elif token in _IGNORED_WITH_VALUE:
            found.ignored.extend([token, *waiting[:1]])
            waiting = waiting[1:]
        elif token == "-x":
            _check_language(waiting.pop(0) if waiting else "")
        else:
            _sort(token, found)
    return found


def _sort(token: str, found: Given) -> None:
    """Note a token that stands alone."""
    if token in ("-m32", "-m64"):
        found.bits = int(token[2:])
    elif _REFUSED.fullmatch(token):
        raise InputError(f"{token}: this flag changes what the program means: not supported")
    elif _HONOURED.fullmatch(token):
        found.flags.append(token)
    elif _IGNORED.fullmatch(token):
        found.ignored.append(token)
    elif token.startswith("-x"):
        _check_language(token[2:])
    elif token.startswith("-") and len(token) > 1:
        raise InputError(f"{token}: not known whether this flag changes what the program means")
    else:
        found.files.append(token)


def as_options(tokens: Sequence[str], option: str = "--cflag") -> list[str]:
    """The arguments of a command of ours, where `option` stands before each flag of a compiler.

    All that begins with a dash behind `--` is one, unless a file is called so, or ends as C does.
    """
    found: list[str] = []
    files: list[str] = []
    waiting = list(expanded(tokens))
    is_behind = False
    while waiting:
        token = waiting.pop(0)
        if token == "--" and not is_behind:
            is_behind = True
        elif is_behind and (os.path.isfile(token) or token.endswith(_C_ENDINGS)):
            files.append(token)
        elif is_flag(token) or (is_behind and token[:1] == "-"):
            value = waiting[:1] if takes_value(token) else []
            waiting = waiting[len(value) :]
            found += [f"{option}={part}" for part in (token, *value)]
        else:
            found.append(token)
    return [*found, "--", *files] if files else found


def expanded(tokens: Sequence[str]) -> Iterator[str]:
    """The tokens, with those of the files that `@file` names (GCC manual, "@file").

    Where a file is called so, at sign and all, it is that one; behind a long option it is a value.
    """
    for before, token in pairwise(["", *tokens]):
        is_list = token.startswith("@") and os.path.isfile(token[1:])
        is_value = before == "-o" or (before.startswith("--") and before != "--")
        if is_list and not is_value and not os.path.exists(token):
            yield from expanded(shlex.split(Path(token[1:]).read_text(errors="surrogateescape")))
        else:
            yield token


def _valued(token: str) -> tuple[str, str] | None:
    """A flag with a value, and the value if it is joined."""
    for name in _WITH_VALUE:
        if token.startswith(name):
            return name, token[len(name) :].removeprefix("=" if name.startswith("-i") else "")
    return None


def _placed(name: str, folder: Path | None) -> str:
    """The file or folder as clang takes it for one: no option, no other root."""
    placed = name if folder is None else str((folder / name).resolve())
    return f"./{placed}" if placed.startswith(("=", "-", "@")) else placed


def _check_language(name: str) -> None:
    if name not in ("c", "none", "cpp-output", "c-header"):
        raise InputError(f"-x {name}: only C is supported")
