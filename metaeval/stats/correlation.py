"""Correlations of measures with human scores at every level, with intervals.

`metric` (M, S, N) are scores of M measures, and `human` (H, S, N) H sets of human scores, of the same S systems and N
items, higher better, NaN where missing.

Rank correlations of many pairs of rankings at once, and Kendall's W, the concordance of several rankings.

The coefficients are those of `association`, and two that weight the top ranks. Each takes scores x and y (..., S) of
the same S systems, higher better, and returns correlations (...) from −1 to 1 over the systems whose two scores are
defined. The correlation with a constant ranking is NaN, and so is that of fewer than two systems.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from metaeval.arrays import Floats, Indices, Integers, Scores
from metaeval.stats._arrays import as_ratings, in_shape, nan_lowest, portions, signs_against, systems_first
from metaeval.stats._resamples import BLOCK, CorrelateCounts, kendall_sums, pearson_sums, resampled_means, spearman_sums
from metaeval.stats.association import (
    COEFFICIENTS,
    AtLevel,
    Coefficient,
    at_level,
    complete,
    kendall_a,
    kendall_b,
    kendall_c,
    level_vectors,
    mean_scores,
    pearson,
    spearman,
)
from metaeval.stats.effects import errors_of, jackknife, student_intervals
from metaeval.stats.intervals import (
    BONETT_WRIGHT,
    LARGEST_R,
    Interval,
    defined_deviation,
    fisher_interval,
    interval_of_z,
    largest_below_one,
)
from metaeval.stats.rank import mean_ranks
from metaeval.stats.ratio import divide, effective_number
from metaeval.stats.resample import REPLICATES_MEMORY, Blocks, draw_bootstrap, generator, seed_for, trials_per_block
from metaeval.steps import steps

RESAMPLES = 10_000

RESAMPLES_A_BLOCK = 512
"""Number of resamples per seed."""

PREPARED = 1 << 24
"""Maximum number of comparisons of entries that are kept for several measures."""

CELLS_TOGETHER = 1 << 21
"""Maximum number of resampled scores in memory."""

RESAMPLED = ("systems", "items", "both")


def correlate(
    metric: Scores, human: Scores, *, level: str = "item", coefficient: str = "kendall-b", constant: float = np.nan
) -> AtLevel:
    """Correlation of every measure with every set of human scores, (M, H)."""
    return at_level(metric[:, np.newaxis], human, level=level, coefficient=coefficient, constant=constant)


def correlation_intervals(
    metric: Scores,
    human: Scores,
    *,
    level: str,
    coefficients: Sequence[str],
    resampled: str,
    clusters: Indices | None = None,
    constant: float = np.nan,
    **options: Any,
) -> dict[str, Interval]:
    """95 % intervals of correlations, (M, H), by Student's t of Fisher's z.

    At level system, the errors over other systems, and over both, are those of as many independent pairs (Bonett &
    Wright 2000), of Pearson's r those of the jackknife where they are larger; over other items they are from a
    bootstrap. At the other levels they are those of `effects`.

    Parameters
    ----------
    metric, human : arrays (M, S, N) and (H, S, N)
        Oriented scores by measures, and by human data sets.
    level
        One of `stats.association.LEVELS`.
    coefficients
        Names of `stats.association.COEFFICIENTS`.
    resampled
        Over which other `systems`, `items`, or `both`, the intervals are.
    clusters : array (N,), optional
        Codes of clusters of items; each item is one by default.
    constant
        As in `stats.association.at_level`.
    options
        `resamples` and `seed` of `bootstrap_of_items`.

    Returns
    -------
    dict of str to two arrays (M, H)
        Lower and upper ends by coefficient; NaN where items are resampled and all are in one cluster.
    """
    items = metric.shape[-1]
    effective = effective_number(np.ones(items) if clusters is None else np.bincount(clusters))
    if effective <= 1 and resampled == "items":
        unknown = np.full((len(metric), len(human)), np.nan)
        return dict.fromkeys(coefficients, (unknown, unknown))
    if effective <= 1:
        resampled = "systems"
    if level == "system" and resampled == "items":
        samples = bootstrap_of_items(metric, human, coefficients=coefficients, clusters=clusters, **options)
        return {
            coefficient: _by_deviation(metric, human, coefficient, sample, effective)
            for coefficient, sample in samples.items()
        }
    if level == "system":
        return {coefficient: _pair_intervals(metric, human, coefficient) for coefficient in coefficients}
    systems, intervals = metric.shape[-2], {}
    for coefficient in coefficients:
        statistic = partial(
            resampled_correlations, metric, human, level=level, coefficient=coefficient, constant=constant
        )
        effects = jackknife(statistic, systems, items, clusters)
        errors = errors_of(effects, resampled=resampled, level=level)
        ends = student_intervals(effects.values, errors.error, errors.freedom, lowest=lowest_value(coefficient))
        low, high = (end.reshape(len(metric), len(human)) for end in ends)
        intervals[coefficient] = low, high
    return intervals


def lowest_value(coefficient: str) -> float:
    """The lowest value of a coefficient."""
    return 0.0 if coefficient == "pairwise-accuracy" else -1.0


def _pair_intervals(metric: Scores, human: Scores, coefficient: str) -> Interval:
    """Intervals over other systems, (M, H), from scores of systems that are independent pairs."""
    x, y = level_vectors(metric[:, np.newaxis], human, level="system")
    present = ~(np.isnan(x) | np.isnan(y))
    number = present.sum(axis=-1)
    values, variance = COEFFICIENTS[coefficient](x, y), np.zeros(number.shape)
    if coefficient == "pearson":
        # Skewed scores vary more than pairs of normal ones; systems without a score are none that is left out.
        replicates = [pearson(np.delete(x, one, axis=-1), np.delete(y, one, axis=-1)) for one in range(x.shape[-1])]
        z = np.arctanh(np.clip(np.stack(replicates, axis=-1), -LARGEST_R, LARGEST_R))
        deviation = defined_deviation(np.where(present, z, np.nan), axis=-1)
        variance = np.nan_to_num(deviation**2 * (number - 1) ** 2 / np.maximum(number, 1))
    if coefficient in BONETT_WRIGHT:
        return fisher_interval(values, number, coefficient=coefficient, least=variance)
    if coefficient == "pairwise-accuracy":
        low, high = fisher_interval(2 * values - 1, number, coefficient="kendall-b")
        return (low + 1) / 2, (high + 1) / 2
    return fisher_interval(values, number, coefficient="kendall-b")


def _by_deviation(metric: Scores, human: Scores, coefficient: str, sample: Scores, units: float) -> Interval:
    """Intervals, (M, H), with the deviation of Fisher's z over resamples of items, (R, M, H); units: number of them."""
    result = correlate(metric, human, level="system", coefficient=coefficient)
    span = (1 - lowest_value(coefficient)) / 2
    values, scaled = ((array - 1) / span + 1 for array in (result.values, sample))
    largest = np.minimum(largest_below_one(coefficient, result.units), LARGEST_R)
    error = defined_deviation(np.arctanh(np.clip(scaled, -largest, largest)))
    low, high = interval_of_z(values, np.nan_to_num(error), np.full(values.shape, units - 1), largest=largest)
    return 1 + span * (low - 1), 1 + span * (high - 1)


def bootstrap_of_items(
    metric: Scores,
    human: Scores,
    *,
    coefficients: Sequence[str],
    clusters: Indices | None = None,
    resamples: int = RESAMPLES,
    seed: int = 20201,
) -> dict[str, Scores]:
    """Correlations of means of systems in bootstrap resamples of items, (R, M, H) by coefficient; NaN where undefined.

    All coefficients, measures and sets of human scores share the draws. Clusters, (N,), are drawn whole.
    """
    systems, items = metric.shape[-2:]
    samples = {name: np.empty((resamples, len(metric), len(human))) for name in coefficients}
    draws = bootstrap_draws(systems, items, resampled="items", clusters=clusters, resamples=resamples, seed=seed)
    multiplicities = np.concatenate([block for _, block in draws])
    for measures, other, x, y in _with_same_gaps(metric, human):
        for part in portions(resamples, max(y.shape) * len(x), CELLS_TOGETHER):
            x_means, y_means = (resampled_means(scores, multiplicities[part]) for scores in (x, y))
            for name, values in samples.items():
                values[part, measures, other] = COEFFICIENTS[name](x_means, y_means[:, np.newaxis])
    return samples


def bootstrap_draws(
    systems: int, items: int, *, resampled: str, clusters: Indices | None, resamples: int, seed: int
) -> Iterator[tuple[Integers, Integers]]:
    """Multiplicities of systems, (R, S), and items, (R, N), in blocks of bootstrap resamples."""
    if resampled not in RESAMPLED:
        raise ValueError(f"{resampled!r} is none of {', '.join(RESAMPLED)}")
    groups = items if clusters is None else int(clusters.max()) + 1
    blocks = Blocks(seed_for(seed, "correlation bootstrap"), trials=resamples, per_block=RESAMPLES_A_BLOCK)
    for child, count in steps(blocks, "Bootstrap of correlations"):
        random = generator(child)
        system_counts, item_counts = (
            draw_bootstrap(random, size, trials=count) if resampled != fixed else np.ones((count, size), dtype=np.intp)
            for size, fixed in ((systems, "items"), (groups, "systems"))
        )
        yield system_counts, item_counts if clusters is None else item_counts[:, clusters]


def resampled_correlations(
    metric: Scores,
    human: Scores,
    system_counts: Integers,
    item_counts: Integers,
    *,
    level: str,
    coefficient: str,
    constant: float = np.nan,
) -> Scores:
    """Correlations in resamples with given multiplicities of systems, (R, S), and items, (R, N): (R, M, H).

    A system that is drawn twice forms no pair with its copy. At level system, where each item has to be there once,
    `bootstrap_of_items` draws items.
    """
    if level == "by-system":
        turned = (metric.swapaxes(-1, -2), human.swapaxes(-1, -2), item_counts, system_counts)
        return resampled_correlations(*turned, level="item", coefficient=coefficient, constant=constant)
    values = np.empty((len(system_counts), len(metric), len(human)))
    once = np.ones((len(system_counts), 1), dtype=np.intp)
    for measures, other, x, y in _with_same_gaps(metric, human):
        vector_counts, options = item_counts, dict[str, Any](constant=constant)
        if level == "global":
            x, y = x.reshape(len(x), -1, 1), y.reshape(-1, 1)
            vector_counts, options = once, {"item_counts": item_counts}
        elif level == "system":
            if (item_counts != 1).any():
                raise ValueError("at level system, items cannot be drawn together with systems")
            x, y = (mean_scores(scores)[..., np.newaxis] for scores in (x, y))
            vector_counts, options = once, {}
        values[:, measures, other] = _averages(coefficient, x, y, system_counts, vector_counts, **options)
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


def _averages(
    coefficient: str,
    x: Scores,
    y: Scores,
    entry_counts: Integers,
    vector_counts: Integers,
    *,
    constant: float = np.nan,
    item_counts: Integers | None = None,
) -> Scores:
    """Weighted means of the coefficients of V vectors of entries, (M, L, V) and (L, V), in resamples, (R, M).

    entry_counts: (R, L), or (R, S) if entries are cells of these systems and of `item_counts`, (R, N). vector_counts:
    (R, V).
    """
    values = np.empty((len(entry_counts), len(x)))
    for measures in portions(len(x), y.size * min(len(y), BLOCK), PREPARED):
        statistic = _coefficients(x[measures], y, coefficient)
        for part in portions(len(values), y.size, CELLS_TOGETHER):
            counts = entry_counts[part]
            if item_counts is not None:
                counts = (counts[..., np.newaxis] * item_counts[part, np.newaxis]).reshape(len(counts), -1)
            values[part, measures] = _average(_fill(statistic(counts), y, counts, constant), vector_counts[part])
    return values


def _coefficients(x: Scores, y: Scores, coefficient: str) -> CorrelateCounts:
    """The function from multiplicities to coefficients of vectors x, (M, L, V), and y, (L, V)."""
    if coefficient == "pearson":
        return pearson_sums(x, y)
    return spearman_sums(x, y) if coefficient == "spearman" else kendall_sums(x, y, coefficient)


def _fill(values: Scores, scores: Scores, entry_counts: Integers, constant: float) -> Scores:
    """Coefficients (R, M, V) with `constant` where undefined although a resample has two entries with scores.

    scores: (L, V), NaN where missing. entry_counts: (R, L).
    """
    if np.isnan(constant):
        return values
    rated = (entry_counts > 0).astype(np.float32) @ (~np.isnan(scores)).astype(np.float32) > 1
    return np.where(np.isnan(values) & rated[:, np.newaxis], constant, values)


def _average(values: Scores, weights: Integers) -> Scores:
    """Weighted mean (R, M) of the defined values (R, M, V); weights: (R, V)."""
    weights = np.ascontiguousarray(weights, dtype=np.float64)
    defined = ~np.isnan(values)
    if defined.all():
        return divide(np.einsum("rmv,rv->rm", values, weights), weights.sum(axis=1, keepdims=True))
    total = np.einsum("rmv,rv->rm", np.where(defined, values, 0.0), weights)
    return divide(total, np.einsum("rmv,rv->rm", defined, weights))


def tau_ap(x: ArrayLike, y: ArrayLike) -> Floats:
    """AP correlation (Yilmaz, Aslam & Robertson 2008), the mean of both directions.

    Kendall's tau with a larger weight of discordant pairs near the top, extended to ties: 1 / (S − t) Σ_i of the mean
    over the systems above i of the sign of their order in the other ranking. The sum is over all systems except the t
    with the first rank; ties in the other ranking count 0.

    Parameters
    ----------
    x, y : array_like (..., S)
        Scores, NaN where undefined.

    Returns
    -------
    array (...)
        From −1 to 1; NaN for a constant ranking.
    """
    x, y, _ = complete(x, y)
    return (_tau_ap_one_way(x, y) + _tau_ap_one_way(y, x)) / 2


def weighted_tau(x: ArrayLike, y: ArrayLike) -> Floats:
    """Weighted tau (Vigna 2015), the mean of both directions.

    The weight of a pair is the sum of 1 / (rank + 1) of its systems. Ranks start from 0 and are those of x with ties
    broken by y, and the reverse in the other direction, as in `scipy.stats.weightedtau`.

    Parameters
    ----------
    x, y : array_like (..., S)
        Scores, NaN where undefined.

    Returns
    -------
    array (...)
        From −1 to 1.
    """
    x, y, _ = complete(x, y)
    return (_weighted_one_way(x, y) + _weighted_one_way(y, x)) / 2


RANK_COEFFICIENTS: dict[str, Coefficient] = {
    "kendall-b": kendall_b,
    "kendall-a": kendall_a,
    "kendall-c": kendall_c,
    "tau-ap": tau_ap,
    "weighted": weighted_tau,
    "spearman": spearman,
    "pearson": pearson,
}
"""Coefficients by name."""


def _tau_ap_one_way(x: Floats, y: Floats) -> Floats:
    shape, systems = x.shape[:-1], x.shape[-1]
    xs, ys = systems_first(x), systems_first(y)
    total, terms = np.zeros((2, xs.shape[1]))
    for system in range(systems):
        above = xs > xs[system]
        number_above = above.sum(axis=0)
        order = (ys > ys[system]).view(np.int8) - (ys < ys[system]).view(np.int8)
        agreement = np.where(above, order, np.int8(0)).sum(axis=0, dtype=np.int64)
        total += divide(agreement, number_above, undefined=0.0)
        terms += number_above > 0
    constant_y = ~(np.fmax.reduce(ys, axis=0) > np.fmin.reduce(ys, axis=0))
    return in_shape(divide(total, np.where(constant_y, 0, terms)), shape)


def _weighted_one_way(x: Floats, y: Floats) -> Floats:
    shape, systems = x.shape[:-1], x.shape[-1]
    # Undefined scores have the worst ranks here, and their pairs have no weight below.
    order = np.lexsort(nan_lowest(y, x), axis=-1)[..., ::-1]
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.broadcast_to(np.arange(systems), order.shape), axis=-1)
    weight = systems_first(1 / (rank + 1.0))
    xs, ys = systems_first(x), systems_first(y)
    agreement, untied_x, untied_y = np.zeros((3, xs.shape[1]))
    for first in range(systems - 1):
        sign_x, sign_y = signs_against(xs, first), signs_against(ys, first)
        pair = weight[first + 1 :] + weight[first]
        agreement += (pair * (sign_x * sign_y)).sum(axis=0)
        untied_x += (pair * (sign_x != 0)).sum(axis=0)
        untied_y += (pair * (sign_y != 0)).sum(axis=0)
    return in_shape(divide(agreement, np.sqrt(untied_x * untied_y)), shape)


class Concordance(NamedTuple):
    """Kendall's W of A annotators; every attribute is (...).

    Attributes
    ----------
    w
        W with the correction for ties, from 0 to 1.
    uncorrected
        W without the correction for ties.
    """

    w: Floats
    uncorrected: Floats


def kendall_w(ratings: ArrayLike) -> Concordance:
    """Kendall's coefficient of concordance of the rankings of annotators (Kendall & Babington Smith 1939).

    Only units that all annotators rated count. Ties have mean ranks. NaN for fewer than two annotators or units, and if
    all annotators tie all units.

    Parameters
    ----------
    ratings : array_like (..., A, U)
        Ratings, NaN where missing.
    """
    ratings = as_ratings(ratings)
    annotators = ratings.shape[-2]
    complete = ~np.isnan(ratings).any(axis=-2, keepdims=True)
    ranks = mean_ranks(np.where(complete, ratings, np.nan))
    units = complete.sum(axis=(-2, -1))
    deviation = np.where(complete, ranks - (units[..., np.newaxis, np.newaxis] + 1) / 2, 0.0)
    between = (deviation.sum(axis=-2) ** 2).sum(axis=-1)
    within = (deviation**2).sum(axis=(-2, -1))
    enough = (annotators > 1) & (within > 0)
    uncorrected = divide(12 * between, annotators**2 * (units**3 - units) * enough)
    return Concordance(divide(between, annotators * within * enough), uncorrected)


def kendall_w_permutation_p(ratings: ArrayLike, *, replicates: int, random: np.random.Generator) -> float:
    """Permutation p-value (k + 1) / (replicates + 1) of Kendall's W of ratings (A, U), for few units."""
    ratings = as_ratings(ratings)
    ratings = ratings[:, ~np.isnan(ratings).any(axis=0)]
    if np.isnan(kendall_w(ratings).w):
        return float("nan")
    # Doubled ranks are integers, so ties with the observed value are exact.
    ranks = np.rint(2 * mean_ranks(ratings)).astype(np.int32)
    observed = np.square(ranks.sum(axis=0, dtype=np.int64)).sum()
    extreme_count, block = 0, trials_per_block(16 * ranks.size, memory=REPLICATES_MEMORY)
    for begin in steps(range(0, replicates, block), "Permutations of ranks"):
        # Of permutations of all annotators, only those relative to the first change the sums.
        others = np.broadcast_to(ranks[1:], (min(block, replicates - begin), *ranks[1:].shape))
        sums = ranks[0] + random.permuted(others, axis=-1).sum(axis=1, dtype=np.int64)
        extreme_count += int((np.square(sums).sum(axis=1) >= observed).sum())
    return (extreme_count + 1) / (replicates + 1)
