"""Tests of the differences of systems under each measure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval.analyses.compare.revision import Revision, revise
from metaeval.analyses.compare.settings import CompareSettings, Over
from metaeval.arrays import Indices
from metaeval.errors import UnknownName, bad_setting, conflict, pluralize, refuse, setting, too_few
from metaeval.inference.best import Corrected, Scatter, Winner, correct_best, draw_winners
from metaeval.inference.pairs import Evidence, compare_pairs
from metaeval.inference.runs import compare_runs
from metaeval.inference.standings import Comparison
from metaeval.stats.intervals import Interval
from metaeval.stats.ratio import divide
from metaeval.stats.resample import generator, seed_for
from metaeval.study.capabilities import PARTS
from metaeval.study.evidence import check_several, check_testable, gather_evidence_of_runs
from metaeval.study.intervals import intervals_of_scores, oriented_bounds
from metaeval.study.replicates import FEWEST_RUNS
from metaeval.study.study import Progress, Study, check_rankable, refuse_long_work

NANOSECONDS_A_PAIR, NANOSECONDS_A_SIGN = 60_000, 3
"""Measured work of a pair of systems under a measure: its row, and one random sign change of its difference."""

FEWEST_FREEDOM = 10
"""Degrees of freedom from which normal errors are wide enough for probabilities to be the best."""


@dataclass(frozen=True)
class Comparisons:
    """The differences of systems under every measure.

    systems: indices of those compared, (S,); a baseline is the first. groups: number of the groups of items.
    smallest_p: with so many groups. over: what differences are for: other items, runs or both. revision: what revised
    gold changes, if there is some.
    """

    systems: Indices
    measures: Sequence[Comparison]
    groups: int
    smallest_p: float
    over: Over
    revision: Revision | None = None

    @property
    def all_pairs(self) -> bool:
        """Whether all pairs of these systems were tested."""
        return self.measures[0].order is not None

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The pairs, as indices among all systems of the study."""
        tests = self.measures[0].tests
        return list(zip(self.systems[tests.one].tolist(), self.systems[tests.other].tolist(), strict=True))


@dataclass(frozen=True)
class SingleSystem:
    """A system that is compared with no other one; intervals: those of all scores of the study, (M, S)."""

    system: int
    intervals: Interval


def check(study: Study, settings: CompareSettings) -> None:
    """Raise an `InputError` where nothing can be tested, or an `UnknownName` for a system that does not exist."""
    if len(_select(study, settings)) == 1:
        study.check_measures()
        study.need(PARTS, "intervals of scores")
        check_several(study, "an interval says how scores vary")
        return
    if settings.over in ("runs", "both"):
        items = f"set {setting('over', 'items')}"
        if settings.revised is not None:
            both = setting("over", settings.over), setting("revised", settings.revised)
            raise refuse(None, conflict(*both, "a test for other items, because gold is that of items", items))
        if not study.has_random_runs:
            expected = f"at least {FEWEST_RUNS} runs of each system, which show how much runs vary"
            raise refuse(None, bad_setting(setting("over"), settings.over, expected, items))
    if settings.over == "runs":
        check_rankable(study)
        return
    if len(study.items) < 2 and study.has_random_runs:
        reason, hint = "a test compares how differences vary between items", f"set {setting('over', 'runs')}"
        raise refuse(None, too_few(len(study.items), "item", reason, hint))
    check_testable(study)
    # More permutations than by default are a choice.
    usual, systems, measures = CompareSettings().permutations, len(_select(study, settings)), len(study.measure_names)
    pairs = systems - 1 if settings.baseline is not None else math.comb(systems, 2)
    refuse_long_work(
        measures * pairs * (NANOSECONDS_A_PAIR + NANOSECONDS_A_SIGN * min(settings.permutations, usual)),
        f"{systems:,} systems ({pairs:,} pairs) and {pluralize(measures, 'measure')}",
        f"choose fewer systems or measures, or set {setting('baseline')}",
    )


def analyse(study: Study, settings: CompareSettings, *, progress: Progress) -> Comparisons | SingleSystem:
    """Test the differences of systems under every measure."""
    check(study, settings)
    systems = _select(study, settings)
    if len(systems) == 1:
        return SingleSystem(int(systems[0]), intervals_of_scores(study))
    every = settings.baseline is None and len(systems) > 2
    pairs = None if settings.baseline is None else (np.arange(1, len(systems)), np.zeros(len(systems) - 1, np.intp))
    over: Over = settings.over or ("both" if study.has_random_runs and settings.revised is None else "items")
    evidence = gather_evidence_of_runs(study, "a comparison of systems", permutations=settings.permutations, over=over)
    test, measures = compare_runs if over == "runs" else compare_pairs, []
    for whole, bounds in zip(progress(evidence, "Tests of differences"), oriented_bounds(study), strict=True):
        subset = whole.select(systems)
        tests = test(subset, alpha=settings.alpha, pairs=pairs)
        comparison = Comparison.of(subset, tests, ordered=every)
        random = generator(seed_for(study.config.seed, "best"))
        measures.append(replace(comparison, winner=_winner(subset, comparison, bounds, over, random)))
    first = evidence[0]
    revision = revise(study, settings, systems) if settings.revised is not None else None
    smallest_p = 0.0 if over == "runs" else first.smallest_p
    groups = len(first.groupings[0].sizes)
    return Comparisons(systems, measures, groups=groups, smallest_p=smallest_p, over=over, revision=revision)


def _winner(
    evidence: Evidence, comparison: Comparison, bounds: tuple[float, float], over: Over, random: np.random.Generator
) -> Winner | None:
    """The best system, where its distance from the others varies by chance."""
    order = comparison.order
    if order is None or comparison.common_items is not None or order.defined.sum() < 2:
        return None
    indices = np.flatnonzero(order.defined)
    groupings = [parts.without_pairs.select(indices) for parts in evidence.groupings]
    if over == "items":
        groupings = [replace(parts, runs=None) for parts in groupings]
    scores, unit, scatter = groupings[0].scores, groupings[0].unit, Scatter.of(groupings, fixed_items=over == "runs")
    if not scatter.varies:
        return None
    winners, best = draw_winners(scores, scatter, random), int(np.argmax(scores))
    # A system is not the best, and has no probability to be it, where another one is significantly better.
    may_be_best = ~order.better[:, indices].any(axis=0)
    probabilities = divide(winners.best * may_be_best, winners.best[may_be_best].sum(), undefined=0.0)
    is_decided = order.better[indices[best], indices].sum() == len(indices) - 1
    p_best = np.full(len(order.scores), np.nan)
    freedom = scatter.errors.units[may_be_best].min() - 1
    # Normal errors are too narrow with few groups or runs; and no probability is certain of what the tests leave open.
    if is_decided or (freedom >= FEWEST_FREEDOM and probabilities.max() <= 1 - comparison.tests.alpha):
        p_best[indices] = probabilities
    limits = bounds[0] / unit, bounds[1] / unit
    corrected = Corrected(*(score * unit for score in correct_best(scores, best, scatter.errors, winners, limits)))
    return Winner(int(indices[best]), int((scores == scores[best]).sum()) > 1, p_best, corrected)


def _select(study: Study, settings: CompareSettings) -> Indices:
    """Indices of the baseline, and of the selected systems in their order, or of all systems."""
    if not study.systems:
        check_rankable(study)
    baseline = () if settings.baseline is None else (settings.baseline,)
    names = dict.fromkeys((*baseline, *(settings.systems or study.systems)))
    for name in names:
        if name not in study.systems:
            raise UnknownName("system", name, study.systems)
    indices = [study.systems.index(name) for name in names]
    if len(indices) < 2 and (settings.revised is not None or settings.baseline is not None):
        hint = f"select another one with {setting('systems')}"
        raise refuse(None, f"one system ({study.systems[indices[0]]})", "at least two", hint, kind="count")
    return np.array(indices, dtype=np.intp)
