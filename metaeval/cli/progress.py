"""A progress bar on standard error, which appears after two seconds if that is a terminal."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from typing import TypeVar

from metaeval.io.dataset import Progress
from metaeval.study.study import no_progress

Item = TypeVar("Item")

PATIENCE = 2.0
"""Seconds before the bar appears."""


def tracker(*, quiet: bool) -> Progress:
    """The progress bar; none if quiet, in CI, or if standard error is not a terminal."""
    shown = sys.stderr is not None and sys.stderr.isatty() and not quiet and not os.environ.get("CI")
    return _tracked if shown else no_progress


def _tracked(items: Sequence[Item], description: str) -> Iterator[Item]:
    start = time.monotonic()
    remaining = iter(items)
    for done, item in enumerate(remaining):
        if time.monotonic() - start > PATIENCE:
            yield from _with_bar(item, remaining, description, done, len(items))
            return
        yield item


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
