"""Discriminative power, as in Sakai (2006, 2007, 2012)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metaeval.analyses.power.settings import PowerSettings
from metaeval.analyses.sentences import join_names
from metaeval.arrays import Bools, Floats, Ints
from metaeval.errors import conflict, refuse, setting
from metaeval.inference.gaps import GapParts
from metaeval.inference.pairs import Evidence, compare_pairs, critical_rank, share_reaching
from metaeval.inference.statistics import OF_POWER, Comparison, PairDeviations, compare_statistics
from metaeval.stats.pairs import all_pairs
from metaeval.stats.resample import generator, seed_for
from metaeval.stats.tests import ranges_by_chance
from metaeval.study.capabilities import ADDITIVE
from metaeval.study.evidence import check_testable, gather_evidence_of_runs
from metaeval.study.study import Progress, Study

TUKEY = "tukey"


@dataclass(frozen=True)
class Power:
    """The tests of all pairs of systems under a measure, in the order of `numpy.triu_indices`.

    difference: oriented, (P,). raw, p: p-values by themselves and adjusted for all pairs, (P,). threshold: every larger
    difference is significant. common_items: where systems lack scores, the number of items that both have, (P,).
    """

    difference: Floats
    raw: Floats
    p: Floats
    threshold: float
    common_items: Ints | None = None

    def different(self, *, alpha: float) -> Bools:
        """Which pairs are significantly different, (P,)."""
        return np.asarray(self.p <= alpha)

    def share(self, *, alpha: float) -> float:
        """Discriminative power: the share of significantly different pairs among those with a p-value."""
        pairs = int((~np.isnan(self.p)).sum())
        return float(self.different(alpha=alpha).sum() / pairs) if pairs else float("nan")

    def smallest(self, *, alpha: float) -> float:
        """The smallest significant difference; NaN where there is none."""
        significant = np.abs(self.difference[self.different(alpha=alpha)])
        return float(significant.min()) if len(significant) else float("nan")


@dataclass(frozen=True)
class Powers:
    """The power of every measure.

    expected: likely share of significant pairs if the differences on the items are the true ones, (M,); NaN with
    Tukey's test. comparison: of the expected shares, None with Tukey's test.
    """

    measures: tuple[Power, ...]
    expected: Floats
    comparison: Comparison | None


def power_by_tukey(items: Floats, *, permutations: int, seed: np.random.SeedSequence, alpha: float) -> Power:
    """Randomised Tukey HSD, whose level holds for all pairs together (Carterette 2012; Sakai 2012).

    items: oriented scores of single items, (S, N). The pairs of a system with a missing score are not tested.
    """
    scores = items.mean(axis=1)
    ranges = np.sort(ranges_by_chance(items, resamples=permutations, random=generator(seed)))
    one, other = all_pairs(len(items)).T
    value = scores[one] - scores[other]
    p = np.where(np.isnan(value), np.nan, share_reaching(np.abs(value), ranges))
    rank = critical_rank(len(ranges), alpha)
    return Power(value, np.full(len(p), np.nan), p, float(ranges[-rank]) if rank else float("nan"))


def power_by_signs(evidence: Evidence, *, alpha: float) -> tuple[Power, float, Floats]:
    """Permutation tests of all pairs; and the expected power, on the items and on other samples of them, (T,)."""
    tests = compare_pairs(evidence, alpha=alpha)
    threshold = float(np.nanmax(tests.threshold)) if not np.isnan(tests.threshold).all() else float("nan")
    value, chance = PairDeviations.of(evidence).expected_power(tests.criticals)
    parts = evidence.groupings[0]
    common_items = parts.common(tests.one, tests.other) if isinstance(parts, GapParts) else None
    return Power(tests.difference, tests.raw, tests.p, threshold, common_items), value, chance


def check(study: Study, settings: PowerSettings) -> None:
    """Raise an `InputError` where nothing can be tested, or the test does not fit a measure."""
    check_testable(study)
    if settings.test != TUKEY:
        return
    test = setting("test", TUKEY)
    if study.has_gaps:
        expected = "every score, because systems are permuted within items"
        hint = f"use {setting('test', 'permutation')}, or {setting('on_missing', 'drop')}"
        raise refuse(None, conflict(test, "systems that lack scores of items", expected, hint))
    additive = study.need(ADDITIVE, test)
    others = [name for index, name in enumerate(study.measure_names) if index not in additive.indices]
    if others:
        remedy = f"use {setting('test', 'permutation')}, or omit these measures"
        raise refuse(None, conflict(test, join_names(others), "measures that are means over items", remedy))


def analyse(study: Study, settings: PowerSettings, *, progress: Progress) -> Powers:
    """Test the difference of each two systems under every measure."""
    check(study, settings)
    alpha = settings.alpha
    if settings.test == TUKEY:
        additive, seed = study.need(ADDITIVE, "power"), seed_for(study.config.seed, "power")
        powers = [
            power_by_tukey(additive.worths(index), permutations=settings.permutations, seed=seed, alpha=alpha)
            for index in progress(additive.indices, "Permutations of systems")
        ]
        return Powers(tuple(powers), np.full(len(powers), np.nan), None)
    by_measure = gather_evidence_of_runs(study, "power", permutations=settings.permutations)
    results = [power_by_signs(evidence, alpha=alpha) for evidence in progress(by_measure, "Tests of differences")]
    powers, expected, chance = (list(values) for values in zip(*results, strict=True))
    comparison = compare_statistics(
        np.array(expected),
        np.stack(chance, axis=1),
        scale=OF_POWER,
        smallest_p=by_measure[0].smallest_p,
    )
    return Powers(tuple(powers), np.array(expected), comparison)
