"""Discriminative power of nine measures, against loops over permutations and bootstrap samples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.paired import Comparison, faster
from benchmarks.score_table import reference_runs
from metaeval.analyses.power import compute
from metaeval.analyses.power.settings import PowerSettings
from metaeval.config import ExperimentConfig
from metaeval.measures import Measure, preset
from metaeval.model.runs import LabelledRuns
from metaeval.scoring.labels import is_additive, item_scores
from metaeval.stats.pairs import all_pairs
from metaeval.study.labels import LabelStudy
from metaeval.study.study import Sources, no_progress

RESAMPLES = 5_000
FEW = 50
"""Resamples that the loops run, at most; the rest is extrapolated."""

MEASURES = preset("stance-nine")


def loops(runs: LabelledRuns, resamples: int) -> list[NDArray[np.float64]]:
    """p-values as one would write them, (P,) a measure: randomised Tukey HSD of means over items, else a bootstrap."""
    random = np.random.default_rng(1)
    one, other = all_pairs(len(runs.systems)).T
    p_values = []
    for measure in MEASURES:
        if is_additive(measure):
            items = np.ascontiguousarray(item_scores(runs, measure).T)
            ranges = [np.ptp(random.permuted(items, axis=1).mean(axis=0)) for _ in range(resamples)]
            means = items.mean(axis=0)
            reached = (ranges >= np.abs(means[one] - means[other])[:, np.newaxis]).sum(axis=1)
            p_values.append((1 + reached) / (1 + resamples))
    rest = [measure for measure in MEASURES if not is_additive(measure)]
    scores = _scores(runs, rest, np.arange(len(runs.items)))
    observed = scores[:, one] - scores[:, other]
    further = np.zeros(observed.shape)
    for _ in range(resamples):
        resample = _scores(runs, rest, random.integers(len(runs.items), size=len(runs.items)))
        further += np.abs(resample[:, one] - resample[:, other] - observed) >= np.abs(observed)
    return [*p_values, *((1 + further) / (1 + resamples))]


def _scores(runs: LabelledRuns, measures: Sequence[Measure], items: NDArray[np.intp]) -> NDArray[np.float64]:
    """Counts of a sample by one bincount, and each measure once for all systems; (M, S)."""
    classes, systems = len(runs.scale), len(runs.systems)
    first = runs.gold[items].astype(np.intp) * classes + classes**2 * np.arange(systems)[:, np.newaxis]
    counts = np.bincount((first + runs.predicted[:, items]).ravel(), minlength=systems * classes**2)
    table = counts.reshape(systems, classes, classes).astype(np.float64)
    return np.array([measure(table, runs.scale) for measure in measures])


def compare_power(rounds: int, *, resamples: int = RESAMPLES) -> Comparison:
    """The reference job, one thread; the loops run the tests of published work."""
    runs = reference_runs()
    few = min(FEW, resamples // 10)
    config, settings = ExperimentConfig(), PowerSettings(permutations=resamples)

    def ours() -> None:
        compute.analyse(LabelStudy(config, Sources((), (), {}, ()), MEASURES, runs), settings, progress=no_progress)

    return faster(
        f"power of {len(MEASURES)} measures × {len(runs.systems)} systems, {len(runs.items):,} items, {resamples:,} "
        "permutations",
        ours,
        peer="loops over rng.permuted and bincount",
        theirs=lambda: loops(runs, few),
        claim="≥ 15 times faster",
        rounds=rounds,
        share_of_their_work=few / resamples,
    )
