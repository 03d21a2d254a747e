"""Tests of the differences of systems under each measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.analyses.compare.revision import Revision, revise
from metaeval.analyses.compare.settings import CompareSettings
from metaeval.arrays import Bools, Floats, Indices, Ints
from metaeval.errors import UnknownName, conflict, leave_out, refuse, setting
from metaeval.inference.gaps import GapParts, order_on_common_items
from metaeval.inference.pairs import Evidence, Order, PairTests, compare_pairs
from metaeval.study.evidence import check_testable, gather_evidence_of_runs
from metaeval.study.study import Progress, Study


@dataclass(frozen=True)
class Comparison:
    """The differences of systems under one measure.

    tests: of the pairs. order: of the systems; None unless all pairs were tested. scores: oriented, (S,). shared: where
    systems lack scores, the number of items that both systems of each pair have, (P,). cyclic: systems of which each is
    better than another on common items, in a circle, (S,). contradictory: whether significant differences contradict
    every order because of that.
    """

    tests: PairTests
    order: Order | None
    scores: Floats
    shared: Ints | None = None
    cyclic: Bools | None = None
    contradictory: bool = False


@dataclass(frozen=True)
class Comparisons:
    """The differences of systems under every measure.

    systems: indices of those compared, (S,); a baseline is the first. groups: number of the groups of items.
    smallest_p: with so many groups. revision: what revised gold changes, if there is some.
    """

    systems: Indices
    measures: Sequence[Comparison]
    groups: int
    smallest_p: float
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


def check(study: Study, settings: CompareSettings) -> None:
    """Raise an `InputError` where nothing can be tested, or an `UnknownName` for a system that does not exist."""
    check_testable(study)
    _selected(study, settings)
    if settings.leaderboard and settings.baseline is not None:
        expected = "the differences of all pairs"
        hint = leave_out(setting("leaderboard"))
        raise refuse(None, conflict(setting("leaderboard"), setting("baseline", settings.baseline), expected, hint))


def analyse(study: Study, settings: CompareSettings, *, progress: Progress) -> Comparisons:
    """Test the differences of systems under every measure."""
    check(study, settings)
    systems = _selected(study, settings)
    every = settings.baseline is None and (settings.leaderboard or len(systems) > 2)
    pairs = None if settings.baseline is None else (np.arange(1, len(systems)), np.zeros(len(systems) - 1, np.intp))
    gathered = gather_evidence_of_runs(study, "a comparison of systems", permutations=settings.permutations)
    measures = []
    for evidence in progress(gathered, "Tests of differences"):
        selected = evidence.select(systems)
        tests = compare_pairs(selected, alpha=settings.alpha, pairs=pairs)
        measures.append(_comparison(selected, tests, every=every))
    first = gathered[0]
    revision = revise(study, settings, systems) if settings.revised is not None else None
    return Comparisons(systems, measures, len(first.groupings[0].sizes), first.smallest_p, revision)


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
    baseline = () if settings.baseline is None else (settings.baseline,)
    names = dict.fromkeys((*baseline, *(settings.systems or study.systems)))
    for name in names:
        if name not in study.systems:
            raise UnknownName("system", name, study.systems)
    indices = [study.systems.index(name) for name in names]
    if len(indices) < 2:
        hint = f"select another one with {setting('systems')}"
        raise refuse(None, f"one system ({study.systems[indices[0]]})", "at least two", hint, kind="count")
    return np.array(indices, dtype=np.intp)
