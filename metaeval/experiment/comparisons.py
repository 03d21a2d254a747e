"""Which systems are better than which?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from metaeval.config import CompareConfig, ExperimentConfig
from metaeval.errors import InputError, UnknownName
from metaeval.experiment.comparison_tables import comparison_tables
from metaeval.io.dataset import Track
from metaeval.meta.comparison import Ranks, adjusted, rank_intervals
from metaeval.model.labels import LabelledRuns, PatternRuns
from metaeval.model.report import Report
from metaeval.scoring.swaps import swapped_items, swapped_labels
from metaeval.stats.pairs import (
    Differences,
    Pairs,
    all_pairs,
    mcnemar,
    p_of_ranges,
    paired_bootstrap,
    simultaneous_p,
    swapped,
)
from metaeval.stats.resample import seed_for
from metaeval.stats.tests import ranges_by_chance
from metaeval.study.bootstrap import bootstrap_scores, check_testable
from metaeval.study.item_means import means_over_items, oriented_items
from metaeval.study.items import ItemStudy
from metaeval.study.labels import LabelStudy
from metaeval.study.read import read_study
from metaeval.study.study import Study, silently

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
class Right:
    """Items that only one of two systems gets right, and McNemar's p; all (P,)."""

    only_one: NDArray[np.int64]
    only_other: NDArray[np.int64]
    p: Numbers


@dataclass(frozen=True)
class Comparisons:
    """What was found of pairs of systems by every measure.

    systems: places of those compared, (K,). pairs: places of two each, (P, 2). all_pairs: whether these are all.
    resamples: how many were taken. right: None where there are no labels.
    """

    systems: NDArray[np.intp]
    pairs: Pairs
    all_pairs: bool
    resamples: int
    measures: Sequence[Comparison]
    right: Right | None


def compare(config: ExperimentConfig, *, command_line: str = "", track: Track = silently) -> Report:
    """Differences of systems under every measure, with intervals and p-values; ranks with intervals, and tiers.

    Table `comparisons`: measure, system, other, difference, low, high, p, p_adjusted, better. Table `wins`: system,
    other, wins, losses, undecided. Where all pairs are compared, table `tiers_by_measure`: system, one a measure; and
    table `tiers`: measure, system, score, rank, rank_low, rank_high, tier, letters. Table `mcnemar` of labels: system,
    other, only_system, only_other, p.
    """
    study = read_study(config, track=track)
    part = comparison_tables(study, find_comparisons(study, track=track))
    section = study.config.compare or CompareConfig()
    return study.report("compare", part, command_line=command_line, sections=[section])


def check_compare(study: Study) -> None:
    """Raise an `InputError` where nothing can be tested, or an `UnknownName` where a system that was named is none."""
    check_testable(study)
    _chosen(study)
    wanted = study.config.compare or CompareConfig()
    if (
        wanted.test == "permutation"
        and isinstance(study, LabelStudy)
        and not isinstance(study.runs, (LabelledRuns, PatternRuns))
    ):
        raise InputError.at(
            found="--test permutation, and items that are not held one by one",
            expected="items whose answers can be swapped",
            hint="say --test bootstrap",
        )


def find_comparisons(study: Study, *, track: Track) -> Comparisons:
    """Compute what `compare` tells."""
    check_compare(study)
    wanted = study.config.compare or CompareConfig()
    systems = _chosen(study)
    every = wanted.compares_all(len(systems))
    pairs = systems[all_pairs(len(systems))] if every else _with_first(systems)
    resamples = wanted.resamples_for(len(pairs))
    # Ranks and intervals come of a bootstrap, whatever the test.
    drawn = bootstrap_scores(study, resamples, track=track)
    scores = study.scores.oriented().values
    found = [
        paired_bootstrap(of_all, drawn[:, place], pairs, alpha=wanted.alpha) for place, of_all in enumerate(scores)
    ]
    if wanted.test == "permutation":
        found = _by_swaps(study, wanted.alpha, resamples, pairs, found, track)
    adjusting = _tukey if wanted.test == "tukey" else _adjusted
    measures = [
        Comparison(
            differences,
            adjusting(study, place, Family(systems, pairs, drawn[:, place]), differences),
            rank_intervals(scores[place, systems], drawn[:, place, systems]),
        )
        for place, differences in enumerate(track(found, "Tests"))
    ]
    return Comparisons(systems, pairs, every, resamples, measures, _right(study, pairs))


@dataclass(frozen=True)
class Family:
    """What is tested together under one measure: systems (K,), pairs of them (P, 2), scores of samples (B, S)."""

    systems: NDArray[np.intp]
    pairs: Pairs
    drawn: Numbers


def _chosen(study: Study) -> NDArray[np.intp]:
    """Which systems are compared, (K,): those that were named, in that order, else all."""
    wanted = study.config.compare or CompareConfig()
    for name in wanted.systems:
        if name not in study.systems:
            raise UnknownName("system", name, study.systems)
    places = [study.systems.index(name) for name in dict.fromkeys(wanted.systems)] or list(range(len(study.systems)))
    if len(places) < 2:
        raise InputError.at(
            found=f"one system ({study.systems[places[0]]}) to compare",
            expected="at least two",
            hint="name another one with --system",
        )
    return np.array(places, dtype=np.intp)


def _with_first(systems: NDArray[np.intp]) -> Pairs:
    return np.stack([np.repeat(systems[:1], len(systems) - 1), systems[1:]], axis=1)


def _adjusted(study: Study, _place: int, _family: Family, differences: Differences) -> Numbers:
    """The p-values corrected for how many pairs there are."""
    return adjusted(differences.p, adjust=(study.config.compare or CompareConfig()).adjust)


def _tukey(study: Study, place: int, family: Family, _differences: Differences) -> Numbers:
    """Tukey's p-values: from permutations where the measure is a mean over items, else from the bootstrap."""
    scores = study.scores.oriented().values[place]
    if place not in means_over_items(study):
        return simultaneous_p(scores, family.drawn, family.pairs)
    ranges = ranges_by_chance(
        oriented_items(study, place)[family.systems],
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
    # Pair by pair, because the swaps of all pairs at once could fill the memory.
    of_pairs = [
        swapped(values[:, place], _swaps(study, resamples, pair, seed), alpha=alpha)
        for place, (pair, seed) in enumerate(zip(track(pairs.tolist(), "Swaps between systems"), seeds, strict=True))
    ]
    return [
        replace(
            differences,
            p=np.array([found.p[measure] for found in of_pairs]),
            critical=np.array([found.critical[measure] for found in of_pairs]),
            undefined=np.array([found.undefined[measure] for found in of_pairs]),
        )
        for measure, differences in enumerate(of_bootstrap)
    ]


def _swaps(study: Study, resamples: int, pair: Sequence[int], seed: np.random.SeedSequence) -> Numbers:
    """Oriented differences of two systems after swaps, (M, B)."""
    one, other = pair
    if isinstance(study, LabelStudy):
        assert isinstance(study.runs, (LabelledRuns, PatternRuns))
        return swapped_labels(study.runs, (one, other), study.measures, resamples=resamples, seed=seed)
    assert isinstance(study, ItemStudy)
    signs = np.array([direction.sign for direction in study.scores.directions])[:, np.newaxis]
    items = (study.item_scores.values[:, one] - study.item_scores.values[:, other]) * signs
    return swapped_items(items, resamples=resamples, seed=seed)


def _right(study: Study, pairs: Pairs) -> Right | None:
    if not (isinstance(study, LabelStudy) and isinstance(study.runs, (LabelledRuns, PatternRuns))):
        return None
    right = (study.runs.predicted == study.runs.gold).astype(np.float64)
    items = study.runs.multiplicities if isinstance(study.runs, PatternRuns) else np.ones(right.shape[1], dtype=np.intp)
    both = (right * items @ right.T).astype(np.int64)[pairs[:, 0], pairs[:, 1]]
    alone = (right @ items).astype(np.int64)
    only_one, only_other = alone[pairs[:, 0]] - both, alone[pairs[:, 1]] - both
    return Right(only_one, only_other, mcnemar(only_one, only_other))
