"""Corrected means and their intervals against published numbers, plain formulas and brute force."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from judges.correct.studies import binary, corrected, made_up, study_of
from scipy import stats

from metaeval.errors import InputError
from metaeval.judges.correct.compute import (
    Estimate,
    Sums,
    check,
    human_mean,
    labels_needed,
    powered_mean,
    rogan_gladen_interval,
    rogan_gladen_mean,
)
from metaeval.judges.correct.settings import CorrectSettings

LEE = ((200, 60), (200, 180), (1000, 400))
"""p = .4, n = 1000, q0 = .7, q1 = .9, m0 = m1 = 200: the example of Lee et al. (arXiv 2511.21140)."""


def plain_ppi(f: np.ndarray, y: np.ndarray, others: np.ndarray) -> tuple[float, float, float]:
    """λ, estimate and classical standard error of PPI++ for a mean, written from the paper."""
    n, rest = len(y), len(others)
    everything = np.concatenate([f, others])
    weight = np.cov(f, y, ddof=1)[0, 1] / ((1 + n / rest) * np.var(everything, ddof=1))
    estimate = weight * others.mean() + (y - weight * f).mean()
    error = math.sqrt(np.var(y - weight * f, ddof=1) / n + weight**2 * np.var(others, ddof=1) / rest)
    return weight, estimate, error


def test_the_example_of_lee_et_al() -> None:
    judge, human = binary(*LEE)
    result = corrected(judge, human, method="rogan-gladen")
    assert result.mean.item() == pytest.approx(0.16667, abs=5e-5)
    low, high = (round(end.item(), 4) for end in result.interval)
    assert (low, high) == (0.0564, 0.2627)
    assert {name: round(each.item(), 6) for name, each in result.weight.items()} == {
        "sensitivity": 0.9,
        "specificity": 0.7,
    }


def test_the_jackknife_of_the_example_is_its_delta_method() -> None:
    p, n, q0, q1, m = 0.4, 1000, 0.7, 0.9, 200
    theta = (p + q0 - 1) / (q0 + q1 - 1)
    variance = p * (1 - p) / n + (1 - theta) ** 2 * q0 * (1 - q0) / m + theta**2 * q1 * (1 - q1) / m
    error = math.sqrt(variance) / (q0 + q1 - 1)
    z = stats.norm.ppf(0.975)
    assert (round(theta - z * error, 4), round(theta + z * error, 4)) == (0.0643, 0.2690)
    judge, human = binary(*LEE)
    estimate = Estimate.of(rogan_gladen_mean, Sums.of(judge, human, np.arange(judge.shape[1]), judge.shape[1]))
    assert math.sqrt(estimate.variance.item()) == pytest.approx(error, rel=0.01)


def test_the_adjusted_interval_without_adjustments_is_the_delta_method() -> None:
    judge, human = binary(*LEE)
    many = Sums(
        *(
            1e8 * getattr(Sums.of(judge, human, np.zeros(judge.shape[1], int), 1).total, name)
            for name in Sums.__dataclass_fields__
        )
    )
    low, high = rogan_gladen_interval(many)
    assert low.item() == pytest.approx(1 / 6, abs=1e-4)
    assert (high - low).item() * 1e4 == pytest.approx(0.2690 - 0.0643, abs=2e-3)


@given(*[st.integers(0, 6)] * 4, st.integers(0, 12), st.sampled_from([12, 3000]))
def test_the_interval_of_few_labels_is_in_order_and_holds_the_estimate(
    right_zeros: int, wrong_zeros: int, right_ones: int, wrong_ones: int, positive: int, others: int
) -> None:
    zeros, ones = right_zeros + wrong_zeros, right_ones + wrong_ones
    assume(zeros and ones and right_zeros / zeros + right_ones / ones > 1 + 1e-9)
    judge, human = binary((zeros, wrong_zeros), (ones, right_ones), (others, positive * others // 12))
    result = corrected(judge, human, method="rogan-gladen")
    low, high = (end.item() for end in result.interval)
    assert low <= result.mean.item() <= high
    assert min(result.mean.item(), 0) <= low
    assert high <= max(result.mean.item(), 1)


def test_labels_that_are_repeated_in_clusters_count_about_once() -> None:
    random = np.random.default_rng(5)
    human = np.where(random.random(400) < 0.3, random.random(400) < 0.4, np.nan)
    judge = np.where(np.isnan(human), random.random(400) < 0.4, np.where(random.random(400) < 0.9, human, 1 - human))
    once = corrected(judge[np.newaxis], human[np.newaxis], method="rogan-gladen")
    judges, people = (np.repeat(each, 5)[np.newaxis] for each in (judge, human))
    often = corrected(judges, people, np.repeat(np.arange(400), 5), method="rogan-gladen")
    widths = [(result.interval[1] - result.interval[0]).item() for result in (once, often)]
    assert widths[1] == pytest.approx(widths[0], rel=0.1)
    assert 0 <= often.interval[0].item() <= often.mean.item() <= often.interval[1].item() <= 1


def test_a_judge_that_the_adjustments_make_no_better_than_chance_bounds_no_share() -> None:
    judge, human = binary((5, 4), (200, 164), (1000, 400))
    low, high = corrected(judge, human, method="rogan-gladen").interval
    assert low.item() <= 0
    assert high.item() == 1


def test_constant_human_scores_have_no_intervals_and_tests() -> None:
    judge, human, _ = made_up(3, 200, 60)
    human[1] = np.where(np.isnan(human[1]), np.nan, 5.0)
    result = corrected(judge, human)
    assert result.mean[1] == 5
    assert np.isnan([*result.interval, *result.human_interval])[:, 1].all()
    assert np.isfinite([*result.interval, *result.human_interval])[:, [0, 2]].all()
    assert result.tests is not None
    assert np.isnan(result.tests.p).tolist() == [True, False, True]


@given(st.integers(0, 2**31), st.integers(3, 40), st.integers(2, 60))
def test_ppi_is_the_formula_of_the_paper(seed: int, labelled: int, others: int) -> None:
    judge, human, _ = made_up(2, labelled + others, labelled, seed=seed)
    result = corrected(judge, human)
    for system, (f, y) in enumerate(zip(judge, human, strict=True)):
        known = ~np.isnan(y)
        weight, estimate, _ = plain_ppi(f[known], y[known], f[~known])
        assert result.weight["lambda"][system] == pytest.approx(weight, rel=1e-9)
        assert result.mean[system] == pytest.approx(estimate, rel=1e-9)
        assert result.judge[system] == pytest.approx(f.mean(), rel=1e-9)


def test_the_error_of_ppi_is_that_of_the_paper_for_many_labels() -> None:
    judge, human, _ = made_up(1, 1000, 400)
    known = ~np.isnan(human[0])
    *_, error = plain_ppi(judge[0, known], human[0, known], judge[0, ~known])
    low, high = corrected(judge, human).interval
    assert (high - low).item() / 2 == pytest.approx(error * stats.t.ppf(0.975, 399), rel=0.02)


def test_the_interval_of_people_alone_is_that_of_student() -> None:
    judge, human, _ = made_up(2, 120, 50)
    low, high = corrected(judge, human).human_interval
    for system, y in enumerate(human):
        own = y[~np.isnan(y)]
        expected = stats.t.interval(0.95, len(own) - 1, own.mean(), own.std(ddof=1) / math.sqrt(len(own)))
        assert (low[system], high[system]) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("estimator", [human_mean, powered_mean, rogan_gladen_mean])
def test_the_jackknife_leaves_out_every_cluster(estimator: object) -> None:
    judge, human, clusters = made_up(2, 60, 30, size=4, steps=1.0)
    judge, human = (judge > 3).astype(float), np.where(np.isnan(human), np.nan, human > 3)
    assert clusters is not None
    number = int(clusters.max()) + 1
    estimate = Estimate.of(estimator, Sums.of(judge, human, clusters, number))  # type: ignore[arg-type]
    for system in range(2):
        squares = []
        with_labels = np.bincount(clusters, weights=~np.isnan(human[system])) > 0
        for each in range(number):
            kept = clusters != each
            one = Sums.of(judge[:, kept], human[:, kept], np.zeros(kept.sum(), dtype=np.intp), 1).total
            stratum = int((with_labels == with_labels[each]).sum())
            squares.append((stratum - 1) / stratum * (estimator(one)[system] - estimate.value[system]) ** 2)  # type: ignore[operator]
        assert estimate.variance[system] == pytest.approx(sum(squares), rel=1e-9)


@pytest.mark.parametrize("method", ["ppi", "rogan-gladen"])
def test_with_labels_of_all_items_the_corrected_mean_is_that_of_people(method: str) -> None:
    judge, human = binary((30, 8), (40, 33), (0, 0))
    result = corrected(judge, human, method=method)  # type: ignore[arg-type]
    assert result.mean.item() == pytest.approx(4 / 7)
    assert np.allclose(result.interval, result.human_interval)
    assert result.effective.item() == pytest.approx(70, rel=1e-6)
    assert result.sample is None


def test_a_judge_that_knows_nothing_has_no_weight() -> None:
    _, human, _ = made_up(1, 200, 60)
    result = corrected(np.full((1, 200), 4.0), human)
    assert result.weight["lambda"].item() == 0
    assert result.mean.item() == result.human.item()
    assert result.effective.item() == pytest.approx(60)


def test_a_perfect_judge_makes_every_item_a_label() -> None:
    judge, human, _ = made_up(1, 400, 100)
    result = corrected(judge, np.where(np.isnan(human), np.nan, judge))
    assert result.mean.item() == pytest.approx(judge.mean(), abs=0.02)
    assert result.effective.item() == pytest.approx(400, rel=0.2)


@given(st.floats(0.1, 1e6), st.floats(-100, 100))
def test_units_of_the_scores_do_not_matter(factor: float, shift: float) -> None:
    judge, human, _ = made_up(2, 80, 30)
    plain, other = corrected(judge, human), corrected(judge * 3 - 7, human * factor + shift)
    assert np.allclose(plain.mean * factor + shift, other.mean, rtol=1e-8, atol=1e-6)
    assert np.allclose(plain.effective, other.effective, rtol=1e-6)
    assert plain.tests is not None
    assert other.tests is not None
    assert plain.tests.p.tolist() == other.tests.p.tolist()


def test_scores_near_the_ends_of_the_range_of_numbers_are_finite() -> None:
    judge, human, _ = made_up(2, 80, 30)
    for factor in (1e300, 1e-300):
        result = corrected(judge * factor, human * factor)
        assert np.isfinite([result.mean, *result.interval, result.effective]).all()


def test_systems_with_the_same_scores_tie() -> None:
    judge, human, _ = made_up(1, 200, 60)
    result = corrected(np.vstack([judge, judge[:, ::-1]]), np.vstack([human, human[:, ::-1]]))
    assert result.mean[0] == result.mean[1]
    result = corrected(np.vstack([judge, judge]), np.vstack([human, human]))
    assert result.tests is not None
    assert result.tests.p.tolist() == [1.0]


def test_differences_are_those_of_the_corrected_means() -> None:
    judge, human, clusters = made_up(3, 200, 60, size=2)
    result = corrected(judge, human, clusters)
    assert result.tests is not None
    assert np.allclose(result.tests.difference, result.mean[result.tests.one] - result.mean[result.tests.other])


def test_a_difference_of_two_systems_has_about_the_interval_of_a_mean_of_differences() -> None:
    judge, human, _ = made_up(2, 300, 100)
    result = corrected(judge, human)
    one = corrected(judge[:1] - judge[1:], human[:1] - human[1:])
    assert result.tests is not None
    width = (result.tests.high - result.tests.low).item()
    assert width == pytest.approx((one.interval[1] - one.interval[0]).item(), rel=0.06)


@pytest.mark.parametrize("method", ["ppi", "rogan-gladen"])
def test_the_labels_needed_are_the_fewest(method: str) -> None:
    judge, human = binary((60, 6), (40, 36), (900, 380))
    result = corrected(judge, human, method=method, width=0.15)  # type: ignore[arg-type]
    assert result.needed is not None
    alone, both = (each.item() for each in result.needed)
    assert alone > both > 2
    now = result.human_interval[1] - result.human_interval[0]
    if method == "ppi":
        assert alone == pytest.approx(100 * (now.item() / 0.15) ** 2, rel=0.05)
        width = (result.interval[1] - result.interval[0]).item()
        again = corrected(judge, human, width=width * 1.001).needed
        assert again is not None
        assert again[1].item() == 100


def test_labels_needed_by_brute_force() -> None:
    per_label, fixed, groups, width = np.array([2.0, 2.0]), np.array([0.01, 0.2]), np.array([1.0, 0.5]), 0.9
    found = labels_needed(per_label, fixed, groups, width=width, at_most=np.array([500, 500]))

    def narrow(system: int, labels: int) -> bool:
        df = labels * groups[system] - 1
        half = stats.t.ppf(0.975, df) * math.sqrt(per_label[system] / labels + fixed[system]) if df >= 1 else math.inf
        return bool(2 * half <= width)

    expected = [next((n for n in range(2, 501) if narrow(system, n)), 0) for system in range(2)]
    assert found.tolist() == expected
    assert found[1] == 0


def test_a_judge_no_better_than_chance_is_refused_and_every_system_is_named() -> None:
    judge, human = binary((20, 12), (20, 11), (50, 20))
    other = binary((20, 2), (20, 18), (50, 20))[0]
    study = study_of(np.vstack([judge, other, judge]), np.vstack([human] * 3), method="rogan-gladen")
    with pytest.raises(InputError, match=r"(?s)sensitivity 0.55 \+ specificity 0.4 .*'s0'.*'s2'") as error:
        check(study, CorrectSettings())
    assert "s1" not in str(error.value)
    study = study_of(judge[:, 20:], human[:, 20:], method="rogan-gladen")
    with pytest.raises(InputError, match="all 1"):
        check(study, CorrectSettings())


@pytest.mark.parametrize("whole", [False, True])
def test_the_test_of_the_sample_notices_chosen_items(whole: bool) -> None:
    judge, human, clusters = made_up(2, 400, 80, size=4 if whole else 1)
    complete = made_up(2, 400, 400, size=4 if whole else 1)[1]
    if clusters is not None:
        human = np.where(np.isin(clusters, np.random.default_rng(3).permutation(100)[:20]), complete, np.nan)
    random = corrected(judge, human, clusters).sample
    assert random is not None
    assert random.p > 0.05
    key = judge.sum(axis=0) if clusters is None else (np.bincount(clusters, weights=judge.sum(axis=0)) / 4)[clusters]
    for order in (key, np.abs(key - np.median(key))):
        chosen = corrected(judge, np.where(order >= np.sort(order)[-80], complete, np.nan), clusters).sample
        assert chosen is not None
        assert chosen.p < 0.01


def test_the_test_of_the_sample_is_that_of_wilcoxon_for_one_system_of_labels() -> None:
    judge, human = binary((40, 10), (50, 40), (300, 170))
    sample = corrected(judge, human, method="rogan-gladen").sample
    known = ~np.isnan(human[0])
    p = stats.mannwhitneyu(judge[0, known], judge[0, ~known], use_continuity=False, method="asymptotic").pvalue
    assert sample is not None
    assert sample.p == pytest.approx(p, rel=0.01)
    assert sample.gap == pytest.approx(judge[0, known].mean() - judge[0, ~known].mean())
