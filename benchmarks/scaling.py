"""How time and memory grow with items, systems, classes and trials; each job in a process of its own.

python -m benchmarks.scaling '{"items": 7064, "systems": 14}'     # one job: seconds and peak memory
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass

import numpy as np

from benchmarks.apart import GIGABYTE, Usage, apart, peak, tell
from metaeval.analyses.power import compute
from metaeval.analyses.power.settings import PowerSettings
from metaeval.analyses.stability.compute import split_half_consistency
from metaeval.config import ExperimentConfig
from metaeval.measures import preset
from metaeval.model.runs import LabelledRuns
from metaeval.model.scale import ClassScale
from metaeval.registry import Registry
from metaeval.scoring.labels import LabelSamples
from metaeval.scoring.resamples import split_halves
from metaeval.study.labels import LabelStudy
from metaeval.study.study import Sources, no_progress

MEASURES = preset("stance-nine")
REPEATS, LONG = 3, 2.0
"""A job that takes less than this number of seconds is repeated, and the median is used."""


@dataclass(frozen=True)
class Job:
    """Numbers of systems, items, classes, and of splits or resamples.

    alike: whether the systems find the same items hard. analysis: a name of `ANALYSES`.
    """

    items: int = 7_064
    systems: int = 14
    classes: int = 3
    trials: int = 1_000
    alike: bool = False
    analysis: str = "stability"


@dataclass(frozen=True)
class Point:
    """What a job took: seconds, and bytes at the peak of its process."""

    size: int
    seconds: float
    bytes: int


@dataclass(frozen=True)
class Curve:
    """A job that grows in one of its sizes.

    what: in words. varied: the attribute. sizes: its values. quick: those of a quick run, empty for none. steepest: the
    exponent of the time that is promised at most, highest: gigabytes likewise; None for nothing.
    """

    what: str
    varied: str
    sizes: tuple[int, ...]
    quick: tuple[int, ...]
    base: Job = Job()
    steepest: float | None = None
    highest: float | None = None

    def points(self, sizes: tuple[int, ...]) -> Iterator[Point]:
        """Do the jobs, each in its own process."""
        for size in sizes:
            job = {**asdict(self.base), self.varied: size}
            usage = apart("benchmarks.scaling", job)
            yield Point(size, usage.seconds, usage.bytes)


@dataclass(frozen=True)
class Growth:
    """A curve with what was measured, at two points or more."""

    name: str
    curve: Curve
    points: tuple[Point, ...]

    @property
    def exponent(self) -> float:
        """The slope of the line through the points on logarithmic axes."""
        sizes, seconds = ([getattr(point, name) for point in self.points] for name in ("size", "seconds"))
        return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])

    @property
    def gigabytes(self) -> float:
        """The highest peak."""
        return max(point.bytes for point in self.points) / GIGABYTE

    @property
    def meets_claim(self) -> bool | None:
        """Whether time and memory grow no more than promised; None where nothing is."""
        bounds = ((self.exponent, self.curve.steepest), (self.gigabytes, self.curve.highest))
        checks = [amount <= bound for amount, bound in bounds if bound is not None]
        return all(checks) if checks else None


CURVES = Registry[Curve]("curve")

_MILLIONS = (7_000, 70_000, 700_000, 7_000_000)
_THOUSANDS = (7_000, 70_000)
_HALVES = "1,000 split halves, nine measures"
_FEW_HALVES = "200 split halves, nine measures"
for _name, _curve in {
    "trials": Curve(_HALVES, "trials", (1_000, 4_000, 16_000), (500, 2_000), steepest=1.1, highest=0.2),
    "items": Curve(_FEW_HALVES, "items", _MILLIONS, _THOUSANDS, Job(trials=200), steepest=1.15, highest=0.8),
    "items-alike": Curve(
        f"{_FEW_HALVES}, systems that find the same items hard",
        "items",
        _MILLIONS,
        _THOUSANDS,
        Job(trials=200, alike=True),
        steepest=0.8,
        highest=0.8,
    ),
    "systems": Curve(_HALVES, "systems", (14, 100, 1_000), (14, 50), steepest=1.05, highest=0.6),
    "classes": Curve(_HALVES, "classes", (3, 6, 12, 25, 50), (3, 12)),
    "power-systems": Curve(
        "power of nine measures, 5,000 resamples",
        "systems",
        (14, 30, 100),
        (),
        Job(trials=5_000, analysis="power"),
    ),
}.items():
    CURVES.register(_name, _curve)


def made_runs(job: Job) -> LabelledRuns:
    """Synthetic systems, made in pieces so that the making takes less memory than the analysis."""
    random = np.random.default_rng(20201)
    # Of three classes the middle one is the most frequent, as in FNC-1; more classes are equally frequent.
    shares = [0.1, 0.63, 0.27] if job.classes == 3 else None
    gold = random.choice(np.arange(job.classes, dtype=np.uint8), size=job.items, p=shares)
    predicted = np.empty((job.systems, job.items), dtype=np.uint8)
    hardness = random.random(job.items, dtype=np.float32)
    for row, skill in zip(predicted, np.linspace(0.4, 0.8, job.systems), strict=True):
        chance = hardness + random.normal(scale=0.02) if job.alike else random.random(job.items, dtype=np.float32)
        # Similar systems make the same errors, so that there are few patterns of predictions.
        wrong = (gold + 1) % job.classes if job.alike else random.integers(job.classes, size=job.items, dtype=np.uint8)
        row[:] = np.where(chance < skill, gold, wrong)
    systems = tuple(f"system{number}" for number in range(job.systems))
    scale = ClassScale.parse("<".join(f"class{number:02}" for number in range(job.classes)))
    return LabelledRuns(("item",) * job.items, gold, predicted, systems, scale)


def _stability(runs: LabelledRuns, trials: int) -> None:
    plan = split_halves(LabelSamples(runs, MEASURES), trials=trials, seed=1)
    for block in plan.blocks:
        split_half_consistency(plan.score(block))


def _power(runs: LabelledRuns, trials: int) -> None:
    config, settings = ExperimentConfig(), PowerSettings(permutations=trials)
    compute.analyse(LabelStudy(config, Sources((), (), {}, ()), MEASURES, runs), settings, progress=no_progress)


ANALYSES: dict[str, Callable[[LabelledRuns, int], None]] = {"stability": _stability, "power": _power}


def run(job: Job) -> Usage:
    """Do the job in this process, again and again where it is short."""
    runs, times = made_runs(job), [0.0]
    while len(times) <= REPEATS and times[-1] < LONG:
        begun = time.process_time()
        ANALYSES[job.analysis](runs, job.trials)
        times.append(time.process_time() - begun)
    return Usage(statistics.median(times[1:]), peak())


def measure(name: str, sizes: tuple[int, ...]) -> Growth:
    """A curve of `CURVES` at some points."""
    return Growth(name, CURVES[name], tuple(CURVES[name].points(sizes)))


if __name__ == "__main__":
    tell(run(Job(**json.loads(sys.argv[1]))))
