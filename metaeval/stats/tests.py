"""Tukey's HSD by permutation, compact letter displays, and the max-t test of which of many scores have dropped."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.stats.intervals import defined_deviation
from metaeval.stats.pairs import p_of_ranges
from metaeval.stats.resample import generator

ROWS_TOGETHER = 25
"""Rows of a matrix that are summed up before they are permuted together, within the limits of `SUMS`."""

SUMS = (40, 100)
"""Minimum and maximum number of sums: fewer have too few permutations, more are not needed."""

REPLICATES_PER_PERMUTATION = 100

_TOLERANCE = 1e-9
"""Statistics that differ by less are equal but for rounding: a tie counts as reached."""


def randomised_tukey(
    scores: NDArray[np.float64], *, replicates: int, random: np.random.Generator
) -> NDArray[np.float64]:
    """p-values of Tukey's honestly significant differences between columns, from permutations within rows.

    Under the null hypothesis the columns (measures, systems) are exchangeable within each row (trial, item). A
    difference of two column means is compared with the *largest* difference of any two under permutation, so that
    the whole family of comparisons has the level (Carterette 2012; Sakai 2018).

    Parameters
    ----------
    scores : array (T, M)
        At least one row.
    replicates
        Number of permutations, B.
    random
        Source of the permutations.

    Returns
    -------
    array (M, M)
        (k + 1) / (B + 1), symmetric; 1 on the diagonal.

    Raises
    ------
    ValueError
        For NaN among the scores: the caller decides which rows or columns to leave out.
    """
    if np.isnan(scores).any():
        raise ValueError("NaN among the scores")
    means = scores.mean(axis=0)
    observed = np.abs(means[:, np.newaxis] - means)
    p = p_of_ranges(observed, largest_differences(scores, replicates=replicates, random=random))
    np.fill_diagonal(p, 1.0)
    return p


def largest_differences(
    scores: NDArray[np.float64], *, replicates: int, random: np.random.Generator
) -> NDArray[np.float64]:
    """The range of the column means in each of many permutations within rows.

    A uniformly random permutation of a row remains one when another is applied to it. So the rows are permuted one
    by one, summed up in groups, and the sums permuted again and again: every replicate is distributed as if each row
    had been permuted on its own, for a fraction of the work. A new permutation of the rows every hundred replicates
    makes their correlation negligible beside the error of a sample of this size.

    Parameters
    ----------
    scores : array (T, M)
        At least one row.
    replicates
        Number of permutations, B.
    random
        Source of the permutations.

    Returns
    -------
    array (B,)
    """
    rows, columns = scores.shape
    together = max(1, rows // int(np.clip(rows // ROWS_TOGETHER, *SUMS)))
    starts = np.arange(0, rows, together)
    groups = len(starts)
    ranges = [np.empty(0)]
    for begin in range(0, replicates, REPLICATES_PER_PERMUTATION):
        count = min(REPLICATES_PER_PERMUTATION, replicates - begin)
        # Which rows are summed up together is random, too.
        permuted = random.permuted(random.permutation(scores), axis=1)
        sums = np.add.reduceat(permuted, starts, axis=0)
        repeated = np.tile(sums, (count, 1))
        random.permuted(repeated, axis=1, out=repeated)
        means = repeated.reshape(count, groups, columns).sum(axis=1) / rows
        ranges.append(np.ptp(means, axis=1))
    return np.concatenate(ranges)


def ranges_by_chance(
    items: NDArray[np.float64], *, resamples: int, seed: np.random.SeedSequence
) -> NDArray[np.float64]:
    """The range of the mean scores of systems whose scores are permuted within each item.

    Parameters
    ----------
    items : array (S, N)
        Scores of single items. Systems without a score of some item are left out.
    resamples
        Number of permutations, B.
    seed
        Seed of the permutations.

    Returns
    -------
    array (B,)
        Empty where fewer than two systems are left.
    """
    complete = items[~np.isnan(items).any(axis=1)]
    if len(complete) < 2 or not complete.shape[1]:
        return np.empty(0)
    return largest_differences(complete.T, replicates=resamples, random=generator(seed))


def compact_letters(means: NDArray[np.float64], different: NDArray[np.bool_]) -> list[str]:
    """Letters that two columns share exactly where they are not significantly different (Piepho 2004).

    Parameters
    ----------
    means : array (M,)
        Column means; the highest gets the first letter, NaN gets none.
    different : array (M, M)
        Whether two columns are significantly different, symmetric.

    Returns
    -------
    list of M texts
        Such as 'a', 'b' or 'ab'.

    Examples
    --------
    >>> compact_letters(np.array([0.9, 0.5, 0.8]), np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], dtype=bool))
    ['a', 'b', 'ab']
    """
    defined = [int(column) for column in np.argsort(-means) if not np.isnan(means[column])]
    groups = [frozenset(defined)] if defined else []
    for place, one in enumerate(defined):
        for other in defined[place + 1 :]:
            if different[one, other]:
                groups = _split(groups, one, other)
    groups.sort(key=lambda group: [defined.index(column) for column in sorted(group, key=defined.index)])
    return [
        "".join(letter(number) for number, group in enumerate(groups) if column in group)
        for column in range(len(means))
    ]


def _split(groups: list[frozenset[int]], one: int, other: int) -> list[frozenset[int]]:
    """Groups in which the two are never together; groups within another are absorbed."""
    split = [
        part for group in groups for part in ((group - {one}, group - {other}) if {one, other} <= group else (group,))
    ]
    unique = list(dict.fromkeys(split))
    return [group for group in unique if not any(group < larger for larger in unique)]


def letter(number: int) -> str:
    """The letters a to z, then a1 to z1, and so on.

    Parameters
    ----------
    number
        Position, from 0.
    """
    return "abcdefghijklmnopqrstuvwxyz"[number % 26] + (str(number // 26) if number >= 26 else "")


class DropTest(NamedTuple):
    """How far K scores have dropped.

    Attributes
    ----------
    statistic : array (K,)
        Drop in standard errors; higher is worse.
    p : array (K,)
        Adjusted p-values.
    """

    statistic: NDArray[np.float64]
    p: NDArray[np.float64]


def max_t_drops(differences: NDArray[np.float64], replicates: NDArray[np.float64]) -> DropTest:
    """One-sided tests of many drops, adjusted by the largest statistic of each bootstrap resample.

    The null hypothesis of a comparison is that its difference is at least 0. Its statistic t is the drop in standard
    errors, −d / se, with the standard deviation of the replicates for se. Under the null hypothesis t is distributed
    as −(d* − d) / se of resamples; compared with the *largest* of these over all comparisons, it controls the
    family-wise error rate, whatever the dependence of the comparisons (Westfall & Young 1993, single step).

    Parameters
    ----------
    differences : array (K,)
        New score − old score, higher better.
    replicates : array (B, K)
        The same of bootstrap resamples that were drawn together; NaN where undefined, which is left out.

    Returns
    -------
    DropTest
        p = (k + 1) / (B + 1); 1 where all resamples have the same difference of 0 or more, NaN where the difference is
        undefined or has fewer than two replicates. A drop that every resample repeats exactly has an infinite
        statistic.

    Examples
    --------
    >>> replicates = np.array([[-0.2, 0.0], [-0.3, 0.0], [-0.4, 0.0]])
    >>> max_t_drops(np.array([-0.3, 0.0]), replicates).p.tolist()
    [0.25, 1.0]
    """
    differences = np.asarray(differences, dtype=np.float64)
    spread = _spread(replicates)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where(differences == 0, 0.0, -differences / spread)
        null = np.where(spread > 0, (differences - replicates) / spread, np.nan)
    statistic[np.isnan(differences) | np.isnan(spread)] = np.nan
    largest = np.sort(np.where(np.isnan(null), -np.inf, null).max(axis=1, initial=-np.inf))

    slack = _TOLERANCE * np.maximum(1.0, np.abs(np.where(np.isfinite(statistic), statistic, 0.0)))
    reached = len(largest) - np.searchsorted(largest, statistic - slack, side="left")
    p = (reached + 1) / (len(largest) + 1)
    p[(spread == 0) & (differences >= 0)] = 1.0
    p[np.isnan(statistic)] = np.nan
    return DropTest(statistic, p)


def _spread(replicates: NDArray[np.float64]) -> NDArray[np.float64]:
    """Standard errors, (K,): exactly 0 where all replicates are equal, NaN where fewer than two are defined."""
    defined = ~np.isnan(replicates)
    highest = np.where(defined, replicates, -np.inf).max(axis=0, initial=-np.inf)
    lowest = np.where(defined, replicates, np.inf).min(axis=0, initial=np.inf)
    return np.where((highest == lowest) & (defined.sum(axis=0) > 1), 0.0, defined_deviation(replicates))
