"""Do measures rank systems alike? As in Amemiya & Sakai (2021), §5.1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.similarity.settings import SimilaritySettings
from metaeval.model.scores import ScoreCube
from metaeval.scoring.resamples import Samples, bootstrap
from metaeval.stats.rank_correlation import COEFFICIENTS
from metaeval.stats.tests import letter
from metaeval.study.study import Study, Track, check_rankable
from metaeval.work.blocks import map_blocks


def ranking_similarity(cube: ScoreCube, *, coefficient: str = "kendall-b") -> NDArray[np.float64]:
    """Correlation of the rankings of every two measures, (..., M, M); NaN where one ranks all systems alike.

    cube: any axes. coefficient: a name of `stats.rank_correlation.COEFFICIENTS`.
    """
    correlate = COEFFICIENTS[coefficient]
    values = cube.oriented().values
    measures = len(cube.measures)
    one, other = np.triu_indices(measures)
    upper = correlate(values[..., one, :], values[..., other, :])
    similarity = np.empty((*values.shape[:-2], measures, measures))
    similarity[..., one, other] = upper
    similarity[..., other, one] = upper
    return similarity


@dataclass(frozen=True)
class Groups:
    """Measures that rank alike.

    order: the measures as leaves of the tree, those alike next to each other, (M,).
    letters: the group of each measure, A for the one that comes first in that order; '—' for a measure whose
        similarity to others is undefined.
    leaves: the measures that the tree is over, in the order of the rows of similarity: those with defined similarity.
    tree: the merges as SciPy's linkage matrix, which calls the leaves by their place in `leaves`.
    """

    order: tuple[int, ...]
    letters: tuple[str, ...]
    leaves: tuple[int, ...]
    tree: NDArray[np.float64]


def group_alike(similarity: NDArray[np.float64], *, cut: float = 0.5) -> Groups:
    """Average-linkage clustering of the measures on 1 − similarity, cut where groups are further apart than `cut`.

    similarity: (M, M).
    """
    from scipy.cluster.hierarchy import fcluster, leaves_list, linkage, optimal_leaf_ordering
    from scipy.spatial.distance import squareform

    measures = len(similarity)
    of_others = ~np.isnan(similarity) & ~np.eye(measures, dtype=np.bool_)
    known = np.flatnonzero(of_others.any(axis=1))
    letters = ["—"] * measures
    if len(known) < 2:
        return Groups(tuple(range(measures)), tuple(letters), (), np.empty((0, 4)))
    distance = 1 - similarity[np.ix_(known, known)]
    # Two measures whose similarity is unknown though each has one with others: no nearer than unrelated ones.
    distance = np.where(np.isnan(distance), 1.0, distance)
    np.fill_diagonal(distance, 0.0)
    condensed = squareform(distance, checks=False)
    tree = optimal_leaf_ordering(linkage(condensed, method="average"), condensed)
    leaves = [int(known[leaf]) for leaf in leaves_list(tree)]
    clusters = fcluster(tree, t=cut, criterion="distance")
    cluster_of = {int(measure): int(cluster) for measure, cluster in zip(known, clusters, strict=True)}
    names = {
        cluster: letter(place).upper()
        for place, cluster in enumerate(dict.fromkeys(cluster_of[leaf] for leaf in leaves))
    }
    for measure, cluster in cluster_of.items():
        letters[measure] = names[cluster]
    unknown = [measure for measure in range(measures) if measure not in cluster_of]
    return Groups((*leaves, *unknown), tuple(letters), tuple(known.tolist()), tree)


@dataclass(frozen=True)
class Similarities:
    """The similarity of the rankings of every two measures.

    values: (M, M). drawn: of bootstrap replicates, (R, M, M); R may be 0.
    """

    values: NDArray[np.float64]
    groups: Groups
    drawn: NDArray[np.float64]


def analyse(study: Study, settings: SimilaritySettings, *, track: Track) -> Similarities:
    """Correlate the rankings, group the measures, and repeat the correlations on bootstrap samples of the items."""
    samples = check(study, settings)
    values = ranking_similarity(study.scores, coefficient=settings.coefficient)
    groups = group_alike(values, cut=settings.cut)
    if samples is None:
        return Similarities(values, groups, np.empty((0, *values.shape)))
    config = study.config
    plan = bootstrap(samples, replicates=settings.resamples, seed=config.seed, memory=config.block_memory)
    drawn = np.concatenate(
        map_blocks(
            plan,
            lambda cube: ranking_similarity(cube, coefficient=settings.coefficient),
            workers=config.workers,
            track=track,
            doing="Bootstrap of similarity",
        )
    )
    return Similarities(values, groups, drawn)


def check(study: Study, settings: SimilaritySettings) -> Samples | None:
    """The items, where they are bootstrapped; an `InputError` where something does not go together."""
    check_rankable(study)
    if not settings.resamples:
        return None
    remedy = "say --resamples 0, or 'resamples: 0' under 'similarity:' in the config"
    return study.samples("a bootstrap over items", remedy)
