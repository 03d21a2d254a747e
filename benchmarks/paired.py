"""Two ways of doing the same work, timed in turn, so that a machine that slows down slows both."""

from __future__ import annotations

import atexit
import math
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from tempfile import mkdtemp

from benchmarks.apart import GIGABYTE, Usage, allocated, peak_of

Clock = Callable[[], float]
"""Seconds since some moment."""


@dataclass(frozen=True)
class Comparison:
    """What a benchmark found.

    claim: what is promised, as '≥ 250 times faster'; empty for nothing. ratios: of peer to metaeval ('times faster') or
    of metaeval to peer ('times as long'), one a round, as `reading` says; seconds themselves where there is no peer.
    seconds: medians of metaeval and of the peer; NaN for no peer. waited: likewise on the clock, where several threads
    work; NaN elsewhere. bytes: of metaeval at its peak. whole: whether these are of its process; otherwise they are
    what a call allocates, as its process holds data and does other work, too. highest: gigabytes that are promised at
    most.
    """

    name: str
    peer: str
    reading: str
    claim: str
    ratios: tuple[float, ...]
    seconds: tuple[float, float]
    bytes: int
    whole: bool = False
    highest: float | None = None
    waited: tuple[float, float] = (math.nan, math.nan)

    @property
    def ratio(self) -> float:
        """The median over the rounds."""
        return statistics.median(self.ratios)

    @property
    def meets_claim(self) -> bool | None:
        """Whether the median, and every peak of memory, is as promised; None where nothing is."""
        checks = []
        if self.claim:
            sign, number, *_ = self.claim.replace(",", "").split()
            checks.append(self.ratio >= float(number) if sign == "≥" else self.ratio <= float(number))
        if self.highest is not None:
            checks.append(self.bytes <= self.highest * GIGABYTE)
        return all(checks) if checks else None


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
    """How many times faster `ours` is; it runs many times a round where it is short, and once untimed for its memory.

    share_of_their_work: how much of the work a call of `theirs` does, where all of it would take too long. clock: time
    of the processor, which other work on the machine does not add to, and which is what one waits with one thread;
    `time.perf_counter` where a side uses several.
    """
    ours_times, theirs_times = [], []
    ours()
    memory = allocated(ours)
    for _ in range(rounds):
        theirs_times.append(_seconds(theirs, clock) / share_of_their_work)
        ours_times.append(_seconds(ours, clock, repeat=max(1, int(0.2 / max(1e-6, _seconds(ours, clock))))))
    ratios = tuple(theirs / ours for ours, theirs in zip(ours_times, theirs_times, strict=True))
    return Comparison(name, peer, "times faster", claim, ratios, _medians(ours_times, theirs_times), memory)


def by_processes(
    name: str,
    ours: Callable[[], Usage],
    *,
    claim: str,
    highest: float,
    rounds: int,
    peer: str = "",
    theirs: Callable[[], Usage] | None = None,
) -> Comparison:
    """How many times as long it takes as the peer, or how many seconds without one, each in a process of its own.

    The seconds and the memory are what these tell, without their start. highest: gigabytes that are promised at most.
    """
    mine, others = [], []
    for _ in range(rounds):
        if theirs:
            others.append(theirs())
        mine.append(ours())
    seconds = [usage.seconds for usage in mine]
    ratios = [ours / theirs.seconds for ours, theirs in zip(seconds, others, strict=True)] if theirs else seconds
    sides = (mine, others)
    return Comparison(
        name,
        peer,
        "times as long" if theirs else "seconds",
        claim,
        tuple(ratios),
        _medians(*([usage.seconds for usage in side] for side in sides)),
        max(usage.bytes for usage in mine),
        True,
        highest,
        _medians(*([usage.waited for usage in side] for side in sides)),
    )


def as_long(name: str, ours: Sequence[str], *, peer: str, theirs: Sequence[str], claim: str, rounds: int) -> Comparison:
    """How many times as long a whole process takes as another; a first run of each is untimed, ours for its memory."""
    ours_times, theirs_times = [], []
    _waited(theirs)
    memory = peak_of(ours, _with_bytecode())
    for _ in range(rounds):
        theirs_times.append(_waited(theirs))
        ours_times.append(_waited(ours))
    ratios = tuple(ours / theirs for ours, theirs in zip(ours_times, theirs_times, strict=True))
    return Comparison(name, peer, "times as long", claim, ratios, _medians(ours_times, theirs_times), memory, True)


def alone(name: str, ours: Callable[[], object], *, claim: str, rounds: int) -> Comparison:
    """How many seconds it takes, where nothing else does the same."""
    ours()
    memory = allocated(ours)
    times = tuple(_seconds(ours, time.process_time) for _ in range(rounds))
    return Comparison(name, "", "seconds", claim, times, _medians(times, ()), memory)


def _waited(command: Sequence[str]) -> float:
    begun = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=_with_bytecode())
    return time.perf_counter() - begun


def _with_bytecode() -> Mapping[str, str]:
    """The environment of a process that finds its modules compiled, as those of installed packages are.

    Where Python is told not to write bytecode, a checkout would compile itself anew for every process, and its peers,
    whose bytecode came with their installation, would not.
    """
    if not sys.dont_write_bytecode:
        return os.environ
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**inherited, "PYTHONPYCACHEPREFIX": _folder_of_bytecode()}


@cache
def _folder_of_bytecode() -> str:
    """One for all processes, gone at the end."""
    folder = mkdtemp(prefix="metaeval-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _seconds(work: Callable[[], object], clock: Clock, *, repeat: int = 1) -> float:
    begun = clock()
    for _ in range(repeat):
        work()
    return (clock() - begun) / repeat


def _medians(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, float]:
    return statistics.median(ours), statistics.median(theirs) if theirs else math.nan
