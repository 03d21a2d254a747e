"""Which systems are better than which?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.compare.settings import DEFAULT_RESAMPLES, MAX_RESAMPLES, CompareSettings
from metaeval.analyses.compare.tiers import Ranks, adjusted, rank_intervals
from metaeval.errors import InputError, UnknownName
from metaeval.stats.pairs import (
    Differences,
    Pairs,
    all_pairs,
    fewest_resamples,
    mcnemar,
    p_of_ranges,
    paired_bootstrap,
    simultaneous_p,
    swapped,
)
from metaeval.stats.resample import seed_for
from metaeval.stats.tests import ranges_by_chance
from metaeval.study.capabilities import ADDITIVE, CORRECT, SWAPS
from metaeval.study.differences import bootstrap_scores, check_testable
from metaeval.study.study import Study, Track

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Comparison:
    """What one measure says of pairs of systems.

    differences: oriented, of the pairs. adjusted: their p-values for the whole family. ranks: of the systems compared.
    """

    differences: Differences
    adjusted: Numbers
    ranks: Ranks


@dataclass(frozen=True)
class McNemar:
    """Items that only one of two systems gets right, and McNemar's p; all (P,)."""

    only_one: NDArray[np.int64]
    only_other: NDArray[np.int64]
    p: Numbers


@dataclass(frozen=True)
class Comparisons:
    """What was found of pairs of systems by every measure.

    systems: places of those compared, (K,). pairs: places of two each, (P, 2). all_pairs: whether these are all.
    resamples: how many were taken. mcnemar: None where there are no labels.
    """

    systems: NDArray[np.intp]
    pairs: Pairs
    all_pairs: bool
    resamples: int
    measures: Sequence[Comparison]
    mcnemar: McNemar | None


def check(study: Study, settings: CompareSettings) -> None:
    """Raise an `InputError` where nothing can be tested, or an `UnknownName` where a system that was named is none."""
    check_testable(study)
    _systems_of(study, settings)
    if settings.test == "permutation":
        study.need(SWAPS, "--test permutation")


def analyse(study: Study, settings: CompareSettings, *, track: Track) -> Comparisons:
    """Differences of pairs of systems under every measure, with intervals and p-values, and ranks of the systems."""
    check(study, settings)
    systems = _systems_of(study, settings)
    every = compares_all(settings, len(systems))
    pairs = systems[all_pairs(len(systems))] if every else _with_first(systems)
    resamples = resamples_for(settings, len(pairs))
    # Ranks and intervals come of a bootstrap, whatever the test.
    drawn = bootstrap_scores(study, resamples, track=track)
    scores = study.scores.oriented().values
    differences = [
        paired_bootstrap(of_all, drawn[:, place], pairs, alpha=settings.alpha) for place, of_all in enumerate(scores)
    ]
    if settings.test == "permutation":
        differences = _by_swaps(study, settings.alpha, resamples, pairs, differences, track)
    measures = []
    for place, of_measure in enumerate(track(differences, "Tests")):
        if settings.test == "tukey":
            p = _tukey(study, place, Family(systems, pairs, drawn[:, place]))
        else:
            p = adjusted(of_measure.p, adjust=settings.correction)
        measures.append(Comparison(of_measure, p, rank_intervals(scores[place, systems], drawn[:, place, systems])))
    return Comparisons(systems, pairs, every, resamples, measures, _mcnemar(study, pairs))


def compares_all(settings: CompareSettings, systems: int) -> bool:
    """Whether each of so many systems is compared with each."""
    return settings.all_pairs if settings.all_pairs is not None else not settings.systems and systems > 2


def resamples_for(settings: CompareSettings, pairs: int) -> int:
    """How many resamples so many pairs are tested with.

    Unless the settings say it, enough for the smallest adjusted p to be half of alpha.

    >>> [resamples_for(CompareSettings(), pairs) for pairs in (1, 300, 5000)]
    [5000, 11999, 50000]
    """
    if settings.resamples is not None:
        return settings.resamples
    adjusts = settings.test != "tukey" and settings.correction != "none"
    enough = fewest_resamples(pairs if adjusts else 1, alpha=settings.alpha / 2)
    return min(MAX_RESAMPLES, max(DEFAULT_RESAMPLES, enough))


@dataclass(frozen=True)
class Family:
    """What is tested together under one measure: systems (K,), pairs of them (P, 2), scores of samples (B, S)."""

    systems: NDArray[np.intp]
    pairs: Pairs
    drawn: Numbers


def _systems_of(study: Study, settings: CompareSettings) -> NDArray[np.intp]:
    """Places of the systems that are compared, (K,): those that were named, in that order, else all."""
    for name in settings.systems:
        if name not in study.systems:
            raise UnknownName("system", name, study.systems)
    places = [study.systems.index(name) for name in dict.fromkeys(settings.systems)] or list(range(len(study.systems)))
    if len(places) < 2:
        raise InputError.at(
            found=f"one system ({study.systems[places[0]]}) to compare",
            expected="at least two",
            hint="name another one with --system",
        )
    return np.array(places, dtype=np.intp)


def _with_first(systems: NDArray[np.intp]) -> Pairs:
    return np.stack([np.repeat(systems[:1], len(systems) - 1), systems[1:]], axis=1)


def _tukey(study: Study, place: int, family: Family) -> Numbers:
    """Tukey's p-values: from permutations where the measure is a mean over items, else from the bootstrap."""
    scores = study.scores.oriented().values[place]
    additive = study.find(ADDITIVE)
    if additive is None or place not in additive.places:
        return simultaneous_p(scores, family.drawn, family.pairs)
    ranges = ranges_by_chance(
        additive.worths(place)[family.systems],
        resamples=len(family.drawn),
        seed=seed_for(study.config.seed, "power"),
    )
    return p_of_ranges(np.abs(scores[family.pairs[:, 0]] - scores[family.pairs[:, 1]]), ranges)


def _by_swaps(
    study: Study, alpha: float, resamples: int, pairs: Pairs, of_bootstrap: Sequence[Differences], track: Track
) -> list[Differences]:
    """The differences with the p-values of swaps, by measure; the intervals stay those of the bootstrap."""
    seeds = seed_for(study.config.seed, "swaps").spawn(len(pairs))
    values = np.array([differences.value for differences in of_bootstrap])
    swaps = study.need(SWAPS, "--test permutation")
    # Pair by pair, because the swaps of all pairs at once could fill the memory.
    of_pairs = [
        swapped(values[:, place], swaps((one, other), resamples, seed), alpha=alpha)
        for place, ((one, other), seed) in enumerate(
            zip(track(pairs.tolist(), "Swaps between systems"), seeds, strict=True)
        )
    ]
    return [
        replace(
            differences,
            p=np.array([of_pair.p[measure] for of_pair in of_pairs]),
            critical=np.array([of_pair.critical[measure] for of_pair in of_pairs]),
            undefined=np.array([of_pair.undefined[measure] for of_pair in of_pairs]),
        )
        for measure, differences in enumerate(of_bootstrap)
    ]


def _mcnemar(study: Study, pairs: Pairs) -> McNemar | None:
    labels = study.find(CORRECT)
    if labels is None:
        return None
    correct, multiplicities = labels.correct, labels.multiplicities
    both = (correct * multiplicities @ correct.T).astype(np.int64)[pairs[:, 0], pairs[:, 1]]
    of_each = (correct @ multiplicities).astype(np.int64)
    only_one, only_other = of_each[pairs[:, 0]] - both, of_each[pairs[:, 1]] - both
    return McNemar(only_one, only_other, mcnemar(only_one, only_other))
