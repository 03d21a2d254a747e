"""Scores of distributions over classes, against a loop over SciPy for every item and system."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import jensenshannon
from scipy.stats import wasserstein_distance

from benchmarks.paired import Comparison, faster
from metaeval.measures import measure
from metaeval.model.runs import DistributionRuns
from metaeval.model.scale import ClassScale
from metaeval.scoring.distributions import score_distributions

ITEMS, SYSTEMS, CLASSES, FEW = 5_000, 10, 5, 200
MEASURES = tuple(map(measure, ("wasserstein", "jsd")))


def generated(items: int) -> DistributionRuns:
    """Distributions of systems and of gold."""
    random = np.random.default_rng(1)
    scale = ClassScale(tuple("abcde"), ordered=True)
    predicted, gold = random.dirichlet(np.ones(CLASSES), (SYSTEMS, items)), random.dirichlet(np.ones(CLASSES), items)
    return DistributionRuns(tuple(map(str, range(items))), tuple(map(str, range(SYSTEMS))), predicted, gold, scale)


def compare_distributions(rounds: int, *, items: int = ITEMS) -> Comparison:
    """A few items are enough for the loop."""
    runs, positions = generated(items), np.arange(CLASSES)

    def loop() -> NDArray[np.float64]:
        pairs = [(p, g) for predicted in runs.predicted for p, g in zip(predicted[:FEW], runs.gold[:FEW], strict=True)]
        moved = [wasserstein_distance(positions, positions, p, g) for p, g in pairs]
        return np.array([moved, [jensenshannon(p, g, base=2) ** 2 for p, g in pairs]])

    scores = score_distributions(runs, MEASURES).values[:, :, :FEW]
    np.testing.assert_allclose(scores.reshape(len(MEASURES), -1), loop(), atol=1e-9)
    return faster(
        f"wasserstein and jsd of {items:,} items, {SYSTEMS} systems, {CLASSES} classes",
        lambda: score_distributions(runs, MEASURES),
        peer="a loop over SciPy's wasserstein_distance and jensenshannon",
        theirs=loop,
        claim="≥ 100 times faster",
        rounds=rounds,
        share_of_their_work=min(1.0, FEW / items),
    )
