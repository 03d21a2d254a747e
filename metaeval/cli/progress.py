"""Progress on standard error: a bar on a terminal, elsewhere a line every ten seconds; first estimates of long work."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Thread
from typing import TYPE_CHECKING, TypeVar

from metaeval.errors import pluralize
from metaeval.steps import PATIENCE, Progress, no_progress, shown_by

if TYPE_CHECKING:
    from rich.progress import Progress as ProgressBars
    from rich.progress import TaskID

Item = TypeVar("Item")

EVERY, LONG = 10.0, 60.0
"""Seconds between lines of progress, and above which an estimate is shown."""


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
        with shown_by(tracker):
            yield tracker
    finally:
        ended.set()
        tracker.hide()


@dataclass(eq=False)
class _Loop:
    """A loop over steps that has not ended. row: of the bars. told: the last estimate: nothing, 'at least' or 'about'.

    A loop of one step is only a name.
    """

    description: str
    total: int
    begin: float
    done: int = 0
    told: str = ""
    row: TaskID | None = None

    def __str__(self) -> str:
        counted = f", {self.done:,} of {self.total:,} steps done" if self.total > 1 else ""
        return self.description + counted


class Tracker:
    """The `Progress` of a command. bar: whether it is a bar for each loop, and not lines."""

    def __init__(self, *, bar: bool) -> None:
        self.bar = bar
        self._begin = time.monotonic()
        self._loops: list[_Loop] = []
        self._bars: ProgressBars | None = None

    def line(self) -> str:
        """What the command does, and since when."""
        working = ": ".join(map(str, [*self._loops])) or "working"
        return f"Progress: {working}; {time.monotonic() - self._begin:.0f} s so far"

    def __call__(self, items: Sequence[Item], description: str) -> Iterator[Item]:
        """See `Progress`; loops may be within steps of others."""
        loop = _Loop(description, len(items), time.monotonic())
        self._loops.append(loop)
        try:
            for item in items:
                yield item
                loop.done += 1
                if loop.done < loop.total and time.monotonic() - self._loops[0].begin > PATIENCE:
                    self._estimate()
                    self._draw()
        finally:
            self._loops.remove(loop)
            if self._bars and loop.row is not None:
                self._bars.remove_task(loop.row)
            if not self._loops:
                self.hide()

    def _estimate(self) -> None:
        """Say once how long the outermost steps take; before the first one is done, how long they take at least."""
        loops, now, whole = [each for each in self._loops if each.total > 1], time.monotonic(), 0.0
        outer, ahead = loops[0], now
        for loop in reversed(loops):
            # Only steps of the outermost loop are taken for as long as a first one that is not done.
            one = (now - loop.begin) / loop.done if loop.done else ahead - loop.begin + whole
            whole, ahead = one * (loop.total if loop.done or loop is outer else 1), loop.begin
        told = "about" if outer.done else "at least"
        if outer.told == "about" or outer.told == told or now - outer.begin <= PATIENCE:
            return
        if whole > LONG:
            minutes = pluralize(max(1, round(whole / 60) if outer.done else int(whole / 60)), "minute")
            of_steps = f"{outer.done:,}" if outer.done else "a part of the first"
            _say(f"{outer.description}: {told} {minutes}, estimated from {of_steps} of {outer.total:,} steps")
        if whole > LONG or outer.done:
            outer.told = told

    def _draw(self) -> None:
        """Show a bar for each loop, if there are any bars."""
        if not self.bar:
            return
        if self._bars is None:
            from rich.console import Console
            from rich.progress import Progress as ProgressBars

            self._bars = ProgressBars(console=Console(stderr=True), transient=True)
            self._bars.start()
        for loop in self._loops:
            if loop.row is None:
                loop.row = self._bars.add_task(loop.description, total=loop.total if loop.total > 1 else None)
            self._bars.update(loop.row, completed=loop.done)

    def hide(self) -> None:
        """Remove the bars."""
        if self._bars is not None:
            self._bars.stop()
            self._bars = None


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
