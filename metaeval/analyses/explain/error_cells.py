"""What the errors in single cells of confusion matrices add to the differences of systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.explain.differences import Pairs
from metaeval.model.scores import Direction
from metaeval.scoring.confusion import counts_of
from metaeval.scoring.contributions import Contributions, plan_contributions
from metaeval.study.capabilities import LabelData
from metaeval.study.study import Study, Track
from metaeval.work.blocks import map_blocks


@dataclass(frozen=True)
class ErrorCells:
    """What single cells of confusion matrices add to differences; counts: of both systems of a pair, (P, 2, C, C)."""

    labels: tuple[str, ...]
    counts: NDArray[np.int64]
    contributions: Contributions

    def gains(self, directions: Sequence[Direction]) -> NDArray[np.float64]:
        """Contributions turned so that more speaks for the first system, (M, P, C, C)."""
        signs = np.array([direction.sign for direction in directions], dtype=np.float64)
        return self.contributions.values * signs[:, np.newaxis, np.newaxis, np.newaxis]


def find_cells(study: Study, labels: LabelData, pairs: Pairs, *, track: Track) -> ErrorCells:
    """What every error cell adds to the differences of pairs of systems under every measure."""
    runs = labels.runs
    plan = plan_contributions(runs, labels.measures, pairs, seed=study.config.seed)
    blocks = map_blocks(plan, lambda block: block, workers=study.config.workers, track=track, doing="Mixing systems")
    return ErrorCells(runs.scale.labels, counts_of(runs)[pairs], Contributions.joined(blocks))
