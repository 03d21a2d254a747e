"""Scores of predicted distributions over classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval.arrays import Floats
from metaeval.grid import round_to_grid
from metaeval.measures.distributions import compare, is_run_level
from metaeval.measures.spec import Measure
from metaeval.model.runs import DataKind, DistributionRuns
from metaeval.model.scale import ClassScale
from metaeval.model.scores import NO_STATISTICS, ItemScores, SumScore
from metaeval.stats.ratio import divide
from metaeval.stats.resample import generator, seed_for

_ROUNDING = 1e-12
"""Shares below this are what is left of differences of sums that are equal on paper."""


@dataclass(frozen=True)
class SharesScore:
    """The function from sums of distributions, predicted and gold, (..., 2 C), to scores (...) of class shares."""

    measure: Measure
    scale: ClassScale

    def __call__(self, sums: Floats) -> Floats:
        """Scores (...); NaN of no items."""
        both = sums.reshape(*sums.shape[:-1], 2, -1)
        shares = divide(both, both.sum(axis=-1, keepdims=True))
        shares = np.where(shares < _ROUNDING, 0.0, shares)
        scores = compare(self.measure, shares[..., 0, :], shares[..., 1, :], self.scale)
        return np.where(np.isnan(shares).any(axis=(-2, -1)), np.nan, scores)


def check_distributions(measure: Measure, scale: ClassScale) -> None:
    """Raise an `InputError` where a measure reads other data, or needs an order or values that the classes lack."""
    measure.check_order(scale, DataKind.DISTRIBUTIONS)
    shares = np.full(len(scale), 1 / len(scale))
    compare(measure, shares, shares, scale)


def score_distributions(runs: DistributionRuns, measures: Sequence[Measure]) -> ItemScores:
    """Scores (M, S, N) of every item; an `InputError` if a measure does not read distributions or needs an order.

    Measures with `level=run` are functions of the sums of the distributions.
    """
    scale, shape = runs.scale, (len(runs.systems), len(runs.items))
    for measure in measures:
        check_distributions(measure, scale)
    units = tuple(measure.unit(scale) for measure in measures)
    values = np.empty((len(measures), *shape))
    for system, predicted in enumerate(runs.predicted):  # so that no array is as large as all systems
        for index, measure in enumerate(measures):
            values[index, system] = round_to_grid(compare(measure, predicted, runs.gold, scale), units[index])
    indices = [index for index, measure in enumerate(measures) if is_run_level(measure)]
    names = tuple(f"{side} {label}" for side in ("predicted", "gold") for label in scale.labels)
    sums = tuple(
        SumScore(index, slice(begin, begin + len(names)), names, SharesScore(measures[index], scale))
        for begin, index in zip(range(0, len(indices) * len(names), len(names)), indices, strict=True)
    )
    statistics = NO_STATISTICS
    if sums:
        gold = np.broadcast_to(runs.gold, runs.predicted.shape)
        both = np.moveaxis(np.concatenate([runs.predicted, gold], axis=-1), -1, 0)
        statistics = np.concatenate([both] * len(sums))
    directions = tuple(measure.better for measure in measures)
    return ItemScores(
        values=values,
        measures=tuple(map(str, measures)),
        systems=runs.systems,
        items=runs.items,
        directions=directions,
        declared_units=units,
        sums=sums,
        statistics=statistics,
    )


def trivial_distributions(runs: DistributionRuns, *, seed: int) -> DistributionRuns:
    """Trivial systems in place of those of the runs.

    They predict all probability for one class, equal probabilities, the mean of gold, or the gold of a random item.
    """
    classes, items = len(runs.scale), len(runs.items)
    same = {
        **{f"all {label}": row for label, row in zip(runs.scale.labels, np.eye(classes), strict=True)},
        "uniform": np.full(classes, 1 / classes),
        "mean of gold": runs.gold.mean(axis=0),
    }
    shuffled = runs.gold[generator(seed_for(seed, "shuffled gold")).permutation(items)]
    predicted = np.stack([*(np.broadcast_to(row, runs.gold.shape) for row in same.values()), shuffled])
    return replace(runs, systems=(*same, "shuffled gold"), predicted=predicted)
