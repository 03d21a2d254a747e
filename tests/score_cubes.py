"""Score cubes made by hand."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from metaeval.model.scores import Direction, ScoreCube


def cube(values: ArrayLike, axes: tuple[str, ...] = (), *, lower_is_better: tuple[int, ...] = ()) -> ScoreCube:
    """Scores (*axes, M, S) of measures m0, m1 … and systems s0, s1 …"""
    scores = np.asarray(values, dtype=np.float64)
    measures, systems = scores.shape[-2:]
    return ScoreCube(
        scores,
        axes,
        tuple(f"m{number}" for number in range(measures)),
        tuple(f"s{number}" for number in range(systems)),
        tuple(Direction.LOWER if number in lower_is_better else Direction.HIGHER for number in range(measures)),
    )
