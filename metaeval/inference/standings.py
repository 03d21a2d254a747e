"""Where systems stand under a measure: their ranks, rank sets, letters and tiers by the tests of all their pairs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.arrays import Bools, Floats, Ints
from metaeval.inference.best import Winner
from metaeval.inference.gaps import GapParts, order_on_common_items
from metaeval.inference.pairs import Evidence, Order, PairTests
from metaeval.stats.rank import competition_ranks


@dataclass(frozen=True)
class Comparison:
    """The differences of systems under one measure.

    tests: of the pairs. order: of the systems; None unless all pairs were tested. scores: oriented, (S,).
    common_items: where systems lack scores, the number of items that both systems of each pair have, (P,). cyclic:
    systems of which each is better than another on common items, in a circle, (S,). contradictory: whether significant
    differences contradict every order because of that. winner: the best system, where all pairs were tested on the same
    items.
    """

    tests: PairTests
    order: Order | None
    scores: Floats
    common_items: Ints | None = None
    cyclic: Bools | None = None
    contradictory: bool = False
    winner: Winner | None = None

    @classmethod
    def of(cls, evidence: Evidence, tests: PairTests, *, ordered: bool) -> Comparison:
        """The tests of pairs of systems with this evidence; ordered: whether they are of all pairs."""
        scores, parts = evidence.scores, evidence.groupings[0]
        if not isinstance(parts, GapParts):
            return cls(tests, Order.of(scores, tests, evidence.defined) if ordered else None, scores)
        common_items = parts.common(tests.one, tests.other)
        if not ordered:
            return cls(tests, None, scores, common_items)
        heights, cyclic = order_on_common_items(parts)
        order = Order.of(heights, tests, evidence.defined)
        contradictory = bool((order.better & (heights[:, np.newaxis] <= heights)).any())
        return cls(tests, order, scores, common_items, cyclic=cyclic, contradictory=contradictory)


@dataclass(frozen=True)
class Standing:
    """Where S systems stand under a measure; arrays and lists are (S,), with None where the order is unknown.

    score: in the measure's direction. behind: difference from the best system and the ends of its interval, (3, S).
    best_first: indices of the systems. winner: the best one, where that is known.
    """

    best_first: list[int]
    score: Floats
    behind: Floats
    rank: list[int | None]
    rank_low: list[int | None]
    rank_high: list[int | None]
    tier: list[int | None]
    letters: list[str]
    winner: Winner | None

    @classmethod
    def of(cls, comparison: Comparison, *, sign: int, ranked: Bools | None = None) -> Standing:
        """The standing by tests of all pairs.

        sign: 1 where higher scores are better, else −1. ranked: systems that have a rank, (S,), by default all; ranks
        and rank sets count them alone.
        """
        order, tests = comparison.order, comparison.tests
        assert order is not None
        scores = np.where(order.defined, order.scores, np.nan)
        best_first = np.argsort(-np.where(order.defined, scores, -np.inf), kind="stable").tolist()
        best = best_first[0]
        behind = np.full((3, len(scores)), np.nan)
        behind[:, best] = 0.0 if order.defined[best] else np.nan
        for system, mate, side in ((tests.one, tests.other, 1), (tests.other, tests.one, -1)):
            with_best = mate == best
            bounds = np.stack([tests.difference, tests.low, tests.high])[:, with_best] * side * sign
            behind[:, system[with_best]] = np.vstack([bounds[0], np.sort(bounds[1:], axis=0)])
        derived = order.defined & (not comparison.contradictory)
        counted = np.ones(len(scores), dtype=np.bool_) if ranked is None else ranked
        low, high = order.rank_sets_among(counted)
        no_circle = counted if comparison.cyclic is None else counted & ~comparison.cyclic
        return cls(
            best_first=best_first,
            score=comparison.scores * sign,
            behind=behind,
            rank=_where_defined(competition_ranks(np.where(counted, scores, np.nan)), derived & no_circle),
            rank_low=_where_defined(low, derived & counted),
            rank_high=_where_defined(high, derived & counted),
            tier=[tier or None for tier in _where_defined(order.tiers, derived)],
            letters=[letters if is_known else "" for letters, is_known in zip(order.letters, derived, strict=True)],
            winner=comparison.winner,
        )

    @property
    def may_be_best(self) -> list[bool | None]:
        """Whether no other system is significantly better."""
        return [None if low is None else low == 1 for low in self.rank_low]

    @property
    def ranks(self) -> list[str]:
        """The ranks that each system may have, as '1', '2–4' or ''."""
        ends = zip(self.rank_low, self.rank_high, strict=True)
        return ["–".join(dict.fromkeys(str(end) for end in both if end is not None)) for both in ends]


def _where_defined(numbers: Iterable[int], is_defined: Bools) -> list[int | None]:
    return [int(number) if defined else None for number, defined in zip(numbers, is_defined.tolist(), strict=True)]


@dataclass(frozen=True)
class Outcome:
    """Which of the systems are best under a measure. similar: others that are not significantly worse."""

    best: tuple[str, ...]
    similar: frozenset[str]
    tested_count: int

    @property
    def is_decided(self) -> bool:
        """Whether there are others, and all of them are significantly worse."""
        return not self.similar and self.tested_count > len(self.best)


def outcome_of(systems: Sequence[str], comparison: Comparison) -> Outcome | None:
    """None where nothing was tested."""
    order = comparison.order
    if order is None or order.defined.sum() < 2:
        return None
    best = order.best(systems)
    is_best = np.isin(systems, best)
    # Systems with the same score may differ from the others by other tests.
    similar = order.defined & ~is_best & ~order.better[is_best].all(axis=0)
    names = frozenset(systems[index] for index in np.flatnonzero(similar).tolist())
    return Outcome(tuple(best), names, int(order.defined.sum()))
