"""Plans agree with what the same evidence says about the pilot, and planned numbers of items are enough."""

import numpy as np
import pytest
from command_line import CommandLine, Write
from numpy.typing import NDArray
from score_cubes import score_table
from simulations.generators import parts_of_sums

from metaeval.analyses.plan.compute import with_errors
from metaeval.analyses.plan.goals import MAX_FACTOR, Pilot, amounts, plan_difference, plan_ranking
from metaeval.inference.pairs import Evidence, compare_pairs
from metaeval.inference.parts import group_sums

Numbers = NDArray[np.float64]

SIZES = np.array([50.0, 200.0, 800.0])


def evidence_of(items: Numbers, *groupings: NDArray[np.intp], seed: int = 0, permutations: int = 999) -> Evidence:
    """Of scores of single items, (S, N), by items or in groups."""
    ways = list(groupings) or [np.arange(items.shape[1])]
    if len(ways) == 2:
        ways.append(np.unique(ways[0] * (ways[1].max() + 1) + ways[1], return_inverse=True)[1])
    parts = [parts_of_sums(group_sums(items, codes, codes.max() + 1), np.bincount(codes)) for codes in ways]
    return Evidence.draw(parts, np.random.default_rng(seed), permutations)


def pilot_of(items: Numbers, *groupings: NDArray[np.intp]) -> Pilot:
    return Pilot.of(evidence_of(items, *groupings), alpha=0.05)


def correct(systems: int = 8, items: int = 400, seed: int = 1) -> Numbers:
    shares = np.linspace(0.6, 0.8, systems)
    return (np.random.default_rng(seed).random((items, systems)) < shares).T.astype(np.float64)


def test_the_curve_is_the_expected_tau_of_halves_of_the_pilot() -> None:
    pilot = pilot_of(correct())
    requirement = plan_ranking(pilot, tau=0.9, sizes=np.array([200.0, 400.0]))
    assert requirement.value[0] == pytest.approx(pilot.pairs.expected_tau()[0], abs=1e-3)
    assert requirement.value[1] == requirement.now
    assert (requirement.lows <= requirement.value).all()
    assert (requirement.value <= requirement.highs).all()


def test_what_the_pilot_reaches_takes_as_many_items_as_it_has() -> None:
    pilot = pilot_of(correct())
    now = plan_ranking(pilot, tau=0.5, sizes=SIZES).now
    requirement = plan_ranking(pilot, tau=now, sizes=SIZES)
    assert requirement.amount == pytest.approx(400, rel=0.01)
    assert requirement.low < 400 < requirement.high


rows = np.arange(400) // 8
columns = np.arange(400) % 50


@pytest.mark.parametrize("groupings", [(), (rows,), (rows, columns)], ids=["items", "clusters", "crossed"])
def test_the_difference_from_which_compare_calls_a_pair_different_is_found_in_half_of_the_cases(
    groupings: tuple[NDArray[np.intp], ...],
) -> None:
    items = correct()[:2]
    pilot = pilot_of(items, *groupings)
    (threshold,) = compare_pairs(pilot.evidence).threshold
    requirement = plan_difference(pilot, delta=float(threshold), power=0.5, sizes=SIZES)
    # The variances of two crossed groupings are added in the test where the smaller one is that of the cells.
    assert requirement.now == pytest.approx(0.5, abs=1e-6 if len(groupings) < 2 else 0.05)
    assert requirement.amount == pytest.approx(400, rel=0.01 if len(groupings) < 2 else 0.1)
    assert requirement.low < requirement.amount < requirement.high


def test_planned_numbers_of_items_find_the_difference_with_that_power() -> None:
    random = np.random.default_rng(3)
    shares = np.array([0.75, 0.65, 0.7, 0.7])

    def draw(items: int) -> Numbers:
        return (random.random((items, 4)) < shares).T.astype(np.float64)

    planned = np.median(
        [plan_difference(pilot_of(draw(300)), delta=0.1, power=0.8, sizes=SIZES).amount for _ in range(9)]
    )
    detections = [compare_pairs(evidence_of(draw(int(planned)), permutations=499)).significant[0] for _ in range(150)]
    # Of 150 tests with power .8 fewer than 102 or more than 136 find it in one of 1,000 runs.
    assert 102 <= sum(detections) <= 136


def test_four_times_the_items_find_half_the_difference() -> None:
    pilot = pilot_of(correct())
    full, half = (plan_difference(pilot, delta=delta, power=0.8, sizes=SIZES).amount for delta in (0.2, 0.1))
    # The critical value falls a little with the number of items.
    assert 3.8 * full < half <= 4 * full


def test_equal_systems_are_out_of_reach_and_say_so() -> None:
    same = np.repeat(correct(1), 5, axis=0)
    assert "no two systems" in pilot_of(same).missing
    random = np.random.default_rng(5)
    equal = (random.random((12, 400)) < 0.7).astype(np.float64)
    requirement = plan_ranking(pilot_of(equal), tau=0.95, sizes=SIZES)
    assert requirement.amount == requirement.high == np.inf
    assert requirement.most == MAX_FACTOR * 400


def test_clusters_need_more_items() -> None:
    # Every item four times.
    once = correct(items=100)
    copies = np.repeat(once, 4, axis=1)
    alone, clustered = (pilot_of(copies, *way) for way in ((), (np.repeat(np.arange(100), 4),)))
    few, many = (plan_difference(pilot, delta=0.15, power=0.8, sizes=SIZES).amount for pilot in (alone, clustered))
    assert 3 < many / few < 5
    # As many clusters as items would be needed.
    expected = plan_difference(pilot_of(once), delta=0.15, power=0.8, sizes=SIZES).amount
    assert many / 4 == pytest.approx(expected, rel=0.05)


def test_errors_are_moved_as_systems_err() -> None:
    counts = np.array([[[50.0, 10, 0], [5, 25, 0], [0, 0, 10]], [[40, 20, 0], [10, 20, 0], [0, 0, 10]]])
    new_counts = with_errors(counts, 0.01)
    np.testing.assert_allclose(new_counts.sum(axis=2), counts.sum(axis=2))
    right = [np.trace(matrix) for matrix in new_counts]
    np.testing.assert_allclose(right, [84, 69])
    # The third class has no errors: they go to both others.
    assert new_counts[0, 2, 0] == new_counts[0, 2, 1] > 0
    assert new_counts[0, 0, 2] == 0
    assert (with_errors(counts, 1.0) >= 0).all()


def test_amounts_reach_from_a_quarter_of_the_pilot_to_sixteen_times_it() -> None:
    sizes = amounts(400, 2)
    assert sizes[0] == 100
    assert sizes[-1] == 6400
    assert 400 in sizes


@pytest.mark.parametrize(("alpha", "groups"), [(0.05, 6), (0.01, 8)])
def test_no_number_of_items_is_below_what_the_test_can_use(alpha: float, groups: int) -> None:
    random = np.random.default_rng(6)
    quality = np.array([[0.9], [0.1]]) + 0.01 * random.standard_normal((2, 40))
    evidence = evidence_of(quality)
    pilot = Pilot.of(evidence, alpha=alpha)
    requirement = plan_difference(pilot, delta=0.5, power=0.8, sizes=np.array([3.0, 5.0, 40.0]))
    assert requirement.amount == requirement.low == pytest.approx(groups)
    assert requirement.value.tolist() == [0.0, 0.0, 1.0]
    assert np.isnan(requirement.least)
    # Eight items a cluster.
    by_cluster = Pilot.of(evidence_of(np.repeat(quality, 8, axis=1), np.repeat(np.arange(40), 8)), alpha=alpha)
    assert plan_difference(by_cluster, delta=0.5, power=0.8, sizes=SIZES).amount == pytest.approx(8 * groups)


def test_the_smallest_number_that_is_considered_is_a_bound() -> None:
    random = np.random.default_rng(7)
    pilot = pilot_of(np.array([[0.9], [0.1]]) + 0.01 * random.standard_normal((2, 400)))
    requirement = plan_difference(pilot, delta=0.5, power=0.8, sizes=SIZES)
    assert requirement.amount == requirement.least == pytest.approx(400 / MAX_FACTOR)


def one_system(items: int, share: float) -> str:
    """A table of one system that is right on a share of the items."""
    return score_table({"success": [np.arange(items) < round(items * share)]})


@pytest.mark.parametrize(("share", "width"), [(0.5, 0.1), (0.9, 0.1), (0.97, 0.05)])
def test_the_score_of_one_system_on_as_many_items_as_planned_is_as_exact_as_planned(
    metaeval: CommandLine, write: Write, share: float, width: float
) -> None:
    options = ("--task", "table", "--interval-width", width)
    report = metaeval.report("plan", write("pilot.csv", one_system(100, share)), *options)
    (row,) = report["tables"]["plan"]
    assert (row["goal"], row["unit"]) == (f"score ± {width / 2:g}", "items")
    assert row["low"] <= row["needed"] <= row["high"]
    widths = []
    for items in (row["needed"], round(0.9 * row["needed"])):
        path = write("more.csv", one_system(items, share))
        table = metaeval.tables("score", "--task", "table", path)["intervals"]
        widths.append(table[0]["high"] - table[0]["low"])
    assert widths[0] == pytest.approx(width, rel=0.03)
    assert widths[1] > widths[0]


def test_a_plan_of_one_system_ranks_nothing(metaeval: CommandLine, write: Write) -> None:
    path = write("pilot.csv", one_system(60, 0.6))
    report = metaeval.report("plan", "--task", "table", path)
    assert {row["goal"] for row in report["tables"]["plan_curve"]} == {"score ± 0.1"}
    (finding,) = report["findings"]
    assert finding["sentence"].endswith("are enough for a score within ± 0.1 (95 %)")
    assert not any("tau" in note for note in report["notes"])
    constant = metaeval.report("plan", "--task", "table", write("constant.csv", one_system(60, 1.0)))
    assert constant["tables"]["plan"][0]["required"] == "the score does not vary between items"
