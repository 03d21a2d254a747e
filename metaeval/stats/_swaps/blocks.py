"""Rank correlations of a long vector after random swaps of the scores of two measures, without sorting them again.

The scores of both measures are put in one order once; swaps select those of the first measure. The numerator of a rank
correlation sums w(e, f) over the selected entries e before f that do not tie, where w is a form of features of their
human scores: a matrix for each block of entries of the order, and sums of features of the blocks before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.arrays import Bools, Indices, Scores
from metaeval.stats._swaps.forms import Pair, Signs
from metaeval.stats.rank import mean_ranks
from metaeval.stats.ratio import divide

LEVELS_UP_TO = 128
"""Number of different human scores above which Kendall's tau has no features."""

LENGTHS = {"kendall-b": 64, "spearman": 32}
"""Number of entries of a block, by coefficient."""


@dataclass(frozen=True)
class _Blocks:
    """The joint order of 2L scores, cut between tied groups into K units: blocks, or one larger group each.

    cell, of_second (B, b): the cells and the measures of the entries of the blocks. matrices (B, b + D + G, b): forms,
    features and tied groups, all 0 for entries that pad a block. is_block (K,). large: the cells, measures and features
    of each larger group. sizes (B, G): those of tied groups. sizes_large (K − B,). form (D, D): w of two features.
    """

    cell: Indices
    of_second: Bools
    matrices: NDArray[np.floating]
    is_block: Bools
    large: list[tuple[Indices, Bools, NDArray[np.floating]]]
    sizes: Indices
    sizes_large: Indices
    form: NDArray[np.floating]

    def of_first(self, swapped: Bools) -> tuple[Scores, Indices, Indices]:
        """The numerator of the first measure, (R,), and its entries in tied groups, (B, G, R) and (K − B, R).

        swapped: (L, R).
        """
        length, features, kind = self.cell.shape[1], len(self.form), self.matrices.dtype
        chosen = (swapped[self.cell] == self.of_second[..., np.newaxis]).astype(kind)
        found = self.matrices @ chosen
        within = np.einsum("kbr,kbr->kr", found[:, :length], chosen)
        sums = np.empty((len(self.is_block), features, swapped.shape[1]), dtype=self.form.dtype)
        sums[self.is_block] = found[:, length : length + features]
        counts = np.empty((len(self.large), swapped.shape[1]), dtype=np.intp)
        for row, index, (cell, second, of_cells) in zip(
            counts, np.flatnonzero(~self.is_block), self.large, strict=True
        ):
            own = swapped[cell] == second[:, np.newaxis]
            sums[index], row[:] = of_cells @ own.astype(kind), own.sum(axis=0)
        before = np.cumsum(sums, axis=0) - sums
        across = np.einsum("kdr,kdr->kr", before, self.form @ sums)
        numerator = within.sum(axis=0, dtype=np.float64) + across.sum(axis=0, dtype=np.float64)
        return numerator, found[:, length + features :].astype(np.intp), counts


def block_form(x: Scores, y: Scores, z: Scores, linear: Scores, coefficient: str) -> Callable[[Signs], Pair] | None:
    """A function from swaps (1, R, L) to the coefficients (1, R) of both measures.

    x, y, z: scores of both measures and human scores, NaN in all three where one is missing, (L,). linear: weights
    whose products with the swaps are the numerator of the first measure minus that of the second, (L,). coefficient: a
    name of `LENGTHS`. Returns none if the human scores are too many different ones.
    """
    present = np.flatnonzero(~np.isnan(z))
    x, y, z = x[present], y[present], z[present]
    values, level = np.unique(z, return_inverse=True)
    if coefficient == "kendall-b":
        if len(values) > LEVELS_UP_TO:
            return None
        features = np.eye(len(values))[level]
        form = np.sign(np.subtract.outer(np.arange(len(values)), np.arange(len(values)))).T.astype(np.float64)
    else:
        features = np.stack([np.ones(len(z)), mean_ranks(z) - (len(z) + 1) / 2], axis=1)
        form = np.array([[0.0, 0.5], [-0.5, 0.0]])
    blocks = _cut(x, y, features, form, coefficient)
    number = len(z)
    power = 3 if coefficient == "spearman" else 2
    spread = number**power - number
    of_z = np.bincount(level)
    untied_z = float(spread - (of_z**power - of_z).sum())
    # A variance of ranks is a twelfth of n³ − n, a number of pairs is half of n² − n.
    share = 12 if coefficient == "spearman" else 2
    linear = linear[present]

    def untied(counts: Indices, large: Indices) -> Scores:
        tied = (counts**power - counts).sum(axis=(0, 1)) + (large**power - large).sum(axis=0)
        return np.asarray(spread - tied, dtype=np.float64)

    def both(swaps: Signs) -> Pair:
        swaps = swaps[0, :, present].T
        first, counts, large = blocks.of_first(np.ascontiguousarray(swaps.T) > 0)
        second = first - swaps @ linear
        others = blocks.sizes[..., np.newaxis] - counts, blocks.sizes_large[:, np.newaxis] - large
        return (
            divide(share * first, np.sqrt(untied(counts, large) * untied_z))[np.newaxis],
            divide(share * second, np.sqrt(untied(*others) * untied_z))[np.newaxis],
        )

    return both


def _cut(x: Scores, y: Scores, features: Scores, form: Scores, coefficient: str) -> _Blocks:
    """The blocks of the joint order of x and y, (L,), whose cells have features (L, D) with w = e form f."""
    length = LENGTHS[coefficient]
    values = np.concatenate([x, y])
    order = np.argsort(values, kind="stable")
    group = np.cumsum(np.diff(values[order], prepend=values[order[:1]]) != 0)
    ends = np.flatnonzero(np.diff(group, append=-1)) + 1
    cuts = _cuts(ends, length)
    cell, of_second = order % len(x), order >= len(x)
    longest = np.diff(cuts).max(initial=1)
    is_block = np.diff(cuts) <= length
    # Counts are exact below 2²⁴.
    counts = coefficient == "kendall-b"
    kind = np.dtype(np.float32 if counts else np.float64)
    of_sums = np.dtype(np.float32 if counts and len(x) * longest < 1 << 24 else np.float64)
    index = cuts[:-1][is_block][:, np.newaxis] + np.arange(length)
    inside = index < cuts[1:][is_block][:, np.newaxis]
    index = np.where(inside, index, 0)
    own = np.where(inside[..., np.newaxis], features[cell[index]], 0.0).astype(kind)
    of_group = np.where(inside, group[index], -1)
    later = of_group[:, np.newaxis] > of_group[:, :, np.newaxis]
    forms = (own @ form.astype(kind) @ own.swapaxes(1, 2)) * (later & inside[:, :, np.newaxis])
    tied, sizes = _tied_groups(of_group, np.diff(ends, prepend=0))
    matrices = np.concatenate([forms, own.swapaxes(1, 2), tied.astype(kind)], axis=1)
    large = [
        (cell[begin:end], of_second[begin:end], features[cell[begin:end]].T.astype(kind))
        for begin, end in zip(cuts[:-1][~is_block].tolist(), cuts[1:][~is_block].tolist(), strict=True)
    ]
    return _Blocks(
        cell=cell[index],
        of_second=of_second[index],
        matrices=matrices,
        is_block=is_block,
        large=large,
        sizes=sizes,
        sizes_large=np.diff(cuts)[~is_block],
        form=form.astype(of_sums),
    )


def _cuts(ends: Indices, length: int) -> Indices:
    """Where the units of an order begin, and its end; ends: those of its groups, which are whole."""
    cuts = [0]
    while cuts[-1] < ends[-1]:
        following = int(np.searchsorted(ends, cuts[-1] + length, side="right"))
        end = int(ends[following - 1]) if following else 0
        cuts.append(end if end > cuts[-1] else int(ends[following]))
    return np.array(cuts)


def _tied_groups(of_group: Indices, size: Indices) -> tuple[Bools, Indices]:
    """Indicators (B, G, b) of the groups of more than one entry in each block, and their sizes (B, G), 0 for padding.

    of_group (B, b): ascending, −1 for entries that pad. size: that of each group.
    """
    begins = np.diff(of_group, axis=1, prepend=-2) > 0
    several = (of_group >= 0) & (size[of_group] > 1)
    number = np.cumsum(begins & several, axis=1) - 1
    groups = int(number.max(initial=-1)) + 1
    tied = several[:, np.newaxis] & (number[:, np.newaxis] == np.arange(groups)[:, np.newaxis])
    return tied, tied.sum(axis=2)
