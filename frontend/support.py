"""The objects of the run time of native executables, compiled once.

They are kept in the user's cache folder, under a name made from everything they depend on.  Where
nothing can be written they are compiled once in each process.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import tempfile
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from seahorn_py.child import ChildError, Deadline, command
from seahorn_py.frontend.compiler import zig_path

TARGETS = {32: "i386-linux-gnu", 64: "x86_64-linux-gnu"}
_HEADERS = ("system.h", "protocol.h", "runtime.h")
_SOURCES = ("start.c", "inputs.c", "draw.c", "libc.c", "arith.c")
_OBJECTS = tuple(source.replace(".c", ".o") for source in _SOURCES)
_FLAGS = (
    *("-O1", "-ffreestanding", "-fno-builtin", "-nostdinc", "-fno-pic", "-fno-stack-protector"),
    *("-fno-strict-aliasing", "-fwrapv", "-Wall", "-Werror", "-c"),
)
_MEMORY_MIB = 4096
_SECONDS = 60


@functools.cache
def runtime_objects(bits: int) -> Mapping[str, bytes]:
    """File name -> content of the objects for one width; ChildError if they do not compile."""
    texts = {
        name: resources.files("seahorn_py.frontend").joinpath("runtime", name).read_bytes()
        for name in (*_HEADERS, *_SOURCES)
    }
    kept = _kept(bits, texts)
    if kept is not None:
        with contextlib.suppress(OSError):
            return {name: (kept / name).read_bytes() for name in _OBJECTS}
    objects = _compiled(bits, texts)
    if kept is not None:
        _keep(objects, kept)
    return objects


def _kept(bits: int, texts: Mapping[str, bytes]) -> Path | None:
    """Where the objects are kept; None without a home."""
    compiler = zig_path().stat()
    seal = hashlib.sha256(repr((bits, _FLAGS, compiler.st_size, compiler.st_mtime_ns)).encode())
    for name, text in texts.items():
        seal.update(name.encode() + b"\0" + text + b"\0")
    chosen = Path(os.environ.get("XDG_CACHE_HOME", ""))
    try:
        cache = chosen if chosen.is_absolute() else Path.home() / ".cache"
        has_home = cache.parent.is_dir()
    except (RuntimeError, OSError):
        return None
    return cache / "seahorn-py" / seal.hexdigest()[:32] if has_home else None


def _keep(objects: Mapping[str, bytes], folder: Path) -> None:
    """Put the objects there, all at once, unless they cannot be or another process was faster."""
    with contextlib.suppress(OSError):
        folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryDirectory(dir=folder.parent) as place:
            made = Path(place) / "objects"
            made.mkdir()
            for name, content in objects.items():
                (made / name).write_bytes(content)
            made.rename(folder)


def _compiled(bits: int, texts: Mapping[str, bytes]) -> Mapping[str, bytes]:
    with tempfile.TemporaryDirectory(prefix="sea-runtime-") as name:
        directory = Path(name)
        for file, text in texts.items():
            (directory / file).write_bytes(text)
        argv = [str(zig_path()), "clang", "-target", TARGETS[bits], *_FLAGS, *_SOURCES]
        done = command(argv, Deadline.after(_SECONDS), _MEMORY_MIB, cwd=directory, env={})
        if done.code != 0:
            errors = done.errors.strip() or "failed without a message"
            raise ChildError(f"run time: {errors.splitlines()[0]}")
        return {file: (directory / file).read_bytes() for file in _OBJECTS}
