"""Faults that are planted in the models, to see that they are found.

All of them are in one program: a model asks which fault it has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

from seahorn_py.frontend.compiling import support

_ASKING = "unsigned long sequence_planted(void);\n#define PLANTED(n) (sequence_planted() == n)\n"
_HEADER = '#include "model.h"\n'


@dataclass(frozen=True, slots=True)
class Fault:
    """The text of a model, and what stands in its place; `PLANTED(n)` asks for the n-th fault.

    `function` is one that shows it.
    """

    function: str
    file: str
    right: str
    wrong: str


FAULTS = (
    Fault(
        "strncpy",
        "string.c",
        "for (; i < size; i++) target[i] = 0;\n  return end;",
        "for (; i < size && !PLANTED(1); i++) target[i] = 0;\n  return end;",
    ),
    Fault("strtol", "stdlib.c", "found->negative = *at", "found->negative = !PLANTED(2) && *at"),
    Fault(
        "putchar",
        "stdio.c",
        "int putchar(int c) { return put(c, &standard[1]); }",
        "int putchar(int c) { int r = put(c, &standard[1]); return PLANTED(3) ? 0 : r; }",
    ),
    Fault(
        "ungetc",
        "stdio.c",
        "stream->back[stream->pushed++] = (byte)c;",
        "if (!PLANTED(4)) stream->back[stream->pushed++] = (byte)c;",
    ),
    Fault(
        "feof", "stdio.c", "return flag(stream->ended)", "return flag(stream->ended || PLANTED(5))"
    ),
    Fault(
        "strcmp",
        "string.c",
        "return ordered(compared(left, right, ~(size_t)0));",
        "int x = compared(left, right, ~(size_t)0); return ordered(PLANTED(6) ? -x : x);",
    ),
    Fault(
        "strtok",
        "string.c",
        "*end = 0;\n  return text;",
        "if (!PLANTED(7)) *end = 0;\n  return text;",
    ),
    Fault(
        "printf",
        "stdio.c",
        "int count = UP_TO_5(x, 1, 10);",
        "int count = UP_TO_5(x, 1, 10) + PLANTED(8);",
    ),
    Fault("isalpha", "ctype.c", "return (c >= 'A' && c", "return (c >= 'A' + PLANTED(9) && c"),
    Fault("qsort", "stdlib.c", "return order > 0 ||", "return order > (PLANTED(10) ? 1 : 0) ||"),
    Fault(
        "atoi",
        "stdlib.c",
        "int atoi(const char *text) { return (int)signed_in(text, NULL, 10,",
        "int atoi(const char *text) { return (int)signed_in(text, NULL, PLANTED(11) ? 8 : 10,",
    ),
    Fault(
        "strtoul",
        "stdlib.c",
        "    failed(ERANGE, 0);\n    return g",
        "    failed(PLANTED(12) ? EINVAL : ERANGE, 0);\n    return g",
    ),
)


def faulty_models() -> Mapping[str, bytes]:
    """The models, compiled for 64 bits, with all faults; ChildError if they do not compile."""
    part = support._MODELS
    folder = resources.files("seahorn_py.frontend").joinpath(part.folder)
    texts = {name: folder.joinpath(name).read_text() for name in (*part.headers, *part.sources)}
    for fault in FAULTS:
        assert texts[fault.file].count(fault.right) == 1, fault.right
        texts[fault.file] = texts[fault.file].replace(fault.right, fault.wrong)
    for name in {fault.file for fault in FAULTS}:
        texts[name] = texts[name].replace(_HEADER, _HEADER + _ASKING, 1)
    return support._compiled(part, 64, {name: text.encode() for name, text in texts.items()})
