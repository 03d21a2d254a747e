"""Progress on standard error: a bar on a terminal, elsewhere a line every ten seconds; first estimates of long work."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Thread
from typing import TypeVar

from metaeval.errors import pluralize
from metaeval.io.dataset import Progress
from metaeval.study.study import no_progress

Item = TypeVar("Item")

PATIENCE, EVERY, LONG = 2.0, 10.0, 60.0
"""Seconds until the work is estimated and the bar appears, between lines, and above which an estimate is shown."""


@contextmanager
def tracking(*, quiet: bool) -> Iterator[Progress]:
    """What shows the progress of a command until it ends: nothing if quiet, lines under CI."""
    if quiet or sys.stderr is None:
        yield no_progress
        return
    tracker, ended = Tracker(bar=sys.stderr.isatty() and not os.environ.get("CI")), Event()

    def show_lines() -> None:
        while not ended.wait(EVERY):
            _say(tracker.line())

    if not tracker.bar:
        Thread(target=show_lines, daemon=True).start()
    try:
        yield tracker
    finally:
        ended.set()


class Tracker:
    """The `Progress` of a command. bar: whether it is a bar, and not lines."""

    def __init__(self, *, bar: bool) -> None:
        self.bar = bar
        self._begin = time.monotonic()
        self._step = "working"

    def line(self) -> str:
        """What the command does, and since when."""
        return f"Progress: {self._step}; {time.monotonic() - self._begin:.0f} s so far"

    def __call__(self, items: Sequence[Item], description: str) -> Iterator[Item]:
        """See `Progress`."""
        begin, before, remaining, estimated = time.monotonic(), self._step, iter(items), False
        for done, item in enumerate(remaining):
            self._step = f"{description}, {done:,} of {len(items):,} steps done"
            elapsed = time.monotonic() - begin
            if done and elapsed > PATIENCE and not estimated:
                estimated, whole = True, elapsed / done * len(items)
                if whole > LONG:
                    minutes = pluralize(max(1, round(whole / 60)), "minute")
                    _say(f"{description}: about {minutes}, estimated from {done:,} of {len(items):,} steps")
                if self.bar:
                    yield from _with_bar(item, remaining, description, done, len(items))
                    break
            yield item
        self._step = before


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _with_bar(item: Item, remaining: Iterator[Item], description: str, done: int, total: int) -> Iterator[Item]:
    from rich.console import Console
    from rich.progress import Progress as ProgressBar

    with ProgressBar(console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task(description, total=total, completed=done)
        yield item
        bars.advance(bar)
        for following in remaining:
            yield following
            bars.advance(bar)
