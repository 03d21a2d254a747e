"""Is a measure's ranking of systems the same on other items? Split halves, as in Amemiya & Sakai (2021), §5.2."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.stability.settings import StabilitySettings
from metaeval.errors import InputError
from metaeval.model.scores import ScoreCube
from metaeval.scoring.resamples import Samples, split_halves
from metaeval.stats.pair_counts import count_pairs, tau_b
from metaeval.stats.ratio import divide
from metaeval.stats.resample import generator, seed_for
from metaeval.stats.tests import randomised_tukey
from metaeval.study.study import COMPARING_NUMBERS, Study, Track, check_rankable
from metaeval.work.blocks import map_blocks


@dataclass(frozen=True)
class Consistency:
    """How alike two halves rank the systems.

    tau: Kendall's tau-b of the two rankings, (T, M); NaN where a ranking is constant.
    swaps: share of the pairs of systems that the halves order oppositely, (T, M).
    strata: tau-b within each stratum of systems, (T, K, M).
    """

    tau: NDArray[np.float64]
    swaps: NDArray[np.float64]
    strata: NDArray[np.float64]

    @classmethod
    def joined(cls, parts: Iterable[Consistency]) -> Consistency:
        """The trials of several blocks as one, in their order."""
        blocks = list(parts)
        return cls(
            np.concatenate([block.tau for block in blocks]),
            np.concatenate([block.swaps for block in blocks]),
            np.concatenate([block.strata for block in blocks]),
        )


def split_half_consistency(halves: ScoreCube, full: ScoreCube, *, strata: Sequence[int] = ()) -> Consistency:
    """Rank the systems on both halves of each trial, and compare.

    halves: axes ('trial', 'half'). full: the scores on all items, by which the strata are made: the first stratum
    holds the best systems of each measure, and so on. strata: their sizes, which add up to S; none for no strata.
    """
    if halves.axes != ("trial", "half") or full.axes:
        raise ValueError(f"axes {halves.axes} and {full.axes}")
    values = halves.oriented().values
    counts = count_pairs(values[:, 0], values[:, 1])
    bounds = np.cumsum([0, *strata])
    within = np.empty((len(values), len(strata), len(halves.measures)))
    for number, (begin, end) in enumerate(pairwise(bounds)):
        members = best_first(full)[:, begin:end]
        first, second = (np.take_along_axis(values[:, half], members[np.newaxis], axis=-1) for half in (0, 1))
        within[:, number] = tau_b(count_pairs(first, second))
    return Consistency(tau_b(counts), divide(counts.discordant, counts.pairs), within)


def best_first(full: ScoreCube) -> NDArray[np.intp]:
    """Systems of each measure from best to worst, (M, S); undefined ones last, equals in their given order."""
    return np.argsort(-full.oriented().values, axis=-1, kind="stable")


def thirds(systems: int) -> tuple[int, ...]:
    """Sizes of top, middle and bottom, as near equal as possible and the larger ones first.

    >>> thirds(14)
    (5, 5, 4)
    """
    return tuple(systems // 3 + (place < systems % 3) for place in range(3))


def check_strata(strata: Sequence[int], systems: int) -> None:
    """Raise an `InputError` where strata are not a partition of the systems."""
    if sum(strata) != systems or any(size < 1 for size in strata):
        raise InputError.at(
            found=f"strata {','.join(map(str, strata))} for {systems} systems",
            expected=f"sizes of at least 1 that add up to {systems}",
            hint=f"as in --strata {','.join(map(str, thirds(systems)))}" if systems >= 3 else "leave --strata out",
        )


@dataclass(frozen=True)
class Stabilities:
    """What an analysis of stability found.

    consistency: over all trials. p: of the differences between measures, (M, M), NaN for a measure without a value.
    complete: trials in which every measure that is ever defined was. curve: consistency by share of the items.
    """

    consistency: Consistency
    p: NDArray[np.float64]
    complete: int
    curve: tuple[tuple[float, Consistency], ...]


def analyse(study: Study, settings: StabilitySettings, *, track: Track) -> Stabilities:
    """Split, rank, compare."""
    samples, strata = check(study, settings)
    # Computed here, once: the whole study would have to go to whoever works on blocks elsewhere.
    scores = study.scores

    def consistency(share: float | None, strata: Sequence[int], doing: str) -> Consistency:
        plan = split_halves(
            samples,
            trials=settings.trials,
            seed=study.config.seed,
            share=share,
            stratified=settings.stratified,
            memory=study.config.block_memory,
        )
        return Consistency.joined(
            map_blocks(
                plan,
                lambda halves: split_half_consistency(halves, scores, strata=strata),
                workers=study.config.workers,
                track=track,
                doing=doing,
            )
        )

    found = consistency(None, strata, "Split halves")
    curve = tuple((share, consistency(share, (), f"Split halves of {share:g}")) for share in settings.sizes)
    p, complete = _differences(found.tau, settings, study.config.seed)
    return Stabilities(found, p, complete, curve)


def check(study: Study, settings: StabilitySettings) -> tuple[Samples, tuple[int, ...]]:
    """The items, and the sizes of the strata; an `InputError` where something does not go together."""
    check_rankable(study)
    samples = study.samples("stability", COMPARING_NUMBERS)
    if settings.stratified:
        _ = samples.classes  # which items of texts have none of
    return samples, strata_of(settings, len(study.systems))


def strata_of(settings: StabilitySettings, systems: int) -> tuple[int, ...]:
    """The sizes of the strata, best systems first: those of the settings, or thirds."""
    if settings.strata:
        check_strata(settings.strata, systems)
        return settings.strata
    return thirds(systems) if systems >= 3 else ()


def _differences(tau: NDArray[np.float64], settings: StabilitySettings, seed: int) -> tuple[NDArray[np.float64], int]:
    """p-values of Tukey's test between measures, on the trials in which all of them have a value."""
    measures = tau.shape[1]
    p = np.full((measures, measures), np.nan)
    known = np.flatnonzero(~np.isnan(tau).all(axis=0))
    complete = tau[:, known][~np.isnan(tau[:, known]).any(axis=1)]
    if len(known) and len(complete):
        random = generator(seed_for(seed, "tukey"))
        p[np.ix_(known, known)] = randomised_tukey(complete, replicates=settings.permutations, random=random)
    return p, len(complete)
