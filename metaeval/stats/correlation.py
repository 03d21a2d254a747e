"""Correlations of measures with human scores at every level, with intervals.

`metric` (M, S, N) are scores of M measures, and `human` (H, S, N) H sets of human scores, of the same S systems and N
items, higher better, NaN where missing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.grid import round_to_grid
from metaeval.inference.clusters import effective_number
from metaeval.stats.association import COEFFICIENTS, OF_COPIES, AtLevel, Copies, at_level, level_vectors
from metaeval.stats.intervals import LEVEL, expanded_level, percentile_interval
from metaeval.stats.pairwise_decisions import sign_flip_p, soft_pairwise_accuracy, tie_calibrated_accuracy
from metaeval.stats.ratio import divide
from metaeval.stats.resample import block_seeds, draw_bootstrap, generator, seed_for

Scores = NDArray[np.float64]
Counts = NDArray[np.integer]
Codes = NDArray[np.intp]

RESAMPLES = 10_000
FLIPS = 1_000
"""Sign flips of soft pairwise accuracy, as in Thompson et al. (2024)."""

RESAMPLES_A_BLOCK = 512
"""Number of resamples per seed."""

FORMS_UP_TO = 64
"""Number of systems above which resamples are correlated one by one instead of by sums over pairs of systems."""

CELLS_TOGETHER = 1 << 21
"""Maximum number of resampled scores in memory."""

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


def calibrated_accuracy(metric: Scores, human: Scores, *, level: str = "item") -> AtLevel:
    """acc-eq (Deutsch, Foster & Freitag 2023), with one threshold for each measure and set of human scores.

    Parameters
    ----------
    metric, human : arrays (M, S, N) and (H, S, N)
        Oriented scores by measures, and by human data sets.
    level
        One of `stats.association.LEVELS`.

    Returns
    -------
    AtLevel
        units and left_out are numbers of vectors with and without a pair.
    """
    shape = (len(metric), len(human))
    values = np.empty(shape)
    units, left_out = np.empty((2, *shape), dtype=np.int64)
    for position in np.ndindex(shape):
        of_metric, of_human = level_vectors(metric[position[0]], human[position[1]], level=level)
        rows = of_metric.reshape(-1, of_metric.shape[-1])
        accuracy = tie_calibrated_accuracy(rows, of_human.reshape(rows.shape))
        values[position], units[position] = accuracy.accuracy, accuracy.vectors
        left_out[position] = len(rows) - accuracy.vectors
    return AtLevel(values, units, left_out)


def soft_accuracy(
    metric: Scores, human: Scores, *, clusters: Codes | None = None, flips: int = FLIPS, seed: int = 20201
) -> AtLevel:
    """Soft pairwise accuracy of systems (Thompson et al. 2024), (M, H), with common sign flips.

    Parameters
    ----------
    metric, human : arrays (M, S, N) and (H, S, N)
        Oriented scores by measures, and by human data sets.
    clusters : array (N,), optional
        Codes of clusters of items, whose differences flip together; each item is one by default.
    flips
        Number of sign flips.
    seed
        Random seed.

    Returns
    -------
    AtLevel
        units and left_out are numbers of pairs of systems with and without common items.
    """
    random = generator(seed_for(seed, "soft pairwise accuracy"))
    groups = metric.shape[-1] if clusters is None else int(clusters.max()) + 1
    signs = (2 * random.integers(2, size=(flips, groups), dtype=np.int8) - 1).astype(np.int8)
    signs = signs if clusters is None else signs[:, clusters]
    shape = (len(metric), len(human))
    values = np.empty(shape)
    units, left_out = np.empty((2, *shape), dtype=np.int64)
    for other, scores in enumerate(human):
        of_all = sign_flip_p(scores, signs)
        for one, own in enumerate(metric):
            missing = np.isnan(own)
            of_metric = sign_flip_p(np.where(np.isnan(scores), np.nan, own), signs)
            of_human = sign_flip_p(np.where(missing, np.nan, scores), signs) if missing.any() else of_all
            values[one, other] = soft_pairwise_accuracy(of_metric, of_human)
            units[one, other] = np.count_nonzero(~np.isnan(of_metric))
            left_out[one, other] = np.count_nonzero(np.isnan(of_metric))
    return AtLevel(values, units, left_out)


def bootstrap_interval(
    metric: Scores, human: Scores, *, resampled: str, clusters: Codes | None = None, **options: Any
) -> tuple[Scores, Scores]:
    """Percentile interval of bootstrap correlations, (M, H); of items at the level that suits their effective number.

    Parameters
    ----------
    metric, human : arrays (M, S, N) and (H, S, N)
        Oriented scores by measures, and by human data sets.
    resampled, clusters, options
        As in `bootstrap_correlations`.

    Returns
    -------
    two arrays (M, H)
        Lower and upper ends; NaN where items are resampled and all are in one cluster.
    """
    level = LEVEL
    if resampled == "items":
        effective = effective_number(np.ones(metric.shape[-1]) if clusters is None else np.bincount(clusters))
        if effective <= 1:
            unknown = np.full((len(metric), len(human)), np.nan)
            return unknown, unknown
        level = expanded_level(effective)
    sample = bootstrap_correlations(metric, human, resampled=resampled, clusters=clusters, **options)
    return percentile_interval(sample, level=level)


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
    if resampled not in RESAMPLED:
        raise ValueError(f"{resampled!r} is none of {', '.join(RESAMPLED)}")
    systems, items = metric.shape[-2:]
    groups = items if clusters is None else int(clusters.max()) + 1
    parts = [np.empty((0, len(metric), len(human)))]
    for child, count in block_seeds(
        seed_for(seed, "correlation bootstrap"), trials=resamples, per_block=RESAMPLES_A_BLOCK
    ):
        random = generator(child)
        of_systems, of_items = (
            draw_bootstrap(random, size, trials=count) if resampled != fixed else np.ones((count, size), dtype=np.intp)
            for size, fixed in ((systems, "items"), (groups, "systems"))
        )
        of_items = of_items if clusters is None else of_items[:, clusters]
        resample = (metric, human, of_systems, of_items)
        parts.append(resampled_correlations(*resample, level=level, coefficient=coefficient, constant=constant))
    return np.concatenate(parts)


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
    for one, other in np.ndindex(values.shape[1:]):
        x, y = metric[one], human[other]
        missing = np.isnan(x) | np.isnan(y)
        x, y = np.where(missing, np.nan, x), np.where(missing, np.nan, y)
        forms = level == "item" and coefficient in _OF_ITEMS and len(x) <= FORMS_UP_TO
        together = max(1, CELLS_TOGETHER // max(1, x.size))
        for begin in range(0, len(values), together):
            part = slice(begin, begin + together)
            if forms:
                of_each_item = _filled(_OF_ITEMS[coefficient](x, y, of_systems[part]), x, of_systems[part], constant)
                values[part, one, other] = _average(of_each_item, of_items[part])
            else:
                resample = (x, y, of_systems[part], of_items[part])
                values[part, one, other] = _one_by_one(*resample, level, coefficient, constant)
    return values


def _filled(values: Scores, scores: Scores, of_systems: Counts, constant: float) -> Scores:
    """Coefficients of items, (R, N), with `constant` where undefined although a resample has two systems with scores.

    scores: (S, N), NaN where missing. of_systems: (R, S).
    """
    if np.isnan(constant):
        return values
    rated = (of_systems > 0).astype(np.float32) @ (~np.isnan(scores)).astype(np.float32) > 1
    return np.where(np.isnan(values) & rated, constant, values)


def _average(values: Scores, of_items: Counts) -> Scores:
    """Weighted mean (R,) of the defined values (R, N)."""
    defined = ~np.isnan(values)
    total = np.einsum("rn,rn->r", np.where(defined, values, 0.0), of_items)
    return divide(total, np.einsum("rn,rn->r", defined, of_items, dtype=np.float64))


def _by_kendall(x: Scores, y: Scores, of_systems: Counts) -> Scores:
    # The counts are integers below 2²⁴.
    return _by_pairs(np.sign(_of_pairs(x)), np.sign(_of_pairs(y)), of_systems, np.float32)


def _by_pearson(x: Scores, y: Scores, of_systems: Counts) -> Scores:
    return np.clip(_by_pairs(_of_pairs(x), _of_pairs(y), of_systems, np.float64), -1.0, 1.0)


def _of_pairs(scores: Scores) -> Scores:
    """Differences of all pairs of systems, (S, N) to (P, N); 0 where a score is missing."""
    one, other = np.triu_indices(len(scores), 1)
    difference = scores[one] - scores[other]
    return np.where(np.isnan(difference), 0.0, difference)


def _by_pairs(a: Scores, b: Scores, of_systems: Counts, number: type[np.floating]) -> Scores:
    """Daniels' (1944) coefficient Σ ab / √(Σ a² Σ b²) over the pairs of systems of a resample, (R, N).

    a, b: (P, N), signs of differences for Kendall's tau-b, or differences for Pearson's r. The multiplicity of a pair
    is the product of those of its systems; copies of one system add 0.
    """
    one, other = np.triu_indices(of_systems.shape[1], 1)
    counts = of_systems.astype(number)
    pairs = counts[:, one] * counts[:, other]
    both, of_a, of_b = ((pairs @ product.astype(number)).astype(np.float64) for product in (a * b, a * a, b * b))
    return divide(both, np.sqrt(of_a * of_b))


def _by_spearman(x: Scores, y: Scores, of_systems: Counts) -> Scores:
    """Pearson's r of mean ranks in a resample of systems, (R, N).

    A rank minus the mean rank is half the difference of the numbers of systems below and above, linear in counts.
    """
    systems, items = x.shape
    # Integers below 2²⁴, up to `FORMS_UP_TO` systems.
    counts = of_systems.astype(np.float32)
    ranks = []
    for scores in (x, y):
        signs = np.sign(scores[:, np.newaxis] - scores)
        signs = np.where(np.isnan(signs), 0.0, signs).astype(np.float32)
        ranks.append((counts @ signs.swapaxes(0, 1).reshape(systems, -1)).reshape(-1, systems, items))
    of_x, of_y = ranks
    counted_x, counted_y = (counts[:, :, np.newaxis] * ranks for ranks in (of_x, of_y))
    products = (counted_x * of_y, counted_x * of_x, counted_y * of_y)
    both, xs, ys = (product.sum(axis=1).astype(np.float64) for product in products)
    return np.clip(divide(both, np.sqrt(xs * ys)), -1.0, 1.0)


_OF_ITEMS: dict[str, Callable[[Scores, Scores, Counts], Scores]] = {
    "kendall-b": _by_kendall,
    "pearson": _by_pearson,
    "spearman": _by_spearman,
}


def _one_by_one(
    x: Scores, y: Scores, of_systems: Counts, of_items: Counts, level: str, coefficient: str, constant: float
) -> Scores:
    """Correlations (R,) of the resamples as arrays of scores."""
    systems, items = _indices(of_systems), _indices(of_items)
    if level == "system":
        of_x, of_y = (_means(scores, of_items) for scores in (x, y))
        copies = _copies(lambda power: (_power(of_systems, power) * ~np.isnan(of_x)).sum(axis=-1))
        of_x, of_y = (np.take_along_axis(_padded(means), systems, axis=1) for means in (of_x, of_y))
        return _coefficient(of_x, of_y, coefficient, copies)
    present = (~np.isnan(x)).astype(np.int64)
    # The last row and column, without scores, fill shorter resamples.
    x, y = (_padded(_padded(scores).T).T for scores in (x, y))
    if level == "item":
        copies = _copies(lambda power: _power(of_systems, power) @ present)
        of_x, of_y = (scores.T[:, systems].swapaxes(0, 1) for scores in (x[:, :-1], y[:, :-1]))
        of_each_item = _coefficient(of_x, of_y, coefficient, copies)
        return _average(_filled(of_each_item, x[:-1, :-1], of_systems, constant), of_items)
    copies = _copies(lambda power: ((_power(of_systems, power) @ present) * _power(of_items, power)).sum(axis=-1))
    cells = (systems[:, :, np.newaxis], items[:, np.newaxis])
    of_x, of_y = (scores[cells].reshape(len(systems), -1) for scores in (x, y))
    return _coefficient(of_x, of_y, coefficient, copies)


def _coefficient(x: Scores, y: Scores, coefficient: str, copies: Copies) -> Scores:
    return OF_COPIES[coefficient](x, y, copies) if coefficient in OF_COPIES else COEFFICIENTS[coefficient](x, y)


def _copies(total: Callable[[int], NDArray[np.integer]]) -> Copies:
    """Copies of entries, from sums of powers of their multiplicities."""
    return Copies((total(2) - total(1)) // 2, total(0))


def _power(counts: Counts, power: int) -> NDArray[np.int64]:
    """Powers of multiplicities, of which 0 stays 0."""
    return np.where(counts > 0, counts.astype(np.int64) ** power, 0)


def _padded(scores: Scores) -> Scores:
    """Scores with a further column of NaN."""
    return np.pad(scores, ((0, 0), (0, 1)), constant_values=np.nan)


def _means(scores: Scores, of_items: Counts) -> Scores:
    """Means of the systems over a resample of items, (R, S)."""
    present = ~np.isnan(scores)
    weights = of_items.astype(np.float64)
    means = divide(weights @ np.where(present, scores, 0.0).T, weights @ present.T.astype(np.float64))
    return round_to_grid(means, np.nanmax(np.abs(scores), initial=0.0)) if scores.shape[-1] > 1 else means


def _indices(counts: Counts) -> NDArray[np.intp]:
    """Indices, each repeated by its count, then that of a further entry: (R, L) to (R, largest sum of counts)."""
    total = counts.sum(axis=1, keepdims=True)
    filled = np.concatenate([counts, total.max(initial=0) - total], axis=1)
    numbers = np.broadcast_to(np.arange(filled.shape[1]), filled.shape)
    return np.repeat(numbers.reshape(-1), filled.reshape(-1)).reshape(len(counts), -1)
