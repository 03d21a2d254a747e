"""Labels in Parquet beyond what one likes to hold in memory, each job in processes of its own.

python -m benchmarks.big '{"what": "patterns", "folder": DIR}'     # one job on data that are there: seconds, memory
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.apart import Usage, apart, peak, tell
from benchmarks.big_labels import SCALE, alike, made
from benchmarks.paired import Comparison, by_processes
from metaeval.analyses.stability.compute import split_half_consistency
from metaeval.config import DataConfig, ExperimentConfig
from metaeval.engines.duck import Limits, connected
from metaeval.engines.labels import SAMPLED_FROM, read_labels
from metaeval.io.labels.tasks import TASKS, LabelTask
from metaeval.measures import preset
from metaeval.model.runs import PatternRuns
from metaeval.scoring.labels import LabelSamples
from metaeval.scoring.resamples import split_halves
from metaeval.steps import no_progress

ITEMS, SYSTEMS = 50_000_000, 14
"""Of the job in patterns: some 200 MB of Parquet."""

TRIALS = 1_000
MEASURES = preset("stance-nine")

MEMORY = 6 << 30


@dataclass(frozen=True)
class Job:
    """What a process does with a folder of Parquet; what: a name of `WORK`."""

    what: str
    folder: str
    trials: int = TRIALS


def read(folder: str) -> PatternRuns:
    """The runs, everything checked: ids, labels, partitions; a `ValueError` where they are not held as patterns."""
    config, task = ExperimentConfig(DataConfig(gold=folder), memory=MEMORY), TASKS["labels"]
    assert isinstance(task, LabelTask)
    dataset = read_labels(config, folder, scale=SCALE, task=task, needs_runs=True, progress=no_progress)
    if not isinstance(dataset.runs, PatternRuns):
        raise ValueError(f"{dataset.notes[-1]}, and not patterns: the job needs other sizes")
    return dataset.runs


def group_by(folder: str) -> tuple[int, int]:
    """What DuckDB does at least: the labels grouped as they stand, nothing checked; how many groups and items."""
    grouped = f"SELECT COLUMNS(* EXCLUDE id), count(*) AS n FROM read_parquet('{folder}/*.parquet') GROUP BY ALL"
    with connected(Limits(MEMORY)) as connection:
        ((groups, items),) = connection.execute(f"SELECT count(*), sum(n) FROM ({grouped})").fetchall()
    return int(groups), int(items)


def halves(runs: PatternRuns, trials: int) -> None:
    """Scores and rankings of random halves, block by block in one thread."""
    plan = split_halves(LabelSamples(runs, MEASURES), trials=trials, seed=1)
    for block in plan.blocks:
        split_half_consistency(plan.score(block))


def _patterns(job: Job) -> Callable[[], object]:
    return lambda: read(job.folder)


def _group_by(job: Job) -> Callable[[], object]:
    return lambda: group_by(job.folder)


def _halves_of_patterns(job: Job) -> Callable[[], object]:
    runs = read(job.folder)
    return lambda: halves(runs, job.trials)


WORK: Mapping[str, Callable[[Job], Callable[[], object]]] = {
    "patterns": _patterns,
    "group-by": _group_by,
    "pattern-halves": _halves_of_patterns,
}
"""What is timed, made from a job; what the making does is not timed."""


def run(job: Job) -> Usage:
    """Do the job in this process."""
    work = WORK[job.what](job)
    begun, began = time.process_time(), time.perf_counter()
    work()
    return Usage(time.process_time() - begun, peak(), time.perf_counter() - began)


def _elsewhere(what: str, folder: Path, **sizes: int) -> Callable[[], Usage]:
    return lambda: apart("benchmarks.big", {"what": what, "folder": str(folder), **sizes})


def _alike(cache_folder: Path, items: int) -> Path:
    if items < SAMPLED_FROM:
        raise ValueError(f"{items:,} items: from {SAMPLED_FROM:,} on it is asked whether patterns are few")
    return made(cache_folder, alike, items=items, systems=SYSTEMS)


def compare_patterns(rounds: int, *, cache_folder: Path, items: int = ITEMS) -> Comparison:
    """Reading and checking patterns against the bare GROUP BY. cache_folder: of the data, made if not there."""
    folder = _alike(cache_folder, items)
    return by_processes(
        f"patterns of {items:,} items × {SYSTEMS} systems in Parquet, ids and labels checked",
        _elsewhere("patterns", folder),
        peer="DuckDB's bare `GROUP BY`",
        theirs=_elsewhere("group-by", folder),
        claim="≤ 3 times as long",
        highest=8,
        rounds=rounds,
    )


def compare_pattern_halves(rounds: int, *, cache_folder: Path, items: int = ITEMS, trials: int = TRIALS) -> Comparison:
    """Split halves of the patterns once these are read, one thread; nothing else does it. cache_folder: of the data."""
    return by_processes(
        f"{trials:,} halves of these patterns, {len(MEASURES)} measures",
        _elsewhere("pattern-halves", _alike(cache_folder, items), trials=trials),
        claim="≤ 30 seconds",
        highest=8,
        rounds=rounds,
    )


if __name__ == "__main__":
    tell(run(Job(**json.loads(sys.argv[1]))))
