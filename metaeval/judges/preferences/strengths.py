"""Strengths of the systems by the verdicts of people or of a judge, and win rates against a baseline.

Systems that were never compared, not even through others, form groups, each with a ranking by itself. In a group,
strengths are known of a core of systems, each of which wins or ties against every other one, if only through others. A
system that wins all its verdicts against the core has no highest strength, and one that loses all has no lowest: their
intervals have one end. Ties bound a strength only where losses bound the tendency to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from metaeval.arrays import Bools, Floats, Indices, Ints
from metaeval.inference.pairs import Evidence, Order, compare_pairs
from metaeval.inference.parts import Parts, Signs
from metaeval.judges.preferences.davidson import Design, fit
from metaeval.judges.preferences.groups import Groups, Ratio, compact
from metaeval.judges.preferences.study import Verdicts
from metaeval.stats.intervals import LEVEL
from metaeval.stats.rank import competition_ranks
from metaeval.stats.ratio import effective_number

TAIL = (1 - LEVEL) / 2

SMALLEST_WIDTH = 1e-6
"""Width of intervals that are rounding alone."""

FARTHEST, STEPS, TOLERANCE = 10.0, 100, 1e-9
"""Where the search for the end of an interval begins, and where it ends."""


@dataclass(frozen=True)
class Strengths:
    """The strengths of S systems by the verdicts of people or of a judge on a language pair.

    values: logarithms with mean 0 in the core of each group, NaN outside of it, (S,). low, high: their intervals; one
    end is infinite for systems that win or lose all verdicts against the core, both are NaN where nothing is known.
    group: of systems that were compared, if only through others, from 0, (S,). ranks: in the group, NaN where they are
    open, (S,). wins: verdicts for the row against the column, and tied: of ties, (S, S). parts: of the values.
    group_strengths: the systems of each group, and what is known of them.
    """

    language_pair: str
    by: str
    systems: tuple[str, ...]
    values: Floats
    low: Floats
    high: Floats
    group: Indices
    ranks: Floats
    wins: Floats
    tied: Floats
    parts: Parts
    group_strengths: Sequence[tuple[Indices, _Group]]
    groups: Groups

    @cached_property
    def better(self) -> Bools:
        """Which systems are significantly stronger than which of their group, (S, S)."""
        better = np.zeros((len(self.systems), len(self.systems)), dtype=np.bool_)
        for members, group in self.group_strengths:
            better[np.ix_(members, members)] = group.better
        return better

    @property
    def rank_sets(self) -> tuple[Ints, Ints]:
        """Lowest and highest rank that each system may have in its group; the sets of a group hold jointly."""
        sizes = np.bincount(self.group)[self.group]
        return 1 + self.better.sum(axis=0), sizes - self.better.sum(axis=1)

    @property
    def best_first(self) -> list[int]:
        """The indices of the systems, by group, the strongest first; those without any order last."""
        above, below = np.isposinf(self.high), np.isneginf(self.low)
        key = np.where(above, np.inf, np.where(below, -np.inf, self.values))
        if np.isnan(key).all():
            key = -np.add(*self.rank_sets).astype(np.float64)
        order: list[int] = np.lexsort((-np.nan_to_num(key, nan=-np.inf), np.isnan(key), self.group)).tolist()
        return order

    @property
    def members(self) -> list[Indices]:
        """The systems of each group."""
        return [members for members, _ in self.group_strengths]


def strengths_of(verdicts: Verdicts, rows: Indices, by: str, groups: Groups) -> Strengths:
    """The strengths by some verdicts, all of one language pair; groups: of these verdicts."""
    present, both = compact(np.concatenate([verdicts.left[rows], verdicts.right[rows]]))
    numbers = len(present), len(groups.sizes)
    design = Design.without_covariates(both.reshape(2, -1), verdicts.outcomes[:, rows], groups.codes, numbers)
    wins, tied = design.wins_and_ties
    number, group = components(wins + tied > 0, "weak")
    values, low, high, ranks = np.full((4, len(present)), np.nan)
    parts, group_strengths = np.full(numbers[::-1], np.nan), []
    for code in range(number):
        members = np.flatnonzero(group == code)
        part = _Group.of(design.among(members), groups.signs)
        group_strengths.append((members, part))
        values[members], low[members], high[members], ranks[members] = part.values, *part.interval, part.ranks
        parts[:, members] = part.parts.parts
    return Strengths(
        language_pair=verdicts.names_of_language_pairs[verdicts.language_pairs[rows[0]]],
        by=by,
        systems=tuple(verdicts.systems[code] for code in present.tolist()),
        values=values,
        low=low,
        high=high,
        group=group,
        ranks=ranks,
        wins=wins,
        tied=tied,
        parts=Parts(values, parts, design.sizes, jackknife=True),
        group_strengths=group_strengths,
        groups=groups,
    )


def components(edges: Bools, connection: Literal["weak", "strong"]) -> tuple[int, Indices]:
    """The number of components of a graph, (S, S), and that of each node, from 0, (S,)."""
    from scipy.sparse.csgraph import connected_components

    number, labels = connected_components(edges, connection=connection)
    return int(number), labels.astype(np.intp)


def _bounding(wins: Floats, tied: Floats) -> Bools:
    """Which systems win against which, or tie so that neither can be stronger by any amount, (S, S).

    The likelihood has no maximum where it grows as all strengths and the tendency to ties do, such as for two systems
    of which one only wins or ties: if differences in strength are at least 1 for every win and at most 1 for every tie.
    Such differences exist unless the wins in a cycle of systems outnumber its ties. Without a maximum, ties are left
    out of the systems that reach each other.
    """
    edges: Bools = wins + tied > 0
    number, codes = components(edges, "strong")
    for code in range(number):
        members = np.flatnonzero(codes == code)
        inside = np.ix_(members, members)
        if wins[inside].any() and not _wins_outnumber_ties(wins[inside] > 0, tied[inside] > 0):
            edges[inside] = wins[inside] > 0
    return edges


def _wins_outnumber_ties(wins: Bools, tied: Bools) -> bool:
    """Whether some cycle of systems, each of which wins or ties against the next, has more wins than ties.

    >>> _wins_outnumber_ties(np.array([[0, 1], [0, 0]]) > 0, np.array([[0, 1], [1, 0]]) > 0)
    False
    """
    from scipy.sparse.csgraph import NegativeCycleError, bellman_ford

    if components(wins, "strong")[0] < len(wins):
        return True
    try:
        bellman_ford(np.where(wins, -1.0, tied), indices=[0])
    except NegativeCycleError:
        return True
    return False


@dataclass(frozen=True)
class _Group:
    """Systems that were compared, if only through others.

    reach: which systems win or tie against which, if only through others, (S, S), see `_bounding`. core: systems of the
    core, (S,). positions: strengths among the systems that reach each other, and influence: what each group of items
    adds to these, (G, S). tendency: to ties in the core, ν. has_strengths: whether the core has them.
    """

    design: Design
    signs: Signs
    reach: Bools
    core: Bools
    positions: Floats
    influence: Floats
    tendency: float
    has_strengths: bool

    @classmethod
    def of(cls, design: Design, signs: Signs) -> _Group:
        """From the verdicts between the systems of the group."""
        from scipy.sparse.csgraph import shortest_path

        wins, tied = design.wins_and_ties
        edges = _bounding(wins, tied)
        reach = np.isfinite(shortest_path(edges, unweighted=True))
        _, codes = components(edges, "strong")
        verdicts = (wins + wins.T + tied).sum(axis=1)
        # The most systems, and of as many the most verdicts.
        main = np.lexsort((np.bincount(codes, verdicts), np.bincount(codes)))[-1]
        positions, influence = np.zeros(len(codes)), np.zeros((design.number_of_groups, len(codes)))
        tendency, has_strengths = 0.0, False
        for code in range(codes.max() + 1):
            members = np.flatnonzero(codes == code)
            if wins[np.ix_(members, members)].any():
                fitted, size = fit(design.among(members), reduced=False), len(members)
                positions[members], influence[:, members] = fitted.parameters[:size], fitted.influences[:, :size]
                if code == main:
                    tendency, has_strengths = float(np.exp(fitted.parameters[size])), True
        return cls(design, signs, reach, codes == main, positions, influence, tendency, has_strengths)

    @property
    def values(self) -> Floats:
        """The strengths of the core, NaN for other systems, (S,)."""
        return np.where(self.core & self.has_strengths, self.positions, np.nan)

    @property
    def parts(self) -> Parts:
        """The parts of the values."""
        sizes = self.design.sizes[:, np.newaxis]
        return Parts(self.values, sizes * self.values + sizes.sum() * self.influence, sizes[:, 0], jackknife=True)

    def errors(self, influence: Floats) -> Floats:
        """Standard errors of what groups of items add to, (G, ...)."""
        number = int((self.design.sizes > 0).sum())
        errors: Floats = np.sqrt((influence**2).sum(axis=0) * number / max(number - 1, 1))
        return errors

    def quantile(self, tail: float) -> float:
        """That of Student's t for the effective number of groups of items."""
        from scipy.special import stdtrit

        return float(stdtrit(effective_number(self.design.sizes) - 1, 1 - tail))

    @property
    def interval(self) -> tuple[Floats, Floats]:
        """Lower and upper ends of the strengths, (S,); NaN where nothing is known."""
        if not self.has_strengths:
            return self.values, self.values
        (lower, lower_influence), (upper, upper_influence) = self._ends(TAIL)
        t = self.quantile(TAIL)
        low, high = lower - t * self.errors(lower_influence), upper + t * self.errors(upper_influence)
        # The same wins and losses in every group of items say nothing of how they would vary.
        unknown = (np.isinf(low) & np.isinf(high)) | (high - low < SMALLEST_WIDTH)
        return np.where(unknown, np.nan, low), np.where(unknown, np.nan, high)

    @property
    def ranks(self) -> Floats:
        """Ranks of the systems of the core, (S,); NaN for other systems, and where some have no order with the core."""
        above, below = self.reach[:, self.core].any(axis=1), self.reach[self.core].any(axis=0)
        ranks = np.full(len(self.core), np.nan)
        if self.has_strengths and (above | below).all():
            ranks[self.core] = (above & ~self.core).sum() + competition_ranks(self.positions[self.core])
        return ranks

    @property
    def better(self) -> Bools:
        """Which systems are significantly stronger than which: jointly for all pairs, at the level of 5 %, (S, S)."""
        systems, core = len(self.core), np.flatnonzero(self.core)
        better, pairs = np.zeros((systems, systems), dtype=np.bool_), systems * (systems - 1) / 2
        if pairs == 0:
            return better
        if self.has_strengths:
            # The pairs of the core have their share of the level.
            alpha = (1 - LEVEL) * len(core) * (len(core) - 1) / 2 / pairs
            evidence = Evidence((self.parts.select(core),), (self.signs,))
            order = Order.of(evidence.scores, compare_pairs(evidence, alpha=alpha), evidence.defined)
            better[np.ix_(core, core)] = order.better
        if len(core) < systems:
            better |= self._better_outside(TAIL / pairs)
        return better

    def _better_outside(self, tail: float) -> Bools:
        """Which systems are stronger than which with an error of `tail`, where one is outside of the core, (S, S)."""
        better = np.zeros_like(self.reach)
        equal = self.reach & self.reach.T
        lower, upper = self._ends(tail)
        ordered = np.isfinite(lower[0])[:, np.newaxis] & np.isfinite(upper[0]) & ~equal
        self._set_better(better, np.nonzero(ordered), (lower, upper), tail)
        # Of two systems on the same side, the one below takes the part of the core.
        rest = self.reach & ~equal & ~ordered
        for other in np.flatnonzero(rest.any(axis=0)).tolist():
            lower, upper = replace(self, core=equal[other])._ends(tail)
            above = np.flatnonzero(rest[:, other])
            self._set_better(better, (above, np.full(len(above), other)), (lower, upper), tail)
        return better

    def _set_better(
        self, better: Bools, pairs: tuple[Indices, ...], ends: Sequence[tuple[Floats, Floats]], tail: float
    ) -> None:
        one, other = pairs
        (lower, lower_influence), (upper, upper_influence) = ends
        error = self.errors(lower_influence[:, one] - upper_influence[:, other])
        better[one, other] = lower[one] - upper[other] > self.quantile(tail) * error

    def _ends(self, tail: float) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
        """Lower and upper ends, without errors of the strengths of the core, and what groups of items add to these."""
        upper, influence = self._lower(tail, -1)
        return self._lower(tail, 1), (-upper, -influence)

    def _lower(self, tail: float, sign: int) -> tuple[Floats, Floats]:
        """The least strengths at which the wins of systems above the core have the probability `tail`, (S,).

        Others than those of the core and above are −∞. The wins of a group of items count as one. sign: −1 with wins
        and losses, and the signs of all strengths, exchanged.
        """
        wins, _ = self.design.wins_and_ties
        wins, reach = (wins, self.reach) if sign > 0 else (wins.T, self.reach.T)
        positions, inside = sign * self.positions, sign * self.influence
        ends, influence = np.where(self.core, positions, -np.inf), np.where(self.core, inside, 0.0)
        above = np.flatnonzero(reach[:, self.core].any(axis=1) & ~self.core)
        # Systems that reach fewer others come first: those that they beat have an end.
        for system in above[np.argsort(reach[above].sum(axis=1), kind="stable")].tolist():
            if ends[system] > -np.inf:
                continue
            members = np.flatnonzero(reach[system] & reach[:, system])
            beaten = np.flatnonzero(reach[system] & ~reach[:, system] & (ends > -np.inf))
            member_wins = wins[np.ix_(members, beaten)]
            gaps = positions[members][:, np.newaxis] - ends[beaten]
            most = -np.log(tail) * member_wins.sum() / self._effective(members, beaten)
            # Newton's method from below, where the surprise is larger: it is convex, so that no step is too long.
            shift = -most / member_wins.sum() - gaps.max() - FARTHEST
            for _ in range(STEPS):
                weight = member_wins * _slope(gaps + shift, self.tendency)
                step = ((member_wins * _surprise(gaps + shift, self.tendency)).sum() - most) / weight.sum()
                shift += step
                if abs(step) < TOLERANCE:
                    break
            weight /= weight.sum()
            shifted = influence[:, beaten] @ weight.sum(axis=0) - inside[:, members] @ weight.sum(axis=1)
            ends[members] = positions[members] + shift
            influence[:, members] = shifted[:, np.newaxis] + inside[:, members]
        return ends, influence

    def _effective(self, members: Indices, beaten: Indices) -> float:
        """The effective number of groups of items with verdicts between these systems."""
        design, codes = self.design, np.zeros(len(self.core), dtype=np.int64)
        codes[members], codes[beaten] = 1, 2
        between = codes[design.left] + codes[design.right] == 3
        wins = np.where(between, design.outcomes[:2].sum(axis=0), 0.0)
        return effective_number(np.bincount(design.groups, wins, design.number_of_groups))


def _surprise(gap: Floats, tendency: float) -> Floats:
    """The negative logarithm of the probability of a win by a difference in strength."""
    return np.logaddexp(np.logaddexp(0.0, -gap), np.log(tendency) - gap / 2 if tendency else -np.inf)


def _slope(gap: Floats, tendency: float) -> Floats:
    """How much `_surprise` falls with the difference in strength."""
    surprise = _surprise(gap, tendency)
    return np.exp(-gap - surprise) + tendency / 2 * np.exp(-gap / 2 - surprise)


@dataclass(frozen=True)
class WinRates:
    """Shares of the verdicts that S systems win against a baseline, with ties as half a win.

    rates: of each system, with the p-value against ½. verdicts: weight of the verdicts on each, (S,).
    """

    language_pair: str
    by: str
    baseline: str
    systems: tuple[str, ...]
    rates: list[Ratio]
    verdicts: Floats


def win_rates(verdicts: Verdicts, rows: Indices, by: str, baseline: str, groups: Groups) -> WinRates | None:
    """The win rates by some verdicts, all of one language pair; None without a verdict on the baseline."""
    code = verdicts.systems.index(baseline)
    left, right = verdicts.left[rows], verdicts.right[rows]
    on_baseline = (left == code) | (right == code)
    if not on_baseline.any():
        return None
    others = np.where(left == code, right, left)[on_baseline]
    by_left, by_right, ties = verdicts.outcomes[:, rows[on_baseline]]
    wins = np.where(right[on_baseline] == code, by_left, by_right) + ties / 2
    weight, present = verdicts.weight[rows[on_baseline]], np.unique(others)
    baseline_groups = replace(groups, codes=groups.codes[on_baseline])
    sums = [baseline_groups.sums(np.stack([wins, weight]) * (others == other)).T for other in present.tolist()]
    return WinRates(
        language_pair=verdicts.names_of_language_pairs[verdicts.language_pairs[rows[0]]],
        by=by,
        baseline=baseline,
        systems=tuple(verdicts.systems[other] for other in present.tolist()),
        rates=[groups.ratio(*both, null=0.5, lowest=0.0) for both in sums],
        verdicts=np.array([both[1].sum() for both in sums]),
    )
