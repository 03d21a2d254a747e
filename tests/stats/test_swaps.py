"""Differences of correlations after swaps, as products, against correlations of the swapped scores."""

from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from one_coefficient import swap_test

from metaeval.stats import _swap_forms, _swaps
from metaeval.stats._swap_forms import Signs, Swapped
from metaeval.stats._swaps import Group, differences_after, differences_of_means, differences_of_vectors, vectors_at
from metaeval.stats.association import COEFFICIENTS, LEVELS, at_level
from metaeval.stats.correlation_tests import SWAPS, _draw_swaps, _groups, _swapped
from metaeval.stats.resample import Blocks, generator, seed_for

Scores = NDArray[np.float64]
Triple = tuple[Scores, Scores, Scores]
NAN = np.nan

levels = pytest.mark.parametrize("level", LEVELS[1:])
coefficients = pytest.mark.parametrize("name", ["kendall-b", "spearman", "pearson"])


def expected(triple: Triple, swaps: Signs, level: str, name: str, constant: float = NAN) -> Scores:
    """Both measures after each swap, correlated on their own, (R,)."""
    x, y, z = triple
    values = []
    for swapped in swaps > 0:
        first, second = (
            at_level(np.where(swapped, *pair), z, level=level, coefficient=name, constant=constant).values
            for pair in ((y, x), (x, y))
        )
        values.append(float(first - second))
    return np.array(values)


def differences(
    triples: list[Triple], swaps: Signs, level: str, name: str, *, swapped: Swapped | None = None, **options: Any
) -> Scores:
    """Differences of pairs of measures, (R, P), and of as many at once as fit; exact ones without `swapped`."""
    pair = np.array([[0, 1]])
    groups = [Group(np.stack([x, y]), z, pair, np.array([index])) for index, (x, y, z) in enumerate(triples)]
    if level == "system":
        means: Scores = differences_of_means(groups[0], coefficients=[name])(swaps.astype(np.float64))[0]
        return means
    vectors = np.ascontiguousarray(vectors_at(swaps, level), dtype=np.float64)
    values = np.full((len(swaps), len(triples)), NAN)
    swapped = swapped or Swapped(np.zeros(vectors.shape[-1], dtype=np.intp))
    for parts in differences_after(groups, level=level, coefficients=[name], swapped=swapped, **options):
        for part in parts:
            values[:, part.indices] = part.after(vectors)[0]
    return values


def standardised(x: Scores, y: Scores, z: Scores) -> Triple:
    (group,) = _groups(np.stack([x, y]), z)
    return group.scores[0], group.scores[1], group.human


def draw_swaps(swaps: int, shape: tuple[int, ...], swap: str = "both") -> Signs:
    return _draw_swaps(np.random.default_rng(swaps), swaps, *shape[-2:], swap=swap)


def tied(seed: int, shape: tuple[int, int], *, digits: int, missing: float = 0.0, zeros: float = 0.0) -> Triple:
    random = np.random.default_rng(seed)
    z = random.normal(size=shape)
    x, y = (z + random.normal(size=(2, *shape))).round(digits)
    x[random.random(shape) < zeros] = 0.0
    z = z.round(1)
    z[random.random(shape) < missing] = NAN
    return standardised(x, y, z)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", COEFFICIENTS)
@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("digits", [0, 6])
def test_differences_are_those_of_swapped_scores(level: str, name: str, missing: float, digits: int) -> None:
    triple = tied(1, (6, 7), digits=digits, missing=missing)
    for swap in SWAPS:
        swaps = draw_swaps(5, (6, 7), swap)
        values = differences([triple], swaps, level, name)[:, 0]
        np.testing.assert_allclose(values, expected(triple, swaps, level, name), atol=1e-12)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    some.data(), some.sampled_from(LEVELS[1:]), some.sampled_from(sorted(COEFFICIENTS)), some.sampled_from([NAN, 0.0])
)
def test_any_small_whole_numbers(data: some.DataObject, level: str, name: str, constant: float) -> None:
    shape = data.draw(some.tuples(some.integers(1, 5), some.integers(1, 5)))
    cells = some.one_of(some.integers(0, data.draw(some.integers(1, 30))).map(float), some.just(NAN))
    x, y, z = data.draw(arrays(np.float64, (3, *shape), elements=cells))
    missing = np.isnan(x) | np.isnan(y) | np.isnan(z)
    x, y, z = (np.where(missing, NAN, scores) for scores in (x, y, z))
    swaps = draw_swaps(6, shape, data.draw(some.sampled_from(SWAPS)))
    with mock.patch.object(_swap_forms, "FORMS_UP_TO", data.draw(some.sampled_from([0, 64]))):
        values = differences([(x, y, z)], swaps, level, name, constant=constant)[:, 0]
    np.testing.assert_allclose(values, expected((x, y, z), swaps, level, name, constant), atol=1e-9)


@levels
@coefficients
@pytest.mark.parametrize("digits", [1, 12])
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("zeros", [0.0, 0.4])
def test_long_vectors(level: str, name: str, digits: int, missing: float, zeros: float) -> None:
    triple = tied(0, (70, 75), digits=digits, missing=missing, zeros=zeros)
    swaps = draw_swaps(4, (70, 75))
    np.testing.assert_allclose(
        differences([triple], swaps, level, name)[:, 0], expected(triple, swaps, level, name), rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("name", ["kendall-b", "spearman"])
@pytest.mark.parametrize("digits", [0, 1])
@pytest.mark.parametrize(("level", "swap"), [("by-system", "both"), ("global", "both"), ("global", "items")])
def test_what_long_vectors_neglect_is_small(level: str, swap: str, name: str, digits: int) -> None:
    triple = tied(1, (5, 400), digits=digits, missing=0.1, zeros=0.3)
    swaps = draw_swaps(100, (5, 400), swap)
    exact = expected(triple, swaps, level, name)
    neglected = differences([triple], swaps, level, name, swapped=_swapped(level, swap, (5, 400), None))[:, 0] - exact
    assert 0 < np.abs(neglected).max() < exact.std() / 300


@pytest.mark.parametrize("name", ["kendall-b", "spearman"])
@pytest.mark.parametrize("level", ["by-system", "global"])
def test_few_large_clusters_and_mostly_missing_cells_are_exact(level: str, name: str) -> None:
    clusters = np.repeat(np.arange(302), [300, 200, *[1] * 300])
    x, y, z = tied(1, (3, 800), digits=0, zeros=0.3)
    triple = standardised(x, y, np.where(np.arange(2400).reshape(3, 800) < 1850, z, NAN))
    swaps = _draw_swaps(np.random.default_rng(0), 30, 3, 800, swap="items", clusters=clusters)
    values = differences([triple], swaps, level, name, swapped=_swapped(level, "items", (3, 800), clusters))[:, 0]
    np.testing.assert_allclose(values, expected(triple, swaps, level, name), atol=1e-12)


@pytest.mark.parametrize("name", ["kendall-b", "spearman"])
@pytest.mark.parametrize("digits", [0, 1, 12])
@pytest.mark.parametrize("together", [1, 1 << 22])
def test_systems_swapped_whole_are_exact(name: str, digits: int, together: int) -> None:
    triple = tied(1, (4, 80), digits=digits, missing=0.2, zeros=0.3)
    swaps = draw_swaps(16, (4, 80), "systems")
    swapped = _swapped("global", "systems", (4, 80), None)
    with mock.patch.object(_swap_forms, "FORMS_TOGETHER", together):
        values = differences([triple], swaps, "global", name, swapped=swapped)[:, 0]
    np.testing.assert_allclose(values, expected(triple, swaps, "global", name), rtol=0, atol=1e-12)


@pytest.mark.parametrize("level", ["item", "by-system"])
@pytest.mark.parametrize("name", COEFFICIENTS)
@pytest.mark.parametrize("constant", [NAN, 0.0])
def test_vectors_swapped_whole(level: str, name: str, constant: float) -> None:
    triple = tied(2, (6, 5), digits=0, missing=0.4, zeros=0.4)
    group = Group(np.stack(triple[:2]), triple[2], np.array([[0, 1]]), np.array([0]))
    whole = np.random.default_rng(0).choice([-1.0, 1.0], size=(40, 5 if level == "item" else 6))
    values = differences_of_vectors(group, level=level, coefficients=[name], constant=constant)(whole)[0, :, 0]
    swaps = np.broadcast_to(np.expand_dims(whole, 1 if level == "item" else 2), (40, 6, 5))
    np.testing.assert_allclose(values, expected(triple, swaps, level, name, constant), atol=1e-12)


@levels
@coefficients
@pytest.mark.parametrize("memory", [0, 1 << 28])
def test_pairs_share_products(level: str, name: str, memory: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without ties, with some, and without any score."""
    shape = (6, 9)
    triples = [tied(seed, shape, digits=digits, missing=0.1) for seed, digits in ((0, 12), (1, 0), (2, 12), (3, 1))]
    triples.append((np.full(shape, NAN),) * 3)
    monkeypatch.setattr(_swaps, "PAIRS_MEMORY", memory)
    monkeypatch.setattr(_swaps, "SUMS_TOGETHER", 200)
    swaps = draw_swaps(5, shape)
    values = differences(triples, swaps, level, name)
    alone = np.stack([expected(triple, swaps, level, name) for triple in triples], axis=1)
    np.testing.assert_allclose(values, alone, atol=1e-12)
    assert np.isnan(values[:, -1]).all()


@levels
@coefficients
def test_scores_that_swaps_make_constant(level: str, name: str) -> None:
    """Vectors without any coefficient leave the mean of one of the measures only."""
    x = np.array([[0.1, 0.1, 0.1, 0.1], [0.1, 0.7, 0.1, 0.2], [0.1, 0.3, 0.9, 0.4], [0.1, 0.1, 0.1, 0.1]])
    y = np.array([[0.1, 0.5, 0.2, 0.1], [0.1, 0.3, 0.4, 0.8], [0.1, 0.2, 0.6, 0.1], [0.1, 0.1, 0.1, 0.1]])
    z = np.arange(16.0).reshape(4, 4) % 5
    swaps = draw_swaps(60, x.shape)
    for constant in (NAN, 0.0, 0.5):
        values = differences([(x, y, z)], swaps, level, name, constant=constant)[:, 0]
        np.testing.assert_allclose(values, expected((x, y, z), swaps, level, name, constant), rtol=0, atol=1e-12)


@levels
@coefficients
@pytest.mark.parametrize("digits", [0, 12])
@pytest.mark.parametrize("swap", ["both", "systems", "items"])
def test_p_values_are_those_of_a_loop_with_the_same_coins(level: str, name: str, digits: int, swap: str) -> None:
    random = np.random.default_rng(0)
    human = random.normal(size=(5, 8)).round()
    metric = (human + random.normal(size=(3, *human.shape))).round(digits)
    metric[0, 0, 0] = NAN
    clusters = np.array([0, 0, 1, 2, 2, 3, 4, 5])
    test = swap_test(metric, human, level=level, coefficient=name, swap=swap, clusters=clusters, resamples=50)
    ((seed, trials),) = Blocks(seed_for(20201, "swapped measures"), trials=50, per_block=128)
    swaps = _draw_swaps(generator(seed), trials, 5, 8, swap=swap, clusters=clusters)
    unswapped = np.full((1, 5, 8), -1, dtype=np.int8)
    for one, other in ((0, 1), (0, 2), (1, 2)):
        triple = standardised(metric[one], metric[other], human)
        observed = expected(triple, unswapped, level, name)[0]
        assert test.difference[one, other] == pytest.approx(observed, abs=1e-12)
        reached = np.abs(expected(triple, swaps, level, name)) >= abs(observed) - 1e-9
        assert test.p[one, other] == (reached.sum() + 1) / 51
