"""Two ways of doing the same work, timed in turn, so that a machine that slows down slows both."""

from __future__ import annotations

import math
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Clock = Callable[[], float]
"""Seconds since some moment."""


@dataclass(frozen=True)
class Comparison:
    """What a benchmark found.

    claim: what is promised, as '≥ 250 times faster'; empty for nothing. ratios: of peer to metaeval ('times faster') or
    of metaeval to peer ('times as long'), one a round, as `reading` says; seconds themselves where there is no peer.
    seconds: medians of metaeval and of the peer; NaN for no peer.
    """

    name: str
    peer: str
    reading: str
    claim: str
    ratios: tuple[float, ...]
    seconds: tuple[float, float]

    @property
    def ratio(self) -> float:
        """The median over the rounds."""
        return statistics.median(self.ratios)

    @property
    def kept(self) -> bool | None:
        """Whether the median is as promised; None where nothing is."""
        if not self.claim:
            return None
        sign, number, *_ = self.claim.replace(",", "").split()
        return self.ratio >= float(number) if sign == "≥" else self.ratio <= float(number)


def faster(
    name: str,
    ours: Callable[[], object],
    *,
    peer: str,
    theirs: Callable[[], object],
    claim: str,
    rounds: int,
    share_of_their_work: float = 1.0,
    clock: Clock = time.process_time,
) -> Comparison:
    """How many times faster `ours` is; it runs many times a round where it is short.

    share_of_their_work: how much of the work a call of `theirs` does, where all of it would take too long. clock: time
    of the processor, which other work on the machine does not add to, and which is what one waits with one thread;
    `time.perf_counter` where a side uses several.
    """
    ours_times, theirs_times = [], []
    ours()
    for _ in range(rounds):
        theirs_times.append(_seconds(theirs, clock) / share_of_their_work)
        ours_times.append(_seconds(ours, clock, repeat=max(1, int(0.2 / max(1e-6, _seconds(ours, clock))))))
    ratios = tuple(theirs / ours for ours, theirs in zip(ours_times, theirs_times, strict=True))
    return Comparison(name, peer, "times faster", claim, ratios, _medians(ours_times, theirs_times))


def as_long(name: str, ours: Sequence[str], *, peer: str, theirs: Sequence[str], claim: str, rounds: int) -> Comparison:
    """How many times as long a whole process takes as another; a first round of each is not counted."""
    ours_times, theirs_times = [], []
    for _ in range(rounds + 1):
        theirs_times.append(_waited(theirs))
        ours_times.append(_waited(ours))
    ours_times, theirs_times = ours_times[1:], theirs_times[1:]
    ratios = tuple(ours / theirs for ours, theirs in zip(ours_times, theirs_times, strict=True))
    return Comparison(name, peer, "times as long", claim, ratios, _medians(ours_times, theirs_times))


def alone(name: str, ours: Callable[[], object], *, claim: str, rounds: int) -> Comparison:
    """How many seconds it takes, where nothing else does the same."""
    ours()
    times = tuple(_seconds(ours, time.process_time) for _ in range(rounds))
    return Comparison(name, "", "seconds", claim, times, (statistics.median(times), math.nan))


def _waited(command: Sequence[str]) -> float:
    begun = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begun


def _seconds(work: Callable[[], object], clock: Clock, *, repeat: int = 1) -> float:
    begun = clock()
    for _ in range(repeat):
        work()
    return (clock() - begun) / repeat


def _medians(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, float]:
    return statistics.median(ours), statistics.median(theirs)
