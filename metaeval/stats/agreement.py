"""Agreement of annotators with each other.

Ratings are (..., A, U): what each of A annotators said of each of U units, as numbers or as codes of labels; NaN where
an annotator said nothing. Leading axes are carried along. Every coefficient takes `multiplicities` (..., U), how often
each unit counts, which broadcast against the leading axes: given the draws (T, U) of a bootstrap, one call computes
all replicates. What cannot be told (nothing to compare, nothing that varies) is NaN.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metaeval.errors import InputError
from metaeval.stats.intervals import defined_mean
from metaeval.stats.rank import competition_ranks
from metaeval.stats.rank_correlation import count_pairs
from metaeval.stats.ratio import divide
from metaeval.stats.resample import Draws, trials_per_block

Ratings = NDArray[np.float64]
Agreements = NDArray[np.float64]
Multiplicities = NDArray[np.floating] | NDArray[np.integer]
Level = Literal["nominal", "ordinal", "interval", "ratio"]

MEMORY = 1 << 27
"""Bytes that the replicates computed together may take, about."""


class Coefficient(Protocol):
    """Ratings (..., A, U) and how often each unit counts, (..., U), to agreement, (...) or with more axes behind."""

    def __call__(self, ratings: Ratings, /, *, multiplicities: Multiplicities | None) -> Agreements:
        """The agreement; of two annotators, where the coefficient is one of pairs."""


def krippendorff_alpha(ratings: ArrayLike, *, level: Level, multiplicities: Multiplicities | None = None) -> Agreements:
    """Krippendorff's alpha: 1 − observed / expected disagreement of ratings of the same unit (Krippendorff 2011).

    Units with fewer than two ratings count for nothing. NaN where all other ratings are equal.
    ratings: (..., A, U); for the level ratio at least 0, or `InputError`. Returns (...).

    >>> round(float(krippendorff_alpha([[1, 2, 3, 3], [1, 2, 3, np.nan], [1, 3, 3, 2]], level="ordinal")), 4)
    0.697
    """
    ratings = _as_ratings(ratings)
    if level == "ratio" and (ratings < 0).any():
        raise InputError.at(
            found=f"the rating {np.nanmin(ratings):g} for alpha of level ratio",
            expected="ratings of 0 or more",
            hint="choose the level interval",
        )
    rated = (~np.isnan(ratings)).sum(axis=-2, keepdims=True)
    values, said = _indicators(np.where(rated > 1, ratings, np.nan))
    counts = said.sum(axis=-3, dtype=np.float64)
    weights = _weights(multiplicities, ratings)
    totals = _over_units(weights, counts)
    if level in ("nominal", "ratio"):
        difference = 1 - np.eye(values.shape[-1]) if level == "nominal" else _ratio_differences(values)
        within = ((counts @ difference) * counts).sum(axis=-1)
        between = (_times(totals, difference) * totals).sum(axis=-1)
    else:
        place = np.cumsum(totals, axis=-1) - totals / 2 if level == "ordinal" else values - values[..., :1]
        within = _squared_distances(place, counts)
        between = _squared_distances(place, totals[..., np.newaxis, :])[..., 0]
    observed = np.einsum("...u,...u->...", weights, within / np.maximum(counts.sum(axis=-1) - 1, 1))
    # Of a single value, squares of its place might cancel to something that is not quite 0.
    expected = np.where((totals > 0).sum(axis=-1) > 1, between, 0.0)
    return np.asarray(1 - (totals.sum(axis=-1) - 1) * divide(observed, expected))


def fleiss_kappa(ratings: ArrayLike, *, multiplicities: Multiplicities | None = None) -> Agreements:
    """Fleiss' kappa: agreement of ratings of the same unit beyond what the frequencies of the labels make expected.

    Units may have different numbers of ratings: each unit's shares of labels then weigh alike, whatever the number, and
    its observed agreement counts where it has two ratings (Gwet 2014). With equal numbers this is Fleiss (1971).
    ratings: codes of labels, (..., A, U). Returns (...); NaN where only one label was used.

    >>> round(float(fleiss_kappa([[0, 0, 1, 1], [0, 0, 1, 0], [0, 1, 1, 1]])), 4)
    0.3333
    """
    ratings = _as_ratings(ratings)
    _, said = _indicators(ratings)
    counts = said.sum(axis=-3, dtype=np.float64)
    given = counts.sum(axis=-1)
    weights = _weights(multiplicities, ratings)
    alike = divide((counts * counts).sum(axis=-1) - given, given * (given - 1), undefined=0.0)
    observed = divide((weights * alike).sum(axis=-1), (weights * (given > 1)).sum(axis=-1))
    shares = _over_units(weights, divide(counts, given[..., np.newaxis], undefined=0.0))
    expected = divide((shares * shares).sum(axis=-1), (weights * (given > 0)).sum(axis=-1) ** 2)
    return divide(observed - expected, np.where((shares > 0).sum(axis=-1) > 1, 1 - expected, 0.0))


def cohen_kappa(
    ratings: ArrayLike,
    *,
    weights: Literal["none", "linear", "quadratic"] = "none",
    multiplicities: Multiplicities | None = None,
) -> Agreements:
    """Cohen's (1968) kappa of two annotators, on the units that both rated.

    ratings: (..., 2, U), codes of labels; the weights are the distance of two codes, or its square, so a class that
    nobody used keeps its place. Returns (...); NaN where both always say the same one label.

    >>> round(float(cohen_kappa([[0, 0, 1, 1, 2], [0, 1, 1, 1, 2]], weights="linear")), 4)
    0.7368
    """
    ratings = _as_ratings(ratings, annotators=2)
    complete = np.where(np.isnan(ratings).any(axis=-2, keepdims=True), np.nan, ratings)
    values, said = _indicators(complete)
    counted = _weights(multiplicities, ratings)
    totals = _over_units(counted[..., np.newaxis, :], said.astype(np.float64))
    apart = np.nan_to_num(np.abs(complete[..., 0, :] - complete[..., 1, :]))
    distance = np.abs(values[..., :, np.newaxis] - values[..., np.newaxis, :])
    if weights == "none":
        apart, distance = (apart > 0).astype(np.float64), 1 - np.eye(values.shape[-1])
    elif weights == "quadratic":
        apart, distance = apart**2, distance**2
    observed = np.einsum("...u,...u->...", counted, apart)
    expected = (_times(totals[..., 0, :], distance) * totals[..., 1, :]).sum(axis=-1)
    return np.asarray(1 - totals[..., 0, :].sum(axis=-1) * divide(observed, expected))


def correlation(
    ratings: ArrayLike,
    *,
    coefficient: Literal["pearson", "spearman", "kendall-b"],
    multiplicities: Multiplicities | None = None,
) -> Agreements:
    """Correlation of two annotators, on the units that both rated; NaN where one of them is constant there.

    ratings: (..., 2, U). multiplicities: for Kendall's tau whole numbers, of one sum. Returns (...).

    >>> round(float(correlation([[1, 2, 3, np.nan], [1, 3, 2, 9]], coefficient="spearman")), 4)
    0.5
    """
    ratings = _as_ratings(ratings, annotators=2)
    if coefficient == "kendall-b":
        return _tau_b(ratings if multiplicities is None else _repeated(ratings, multiplicities))
    complete = ~np.isnan(ratings).any(axis=-2, keepdims=True)
    weights = _weights(multiplicities, ratings)[..., np.newaxis, :] * complete
    if coefficient == "spearman":
        ratings = _weighted_ranks(np.where(complete, ratings, np.inf), weights)
    counted = weights > 0
    highest = np.where(counted, ratings, -np.inf).max(axis=-1, initial=-np.inf)
    lowest = np.where(counted, ratings, np.inf).min(axis=-1, initial=np.inf)
    known = np.where(complete, ratings, 0.0)
    mean = divide((weights * known).sum(axis=-1), weights.sum(axis=-1), undefined=0.0)
    deviation = known - mean[..., np.newaxis]
    squares = (weights * deviation * deviation).sum(axis=-1)
    product = (weights[..., 0, :] * deviation[..., 0, :] * deviation[..., 1, :]).sum(axis=-1)
    # Deviations of a constant may miss 0 by a rounding error, so constancy is read off the ratings.
    scale = np.where((highest > lowest).all(axis=-1), np.sqrt(squares[..., 0] * squares[..., 1]), 0.0)
    return np.clip(divide(product, scale), -1.0, 1.0)


def pairwise(
    ratings: ArrayLike, coefficient: Coefficient, *, multiplicities: Multiplicities | None = None
) -> Agreements:
    """A coefficient of two annotators for every two of them, (..., A, A), symmetric.

    coefficient: `cohen_kappa`, or `partial(correlation, coefficient="spearman")`, say.

    >>> pairwise([[0, 1, 1, 0], [0, 1, 0, 0], [1, 1, 1, 0]], cohen_kappa).round(2).tolist()
    [[1.0, 0.5, 0.5], [0.5, 1.0, 0.2], [0.5, 0.2, 1.0]]
    """
    ratings = _as_ratings(ratings)
    annotators = ratings.shape[-2]
    one, other = np.triu_indices(annotators)
    both = np.stack([ratings[..., one, :], ratings[..., other, :]], axis=-2)
    upper = coefficient(both, multiplicities=_for_each(multiplicities))
    matrix = np.empty((*upper.shape[:-1], annotators, annotators))
    matrix[..., one, other] = upper
    matrix[..., other, one] = upper
    return matrix


def mean_of_pairs(matrix: Agreements) -> Agreements:
    """Mean over the pairs of two different annotators that are defined; of Cohen's kappa, Light's (1971) kappa.

    matrix: (..., A, A), symmetric, as of `pairwise`. Returns (...).
    """
    one, other = np.triu_indices(matrix.shape[-1], k=1)
    return defined_mean(matrix[..., one, other], axis=-1)


def shared_units(ratings: ArrayLike, *, multiplicities: Multiplicities | None = None) -> Agreements:
    """How many units every two annotators both rated, (..., A, A)."""
    ratings = _as_ratings(ratings)
    rated = (~np.isnan(ratings)).astype(np.float64)
    return np.asarray((rated * _weights(multiplicities, ratings)[..., np.newaxis, :]) @ rated.swapaxes(-1, -2))


def leave_one_out(
    ratings: ArrayLike, coefficient: Coefficient, *, multiplicities: Multiplicities | None = None
) -> Agreements:
    """Each annotator against the mean of the others, (..., A); their mean is what a measure can hope for at best.

    coefficient: of two annotators. A unit counts for an annotator where another one rated it, too.

    >>> leave_one_out([[0, 1, 1, 0], [0, 1, 0, 0]], cohen_kappa).tolist()
    [0.5, 0.5]
    """
    ratings = _as_ratings(ratings)
    rated = ~np.isnan(ratings)
    others = 1 - np.eye(ratings.shape[-2])
    mean = divide(others @ np.where(rated, ratings, 0.0), others @ rated)
    return coefficient(np.stack([ratings, mean], axis=-2), multiplicities=_for_each(multiplicities))


@dataclass(frozen=True)
class Concordance:
    """Kendall's W of A annotators, each (...).

    w: corrected for ties. uncorrected: the same without that. units: rated by all annotators, those that count.
    chi_square: Friedman's, A (units − 1) w. p: of chi_square with units − 1 degrees of freedom.
    """

    w: Agreements
    uncorrected: Agreements
    chi_square: Agreements
    p: Agreements
    units: Agreements


def kendall_w(ratings: ArrayLike, *, multiplicities: Multiplicities | None = None) -> Concordance:
    """How far annotators rank the units alike, from 0 to 1 (Kendall & Babington Smith 1939), ties sharing mean ranks.

    Only units that all annotators rated count. NaN with fewer than two annotators or units, and where all annotators
    tie all units. ratings: (..., A, U).

    >>> round(float(kendall_w([[1, 2, 3, 4], [1, 3, 2, 4], [2, 1, 3, 4]]).w), 4)
    0.7778
    """
    from scipy.special import chdtrc

    ratings = _as_ratings(ratings)
    annotators = ratings.shape[-2]
    complete = ~np.isnan(ratings).any(axis=-2, keepdims=True)
    weights = _weights(multiplicities, ratings)[..., np.newaxis, :] * complete
    units = np.asarray(weights.sum(axis=(-2, -1)))
    ranks = _weighted_ranks(np.where(complete, ratings, np.inf), weights)
    deviation = np.where(complete, ranks - (units[..., np.newaxis, np.newaxis] + 1) / 2, 0.0)
    between = (weights[..., 0, :] * deviation.sum(axis=-2) ** 2).sum(axis=-1)
    within = (weights * deviation**2).sum(axis=(-2, -1))
    enough = (annotators > 1) & (within > 0)
    w = divide(between, annotators * within * enough)
    uncorrected = divide(12 * between, annotators**2 * (units**3 - units) * enough)
    chi_square = np.asarray(annotators * (units - 1) * w)
    return Concordance(w, uncorrected, chi_square, np.asarray(chdtrc(units - 1, chi_square)), units)


def kendall_w_permutation_p(ratings: ArrayLike, *, replicates: int, random: np.random.Generator) -> float:
    """p-value of Kendall's W, (k + 1) / (replicates + 1), from permuting each annotator's ranks of the units.

    For few units, where χ² is a poor guide. ratings: (A, U), without leading axes. NaN where W is.
    """
    ratings = _as_ratings(ratings)
    ratings = ratings[:, ~np.isnan(ratings).any(axis=0)]
    if np.isnan(kendall_w(ratings).w):
        return float("nan")
    # Twice the ranks are whole numbers, so no tie with what was observed is missed.
    ranks = np.rint(2 * _weighted_ranks(ratings, np.ones_like(ratings))).astype(np.int64)
    observed = np.square(ranks.sum(axis=0)).sum()
    reached, block = 0, trials_per_block(32 * ranks.size, memory=MEMORY)
    for begin in range(0, replicates, block):
        permuted = random.permuted(np.broadcast_to(ranks, (min(block, replicates - begin), *ranks.shape)), axis=-1)
        reached += int((np.square(permuted.sum(axis=1)).sum(axis=1) >= observed).sum())
    return (reached + 1) / (replicates + 1)


def bootstrap_units(ratings: ArrayLike, coefficient: Coefficient, draws: Draws, *, memory: int = MEMORY) -> Agreements:
    """A coefficient in every bootstrap sample of the units, (T, ...), as many at once as the memory allows.

    draws: (T, U), of `stats.resample.draw_bootstrap` with the multiplicity 1 for each unit.
    coefficient: any of this module, its parameters bound by `functools.partial`.
    There is no such thing for annotators: whoever is drawn twice agrees with themselves.

    >>> draws = np.array([[1, 1, 1], [0, 2, 1]])
    >>> bootstrap_units([[1, 1, 2], [1, 2, 2]], fleiss_kappa, draws).round(4).tolist()
    [0.3333, -0.5]
    """
    ratings = _as_ratings(ratings)
    *leading, annotators, units = ratings.shape
    block = trials_per_block(64 * ratings.size * max(annotators, 1), memory=memory)
    aligned = draws.reshape(len(draws), *(1 for _ in leading), units)
    blocks = range(0, max(len(draws), 1), block)
    return np.concatenate([coefficient(ratings, multiplicities=aligned[begin : begin + block]) for begin in blocks])


def _as_ratings(ratings: ArrayLike, *, annotators: int | None = None) -> Ratings:
    array = np.asarray(ratings, dtype=np.float64)
    if array.ndim < 2 or annotators not in (None, array.shape[-2]) or np.isinf(array).any():
        raise ValueError(f"not finite ratings (..., {annotators or 'annotators'}, units): shape {array.shape}")
    return array


def _weights(multiplicities: Multiplicities | None, ratings: Ratings) -> NDArray[np.float64]:
    """How often each unit counts, (..., U), whatever its ratings."""
    return np.ones(ratings.shape[-1]) if multiplicities is None else np.asarray(multiplicities, dtype=np.float64)


def _for_each(multiplicities: Multiplicities | None) -> Multiplicities | None:
    """The same for each pair of annotators, or each annotator, that stand on an axis of their own."""
    return None if multiplicities is None else multiplicities[..., np.newaxis, :]


def _indicators(ratings: Ratings) -> tuple[Ratings, NDArray[np.bool_]]:
    """The distinct values, (..., V), in order, and who said which of them of which unit, (..., A, U, V).

    Where some have fewer values than others, the surplus repeats some number and was never said.
    """
    pooled = ratings.reshape(*ratings.shape[:-2], -1)
    order = np.argsort(pooled, axis=-1)
    # NaN sorts last, and takes the number of the value before it.
    ordered = np.nan_to_num(np.fmax.accumulate(np.take_along_axis(pooled, order, axis=-1), axis=-1))
    number = np.zeros(ordered.shape, dtype=np.intp)
    np.cumsum(ordered[..., 1:] != ordered[..., :-1], axis=-1, out=number[..., 1:])
    codes = np.empty_like(number)
    np.put_along_axis(codes, order, number, axis=-1)
    distinct = int(number.max(initial=0)) + 1
    values = np.zeros((*pooled.shape[:-1], distinct))
    np.put_along_axis(values, number, ordered, axis=-1)
    said = codes.reshape(ratings.shape)[..., np.newaxis] == np.arange(distinct)
    return values, said & ~np.isnan(ratings)[..., np.newaxis]


def _ratio_differences(values: Ratings) -> NDArray[np.float64]:
    """((v − w) / (v + w))², (..., V, V); 0 for twice 0."""
    one, other = values[..., :, np.newaxis], values[..., np.newaxis, :]
    return np.square(divide(one - other, one + other, undefined=0.0))


def _squared_distances(place: NDArray[np.float64], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Σ counts_v counts_w (place_v − place_w)² over v and w for each unit, (..., U).

    place: (..., V). counts: (..., U, V).
    """
    by_value = counts.swapaxes(-1, -2)
    total, squares = _times(place, by_value), _times(place**2, by_value)
    return np.asarray(2 * (counts.sum(axis=-1) * squares - total**2))


def _times(vector: NDArray[np.float64], matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Products (..., K) of (..., N) and (..., N, K), the leading axes broadcast."""
    if matrix.ndim == 2:
        return np.asarray(vector @ matrix)
    return np.asarray((vector[..., np.newaxis, :] @ matrix)[..., 0, :])


def _over_units(weights: NDArray[np.float64], table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weighted sums over the units, (..., K) of (..., U) and (..., U, K): one product where the table is shared."""
    shared = table.ndim - 2
    if any(length > 1 for length in weights.shape[:-1][-shared:] if shared):
        return _times(weights, table)
    weights = weights.reshape(*weights.shape[: max(weights.ndim - 1 - shared, 0)], weights.shape[-1])
    return np.asarray(np.tensordot(weights, table, axes=(-1, -2)))


def _weighted_ranks(values: Ratings, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean ranks (..., U), the lowest first, when each value occurs as often as its weight says; no NaN."""
    shape = np.broadcast_shapes(values.shape, weights.shape)
    order = np.broadcast_to(np.argsort(values, axis=-1), shape)
    below = np.broadcast_to(competition_ranks(-values) - 1, shape)
    through = np.broadcast_to(values.shape[-1] + 1 - competition_ranks(values), shape)
    reached = np.zeros((*shape[:-1], shape[-1] + 1))
    np.cumsum(np.take_along_axis(np.broadcast_to(weights, shape), order, axis=-1), axis=-1, out=reached[..., 1:])
    before, after = (np.take_along_axis(reached, place, axis=-1) for place in (below, through))
    return np.asarray((before + after + 1) / 2)


def _tau_b(ratings: Ratings) -> Agreements:
    """Kendall's tau-b of (..., 2, U) on complete units.

    Incomplete units go below all others in both rankings: each is then in concordance with each complete one, and tied
    with its like, which is easily taken off.
    """
    if not ratings.shape[-1]:
        return np.full(ratings.shape[:-2], np.nan)
    incomplete = np.isnan(ratings).any(axis=-2, keepdims=True)
    known = np.where(incomplete, np.nan, ratings)
    pairs = count_pairs(known[..., 0, :], known[..., 1, :])
    missing = incomplete.sum(axis=(-2, -1))
    mixed = missing * (ratings.shape[-1] - missing)
    untied_x, untied_y = ((pairs.pairs - mixed - tied).astype(np.float64) for tied in (pairs.tied_x, pairs.tied_y))
    return divide(pairs.concordant - mixed - pairs.discordant, np.sqrt(untied_x * untied_y))


def _repeated(ratings: Ratings, multiplicities: Multiplicities) -> Ratings:
    """Each unit as often as it counts, (..., A, N) for N units in all."""
    times = np.asarray(multiplicities, dtype=np.intp).reshape(-1, multiplicities.shape[-1])
    rows, units = times.shape
    repeated = np.repeat(np.tile(np.arange(units), rows), times.reshape(-1))
    index = repeated.reshape(*multiplicities.shape[:-1], 1, int(times[0].sum()) if rows else 0)
    leading = np.broadcast_shapes(ratings.shape[:-2], multiplicities.shape[:-1])
    everywhere = np.broadcast_to(ratings, (*leading, *ratings.shape[-2:]))
    return np.take_along_axis(everywhere, np.broadcast_to(index, (*leading, *index.shape[-2:])), axis=-1)
