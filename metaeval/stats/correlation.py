"""Correlations of measures with human scores at every level, with intervals.

`metric` (M, S, N) are scores of M measures, and `human` (H, S, N) H sets of human scores, of the same S systems and N
items, higher better, NaN where missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metaeval.grid import round_to_grid
from metaeval.inference.clusters import effective_number
from metaeval.stats.association import COEFFICIENTS, OF_COPIES, AtLevel, Copies, at_level, level_vectors, mean_scores
from metaeval.stats.intervals import LEVEL, defined_deviation, expanded_level, percentile_interval
from metaeval.stats.ratio import divide
from metaeval.stats.resample import block_seeds, draw_bootstrap, generator, seed_for

Scores = NDArray[np.float64]
Counts = NDArray[np.integer]
Codes = NDArray[np.intp]

RESAMPLES = 10_000

RESAMPLES_A_BLOCK = 512
"""Number of resamples per seed."""

FORMS_UP_TO = 64
"""Number of systems above which resamples are correlated one by one instead of by sums over pairs of systems."""

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
    fixed = level == "system" and bool((of_items == 1).all())
    of_items = of_items[:, :1] if fixed else of_items
    for one, other in np.ndindex(values.shape[1:]):
        x, y = metric[one], human[other]
        missing = np.isnan(x) | np.isnan(y)
        x, y = np.where(missing, np.nan, x), np.where(missing, np.nan, y)
        x, y = (mean_scores(scores)[:, np.newaxis] for scores in (x, y)) if fixed else (x, y)
        forms = level == "item" and coefficient in _OF_ITEMS and len(x) <= FORMS_UP_TO
        of_counts = _OF_ITEMS[coefficient](x, y) if forms else None
        together = max(1, CELLS_TOGETHER // max(1, x.size))
        for begin in range(0, len(values), together):
            part = slice(begin, begin + together)
            if of_counts is not None:
                of_each_item = _filled(of_counts(of_systems[part]), x, of_systems[part], constant)
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


OfCounts: TypeAlias = Callable[[Counts], Scores]
"""From the multiplicities of systems in resamples, (R, S), to the coefficients of items, (R, N)."""


def _by_kendall(x: Scores, y: Scores) -> OfCounts:
    # The counts are integers below 2²⁴.
    return _by_pairs(np.sign(_of_pairs(x)), np.sign(_of_pairs(y)), np.float32)


def _by_pearson(x: Scores, y: Scores) -> OfCounts:
    of_counts = _by_pairs(_of_pairs(x), _of_pairs(y), np.float64)
    return lambda of_systems: np.clip(of_counts(of_systems), -1.0, 1.0)


def _of_pairs(scores: Scores) -> Scores:
    """Differences of all pairs of systems, (S, N) to (P, N); 0 where a score is missing."""
    one, other = np.triu_indices(len(scores), 1)
    difference = scores[one] - scores[other]
    return np.where(np.isnan(difference), 0.0, difference)


def _by_pairs(a: Scores, b: Scores, number: type[np.floating]) -> OfCounts:
    """Daniels' (1944) coefficient Σ ab / √(Σ a² Σ b²) over the pairs of systems of a resample.

    a, b: (P, N), signs of differences for Kendall's tau-b, or differences for Pearson's r. The multiplicity of a pair
    is the product of those of its systems; copies of one system add 0.
    """
    products = [product.astype(number) for product in (a * b, a * a, b * b)]

    def of_counts(of_systems: Counts) -> Scores:
        one, other = np.triu_indices(of_systems.shape[1], 1)
        counts = of_systems.astype(number)
        pairs = counts[:, one] * counts[:, other]
        both, of_a, of_b = ((pairs @ product).astype(np.float64) for product in products)
        return divide(both, np.sqrt(of_a * of_b))

    return of_counts


def _by_spearman(x: Scores, y: Scores) -> OfCounts:
    """Pearson's r of mean ranks in a resample of systems.

    A rank minus the mean rank is half the difference of the numbers of systems below and above, linear in counts.
    """
    systems, items = x.shape
    signs = [np.nan_to_num(np.sign(scores[:, np.newaxis] - scores)).astype(np.float32) for scores in (x, y)]
    signs = [each.swapaxes(0, 1).reshape(systems, -1) for each in signs]

    def of_counts(of_systems: Counts) -> Scores:
        # Integers below 2²⁴, up to `FORMS_UP_TO` systems.
        counts = of_systems.astype(np.float32)
        of_x, of_y = ((counts @ each).reshape(-1, systems, items) for each in signs)
        products = (of_x * of_y, of_x * of_x, of_y * of_y)
        both, xs, ys = ((counts[:, np.newaxis] @ each)[:, 0].astype(np.float64) for each in products)
        return np.clip(divide(both, np.sqrt(xs * ys)), -1.0, 1.0)

    return of_counts


_OF_ITEMS: dict[str, Callable[[Scores, Scores], OfCounts]] = {
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
        of_x, of_y = (resampled_means(scores, of_items) for scores in (x, y))
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


def resampled_means(scores: Scores, of_items: Counts) -> Scores:
    """Means of the systems over resamples of items, (R, S).

    Parameters
    ----------
    scores : array (S, N)
        NaN where missing.
    of_items : array (R, N)
        Multiplicities of the items.
    """
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
