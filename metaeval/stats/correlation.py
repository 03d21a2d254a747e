"""Correlations of measures with human scores at every level, with intervals.

`metric` (M, S, N) are scores of M measures, and `human` (H, S, N) H sets of human scores, of the same S systems and N
items, higher better, NaN where missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from metaeval.arrays import Indices, Integers, Scores
from metaeval.stats._resamples.few import FEW, few_pairs, few_ranks
from metaeval.stats._resamples.many import many_pairs, many_ranks
from metaeval.stats._resamples.means import correlate_means
from metaeval.stats._resamples.pairs import OfCounts
from metaeval.stats._resamples.sums import pearson_sums
from metaeval.stats.association import (
    COEFFICIENTS,
    AtLevel,
    at_level,
    level_vectors,
    mean_scores,
)
from metaeval.stats.intervals import LEVEL, defined_deviation, expanded_level, percentile_interval
from metaeval.stats.ratio import divide, effective_number
from metaeval.stats.resample import Blocks, draw_bootstrap, generator, seed_for
from metaeval.steps import steps

RESAMPLES = 10_000

RESAMPLES_A_BLOCK = 512
"""Number of resamples per seed."""

PREPARED = 1 << 24
"""Maximum number of products of pairs that are kept for several measures."""

CELLS_TOGETHER = 1 << 21
"""Maximum number of resampled scores in memory."""

LARGEST_R = 1 - 1e-9
"""Above it, Fisher's z of a correlation is that of this one."""

RESAMPLED = ("systems", "items", "both")


def correlate(
    metric: Scores, human: Scores, *, level: str = "item", coefficient: str = "kendall-b", constant: float = np.nan
) -> AtLevel:
    """Correlation of every measure with every set of human scores, (M, H).

    Parameters
    ----------
    metric, human : arrays (M, S, N) and (H, S, N)
        Oriented scores by measures, and by human data sets.
    level
        One of `stats.association.LEVELS`.
    coefficient
        A name of `stats.association.COEFFICIENTS`.
    constant
        As in `stats.association.at_level`.
    """
    return at_level(metric[:, np.newaxis], human, level=level, coefficient=coefficient, constant=constant)


def bootstrap_intervals(
    metric: Scores,
    human: Scores,
    *,
    level: str,
    coefficients: Sequence[str],
    resampled: str,
    clusters: Indices | None = None,
    **options: Any,
) -> dict[str, tuple[Scores, Scores]]:
    """Intervals of bootstrap correlations, (M, H): percentiles, of items at the level that suits their number.

    At level system, `both` is that of the resamples of systems or of items that vary more, because errors of cells are
    part of both; and of systems, Pearson's r has Student's interval of Fisher's z by the jackknife. All coefficients
    share the draws.

    Parameters
    ----------
    metric, human : arrays (M, S, N) and (H, S, N)
        Oriented scores by measures, and by human data sets.
    level
        One of `stats.association.LEVELS`.
    coefficients
        Names of `stats.association.COEFFICIENTS`.
    resampled, clusters, options
        As in `bootstrap_correlations`.

    Returns
    -------
    dict of str to two arrays (M, H)
        Lower and upper ends by coefficient; NaN where items are resampled and all are in one cluster.
    """
    effective = effective_number(np.ones(metric.shape[-1]) if clusters is None else np.bincount(clusters))
    kinds = ("systems", "items")[: 1 + (effective > 1)] if (level, resampled) == ("system", "both") else (resampled,)
    if "items" in kinds and effective <= 1:
        unknown = np.full((len(metric), len(human)), np.nan)
        return dict.fromkeys(coefficients, (unknown, unknown))
    samples = [
        bootstrap_correlations(
            metric, human, level=level, coefficients=coefficients, resampled=kind, clusters=clusters, **options
        )
        for kind in kinds
    ]
    found = {}
    for coefficient, *of_kinds in zip(coefficients, *samples, strict=True):
        ends = []
        for kind, sample in zip(kinds, of_kinds, strict=True):
            if (level, coefficient, kind) == ("system", "pearson", "systems"):
                ends.append(_by_z(metric, human))
            else:
                percent = expanded_level(effective) if kind == "items" else LEVEL
                ends.append(percentile_interval(sample, level=percent))
        widest = np.argmax([np.nan_to_num(defined_deviation(sample)) for sample in of_kinds], axis=0)
        low, high = (np.choose(widest, each) for each in zip(*ends, strict=True))
        found[coefficient] = low, high
    return found


def _by_z(metric: Scores, human: Scores) -> tuple[Scores, Scores]:
    """Student's interval of Fisher's z of Pearson's r of systems, by the jackknife, (M, H)."""
    from scipy.special import stdtrit

    x, y = level_vectors(metric[:, np.newaxis], human, level="system")
    systems, pearson = x.shape[-1], COEFFICIENTS["pearson"]
    values = pearson(x, y)
    without = [pearson(np.delete(x, one, axis=-1), np.delete(y, one, axis=-1)) for one in range(systems)]
    middle, each = (np.arctanh(np.clip(r, -LARGEST_R, LARGEST_R)) for r in (values, np.stack(without)))
    half = stdtrit(systems - 1, (1 + LEVEL) / 2) * defined_deviation(each) * (systems - 1) / np.sqrt(systems)
    return np.minimum(values, np.tanh(middle - half)), np.maximum(values, np.tanh(middle + half))


def bootstrap_correlations(
    metric: Scores,
    human: Scores,
    *,
    coefficients: Sequence[str],
    level: str = "item",
    resampled: str = "both",
    clusters: Indices | None = None,
    constant: float = np.nan,
    resamples: int = RESAMPLES,
    seed: int = 20201,
) -> Scores:
    """Correlations in bootstrap resamples of systems, items or both, (C, R, M, H); NaN where undefined.

    BOOT-SYSTEMS, BOOT-INPUTS and BOOT-BOTH of Deutsch, Dror & Roth (2021). A system that is drawn twice forms no pair
    with its copy. All coefficients, measures and sets of human scores share the draws.

    Parameters
    ----------
    metric, human : arrays (M, S, N) and (H, S, N)
        Oriented scores by measures, and by human data sets.
    coefficients
        Names of `stats.association.COEFFICIENTS`.
    level
        One of `stats.association.LEVELS`.
    resampled
        One of `RESAMPLED`.
    clusters : array (N,), optional
        Codes of clusters of items, which are drawn whole; each item is one by default.
    constant
        As in `stats.association.at_level`.
    resamples
        Number of bootstrap resamples.
    seed
        Random seed.
    """
    systems, items = metric.shape[-2:]
    parts = [np.empty((len(coefficients), 0, len(metric), len(human)))]
    for draws in bootstrap_draws(
        systems, items, resampled=resampled, clusters=clusters, resamples=resamples, seed=seed
    ):
        parts.append(_resampled(metric, human, *draws, level=level, coefficients=coefficients, constant=constant))
    return np.concatenate(parts, axis=1)


def bootstrap_draws(
    systems: int, items: int, *, resampled: str, clusters: Indices | None, resamples: int, seed: int
) -> Iterator[tuple[Integers, Integers]]:
    """Multiplicities of systems, (R, S), and items, (R, N), in blocks of bootstrap resamples.

    Parameters
    ----------
    systems, items
        Their numbers.
    resampled, clusters, resamples, seed
        As in `bootstrap_correlations`.
    """
    if resampled not in RESAMPLED:
        raise ValueError(f"{resampled!r} is none of {', '.join(RESAMPLED)}")
    groups = items if clusters is None else int(clusters.max()) + 1
    blocks = Blocks(seed_for(seed, "correlation bootstrap"), trials=resamples, per_block=RESAMPLES_A_BLOCK)
    for child, count in steps(blocks, "Bootstrap of correlations"):
        random = generator(child)
        of_systems, of_items = (
            draw_bootstrap(random, size, trials=count) if resampled != fixed else np.ones((count, size), dtype=np.intp)
            for size, fixed in ((systems, "items"), (groups, "systems"))
        )
        yield of_systems, of_items if clusters is None else of_items[:, clusters]


def resampled_correlations(
    metric: Scores,
    human: Scores,
    of_systems: Integers,
    of_items: Integers,
    *,
    level: str,
    coefficient: str,
    constant: float = np.nan,
) -> Scores:
    """Correlations in resamples with given multiplicities of systems and items, (R, M, H).

    Parameters
    ----------
    metric, human : arrays (M, S, N) and (H, S, N)
        Oriented scores by measures, and by human data sets.
    of_systems, of_items : arrays of int (R, S) and (R, N)
        Multiplicities of systems and items in each resample.
    level
        One of `stats.association.LEVELS`.
    coefficient
        A name of `stats.association.COEFFICIENTS`.
    constant
        As in `stats.association.at_level`.
    """
    options: dict[str, Any] = {"level": level, "coefficients": (coefficient,), "constant": constant}
    values: Scores = _resampled(metric, human, of_systems, of_items, **options)[0]
    return values


def _resampled(
    metric: Scores,
    human: Scores,
    of_systems: Integers,
    of_items: Integers,
    *,
    level: str,
    coefficients: Sequence[str],
    constant: float,
) -> Scores:
    """`resampled_correlations` of several coefficients, (C, R, M, H)."""
    if level == "by-system":
        turned = (metric.swapaxes(-1, -2), human.swapaxes(-1, -2), of_items, of_systems)
        return _resampled(*turned, level="item", coefficients=coefficients, constant=constant)
    values = np.empty((len(coefficients), len(of_systems), len(metric), len(human)))
    options: dict[str, Any]
    once = np.ones((len(of_systems), 1), dtype=np.intp)
    fixed = bool((of_items == 1).all())
    for measures, other, x, y in _with_same_gaps(metric, human):
        if level == "system" and not fixed:
            for part in _parts(len(of_systems), max(y.shape) * len(x)):
                of_means = correlate_means(x, y, of_systems[part], of_items[part], coefficients)
                values[:, part, measures, other] = of_means
            continue
        of_vectors, options = of_items, {"constant": constant}
        if level == "global":
            x, y = x.reshape(len(x), -1, 1), y.reshape(-1, 1)
            of_vectors, options = once, {"of_items": of_items}
        elif level == "system":
            x, y = (mean_scores(scores)[..., np.newaxis] for scores in (x, y))
            of_vectors, options = once, {}
        for index, coefficient in enumerate(coefficients):
            values[index, :, measures, other] = _averages(coefficient, x, y, of_systems, of_vectors, **options).T
    return values


def _with_same_gaps(metric: Scores, human: Scores) -> Iterator[tuple[list[int], int, Scores, Scores]]:
    """Measures that lack the same cells, with the human scores, NaN where either is missing."""
    for other, y in enumerate(human):
        missing = np.isnan(metric) | np.isnan(y)
        patterns: dict[bytes, list[int]] = {}
        for measure, cells in enumerate(missing):
            patterns.setdefault(np.packbits(cells).tobytes(), []).append(measure)
        for measures in patterns.values():
            lacking = missing[measures[0]]
            yield measures, other, np.where(lacking, np.nan, metric[measures]), np.where(lacking, np.nan, y)


def _parts(resamples: int, cells: int) -> Iterator[slice]:
    """Resamples of `cells` scores each that are in memory together."""
    together = max(1, CELLS_TOGETHER // max(1, cells))
    return (slice(begin, begin + together) for begin in range(0, resamples, together))


def _averages(
    coefficient: str,
    x: Scores,
    y: Scores,
    of_entries: Integers,
    of_vectors: Integers,
    *,
    constant: float = np.nan,
    of_items: Integers | None = None,
) -> Scores:
    """Weighted means of the coefficients of V vectors of entries, (M, L, V) and (L, V), in resamples, (R, M).

    of_entries: (R, L), or (R, S) if entries are cells of these systems and of `of_items`, (R, N). of_vectors: (R, V).
    """
    values = np.empty((len(of_entries), len(x)))
    together = max(1, PREPARED // max(1, y.size * min(len(y), FEW)))
    for begin in range(0, len(x), together):
        of_counts = _coefficients(x[begin : begin + together], y, coefficient)
        for part in _parts(len(values), y.size):
            counts = of_entries[part]
            if of_items is not None:
                counts = (counts[..., np.newaxis] * of_items[part, np.newaxis]).reshape(len(counts), -1)
            values[part, begin : begin + together] = _average(
                _filled(of_counts(counts), y, counts, constant), of_vectors[part]
            )
    return values


def _coefficients(x: Scores, y: Scores, coefficient: str) -> OfCounts:
    """The function from multiplicities to coefficients of vectors x, (M, L, V), and y, (L, V)."""
    if coefficient == "pearson":
        return pearson_sums(x, y)
    few = len(y) <= FEW
    if coefficient == "spearman":
        return (few_ranks if few else many_ranks)(x, y)
    return (few_pairs if few else many_pairs)(x, y, coefficient)


def _filled(values: Scores, scores: Scores, of_entries: Integers, constant: float) -> Scores:
    """Coefficients (R, M, V) with `constant` where undefined although a resample has two entries with scores.

    scores: (L, V), NaN where missing. of_entries: (R, L).
    """
    if np.isnan(constant):
        return values
    rated = (of_entries > 0).astype(np.float32) @ (~np.isnan(scores)).astype(np.float32) > 1
    return np.where(np.isnan(values) & rated[:, np.newaxis], constant, values)


def _average(values: Scores, weights: Integers) -> Scores:
    """Weighted mean (R, M) of the defined values (R, M, V); weights: (R, V)."""
    weights = np.ascontiguousarray(weights, dtype=np.float64)
    defined = ~np.isnan(values)
    if defined.all():
        return divide(np.einsum("rmv,rv->rm", values, weights), weights.sum(axis=1, keepdims=True))
    total = np.einsum("rmv,rv->rm", np.where(defined, values, 0.0), weights)
    return divide(total, np.einsum("rmv,rv->rm", defined, weights))
