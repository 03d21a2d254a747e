"""Corrected means and their intervals against published numbers, plain formulas and brute force."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from judges.correct.studies import binary, corrected, made_up, pair_tests, study_of
from scipy import stats

from metaeval.errors import InputError
from metaeval.judges.correct.compute import WIDER, items_to_label
from metaeval.judges.correct.estimates import (
    Estimate,
    Limits,
    Sums,
    human_mean,
    labels_for,
    powered_mean,
    rogan_gladen_limits,
    rogan_gladen_mean,
    share_limits,
    stratified_mean,
    width_with,
)
from metaeval.stats.intervals import difference_of_shares

LEE = ((200, 60), (200, 180), (1000, 400))
"""p = .4, n = 1000, q0 = .7, q1 = .9, m0 = m1 = 200: the example of Lee et al. (arXiv 2511.21140)."""

SHARE_TABLES = st.tuples(
    *[st.tuples(st.integers(0, 30), st.floats(0, 1)) for _ in range(2)], st.integers(1, 300), st.floats(0, 1)
)
"""Labels of each class and the share of which the judge says 1; other items, and the same."""


def sums_of(judge: np.ndarray, human: np.ndarray, *, cells: bool = True, groups: np.ndarray | None = None) -> Sums:
    """Sums of groups, in a cell for each verdict."""
    codes = np.arange(judge.shape[1]) if groups is None else groups
    return Sums.of(judge, human, judge.astype(np.intp) if cells else np.zeros(judge.shape, dtype=np.intp), codes)


def plain_ppi(f: np.ndarray, y: np.ndarray, others: np.ndarray) -> tuple[float, float]:
    """λ, in deviations, and estimate of PPI++ for a mean, written from the paper."""
    n, rest = len(y), len(others)
    everything = np.concatenate([f, others])
    most = np.std(y, ddof=1) / np.std(everything, ddof=1)
    weight = np.clip(np.cov(f, y, ddof=1)[0, 1] / np.var(everything, ddof=1), 0, most) / (1 + n / rest)
    estimate = weight * others.mean() + (y - weight * f).mean()
    return weight / most, estimate


def test_the_share_of_lee_et_al_with_the_labelled_items() -> None:
    result = corrected(*binary(*LEE), sampled_by="class")
    # 1/6 of the 1,000 others and 200 of the labelled items are of class 1.
    assert result.mean.item() == pytest.approx((1000 / 6 + 200) / 1400)
    assert {name: round(weight.item(), 6) for name, weight in result.weight.items()} == {
        "sensitivity": 0.9,
        "specificity": 0.7,
    }


SKILLED = [st.tuples(st.integers(8, 40), st.floats(*ends)) for ends in ((0, 0.3), (0.7, 1))]


@given(st.tuples(*SKILLED, st.integers(1, 300), st.floats(0, 1)))
def test_the_interval_of_rogan_and_gladen_holds_the_shares_that_its_rates_allow(
    numbers: tuple[tuple[int, float], tuple[int, float], int, float],
) -> None:
    (zeros, false), (ones, hits), others, positive = numbers
    x0, x1 = round(zeros * false), round(ones * hits)
    judge, human = binary((zeros, x0), (ones, x1), (others, round(others * positive)))
    total = sums_of(judge, human).total
    q0, q1, p, n = x0 / zeros, x1 / ones, judge.mean(), judge.shape[1]
    rates = [np.array(rate) for rate in (q1, ones, q0, zeros)]
    assume(difference_of_shares(*rates).low > 0)

    def distances(hits: float, number: int) -> tuple[float, float]:
        low, high = (end.item() for end in share_limits(np.array(hits / number), np.array(float(number))))
        return hits / number - low, high - hits / number

    (low1, high1), (low0, high0), (low, high) = distances(x1, ones), distances(x0, zeros), distances(p * n, n)

    def is_allowed(share: float) -> bool:
        a, b = share - ones / n, 1 - share - zeros / n
        gap = p - share * q1 - (1 - share) * q0
        up = gap > 0
        errors = [
            low if up else high,
            a * (high1 if (a > 0) == up else low1),
            b * (high0 if (b > 0) == up else low0),
        ]
        return bool(abs(gap) <= math.hypot(*errors) + 1e-12)

    allowed = [share for share in np.linspace(0, 1, 1001).tolist() if is_allowed(share)]
    limits = rogan_gladen_limits(total)
    if not allowed:
        assert np.isnan(limits.low).all() or limits.width.item() < 2e-3
        return
    assert (limits.low.item(), limits.high.item()) == pytest.approx((allowed[0], allowed[-1]), abs=2e-3)


@given(st.integers(1, 300), st.floats(0, 1))
def test_the_interval_of_a_share_is_between_those_of_jeffreys_and_of_clopper_and_pearson(n: int, share: float) -> None:
    x = round(n * share)
    low, high = (end.item() for end in share_limits(np.array(x / n), np.array(float(n))))
    widest = stats.binomtest(x, n).proportion_ci(0.95, method="exact")
    narrow = np.array(stats.beta.ppf([0.025, 0.975], x + 0.5, n - x + 0.5))
    assert widest.low - 1e-9 <= low <= (narrow[0] if x else 0) + 1e-9
    assert (narrow[1] if x < n else 1) - 1e-9 <= high <= widest.high + 1e-9


@given(SHARE_TABLES, st.sampled_from(["random", "verdict"]))
def test_intervals_of_shares_have_a_width_hold_the_share_and_are_no_wider_than_those_of_people(
    numbers: tuple[tuple[int, float], tuple[int, float], int, float], sampled_by: str
) -> None:
    (zeros, false), (ones, hits), others, positive = numbers
    assume(zeros + ones > 1)
    positives = [round(size * share) for size, share in ((zeros, false), (ones, hits), (others, positive))]
    judge, human = binary((zeros, positives[0]), (ones, positives[1]), (others, positives[2]))
    labelled = judge[0, ~np.isnan(human[0])]
    assume(sampled_by == "random" or set(judge[0]) <= set(labelled))
    result = corrected(judge, human, sampled_by=sampled_by)  # type: ignore[arg-type]
    low, high = (end.item() for end in result.interval)
    assert 0 <= low <= result.mean.item() <= high <= 1
    assert low < high
    human_low, human_high = (end.item() for end in result.human_interval)
    assert human_low < human_high
    assert 0 <= result.weight["lambda"].item() <= 1
    if sampled_by == "random":
        assert high - low <= WIDER * (human_high - human_low) + 1e-9


def test_a_judge_that_is_worse_than_chance_leaves_people_alone() -> None:
    result = corrected(*binary((50, 40), (50, 10), (300, 150)))
    assert result.alone.all()
    assert result.weight["lambda"].item() == 0
    assert np.array_equal(result.interval, result.human_interval)


def test_a_judge_of_whose_verdicts_people_say_the_same_has_an_interval() -> None:
    result = corrected(*binary((35, 21), (15, 9), (950, 470)))
    assert result.mean.item() == pytest.approx(0.3)
    assert np.isfinite(result.interval).all()


def test_the_values_of_ppi_python() -> None:
    """ppi_mean_pointestimate and ppi_mean_ci of ppi-python 0.2.3, which divides Cov by n instead of n - 1."""
    random = np.random.default_rng(7)
    quality = random.normal(0, 0.6, 700)
    people = np.round(3 + quality + random.normal(0, 0.6, 700), 1)
    judge = np.round(people + random.normal(0.3, 0.7, 700), 1)
    result = corrected(judge[np.newaxis], np.where(np.arange(700) < 200, people, np.nan)[np.newaxis])
    assert result.mean.item() == pytest.approx(2.89167833, abs=5e-5)
    assert [end.item() for end in result.interval] == pytest.approx([2.80334163, 2.98001503], abs=2e-3)
    random = np.random.default_rng(8)
    right = random.random(1000) < 0.3
    says = np.where(right, random.random(1000) < 0.9, random.random(1000) < 0.2).astype(float)
    result = corrected(says[np.newaxis], np.where(np.arange(1000) < 150, right, np.nan)[np.newaxis].astype(float))
    assert result.mean.item() == pytest.approx(0.29222291, abs=5e-5)
    # Its interval is of the normal distribution: [0.2377, 0.3468].
    assert [end.item() for end in result.interval] == pytest.approx([0.23765226, 0.34679356], abs=5e-3)


def test_items_that_were_chosen_by_the_verdict_count_as_often_as_the_verdict() -> None:
    # 40 labels of each verdict, of which the judge gives 1 to 200 of 1,000 items.
    judge, human = binary((70 - 36, 4), (46, 36), (920, 160))
    result = corrected(judge, human, sampled_by="verdict")
    assert result.mean.item() == pytest.approx(0.2 * 36 / 40 + 0.8 * 10 / 40)
    assert corrected(judge, human, sampled_by=None).sampled_by == "verdict"


def test_scores_that_were_chosen_by_the_judge_count_by_parts_of_its_scores() -> None:
    random = np.random.default_rng(2)
    judge = random.normal(0, 1, (1, 5000))
    complete = judge + random.normal(0, 0.5, judge.shape)
    human = np.where(random.random(judge.shape) < np.where(judge > 0.5, 0.4, 0.1), complete, np.nan)
    result = corrected(judge, human, sampled_by="verdict")
    assert abs(result.human.item() - complete.mean()) > 0.3
    assert result.interval[0].item() < complete.mean() < result.interval[1].item()
    parts = np.argsort(np.argsort(judge[0])) // 1000
    expected = np.mean([np.nanmean(human[0, parts == part]) for part in range(5)])
    assert result.mean.item() == pytest.approx(expected)


def test_ties_make_intervals_narrower() -> None:
    random = np.random.default_rng(3)
    wins = random.random(80) < 0.5
    some_ties = np.where(random.random(80) < 0.6, 0.5, wins)
    widths = []
    for people in (wins.astype(float), some_ties):
        result = corrected(np.full((1, 400), 0.5), np.append(people, [np.nan] * 320)[np.newaxis])
        assert result.mean.item() == pytest.approx(people.mean())
        widths.append((result.interval[1] - result.interval[0]).item())
    student = 2 * stats.t.ppf(0.975, 79) * some_ties.std(ddof=1) / math.sqrt(80)
    assert widths[1] == pytest.approx(student, rel=0.05)
    assert widths[1] < 0.75 * widths[0]


@pytest.mark.parametrize(
    ("numbers", "sampled_by"),
    [
        (((40, 8), (40, 34), (920, 300)), "class"),
        (((20, 10), (60, 30), (920, 100)), "verdict"),
    ],
)
def test_how_items_were_chosen_is_seen_from_as_many_of_each_class_or_verdict(numbers: object, sampled_by: str) -> None:
    assert corrected(*binary(*numbers), sampled_by=None).sampled_by == sampled_by  # type: ignore[misc]


def test_another_choice_of_items_is_refused_with_the_settings_that_say_it() -> None:
    with pytest.raises(InputError, match="a random sample") as error:
        corrected(*binary((30, 10), (60, 50), (920, 200)), sampled_by=None)
    for name in ("verdict", "class", "random"):
        assert f"sampled_by='{name}'" in str(error.value)


def test_a_share_outside_the_scale_by_more_than_its_error_is_refused() -> None:
    with pytest.raises(InputError, match="outside 0 to 1 by more than its error"):
        corrected(*binary((60, 20), (60, 50), (1000, 100)), sampled_by="class")
    near = corrected(*binary((60, 20), (60, 50), (5000, 1600)), sampled_by="class")
    assert near.interval[0].item() <= near.mean.item() < 0.05


def test_items_to_label_have_the_verdicts_of_the_others() -> None:
    judge, human = binary((10, 3), (10, 6), (980, 245))
    study = study_of(judge, human)
    items = [item for _, item in items_to_label(study, 100)]
    assert len(set(items)) == 100
    assert np.isnan(human[0, items]).all()
    assert judge[0, items].sum() in (25, 25 + 1, 25 - 1)
    assert items_to_label(study, 100) == items_to_label(study, 100)
    assert items_to_label(study_of(judge, human, seed=2), 100) != items_to_label(study, 100)
    assert len(items_to_label(study, 5000)) == 980


def test_widths_of_more_labels() -> None:
    limits, labels = Limits(np.array([0.1, 0.2]), np.array([0.5, 0.3]), np.array([0.1, 0.0])), np.array([20.0, 50.0])
    assert width_with(limits, labels, 0) == pytest.approx(limits.width)
    assert width_with(limits, labels, 1e12) == pytest.approx(limits.fixed, abs=1e-5)
    needed = labels_for(limits, labels, 0.2)
    assert (width_with(limits, labels, needed - labels) <= 0.2).all()
    assert needed[1] < 50
    assert (width_with(limits, labels, needed - labels - 1) > 0.2).all()
    assert np.isnan(labels_for(limits, labels, 0.1)[0])


def test_labels_that_are_repeated_in_clusters_count_about_once() -> None:
    random = np.random.default_rng(5)
    human = np.where(random.random(400) < 0.3, random.random(400) < 0.4, np.nan)
    judge = np.where(np.isnan(human), random.random(400) < 0.4, np.where(random.random(400) < 0.9, human, 1 - human))
    once = corrected(judge[np.newaxis], human[np.newaxis], sampled_by="class")
    judges, people = (np.repeat(labels, 5)[np.newaxis] for labels in (judge, human))
    often = corrected(judges, people, np.repeat(np.arange(400), 5), sampled_by="class")
    widths = [(result.interval[1] - result.interval[0]).item() for result in (once, often)]
    assert widths[1] == pytest.approx(widths[0], rel=0.1)
    assert 0 <= often.interval[0].item() <= often.mean.item() <= often.interval[1].item() <= 1


def test_constant_human_scores_have_no_intervals_and_tests() -> None:
    judge, human, _ = made_up(3, 200, 60)
    human[1] = np.where(np.isnan(human[1]), np.nan, 5.0)
    result = corrected(judge, human)
    assert result.mean[1] == 5
    assert np.isnan([*result.interval, *result.human_interval])[:, 1].all()
    assert np.isfinite([*result.interval, *result.human_interval])[:, [0, 2]].all()
    assert np.isnan(pair_tests(result).p).tolist() == [True, False, True]


@given(st.integers(0, 2**31), st.integers(3, 40), st.integers(2, 60))
def test_ppi_is_the_formula_of_the_paper(seed: int, labelled: int, others: int) -> None:
    judge, human, _ = made_up(2, labelled + others, labelled, seed=seed)
    result = corrected(judge, human)
    for system, (f, y) in enumerate(zip(judge, human, strict=True)):
        has_label = ~np.isnan(y)
        weight, estimate = plain_ppi(f[has_label], y[has_label], f[~has_label])
        if result.alone[system]:
            weight, estimate = 0.0, y[has_label].mean()
        assert result.weight["lambda"][system] == pytest.approx(weight, rel=1e-9)
        assert result.mean[system] == pytest.approx(estimate, rel=1e-9)
        assert result.judge[system] == pytest.approx(f.mean(), rel=1e-9)


def test_the_interval_of_people_alone_is_that_of_student() -> None:
    judge, human, _ = made_up(2, 120, 50)
    low, high = corrected(judge, human).human_interval
    for system, y in enumerate(human):
        scores = y[~np.isnan(y)]
        expected = stats.t.interval(0.95, len(scores) - 1, scores.mean(), scores.std(ddof=1) / math.sqrt(len(scores)))
        assert (low[system], high[system]) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("estimator", [human_mean, powered_mean, stratified_mean, rogan_gladen_mean])
def test_the_jackknife_leaves_out_every_cluster(estimator: object) -> None:
    judge, human, clusters = made_up(2, 60, 30, size=4, steps=1.0)
    judge, human = (judge > 3).astype(float), np.where(np.isnan(human), np.nan, human > 3)
    assert clusters is not None
    number = int(clusters.max()) + 1
    estimate = Estimate.of(estimator, sums_of(judge, human, groups=clusters))  # type: ignore[arg-type]
    for system in range(2):
        squares = []
        with_labels = np.bincount(clusters, weights=~np.isnan(human[system])) > 0
        for cluster in range(number):
            mask = clusters != cluster
            one = sums_of(judge[:, mask], human[:, mask]).total
            stratum = int((with_labels == with_labels[cluster]).sum())
            squares.append((stratum - 1) / stratum * (estimator(one)[system] - estimate.value[system]) ** 2)  # type: ignore[operator]
        assert estimate.variance[system] == pytest.approx(sum(squares), rel=1e-9)


@pytest.mark.parametrize("sampled_by", ["random", "class"])
def test_with_labels_of_all_items_the_corrected_mean_is_that_of_people(sampled_by: str) -> None:
    judge, human = binary((30, 8), (40, 33), (0, 0))
    result = corrected(judge, human, sampled_by=sampled_by)  # type: ignore[arg-type]
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
    assert pair_tests(plain).p.tolist() == pair_tests(other).p.tolist()


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
    assert pair_tests(result).p.tolist() == [1.0]


def test_a_difference_of_two_systems_has_about_the_interval_of_a_mean_of_differences() -> None:
    judge, human, _ = made_up(2, 300, 100)
    one = corrected(judge[:1] - judge[1:], human[:1] - human[1:])
    tests = pair_tests(corrected(judge, human))
    width = (tests.high - tests.low).item()
    assert width == pytest.approx((one.interval[1] - one.interval[0]).item(), rel=0.06)


@pytest.mark.parametrize("sampled_by", ["random", "class"])
def test_the_labels_needed_are_the_fewest(sampled_by: str) -> None:
    judge, human = binary((60, 6), (40, 36), (900, 380))
    result = corrected(judge, human, sampled_by=sampled_by, width=0.15)  # type: ignore[arg-type]
    assert result.labels_needed is not None
    alone, both = (number.item() for number in result.labels_needed)
    assert alone > both > 2
    now = result.human_interval[1] - result.human_interval[0]
    if sampled_by == "random":
        assert alone == pytest.approx(100 * (now.item() / 0.15) ** 2, rel=0.05)
        width = (result.interval[1] - result.interval[0]).item()
        again = corrected(judge, human, width=width * 1.001).labels_needed
        assert again is not None
        assert again[1].item() == 100


def test_a_judge_that_may_be_no_better_than_chance_is_refused_and_every_system_is_named() -> None:
    judge, human = binary((20, 8), (20, 12), (50, 20))
    other = binary((20, 2), (20, 18), (50, 20))[0]
    with pytest.raises(InputError, match=r"(?s)sensitivity 0.6 \+ specificity 0.6 − 1 = 0.2 .*'s0'.*'s2'") as error:
        corrected(np.vstack([judge, other, judge]), np.vstack([human] * 3), sampled_by="class")
    assert "s1" not in str(error.value)
    with pytest.raises(InputError, match="all 1"):
        corrected(judge[:, 20:], human[:, 20:], sampled_by="class")


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
    sample = corrected(judge, human, sampled_by="class").sample
    has_label = ~np.isnan(human[0])
    p = stats.mannwhitneyu(judge[0, has_label], judge[0, ~has_label], use_continuity=False, method="asymptotic").pvalue
    assert sample is not None
    assert sample.p == pytest.approx(p, rel=0.01)
    assert sample.gap == pytest.approx(judge[0, has_label].mean() - judge[0, ~has_label].mean())
