"""Correlations of measures with human scores; intervals against loops, other tools and theory."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from human_scores import golden, name_of, nlpstats_calls, realsumm
from hypothesis import given, settings
from hypothesis import strategies as some
from numpy.typing import NDArray
from one_coefficient import bootstrap_correlations, correlation_interval
from scipy import stats
from shared_data import needs_shared_data

from metaeval.stats import _resamples, correlation
from metaeval.stats.association import COEFFICIENTS, LEVELS, at_level, level_vectors
from metaeval.stats.correlation import (
    RESAMPLED,
    RESAMPLES_A_BLOCK,
    correlate,
    correlation_intervals,
    resampled_correlations,
)
from metaeval.stats.correlation_tests import swap_tests
from metaeval.stats.decisions import calibrated_accuracy
from metaeval.stats.effects import errors_of, jackknife
from metaeval.stats.intervals import BONETT_WRIGHT, fisher_interval, percentile_interval
from metaeval.stats.resample import Blocks, draw_bootstrap, generator, seed_for
from metaeval.stats.soft_accuracy import soft_accuracy

Scores = NDArray[np.float64]
NAN = np.nan

every_level = pytest.mark.parametrize("level", LEVELS)
every_coefficient = pytest.mark.parametrize("name", COEFFICIENTS)


def study(
    seed: int = 0, *, measures: int = 3, people: int = 2, systems: int = 6, items: int = 7, missing: float = 0.0
) -> tuple[Scores, Scores]:
    """Scores in quarters, so that equal means are equal in any order of summation."""
    random = np.random.default_rng(seed)
    human = random.integers(-6, 7, size=(people, systems, items)) / 4
    metric = (human.mean(axis=0) + random.integers(-6, 7, size=(measures, systems, items))) / 4
    human[random.random(human.shape) < missing] = NAN
    metric[random.random(metric.shape) < missing / 5] = NAN
    return metric, human


# Values


@every_level
@every_coefficient
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_every_measure_is_correlated_with_every_data_set(level: str, name: str, missing: float) -> None:
    metric, human = study(missing=missing)
    correlations = correlate(metric, human, level=level, coefficient=name)
    assert correlations.values.shape == correlations.units.shape == correlations.left_out.shape == (3, 2)
    for one, other in np.ndindex(3, 2):
        alone = at_level(metric[one], human[other], level=level, coefficient=name)
        np.testing.assert_allclose(correlations.values[one, other], alone.values, atol=1e-13)
        assert (correlations.units[one, other], correlations.left_out[one, other]) == (alone.units, alone.left_out)


@every_level
def test_each_measure_and_data_set_has_a_threshold_of_its_own(level: str) -> None:
    metric, human = study(missing=0.2)
    calibration = calibrated_accuracy(metric, human, level=level)
    plain = correlate(metric, human, level=level, coefficient="pairwise-accuracy")
    assert calibration.values.shape == calibration.units.shape == (3, 2)
    assert (calibration.values >= plain.values - 1e-12).all()
    single = calibrated_accuracy(metric[1:2], human[:1], level=level)
    assert single.values[0, 0] == calibration.values[1, 0]
    if level in {"item", "by-system"}:
        assert (calibration.units == plain.units).all()
        assert (calibration.left_out == plain.left_out).all()


def test_soft_accuracy_sees_the_same_flips_for_all_and_leaves_out_what_is_missing() -> None:
    metric, human = study(items=20)
    accuracy = soft_accuracy(metric, human, flips=300)
    assert accuracy.values.shape == (3, 2)
    assert not np.isnan(accuracy.gaps).any()
    assert ((accuracy.values > 0) & (accuracy.values <= 1)).all()
    np.testing.assert_array_equal(soft_accuracy(metric[1:], human, flips=300).values, accuracy.values[1:])
    assert soft_accuracy(human, human, flips=300).values[0, 0] == 1
    human[0, 2] = NAN
    part = soft_accuracy(metric, human, flips=300)
    assert (~np.isnan(part.gaps[:, 0])).sum(axis=-1).tolist() == [10] * 3
    np.testing.assert_array_equal(part.values[:, 1], accuracy.values[:, 1])
    without = soft_accuracy(np.delete(metric, 2, axis=1), np.delete(human, 2, axis=1), flips=300)
    np.testing.assert_allclose(part.values[:, 0], without.values[:, 0])


# Fisher


def with_students_t(ends: Sequence[float], n: int, level: float = 0.95) -> tuple[float, float]:
    """The interval of nlpstats, whose quantiles are normal, with those of Student's t; the whole scale where NaN."""
    if np.isnan(ends).any():
        return -1.0, 1.0
    low, high = np.arctanh(ends)
    half = (high - low) / 2 * stats.t.ppf(0.975, n - 2) / stats.norm.ppf((1 + level) / 2)
    return float(np.tanh((low + high) / 2 - half)), float(np.tanh((low + high) / 2 + half))


@needs_shared_data
def test_fisher_is_as_in_the_tests_of_nlpstats() -> None:
    calls = nlpstats_calls("test_fisher_regression")
    assert len(calls) > 5
    for call in calls:
        x, z = (np.array(scores, dtype=np.float64) for scores in call["args"][:2])
        level, coefficient = (name_of(word) for word in call["args"][2:4])
        r = at_level(x, z, level=level, coefficient=coefficient).values
        n = {"system": len(x), "item": len(x), "global": x.size}[level]
        ends = call["result"]["lower"], call["result"]["upper"]
        expected = with_students_t(ends, n, call["kwargs"].get("confidence_level", 0.95))
        np.testing.assert_allclose(fisher_interval(r, n, coefficient=coefficient), expected, rtol=1e-9)


@pytest.mark.parametrize("name", BONETT_WRIGHT)
def test_fisher_covers_the_true_correlation(name: str) -> None:
    random = np.random.default_rng(0)
    rho, n = 0.6, 30
    z = random.normal(size=(2000, n))
    x = rho * z + np.sqrt(1 - rho**2) * random.normal(size=z.shape)
    true = {"pearson": rho, "spearman": 6 / np.pi * np.arcsin(rho / 2), "kendall-b": 2 / np.pi * np.arcsin(rho)}[name]
    low, high = fisher_interval(COEFFICIENTS[name](x, z), n, coefficient=name)
    assert 0.93 < ((low <= true) & (true <= high)).mean() < 0.97


def test_fisher_of_too_few_and_of_whole_correlations() -> None:
    np.testing.assert_array_equal(fisher_interval(np.array(0.5), 3, coefficient="pearson"), (-1, 1))
    np.testing.assert_array_equal(fisher_interval(np.array(0.5), 4, coefficient="kendall-b"), (-1, 1))
    assert np.isnan(fisher_interval(np.array(NAN), 30, coefficient="pearson")).all()
    low, high = fisher_interval(np.array([1.0, -1.0]), 30, coefficient="spearman")
    assert 0.99 < low[0] < high[0] == 1
    assert (low[1], high[1]) == (-high[0], -low[0])
    low, high = fisher_interval(np.array([0.1, 0.5]), np.array([10, 20]), coefficient="pearson")
    assert low.shape == high.shape == (2,)
    with pytest.raises(ValueError, match="only of pearson, spearman, kendall-b"):
        fisher_interval(np.array(0.5), 30, coefficient="kendall-c")


# Bootstrap


def counts(random: np.random.Generator, size: int, resamples: int) -> NDArray[np.int64]:
    return np.stack([np.bincount(random.integers(size, size=size), minlength=size) for _ in range(resamples)])


def written_out(scores: Scores, system_counts: NDArray[np.int64], item_counts: NDArray[np.int64]) -> Scores:
    """A resample as nlpstats makes it: rows and columns as often as they were drawn."""
    return scores[..., np.repeat(np.arange(len(system_counts)), system_counts), :][
        ..., np.repeat(np.arange(len(item_counts)), item_counts)
    ]


@every_level
@every_coefficient
@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("block", [32, 4])
def test_a_resample_is_the_table_written_out(
    level: str, name: str, missing: float, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_resamples, "BLOCK", block)
    metric, human = study(missing=missing)
    random = np.random.default_rng(1)
    system_counts, item_counts = counts(random, 6, 20), counts(random, 7, 20)
    if level == "system":
        item_counts = np.ones_like(item_counts)
    correlations = resampled_correlations(metric, human, system_counts, item_counts, level=level, coefficient=name)
    assert correlations.shape == (20, 3, 2)
    for number, draw in enumerate(zip(system_counts, item_counts, strict=True)):
        if name in ("kendall-a", "kendall-c", "pairwise-accuracy"):
            expected = [[without_pairs_of_copies(x, y, *draw, level, name) for y in human] for x in metric]
        else:
            written = (written_out(scores, *draw) for scores in (metric, human))
            expected = correlate(*written, level=level, coefficient=name).values.tolist()
        np.testing.assert_allclose(correlations[number], expected, atol=1e-12)


def without_pairs_of_copies(
    x: Scores, y: Scores, system_counts: NDArray[np.int64], item_counts: NDArray[np.int64], level: str, name: str
) -> float:
    """A coefficient by a loop over the vectors of a level."""
    x_vectors, y_vectors = np.atleast_2d(*level_vectors(x, y, level=level))
    cells = np.outer(system_counts, item_counts).ravel()
    once = np.ones(1, dtype=np.int64)
    vectors, units = {
        "system": (once, system_counts),
        "global": (once, cells),
        "item": (item_counts, system_counts),
        "by-system": (system_counts, item_counts),
    }[level]
    values = [weighted_coefficient(*row, units, name) for row in zip(x_vectors, y_vectors, strict=True)]
    return float(np.nanmean(np.repeat(values, vectors))) if not np.isnan(values).all() else NAN


@every_level
@every_coefficient
def test_clusters_are_drawn_whole(level: str, name: str) -> None:
    metric, human = study(items=9, missing=0.2)
    clusters = np.array([0, 1, 1, 2, 0, 1, 3, 3, 3])
    correlations = bootstrap_correlations(
        metric, human, level=level, coefficient=name, resampled="items", clusters=clusters, resamples=20, seed=3
    )
    (child, count), *_ = Blocks(seed_for(3, "correlation bootstrap"), trials=20, per_block=RESAMPLES_A_BLOCK)
    draws = draw_bootstrap(generator(child), 4, trials=count)
    assert len(set((draws @ np.bincount(clusters)).tolist())) > 1
    for number, cluster_counts in enumerate(draws):
        once, item_counts = np.ones((1, 6), dtype=np.int64), cluster_counts[np.newaxis, clusters]
        if level == "system":
            written = (written_out(scores, once[0], item_counts[0]) for scores in (metric, human))
            expected = correlate(*written, level=level, coefficient=name).values
        else:
            (expected,) = resampled_correlations(metric, human, once, item_counts, level=level, coefficient=name)
        np.testing.assert_allclose(correlations[number], expected, atol=1e-12)


def test_clusters_of_one_item_are_no_clusters() -> None:
    metric, human = study()
    single, clustered = (soft_accuracy(metric, human, clusters=clusters) for clusters in (None, np.arange(7)))
    np.testing.assert_array_equal(single.values, clustered.values)
    for resampled in ("items", "both"):
        without, with_clusters = (
            bootstrap_correlations(metric, human, resampled=resampled, clusters=clusters, resamples=30)
            for clusters in (None, np.arange(7))
        )
        np.testing.assert_array_equal(without, with_clusters)


def test_soft_accuracy_flips_whole_clusters() -> None:
    metric, human = study(items=4)
    twice = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    accuracy = soft_accuracy(metric[..., twice], human[..., twice], clusters=twice)
    np.testing.assert_allclose(accuracy.values, soft_accuracy(metric, human).values)
    assert (soft_accuracy(metric[..., twice], human[..., twice]).values != accuracy.values).all()


@settings(max_examples=60, deadline=None)
@given(some.integers(0, 10_000), some.sampled_from([*COEFFICIENTS]), some.sampled_from([1, 300, 100_000]))
def test_a_long_vector_is_that_written_out(seed: int, name: str, copies: int) -> None:
    random = np.random.default_rng(seed)
    x, y = random.integers(0, random.integers(2, 300), (2, 150)).astype(float)
    draws = copies * counts(random, 150, 3)
    shape = (1, 150, 1)
    correlations = resampled_correlations(
        x.reshape(shape), y.reshape(shape), draws, np.ones((3, 1), dtype=np.int64), level="system", coefficient=name
    )
    for value, times in zip(correlations[:, 0, 0].tolist(), draws.tolist(), strict=True):
        np.testing.assert_allclose(value, weighted_coefficient(x, y, np.array(times), name), atol=1e-9)


def weighted_coefficient(x: Scores, y: Scores, times: NDArray[np.int64], name: str) -> float:
    """A coefficient from the matrix of all pairs, each as often as the product of its multiplicities."""
    present = (times > 0) & ~np.isnan(x) & ~np.isnan(y)
    x, y, times = x[present], y[present], times[present]
    if name in ("pearson", "spearman"):
        written = (np.repeat(scores, times // times.min()) for scores in (x, y))
        return float(COEFFICIENTS[name](*written))
    signs = [np.sign(scores[:, np.newaxis] - scores) for scores in (x, y)]
    weights = np.outer(times, times).astype(float)
    np.fill_diagonal(weights, 0)
    balance, pairs = (weights * signs[0] * signs[1]).sum(), weights.sum()
    if name == "kendall-b":
        return float(balance / np.sqrt(np.prod([(weights * (sign != 0)).sum() for sign in signs])))
    if name == "pairwise-accuracy":
        return float((weights * (signs[0] == signs[1])).sum() / pairs) if pairs else NAN
    levels, different = min(len(set(scores)) for scores in (x, y)), len(times)
    if levels < 2:
        return NAN
    return float(
        balance / pairs * (1 if name == "kendall-a" else levels * (different - 1) / (different * (levels - 1)))
    )


def test_pearson_of_resamples_that_leave_almost_nothing_is_exact() -> None:
    random = np.random.default_rng(5)
    x = 1e6 + np.array([0, 1e-4, 2e-4, 3e-4, 1e5, 7e5])
    y = random.normal(size=6)
    multiplicities = np.array([[2, 1, 1, 2, 0, 0], [3, 3, 0, 0, 0, 0], [6, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1]])
    correlations = resampled_correlations(
        x.reshape(1, 6, 1), y.reshape(1, 6, 1), multiplicities, np.ones((4, 1), dtype=np.int64), level="system",
        coefficient="pearson",
    )[:, 0, 0]  # fmt: skip
    expected = [np.nan if k == 2 else np.corrcoef(np.repeat(x, times), np.repeat(y, times))[0, 1]
                for k, times in enumerate(multiplicities)]  # fmt: skip
    np.testing.assert_allclose(correlations, expected, rtol=1e-6)
    assert correlations[1] in (1.0, -1.0) or abs(correlations[1]) == pytest.approx(1.0)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("power", [-600, 600])
def test_intervals_and_tests_of_pearson_depend_on_no_unit(level: str, power: int) -> None:
    random = np.random.default_rng(7)
    human = random.normal(size=(6, 9))
    metric = human + random.normal(size=(3, 6, 9))
    metric[:, 2, 3] = np.nan
    options: dict[str, Any] = {"level": level, "coefficients": ["pearson"], "resamples": 50}
    for one, other in ((power, 0), (0, power), (power, power)):
        units = np.ldexp(metric, one), np.ldexp(human, other)
        for resampled in RESAMPLED:
            expected, interval = (
                correlation_intervals(*arrays, resampled=resampled, **options)["pearson"]
                for arrays in ((metric, human[np.newaxis]), (units[0], units[1][np.newaxis]))
            )
            np.testing.assert_allclose(interval, expected, rtol=1e-9)
        before, after = (swap_tests(*arrays, **options)["pearson"] for arrays in ((metric, human), units))
        np.testing.assert_allclose(after.p, before.p)
        np.testing.assert_allclose(after.difference, before.difference, rtol=1e-9)


@pytest.mark.parametrize(
    ("level", "resampled"),
    [("system", "systems"), ("system", "items"), *product(["item", "global"], RESAMPLED)],
)
def test_draws_are_shared_seeded_and_the_same_in_any_parts(
    level: str, resampled: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    metric, human = study(missing=0.1)

    def sample(seed: int = 1, measures: slice = slice(None)) -> Scores:
        options: dict[str, Any] = {"resampled": resampled, "resamples": 600, "seed": seed}
        return bootstrap_correlations(metric[measures], human, level=level, **options)

    values = sample()
    assert values.shape == (600, 3, 2)
    np.testing.assert_array_equal(values[:, 1:], sample(measures=slice(1, None)))
    assert not np.array_equal(values, sample(seed=0), equal_nan=True)
    monkeypatch.setattr(correlation, "CELLS_TOGETHER", 500)
    np.testing.assert_array_equal(values, sample())


def test_an_unknown_way_to_resample_is_refused() -> None:
    with pytest.raises(ValueError, match="none of systems, items, both"):
        bootstrap_correlations(*study(), resampled="inputs", resamples=1)
    with pytest.raises(ValueError, match="items cannot be drawn together with systems"):
        bootstrap_correlations(*study(), level="system", resamples=1)


@needs_shared_data
def test_intervals_are_those_of_nlpstats_but_for_chance() -> None:
    rated = realsumm()
    for expected in golden("realsumm")["bootstrap"]:
        level, resampled = name_of(expected["level"]), name_of(expected["method"])
        if level == "global" or (level, resampled) == ("system", "both"):
            continue
        number = rated.measures.index(expected["metric"])
        sample = bootstrap_correlations(
            rated.metric[[number]],
            rated.human,
            level=level,
            coefficient=name_of(expected["coefficient"]),
            resampled=resampled,
            resamples=1500,
        )
        # The ends of a 95 % interval of 2,000 normal draws have a standard error of .06 of their deviation.
        low, high = percentile_interval(sample)
        assert low[0, 0] == pytest.approx(expected["lower"], abs=0.6 * expected["sd"])
        assert high[0, 0] == pytest.approx(expected["upper"], abs=0.6 * expected["sd"])
        assert np.nanmean(sample) == pytest.approx(expected["mean"], abs=0.2 * expected["sd"])
        assert np.nanstd(sample) == pytest.approx(expected["sd"], rel=0.15)


@pytest.mark.parametrize("outlier", [0.0, 9.0])
def test_the_interval_of_pearson_of_systems_is_that_of_fisher_or_of_a_wider_jackknife(outlier: float) -> None:
    random = np.random.default_rng(8)
    metric, human = random.normal(size=(1, 9, 30)) + np.arange(9)[:, np.newaxis] / 2, random.normal(size=(1, 9, 30))
    human += np.arange(9)[:, np.newaxis] / 3
    metric[0, 0] -= outlier
    x, y = metric[0].mean(axis=1), human[0].mean(axis=1)
    z = [np.arctanh(np.corrcoef(np.delete(x, one), np.delete(y, one))[0, 1]) for one in range(9)]
    deviation = np.sqrt(8 / 9 * np.sum((np.array(z) - np.mean(z)) ** 2))
    assert (deviation > 1 / np.sqrt(6)) == bool(outlier)
    half = stats.t.ppf(0.975, 7) * max(deviation, 1 / np.sqrt(6))
    middle = np.arctanh(np.corrcoef(x, y)[0, 1])
    for resampled in ("systems", "both"):
        low, high = correlation_interval(metric, human, level="system", coefficient="pearson", resampled=resampled)
        assert (low[0, 0], high[0, 0]) == pytest.approx((np.tanh(middle - half), np.tanh(middle + half)), abs=1e-9)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", COEFFICIENTS)
@settings(max_examples=12, deadline=None)
@given(some.integers(0, 10_000), some.sampled_from(["both", "systems", "items"]), some.integers(2, 7), some.data())
def test_no_interval_excludes_its_value_has_no_width_or_leaves_the_scale(
    level: str, name: str, seed: int, resampled: str, systems: int, data: some.DataObject
) -> None:
    """Of near-perfect measures, copies of the human scores, rare classes, and few items or systems."""
    random, items = np.random.default_rng(seed), data.draw(some.integers(2, 9))
    human = random.normal(size=(systems, 1)) + random.normal(size=(systems, items)) * data.draw(
        some.sampled_from([0.0, 0.1, 2.0])
    )
    noise = data.draw(some.sampled_from([0.0, 0.01, 1.0]))
    metric = human + noise * random.normal(size=(2, systems, items))
    if data.draw(some.booleans()):
        metric, human = np.round(metric), (human > 1).astype(float)
    options: dict[str, Any] = {"level": level, "coefficient": name}
    values = correlate(metric, human[np.newaxis], **options).values
    low, high = correlation_interval(metric, human[np.newaxis], resampled=resampled, resamples=20, **options)
    defined = ~np.isnan(values)
    assert (low <= values)[defined].all()
    assert (values <= high)[defined].all()
    assert (low < high)[defined].all()
    assert (low[defined] >= (0 if name == "pairwise-accuracy" else -1)).all()
    assert (high[defined] <= 1).all()


def test_errors_of_cells_count_once() -> None:
    """The variance of a mean of cells over both is that of its components, and not of either twice."""
    random = np.random.default_rng(5)
    ratios = []
    for _ in range(200):
        scores = (
            0.5 * random.normal(size=(10, 1)) + 0.3 * random.normal(size=(1, 40)) + 2 * random.normal(size=(10, 40))
        )

        def means(system_counts: NDArray[Any], item_counts: NDArray[Any], scores: Scores = scores) -> Scores:
            weights = system_counts[:, :, np.newaxis] * item_counts[:, np.newaxis]
            weighted: Scores = (weights * scores).sum(axis=(1, 2)) / weights.sum(axis=(1, 2))
            return weighted[:, np.newaxis]

        ratios.append(float(errors_of(jackknife(means, 10, 40), resampled="both").error[0] ** 2))
    assert np.mean(ratios) == pytest.approx(0.5**2 / 10 + 0.3**2 / 40 + 2**2 / 400, rel=0.15)
