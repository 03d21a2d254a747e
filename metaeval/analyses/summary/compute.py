"""The criteria for measures side by side, without a weighting, as in Table 7 of Amemiya & Sakai (2021)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.merge_classes.settings import MergeSettings
from metaeval.analyses.sentences import ALPHA
from metaeval.analyses.similarity.settings import SimilaritySettings
from metaeval.analyses.stability.settings import StabilitySettings
from metaeval.analyses.summary.settings import SummarySettings
from metaeval.settings import AnalysisSettings
from metaeval.stats.rank import competition_ranks
from metaeval.stats.tests import compact_letters
from metaeval.study.capabilities import LABELS
from metaeval.study.study import Study

Values = NDArray[np.float64]


def used(study: Study, settings: SummarySettings) -> list[AnalysisSettings]:
    """The settings of the analyses whose results the summary combines; items without classes have no merges."""
    config, trials = study.config, settings.trials
    similarity = config.settings_of(SimilaritySettings)
    stability = config.settings_of(StabilitySettings).overlaid(trials=trials)
    if study.find(LABELS) is None:
        return [similarity, stability]
    return [similarity, stability, config.settings_of(MergeSettings).overlaid(trials=trials)]


@dataclass(frozen=True)
class Criterion:
    """A criterion of M measures.

    values, low, high: as the analysis prints them, with the 95 % interval on other items, (M,). statistic: what is
    tested, in the same direction, (M,). p: adjusted p-values of its differences, (M, M).
    """

    values: Values
    low: Values
    high: Values
    statistic: Values
    p: Values
    higher_is_better: bool

    @property
    def ranks(self) -> Values:
        """Ranks of the values from 1, the best first; NaN without a value."""
        values = self._oriented(self.values)
        return np.where(np.isnan(values), np.nan, competition_ranks(values))

    @property
    def letters(self) -> list[str]:
        """Letters that two measures share exactly where they are not significantly different."""
        return compact_letters(self._oriented(self.statistic), self.p <= ALPHA)

    @property
    def better(self) -> NDArray[np.bool_]:
        """Whether the measure of the row is significantly better than that of the column, (M, M)."""
        return np.asarray(self.at_least & (self.p <= ALPHA))

    @property
    def at_least(self) -> NDArray[np.bool_]:
        """Whether the statistic of the measure of the row is at least as good as that of the column, (M, M)."""
        statistic = self._oriented(self.statistic)
        return np.asarray(statistic[:, np.newaxis] >= statistic)

    def _oriented(self, values: Values) -> Values:
        return values if self.higher_is_better else -values


def pareto_optimal(one: Criterion, other: Criterion) -> NDArray[np.bool_]:
    """Measures than which no other one is significantly better in one criterion and at least as good in the other."""
    worse = (one.better & other.at_least) | (other.better & one.at_least)
    known = ~np.isnan(one.statistic) & ~np.isnan(other.statistic)
    return np.asarray(known & ~worse.any(axis=0))
