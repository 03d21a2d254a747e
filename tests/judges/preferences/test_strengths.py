"""Strengths of Davidson's model against a plain maximum-likelihood fit and evalica; leaderboards and win rates."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judges.preferences.verdicts import verdicts_of
from numpy.typing import NDArray
from scipy.optimize import brentq, linprog, minimize
from scipy.stats import kendalltau

from metaeval.judges.preferences.davidson import Design, Fit, fit
from metaeval.judges.preferences.groups import Groups
from metaeval.judges.preferences.leaderboards import compare_leaderboards
from metaeval.judges.preferences.strengths import Strengths, strengths_of, win_rates

Numbers = NDArray[np.float64]


def made_up(systems: int, verdicts: int, *, ties: float, seed: int = 7) -> tuple[NDArray[np.intp], ...]:
    """Left, right, winner and group of verdicts."""
    random = np.random.default_rng(seed)
    true = random.normal(size=systems)
    left = random.integers(systems, size=verdicts)
    right = (left + random.integers(1, systems, size=verdicts)) % systems
    half = (true[left] - true[right]) / 2
    chances = np.stack([np.exp(-half), np.full(verdicts, ties), np.exp(half)], axis=1)
    codes = (random.random((verdicts, 1)) > np.cumsum(chances / chances.sum(axis=1, keepdims=True), axis=1)).sum(axis=1)
    return left, right, codes - 1, random.integers(verdicts // 5, size=verdicts)


def fitted(made: tuple[NDArray[np.intp], ...], systems: int, weights: Numbers | float = 1.0) -> Fit:
    left, right, winner, groups = made
    codes = np.unique(groups, return_inverse=True)[1]
    outcomes = np.array([winner == outcome for outcome in (1, -1, 0)]) * weights
    numbers = systems, int(codes.max()) + 1
    return fit(Design.without_covariates(np.stack([left, right]), outcomes, codes, numbers), reduced=False)


def strengths_and_ties(fitted: Fit, systems: int) -> Numbers:
    """Strengths and ln ν."""
    return fitted.parameters[: systems + 1]


def plain_fit(made: tuple[NDArray[np.intp], ...], systems: int, weights: Numbers | float = 1.0) -> Numbers:
    """The same model by a general optimiser, verdict by verdict: strengths and ln ν."""
    left, right, winner, _ = made

    def loss(free: Numbers) -> float:
        strength, tie = np.append(free[:-1], -free[:-1].sum()), free[-1]
        half = (strength[left] - strength[right]) / 2
        chance = np.choose(winner + 1, [-half, np.full(len(left), tie), half])
        return float(-(weights * (chance - np.log(np.exp(half) + np.exp(-half) + np.exp(tie)))).sum())

    result: Any = minimize(loss, np.zeros(systems), method="BFGS", options={"gtol": 1e-9})
    return np.concatenate([result.x[:-1], [-result.x[:-1].sum()], result.x[-1:]])


def test_without_ties_strengths_are_those_of_evalica() -> None:
    evalica = pytest.importorskip("evalica")
    left, right, winner, groups = made_up(6, 400, ties=0.0)
    strengths = strengths_and_ties(fitted((left, right, winner, groups), 6), 6)
    assert strengths[-1] == -np.inf
    names = [f"s{code}" for code in range(6)]
    winners = [evalica.Winner.X if sign > 0 else evalica.Winner.Y for sign in winner.tolist()]
    result = evalica.bradley_terry(
        [names[code] for code in left], [names[code] for code in right], winners, tolerance=1e-12, limit=10_000
    )
    logs = np.log([result.scores[name] for name in names])
    assert strengths[:-1] == pytest.approx(logs - logs.mean(), abs=1e-6)


def test_influences_are_the_infinitesimal_changes_by_weights_of_groups() -> None:
    made = made_up(4, 300, ties=0.7)
    result = fitted(made, 4)
    influence = result.influences[:, :4]
    assert np.abs(influence.sum(axis=0)).max() < 1e-6
    codes, step = np.unique(made[3], return_inverse=True)[1], 1e-4
    for group in range(5):
        moved = fitted(made, 4, 1 + step * (codes == group)).parameters[:4] - result.parameters[:4]
        assert moved / step == pytest.approx(influence[group], abs=1e-3)


def estimate(rows: list[tuple[int, int, int, int]], **more: Any) -> Strengths:
    verdicts = verdicts_of(rows, **more)
    return strengths_of(verdicts, np.arange(len(rows)), "x", Groups.of(verdicts.clusters, 1))


def some_rows(made: tuple[NDArray[np.intp], ...]) -> list[tuple[int, int, int, int]]:
    left, right, winner, groups = made
    return list(zip(groups.tolist(), left.tolist(), right.tolist(), winner.tolist(), strict=True))


@pytest.mark.parametrize("ties", [0.0, 0.6])
def test_weights_and_graded_verdicts_are_those_of_a_plain_weighted_fit(ties: float) -> None:
    made, random = made_up(5, 300, ties=ties), np.random.default_rng(2)
    weight, certainty = random.integers(1, 4, 300) / 2, random.uniform(0.5, 1, 300)
    certainty[made[2] == 0] = 1.0
    result = estimate(some_rows(made), weight=weight, certainty=certainty)
    # A graded verdict is one for each output, with the probabilities as weights.
    twice = tuple(np.concatenate([array, -array if column == 2 else array]) for column, array in enumerate(made))
    expected = plain_fit(twice, 5, np.concatenate([weight * certainty, weight * (1 - certainty)]))
    assert result.values == pytest.approx(expected[:-1], abs=1e-5)
    repeated = [row for row, times in zip(some_rows(made), (2 * weight).astype(int), strict=True) for _ in range(times)]
    assert estimate(repeated).values == pytest.approx(estimate(some_rows(made), weight=weight).values, abs=1e-8)


def reached(rows: list[tuple[int, int, int, int]], systems: int) -> NDArray[np.bool_]:
    """Which systems win or tie against which, if only through others: by plain search."""
    edges = {(left, right) for _, left, right, winner in rows if winner >= 0}
    edges |= {(right, left) for _, left, right, winner in rows if winner <= 0}
    reach = np.eye(systems, dtype=np.bool_)
    for start in range(systems):
        reachable, ahead = {start}, [start]
        while ahead:
            system = ahead.pop()
            new = {there for one, there in edges if one == system} - reachable
            reachable, ahead = reachable | new, [*ahead, *new]
        reach[start, list(reachable)] = True
    return reach


def bounding(rows: list[tuple[int, int, int, int]], systems: int) -> list[tuple[int, int, int, int]]:
    """The verdicts without ties of systems that reach each other and whose likelihood has no maximum.

    By linear programming: strengths and a tendency to ties along which the chance of no verdict falls, and that of some
    rises, so that the likelihood grows without end.
    """
    reach = reached(rows, systems)
    left_out = set()
    for members in {tuple(np.flatnonzero(reach[one] & reach[:, one]).tolist()) for one in range(systems)}:
        inside = [row for row in rows if row[1] in members and row[2] in members]
        limits = []
        for _, left, right, winner in inside:
            gap = (np.eye(systems + 1)[left] - np.eye(systems + 1)[right]) / 2
            chances = {1: gap, -1: -gap, 0: np.eye(systems + 1)[systems]}
            limits += [other - chances[winner] for outcome, other in chances.items() if outcome != winner]
        if any(winner for *_, winner in inside):
            rising: Any = linprog(np.sum(limits, axis=0), np.array(limits), np.zeros(len(limits)), bounds=(-1, 1))
            left_out |= set(members if rising.fun < -1e-6 else ())
    return [row for row in rows if row[3] or not {row[1], row[2]} <= left_out or not reach[row[2], row[1]]]


VERDICT = st.tuples(st.integers(0, 3), st.integers(0, 5), st.integers(0, 5), st.integers(-1, 1))


@given(st.lists(VERDICT.filter(lambda row: row[1] != row[2]), min_size=1, max_size=14))
@settings(max_examples=80, deadline=None)
def test_only_systems_that_reach_each_other_have_strengths_and_others_open_intervals(
    rows: list[tuple[int, int, int, int]],
) -> None:
    result = estimate(rows)
    codes = [int(name[1:]) for name in result.systems]
    assert codes == sorted({code for _, left, right, _ in rows for code in (left, right)})
    connected = reached(rows, 6)[np.ix_(codes, codes)]
    connected = connected | connected.T
    reach = reached(bounding(rows, 6), 6)[np.ix_(codes, codes)]
    for _ in codes:
        connected = (connected.astype(int) @ connected) > 0
    low, high = result.rank_sets
    for one in range(len(codes)):
        assert (result.group == result.group[one]).tolist() == connected[one].tolist()
        core = [other for other in np.flatnonzero(connected[one]) if np.isfinite(result.values[other])]
        above, below = reach[one, core].any(), reach[core, one].any()
        if not core:
            assert np.isnan(result.low[one])
        elif above and below:
            assert one in core
            assert np.isnan(result.low[one]) or result.low[one] < result.values[one] < result.high[one]
        else:
            assert np.isnan(result.values[one])
            assert bool(np.isposinf(result.high[one])) == bool(above and np.isfinite(result.low[one]))
            assert bool(np.isneginf(result.low[one])) == bool(below and np.isfinite(result.high[one]))
        assert np.isnan(result.ranks[one]) or low[one] <= result.ranks[one] <= high[one]


def test_the_open_end_is_where_the_wins_are_as_unlikely_as_the_tail() -> None:
    cycle = [(item, *pair, (1, 1, 1, -1)[item % 4]) for item in range(40) for pair in ((1, 2), (2, 3), (1, 3))]
    rows = cycle + [(item, 0, 1 + item % 3, 1) for item in range(30)] + [(item, 4, 3, -1) for item in range(20)]
    result = estimate(rows)
    assert result.values[[1, 2, 3]] == pytest.approx(estimate([(i, a - 1, b - 1, w) for i, a, b, w in cycle]).values)
    assert result.ranks.tolist() == [pytest.approx(np.nan, nan_ok=True), 2, 3, 4, pytest.approx(np.nan, nan_ok=True)]

    def chance(end: float) -> float:
        return float(10 * np.log1p(np.exp(result.values[1:4] - end)).sum() + np.log(0.025))

    # What the errors of the three strengths add only lowers the end.
    end = brentq(chance, -10, 10)
    assert end - 1 < result.low[0] < end
    assert result.high[0] == np.inf
    bound = brentq(lambda end: 20 * np.log1p(np.exp(end - result.values[3])) + np.log(0.025), -10, 10)
    assert bound < result.high[4] < bound + 1
    assert [ranks.tolist() for ranks in result.rank_sets] == [[1, 2, 2, 2, 5], [1, 4, 4, 4, 5]]


def test_ties_give_a_system_without_losses_no_strength_unless_others_bound_the_tendency_to_them() -> None:
    alone = [(item, 0, 1, int(item % 3 > 0)) for item in range(30)]
    result = estimate(alone)
    assert np.isnan([*result.values, *result.low, *result.high]).all()
    assert [ranks.tolist() for ranks in result.rank_sets] == [[1, 2], [1, 2]]
    # The third system beats and ties the first: wins still do not outnumber ties in a cycle.
    assert np.isnan(estimate([*alone, *((item, 2, 0, item % 2) for item in range(30))]).values).all()
    others = [(item, 2, 3, 1 if item % 3 else -1) for item in range(30)]
    bounded = estimate([*alone, *others, *((item, 1, 2, (1, -1, 0)[item % 3]) for item in range(30))])
    assert (bounded.low < bounded.values).all()
    assert (bounded.values < bounded.high).all()


def test_systems_that_each_beat_the_next_have_ranks_but_no_strengths() -> None:
    result = estimate([(item, one, one + 1, 1) for item in range(40) for one in range(3)])
    assert np.isnan([*result.values, *result.low, *result.high]).all()
    assert [ranks.tolist() for ranks in result.rank_sets] == [[1, 2, 3, 4], [1, 2, 3, 4]]
    few = estimate([(item, one, one + 1, 1) for item in range(3) for one in range(3)])
    assert [ranks.tolist() for ranks in few.rank_sets] == [[1] * 4, [4] * 4]


def test_groups_that_were_never_compared_are_ranked_apart() -> None:
    one = [(item, 0, 1, 1 if item % 3 else -1) for item in range(30)]
    apart = [(item, left + 2, right + 2, winner) for item, left, right, winner in one]
    result = estimate(one + apart)
    assert result.group.tolist() == [0, 0, 1, 1]
    assert result.ranks.tolist() == [1, 2, 1, 2]
    assert result.values == pytest.approx(np.tile(estimate(one).values, 2))
    assert result.values[0] - result.values[1] == pytest.approx(np.log(2), abs=1e-6)


def test_verdicts_that_cancel_in_every_item_have_no_interval() -> None:
    result = estimate([(item, 0, 1, winner) for item in range(20) for winner in (1, -1)])
    assert result.values == pytest.approx([0, 0], abs=1e-9)
    assert np.isnan([*result.low, *result.high]).all()


def test_win_rates_are_plain_shares_with_ties_as_half() -> None:
    verdicts = verdicts_of([(0, 0, 1, 1), (1, 1, 0, 1), (2, 0, 1, 0), (3, 2, 1, 1), (4, 0, 2, 1), (5, 1, 2, -1)])
    result = win_rates(verdicts, np.arange(6), "x", "s1", Groups.of(verdicts.clusters, 1))
    assert result is not None
    assert result.systems == ("s0", "s2")
    assert [rate.value for rate in result.rates] == [0.5, 1.0]
    assert all(rate.low < rate.value <= rate.high for rate in result.rates)


def test_leaderboards_exchange_the_pairs_that_both_order_significantly_in_opposite_ways() -> None:
    random = np.random.default_rng(4)
    rows: list[tuple[int, int, int, int]] = []
    who: list[int] = []
    for code, true in enumerate((np.array([2, 0, -2, 0.1]), np.array([-2, 0, 2, 0.0]))):
        for item in range(150):
            one, other = random.choice(4, 2, replace=False).tolist()
            wins = random.random() < 1 / (1 + np.exp(true[other] - true[one]))
            rows.append((item, one, other, 1 if wins else -1))
            who.append(code)
    verdicts = verdicts_of(rows, judges=np.array(who))
    people, judge = np.flatnonzero(verdicts.judges == 0), np.flatnonzero(verdicts.judges == 1)
    (result,) = compare_leaderboards(verdicts, people, judge, ("people", "gpt"), 1)
    values = [
        strengths_of(verdicts, subset, "", Groups.of(verdicts.clusters[subset], 1)).values for subset in (people, judge)
    ]
    assert result.tau.value == pytest.approx(kendalltau(*values).statistic)
    assert result.tau.low <= result.tau.value <= result.tau.high < 0
    assert (result.pairs, result.same) == (6, 0)
    assert result.exchanged >= 1
    assert result.bounds == pytest.approx([-1, 1 - 2 * result.exchanged / 6])
    (same,) = compare_leaderboards(verdicts, people, people, ("people", "same"), 1)
    assert same.exchanged == 0
    assert same.tau.value == 1
    assert same.tau.low < 1
