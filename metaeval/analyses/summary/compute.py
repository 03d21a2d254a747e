"""The criteria for measures side by side, without a weighting, as in Table 7 of Amemiya & Sakai (2021)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from metaeval.analyses.correlate import compute as correlate
from metaeval.analyses.correlate.compute import Correlations, first_human_correlations
from metaeval.analyses.correlate.settings import CorrelateSettings
from metaeval.analyses.merge_classes import compute as merge_classes
from metaeval.analyses.merge_classes.compute import MergeEffects
from metaeval.analyses.merge_classes.settings import MergeSettings
from metaeval.analyses.power import compute as power
from metaeval.analyses.power.compute import Powers
from metaeval.analyses.power.settings import PowerSettings
from metaeval.analyses.robustness import compute as robustness
from metaeval.analyses.robustness.compute import Robustness, gamed_share
from metaeval.analyses.robustness.settings import RobustnessSettings
from metaeval.analyses.sentences import ALPHA
from metaeval.analyses.similarity import compute as similarity
from metaeval.analyses.similarity.settings import SimilaritySettings
from metaeval.analyses.stability import compute as stability
from metaeval.analyses.stability.compute import Stabilities
from metaeval.analyses.stability.settings import StabilitySettings
from metaeval.analyses.summary.settings import SummarySettings
from metaeval.arrays import Bools, Floats
from metaeval.errors import InputError
from metaeval.inference.statistics import compare_statistics
from metaeval.settings import AnalysisSettings
from metaeval.stats.rank import competition_ranks
from metaeval.stats.tests import compact_letters
from metaeval.study.study import Study

SAMPLES = 200
"""Other samples of the items on which Pareto-optimal measures are counted."""

REQUIRED = "similarity"
"""The analysis that the summary cannot do without."""


def select(study: Study, settings: SummarySettings) -> list[AnalysisSettings]:
    """The settings of the analyses whose results the summary combines: of all that apply to the study."""
    return [options for options, reason in candidates(study, settings) if not reason]


def candidates(study: Study, settings: SummarySettings) -> list[tuple[AnalysisSettings, str]]:
    """The settings of the analyses that the summary can combine, and why one does not apply, '' where it does.

    An analysis with settings of its own in the experiment is not left out: its error is shown.
    """
    config, trials = study.config, settings.trials
    checks: dict[type[AnalysisSettings], Callable[[Study, Any], Any]] = {
        SimilaritySettings: similarity.check,
        StabilitySettings: stability.check,
        PowerSettings: power.check,
        MergeSettings: merge_classes.check,
        RobustnessSettings: robustness.check,
        **({CorrelateSettings: correlate.check} if config.data.human else {}),
    }
    sections: list[tuple[AnalysisSettings, str]] = []
    for kind, check in checks.items():
        options = config.settings_of(kind)
        options = options.overlaid(trials=trials) if kind in (StabilitySettings, MergeSettings) else options
        reason = ""
        try:
            check(study, options)
        except InputError as error:
            if options.section == REQUIRED or config.section(options.section) is not None:
                raise
            reason = f"{error.problems[0].found}; expected {error.problems[0].expected}"
        sections.append((options, reason))
    return sections


@dataclass(frozen=True)
class Criterion:
    """A criterion of M measures.

    values, low, high: as the analysis prints them, with the 95 % interval on other items, (M,). statistic: what is
    tested, in the same direction, (M,). p: adjusted p-values of its differences, (M, M). samples: the statistic on
    other samples of the items, (T, M).
    """

    values: Floats
    low: Floats
    high: Floats
    statistic: Floats
    p: Floats
    higher_is_better: bool
    samples: Floats

    @property
    def resampled(self) -> Floats:
        """The statistic on other samples of the items, at least one, higher is better, (T, M)."""
        return self._oriented(self.statistic + self.samples - self.samples.mean(axis=0))

    @property
    def ranks(self) -> Floats:
        """Ranks of the values from 1, the best first; NaN without a value."""
        values = self._oriented(self.values)
        return np.where(np.isnan(values), np.nan, competition_ranks(values))

    @property
    def letters(self) -> list[str]:
        """Letters that two measures share exactly where they are not significantly different."""
        return compact_letters(self._oriented(self.statistic), self.p <= ALPHA)

    @property
    def better(self) -> Bools:
        """Whether the measure of the row is significantly better than that of the column, (M, M)."""
        return np.asarray(self.at_least & (self.p <= ALPHA))

    @property
    def at_least(self) -> Bools:
        """Whether the statistic of the measure of the row is at least as good as that of the column, (M, M)."""
        statistic = self._oriented(self.statistic)
        return np.asarray(statistic[:, np.newaxis] >= statistic)

    def _oriented(self, values: Floats) -> Floats:
        return values if self.higher_is_better else -values


def pareto_optimal(one: Criterion, other: Criterion) -> Bools:
    """Measures than which no other one is significantly better in one criterion and at least as good in the other."""
    worse = (one.better & other.at_least) | (other.better & one.at_least)
    is_defined = ~np.isnan(one.statistic) & ~np.isnan(other.statistic)
    return np.asarray(is_defined & ~worse.any(axis=0))


def pareto_shares(one: Criterion, other: Criterion) -> Floats:
    """Shares of other samples in which measures are Pareto-optimal if every difference counts, (M,)."""
    number = min(len(one.samples), len(other.samples))
    if not number:
        return np.full(len(one.values), np.nan)
    first, second = (criterion.resampled[:number] for criterion in (one, other))
    better = [values[:, :, np.newaxis] > values[:, np.newaxis] for values in (first, second)]
    at_least = [values[:, :, np.newaxis] >= values[:, np.newaxis] for values in (first, second)]
    worse = (better[0] & at_least[1]) | (better[1] & at_least[0])
    shares: Floats = (~worse.any(axis=1)).mean(axis=0)
    return np.where(np.isnan(first).any(axis=0) | np.isnan(second).any(axis=0), np.nan, shares)


def consistency(study: Study, result: Stabilities) -> Criterion:
    """The criterion of stability, by the expected values; by the means of halves where none is known."""
    test, expected = result.comparison, result.expected
    if np.isnan(expected).all():
        return _untested(result.consistency.means)
    return _criterion(expected, test.low, test.high, expected, test.p, samples=test.chance)


def power_criterion(study: Study, result: Powers) -> Criterion:
    """The criterion of power, by the expected values; without p-values by the shares, where the test is another one."""
    if result.comparison is None:
        alpha = study.config.settings_of(PowerSettings).alpha
        return _untested(np.array([measure_power.share(alpha=alpha) for measure_power in result.measures]))
    test = result.comparison
    return _criterion(result.expected, test.low, test.high, result.expected, test.p)


def discrimination(study: Study, result: MergeEffects) -> Criterion:
    """The criterion of merge-classes, by the corrected values; by the means of merges where none is known."""
    tests = result.tests
    if tests is None or np.isnan(tests.corrected).all():
        return _untested(result.means, higher_is_better=False)
    corrected, low, high = tests.corrected, tests.corrected_low, tests.corrected_high
    return _criterion(corrected, low, high, corrected, tests.p, samples=tests.chance, higher_is_better=False)


def gamed(study: Study, result: Robustness) -> Criterion:
    """The criterion of robustness: the share of real systems that a trivial one significantly beats."""
    alpha = study.config.settings_of(RobustnessSettings).alpha
    if not result.evidence:
        return _untested(np.full(len(study.measure_names), np.nan), higher_is_better=False)
    results = [gamed_share(evidence, len(study.systems), alpha=alpha) for evidence in result.evidence]
    shares = np.array([share for share, _ in results])
    chance = np.stack([chance for _, chance in results], axis=1)
    comparison = compare_statistics(shares, chance, smallest_p=result.evidence[0].smallest_p)
    low, high = comparison.low.clip(0, 1), comparison.high.clip(0, 1)
    return _criterion(shares, low, high, shares, comparison.p, higher_is_better=False)


def human_criterion(study: Study, result: Sequence[Correlations]) -> Criterion:
    """The criterion of correlate: its first coefficient and level, with the first human scores or their mean."""
    part = first_human_correlations(result)
    unknown = np.full((len(part.values), len(part.values)), np.nan)
    p = unknown if part.test is None else part.test.p_adjusted
    return _criterion(part.values, part.low, part.high, part.values, p)


def _untested(values: Floats, *, higher_is_better: bool = True) -> Criterion:
    """A criterion of values without intervals and tests."""
    unknown = np.full(len(values), np.nan)
    p = np.full((len(values), len(values)), np.nan)
    return _criterion(values, unknown, unknown, unknown, p, higher_is_better=higher_is_better)


def _criterion(
    values: Floats,
    low: Floats,
    high: Floats,
    statistic: Floats,
    p: Floats,
    *,
    samples: Floats | None = None,
    higher_is_better: bool = True,
) -> Criterion:
    few = np.empty((0, len(values))) if samples is None else samples[:SAMPLES].copy()
    return Criterion(values, low, high, statistic, p, higher_is_better=higher_is_better, samples=few)


EXTRACTS: dict[str, Callable[[Study, Any], Any]] = {
    "similarity": lambda _study, similarities: similarities.letters,
    "stability": consistency,
    "power": power_criterion,
    "merge-classes": discrimination,
    "robustness": gamed,
    "correlate": human_criterion,
}
"""What the summary combines of the results of each analysis: groups of similar measures, and criteria."""
