"""The criteria for measures side by side, without a weighting, as in Table 7 of Amemiya & Sakai (2021)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.merge_classes.settings import MergeSettings
from metaeval.analyses.sentences import EXACT_DIGITS
from metaeval.analyses.similarity.settings import SimilaritySettings
from metaeval.analyses.stability.settings import StabilitySettings
from metaeval.analyses.summary.settings import SummarySettings
from metaeval.settings import AnalysisSettings
from metaeval.stats.rank import competition_ranks, pareto_optimal
from metaeval.study.capabilities import LABELS
from metaeval.study.study import Study

Values = NDArray[np.float64]


def used(study: Study, settings: SummarySettings) -> list[AnalysisSettings]:
    """The settings of the analyses whose results the summary combines; items without classes have no merges."""
    config, trials = study.config, settings.trials
    # Groups of measures have no intervals, so that no bootstrap of similarity is needed.
    similarity = replace(config.settings_of(SimilaritySettings), resamples=0)
    stability = config.settings_of(StabilitySettings).overlaid(trials=trials)
    if study.find(LABELS) is None:
        return [similarity, stability]
    return [similarity, stability, config.settings_of(MergeSettings).overlaid(trials=trials, resamples=trials)]


@dataclass(frozen=True)
class Criteria:
    """Ranks of M measures by each criterion.

    consistency_ranks, discrimination_ranks: 1 is the best, NaN without a value. pareto: whether the measure is
    Pareto-optimal. The last two are None without classes.
    """

    consistency_ranks: Values
    discrimination_ranks: Values | None
    pareto: NDArray[np.bool_] | None


def compare_criteria(consistency: Values, discrimination: Values | None) -> Criteria:
    """Rank measures by each criterion; consistency: (M,), higher is better. discrimination: (M,), lower is better."""
    # Means of the same values of tau in another order differ by rounding.
    consistency = consistency.round(EXACT_DIGITS)
    if discrimination is None:
        return Criteria(_ranks(consistency), None, None)
    sensitivity = (-discrimination).round(EXACT_DIGITS)
    optimal = pareto_optimal(np.stack([consistency, sensitivity], axis=1))
    return Criteria(_ranks(consistency), _ranks(sensitivity), optimal)


def _ranks(criterion: Values) -> Values:
    """Ranks from 1, the highest value first; NaN without a value."""
    return np.where(np.isnan(criterion), np.nan, competition_ranks(criterion))
