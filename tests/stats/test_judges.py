"""The alternative annotator test against a loop over its definition, SciPy's tests, and its level."""

import math
from itertools import product
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from numpy.typing import NDArray
from scipy import stats

from metaeval.errors import InputError
from metaeval.stats.judges import EPSILON, alternative_annotator_test, benjamini_yekutieli

Alignment = Literal["accuracy", "rmse"]
Numbers = NDArray[np.float64]
every_alignment = pytest.mark.parametrize("alignment", ["accuracy", "rmse"])


def noisy(seed: int, *shape: int, share: float = 0.3, missing: float = 0.0) -> tuple[Numbers, Numbers]:
    """True labels (..., U), and ratings of annotators (..., A, U), of which some are wrong and some missing."""
    random = np.random.default_rng(seed)
    truth = random.integers(1, 5, size=(*shape[:-2], 1, shape[-1])).astype(float)
    labels = np.where(random.random(shape) < share, random.integers(1, 5, size=shape), truth)
    return truth[..., 0, :], np.where(random.random(shape) < missing, np.nan, labels)


def alignment_score(one: float, others: Numbers, alignment: Alignment) -> float:
    if alignment == "accuracy":
        return float(np.mean(others == one))
    return -round(math.sqrt(float(np.mean((others - one) ** 2))), 12)


def by_definition(
    judge: Numbers, ratings: Numbers, alignment: Alignment, epsilon: float
) -> tuple[float, float, dict[int, float]]:
    """ω, ρ and the p-value of each annotator tested."""
    rates, p = [], {}
    for annotator, labels in enumerate(ratings):
        wins_judge, wins_annotator = [], []
        for unit in range(len(judge)):
            others = np.delete(ratings[:, unit], annotator)
            others = others[~np.isnan(others)]
            if np.isnan(labels[unit]) or np.isnan(judge[unit]) or not len(others):
                continue
            judge_score = alignment_score(judge[unit], others, alignment)
            annotator_score = alignment_score(labels[unit], others, alignment)
            wins_judge.append(judge_score >= annotator_score)
            wins_annotator.append(annotator_score >= judge_score)
        if len(wins_judge) < 30:
            continue
        difference = np.array(wins_annotator, dtype=float) - np.array(wins_judge, dtype=float)
        p[annotator] = float(stats.ttest_1samp(difference, epsilon, alternative="less").pvalue)
        rates.append(np.mean(wins_judge))
    rejected = stats.false_discovery_control(list(p.values()), method="by") <= 0.05
    return float(np.mean(rejected)), float(np.mean(rates)), p


@every_alignment
@pytest.mark.parametrize("epsilon", EPSILON.values())
@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_it_is_what_the_definition_says(alignment: Alignment, epsilon: float, missing: float) -> None:
    for seed in range(6):
        truth, ratings = noisy(seed, 5, 70, missing=missing)
        ratings[4, 25:] = np.nan
        judge = np.where(np.random.default_rng(seed).random(70) < 0.1 * seed, 1.0, truth)
        judge[:5] = np.nan
        test = alternative_annotator_test(judge, ratings, alignment=alignment, epsilon=epsilon)
        winning_rate, advantage, p = by_definition(judge, ratings, alignment, epsilon)
        assert test.winning_rate == pytest.approx(winning_rate, abs=1e-12)
        assert test.advantage == pytest.approx(advantage, abs=1e-12)
        assert test.passes == (winning_rate >= 0.5)
        assert test.left_out == 5 - len(p)
        np.testing.assert_allclose(test.p, [p.get(annotator, np.nan) for annotator in range(5)], rtol=1e-9)


@every_alignment
def test_many_judges_and_studies_equal_a_loop(alignment: Alignment) -> None:
    truth, ratings = noisy(1, 2, 4, 50, missing=0.2)
    judges = np.where(np.random.default_rng(2).random((7, 2, 50)) < 0.3, 2.0, truth)
    judges[3, 0, :30] = np.nan
    together = alternative_annotator_test(judges, ratings, alignment=alignment)
    for index in np.ndindex(7, 2):
        alone = alternative_annotator_test(judges[index], ratings[index[1]], alignment=alignment)
        for name, value in vars(alone).items():
            np.testing.assert_array_equal(getattr(together, name)[index], value, err_msg=name)


def test_who_is_as_close_is_counted_for_both() -> None:
    ratings = np.tile([[0.0, 1.0], [0.0, 1.0], [1.0, 1.0]], 20)
    test = alternative_annotator_test(ratings[0], ratings, alignment="accuracy")
    np.testing.assert_allclose(test.judge_rate, [1, 1, 1])
    np.testing.assert_allclose(test.annotator_rate, [1, 1, 0.5])
    assert test.units.tolist() == [40, 40, 40]


def test_a_judge_that_says_what_annotators_say_wins_for_certain_and_one_always_off_never_does() -> None:
    ratings = np.tile(np.arange(40.0) % 3, (3, 1))
    test = alternative_annotator_test([ratings[0], ratings[0] + 5], ratings, alignment="rmse")
    np.testing.assert_array_equal(test.p, [[0, 0, 0], [1, 1, 1]])
    assert test.winning_rate.tolist() == [1, 0]
    assert test.advantage.tolist() == [1, 0]


def test_equal_but_for_rounding_is_a_tie() -> None:
    ratings = np.tile([[0.1], [0.2], [0.3]], 30)
    # 0.3 is as far from 0.2 and 0.1 as 0.1 is from 0.2 and 0.3.
    test = alternative_annotator_test(np.full(30, 0.3) + 1e-17, ratings, alignment="rmse")
    assert test.judge_rate[2] == test.annotator_rate[2] == 1
    spread = np.tile([[0.0], [0.7], [0.7]], 30)
    test = alternative_annotator_test(np.full(30, 1.4), spread, alignment="rmse")
    assert test.judge_rate[0] == test.annotator_rate[0] == 1


def test_no_annotator_with_enough_units_leaves_nothing_to_say() -> None:
    truth, ratings = noisy(4, 4, 20)
    test = alternative_annotator_test(truth, ratings, alignment="accuracy")
    assert test.left_out == 4
    assert np.isnan(test.winning_rate)
    assert np.isnan(test.advantage)
    assert not test.passes
    nothing = alternative_annotator_test(truth * np.nan, ratings, alignment="accuracy")
    assert np.isnan(nothing.p).all()


def test_a_unit_needs_two_raters() -> None:
    truth, ratings = noisy(5, 3, 80)
    ratings[1:, 40:] = np.nan
    ratings[2, 30:] = np.nan
    assert alternative_annotator_test(truth, ratings, alignment="accuracy").units.tolist() == [40, 40, 30]


def test_an_annotator_needs_another_to_be_compared_with() -> None:
    with pytest.raises(InputError, match="1 annotator; expected 2 or more"):
        alternative_annotator_test(np.ones(40), np.ones((1, 40)), alignment="accuracy")


@every_alignment
def test_all_signs_of_clusters_are_the_exact_test_of_their_sums(alignment: Alignment) -> None:
    truth, ratings = noisy(8, 4, 66, missing=0.2)
    judge = np.where(np.random.default_rng(8).random(66) < 0.2, 1.0, truth)
    threads = np.random.default_rng(9).permutation(np.append(np.arange(66) % 11, np.arange(66)))[:66] % 11
    signs = np.array(list(product([1.0, -1.0], repeat=11)))
    test = alternative_annotator_test(judge, ratings, alignment=alignment, clusters=(threads, signs))
    alone = alternative_annotator_test(judge, ratings, alignment=alignment)
    np.testing.assert_array_equal(test.judge_rate, alone.judge_rate)
    for annotator in range(4):
        sums = np.zeros(11)
        for unit in np.flatnonzero(~np.isnan(ratings[annotator])):
            unit_test = alternative_annotator_test(judge[[unit]], ratings[:, [unit]], alignment=alignment)
            if unit_test.units[annotator]:
                sums[threads[unit]] += (unit_test.annotator_rate - unit_test.judge_rate)[annotator] - 0.2
        reached = sum((row * sums).sum() <= sums.sum() + 1e-9 for row in signs)
        assert test.p[annotator] == (reached + 1) / (len(signs) + 1)
        assert test.samples[annotator] == 11


def test_copies_of_units_in_clusters_tell_nothing_new_and_few_clusters_nothing() -> None:
    truth, ratings = noisy(9, 3, 40)
    once, thrice = np.arange(40), np.repeat(np.arange(40), 3)
    signs = np.random.default_rng(1).choice([-1.0, 1.0], (999, 40))
    tests = [
        alternative_annotator_test(truth[items], ratings[:, items], alignment="accuracy", clusters=(items, signs))
        for items in (once, thrice)
    ]
    np.testing.assert_array_equal(tests[0].p, tests[1].p)
    few = alternative_annotator_test(truth, ratings, alignment="accuracy", clusters=(once % 9, signs[:, :9]))
    assert np.isnan(few.p).all()
    assert few.left_out == 3


@given(some.lists(some.one_of(some.floats(0, 1), some.just(math.nan)), min_size=1, max_size=8))
def test_rejections_are_those_of_adjusted_p_values(p: list[float]) -> None:
    values = np.array(p)
    defined = ~np.isnan(values)
    rejected = benjamini_yekutieli(values, rate=0.2)
    assert not rejected[~defined].any()
    if defined.any():
        adjusted = stats.false_discovery_control(values[defined], method="by")
        clear = np.abs(adjusted - 0.2) > 1e-9
        np.testing.assert_array_equal(rejected[defined][clear], adjusted[clear] <= 0.2)


@pytest.mark.parametrize("units", [30, 100])
def test_a_judge_worse_by_the_allowance_wins_no_more_often_than_the_level_allows(units: int) -> None:
    # Of two annotators who always agree with each other, the judge differs with probability ε: worse by just that.
    random = np.random.default_rng(units)
    studies, epsilon = 4000, 0.2
    ratings = np.zeros((studies, 2, units))
    judges = (random.random((studies, units)) < epsilon).astype(float)
    test = alternative_annotator_test(judges, ratings, alignment="accuracy", epsilon=epsilon)
    # Both hypotheses are the same one here, so they are rejected together, where p ≤ 0.05 / 1.5.
    assert (test.winning_rate[test.winning_rate > 0] == 1).all()
    level = test.passes.mean()
    # The t-test of so skewed differences errs a little on the free side.
    assert 0.01 < level < 0.07
    generous = alternative_annotator_test(judges, ratings, alignment="accuracy", epsilon=0.45)
    assert generous.passes.mean() > 0.75


def test_one_annotator_more_of_the_same_kind_mostly_wins_given_an_allowance_and_seldom_without() -> None:
    _, ratings = noisy(7, 300, 5, 100)
    judges, ratings = ratings[:, 0], ratings[:, 1:]
    allowed = alternative_annotator_test(judges, ratings, alignment="accuracy", epsilon=0.2)
    strict = alternative_annotator_test(judges, ratings, alignment="accuracy", epsilon=0.0)
    assert allowed.passes.mean() > 0.7
    assert strict.passes.mean() < 0.06
    np.testing.assert_allclose((strict.judge_rate - strict.annotator_rate).mean(), 0, atol=0.02)
