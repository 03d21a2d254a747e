"""Agreement of the rankings on random halves of the items, as in Amemiya & Sakai (2021), §5.2."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from metaeval.analyses.stability.settings import StabilitySettings
from metaeval.arrays import Floats, Ints
from metaeval.errors import conflict, refuse, setting
from metaeval.grid import round_to_grid
from metaeval.inference.clusters import Clusters
from metaeval.inference.statistics import OF_TAU, Comparison, PairDeviations, compare_statistics
from metaeval.model.scores import ItemScores, ScoreCube
from metaeval.scoring.resamples import Samples, split_clusters, split_halves
from metaeval.scoring.table import ItemSamples
from metaeval.stats.association import count_complete_pairs
from metaeval.stats.intervals import defined_deviation, defined_mean
from metaeval.stats.pairs import PairCounts, tau_b
from metaeval.stats.ratio import divide
from metaeval.study.capabilities import ITEM_SCORES
from metaeval.study.evidence import gather_evidence, named_clusters, units_of
from metaeval.study.study import Progress, Study, check_rankable
from metaeval.work.blocks import map_blocks

TRIALS_OF_NOTE = 200
"""Number of random halves of the clusters of a task, whose mean tau a note compares with that of halves of items."""

TIES = 0.25
"""Share of tied pairs, above the lowest share of any measure, from which a measure is not compared by its tau."""

REACH, ERRORS = 0.05, 3.0
"""Distance of the expected tau from the mean of the halves, beyond so many standard errors of this mean, from which it
is not used: where a cluster has a large share of the items, halves are not what it is computed for."""

_BYTES_A_CELL = 32
"""Of the differences of a pair of systems on an item, while samples are drawn."""


class SplitHalfAgreement(NamedTuple):
    """Agreement of the rankings on two halves.

    tau: Kendall's tau-b of the two rankings, (T, M); NaN where a ranking is constant.
    discordant: share of the pairs of systems that the halves order oppositely, (T, M).
    winner: probability that the best system of one half is that of the other, ties broken at random, (T, M).
    undefined: number of undefined scores of the two halves, (T, M).
    """

    tau: Floats
    discordant: Floats
    winner: Floats
    undefined: Ints

    @property
    def means(self) -> Floats:
        """Mean tau, (M,), on a grid: means of the same taus in another order would differ by rounding."""
        return round_to_grid(defined_mean(self.tau))

    @classmethod
    def mean_of(cls, pairs: Iterable[SplitHalfAgreement]) -> SplitHalfAgreement:
        """The mean of several pairs of halves in each trial, NaN where one is, and their undefined scores."""
        tau, discordant, winner, undefined = (np.stack(arrays) for arrays in zip(*pairs, strict=True))
        return cls(tau.mean(axis=0), discordant.mean(axis=0), winner.mean(axis=0), undefined.sum(axis=0))

    @classmethod
    def concatenate(cls, parts: Iterable[SplitHalfAgreement], axis: int = 0) -> SplitHalfAgreement:
        """The trials of several blocks in one, in their order; axis −1: the same trials under several measures."""
        return cls(*(np.concatenate(arrays, axis=axis) for arrays in zip(*parts, strict=True)))


Compare: TypeAlias = Callable[[ScoreCube], SplitHalfAgreement]
"""From the scores on both halves, with axes ('trial', 'half'), to the agreement in each trial."""


def split_half_consistency(halves: ScoreCube, *, ranked_as: float = math.nan) -> SplitHalfAgreement:
    """Rank the systems on both halves of each trial, and compare the rankings of those with both scores defined.

    halves: axes ('trial', 'half'). ranked_as: the oriented score by which an undefined one is ranked; NaN leaves it
    out.
    """
    if halves.axes != ("trial", "half"):
        raise ValueError(f"axes {halves.axes}")
    values = halves.filled(ranked_as).oriented().values
    counts = count_complete_pairs(values[:, 0], values[:, 1])
    winner = share_of_winners(values[:, 0], values[:, 1])
    undefined = np.isnan(halves.values).sum(axis=(1, 3))
    return SplitHalfAgreement(tau_b(counts), divide(counts.discordant, counts.pairs), winner, undefined)


def share_of_winners(first: Floats, second: Floats) -> Floats:
    """Probability that the best of one set of scores is the best of another, ties broken at random; (..., S) to (...).

    Systems with a score in one set only are left out; NaN where no system is left.

    >>> share_of_winners(np.array([[3.0, 2.0, 1.0], [3.0, 3.0, 1.0]]), np.array([9.0, 5.0, 7.0])).tolist()
    [1.0, 0.5]
    """
    first, second = np.broadcast_arrays(first, second)
    defined = ~(np.isnan(first) | np.isnan(second))
    best = []
    for scores in (first, second):
        highest = np.where(defined, scores, -np.inf).max(axis=-1, keepdims=True)
        best.append(defined & (scores == highest))
    pairs = best[0].sum(axis=-1) * best[1].sum(axis=-1)
    return divide((best[0] & best[1]).sum(axis=-1), pairs)


@dataclass(frozen=True)
class Stabilities:
    """The stability of M measures.

    consistency: of all trials. expected: the test's estimate of the mean tau between halves of groups of items, (M,);
    NaN for a measure that is not compared. comparison: of the expected values. ties: share of the pairs of systems that
    a measure ties on all items, (M,). curve: by share of the items. cluster_consistency: between halves of the
    clusters that the task declares, where the trials are of items; else None. untested: why a measure is not compared,
    (M,); '' if it is.
    """

    consistency: SplitHalfAgreement
    expected: Floats
    comparison: Comparison
    ties: Floats
    curve: tuple[tuple[float, SplitHalfAgreement], ...]
    cluster_consistency: SplitHalfAgreement | None
    untested: tuple[str, ...]


def analyse(study: Study, settings: StabilitySettings, *, progress: Progress) -> Stabilities:
    """Split the items or their clusters, rank the systems on both halves, and compare the rankings."""
    samples = check(study, settings)
    agreement = partial(_agreement, study, settings, _list_comparisons(study, samples), progress)
    user_clusters, declared = named_clusters(study), study.origin.clusters
    whole = agreement(user_clusters, trials=settings.trials)
    curve = tuple((share, agreement(user_clusters, share=share, trials=settings.trials)) for share in settings.sizes)
    cluster_consistency = None
    if not user_clusters and declared and all(len(clusters.sizes) > 1 for clusters in declared):
        cluster_consistency = agreement(declared, trials=min(settings.trials, TRIALS_OF_NOTE))
    evidence_by_measure = gather_evidence(study, "stability", permutations=settings.permutations)
    pairs = [PairDeviations.of(evidence) for evidence in evidence_by_measure]
    taus = [deviations.expected_tau() for deviations in progress(pairs, "Tests of measures")]
    expected, chance = (np.stack(values, axis=-1) for values in zip(*taus, strict=True))
    ties = np.array([float(divide((deviations.t == 0).sum(), len(deviations.t))) for deviations in pairs])
    # Stratified halves, and those of crossed clusters, are others than those of the expected tau.
    halves = None if settings.stratified or len(declared) > 1 else cluster_consistency or whole
    untested = reasons_against(expected, ties, halves)
    expected = np.where([bool(reason) for reason in untested], np.nan, expected)
    comparison = compare_statistics(expected, chance, scale=OF_TAU, smallest_p=evidence_by_measure[0].smallest_p)
    return Stabilities(
        consistency=whole,
        expected=expected,
        comparison=comparison,
        ties=ties,
        curve=curve,
        cluster_consistency=cluster_consistency,
        untested=untested,
    )


def reasons_against(expected: Floats, ties: Floats, halves: SplitHalfAgreement | None) -> tuple[str, ...]:
    """Why measures are not compared by their expected tau, (M,); '' for those that are.

    expected, ties: as in `Stabilities`. halves: trials whose mean tau the expected one should be; None without any.
    """
    reasons = [""] * len(expected)
    many = ties > np.nanmin(ties, initial=1.0) + TIES
    for index in np.flatnonzero(many).tolist():
        reasons[index] = f"it ties {100 * ties[index]:.0f} % of the pairs of systems, which tau-b leaves out"
    if halves is not None:
        means, trials = halves.means, (~np.isnan(halves.tau)).sum(axis=0)
        error = defined_deviation(halves.tau) / np.sqrt(np.maximum(trials, 1))
        far = np.abs(expected - means) > REACH + ERRORS * error
        for index in np.flatnonzero(far & ~many).tolist():
            both = f"an expected tau of {expected[index]:.2f} is not that of the halves, {means[index]:.2f}"
            reasons[index] = f"{both}: scores of halves are not approximately normal"
    return tuple(reasons)


def _list_comparisons(study: Study, samples: Samples) -> list[tuple[Samples, Compare]]:
    """The samples that are halved, and how their halves are compared: of all measures, or with gaps of each measure."""
    if study.has_gaps:
        scores, memory = study.need(ITEM_SCORES, "stability"), study.config.block_memory
        measures = range(len(scores.measures))
        compare = partial(pair_consistency, systems=len(scores.systems))
        return [(pair_samples(scores, index, memory=memory), compare) for index in measures]
    return [(samples, partial(split_half_consistency, ranked_as=study.config.ranked_as))]


def _agreement(
    study: Study,
    settings: StabilitySettings,
    comparisons: Sequence[tuple[Samples, Compare]],
    progress: Progress,
    clusters: Sequence[Clusters],
    *,
    trials: int,
    share: float | None = None,
) -> SplitHalfAgreement:
    """The agreement on random halves of the items, or of whole clusters; share: of the items in each half."""
    config, halves = study.config, "halves" if share is None else f"halves of {share:g}"
    sampling: dict[str, Any] = {"trials": trials, "seed": config.seed, "share": share, "memory": config.block_memory}
    work: dict[str, Any] = {"workers": config.workers, "progress": progress, "description": f"Split {halves}"}
    measures = []
    for samples, compare in comparisons:
        if clusters:
            pairs = split_clusters(samples, clusters, **sampling)
            blocks = map_blocks(pairs, partial(_mean_of_pairs, compare), **work)
        else:
            plan = split_halves(samples, stratified=settings.stratified, **sampling)
            blocks = map_blocks(plan, compare, **work)
        measures.append(SplitHalfAgreement.concatenate(blocks))
    return SplitHalfAgreement.concatenate(measures, axis=-1)


def _mean_of_pairs(compare: Compare, pairs: Iterable[ScoreCube]) -> SplitHalfAgreement:
    return SplitHalfAgreement.mean_of([compare(halves) for halves in pairs])


def check(study: Study, settings: StabilitySettings) -> Samples:
    """The items; an `InputError` where the settings do not fit the study."""
    check_rankable(study)
    samples = study.samples("stability")
    if settings.stratified:
        if named_clusters(study):
            expected = "halves of items, because whole clusters do not keep the shares of the gold classes"
            hint = f"leave out {setting('stratified')}, or set {setting('clusters', 'none')}"
            raise refuse(None, conflict(setting("stratified"), f"halves of {units_of(study)}", expected, hint))
        _ = samples.classes  # an error for items of texts, which have no classes
    return samples


def pair_samples(scores: ItemScores, index: int, *, memory: int) -> ItemSamples:
    """Samples of the differences of each two systems under a measure, which stand in the place of systems."""
    one, other = np.triu_indices(len(scores.systems), k=1)
    size = _BYTES_A_CELL * len(one) * len(scores.items)
    if size > memory:
        found = (
            f"stability of {len(scores.systems):,} systems that lack scores of items, which needs "
            f"{size / 2**20:,.0f} MB for the differences of all pairs"
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


def pair_consistency(halves: ScoreCube, *, systems: int) -> SplitHalfAgreement:
    """The agreement of the order of pairs on both halves, from samples of `pair_samples`.

    The best systems are those that are better than most of the others.
    """
    first, second = halves.values[:, 0], halves.values[:, 1]
    counts, pairs = _counts(first, second), np.arange(first.shape[-1])
    one, other = np.triu_indices(systems, k=1)
    incidence = np.zeros((len(pairs), systems))
    incidence[pairs, one], incidence[pairs, other] = 1.0, -1.0
    wins = [np.sign(np.nan_to_num(half)) @ incidence for half in (first, second)]
    undefined = np.isnan(halves.values).sum(axis=(1, 3))
    return SplitHalfAgreement(
        tau_b(counts), divide(counts.discordant, counts.pairs), share_of_winners(*wins), undefined
    )


def _counts(first: Floats, second: Floats) -> PairCounts:
    """Counts of pairs with differences on both halves, (..., P) to (...)."""
    both = ~np.isnan(first) & ~np.isnan(second)
    one, other = (np.where(both, np.sign(half), 0.0) for half in (first, second))
    concordant, discordant = ((one * other == sign).sum(axis=-1) for sign in (1, -1))
    pairs = np.asarray(both.sum(axis=-1), dtype=np.int64)
    tied_x, tied_y = (pairs - np.count_nonzero(half, axis=-1) for half in (one, other))
    return PairCounts(concordant, discordant, tied_x, tied_y, pairs)
