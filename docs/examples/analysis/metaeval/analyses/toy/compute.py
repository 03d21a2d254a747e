"""Differences of every two systems."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.toy.settings import ToySettings
from metaeval.study.study import Progress, Study, check_rankable


def check(study: Study, settings: ToySettings) -> None:
    """Raise where there are no two systems."""
    check_rankable(study)


def analyse(study: Study, settings: ToySettings, *, progress: Progress) -> NDArray[np.float64]:
    """A quantile of the differences under each measure, (M,); NaN if the measure is undefined for a system."""
    check(study, settings)
    values = study.scores.values
    one, other = np.triu_indices(values.shape[1], k=1)
    quantiles: NDArray[np.float64] = np.quantile(np.abs(values[:, one] - values[:, other]), settings.quantile, axis=1)
    return quantiles
