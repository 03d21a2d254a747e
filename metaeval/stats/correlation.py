"""Correlations of measures with human scores at every level, with intervals.

`metric` (M, S, N) are scores of M measures, and `human` (H, S, N) H sets of human scores, of the same S systems and N
items, higher better, NaN where missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.grid import round_to_grid
from metaeval.inference.clusters import effective_number
from metaeval.stats._resamples.few import FEW, few_pairs, few_ranks
from metaeval.stats._resamples.many import many_pairs, many_ranks
from metaeval.stats._resamples.pairs import OF_PAIRS, OfCounts, Side
from metaeval.stats._resamples.sums import pearson_sums
from metaeval.stats.association import (
    COEFFICIENTS,
    AtLevel,
    at_level,
    complete,
    count_complete_pairs,
    distinct,
    level_vectors,
    mean_scores,
)
from metaeval.stats.intervals import LEVEL, defined_deviation, expanded_level, percentile_interval
from metaeval.stats.ratio import divide
from metaeval.stats.resample import block_seeds, draw_bootstrap, generator, seed_for

Scores = NDArray[np.float64]
Counts = NDArray[np.integer]
Codes = NDArray[np.intp]

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


def bootstrap_interval(
    metric: Scores, human: Scores, *, level: str, coefficient: str, resampled: str, clusters: Codes | None = None,
    **options: Any,
) -> tuple[Scores, Scores]:  # fmt: skip
    """Intervals of bootstrap correlations, (M, H): percentiles, of items at the level that suits their number.

    At level system, `both` is that of the resamples of systems or of items that vary more, because errors of cells are
    part of both; and of systems, Pearson's r has Student's interval of Fisher's z by the jackknife.

    Parameters
    ----------
    metric, human : arrays (M, S, N) and (H, S, N)
        Oriented scores by measures, and by human data sets.
    level, coefficient, resampled, clusters, options
        As in `bootstrap_correlations`.

    Returns
    -------
    two arrays (M, H)
        Lower and upper ends; NaN where items are resampled and all are in one cluster.
    """
    effective = effective_number(np.ones(metric.shape[-1]) if clusters is None else np.bincount(clusters))
    kinds = ("systems", "items")[: 1 + (effective > 1)] if (level, resampled) == ("system", "both") else (resampled,)
    ends, deviations = [], []
    for kind in kinds:
        if kind == "items" and effective <= 1:
            unknown = np.full((len(metric), len(human)), np.nan)
            return unknown, unknown
        of_kind = {"level": level, "coefficient": coefficient, "resampled": kind, "clusters": clusters, **options}
        sample = bootstrap_correlations(metric, human, **of_kind)
        if (level, coefficient, kind) == ("system", "pearson", "systems"):
            ends.append(_by_z(metric, human))
        else:
            ends.append(percentile_interval(sample, level=expanded_level(effective) if kind == "items" else LEVEL))
        deviations.append(np.nan_to_num(defined_deviation(sample)))
    low, high = (np.choose(np.argmax(deviations, axis=0), each) for each in zip(*ends, strict=True))
    return low, high


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
    level: str = "item",
    coefficient: str = "kendall-b",
    resampled: str = "both",
    clusters: Codes | None = None,
    constant: float = np.nan,
    resamples: int = RESAMPLES,
    seed: int = 20201,
) -> Scores:
    """Correlations in bootstrap resamples of systems, items or both, (R, M, H); NaN where undefined.

    BOOT-SYSTEMS, BOOT-INPUTS and BOOT-BOTH of Deutsch, Dror & Roth (2021). A system that is drawn twice forms no pair
    with its copy. All measures and sets of human scores share the draws.

    Parameters
    ----------
    metric, human : arrays (M, S, N) and (H, S, N)
        Oriented scores by measures, and by human data sets.
    level
        One of `stats.association.LEVELS`.
    coefficient
        A name of `stats.association.COEFFICIENTS`.
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
    parts = [np.empty((0, len(metric), len(human)))]
    for draws in bootstrap_draws(
        systems, items, resampled=resampled, clusters=clusters, resamples=resamples, seed=seed
    ):
        resample = (metric, human, *draws)
        parts.append(resampled_correlations(*resample, level=level, coefficient=coefficient, constant=constant))
    return np.concatenate(parts)


def bootstrap_draws(
    systems: int, items: int, *, resampled: str, clusters: Codes | None, resamples: int, seed: int
) -> Iterator[tuple[Counts, Counts]]:
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
    for child, count in block_seeds(
        seed_for(seed, "correlation bootstrap"), trials=resamples, per_block=RESAMPLES_A_BLOCK
    ):
        random = generator(child)
        of_systems, of_items = (
            draw_bootstrap(random, size, trials=count) if resampled != fixed else np.ones((count, size), dtype=np.intp)
            for size, fixed in ((systems, "items"), (groups, "systems"))
        )
        yield of_systems, of_items if clusters is None else of_items[:, clusters]


def resampled_correlations(
    metric: Scores, human: Scores, of_systems: Counts, of_items: Counts, *, level: str, coefficient: str,
    constant: float = np.nan,
) -> Scores:  # fmt: skip
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
    if level == "by-system":
        turned = (metric.swapaxes(-1, -2), human.swapaxes(-1, -2), of_items, of_systems)
        return resampled_correlations(*turned, level="item", coefficient=coefficient, constant=constant)
    values = np.empty((len(of_systems), len(metric), len(human)))
    once = np.ones((len(of_systems), 1), dtype=np.intp)
    fixed = bool((of_items == 1).all())
    for measures, other, x, y in _with_same_gaps(metric, human):
        if level == "item":
            values[:, measures, other] = _averages(x, y, of_systems, of_items, coefficient, constant)
        elif level == "global":
            cells = (x.reshape(len(x), -1, 1), y.reshape(-1, 1))
            values[:, measures, other] = _averages(*cells, of_systems, once, coefficient, np.nan, of_items)
        elif fixed:
            x, y = (mean_scores(scores)[..., np.newaxis] for scores in (x, y))
            values[:, measures, other] = _averages(x, y, of_systems, once, coefficient, np.nan)
        else:
            for part in _parts(len(values), max(y.shape) * len(x)):
                values[part, measures, other] = _of_means(x, y, of_systems[part], of_items[part], coefficient)
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
    x: Scores, y: Scores, of_entries: Counts, of_vectors: Counts, coefficient: str, constant: float,
    of_items: Counts | None = None,
) -> Scores:  # fmt: skip
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


def _filled(values: Scores, scores: Scores, of_entries: Counts, constant: float) -> Scores:
    """Coefficients (R, M, V) with `constant` where undefined although a resample has two entries with scores.

    scores: (L, V), NaN where missing. of_entries: (R, L).
    """
    if np.isnan(constant):
        return values
    rated = (of_entries > 0).astype(np.float32) @ (~np.isnan(scores)).astype(np.float32) > 1
    return np.where(np.isnan(values) & rated[:, np.newaxis], constant, values)


def _average(values: Scores, weights: Counts) -> Scores:
    """Weighted mean (R, M) of the defined values (R, M, V); weights: (R, V)."""
    weights = np.ascontiguousarray(weights, dtype=np.float64)
    defined = ~np.isnan(values)
    if defined.all():
        return divide(np.einsum("rmv,rv->rm", values, weights), weights.sum(axis=1, keepdims=True))
    total = np.einsum("rmv,rv->rm", np.where(defined, values, 0.0), weights)
    return divide(total, np.einsum("rmv,rv->rm", defined, weights))


def _of_means(x: Scores, y: Scores, of_systems: Counts, of_items: Counts, coefficient: str) -> Scores:
    """Coefficients (R, M) of the means of systems over resamples of items; x, y: (M, S, N) and (S, N)."""
    of_x, of_y = resampled_means(x, of_items), resampled_means(y, of_items)[:, np.newaxis]
    copies = np.where(np.isnan(of_y), 0, of_systems[:, np.newaxis])
    if (of_systems != 1).any():
        systems = _indices(of_systems)[:, np.newaxis]
        of_x, of_y = (np.take_along_axis(_padded(means), systems, axis=-1) for means in (of_x, of_y))
    if coefficient in OF_PAIRS:
        return OF_PAIRS[coefficient](_CountedPairs(of_x, of_y, copies))
    return COEFFICIENTS[coefficient](of_x, of_y)


class _CountedPairs:
    """`PairSums` of vectors x and y, (R, M, L), whose entries have copies, (R, 1, S)."""

    def __init__(self, x: Scores, y: Scores, copies: Counts) -> None:
        self.scores, self.counts, self.copies = (x, y), count_complete_pairs(x, y), copies

    def balance(self) -> Scores:
        return np.asarray(self.counts.concordant - self.counts.discordant, dtype=np.float64)

    def untied(self, side: Side) -> Scores:
        counts = self.counts
        if side == "both":
            return np.asarray(counts.concordant + counts.discordant, dtype=np.float64)
        return np.asarray(counts.pairs - (counts.tied_x if side == "x" else counts.tied_y), dtype=np.float64)

    def pairs(self) -> Scores:
        return np.asarray(self.counts.pairs - (self.copies * (self.copies - 1) // 2).sum(axis=-1), dtype=np.float64)

    def levels(self) -> Scores:
        x, y, _ = complete(*self.scores)
        return np.minimum(distinct(x), distinct(y)).astype(np.float64)

    def different(self) -> Scores:
        return np.asarray((self.copies > 0).sum(axis=-1), dtype=np.float64)


def _padded(scores: Scores) -> Scores:
    """Scores (..., S) with a further one of NaN."""
    return np.concatenate([scores, np.full((*scores.shape[:-1], 1), np.nan)], axis=-1)


def resampled_means(scores: Scores, of_items: Counts) -> Scores:
    """Means of the systems over resamples of items, (R, ..., S).

    Parameters
    ----------
    scores : array (..., S, N)
        NaN where missing; units are those of the leading axes.
    of_items : array (R, N)
        Multiplicities of the items.
    """
    present = ~np.isnan(scores)
    weights = of_items.astype(np.float64)
    total = np.tensordot(weights, np.where(present, scores, 0.0), axes=(1, -1))
    number = weights.sum(axis=1).reshape(-1, *[1] * (scores.ndim - 1))
    if not present.all():
        number = np.tensordot(weights, present.astype(np.float64), axes=(1, -1))
    means = divide(total, number)
    if scores.shape[-1] == 1:
        return means
    return round_to_grid(means, np.nanmax(np.abs(scores), axis=(-2, -1), initial=0.0)[..., np.newaxis])


def _indices(counts: Counts) -> NDArray[np.intp]:
    """Indices, each repeated by its count, then that of a further entry: (R, L) to (R, largest sum of counts)."""
    total = counts.sum(axis=1, keepdims=True)
    filled = np.concatenate([counts, total.max(initial=0) - total], axis=1)
    numbers = np.broadcast_to(np.arange(filled.shape[1]), filled.shape)
    return np.repeat(numbers.reshape(-1), filled.reshape(-1)).reshape(len(counts), -1)
