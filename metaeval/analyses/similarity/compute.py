"""Correlations of the rankings by each pair of measures, as in Amemiya & Sakai (2021), §5.1; groups of measures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.similarity.settings import SimilaritySettings
from metaeval.model.scores import ScoreCube
from metaeval.scoring.resamples import Samples, bootstrap
from metaeval.stats.rank_correlation import COEFFICIENTS
from metaeval.stats.tests import letter
from metaeval.study.study import Progress, Study, check_rankable
from metaeval.work.blocks import map_blocks


def ranking_similarity(cube: ScoreCube, *, coefficient: str = "kendall-b") -> NDArray[np.float64]:
    """Correlation of the rankings by each pair of measures, (..., M, M); NaN where one of them ties all systems.

    cube: with any leading axes. coefficient: a name of `stats.rank_correlation.COEFFICIENTS`.
    """
    values = cube.oriented().values
    one, other = np.triu_indices(len(cube.measures))
    upper = COEFFICIENTS[coefficient](values[..., one, :], values[..., other, :])
    similarity = np.empty((*values.shape[:-1], len(cube.measures)))
    similarity[..., one, other] = similarity[..., other, one] = upper
    return similarity


@dataclass(frozen=True)
class Groups:
    """Groups of measures with similar rankings.

    order: the measures as leaves of the tree, similar ones next to each other, (M,).
    letters: the group of each measure, A for the first in that order; '—' where all similarities are undefined.
    leaves: the measures in the tree, which are those with defined similarities.
    tree: the merges as SciPy's linkage matrix, in which the leaves are numbered by their place in `leaves`.
    """

    order: tuple[int, ...]
    letters: tuple[str, ...]
    leaves: tuple[int, ...]
    tree: NDArray[np.float64]


def group_measures(similarity: NDArray[np.float64], *, cut: float = 0.5) -> Groups:
    """Average-linkage clustering of the measures on 1 − similarity, cut at the distance `cut`; similarity: (M, M)."""
    from scipy.cluster.hierarchy import fcluster, leaves_list, linkage, optimal_leaf_ordering
    from scipy.spatial.distance import squareform

    measures = len(similarity)
    defined = ~np.isnan(similarity) & ~np.eye(measures, dtype=np.bool_)
    known = np.flatnonzero(defined.any(axis=1))
    letters = ["—"] * measures
    if len(known) < 2:
        return Groups(tuple(range(measures)), tuple(letters), (), np.empty((0, 4)))
    # Where only this pair is undefined, the measures count as unrelated.
    distance = 1 - np.nan_to_num(similarity[np.ix_(known, known)], nan=0.0)
    np.fill_diagonal(distance, 0.0)
    condensed = squareform(distance, checks=False)
    tree = optimal_leaf_ordering(linkage(condensed, method="average"), condensed)
    leaves = leaves_list(tree)
    clusters = fcluster(tree, t=cut, criterion="distance")
    names = {cluster: letter(place).upper() for place, cluster in enumerate(dict.fromkeys(clusters[leaves].tolist()))}
    for measure, cluster in zip(known.tolist(), clusters.tolist(), strict=True):
        letters[measure] = names[cluster]
    unknown = np.setdiff1d(np.arange(measures), known)
    return Groups((*known[leaves].tolist(), *unknown.tolist()), tuple(letters), tuple(known.tolist()), tree)


@dataclass(frozen=True)
class Similarities:
    """The similarity of the rankings by each pair of measures, (M, M), also in R bootstrap resamples, (R, M, M)."""

    values: NDArray[np.float64]
    groups: Groups
    resamples: NDArray[np.float64]


def analyse(study: Study, settings: SimilaritySettings, *, progress: Progress) -> Similarities:
    """Correlate the rankings, group the measures, and correlate the rankings in bootstrap resamples of the items."""
    samples = check(study, settings)
    values = ranking_similarity(study.scores, coefficient=settings.coefficient)
    groups = group_measures(values, cut=settings.cut)
    if samples is None:
        return Similarities(values, groups, np.empty((0, *values.shape)))
    config = study.config
    plan = bootstrap(samples, replicates=settings.resamples, seed=config.seed, memory=config.block_memory)
    resamples = map_blocks(
        plan,
        lambda cube: ranking_similarity(cube, coefficient=settings.coefficient),
        workers=config.workers,
        progress=progress,
        description="Bootstrap of similarity",
    )
    return Similarities(values, groups, np.concatenate(resamples))


def check(study: Study, settings: SimilaritySettings) -> Samples | None:
    """The items to resample, or None without a bootstrap; an `InputError` where the study does not allow it."""
    check_rankable(study)
    if not settings.resamples:
        return None
    return study.samples("a bootstrap over items")
