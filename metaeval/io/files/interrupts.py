"""Ctrl-C while a library runs, which might suppress it: for example, imports in extension modules do."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType
from typing import NoReturn, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class Interrupts:
    """Delays Ctrl-C during a `call` until the call has ended; at other times the previous handler runs.

    stop: called when the signal arrives, to end the call early.
    """

    def __init__(self, previous: Callable[[int, FrameType | None], object]) -> None:
        self.stop: Callable[[], object] = lambda: None
        self._previous = previous
        self._in_call = False
        self._pending = False

    def call(self, function: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        """The result of a call; after Ctrl-C a `KeyboardInterrupt`, whatever the call returned or raised."""
        self._in_call = True
        try:
            return function(*args, **kwargs)
        finally:
            self._in_call = False
            if self._pending:
                self._interrupt()

    def handle(self, number: int, frame: FrameType | None) -> None:
        """The handler of the signal."""
        if not self._in_call:
            self._previous(number, frame)
            return
        self._pending = True
        self.stop()

    def _interrupt(self) -> NoReturn:
        self._pending = False
        self._previous(signal.SIGINT, None)
        raise KeyboardInterrupt


@contextmanager
def delayed_interrupts() -> Iterator[Interrupts]:
    """Handles Ctrl-C by `Interrupts` within the context; only the main thread receives signals."""
    previous = signal.getsignal(signal.SIGINT)
    interrupts = Interrupts(previous if callable(previous) else lambda *_: None)
    # A signal that is ignored, or that ends the process immediately, remains so.
    if current_thread() is not main_thread() or not callable(previous):
        yield interrupts
        return
    signal.signal(signal.SIGINT, interrupts.handle)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, previous)
