"""Progress on standard error: bars on a terminal, elsewhere a line every ten seconds; first estimates of long work."""

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
    """A loop over steps that has not ended. since: when the last step ended. row: of the bars.

    estimate: the last one: nothing, 'at least' or 'about'. A loop of one step is only a name.
    """

    description: str
    total: int
    begin: float
    done: int = 0
    since: float = 0.0
    estimate: str = ""
    row: TaskID | None = None

    def __str__(self) -> str:
        return f"{self.description}: {self.done:,} of {self.total:,} done" if self.total > 1 else self.description


class Tracker:
    """The `Progress` of a command. bar: whether it is a bar for each loop that is shown, and not lines."""

    def __init__(self, *, bar: bool) -> None:
        self.bar = bar
        self._begin = time.monotonic()
        self._loops: list[_Loop] = []
        self._bars: ProgressBars | None = None

    def line(self) -> str:
        """What is left of the command, what it does, and since when."""
        outer, within = self._outer_and_within()
        parts = list(map(str, outer))
        if within:
            parts.append(": ".join(map(str, within)) + self._left(within[-1]))
        return f"Progress: {'; '.join(parts) or 'working'}; {time.monotonic() - self._begin:.0f} s so far"

    def _left(self, loop: _Loop) -> str:
        """How long the rest of a loop takes; nothing for a name."""
        if loop.total == 1:
            return ""
        whole, word = self._whole(loop)
        left = whole - (time.monotonic() - loop.begin)
        if left >= LONG:
            return f", {_minutes(left, word)} left"
        # Before the first step is done, a short time is that of a part of it.
        return ", less than a minute left" if loop.done else ""

    def _outer_and_within(self) -> tuple[list[_Loop], list[_Loop]]:
        """The loops over groups and analyses, then the analysis with its outermost steps; others are parts of these."""
        first = next((number for number, loop in enumerate(self._loops) if loop.total == 1), 0)
        within: list[_Loop] = []
        for loop in self._loops[first:]:
            within.append(loop)
            if loop.total > 1:
                break
        return self._loops[:first], within

    def __call__(self, items: Sequence[Item], description: str) -> Iterator[Item]:
        """See `Progress`; loops may be within steps of others."""
        loop = _Loop(description, len(items), time.monotonic())
        self._loops.append(loop)
        try:
            for item in items:
                yield item
                loop.done, loop.since = loop.done + 1, time.monotonic()
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
        last, now = self._outer_and_within()[1][-1], time.monotonic()
        whole, word = self._whole(last)
        if last.total == 1 or last.estimate == "about" or last.estimate == word or now - last.begin <= PATIENCE:
            return
        if whole > LONG:
            steps = f"{last.done:,}" if last.done else "a part of the first"
            _say(f"{last.description}: {_minutes(whole, word)}, estimated from {steps} of {last.total:,} steps")
        if whole > LONG or last.done:
            last.estimate = word

    def _whole(self, outer: _Loop) -> tuple[float, str]:
        """The seconds that all steps of a loop take, and whether 'about' or 'at least'."""
        now, whole = time.monotonic(), 0.0
        ahead = now
        for loop in reversed([loop for loop in self._loops[self._loops.index(outer) :] if loop.total > 1]):
            # Only steps of the outermost loop are taken for as long as a first one that is not done.
            one = (loop.since - loop.begin) / loop.done if loop.done else ahead - loop.begin + whole
            whole, ahead = one * (loop.total if loop.done or loop is outer else 1), loop.begin
        return whole, "about" if outer.done else "at least"

    def _draw(self) -> None:
        """Show a bar for each loop that is shown, if there are any bars."""
        if not self.bar:
            return
        if self._bars is None:
            from rich.console import Console
            from rich.progress import Progress as ProgressBars

            self._bars = ProgressBars(console=Console(stderr=True), transient=True)
            self._bars.start()
        outer, within = self._outer_and_within()
        for loop in (loop for loop in (*outer, *within) if loop.total > 1):
            if loop.row is None:
                loop.row = self._bars.add_task(loop.description, total=loop.total)
            done: float = loop.done
            if loop is within[-1] and (whole := self._whole(loop)[0]) > 0:
                done = loop.total * (time.monotonic() - loop.begin) / whole
            self._bars.update(loop.row, completed=done)

    def hide(self) -> None:
        """Remove the bars."""
        if self._bars is not None:
            self._bars.stop()
            self._bars = None


def _minutes(seconds: float, word: str) -> str:
    minutes = max(1, round(seconds / 60) if word == "about" else int(seconds / 60))
    return f"{word} {pluralize(minutes, 'minute')}"


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
