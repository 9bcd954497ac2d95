"""Verification beside other work of an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Unpack

from seahorn_py.options import VerifyOptions
from seahorn_py.processes.cancellation import Cancellation
from seahorn_py.result import VerificationResult
from seahorn_py.verification.clock import Moment
from seahorn_py.verification.pipeline import verify
from seahorn_py.verification.shortcuts import Shortcuts


async def verify_async(
    files: str | Path | Sequence[str | Path],
    options: VerifyOptions | None = None,
    on_progress: Callable[[Moment], object] | None = None,
    **shortcuts: Unpack[Shortcuts],
) -> VerificationResult:
    """As `verify`, while the event loop goes on; `on_progress` is called in the loop.

    To cancel the task is to cancel the work: its processes and files are gone before the task is.
    An exception of `on_progress` ends the work in the same way, and is raised.
    """
    loop, token, failures = asyncio.get_running_loop(), Cancellation(), list[Exception]()

    def tell(moment: Moment) -> None:
        if on_progress is not None and not token.is_cancelled:
            try:
                on_progress(moment)
            except Exception as error:
                failures.append(error)
                token.cancel()

    def watch(moment: Moment) -> None:
        loop.call_soon_threadsafe(partial(tell, moment))

    told = None if on_progress is None else watch
    work = partial(verify, files, options, on_progress=told, cancel=token, **shortcuts)
    running = loop.run_in_executor(None, work)
    try:
        result = await asyncio.shield(running)
    except asyncio.CancelledError:
        token.cancel()
        await _ended(running)
        raise
    if failures:
        raise failures[0]
    return result


async def _ended(running: asyncio.Future[VerificationResult]) -> None:
    """Wait for the end, whatever it is and however often the task is cancelled meanwhile."""
    while not running.done():
        try:
            await asyncio.wait([running])
        except asyncio.CancelledError:
            continue
    running.exception()
