"""Tests of the differences of systems under each measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval.analyses.compare.revision import Revision, revise
from metaeval.analyses.compare.settings import CompareSettings, Over
from metaeval.arrays import Bools, Floats, Indices, Ints
from metaeval.errors import UnknownName, bad_setting, conflict, leave_out, refuse, setting
from metaeval.inference.best import Corrected, Scatter, correct_best, draw_winners
from metaeval.inference.gaps import GapParts, order_on_common_items
from metaeval.inference.pairs import Evidence, Order, PairTests, compare_pairs
from metaeval.inference.runs import compare_runs
from metaeval.stats.intervals import Interval
from metaeval.stats.ratio import divide
from metaeval.stats.resample import generator, seed_for
from metaeval.study.capabilities import PARTS
from metaeval.study.evidence import check_several, check_testable, gather_evidence_of_runs
from metaeval.study.intervals import intervals_of_scores, oriented_bounds
from metaeval.study.replicates import FEWEST_RUNS
from metaeval.study.study import Progress, Study, check_rankable


@dataclass(frozen=True)
class Winner:
    """The system with the best score under a measure, the first of several.

    system: its index among those compared. p_best: probability of each system to be the best, (S,): 0 where another is
    significantly better, NaN without a test. corrected: its oriented score, corrected for its having been chosen.
    """

    system: int
    is_shared: bool
    p_best: Floats
    corrected: Corrected

    def corrected_in(self, sign: int) -> Corrected:
        """The corrected score and its interval in the direction of the measure."""
        score, *ends = (each * sign for each in self.corrected)
        return Corrected(score, *sorted(ends))


@dataclass(frozen=True)
class Comparison:
    """The differences of systems under one measure.

    tests: of the pairs. order: of the systems; None unless all pairs were tested. scores: oriented, (S,). shared: where
    systems lack scores, the number of items that both systems of each pair have, (P,). cyclic: systems of which each is
    better than another on common items, in a circle, (S,). contradictory: whether significant differences contradict
    every order because of that. winner: the best system, where all pairs were tested on the same items.
    """

    tests: PairTests
    order: Order | None
    scores: Floats
    shared: Ints | None = None
    cyclic: Bools | None = None
    contradictory: bool = False
    winner: Winner | None = None


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
    if len(_selected(study, settings)) == 1:
        study.check_measures()
        study.need(PARTS, "intervals of scores")
        check_several(study, "an interval says how scores vary")
        return
    check_testable(study)
    if settings.leaderboard and settings.baseline is not None:
        expected = "the differences of all pairs"
        hint = leave_out(setting("leaderboard"))
        raise refuse(None, conflict(setting("leaderboard"), setting("baseline", settings.baseline), expected, hint))
    if settings.over in ("runs", "both") and not study.has_random_runs:
        expected = f"at least {FEWEST_RUNS} runs of each system, which show how much runs vary"
        raise refuse(None, bad_setting(setting("over"), settings.over, expected, f"set {setting('over', 'items')}"))


def analyse(study: Study, settings: CompareSettings, *, progress: Progress) -> Comparisons | SingleSystem:
    """Test the differences of systems under every measure."""
    check(study, settings)
    systems = _selected(study, settings)
    if len(systems) == 1:
        return SingleSystem(int(systems[0]), intervals_of_scores(study))
    every = settings.baseline is None and (settings.leaderboard or len(systems) > 2)
    pairs = None if settings.baseline is None else (np.arange(1, len(systems)), np.zeros(len(systems) - 1, np.intp))
    over: Over = settings.over or ("both" if study.has_random_runs else "items")
    gathered = gather_evidence_of_runs(study, "a comparison of systems", permutations=settings.permutations, over=over)
    test, measures = compare_runs if over == "runs" else compare_pairs, []
    for evidence, bounds in zip(progress(gathered, "Tests of differences"), oriented_bounds(study), strict=True):
        selected = evidence.select(systems)
        comparison = _comparison(selected, test(selected, alpha=settings.alpha, pairs=pairs), every=every)
        random = generator(seed_for(study.config.seed, "best"))
        measures.append(replace(comparison, winner=_winner(selected, comparison, bounds, over, random)))
    first = gathered[0]
    revision = revise(study, settings, systems) if settings.revised is not None else None
    smallest_p = 0.0 if over == "runs" else first.smallest_p
    return Comparisons(systems, measures, len(first.groupings[0].sizes), smallest_p, over, revision)


def _winner(
    evidence: Evidence, comparison: Comparison, bounds: tuple[float, float], over: Over, random: np.random.Generator
) -> Winner | None:
    """The best system, where its distance from the others varies by chance."""
    order = comparison.order
    if order is None or comparison.shared is not None or order.defined.sum() < 2:
        return None
    known = np.flatnonzero(order.defined)
    groupings = [parts.of_single_systems.select(known) for parts in evidence.groupings]
    if over == "items":
        groupings = [replace(parts, runs=None) for parts in groupings]
    scores, unit, scatter = groupings[0].scores, groupings[0].unit, Scatter.of(groupings, fixed_items=over == "runs")
    if not scatter.varies:
        return None
    winners, best = draw_winners(scores, scatter, random), int(np.argmax(scores))
    # A system is not the best, and has no probability to be it, where another one is significantly better.
    may_be_best = ~order.better[:, known].any(axis=0)
    p_best = np.full(len(order.scores), np.nan)
    p_best[known] = divide(winners.best * may_be_best, winners.best[may_be_best].sum(), undefined=0.0)
    own, limits = scatter.errors.select(np.array([best])), (bounds[0] / unit, bounds[1] / unit)
    corrected = Corrected(*(each * unit for each in correct_best(float(scores[best]), own, winners, limits)))
    return Winner(int(known[best]), int((scores == scores[best]).sum()) > 1, p_best, corrected)


def _comparison(evidence: Evidence, tests: PairTests, *, every: bool) -> Comparison:
    scores, parts = evidence.scores, evidence.groupings[0]
    if not isinstance(parts, GapParts):
        return Comparison(tests, Order.of(scores, tests, evidence.defined) if every else None, scores)
    shared = parts.common(tests.one, tests.other)
    if not every:
        return Comparison(tests, None, scores, shared)
    heights, cyclic = order_on_common_items(parts)
    order = Order.of(heights, tests, evidence.defined)
    contradictory = bool((order.better & (heights[:, np.newaxis] <= heights)).any())
    return Comparison(tests, order, scores, shared, cyclic=cyclic, contradictory=contradictory)


def _selected(study: Study, settings: CompareSettings) -> Indices:
    """Indices of the baseline, and of the selected systems in their order, or of all systems."""
    if not study.systems:
        check_rankable(study)
    baseline = () if settings.baseline is None else (settings.baseline,)
    names = dict.fromkeys((*baseline, *(settings.systems or study.systems)))
    for name in names:
        if name not in study.systems:
            raise UnknownName("system", name, study.systems)
    indices = [study.systems.index(name) for name in names]
    is_ranked = settings.leaderboard or settings.revised is not None or settings.baseline is not None
    if len(indices) < 2 and is_ranked:
        hint = f"select another one with {setting('systems')}"
        raise refuse(None, f"one system ({study.systems[indices[0]]})", "at least two", hint, kind="count")
    return np.array(indices, dtype=np.intp)
