"""How time and memory of split halves grow with trials, items and systems; each job in a process of its own.

python -m benchmarks.scaling --items 7064 --systems 14 --trials 1000     # one job: seconds and peak memory
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from metaeval.measures import preset
from metaeval.meta.stability import split_half_consistency
from metaeval.model.labels import LabelledRuns
from metaeval.model.scale import ClassScale
from metaeval.scoring.labels import LabelSamples, score_labels
from metaeval.scoring.resamples import split_halves

SCALE = ClassScale.parse("disagree<discuss<agree")
MEASURES = preset("stance-nine")
GIGABYTE = 1 << 30


@dataclass(frozen=True)
class Job:
    """So many systems on so many items, split so often; alike: whether they find the same items hard."""

    items: int = 7_064
    systems: int = 14
    trials: int = 1_000
    alike: bool = False

    def measure(self) -> tuple[float, float]:
        """Seconds of the analysis, and peak memory of its process in GB."""
        options = ["--items", str(self.items), "--systems", str(self.systems), "--trials", str(self.trials)]
        command = [sys.executable, "-m", "benchmarks.scaling", *options, *(["--alike"] if self.alike else [])]
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        return found["seconds"], found["bytes"] / GIGABYTE


def made_runs(job: Job) -> LabelledRuns:
    """Synthetic systems, made in pieces so that the making takes less memory than the analysis."""
    random = np.random.default_rng(20201)
    gold = random.choice(np.arange(3, dtype=np.uint8), size=job.items, p=[0.1, 0.63, 0.27])
    predicted = np.empty((job.systems, job.items), dtype=np.uint8)
    hardness = random.random(job.items, dtype=np.float32)
    for row, skill in zip(predicted, np.linspace(0.4, 0.8, job.systems), strict=True):
        chance = hardness + random.normal(scale=0.02) if job.alike else random.random(job.items, dtype=np.float32)
        # Systems that are alike make the same mistake, so that few patterns of predictions are all there is.
        wrong = (gold + 1) % 3 if job.alike else random.integers(3, size=job.items, dtype=np.uint8)
        row[:] = np.where(chance < skill, gold, wrong)
    systems = tuple(f"system{number}" for number in range(job.systems))
    return LabelledRuns(("item",) * job.items, gold, predicted, systems, SCALE)


def run(job: Job) -> dict[str, float]:
    """Do the job in this process."""
    runs = made_runs(job)
    begun = time.perf_counter()
    full = score_labels(runs, MEASURES)
    plan = split_halves(LabelSamples(runs, MEASURES), trials=job.trials, seed=1)
    for block in plan.blocks:
        split_half_consistency(plan.score(block), full)
    seconds = time.perf_counter() - begun
    return {"seconds": seconds, "bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}


def table() -> Iterator[str]:
    """The jobs that the promises speak of, as rows of Markdown, with the exponents between their ends."""
    yield "| items | systems | trials | systems err | seconds | peak memory | exponent of the time | promised |"
    yield "|---|---|---|---|---|---|---|---|"
    yield from _series("trials", [Job(trials=1_000), Job(trials=4_000), Job(trials=16_000)], "about 1; ≤ 0.2 GB")
    apart = [Job(items=items, trials=200) for items in (7_000, 70_000, 700_000, 7_000_000)]
    yield from _series("items", apart, "≤ 1.15; ≤ 0.8 GB")
    alike = [Job(items=items, trials=200, alike=True) for items in (7_000, 70_000, 700_000, 7_000_000)]
    yield from _series("items", alike, "< 0.8; ≤ 0.8 GB")
    yield from _series("systems", [Job(systems=systems) for systems in (14, 100, 1_000)], "≤ 1.05; ≤ 0.6 GB")


def _series(varied: str, jobs: list[Job], promised: str) -> Iterator[str]:
    first = None
    for job in jobs:
        seconds, gigabytes = job.measure()
        size = getattr(job, varied)
        first = first or (size, seconds)
        grown = size > first[0]
        exponent = f"{np.log(seconds / first[1]) / np.log(size / first[0]):.2f} in {varied}" if grown else ""
        errors = "alike" if job.alike else "apart"
        cells = (
            f"{job.items:,}",
            f"{job.systems:,}",
            f"{job.trials:,}",
            errors,
            f"{seconds:.3g}",
            f"{gigabytes:.2f} GB",
        )
        yield f"| {' | '.join((*cells, exponent, promised if job is jobs[-1] else ''))} |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("items", "systems", "trials"):
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("--alike", action="store_true")
    given = parser.parse_args()
    print(json.dumps(run(Job(given.items, given.systems, given.trials, given.alike))))
