"""Two ways of doing the same work, timed in turn, so that a machine that slows down slows both."""

from __future__ import annotations

import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Comparison:
    """What a benchmark found.

    claim: what is promised, as '≥ 250'. ratios: of peer to metaeval ('times faster') or of metaeval to peer ('times as
    long'), one a round, as `reading` says. seconds: medians of metaeval and of the peer.
    """

    name: str
    peer: str
    reading: str
    claim: str
    ratios: tuple[float, ...]
    seconds: tuple[float, float]

    def row(self) -> str:
        """A row of the Markdown table."""
        low, middle, high = min(self.ratios), statistics.median(self.ratios), max(self.ratios)
        ours, theirs = (_told(value) for value in self.seconds)
        ratio = f"**{middle:.3g}** ({low:.3g} to {high:.3g}) {self.reading}"
        return f"| {self.name} | {ours} | {self.peer}: {theirs} | {ratio} | {self.claim} |"


HEADER = "| work | metaeval | peer | ratio: median (lowest to highest) | promised |\n|---|---|---|---|---|"


def faster(
    name: str,
    ours: Callable[[], object],
    *,
    peer: str,
    theirs: Callable[[], object],
    claim: str,
    rounds: int,
    share_of_their_work: float = 1.0,
) -> Comparison:
    """How many times faster `ours` is; it runs many times a round where it is short.

    share_of_their_work: how much of the work a call of `theirs` does, where all of it would take too long.
    """
    ours_times, theirs_times = [], []
    ours()
    for _ in range(rounds):
        theirs_times.append(_seconds(theirs, repeat=1) / share_of_their_work)
        ours_times.append(_seconds(ours, repeat=max(1, int(0.2 / max(1e-6, _seconds(ours, repeat=1))))))
    ratios = tuple(theirs / ours for ours, theirs in zip(ours_times, theirs_times, strict=True))
    return Comparison(name, peer, "times faster", claim, ratios, _medians(ours_times, theirs_times))


def as_long(name: str, ours: Sequence[str], *, peer: str, theirs: Sequence[str], claim: str, rounds: int) -> Comparison:
    """How many times as long a whole process takes as another; a first round of each is not counted."""
    ours_times, theirs_times = [], []
    for _ in range(rounds + 1):
        theirs_times.append(_seconds(lambda: _run(theirs), repeat=1))
        ours_times.append(_seconds(lambda: _run(ours), repeat=1))
    ours_times, theirs_times = ours_times[1:], theirs_times[1:]
    ratios = tuple(ours / theirs for ours, theirs in zip(ours_times, theirs_times, strict=True))
    return Comparison(name, peer, "times as long", claim, ratios, _medians(ours_times, theirs_times))


def _run(command: Sequence[str]) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _seconds(work: Callable[[], object], *, repeat: int) -> float:
    begun = time.perf_counter()
    for _ in range(repeat):
        work()
    return (time.perf_counter() - begun) / repeat


def _medians(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, float]:
    return statistics.median(ours), statistics.median(theirs)


def _told(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"
