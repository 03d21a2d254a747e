"""Tests of the difference of two correlations with the same human scores: Williams' test and permutation tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from metaeval.arrays import Indices, Scores
from metaeval.grid import in_units
from metaeval.stats._arrays import deviations
from metaeval.stats._swap_forms import Signs, Swapped
from metaeval.stats._swaps import (
    Group,
    Part,
    differences_after,
    differences_of_means,
    differences_of_vectors,
    vectors_at,
)
from metaeval.stats.association import at_level
from metaeval.stats.effects import NEGLIGIBLE, Effects, errors_of
from metaeval.stats.ratio import divide
from metaeval.stats.resample import Blocks, generator, seed_for, trials_per_block
from metaeval.steps import steps

RESAMPLES = 9_999

SWAPS = ("both", "systems", "items")
"""Units of random swaps: cells; systems; items."""

WHOLE_VECTORS = (("item", "items"), ("by-system", "systems"))
"""Levels and swaps that swap each vector whole."""

BLOCK_MEMORY = 1 << 25

ROUNDED = 1e-12
"""Differences up to which only rounding errors are different."""


@dataclass(frozen=True)
class DifferenceTest:
    """Two-sided tests of the differences of correlations with human scores; every attribute is (...).

    Attributes
    ----------
    difference
        Correlation of the first measure minus that of the second.
    p
        p-value; of permutations, (k + 1) / (n + 1) with n the number of resamples with a defined difference.
    p_adjusted
        The p-value adjusted for all pairs of measures, which are one family.
    resamples
        Number of resamples; 0 for a test without any.
    sample
        Differences after the swaps, (R, P), for the pairs of `numpy.triu_indices(M, 1)`; None for a test without swaps.
    """

    difference: Scores
    p: Scores
    p_adjusted: Scores
    resamples: int
    sample: Scores | None = None


def williams(r_xz: ArrayLike, r_yz: ArrayLike, r_xy: ArrayLike, n: ArrayLike) -> Scores:
    """Two-sided p-values of Williams' (1959) test that x and y have the same correlation with z.

    It is defined for Pearson's r. Unlike in nlpstats, correlations keep their signs. p is 1 for equal correlations.

    Parameters
    ----------
    r_xz, r_yz, r_xy : array_like
        Correlations, from −1 to 1, which broadcast with n.
    n : array_like
        Number of observations; results are NaN up to 3.

    Examples
    --------
    >>> round(float(williams(0.9, 0.6, 0.5, 20)), 4)
    0.0136
    """
    from scipy.special import stdtr

    x, y, between, number = np.broadcast_arrays(*(np.asarray(r, dtype=np.float64) for r in (r_xz, r_yz, r_xy, n)))
    freedom = np.where(number > 3, number - 3, np.nan)
    determinant = 1 - x**2 - y**2 - between**2 + 2 * x * y * between
    variance = 2 * (number - 1) / freedom * determinant + ((x + y) / 2) ** 2 * (1 - between) ** 3
    # Only rounding errors make the determinant of a correlation matrix negative.
    root = np.sqrt(np.maximum(variance, 0.0))
    t = divide(np.abs(x - y) * np.sqrt((number - 1) * (1 + between)), root, undefined=np.inf)
    return np.asarray(2 * stdtr(freedom, -np.where(x == y, 0.0, t)))


def swap_tests(
    metric: Scores,
    human: Scores,
    *,
    coefficients: Sequence[str],
    level: str = "item",
    constant: float = np.nan,
    swap: str = "both",
    clusters: Indices | None = None,
    resamples: int = RESAMPLES,
    seed: int = 20201,
) -> dict[str, DifferenceTest]:
    """PERM-BOTH, PERM-SYSTEMS and PERM-INPUTS of Deutsch, Dror & Roth (2021) for all pairs of measures.

    Both measures are standardised over the cells that they share with the human scores; then their scores are swapped
    at random, for each cell (`both`), system or item. All pairs of measures, and all coefficients, share the swaps.

    Differences after swaps are exact, except those of rank correlations with ties where cells or items of more than 300
    items or clusters are swapped: what they neglect there is below a hundredth of their standard deviation.

    Parameters
    ----------
    metric : array (M, S, N)
        Scores of systems on items by each measure, higher better, NaN where missing.
    human : array (S, N)
        Human scores, higher better, NaN where missing.
    coefficients
        Names of `association.COEFFICIENTS`.
    level, constant
        As in `association.at_level`.
    swap
        Unit of the swaps, one of `SWAPS`.
    clusters : array (N,), optional
        Codes of clusters of items, which swap whole; each item is one by default.
    resamples
        Number of random swaps.
    seed
        Random seed.

    Returns
    -------
    dict of str to DifferenceTest
        The tests by coefficient. Attributes (M, M), with the first measure in rows; on the diagonal, the difference is
        0 and p is 1.
    """
    pairs = len(metric) * (len(metric) - 1) // 2
    together = trials_per_block(32 * human.size, memory=BLOCK_MEMORY)
    blocks = Blocks(seed_for(seed, "swapped measures"), trials=resamples, per_block=together)
    groups = list(_groups(metric, human))
    options: dict[str, Any] = {"level": level, "coefficients": coefficients, "constant": constant}
    observed, sample = _observed(groups, pairs, **options), np.full((len(coefficients), resamples, pairs), np.nan)
    for parts in _parts(groups, swap, _swapped(level, swap, human.shape, clusters), **options):
        for number, (child, count) in enumerate(steps(blocks, "Swaps of scores")):
            swaps = _swaps_of_vectors(
                generator(child), (count, *human.shape), level=level, swap=swap, clusters=clusters
            )
            rows = slice(number * together, number * together + count)
            for part in parts:
                sample[part.coefficients, rows, part.indices] = part.after(swaps)
    both = zip(coefficients, observed, sample, strict=True)
    return {name: difference_test(difference, swapped, len(metric)) for name, difference, swapped in both}


def _observed(groups: list[Group], pairs: int, *, coefficients: Sequence[str], **options: Any) -> Scores:
    """Differences of the pairs of measures, (C, P)."""
    observed = np.full((len(coefficients), pairs), np.nan)
    for group in groups:
        for differences, coefficient in zip(observed, coefficients, strict=True):
            values = at_level(group.scores, group.human, coefficient=coefficient, **options).values[group.pairs]
            differences[group.indices] = values[:, 0] - values[:, 1]
    return observed


def _parts(groups: list[Group], swap: str, swapped: Swapped, *, level: str, **options: Any) -> Iterator[list[Part]]:
    if level == "system":
        functions = [differences_of_means(group, options["coefficients"]) for group in groups]
    elif (level, swap) in WHOLE_VECTORS:
        functions = [differences_of_vectors(group, level=level, **options) for group in groups]
    else:
        return differences_after(groups, swapped=swapped, level=level, **options)
    return iter([[Part(slice(None), group.indices, after, 0) for group, after in zip(groups, functions, strict=True)]])


def _swapped(level: str, swap: str, shape: tuple[int, ...], clusters: Indices | None) -> Swapped:
    """What is swapped together in a vector; shape: (S, N)."""
    systems, items = shape
    item_codes = np.arange(items) if clusters is None else clusters
    if level != "global":
        return Swapped(np.arange(systems) if level == "item" else item_codes)
    system_codes = np.arange(systems)[:, np.newaxis] * (int(item_codes.max(initial=0)) + 1 if swap == "both" else 0)
    return Swapped((system_codes + item_codes).reshape(-1), systems if swap == "systems" else 0)


def _swaps_of_vectors(
    random: np.random.Generator, shape: tuple[int, int, int], *, level: str, swap: str, clusters: Indices | None
) -> Scores:
    """Swaps of vectors (R, V, L), of cells (R, S, N) at level system, or of whole vectors (R, V); shape: (R, S, N)."""
    swaps = _draw_swaps(random, *shape, swap=swap, clusters=clusters)
    if (level, swap) in WHOLE_VECTORS:
        swaps = swaps[:, 0] if level == "item" else swaps[..., 0]
    elif level != "system":
        swaps = vectors_at(swaps, level)
    return np.ascontiguousarray(swaps, dtype=np.float64)


def difference_test(observed: Scores, sample: Scores, measures: int) -> DifferenceTest:
    """The test of all pairs of measures, from observed differences, (P,), and those after shared random swaps, (R, P).

    Adjusted p-values are those of the largest difference of any pair, in units of its standard deviation over the swaps
    (Westfall & Young 1993, single step).
    """
    # Differences that are equal up to rounding errors count.
    sizes = np.abs(sample)
    extreme_counts = (sizes >= np.abs(observed) * (1 - 1e-9) - ROUNDED).sum(axis=0)
    defined = len(sizes) - np.isnan(sizes).sum(axis=0)
    raw = np.where(np.isnan(observed), np.nan, (extreme_counts + 1) / (defined + 1))
    np.nan_to_num(sizes, copy=False)
    # Swaps that change nothing have no deviation; their pair cannot exceed any other.
    unit = np.sqrt(divide(np.einsum("rp,rp->p", sizes, sizes), defined, undefined=0.0))
    unit[unit <= ROUNDED] = 0.0
    sizes *= divide(1.0, unit, undefined=0.0)
    largest = sizes.max(axis=1, initial=0.0)
    statistic = divide(np.abs(observed), unit, undefined=0.0)
    order = np.sort(largest)
    beyond = len(order) - np.searchsorted(order, statistic * (1 - 1e-9) - 1e-12)
    adjusted = np.where(np.isnan(observed), np.nan, np.maximum(raw, (beyond + 1) / (len(order) + 1)))
    one, other = np.triu_indices(measures, 1)
    difference, p, p_adjusted = np.zeros((measures, measures)), *np.ones((2, measures, measures))
    difference[one, other], difference[other, one] = observed, -observed
    for matrix, values in ((p, raw), (p_adjusted, adjusted)):
        matrix[one, other] = matrix[other, one] = values
    return DifferenceTest(difference, p, p_adjusted, len(sample), sample)


def effect_test(
    effects: Effects,
    measures: int,
    *,
    resampled: str,
    level: str = "item",
    resamples: int = RESAMPLES,
    seed: int = 20201,
) -> DifferenceTest:
    """The test of all pairs of measures by Student's t, from effects on the differences of the pairs, (..., P).

    Chance is that of sums of the effects with random normal weights, which all pairs share, over the root of a random
    chi-square that has the degrees of freedom of each pair.
    """
    from scipy.special import chdtri

    errors = errors_of(effects, resampled=resampled, level=level)
    random = generator(seed_for(seed, "weights of effects"))
    sample = np.zeros((resamples, len(effects.values)))
    for parts, factor in ((effects.systems, errors.system_factors), (effects.items, errors.item_factors)):
        sample += random.standard_normal((resamples, len(parts))) @ (parts * factor)
    # Where nothing has an effect, each unit has an equal part of the difference.
    equal = np.where(errors.error > NEGLIGIBLE, 0.0, effects.values / np.sqrt(errors.freedom + 1))
    sample += random.standard_normal((resamples, 1)) * equal
    # Estimates of freedom to half a percent, as a quantile of each pair would take longer than all else.
    steps_of_freedom, inverse = np.unique(np.round(np.log(errors.freedom), 2), return_inverse=True)
    freedom = np.exp(steps_of_freedom)
    sample *= np.sqrt(freedom / chdtri(freedom, random.random((resamples, 1))))[:, inverse]
    return difference_test(effects.values, sample, measures)


def _groups(metric: Scores, human: Scores) -> Iterator[Group]:
    """Pairs of measures by the cells that both share with the human scores, over which they are standardised."""
    present = ~(np.isnan(metric) | np.isnan(human))
    pairs = np.stack(np.triu_indices(len(metric), 1), axis=1)
    indices_by_cells: dict[bytes, list[int]] = {}
    for index, (one, other) in enumerate(pairs):
        indices_by_cells.setdefault((present[one] & present[other]).tobytes(), []).append(index)
    for indices in indices_by_cells.values():
        measures, members = np.unique(pairs[indices], return_inverse=True)
        common = present[pairs[indices[0]]].all(axis=0)
        scores = np.full((len(measures), *human.shape), np.nan)
        for row, measure in zip(scores, measures, strict=True):
            cells = deviations(metric[measure][common])
            row[common] = divide(cells, np.sqrt(cells @ cells / max(len(cells), 1)), undefined=0.0)
        ratings = in_units(np.where(common, human, np.nan), axis=None)
        yield Group(scores, ratings, members.reshape(-1, 2), np.array(indices))


def _draw_swaps(
    random: np.random.Generator, resamples: int, systems: int, items: int, *, swap: str, clusters: Indices | None = None
) -> Signs:
    """Random swaps, (R, S, N): 1 where two measures swap their scores, otherwise −1.

    swap: one of `SWAPS`. clusters: the cluster of each item, (N,), whose items swap together.
    """

    def coins(number: int) -> Signs:
        groups = items if clusters is None else int(clusters.max()) + 1
        signs = _coins(random, (resamples, groups, number))
        return signs if clusters is None else signs[:, clusters]

    # Items precede systems in memory, as most of the forms need them.
    if swap == "both":
        return coins(systems).swapaxes(1, 2)
    shape = (resamples, systems, items)
    if swap == "systems":
        return np.broadcast_to(_coins(random, (resamples, systems, 1)), shape)
    if swap == "items":
        return np.broadcast_to(coins(1).swapaxes(1, 2), shape)
    raise ValueError(f"unknown swap {swap!r}; expected one of {', '.join(SWAPS)}")


def _coins(random: np.random.Generator, shape: tuple[int, ...]) -> Signs:
    size = int(np.prod(shape))
    words = random.bit_generator.random_raw(-(-size // 64))
    bits = np.unpackbits(words.view(np.uint8), count=size, bitorder="little").view(np.int8)
    return (2 * bits - 1).reshape(shape)


def holm(p: Scores) -> Scores:
    """Holm-adjusted p-values of a family of tests (Holm 1979).

    Parameters
    ----------
    p : array (K,)
        p-values, NaN where there is no test.

    Returns
    -------
    array (K,)

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p)
    tests = int((~np.isnan(p)).sum())
    adjusted = np.full(p.shape, np.nan)
    first = order[:tests]
    adjusted[first] = np.minimum(1.0, np.maximum.accumulate(p[first] * np.arange(tests, 0, -1)))
    return adjusted


def holm_pairs(p: Scores) -> Scores:
    """Holm-adjusted p-values of all pairs of measures, (M, M), which are one family; 1 on the diagonal."""
    one, other = np.triu_indices(len(p), 1)
    adjusted = np.ones_like(p)
    adjusted[one, other] = adjusted[other, one] = holm(p[one, other])
    return adjusted
