"""Steps of long work: loops over blocks of it say here what they do, and the command shows how far it is.

What is shown belongs to the context, because statistics know of no command; worker threads and processes show nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, TypeVar

Item = TypeVar("Item")


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


@contextmanager
def shown_by(progress: Progress) -> Iterator[None]:
    """Show the steps within the context."""
    before = _SHOWN.set(progress)
    try:
        yield
    finally:
        _SHOWN.reset(before)
