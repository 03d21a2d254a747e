"""What a run of the benchmarks found, as plain values for JSON."""

from __future__ import annotations

import math
import statistics
from dataclasses import asdict, dataclass, field
from typing import Any

from benchmarks.floors import Work
from benchmarks.machine import Machine
from benchmarks.paired import Comparison
from benchmarks.scaling import Growth


@dataclass(frozen=True)
class Measured:
    """A job and what was found. work: what it must do at least; None where its peer is the floor."""

    name: str
    group: str
    comparison: Comparison
    work: Work | None

    def times_floor(self, machine: Machine) -> float:
        """How many times as long as its floor the job takes; NaN without one."""
        return self.comparison.seconds[0] / self.work.seconds(machine.rates) if self.work else math.nan


@dataclass
class Results:
    """All of a run, in the order in which it came.

    left_out: a line for each peer that was not there. loads: how many processes wanted a core before
    each job, on average of a minute; this one among them, but for the first.
    """

    machine: Machine
    quick: bool
    jobs: list[Measured] = field(default_factory=list)
    curves: list[Growth] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    loads: list[float] = field(default_factory=list)

    @property
    def others(self) -> float:
        """How many cores other work wanted meanwhile, about."""
        return max(0.0, statistics.median(self.loads[1:]) - 1) if len(self.loads) > 1 else self.machine.load

    def meets_claim(self, measurement: Comparison | Growth) -> bool | None:
        """Whether a promise is kept; None where nothing is promised, or not at the sizes of a quick run."""
        return None if self.quick else measurement.meets_claim

    def to_dict(self) -> dict[str, Any]:
        """Plain values; null where there is none."""
        return {
            "quick": self.quick,
            "machine": asdict(self.machine),
            "jobs": [self._job(job) for job in self.jobs],
            "curves": [self._curve(growth) for growth in self.curves],
            "left_out": self.left_out,
            "others": self.others,
        }

    def _job(self, job: Measured) -> dict[str, Any]:
        comparison = job.comparison
        floor = job.work and {
            "counted": job.work.counted,
            "bytes": job.work.bytes,
            "flops": job.work.flops,
            "seconds": job.work.seconds(self.machine.rates),
            "times": job.times_floor(self.machine),
        }
        return {
            "name": job.name,
            "group": job.group,
            "work": comparison.name,
            "peer": comparison.peer or None,
            "reading": comparison.reading,
            "median": comparison.ratio,
            "low": min(comparison.ratios),
            "high": max(comparison.ratios),
            "rounds": list(comparison.ratios),
            "seconds": _sides(comparison.seconds),
            "waited": _sides(comparison.waited),
            "bytes": comparison.bytes,
            "bytes_of": "process" if comparison.whole else "call",
            "promised": comparison.claim or None,
            "promised_gigabytes": comparison.highest,
            "kept": self.meets_claim(comparison),
            "floor": floor,
        }

    def _curve(self, growth: Growth) -> dict[str, Any]:
        return {
            "name": growth.name,
            "work": growth.curve.what,
            "varied": growth.curve.varied,
            "points": [asdict(point) for point in growth.points],
            "exponent": growth.exponent,
            "gigabytes": growth.gigabytes,
            "promised": {"exponent": growth.curve.steepest, "gigabytes": growth.curve.highest},
            "kept": self.meets_claim(growth),
        }


def _sides(times: tuple[float, float]) -> dict[str, float | None]:
    """Of metaeval and of the peer; null for NaN."""
    return {side: None if math.isnan(time) else time for side, time in zip(("metaeval", "peer"), times, strict=True)}
