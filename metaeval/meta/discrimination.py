"""Does a measure notice a distinction between classes? As in Amemiya & Sakai (2021), §5.3."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from metaeval.model.scores import ScoreCube
from metaeval.stats.rank_correlation import kendall_b


def merge_similarity(merged: ScoreCube, original: ScoreCube) -> NDArray[np.float64]:
    """tau-b of the ranking on each merged scale and the original one, (..., G, M).

    merged: its last axis is 'merge'. original: the same axes without it. The lower, the more the measure uses the
    distinction that the merge takes away.
    """
    if merged.axes != (*original.axes, "merge"):
        raise ValueError(f"axes {merged.axes} and {original.axes}")
    reference = original.oriented().values[..., np.newaxis, :, :]
    return kendall_b(merged.oriented().values, reference)
