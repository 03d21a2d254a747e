"""Bootstrap intervals of the similarity of rankings and of the effects of merges of classes, against loops."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau

from benchmarks.careful import careful_loop
from benchmarks.paired import Comparison, faster
from benchmarks.resampling import MEASURES, bootstrap_loop, taus
from benchmarks.score_table import USERS_LOOP, reference_runs, user_loop
from metaeval.analyses.merge_classes import compute as merging
from metaeval.analyses.merge_classes.compute import MergeEffects
from metaeval.analyses.merge_classes.settings import MergeSettings
from metaeval.analyses.similarity import compute as similarity
from metaeval.analyses.similarity.compute import Similarities
from metaeval.analyses.similarity.settings import SimilaritySettings
from metaeval.config import ExperimentConfig
from metaeval.model.runs import LabelledRuns
from metaeval.study.labels import LabelStudy
from metaeval.study.study import Sources, no_progress

REPLICATES, RESAMPLES = 1_000, 10_000
SIMILARITIES_OF_LOOP, MERGES_OF_LOOP = 10, 1
"""Replicates that the loops run; the rest is extrapolated."""

MERGED = np.array([[0, 0, 1], [0, 1, 1]], dtype=np.uint8)
"""The codes of three classes after each merge of two neighbours."""

Numbers = NDArray[np.float64]


def study_of(runs: LabelledRuns, config: ExperimentConfig) -> LabelStudy:
    """A study of runs that nothing has been computed of yet."""
    return LabelStudy(config, Sources((), (), {}, ()), MEASURES, runs)


def _similarities(scores: Numbers) -> Numbers:
    """SciPy's tau-b of every two measures, (pairs,)."""
    oriented = scores * np.array([measure.better.sign for measure in MEASURES])[:, np.newaxis]
    return np.array([kendalltau(one, other).statistic for one, other in combinations(oriented, 2)])


def compare_similarity(rounds: int, *, replicates: int = RESAMPLES) -> Comparison:
    """Every two of nine measures, in every bootstrap sample."""
    runs = reference_runs()
    settings = SimilaritySettings(permutations=replicates)

    def ours() -> Similarities:
        return similarity.analyse(study_of(runs, ExperimentConfig()), settings, progress=no_progress)

    expected = _similarities(careful_loop(runs.gold, runs.predicted))
    similarities = ours().values[np.triu_indices(len(MEASURES), k=1)]
    np.testing.assert_allclose(similarities, expected, rtol=1e-9)
    return faster(
        f"similarity of {len(MEASURES)} measures, {replicates:,} bootstrap samples",
        ours,
        peer="careful numpy loop and scipy.stats.kendalltau",
        theirs=lambda: [_similarities(scores) for scores in bootstrap_loop(runs, careful_loop, SIMILARITIES_OF_LOOP)],
        claim="",
        rounds=rounds,
        share_of_their_work=SIMILARITIES_OF_LOOP / replicates,
    )


def _merge_effects(runs: LabelledRuns, items: NDArray[np.intp]) -> Numbers:
    """SciPy's tau-b of the ranking after each merge with that before it, (merges, M)."""
    gold, predicted = runs.gold[items], runs.predicted[:, items]
    before = user_loop(gold, predicted)
    return np.array([taus(user_loop(codes[gold], codes[predicted]), before) for codes in MERGED])


def compare_merges(rounds: int, *, replicates: int = REPLICATES) -> Comparison:
    """Both merges of neighbouring classes, in every bootstrap sample."""
    runs = reference_runs()
    items = len(runs.items)

    def ours(samples: int) -> MergeEffects:
        config = ExperimentConfig(analyses=(MergeSettings(adjacent=True, permutations=samples),))
        return merging.analyse(study_of(runs, config), config.settings_of(MergeSettings), progress=no_progress)

    def theirs() -> None:
        random = np.random.default_rng(1)
        for _ in range(MERGES_OF_LOOP):
            _merge_effects(runs, random.integers(items, size=items))

    np.testing.assert_allclose(ours(0).values, _merge_effects(runs, np.arange(items)), rtol=1e-9)
    return faster(
        f"merges of neighbouring classes, {len(MEASURES)} measures, {replicates:,} bootstrap samples",
        lambda: ours(replicates),
        peer=f"{USERS_LOOP}, and SciPy",
        theirs=theirs,
        claim="",
        rounds=rounds,
        share_of_their_work=MERGES_OF_LOOP / replicates,
    )
