"""Inter-annotator agreement.

Ratings (..., A, U) are those of U units by A annotators, as numbers or codes of labels, NaN where missing. A
coefficient is NaN if no ratings can be compared or none vary.

Coefficients of pairs of annotators are computed for all at once: the units of a pair are in rows. What leaving out a
group changes is a sum over the rows of its units, so that replicates need no second pass, and a pair costs nothing for
the units and groups that it does not share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from metaeval.arrays import Bools, Floats, Indices
from metaeval.errors import invalid, refuse
from metaeval.grid import in_units, round_to_grid
from metaeval.stats._arrays import as_ratings
from metaeval.stats.leave_out import (
    LeftOut,
    Level,
    PairRows,
    Weights,
    alpha_without,
    fleiss_without,
    gwet_without,
    loss_with_ties,
)
from metaeval.stats.ratio import divide


def krippendorff_alpha(ratings: ArrayLike, *, level: Level) -> Floats:
    """Krippendorff's alpha: 1 − observed / expected disagreement of ratings of the same unit (Krippendorff 2011).

    Units with fewer than two ratings are left out.

    Parameters
    ----------
    ratings : array_like (..., A, U)
        Ratings, NaN where missing; at least 0 for level ratio.
    level
        Level of measurement, which defines the distance between ratings.

    Returns
    -------
    array (...)
        At most 1; 0 is the agreement expected by chance, NaN if all ratings are equal.

    Raises
    ------
    InputError
        For a negative rating with level ratio.

    Examples
    --------
    >>> round(float(krippendorff_alpha([[1, 2, 3, 3], [1, 2, 3, np.nan], [1, 3, 3, 2]], level="ordinal")), 4)
    0.697
    """
    ratings = as_ratings(ratings)
    if level == "ratio":
        check_ratio(ratings)
    return _compute_on_all_units(partial(alpha_without, level=level), ratings)


def _compute_on_all_units(without: Callable[[Floats, Indices, int], Floats], ratings: Floats) -> Floats:
    """A coefficient of ratings (..., A, U), (...), from the function for those without each group of units."""
    none = np.full(ratings.shape[-1], -1)
    values = [without(ratings[index], none, 1)[0] for index in np.ndindex(ratings.shape[:-2])]
    return np.array(values, dtype=np.float64).reshape(ratings.shape[:-2])


def check_ratio(ratings: Floats) -> None:
    """Raise an `InputError` for ratings that have no ratio: negative ones."""
    if (ratings < 0).any():
        rating, where = f"{np.nanmin(ratings):g}", " for alpha of level ratio"
        raise refuse(None, invalid("rating", rating, "ratings of 0 or more", where, "use level interval"))


def fleiss_kappa(ratings: ArrayLike) -> Floats:
    """Fleiss' (1971) kappa: agreement beyond that expected from the label frequencies.

    Units may differ in their numbers of ratings (Gwet 2014): all units have the same weight in the label frequencies,
    and units with at least two ratings count for the observed agreement.

    Parameters
    ----------
    ratings : array_like (..., A, U)
        Codes of labels, NaN where missing.

    Returns
    -------
    array (...)
        At most 1; NaN if only one label occurs.

    Examples
    --------
    >>> round(float(fleiss_kappa([[0, 0, 1, 1], [0, 0, 1, 0], [0, 1, 1, 1]])), 4)
    0.3333
    """
    return _compute_on_all_units(fleiss_without, as_ratings(ratings))


def gwet_ac(ratings: ArrayLike, *, weights: Weights = "none", values: ArrayLike | None = None) -> float:
    """Gwet's AC1 (weights none) or AC2: agreement beyond what raters who guess where they are unsure reach (Gwet 2008).

    It stays high where nearly all ratings are one of the labels, unlike kappa.

    Parameters
    ----------
    ratings : array_like (A, U)
        Codes of labels or numbers, NaN where missing.
    weights
        Credit of different ratings: none, or less the farther they are from each other.
    values : array_like, optional
        All values that ratings can have; by default those that occur.

    Returns
    -------
    float
        At most 1; NaN for a single value.

    References
    ----------
    Gwet (2008), and for weights and missing ratings Gwet (2014).

    Examples
    --------
    >>> round(gwet_ac([[0, 0, 1, 1], [0, 0, 1, 0]]), 4)
    0.5294
    """
    ratings = as_ratings(ratings)
    categories = np.unique(ratings[~np.isnan(ratings)]) if values is None else np.asarray(values, dtype=np.float64)
    return float(_compute_on_all_units(partial(gwet_without, weights=weights, values=categories), ratings))


CELLS = 1 << 15
"""Number of units of the pairs that are computed together, or of units × groups of a part of one pair: they stay in the
cache of a processor."""

_MAX_DISTANCES = 1 << 24
"""Number of pairs of values from which their distances are not stored."""

_CANCELLED = 1e-4
"""Share of a sum below which what is left of it without a group is summed again, since subtraction loses its digits."""


@dataclass(frozen=True, eq=False)
class PairCoefficients:
    """A coefficient of K pairs.

    Attributes
    ----------
    values
        Its values, (K,); NaN where undefined.
    without
        Mean over the pairs with a value if the units of each group are left out, (G,); NaN if one of them has none.
    """

    values: Floats
    without: Floats


def pair_coefficients(
    ratings: ArrayLike, names: Sequence[str], groups: Indices | None = None
) -> dict[str, PairCoefficients]:
    """Coefficients of all pairs of annotators on the units that both rated, and their jackknife over groups of units.

    Parameters
    ----------
    ratings : array_like (A, U)
        Ratings, NaN where missing.
    names
        Those of the coefficients: `pearson`, `spearman`, `kendall-b`, or `none`, `linear` and `quadratic` for Cohen's
        kappa with these weights.
    groups : array (U,), optional
        Group of each unit, all numbers from 0 on; every unit is one by default.

    Returns
    -------
    dict
        The coefficients by name, for the pairs in the order of `numpy.triu_indices`.

    Examples
    --------
    >>> kappa = pair_coefficients([[0, 1, 1, 0], [0, 1, 0, 0], [1, 1, 1, 0]], ["none"])["none"]
    >>> kappa.values.round(2).tolist(), kappa.without.round(2).tolist()
    ([0.5, 0.5, 0.2], [0.6, 0.13, 0.6, 0.13])
    """
    ratings = in_units(as_ratings(ratings), axis=None)
    one, other = np.triu_indices(len(ratings), 1)
    present = (~np.isnan(ratings)).astype(np.float32)
    unit_counts = np.rint(present @ present.T).astype(np.intp)[one, other]
    return _coefficients((ratings, ratings), (one, other), unit_counts, names, groups)


def coefficients_with_others(
    ratings: ArrayLike, names: Sequence[str], groups: Indices | None = None
) -> dict[str, PairCoefficients]:
    """Coefficients of each annotator with the mean of the others, whose average is an upper bound for measures."""
    ratings = in_units(as_ratings(ratings), axis=None)
    if len(ratings) == 2:
        pair = pair_coefficients(ratings, names, groups)
        return {name: PairCoefficients(np.repeat(result.values, 2), result.without) for name, result in pair.items()}
    present = ~np.isnan(ratings)
    others = 1 - np.eye(len(ratings))
    mean = divide(others @ np.where(present, ratings, 0.0), others @ present)
    mean = round_to_grid(mean, np.nanmax(np.abs(ratings), initial=0.0))
    rows = np.arange(len(ratings))
    return _coefficients((ratings, mean), (rows, rows), (present & ~np.isnan(mean)).sum(axis=1), names, groups)


def _coefficients(
    ratings: tuple[Floats, Floats],
    rows: tuple[Indices, Indices],
    unit_counts: Indices,
    names: Sequence[str],
    groups: Indices | None,
) -> dict[str, PairCoefficients]:
    """Coefficients of pairs whose ratings are the rows at `rows`; unit_counts: number of units of each pair, (K,)."""
    units = ratings[0].shape[1]
    groups = np.arange(units) if groups is None else groups
    order = np.argsort(groups, kind="stable")
    groups = groups[order]
    first = ratings[0][:, order]
    second = first if ratings[1] is ratings[0] else ratings[1][:, order]
    present = ~np.isnan(first), ~np.isnan(second)
    values = {name: np.full(len(unit_counts), np.nan) for name in names}
    change = {name: np.zeros(int(groups.max(initial=-1)) + 1) for name in names}
    for pairs in _together(unit_counts, units):
        one, other = (index[pairs] for index in rows)
        pair = np.repeat(np.arange(len(pairs)), unit_counts[pairs])
        unit = np.flatnonzero(present[0][one] & present[1][other]) - pair * units
        block = PairRows(first[one[pair], unit], second[other[pair], unit], pair, groups[unit], CELLS)
        for name in names:
            values[name][pairs], without = COEFFICIENTS[name](block)
            differences = without - values[name][pairs][block.owner]
            differences = np.where(np.isnan(values[name][pairs][block.owner]), 0.0, differences)
            change[name] += np.bincount(block.group[block.starts], weights=differences, minlength=len(change[name]))
    defined = {name: every[~np.isnan(every)] for name, every in values.items()}
    means = {name: divide(defined[name].sum() + change[name], len(defined[name])) for name in names}
    return {name: PairCoefficients(values[name], means[name]) for name in names}


def _together(unit_counts: Indices, units: int) -> Iterator[Indices]:
    """Pairs that share units, (K,), in blocks; those of a block share similar numbers of them."""
    order = np.argsort(-unit_counts, kind="stable")[: int((unit_counts > 0).sum())]
    begin = 0
    while begin < len(order):
        end = begin + max(1, CELLS // max(int(unit_counts[order[begin]]), units // 8))
        yield order[begin:end]
        begin = end


def _pearson(block: PairRows) -> tuple[Floats, Floats]:
    """From sums of deviations from the means of each pair, less those of the units of a group."""
    x, y = (_deviations(ratings, block.pair) for ratings in (block.x, block.y))
    segment_sums = block.sums(np.stack([np.ones_like(x), x, y, x * x, y * y, x * y]))
    total = block.totals(segment_sums)[:, block.owner]
    number, sum_x, sum_y, squares_x, squares_y, both = total - segment_sums
    share = divide(1.0, number, undefined=0.0)
    spread_x, spread_y = squares_x - sum_x**2 * share, squares_y - sum_y**2 * share
    cancelled = (spread_x < _CANCELLED * total[3]) | (spread_y < _CANCELLED * total[4])
    without = _ratio(both - sum_x * sum_y * share, np.maximum(spread_x * spread_y, 0.0))
    return _product_moment(block.x, block.y, block.pair), _summed_again(block, without, cancelled, _product_moment)


def _deviations(ratings: Floats, pair: Indices) -> Floats:
    """Deviations of ratings (I,) from the mean of their pair, from −1 to 1; exactly 0 where all are equal."""
    first = np.flatnonzero(np.diff(pair, prepend=-1))
    ratings = ratings - ratings[first][pair]
    ratings -= (np.bincount(pair, weights=ratings) / np.bincount(pair))[pair]
    exponent = np.frexp(np.maximum.reduceat(np.abs(ratings), first))[1] if len(first) else first
    return np.ldexp(ratings, -exponent[pair])


def _product_moment(x: Floats, y: Floats, pair: Indices) -> Floats:
    """Pearson's r of each pair, (K,), of ratings (I,)."""
    x, y = _deviations(x, pair), _deviations(y, pair)
    sums = [np.bincount(pair, weights=products) for products in (x * y, x * x, y * y)]
    both, squares_x, squares_y = np.array(sums, dtype=np.float64)
    return _ratio(both, squares_x * squares_y)


def _summed_again(
    block: PairRows, without: Floats, cancelled: Bools, coefficient: Callable[[Floats, Floats, Indices], Floats]
) -> Floats:
    """Replicates (R,) without each segment; those whose sums have cancelled are computed from the remaining units."""
    remaining = block.sizes[block.owner] - block.sums(np.ones(len(block.x)))
    without = np.where(cancelled, np.nan, without)
    segments = np.flatnonzero(cancelled & (remaining > 0))
    if len(segments):
        rows, number = block.without(segments)
        without[segments] = coefficient(block.x[rows], block.y[rows], number)
    return without


def _ratio(both: Floats, squares: Floats) -> Floats:
    return np.clip(divide(both, np.sqrt(squares)), -1.0, 1.0)


def _spearman(block: PairRows) -> tuple[Floats, Floats]:
    """Of ranks minus their mean, doubled: a sum of signs, less those of the units of a group. All sums are exact."""
    x, y = block.orders
    both = block.sums(x.ranks * y.ranks)
    # If a row is left out, each rank loses a sign; the ranks of the group itself are those that remain of it.
    loss = block.sums(x.sums(y.ranks) + y.sums(x.ranks))
    within, crossed = both, np.asarray(block.concordances, dtype=np.float64)
    if block.inside is not None:
        within = block.sums(
            np.prod([one.ranks - other.ranks for one, other in zip(block.orders, block.inside, strict=True)], axis=0)
        )
        crossed = _products_of_lost_signs(block)
    total, owner = block.totals(both), block.owner
    number = block.sizes[owner] - block.sums(np.ones_like(x.ranks))
    squares = []
    for side in (0, 1):
        ties, inside = block.orders[side].ties, 1 if block.inside is None else block.inside[side].ties
        tied = block.totals(block.sums(ties**2 - 1))
        change = block.sums(loss_with_ties(ties, inside))
        squares.append(((block.sizes**3 - block.sizes - tied) / 3, (number**3 - number - tied[owner] + change) / 3))
    (squares_x, without_x), (squares_y, without_y) = squares
    return _ratio(total, squares_x * squares_y), _ratio(total[owner] + loss + crossed - within, without_x * without_y)


def _products_of_lost_signs(block: PairRows) -> Floats:
    """For each segment, the sum over all rows of its pair of the product of what it takes from both ranks, (R,)."""
    x, y = block.orders
    first, y_positions = x.first[block.starts], (y.low - y.first)[x.order]
    left_x, left_y = (LeftOut(order, block.segment, len(block.starts)) for order in (x, y))
    products = np.empty(len(block.starts))
    for segments in block.portions():
        lengths = block.sizes[block.owner[segments]]
        signs, runs = left_x.signs(segments.start, segments.stop, lengths)
        table = np.repeat(*left_y.signs(segments.start, segments.stop, lengths))
        begin, rows = np.cumsum(lengths) - lengths, slice(first[segments.start], first[segments.start] + len(table))
        if len(lengths) > 1:
            rows = np.arange(len(table)) + np.repeat(first[segments] - begin, lengths)
        in_order = table[y_positions[rows] + (np.repeat(begin, lengths) if len(lengths) > 1 else 0)]
        starts, occurs = np.cumsum(runs) - runs, runs > 0
        sums = np.add.reduceat(in_order, starts[occurs], dtype=np.intp) * signs[occurs]
        segment = np.searchsorted(begin, starts[occurs], side="right") - 1
        products[segments] = np.bincount(segment, weights=sums, minlength=len(lengths))
    return products


def _kendall(block: PairRows) -> tuple[Floats, Floats]:
    """Tau-b from the pairs of units that both order alike, less those ordered differently, and from untied pairs."""
    x, y = block.orders
    all_rows = np.stack([block.concordances, x.size - x.ties, y.size - y.ties])
    segment_sums = block.sums(all_rows)
    total = block.totals(segment_sums)
    # Pairs with one unit in the group are counted from both units.
    remaining = total[:, block.owner] - 2 * segment_sums
    if block.inside is not None:
        x, y = block.inside
        remaining += block.sums(np.stack([x.concordances(y), x.size - x.ties, y.size - y.ties]))
    value, without = (_ratio(both, np.multiply(*untied, dtype=np.float64)) for both, *untied in (total, remaining))
    return value, without


def _cohen(block: PairRows, *, weights: str) -> tuple[Floats, Floats]:
    """1 − observed / expected disagreement; expected is a product of how often each annotator gave each value."""
    values = len(block.values[0])
    few = values <= max(block.sizes) and values**2 <= _MAX_DISTANCES
    sums_x, sums_y, within = (_distances_of_values if few else _distances_of_units)(block, weights)
    observed, by_x, by_y = block.sums(np.stack([_distance(block.x, block.y, weights), sums_x, sums_y]))
    total, expected = block.totals(np.stack([observed, by_x]))
    number = block.sizes[block.owner] - block.sums(np.ones(len(block.x)))
    remaining = np.maximum(expected[block.owner] - by_x - by_y + within, 0.0)
    left = np.maximum(total[block.owner] - observed, 0.0)
    without = _summed_again(
        block,
        1 - number * divide(left, remaining),
        remaining < _CANCELLED * expected[block.owner],
        partial(_kappa, weights=weights),
    )
    return 1 - block.sizes * divide(total, expected), without


def _kappa(x: Floats, y: Floats, pair: Indices, *, weights: str) -> Floats:
    """Cohen's kappa of each pair, (K,), of ratings (I,)."""
    distances = (_distance(x, y, weights), _sums_of_distances(x, y, pair, weights))
    observed, expected = (np.bincount(pair, weights=distance) for distance in distances)
    return 1 - np.bincount(pair) * divide(observed, expected)


def _distance(one: Floats, other: Floats, weights: str) -> Floats:
    """The disagreement of ratings, which broadcast; 0 where one is missing."""
    if weights == "none":
        return np.asarray((one != other) & ~np.isnan(other), dtype=np.float64)
    distance = np.nan_to_num(np.abs(one - other))
    return distance**2 if weights == "quadratic" else distance


def _distances_of_units(block: PairRows, weights: str) -> tuple[Floats, Floats, Floats]:
    """Sums of distances between all units of a pair: of each x from all y, of each y from all x, and in segments.

    Costs the sorting of the units, however many values there are.
    """
    sums_x = _sums_of_distances(block.x, block.y, block.pair, weights)
    sums_y = _sums_of_distances(block.y, block.x, block.pair, weights)
    if len(block.starts) == len(block.x):
        return sums_x, sums_y, _distance(block.x, block.y, weights)
    return sums_x, sums_y, np.add.reduceat(_sums_of_distances(block.x, block.y, block.segment, weights), block.starts)


def _sums_of_distances(one: Floats, other: Floats, stratum: Indices, weights: str) -> Floats:
    """The distances of each rating from all others of its stratum, summed, (I,); stratum: ascending from 0, (I,)."""
    values, codes = np.unique(np.concatenate([one, other]), return_inverse=True)
    keys = stratum * len(values) + codes.reshape(2, -1)
    order = np.argsort(keys[1], kind="stable")
    below, upto = (np.searchsorted(keys[1][order], keys[0], side=side) for side in ("left", "right"))
    sizes = np.bincount(stratum)
    end = np.cumsum(sizes)[stratum]
    start = end - sizes[stratum]
    if weights == "none":
        return np.asarray(sizes[stratum] - (upto - below), dtype=np.float64)
    # Less one rating of the stratum, so that nearly equal ratings keep their digits in sums.
    one, other = one - other[start], other - other[start]
    if weights == "linear":
        # Equal ratings are left out, so that the sum is exactly 0 where all are equal.
        sums = np.concatenate([[0.0], np.cumsum(other[order])])
        lower = one * (below - start) - (sums[below] - sums[start])
        return np.asarray(lower + (sums[end] - sums[upto]) - one * (end - upto))
    means = np.bincount(stratum, other) / sizes
    spread = np.bincount(stratum, (other - means[stratum]) ** 2)[stratum]
    equal = (below == start) & (upto == end)
    return np.asarray(np.where(equal, 0.0, spread + sizes[stratum] * (one - means[stratum]) ** 2))


def _distances_of_values(block: PairRows, weights: str) -> tuple[Floats, Floats, Floats]:
    """The same from counts of values, where there are few."""
    values, (x, y) = block.values
    distance = _distance(values[:, np.newaxis], values, weights)

    def counts(codes: Indices, stratum: Indices, number: int) -> Floats:
        cells = np.bincount(stratum * len(values) + codes, minlength=number * len(values))
        return cells.reshape(number, len(values)).astype(np.float64)

    x_distances, y_distances = (counts(codes, block.pair, len(block.sizes)) @ distance for codes in (x, y))
    within, number = distance[x, y], len(block.starts)
    if number < len(x):
        x_counts, y_counts = (counts(codes, block.segment, number) for codes in (x, y))
        within = np.einsum("rv,rv->r", x_counts @ distance, y_counts)
    return y_distances[block.pair, x], x_distances[block.pair, y], within


COEFFICIENTS: dict[str, Callable[[PairRows], tuple[Floats, Floats]]] = {
    "pearson": _pearson,
    "spearman": _spearman,
    "kendall-b": _kendall,
    **{weights: partial(_cohen, weights=weights) for weights in ("none", "linear", "quadratic")},
}
