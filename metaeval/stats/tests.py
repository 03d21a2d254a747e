"""Tukey's HSD by permutation, and compact letter displays."""

from __future__ import annotations

import numpy as np

from metaeval.arrays import Bools, Floats
from metaeval.steps import steps

ROWS_TOGETHER = 25
"""Number of rows per sum, within the limits of `SUMS`."""

SUMS = (40, 100)
"""Minimum and maximum number of sums that are permuted."""

REPLICATES_PER_PERMUTATION = 100

MOST_GROUPS = 1000
"""Number of groups up to which there are letters: no reader distinguishes more, and they may grow without end."""


def ranges_by_chance(items: Floats, *, resamples: int, random: np.random.Generator) -> Floats:
    """Range (B,) of the mean scores of systems in permutations of their scores, (S, N), within items.

    The scores of items are permuted and summed in groups, and the sums are permuted again for each resample. Each
    resample has the same distribution as with one permutation of each item. New permutations of the items every hundred
    resamples make the correlation of the resamples negligible.
    """
    scores = items[~np.isnan(items).any(axis=1)].T
    if scores.shape[1] < 2 or not len(scores):
        return np.empty(0)
    rows, columns = scores.shape
    together = max(1, rows // int(np.clip(rows // ROWS_TOGETHER, *SUMS)))
    starts = np.arange(0, rows, together)
    groups = len(starts)
    ranges = [np.empty(0)]
    for begin in steps(range(0, resamples, REPLICATES_PER_PERMUTATION), "Permutations within items"):
        count = min(REPLICATES_PER_PERMUTATION, resamples - begin)
        # The groups of rows are random, too.
        permutation = random.permuted(random.permutation(scores), axis=1)
        sums = np.add.reduceat(permutation, starts, axis=0)
        copies = np.tile(sums, (count, 1))
        random.permuted(copies, axis=1, out=copies)
        means = copies.reshape(count, groups, columns).sum(axis=1) / rows
        ranges.append(np.ptp(means, axis=1))
    return np.concatenate(ranges)


def compact_letters(means: Floats, different: Bools) -> list[str]:
    """Compact letter display: two columns share a letter if they are not significantly different (Piepho 2004).

    Parameters
    ----------
    means : array (M,)
        Column means; the highest has the first letter, NaN has none.
    different : array (M, M)
        Whether two columns are significantly different, symmetric.

    Returns
    -------
    list of M texts
        Such as 'a', 'b' or 'ab'; all are '' if there are more than `MOST_GROUPS` groups.

    Examples
    --------
    >>> compact_letters(np.array([0.9, 0.5, 0.8]), np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], dtype=bool))
    ['a', 'b', 'ab']
    """
    defined = [int(column) for column in np.argsort(-means) if not np.isnan(means[column])]
    groups = [_positions(group) for group in _largest_groups(~different[np.ix_(defined, defined)], MOST_GROUPS)]
    letters = [""] * len(means)
    for number, group in enumerate(sorted(groups)):
        for position in group:
            letters[defined[position]] += letter(number)
    return letters


def _largest_groups(alike: Bools, most: int) -> list[int]:
    """Bit sets of positions of which each two are alike, (M, M), and that are no subsets of others; none beyond most.

    Each position only adds groups, so that the first ones show whether there are too many.
    """
    groups: list[int] = []
    for position in range(len(alike)):
        near = sum(1 << other for other in np.flatnonzero(alike[position, :position]).tolist())
        largest: list[int] = []
        for part in sorted({group & near for group in groups} | {0}, key=int.bit_count, reverse=True):
            if not any(part & ~larger == 0 for larger in largest):
                largest.append(part)
        groups = [group for group in groups if group & ~near] + [part | 1 << position for part in largest]
        if len(groups) > most:
            return []
    return groups


def _positions(group: int) -> list[int]:
    return [position for position, bit in enumerate(reversed(f"{group:b}")) if bit == "1"]


def letter(number: int) -> str:
    """Letter of a position: a to z, then a1 to z1, and so on."""
    return "abcdefghijklmnopqrstuvwxyz"[number % 26] + (str(number // 26) if number >= 26 else "")
