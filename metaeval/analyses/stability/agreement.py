"""The agreement of rankings on two halves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.grid import round_to_grid
from metaeval.stats.intervals import defined_mean


@dataclass(frozen=True)
class SplitHalfAgreement:
    """Agreement of the rankings on two halves.

    tau: Kendall's tau-b of the two rankings, (T, M); NaN where a ranking is constant.
    discordant: share of the pairs of systems that the halves order oppositely, (T, M).
    strata: tau-b within each stratum of systems, (T, K, M).
    undefined: number of undefined scores of the two halves, (T, M).
    """

    tau: NDArray[np.float64]
    discordant: NDArray[np.float64]
    strata: NDArray[np.float64]
    undefined: NDArray[np.int64]

    @property
    def means(self) -> NDArray[np.float64]:
        """Mean tau, (M,), on a grid: means of the same taus in another order would differ by rounding."""
        return round_to_grid(defined_mean(self.tau))

    @classmethod
    def mean_of(cls, pairs: Sequence[SplitHalfAgreement]) -> SplitHalfAgreement:
        """The mean of several pairs of halves in each trial, NaN where one is, and their undefined scores."""
        columns = zip(*((pair.tau, pair.discordant, pair.strata) for pair in pairs), strict=True)
        tau, discordant, strata = (np.asarray(sum(values) / len(pairs)) for values in columns)
        return cls(tau, discordant, strata, np.asarray(sum(pair.undefined for pair in pairs)))

    @classmethod
    def joined(cls, parts: Iterable[SplitHalfAgreement]) -> SplitHalfAgreement:
        """The trials of several blocks in one, in their order."""
        columns = zip(*((part.tau, part.discordant, part.strata, part.undefined) for part in parts), strict=True)
        return cls(*map(np.concatenate, columns))

    @classmethod
    def beside(cls, measures: Sequence[SplitHalfAgreement]) -> SplitHalfAgreement:
        """The agreement under several measures, of the same trials."""
        columns = zip(*((each.tau, each.discordant, each.strata, each.undefined) for each in measures), strict=True)
        return cls(*(np.concatenate(column, axis=-1) for column in columns))
