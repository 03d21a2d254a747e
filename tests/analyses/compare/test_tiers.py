"""p-values adjusted as by others, ranks by hand, tiers and letters that agree with what they tell."""

from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from numpy.typing import NDArray
from scipy import stats

from metaeval.analyses.compare.tiers import adjusted, mean_places, rank_intervals, tiers
from metaeval.stats.tests import compact_letters

chances = some.lists(some.floats(0.0001, 1.0), min_size=1, max_size=30)


def plain_holm(p: list[float]) -> list[float]:
    """The largest of what this and smaller p-values are multiplied to."""
    ordered = sorted(range(len(p)), key=lambda place: p[place])
    found, so_far = [0.0] * len(p), 0.0
    for step, place in enumerate(ordered):
        so_far = max(so_far, p[place] * (len(p) - step))
        found[place] = min(1.0, so_far)
    return found


@given(chances)
def test_holm_is_that_of_a_loop(p: list[float]) -> None:
    np.testing.assert_allclose(adjusted(np.array(p), adjust="holm"), plain_holm(p), rtol=1e-12)


@given(chances)
def test_benjamini_hochberg_is_that_of_scipy(p: list[float]) -> None:
    expected = stats.false_discovery_control(p, method="bh")
    np.testing.assert_allclose(adjusted(np.array(p), adjust="bh"), expected, rtol=1e-12)


@pytest.mark.parametrize("adjust", ["holm", "bh", "none"])
def test_what_is_unknown_stays_so_and_counts_for_nothing(adjust: str) -> None:
    p = np.array([0.03, np.nan, 0.01, 0.2, np.nan])
    found = adjusted(p, adjust=adjust)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(p))
    np.testing.assert_array_equal(found[[0, 2, 3]], adjusted(p[[0, 2, 3]], adjust=adjust))
    assert np.isnan(adjusted(np.full(2, np.nan), adjust=adjust)).all()


@pytest.mark.parametrize(("adjust", "expected"), [("holm", [0.03, 0.06, 0.06]), ("none", [0.01, 0.04, 0.03])])
def test_adjusting_by_hand(adjust: str, expected: list[float]) -> None:
    assert adjusted(np.array([0.01, 0.04, 0.03]), adjust=adjust).tolist() == pytest.approx(expected)


def test_ties_share_the_mean_place_and_what_is_undefined_comes_last() -> None:
    scores = np.array([[0.5, 0.9, 0.5, np.nan], [0.1, np.nan, 0.2, np.nan]])
    assert mean_places(scores).tolist() == [[2.5, 1, 2.5, 4], [2, 3.5, 1, 3.5]]


def test_rank_intervals_are_quantiles_of_places() -> None:
    random = np.random.default_rng(1)
    scores = np.array([0.8, 0.5, 0.55, 0.1])
    drawn = scores + 0.05 * random.normal(size=(999, 4))
    found = rank_intervals(scores, drawn)
    places = 1 + (drawn[:, np.newaxis] > drawn[..., np.newaxis]).sum(axis=-1)
    assert found.place.tolist() == [1, 3, 2, 4]
    np.testing.assert_allclose([found.low, found.high], np.quantile(places, [0.025, 0.975], axis=0))
    assert (found.low[0], found.high[0], found.low[1], found.high[1]) == (1, 1, 2, 3)


@some.composite
def verdicts(draw: some.DrawFn) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Scores, and which of them differ: any two that are far enough apart, and by chance some that are not."""
    scores = np.array(draw(some.lists(some.integers(0, 20), min_size=1, max_size=9))) / 20
    distance = np.abs(scores[:, np.newaxis] - scores)
    bits = draw(some.lists(some.booleans(), min_size=len(scores) ** 2, max_size=len(scores) ** 2))
    coins = np.triu(np.array(bits).reshape(distance.shape), 1)
    return scores, (distance > 0.5) | ((coins | coins.T) & (distance > 0.2))


@given(verdicts())
def test_tiers_fall_with_the_scores_and_end_where_a_system_differs_from_the_best_of_one(
    found: tuple[NDArray[np.float64], NDArray[np.bool_]],
) -> None:
    scores, different = found
    order = np.argsort(-scores, kind="stable").tolist()
    of_tier = np.array(tiers(scores, different))
    assert of_tier[order].tolist() == sorted(of_tier.tolist())
    assert set(of_tier.tolist()) == set(range(1, of_tier.max() + 1))
    for tier in range(1, of_tier.max() + 1):
        best = best_of(tier, scores, of_tier)
        assert not different[np.ix_(best, of_tier == tier)][:, scores[of_tier == tier] < scores[best[0]]].any()
        if tier > 1:
            assert different[np.ix_(best_of(tier - 1, scores, of_tier), best)].any()


def best_of(tier: int, scores: NDArray[np.float64], of_tier: NDArray[np.int_]) -> NDArray[np.intp]:
    """The systems with the highest score of a tier."""
    return np.flatnonzero((of_tier == tier) & (scores == scores[of_tier == tier].max()))


@given(verdicts(), some.randoms(use_true_random=False))
def test_tiers_do_not_depend_on_the_order_of_systems(
    found: tuple[NDArray[np.float64], NDArray[np.bool_]], random: Random
) -> None:
    scores, different = found
    order = random.sample(range(len(scores)), len(scores))
    turned = tiers(scores[order], different[np.ix_(order, order)])
    assert turned == np.array(tiers(scores, different))[order].tolist()


@pytest.mark.parametrize("order", [[0, 1, 2], [0, 2, 1], [2, 1, 0]])
def test_equal_scores_are_in_one_tier(order: list[int]) -> None:
    # The first two are equal, and only one of them differs from the best.
    scores, different = np.array([0.5, 0.1 + 0.4 + 1e-16, 0.9])[order], np.zeros((3, 3), dtype=np.bool_)
    different[0, 2] = different[2, 0] = True
    assert tiers(scores, different[np.ix_(order, order)]) == np.array([2, 2, 1])[order].tolist()


@given(verdicts())
def test_systems_share_a_letter_exactly_where_they_do_not_differ(
    found: tuple[NDArray[np.float64], NDArray[np.bool_]],
) -> None:
    scores, different = found
    letters = compact_letters(scores, different)
    for one, of_one in enumerate(letters):
        for other, of_other in enumerate(letters):
            assert bool(set(of_one) & set(of_other)) != different[one, other]
    # Of the best of a tier and the best of the next, some two have no letter in common.
    of_tier = np.array(tiers(scores, different))
    firsts = [best_of(tier, scores, of_tier).tolist() for tier in range(1, of_tier.max() + 1)]
    for above, below in pairwise(firsts):
        assert any(not set(letters[one]) & set(letters[other]) for one in above for other in below)


def test_a_system_without_a_score_is_in_the_last_tier() -> None:
    different = np.zeros((3, 3), dtype=np.bool_)
    different[0, 2] = different[2, 0] = True
    assert tiers(np.array([0.2, np.nan, 0.9]), different) == [2, 2, 1]
    assert tiers(np.array([]), np.zeros((0, 0), dtype=np.bool_)) == []
