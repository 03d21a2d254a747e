"""Steps of long work: loops over blocks of it say here what they do, and the command shows how far it is.

What is shown belongs to the context, because statistics know of no command; worker threads and processes show nothing.
"""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from io import BufferedReader
from pathlib import Path
from threading import Timer
from typing import Protocol, TypeVar

Item = TypeVar("Item")

PATIENCE = 2.0
"""Seconds until the bar of long work appears, and until waiting for a pipe is said."""


class Progress(Protocol):
    """Iterates over items and shows the progress."""

    def __call__(self, items: Sequence[Item], description: str) -> Iterable[Item]:
        """The items; description: the current step, such as 'Reading runs'."""


def no_progress(items: Sequence[Item], description: str) -> Iterable[Item]:  # noqa: ARG001
    """The `Progress` that shows nothing."""
    return items


_SHOWN: ContextVar[Progress] = ContextVar("progress", default=no_progress)


def steps(items: Sequence[Item], description: str) -> Iterable[Item]:
    """The items, shown by the `Progress` of the command, within the step that it is at; steps are alike."""
    return _SHOWN.get()(items, description)


@contextmanager
def step(description: str) -> Iterator[None]:
    """Work of unknown length that is shown by its name, with the steps within it."""
    for _ in steps((None,), description):
        yield


def open_bytes(path: str | Path) -> BufferedReader:
    """A file that is read; waiting for a pipe is said on standard error, and a device is an `OSError`."""
    path = Path(path)
    shell = str(path).startswith(("/dev/stdin", "/dev/fd/", "/proc/self/fd/", "/dev/null"))
    if (path.is_char_device() or path.is_block_device()) and not shell:
        raise OSError(errno.ENODEV, "it is a device")
    if not path.is_fifo() or sys.stderr is None:
        return path.open("rb")
    line = f"Waiting for {str(path)!r}, a pipe to which nothing has been written yet\n"
    timer = Timer(PATIENCE, sys.stderr.write, [line])
    timer.daemon = True
    try:
        timer.start()
        file = path.open("rb")
        file.peek(1)
    finally:
        timer.cancel()
    return file


@contextmanager
def shown_by(progress: Progress) -> Iterator[None]:
    """Show the steps within the context."""
    before = _SHOWN.set(progress)
    try:
        yield
    finally:
        _SHOWN.reset(before)
