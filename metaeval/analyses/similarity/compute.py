"""Correlations of the rankings by each pair of measures (Amemiya & Sakai 2021, §5.1), also without their errors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from metaeval.analyses.sentences import ALPHA
from metaeval.analyses.similarity.settings import SimilaritySettings
from metaeval.arrays import Bools, Floats, Indices, Ints
from metaeval.errors import conflict, pluralize, refuse, setting
from metaeval.inference.agreement import (
    Agreement,
    compare_rankings,
    concatenate,
    corrected_tau,
    simultaneous_intervals,
)
from metaeval.inference.clusters import MAX_GROUPS
from metaeval.inference.conflicts import Conflicts
from metaeval.inference.gaps import GapParts, on_common_cells
from metaeval.inference.pairs import Evidence
from metaeval.model.scores import ItemScores, ScoreCube
from metaeval.scoring.parts import parts_of_item_scores
from metaeval.stats.correlation import RANK_COEFFICIENTS
from metaeval.stats.tests import compact_letters
from metaeval.study.capabilities import ITEM_SCORES, PARTS, GroupParts
from metaeval.study.evidence import evidence_of, gather_evidence, gather_evidence_of_runs
from metaeval.study.study import Progress, Study, check_rankable, refuse_long_work

MOST_DIFFERENCES = 1 << 31
"""Differences by chance under two measures that are computed at most, so that it takes seconds."""

FEWEST_SAMPLES = 99
"""Random sign changes that intervals rest on at least."""


def ranking_similarity(cube: ScoreCube, *, coefficient: str = "kendall-b") -> Floats:
    """Correlation of the rankings by each pair of measures, (..., M, M); NaN where one of them ties all systems.

    cube: with any leading axes. coefficient: a name of `stats.correlation.RANK_COEFFICIENTS`.
    """
    values = cube.oriented().values
    one, other = np.triu_indices(len(cube.measures))
    upper = RANK_COEFFICIENTS[coefficient](values[..., one, :], values[..., other, :])
    similarity = np.empty((*values.shape[:-1], len(cube.measures)))
    similarity[..., one, other] = similarity[..., other, one] = upper
    return similarity


@dataclass(frozen=True)
class Tree:
    """Average-linkage clustering of the measures on 1 − similarity.

    order: the measures as leaves of the tree, similar ones next to each other, (M,). leaves: the measures in the tree,
    which are those with defined similarities. merges: SciPy's linkage matrix, in which the leaves are numbered by their
    index in `leaves`.
    """

    order: tuple[int, ...]
    leaves: tuple[int, ...]
    merges: Floats


def cluster_measures(similarity: Floats) -> Tree:
    """The tree of the measures; similarity: (M, M)."""
    from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
    from scipy.spatial.distance import squareform

    measures = len(similarity)
    defined = ~np.isnan(similarity) & ~np.eye(measures, dtype=np.bool_)
    indices = np.flatnonzero(defined.any(axis=1))
    if len(indices) < 2:
        return Tree(tuple(range(measures)), (), np.empty((0, 4)))
    # Where only this pair is undefined, the measures count as unrelated.
    distance = 1 - np.nan_to_num(similarity[np.ix_(indices, indices)], nan=0.0)
    np.fill_diagonal(distance, 0.0)
    condensed = squareform(distance, checks=False)
    merges = optimal_leaf_ordering(linkage(condensed, method="average"), condensed)
    unknown = np.setdiff1d(np.arange(measures), indices)
    return Tree((*indices[leaves_list(merges)].tolist(), *unknown.tolist()), tuple(indices.tolist()), merges)


@dataclass(frozen=True)
class CorrectedSimilarity:
    """Kendall's tau of each pair of measures, corrected for the unreliability of both, with simultaneous intervals.

    All are (M, M), symmetric; NaN where a ranking is too unreliable, and on the diagonal.
    """

    tau: Floats
    low: Floats
    high: Floats

    @classmethod
    def of(cls, agreement: Agreement, one: Indices, other: Indices, *, smallest_p: float) -> CorrectedSimilarity:
        """From the agreement of pairs of measures, one and other.

        smallest_p: the smallest p-value that the groups of items allow; signs of too few groups show nothing.
        """
        tau, (low, high) = corrected_tau(agreement.ratio), simultaneous_intervals(agreement)
        if smallest_p > ALPHA:
            low, high = np.where(np.isnan(tau), np.nan, -1.0), np.where(np.isnan(tau), np.nan, 1.0)
        measures = int(other.max()) + 1
        matrices = np.full((3, measures, measures), np.nan)
        matrices[:, one, other] = matrices[:, other, one] = [tau, low, high]
        return cls(*matrices)


@dataclass(frozen=True)
class Relations:
    """How each two measures rank the systems; all (M, M).

    contested: number of pairs of systems that both order significantly and in opposite ways. different: some pair is
    contested, or the corrected tau is significantly below the margin. same: none is, and it is at least the margin.
    """

    contested: Ints
    different: Bools
    same: Bools

    @classmethod
    def of(cls, corrected: CorrectedSimilarity, contested: Ints, margin: float) -> Relations:
        """From the corrected tau and the contested pairs."""
        different = (contested > 0) | (corrected.high < margin)
        return cls(contested, different, (corrected.low >= margin) & ~different)

    def groups(self, order: Sequence[int], has_letter: Bools) -> list[str]:
        """Letters that two measures share exactly where they do not rank differently.

        order: of the letters. has_letter: measures that have some; others have a dash.
        """
        ranks = np.argsort(order).astype(np.float64)
        letters = compact_letters(np.where(has_letter, -ranks, np.nan), self.different)
        return [text.upper() or "—" for text in letters]


@dataclass(frozen=True)
class Similarities:
    """The similarity of the rankings by each pair of measures, (M, M).

    corrected, relations: None without permutations, and where items do not add to scores, as those of predicted
    numbers. letters: groups of the measures by them, '—' where the corrected tau is undefined. samples: number of
    random sign changes on which the intervals rest. cells: where systems lack scores, the number of cells that both
    measures have.
    """

    values: Floats
    tree: Tree
    corrected: CorrectedSimilarity | None
    relations: Relations | None
    letters: list[str]
    samples: int
    cells: Ints | None = None


def analyse(study: Study, settings: SimilaritySettings, *, progress: Progress) -> Similarities:
    """Correlate the rankings, cluster the measures, and correct for what chance adds to the rankings."""
    check(study, settings)
    rank_scores = study.scores.filled(study.config.ranked_as)
    values, cells = ranking_similarity(rank_scores, coefficient=settings.coefficient), None
    if study.has_gaps:
        values, cells = _on_common_cells(study, settings.coefficient)
    tree, corrected, relations = cluster_measures(values), None, None
    letters, samples = ["—"] * len(values), 0
    if settings.permutations and study.has(PARTS) and len(study.items) > 1 and len(study.measure_names) > 1:
        samples = samples_by_chance(study, settings.permutations)
        corrected = correct_similarity(study, settings, samples, progress=progress)
        evidence = gather_evidence_of_runs(study, "similarity", permutations=settings.permutations)
        relations = Relations.of(corrected, Conflicts.of(evidence, alpha=ALPHA).counts, settings.margin)
        letters = relations.groups(tree.order, np.asarray(~np.isnan(corrected.tau).all(axis=1)))
    return Similarities(values, tree, corrected, relations, letters=letters, samples=samples, cells=cells)


def _on_common_cells(study: Study, coefficient: str) -> tuple[Floats, Ints]:
    """The similarity of each pair of measures on the cells that both have, and the number of these, (M, M)."""
    scores = study.need(ITEM_SCORES, "similarity")
    present = (~np.isnan(scores.values)).reshape(len(scores.measures), -1).astype(np.float64)
    values, cells = np.empty((len(present), len(present))), np.rint(present @ present.T).astype(np.int64)
    for one, other in np.stack(np.triu_indices(len(present)), axis=1).tolist():
        cube = on_common_cells(scores, one, other).mean().filled(study.config.ranked_as)
        values[one, other] = values[other, one] = ranking_similarity(cube, coefficient=coefficient)[0, 1]
    return values, cells


def samples_by_chance(study: Study, permutations: int) -> int:
    """Number of random sign changes that intervals of the corrected tau of all pairs of measures rest on.

    Of very many pairs it is smaller than the number of permutations, which corrected taus themselves rest on, but at
    least `FEWEST_SAMPLES`. Raises an `InputError` where even this would take too long.
    """
    pairs = math.comb(len(study.measure_names), 2)
    differences = pairs * math.comb(len(study.systems), 2)
    if study.has_gaps:
        groups, samples = min(len(study.items), MAX_GROUPS), permutations
        nanoseconds = 5e6 * pairs + (30 + groups) * permutations * differences
    else:
        most = min(MOST_DIFFERENCES // max(1, differences), study.config.block_memory // (16 * max(1, pairs)))
        samples = min(permutations, max(FEWEST_SAMPLES, most))
        nanoseconds = 5e4 * pairs + (600.0 + 2 * samples) * differences
    found = f"similarity of {len(study.measure_names):,} measures of {pluralize(len(study.systems), 'system')}"
    refuse_long_work(nanoseconds, found, f"choose fewer measures, or set {setting('permutations', 0)}")
    return samples


def correct_similarity(
    study: Study, settings: SimilaritySettings, samples: int, *, progress: Progress
) -> CorrectedSimilarity:
    """The corrected tau of each pair of measures; samples: number of random sign changes for the intervals."""
    evidence = gather_evidence(study, "similarity", permutations=settings.permutations)
    one, other = np.triu_indices(len(evidence), k=1)
    if study.has_gaps:
        scores, first = study.need(ITEM_SCORES, "similarity"), np.array([0])
        agreement = concatenate(
            [
                compare_rankings(
                    _evidence_of(study, on_common_cells(scores, *pair), settings), first, first + 1, tau_by_chance=False
                )
                for pair in progress([*zip(one.tolist(), other.tolist(), strict=True)], "Agreement of rankings")
            ]
        )
    else:
        agreement = compare_rankings(evidence, one, other, tau_by_chance=False, trials=samples)
    return CorrectedSimilarity.of(agreement, one, other, smallest_p=evidence[0].smallest_p)


def _evidence_of(study: Study, scores: ItemScores, settings: SimilaritySettings) -> tuple[Evidence, ...]:
    parts = partial(parts_of_item_scores, scores)
    evidence = evidence_of(study, GroupParts(parts, parts), settings.permutations)
    for measure_evidence in evidence:
        if isinstance(measure_evidence.groupings[0], GapParts):
            measure_evidence.groupings[0].check_common(" and ".join(scores.measures), scores.systems)
    return evidence


def check(study: Study, settings: SimilaritySettings) -> None:
    """Raise an `InputError` where there is nothing to rank."""
    check_rankable(study)
    if settings.coefficient == "pearson" and study.config.undefined == "last":
        expected = "a coefficient of ranks, because a system that is ranked last has no score"
        hint = f"set {setting('undefined', 'skip')}, or {setting('coefficient', 'spearman')}"
        raise refuse(None, conflict(setting("undefined", "last"), setting("coefficient", "pearson"), expected, hint))
