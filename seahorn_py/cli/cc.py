"""`sea-cc`, also `sea-py cc`: a compiler for builds that keeps the sources in the objects.

The real compiler is `SEA_CC`, or the first of `cc`, `gcc` and `clang` that is there, or the bundled
one; it gets all arguments.  Each C file is preprocessed as `sea-py` would, and the text becomes a
section of its object, which linkers put together: `sea-py pf prog` needs no flags then.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import NoReturn

import click

from seahorn_py.base.errors import SeaError, visible
from seahorn_py.frontend.compiling.flags import Given, expanded, is_about_text, read_flags
from seahorn_py.options import FrontendOptions

_SECONDS = 120.0
_NO_OBJECT = frozenset({"-E", "-S", "-M", "-MM", "-fsyntax-only"})


@click.command(
    "cc",
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def cc(arguments: tuple[str, ...]) -> NoReturn:
    """Compile as the C compiler does, and keep the sources in the objects for pf."""
    sys.exit(compiled(arguments))


def main() -> NoReturn:
    """The command `sea-cc`."""
    sys.exit(compiled(sys.argv[1:]))


def compiled(arguments: Sequence[str]) -> int:
    """Run the compiler; its exit code."""
    tokens = list(expanded(arguments))
    sources = [t for t, before in zip(tokens, ["", *tokens], strict=False) if _is_source(t, before)]
    if not sources or not _NO_OBJECT.isdisjoint(tokens):
        return _run(arguments)
    if "-c" in tokens and len(sources) > 1:
        kept = [[t for t in tokens if t == source or t not in sources] for source in sources]
        return max(_with_records(one, [source]) for one, source in zip(kept, sources, strict=True))
    return _with_records(arguments, sources)


def _is_source(token: str, before: str) -> bool:
    return token.endswith((".c", ".i")) and before not in ("-o", "-include", "-MF", "-MT", "-MQ")


def _with_records(arguments: Sequence[str], sources: Sequence[str]) -> int:
    """Run the compiler with the records of these files."""
    records = b"".join(_records([*expanded(arguments)], sources))
    if not records:
        return _run(arguments)
    with tempfile.TemporaryDirectory(prefix="sea-cc-") as folder:
        file = Path(folder) / "records"
        file.write_bytes(records)
        header = str(resources.files("seahorn_py.frontend") / "include" / "sea_record.h")
        return _run([f'-D__SEA_RECORD="{file}"', "-include", header, *arguments])


def _records(tokens: Sequence[str], sources: Sequence[str]) -> Iterator[bytes]:
    """What is kept of each file; a warning says of which nothing is."""
    for source in sources:
        try:
            yield _record(source, read_flags(tokens))
        except SeaError as error:
            why = visible(str(error))
            click.echo(f"sea-cc: warning: nothing is kept of {visible(source)}: {why}", err=True)


def _record(source: str, given: Given) -> bytes:
    from seahorn_py.frontend.compiling.compiler import preprocessed
    from seahorn_py.frontend.runtime.embedded import Record
    from seahorn_py.processes.deadline import Deadline

    file = Path(source).resolve()
    bits = given.bits or 64
    options = FrontendOptions(bits=bits, flags=tuple(given.flags))
    text = preprocessed(file, options, Deadline.after(_SECONDS))
    flags = tuple(flag for flag in given.flags if not is_about_text(flag))
    return Record(str(file), bits, flags, text).packed()


def _run(arguments: Sequence[str]) -> int:
    return subprocess.call([*_compiler(), *arguments])


def _compiler() -> list[str]:
    given = os.environ.get("SEA_CC")
    if given:
        return [given]
    found = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if found is not None:
        return [found]
    from seahorn_py.frontend.compiling.compiler import zig_path

    return [str(zig_path()), "cc"]
