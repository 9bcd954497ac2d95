"""Questions of an editor, one at a time; whoever is cancelled leaves no process behind."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from seahorn_py.cli.editor.shown_answers import (
    Asked,
    Level,
    Remark,
    Shown,
    Spot,
    answer_of,
    question_text,
)
from seahorn_py.cli.messages.codes import code_of
from seahorn_py.processes import limits
from seahorn_py.processes.child import Child, ChildError, result, start
from seahorn_py.processes.deadline import Deadline

TARGET = "seahorn_py.cli.editor.answering_child:answer"
MOST_S = 1_000_000.0
"""The process keeps the limits of `pf` by itself."""
TICK_S = 1.0
REAPING_S = 1.0
"""The most seconds to wait for the end of what was killed."""

Tick = Callable[[float], None]
"""Is told the seconds that have passed, from time to time."""


class Desk:
    """Where questions wait for their turn: each may take all the memory that its limits allow."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def answer(self, asked: Asked, tick: Tick) -> Shown:
        """The answer; a cancelled question is ended at once, with all that it started."""
        async with self._turn:
            try:
                return await _answered(asked, tick)
            finally:  # no other question has processes now
                limits.end_all_below(REAPING_S)


async def _answered(asked: Asked, tick: Tick) -> Shown:
    with start(TARGET, question_text(asked), Deadline.after(MOST_S), None) as child:
        try:
            await _end(child, tick)
        except BaseException:
            limits.kill_tree(child.pid)
            raise
        try:
            return answer_of(result(child))
        except ChildError as error:
            return _unanswered(asked, f"no answer: {error}")


def _unanswered(asked: Asked, why: str) -> Shown:
    """What is shown where the process that should have answered has broken."""
    remark = Remark(Spot(asked.file, asked.line), Level.INFORMATION, code_of("U", why), why)
    return Shown("unknown", why, (remark,))


async def _end(child: Child, tick: Tick) -> None:
    """Wait for the end of a process without keeping the others from their work."""
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    loop.add_reader(child.fileno(), ended.set)
    began = loop.time()
    try:
        while not ended.is_set():
            tick(loop.time() - began)
            try:
                await asyncio.wait_for(ended.wait(), TICK_S)
            except TimeoutError:
                continue
    finally:
        loop.remove_reader(child.fileno())
