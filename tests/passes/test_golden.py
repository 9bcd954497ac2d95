"""What each pass makes of small programs, as texts in `golden/`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

import pytest
from golden import Golden, Maker, file_id, golden_files
from programs import endings

from seahorn_py.ir.graph import blocks_by_label
from seahorn_py.ir.parser.tokens import ParseError
from seahorn_py.ir.printer import print_program
from seahorn_py.ir.program import Function, Program
from seahorn_py.ir.traverse import definitions
from seahorn_py.ir.types import IntType
from seahorn_py.ir.verifier import verify
from seahorn_py.passes.calls import isolate_calls
from seahorn_py.passes.cuts import live_registers, regions
from seahorn_py.passes.environment import model_environment
from seahorn_py.passes.pointsto.devirtualise import devirtualise
from seahorn_py.passes.pointsto.pointsto import points_to
from seahorn_py.passes.pointsto.text import render_text
from seahorn_py.passes.promotion.cells import promote_memory
from seahorn_py.passes.promotion.lanes import split_lanes
from seahorn_py.passes.ranges.intervals import Range, full
from seahorn_py.passes.ranges.ranges import Ranges, value_ranges
from seahorn_py.passes.regions.regions import memory_to_regions
from seahorn_py.passes.safety.safety import check_validity
from seahorn_py.passes.simplify.simplify import simplify
from seahorn_py.passes.slicing.focus import focus
from seahorn_py.passes.slicing.slicing import slice_program

FILES = golden_files(Path(__file__).parent)
ROOMS = [
    "cuts",
    "environment",
    "pointsto",
    "promotion",
    "ranges",
    "regions",
    "safety",
    "simplify",
    "slicing",
]
Pass = Callable[[Program], Program]


# ---------------------------------------------------------------------------------------- analyses


def ranges_text(program: Program) -> str:
    """Each register that is bounded, and what is known more exactly in single blocks."""
    found = value_ranges(program)
    return "\n".join(line for f in program.functions.values() for line in _ranges_of(f, found))


def _ranges_of(function: Function, found: Ranges) -> Iterator[str]:
    yield f"function {function.name}"
    blocks = blocks_by_label(function)
    registers = [*function.parameters, *(r for b in blocks.values() for r in definitions(b))]
    known = {r: found.range(function.name, r) for r in registers if isinstance(r.type, IntType)}
    yield from (f"  {r}: {_interval(range_)}" for r, range_ in known.items() if range_ is not None)
    for label in blocks:
        for register, everywhere in known.items():
            here = found.at(function.name, label, register)
            if here is not None and here != everywhere:
                yield f"  in {label}: {register}: {_interval(here)}"


def _interval(range_: Range) -> str:
    if range_ == full(range_.width):
        return "any"
    natural = _bounds(*range_.unsigned)
    if range_.signed == range_.unsigned or range_.width == 1:
        return natural
    return f"{_bounds(*range_.signed)}, without sign {natural}"


def _bounds(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low} to {high}"


def cuts_text(program: Program, small: bool = False) -> str:
    """Cut points with what is live there, and the regions between them."""
    lines = []
    for function in program.functions.values():
        lines.append(f"function {function.name}")
        for label, live in live_registers(function, small=small).items():
            lines.append(f"  cut {label}: {', '.join(map(str, live)) or 'nothing'} live")
        for region in regions(function, small=small):
            ends = ", ".join(region.ends) or "no cut point"
            lines.append(f"  from {region.start} to {ends}: {' '.join(region.blocks)}")
    return "\n".join(lines)


# ------------------------------------------------------------------------------------------ passes

PASSES: Mapping[str, Pass] = {
    "simplify": simplify,
    "devirtualise": devirtualise,
    "promote_memory": promote_memory,
    "split_lanes": split_lanes,
    "memory_to_regions": memory_to_regions,
    "check_validity": check_validity,
    "slice_program": slice_program,
    "focus on check 1, the others end": partial(focus, sites={1}, go_on=False),
    "focus on check 1, the others go on": partial(focus, sites={1}, go_on=True),
    "model_environment": model_environment,
    "isolate_calls": isolate_calls,
}
ANALYSES: Mapping[str, Maker] = {
    "points_to": lambda program: render_text(points_to(program)),
    "value_ranges": ranges_text,
    "cuts": cuts_text,
    "cuts, small steps": partial(cuts_text, small=True),
    "cuts of isolate_calls": lambda program: cuts_text(isolate_calls(program)),
}
OTHER_RUNS = ("focus on check 1, the others end", "focus on check 1, the others go on")
"""Passes that leave out checks."""


def passed(step: Pass, program: Program) -> str:
    """The program after a pass."""
    return print_program(step(program))


MAKERS = {**{title: partial(passed, step) for title, step in PASSES.items()}, **ANALYSES}


@pytest.mark.parametrize("file", FILES, ids=file_id)
@pytest.mark.all_variants
def test_golden(file: Path, rewrite_golden: bool) -> None:
    Golden.read(file).check(MAKERS, rewrite_golden)


@pytest.mark.all_variants
@pytest.mark.parametrize("file", FILES, ids=file_id)
def test_programs_before_and_after_do_the_same(file: Path) -> None:
    """What is written in a golden file is right: it verifies, and the same runs fail."""
    golden = Golden.read(file)
    assert verify(golden.program) == ()
    for title in golden.expected.keys() & PASSES.keys() - set(OTHER_RUNS):
        after = PASSES[title](golden.program)
        assert verify(after) == ()
        runs = endings(golden.program, after, seed=5, runs=40)
        assert all(before == now for before, now in runs), title


def test_each_room_has_some() -> None:
    for room in ROOMS:
        assert sum(file.parent.name == room for file in FILES) >= 3
    assert all(Golden.read(file).shows for file in FILES)
    titles = {title for file in FILES for title in Golden.read(file).expected}
    assert titles == MAKERS.keys()


def test_a_wrong_file_is_seen_and_written_anew(tmp_path: Path) -> None:
    right = FILES[0].read_text()
    lines = right.splitlines(keepends=True)
    file = tmp_path / "golden" / "wrong.txt"
    file.parent.mkdir()
    for number in range(len(lines)):
        file.write_text("".join(lines[:number] + lines[number + 1 :]))
        if not lines[number].startswith(("#", "====", "\n")):
            with pytest.raises((AssertionError, ParseError)):
                Golden.read(file).check(MAKERS, rewrite=False)
    file.write_text(
        right[: right.index("====")] + right[right.index("====") :].split("\n")[0] + "\n"
    )
    Golden.read(file).check(MAKERS, rewrite=True)
    written = file.read_text()
    assert right.startswith(written)
    Golden.read(file).check(MAKERS, rewrite=False)
