"""Agreement of the rankings on random halves of the items, as in Amemiya & Sakai (2021), §5.2."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.stability.settings import StabilitySettings
from metaeval.errors import InputError, setting
from metaeval.inference.statistics import Comparison, PairDeviations, compare_statistics
from metaeval.model.scores import ScoreCube
from metaeval.scoring.resamples import Samples, split_halves
from metaeval.stats.pair_counts import count_pairs, tau_b
from metaeval.stats.ratio import divide
from metaeval.study.evidence import gather_evidence
from metaeval.study.study import Progress, Study, check_rankable
from metaeval.work.blocks import map_blocks


@dataclass(frozen=True)
class SplitHalfAgreement:
    """Agreement of the rankings on two halves.

    tau: Kendall's tau-b of the two rankings, (T, M); NaN where a ranking is constant.
    discordant: share of the pairs of systems that the halves order oppositely, (T, M).
    strata: tau-b within each stratum of systems, (T, K, M).
    """

    tau: NDArray[np.float64]
    discordant: NDArray[np.float64]
    strata: NDArray[np.float64]

    @classmethod
    def joined(cls, parts: Iterable[SplitHalfAgreement]) -> SplitHalfAgreement:
        """The trials of several blocks in one, in their order."""
        columns = zip(*((part.tau, part.discordant, part.strata) for part in parts), strict=True)
        return cls(*map(np.concatenate, columns))


def split_half_consistency(halves: ScoreCube, full: ScoreCube, *, strata: Sequence[int] = ()) -> SplitHalfAgreement:
    """Rank the systems on both halves of each trial, and compare the rankings.

    halves: axes ('trial', 'half'). full: the scores on all items, which define the strata: the first stratum has the
    best systems of each measure, and so on. strata: their sizes, which add up to S; empty for no strata.
    """
    if halves.axes != ("trial", "half") or full.axes:
        raise ValueError(f"axes {halves.axes} and {full.axes}")
    values = halves.oriented().values
    counts = count_pairs(values[:, 0], values[:, 1])
    within = np.empty((len(values), len(strata), len(halves.measures)))
    for number, (begin, end) in enumerate(pairwise(np.cumsum([0, *strata]))):
        members = best_first(full)[:, begin:end]
        first, second = (np.take_along_axis(values[:, half], members[np.newaxis], axis=-1) for half in (0, 1))
        within[:, number] = tau_b(count_pairs(first, second))
    return SplitHalfAgreement(tau_b(counts), divide(counts.discordant, counts.pairs), within)


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
    comparison: of the expected values. curve: by share of the items.
    """

    consistency: SplitHalfAgreement
    expected: NDArray[np.float64]
    comparison: Comparison
    curve: tuple[tuple[float, SplitHalfAgreement], ...]


def analyse(study: Study, settings: StabilitySettings, *, progress: Progress) -> Stabilities:
    """Split the items, rank the systems on both halves, and compare the rankings."""
    samples, strata = check(study, settings)
    # Computed here, because worker processes should receive the scores and not the whole study.
    scores = study.scores

    def consistency(share: float | None, strata: Sequence[int], description: str) -> SplitHalfAgreement:
        plan = split_halves(
            samples,
            trials=settings.trials,
            seed=study.config.seed,
            share=share,
            stratified=settings.stratified,
            memory=study.config.block_memory,
        )
        blocks = map_blocks(
            plan,
            lambda halves: split_half_consistency(halves, scores, strata=strata),
            workers=study.config.workers,
            progress=progress,
            description=description,
        )
        return SplitHalfAgreement.joined(blocks)

    whole = consistency(None, strata, "Split halves")
    curve = tuple((share, consistency(share, (), f"Split halves of {share:g}")) for share in settings.sizes)
    gathered = gather_evidence(study, "stability", permutations=settings.permutations)
    taus = [PairDeviations.of(each).expected_tau() for each in progress(gathered, "Tests of measures")]
    expected = np.array([value for value, _ in taus])
    chance = np.stack([by_chance for _, by_chance in taus], axis=1)
    return Stabilities(whole, expected, compare_statistics(expected, chance), curve)


def check(study: Study, settings: StabilitySettings) -> tuple[Samples, tuple[int, ...]]:
    """The items, and the sizes of the strata; an `InputError` where the settings do not fit the study."""
    check_rankable(study)
    samples = study.samples("stability")
    if settings.stratified:
        _ = samples.classes  # an error for items of texts, which have no classes
    return samples, strata_of(settings, len(study.systems))


def strata_of(settings: StabilitySettings, systems: int) -> tuple[int, ...]:
    """The sizes of the strata, best systems first: those of the settings, or thirds."""
    if settings.strata:
        check_strata(settings.strata, systems)
        return settings.strata
    return thirds(systems) if systems >= 3 else ()
