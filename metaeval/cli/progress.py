"""A progress bar on standard error, for people only and not before two seconds have passed."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from typing import TypeVar

from metaeval.io.dataset import Track
from metaeval.study.study import silently

Item = TypeVar("Item")

PATIENCE = 2.0
"""Seconds without a word that nobody minds."""


def tracker(*, quiet: bool) -> Track:
    """Shows how far a command is, unless asked to be quiet, in CI, or where standard error is no terminal."""
    watched = sys.stderr is not None and sys.stderr.isatty() and not quiet and not os.environ.get("CI")
    return _tracked if watched else silently


def _tracked(items: Sequence[Item], doing: str) -> Iterator[Item]:
    begun = time.monotonic()
    remaining = iter(items)
    for done, item in enumerate(remaining):
        if time.monotonic() - begun > PATIENCE:
            yield from _with_bar(item, remaining, doing, done, len(items))
            return
        yield item


def _with_bar(item: Item, remaining: Iterator[Item], doing: str, done: int, total: int) -> Iterator[Item]:
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task(doing, total=total, completed=done)
        yield item
        progress.advance(bar)
        for following in remaining:
            yield following
            progress.advance(bar)
