"""Ctrl-C while code of others works, which may lose it: what an import within it raises, for one, nobody hears of."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType
from typing import NoReturn, ParamSpec, TypeVar

Given = ParamSpec("Given")
Made = TypeVar("Made")


class Interrupts:
    """Ctrl-C that comes within `through` is kept until the call has ended; at other times it is what it was.

    stop: called as it comes, so that the call ends soon.
    """

    def __init__(self, before: Callable[[int, FrameType | None], object]) -> None:
        self.stop: Callable[[], object] = lambda: None
        self._before = before
        self._within = False
        self._came = False

    def through(self, work: Callable[Given, Made], *given: Given.args, **named: Given.kwargs) -> Made:
        """What a call gives; a `KeyboardInterrupt` after it where Ctrl-C came meanwhile, whatever the call did."""
        self._within = True
        try:
            return work(*given, **named)
        finally:
            self._within = False
            if self._came:
                self._end()

    def come(self, number: int, frame: FrameType | None) -> None:
        """The handler of the signal."""
        if not self._within:
            self._before(number, frame)
            return
        self._came = True
        self.stop()

    def _end(self) -> NoReturn:
        self._came = False
        self._before(signal.SIGINT, None)
        raise KeyboardInterrupt


@contextmanager
def interrupts() -> Iterator[Interrupts]:
    """Ctrl-C as `Interrupts` see it, until the end; in other threads than the main one it never comes."""
    before = signal.getsignal(signal.SIGINT)
    kept = Interrupts(before if callable(before) else lambda *_: None)
    # Whoever ignores it, or lets it end the process at once, has said so.
    if current_thread() is not main_thread() or not callable(before):
        yield kept
        return
    signal.signal(signal.SIGINT, kept.come)
    try:
        yield kept
    finally:
        signal.signal(signal.SIGINT, before)
