"""From the instrumented LLVM text and one run's inputs to an executable that makes that run.

The executable needs nothing but the kernel.  `runtime/alone.c` begins the program in the process
itself, so that a debugger sees the C lines.  It feeds the inputs by site and visit, and says which
check fails.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path

from seahorn_py.base.records import dataclass
from seahorn_py.frontend.compiling.support import TARGETS
from seahorn_py.frontend.runtime.native import Executable, Refusal, RunTime, completed, link, zig
from seahorn_py.frontend.runtime.nativetext import Peculiar
from seahorn_py.processes import scratch
from seahorn_py.processes.child import ChildError
from seahorn_py.processes.deadline import Deadline

_HEAD = struct.Struct("<3Q")
_TEXT = struct.Struct("<2Q")
_ASSEMBLY = """\
\t.section .data, "aw"
\t.balign 4096
\t.globl sea.linked_request
sea.linked_request:
\t.incbin "request.bin"
\t.balign 16
\t.globl sea.linked_texts
sea.linked_texts:
\t.incbin "texts.bin"
"""


@dataclass(frozen=True)
class Judged:
    """An evaluation of a check that fails, though no native run can tell; `visit` counts from 1."""

    check: int
    visit: int


def build_alone(
    native: str,
    bits: int,
    path: Path,
    request: bytes,
    texts: Mapping[int, str],
    judged: Judged | None,
    deadline: Deadline,
) -> Executable | Refusal:
    """Write the executable to `path`.

    `request` has the form of `runtime/protocol.h`; `texts` has the text of each check.
    """
    with scratch.folder() as folder:
        (folder / "request.bin").write_bytes(request)
        (folder / "texts.bin").write_bytes(_linked_texts(texts, judged))
        (folder / "inputs.s").write_text(_ASSEMBLY)
        argv = ["clang", "-target", TARGETS[bits], "-c", "inputs.s", "-o", "inputs.o"]
        try:
            text = completed(native, bits, debug=True)
            done = zig(argv, folder, deadline)
            if done.code != 0:
                return Refusal("the inputs cannot be linked in")
            extra = [folder / "inputs.o"]
            return link(text, bits, folder, path, RunTime.ALONE, deadline, extra)
        except Peculiar as error:
            return Refusal(str(error))
        except ChildError as error:
            return Refusal(f"native build: {error}")


def _linked_texts(texts: Mapping[int, str], judged: Judged | None) -> bytes:
    """`struct texts` of `runtime/alone.c`."""
    count = max(texts, default=-1) + 1
    lines = [texts[k].encode() if k in texts else b"" for k in range(count)]
    head = _HEAD.pack(count, *((judged.check, judged.visit) if judged else (0, 0)))
    at = _HEAD.size + count * _TEXT.size
    rows = bytearray()
    for line in lines:
        rows += _TEXT.pack(at, len(line))
        at += len(line)
    return head + bytes(rows) + b"".join(lines)
