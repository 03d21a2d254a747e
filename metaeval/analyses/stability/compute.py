"""Agreement of the rankings on random halves of the items, as in Amemiya & Sakai (2021), §5.2."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np

from metaeval.analyses.stability.settings import StabilitySettings
from metaeval.arrays import Floats, Indices, Ints
from metaeval.errors import conflict, refuse, setting
from metaeval.grid import round_to_grid
from metaeval.inference.clusters import Clusters
from metaeval.inference.gaps import GapParts, order_on_common_items
from metaeval.inference.statistics import Comparison, PairDeviations, compare_statistics
from metaeval.model.scores import ItemScores, ScoreCube
from metaeval.scoring.parts import parts_of_item_scores
from metaeval.scoring.resamples import Samples, split_clusters, split_halves
from metaeval.scoring.table import ItemSamples
from metaeval.stats.association import count_complete_pairs
from metaeval.stats.intervals import defined_mean
from metaeval.stats.pairs import PairCounts, tau_b
from metaeval.stats.ratio import divide
from metaeval.study.capabilities import ITEM_SCORES
from metaeval.study.evidence import gather_evidence, named_clusters, units_of
from metaeval.study.study import Progress, Study, check_rankable
from metaeval.work.blocks import map_blocks

TRIALS_OF_NOTE = 200
"""Number of random halves of the clusters of a task, whose mean tau a note compares with that of halves of items."""

_BYTES_A_CELL = 32
"""Of the differences of a pair of systems on an item, while samples are drawn."""


class SplitHalfAgreement(NamedTuple):
    """Agreement of the rankings on two halves.

    tau: Kendall's tau-b of the two rankings, (T, M); NaN where a ranking is constant.
    discordant: share of the pairs of systems that the halves order oppositely, (T, M).
    strata: tau-b within each stratum of systems, (T, K, M).
    undefined: number of undefined scores of the two halves, (T, M).
    """

    tau: Floats
    discordant: Floats
    strata: Floats
    undefined: Ints

    @property
    def means(self) -> Floats:
        """Mean tau, (M,), on a grid: means of the same taus in another order would differ by rounding."""
        return round_to_grid(defined_mean(self.tau))

    @classmethod
    def mean_of(cls, pairs: Iterable[SplitHalfAgreement]) -> SplitHalfAgreement:
        """The mean of several pairs of halves in each trial, NaN where one is, and their undefined scores."""
        tau, discordant, strata, undefined = (np.stack(arrays) for arrays in zip(*pairs, strict=True))
        return cls(tau.mean(axis=0), discordant.mean(axis=0), strata.mean(axis=0), undefined.sum(axis=0))

    @classmethod
    def joined(cls, parts: Iterable[SplitHalfAgreement], axis: int = 0) -> SplitHalfAgreement:
        """The trials of several blocks in one, in their order; axis −1: the same trials under several measures."""
        return cls(*(np.concatenate(arrays, axis=axis) for arrays in zip(*parts, strict=True)))


class Compare(Protocol):
    """From the scores on both halves, with axes ('trial', 'half'), and the sizes of strata to the agreement."""

    def __call__(self, halves: ScoreCube, strata: Sequence[int]) -> SplitHalfAgreement:
        """The agreement in each trial."""


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


def best_first(full: ScoreCube) -> Indices:
    """Systems of each measure from best to worst, (M, S); undefined scores last, ties in the order of the systems."""
    return np.argsort(-full.oriented().values, axis=-1, kind="stable")


def thirds(systems: int) -> tuple[int, ...]:
    """Sizes of top, middle and bottom, as equal as possible, the larger ones first.

    >>> thirds(14)
    (5, 5, 4)
    """
    return tuple(systems // 3 + (stratum < systems % 3) for stratum in range(3))


def check_strata(strata: Sequence[int], systems: int) -> None:
    """Raise an `InputError` where strata are not a partition of the systems."""
    if sum(strata) != systems or any(size < 1 for size in strata):
        example = ",".join(map(str, thirds(systems)))
        found = f"strata {','.join(map(str, strata))} for {systems} systems"
        hint = f"use {setting('strata', example)}, for example" if systems >= 3 else f"omit {setting('strata')}"
        raise refuse(None, found, f"sizes of at least 1 that add up to {systems}", hint)


@dataclass(frozen=True)
class Stabilities:
    """The stability of M measures.

    consistency: of all trials. expected: the test's estimate of the mean tau between halves of groups of items, (M,).
    comparison: of the expected values. curve: by share of the items. of_clusters: between halves of the clusters that
    the task declares, where the trials are of items; else None.
    """

    consistency: SplitHalfAgreement
    expected: Floats
    comparison: Comparison
    curve: tuple[tuple[float, SplitHalfAgreement], ...]
    of_clusters: SplitHalfAgreement | None = None


def analyse(study: Study, settings: StabilitySettings, *, progress: Progress) -> Stabilities:
    """Split the items or their clusters, rank the systems on both halves, and compare the rankings."""
    samples, strata = check(study, settings)
    splits = _Splits(study, settings, _compared(study, samples), progress)
    named, declared = named_clusters(study), study.origin.clusters
    whole = splits.agreement(named, strata=strata, trials=settings.trials)
    curve = tuple((share, splits.agreement(named, share=share, trials=settings.trials)) for share in settings.sizes)
    of_clusters = None
    if not named and declared and all(len(clusters.sizes) > 1 for clusters in declared):
        of_clusters = splits.agreement(declared, trials=min(settings.trials, TRIALS_OF_NOTE))
    gathered = gather_evidence(study, "stability", permutations=settings.permutations)
    taus = [PairDeviations.of(evidence).expected_tau() for evidence in progress(gathered, "Tests of measures")]
    expected = np.array([value for value, _ in taus])
    chance = np.stack([by_chance for _, by_chance in taus], axis=1)
    comparison = compare_statistics(expected, chance, smallest_p=gathered[0].smallest_p)
    return Stabilities(whole, expected, comparison, curve, of_clusters)


def _compared(study: Study, samples: Samples) -> list[tuple[Samples, Compare]]:
    """The samples that are halved, and how their halves are compared: of all measures, or with gaps of each measure."""
    if study.has_gaps:
        scores, memory = study.need(ITEM_SCORES, "stability"), study.config.block_memory
        measures = range(len(scores.measures))
        return [(pair_samples(scores, index, memory=memory), pair_consistency(scores, index)) for index in measures]
    # Worker processes receive the scores and not the whole study.
    scores_of_all, ranked_as = study.scores, study.config.ranked_as

    def compare(halves: ScoreCube, strata: Sequence[int]) -> SplitHalfAgreement:
        return split_half_consistency(halves, scores_of_all, strata=strata, ranked_as=ranked_as)

    return [(samples, compare)]


@dataclass(frozen=True)
class _Splits:
    """Random halves of a study; compared: the samples that are halved, and how their halves are compared."""

    study: Study
    settings: StabilitySettings
    compared: Sequence[tuple[Samples, Compare]]
    progress: Progress

    def agreement(
        self, clusters: Sequence[Clusters], *, trials: int, strata: Sequence[int] = (), share: float | None = None
    ) -> SplitHalfAgreement:
        """The agreement on halves of the items, or of whole clusters; share: of the items in each half."""
        config = self.study.config
        drawn: dict[str, Any] = {"trials": trials, "seed": config.seed, "share": share, "memory": config.block_memory}
        halves = "halves" if share is None else f"halves of {share:g}"
        work: dict[str, Any] = {
            "workers": config.workers,
            "progress": self.progress,
            "description": f"Split {halves}",
        }
        measures = []
        for samples, compare in self.compared:
            if clusters:
                pairs = split_clusters(samples, clusters, **drawn)
                blocks = map_blocks(pairs, partial(_mean_of_pairs, compare, strata), **work)
            else:
                plan = split_halves(samples, stratified=self.settings.stratified, **drawn)
                blocks = map_blocks(plan, partial(compare, strata=strata), **work)
            measures.append(SplitHalfAgreement.joined(blocks))
        return SplitHalfAgreement.joined(measures, axis=-1)


def _mean_of_pairs(compare: Compare, strata: Sequence[int], pairs: Iterable[ScoreCube]) -> SplitHalfAgreement:
    return SplitHalfAgreement.mean_of([compare(halves, strata) for halves in pairs])


def check(study: Study, settings: StabilitySettings) -> tuple[Samples, tuple[int, ...]]:
    """The items, and the sizes of the strata; an `InputError` where the settings do not fit the study."""
    check_rankable(study)
    samples = study.samples("stability")
    if settings.stratified:
        if named_clusters(study):
            expected = "halves of items, because whole clusters do not keep the shares of the gold classes"
            hint = f"leave out {setting('stratified')}, or set {setting('clusters', 'none')}"
            raise refuse(None, conflict(setting("stratified"), f"halves of {units_of(study)}", expected, hint))
        _ = samples.classes  # an error for items of texts, which have no classes
    return samples, strata_of(settings, len(study.systems))


def strata_of(settings: StabilitySettings, systems: int) -> tuple[int, ...]:
    """The sizes of the strata, best systems first: those of the settings, or thirds."""
    if settings.strata:
        check_strata(settings.strata, systems)
        return settings.strata
    return thirds(systems) if systems >= 3 else ()


def pair_samples(scores: ItemScores, index: int, *, memory: int) -> ItemSamples:
    """Samples of the differences of each two systems under a measure, which stand in the place of systems."""
    one, other = np.triu_indices(len(scores.systems), k=1)
    needed = _BYTES_A_CELL * len(one) * len(scores.items)
    if needed > memory:
        found = (
            f"stability of {len(scores.systems):,} systems that lack scores of items, which needs "
            f"{needed / 2**20:,.0f} MB for the differences of all pairs"
        )
        hint = f"set {setting('memory')}, or drop items without all scores with {setting('on_missing', 'drop')}"
        raise refuse(None, found, f"at most {memory / 2**20:,.0f} MB", hint)
    values = scores.values[index : index + 1]
    names = tuple(f"{first}/{second}" for first, second in zip(one.tolist(), other.tolist(), strict=True))
    return ItemSamples(
        replace(
            scores,
            values=values[:, one] - values[:, other],
            measures=scores.measures[index : index + 1],
            systems=names,
            directions=scores.directions[index : index + 1],
            declared_units=(float(scores.units[index]),),
            gaps=True,
        )
    )


def pair_consistency(scores: ItemScores, index: int) -> Compare:
    """From samples of `pair_samples` on both halves to the agreement of the order of pairs on them."""
    parts = parts_of_item_scores(scores, np.zeros(len(scores.items), dtype=np.intp))[index]
    heights = order_on_common_items(parts)[0] if isinstance(parts, GapParts) else parts.scores
    ranking = np.argsort(-heights, kind="stable")
    one, other = np.triu_indices(len(scores.systems), k=1)

    def consistency(halves: ScoreCube, strata: Sequence[int]) -> SplitHalfAgreement:
        first, second = halves.values[:, 0], halves.values[:, 1]
        counts = _counts(first, second)
        within = np.empty((len(first), len(strata), 1))
        for number, (begin, end) in enumerate(pairwise(np.cumsum([0, *strata]))):
            members = ranking[begin:end]
            inside = np.isin(one, members) & np.isin(other, members)
            within[:, number] = tau_b(_counts(first[..., inside], second[..., inside]))
        undefined = np.isnan(halves.values).sum(axis=(1, 3))
        return SplitHalfAgreement(tau_b(counts), divide(counts.discordant, counts.pairs), within, undefined)

    return consistency


def _counts(first: Floats, second: Floats) -> PairCounts:
    """Counts of pairs with differences on both halves, (..., P) to (...)."""
    both = ~np.isnan(first) & ~np.isnan(second)
    one, other = (np.where(both, np.sign(half), 0.0) for half in (first, second))
    concordant, discordant = ((one * other == sign).sum(axis=-1) for sign in (1, -1))
    pairs = np.asarray(both.sum(axis=-1), dtype=np.int64)
    tied_x, tied_y = (pairs - np.count_nonzero(half, axis=-1) for half in (one, other))
    return PairCounts(concordant, discordant, tied_x, tied_y, pairs)
