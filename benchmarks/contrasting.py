"""What measures see in a contrast set, against a loop over its rows."""

from __future__ import annotations

from collections import Counter

import numpy as np

from benchmarks.paired import Comparison, faster
from metaeval.config import ExperimentConfig
from metaeval.inference.clusters import Clusters
from metaeval.judges.contrast.compute import analyse
from metaeval.judges.contrast.pairs import ContrastSet
from metaeval.judges.contrast.settings import ContrastSettings
from metaeval.judges.contrast.study import ContrastStudy
from metaeval.model.scores import Direction
from metaeval.study.study import Sources, no_progress

MEASURES, PHENOMENA, PAIRS = 20, 68, 36_000
"""As many phenomena and pairs as ACES has."""


def contrasts(pairs: int) -> ContrastStudy:
    """Scores of both sides of pairs, some of them equal, in clusters of about ten."""
    random = np.random.default_rng(1)
    # Sums such as .34 + .1 would be more than .44, which is a tie for metaeval.
    scores = (random.integers(0, 50, (MEASURES, 2, pairs)) + np.array([5, 0])[:, np.newaxis]) / 50
    names = tuple(f"phenomenon {number}" for number in range(PHENOMENA))
    phenomenon = np.arange(pairs) % PHENOMENA
    clusters = Clusters.of("document", random.integers(0, pairs // 10 + 2, pairs).astype(str).tolist())
    measures = tuple(f"m{number}" for number in range(MEASURES))
    contrast_set = ContrastSet(names, phenomenon, clusters, (), np.full(pairs, -1), (), None, scores, measures)
    directions = (Direction.HIGHER,) * MEASURES
    return ContrastStudy(ExperimentConfig(), Sources((), (), {}, ()), contrast_set, measures, directions, None, None)


def by_loop(study: ContrastStudy) -> list[tuple[float, float, float]]:
    """Accuracy and its interval of Clopper and Pearson, without clusters, for each measure and phenomenon."""
    from scipy.stats import beta

    phenomena = study.pairs.phenomenon.tolist()
    totals = Counter(phenomena)
    intervals = []
    for good, bad in study.pairs.scores.tolist():
        better: Counter[int] = Counter()
        for phenomenon, one, other in zip(phenomena, good, bad, strict=True):
            better[phenomenon] += one > other
        for phenomenon, total in sorted(totals.items()):
            hits = better[phenomenon]
            low = beta.ppf(0.025, hits, total - hits + 1) if hits else 0.0
            high = beta.ppf(0.975, hits + 1, total - hits) if hits < total else 1.0
            intervals.append((hits / total, float(low), float(high)))
    return intervals


def compare_contrast(rounds: int, *, pairs: int = PAIRS) -> Comparison:
    """A loop without ties, clusters and tests, which metaeval makes in the same time."""
    study = contrasts(pairs)
    result = analyse(study, ContrastSettings(), progress=no_progress)
    accuracy = [accuracy for accuracy, _, _ in by_loop(study)]
    np.testing.assert_allclose(result.accuracy[:, : len(accuracy) // MEASURES].ravel(), accuracy)
    return faster(
        f"accuracy of {MEASURES} measures on {pairs:,} pairs of {PHENOMENA} phenomena with clustered intervals",
        lambda: analyse(study, ContrastSettings(), progress=no_progress),
        peer="a loop over rows, with intervals of SciPy without clusters",
        theirs=lambda: by_loop(study),
        claim="",
        rounds=rounds,
    )
