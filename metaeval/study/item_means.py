"""Scores of single items, where a measure is a mean over them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from metaeval.model.labels import LabelledRuns
from metaeval.scoring.additive import is_additive, item_scores
from metaeval.study.items import ItemStudy
from metaeval.study.labels import LabelStudy
from metaeval.study.study import Study


def means_over_items(study: Study) -> list[int]:
    """Places of the measures that are means over items, given gold."""
    if isinstance(study, ItemStudy):
        return list(range(len(study.measure_names)))
    if isinstance(study, LabelStudy) and isinstance(study.runs, LabelledRuns):
        return [place for place, measure in enumerate(study.measures) if is_additive(measure)]
    return []


def oriented_items(study: Study, place: int) -> NDArray[np.float64]:
    """What each item is worth to each system by one of `means_over_items`, (S, N), higher better; NaN: undefined."""
    sign = study.scores.directions[place].sign
    if isinstance(study, ItemStudy):
        items: NDArray[np.float64] = study.item_scores.values[place]
    else:
        assert isinstance(study, LabelStudy)
        assert isinstance(study.runs, LabelledRuns)
        items = item_scores(study.runs, study.measures[place])
    oriented: NDArray[np.float64] = items * sign
    return oriented
