"""Agreement of the rankings on random halves of the items, as in Amemiya & Sakai (2021), §5.2."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.stability.agreement import SplitHalfAgreement
from metaeval.analyses.stability.gaps import Halves, pair_consistency, pair_samples
from metaeval.analyses.stability.settings import StabilitySettings
from metaeval.errors import InputError, setting
from metaeval.inference.clusters import Clusters
from metaeval.inference.statistics import Comparison, PairDeviations, compare_statistics
from metaeval.model.scores import ScoreCube
from metaeval.scoring.resamples import Samples, split_clusters, split_halves
from metaeval.stats.association import count_complete_pairs
from metaeval.stats.pair_counts import tau_b
from metaeval.stats.ratio import divide
from metaeval.study.capabilities import ITEM_SCORES
from metaeval.study.evidence import gather_evidence, named_clusters, units_of
from metaeval.study.study import Progress, Study, check_rankable
from metaeval.work.blocks import map_blocks

TRIALS_OF_NOTE = 200
"""Number of random halves of the clusters of a task, whose mean tau a note compares with that of halves of items."""


def split_half_consistency(
    halves: ScoreCube, full: ScoreCube, *, strata: Sequence[int] = (), ranked_as: float = math.nan
) -> SplitHalfAgreement:
    """Rank the systems on both halves of each trial, and compare the rankings of those with both scores defined.

    halves: axes ('trial', 'half'). full: the scores on all items, which define the strata: the first stratum has the
    best systems of each measure, and so on. strata: their sizes, which add up to S; empty for no strata. ranked_as: the
    oriented score by which an undefined one is ranked; NaN leaves it out.
    """
    if halves.axes != ("trial", "half") or full.axes:
        raise ValueError(f"axes {halves.axes} and {full.axes}")
    values, full = halves.filled(ranked_as).oriented().values, full.filled(ranked_as)
    counts = count_complete_pairs(values[:, 0], values[:, 1])
    within = np.empty((len(values), len(strata), len(halves.measures)))
    for number, (begin, end) in enumerate(pairwise(np.cumsum([0, *strata]))):
        members = best_first(full)[:, begin:end]
        first, second = (np.take_along_axis(values[:, half], members[np.newaxis], axis=-1) for half in (0, 1))
        within[:, number] = tau_b(count_complete_pairs(first, second))
    undefined = np.isnan(halves.values).sum(axis=(1, 3))
    return SplitHalfAgreement(tau_b(counts), divide(counts.discordant, counts.pairs), within, undefined)


def best_first(full: ScoreCube) -> NDArray[np.intp]:
    """Systems of each measure from best to worst, (M, S); undefined scores last, ties in the order of the systems."""
    return np.argsort(-full.oriented().values, axis=-1, kind="stable")


def thirds(systems: int) -> tuple[int, ...]:
    """Sizes of top, middle and bottom, as equal as possible, the larger ones first.

    >>> thirds(14)
    (5, 5, 4)
    """
    return tuple(systems // 3 + (place < systems % 3) for place in range(3))


def check_strata(strata: Sequence[int], systems: int) -> None:
    """Raise an `InputError` where strata are not a partition of the systems."""
    if sum(strata) != systems or any(size < 1 for size in strata):
        example = ",".join(map(str, thirds(systems)))
        raise InputError.at(
            found=f"strata {','.join(map(str, strata))} for {systems} systems",
            expected=f"sizes of at least 1 that add up to {systems}",
            hint=f"use {setting('strata', example)}, for example" if systems >= 3 else f"omit {setting('strata')}",
        )


@dataclass(frozen=True)
class Stabilities:
    """The stability of M measures.

    consistency: of all trials. expected: the test's estimate of the mean tau between halves of groups of items, (M,).
    comparison: of the expected values. curve: by share of the items. of_clusters: between halves of the clusters that
    the task declares, where the trials are of items; else None.
    """

    consistency: SplitHalfAgreement
    expected: NDArray[np.float64]
    comparison: Comparison
    curve: tuple[tuple[float, SplitHalfAgreement], ...]
    of_clusters: SplitHalfAgreement | None = None


def analyse(study: Study, settings: StabilitySettings, *, progress: Progress) -> Stabilities:
    """Split the items or their clusters, rank the systems on both halves, and compare the rankings."""
    samples, strata = check(study, settings)
    # Computed here, because worker processes should receive the scores and not the whole study.
    scores, config = study.scores, study.config

    def compare(halves: ScoreCube, strata: Sequence[int]) -> SplitHalfAgreement:
        return split_half_consistency(halves, scores, strata=strata, ranked_as=config.ranked_as)

    sources: list[tuple[Samples, Halves]] = [(samples, compare)]
    if study.has_gaps:
        items = study.need(ITEM_SCORES, "stability")
        places = range(len(items.measures))
        sources = [
            (pair_samples(items, place, memory=config.block_memory), pair_consistency(items, place)) for place in places
        ]

    def consistency(
        clusters: Sequence[Clusters], share: float | None, strata: Sequence[int], trials: int
    ) -> SplitHalfAgreement:
        shared: dict[str, Any] = {"trials": trials, "seed": config.seed, "share": share, "memory": config.block_memory}
        what = "halves" if share is None else f"halves of {share:g}"
        to_blocks: dict[str, Any] = {"workers": config.workers, "progress": progress, "description": f"Split {what}"}

        def of_source(samples: Samples, compare: Halves) -> SplitHalfAgreement:
            if clusters:
                of_pairs = split_clusters(samples, clusters, **shared)
                blocks = map_blocks(
                    of_pairs,
                    lambda pairs: SplitHalfAgreement.mean_of([compare(halves, strata) for halves in pairs]),
                    **to_blocks,
                )
            else:
                plan = split_halves(samples, stratified=settings.stratified, **shared)
                blocks = map_blocks(plan, lambda halves: compare(halves, strata), **to_blocks)
            return SplitHalfAgreement.joined(blocks)

        return SplitHalfAgreement.beside([of_source(*source) for source in sources])

    named, declared = named_clusters(study), study.origin.clusters
    whole = consistency(named, None, strata, settings.trials)
    curve = tuple((share, consistency(named, share, (), settings.trials)) for share in settings.sizes)
    of_clusters = None
    if not named and declared and all(len(each.sizes) > 1 for each in declared):
        of_clusters = consistency(declared, None, (), min(settings.trials, TRIALS_OF_NOTE))
    gathered = gather_evidence(study, "stability", permutations=settings.permutations)
    taus = [PairDeviations.of(each).expected_tau() for each in progress(gathered, "Tests of measures")]
    expected = np.array([value for value, _ in taus])
    chance = np.stack([by_chance for _, by_chance in taus], axis=1)
    comparison = compare_statistics(expected, chance, smallest_p=gathered[0].smallest_p)
    return Stabilities(whole, expected, comparison, curve, of_clusters)


def check(study: Study, settings: StabilitySettings) -> tuple[Samples, tuple[int, ...]]:
    """The items, and the sizes of the strata; an `InputError` where the settings do not fit the study."""
    check_rankable(study)
    samples = study.samples("stability")
    if settings.stratified:
        if named_clusters(study):
            raise InputError.at(
                found=f"{setting('stratified')} with halves of {units_of(study)}",
                expected="halves of items, because whole clusters do not keep the shares of the gold classes",
                hint=f"leave out {setting('stratified')}, or set {setting('clusters', 'none')}",
            )
        _ = samples.classes  # an error for items of texts, which have no classes
    return samples, strata_of(settings, len(study.systems))


def strata_of(settings: StabilitySettings, systems: int) -> tuple[int, ...]:
    """The sizes of the strata, best systems first: those of the settings, or thirds."""
    if settings.strata:
        check_strata(settings.strata, systems)
        return settings.strata
    return thirds(systems) if systems >= 3 else ()
