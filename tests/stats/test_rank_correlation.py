"""Every coefficient against SciPy or the formula of its paper, on rankings full of ties."""

import math
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from numpy.typing import NDArray
from scipy import stats
from stats import test_association as association
from stats.test_association import both, scipy_oracle

from metaeval.stats.association import kendall_b
from metaeval.stats.correlation import RANK_COEFFICIENTS, tau_ap
from metaeval.stats.pairs import COMPARE_ALL_PAIRS_UP_TO

Scores = NDArray[np.float64]
Ranking = Callable[[Scores, Scores], float]

SIZES = [*range(2, 15), COMPARE_ALL_PAIRS_UP_TO, COMPARE_ALL_PAIRS_UP_TO + 1, 130, 257]
every_size = pytest.mark.parametrize("systems", SIZES)
every_coefficient = pytest.mark.parametrize("name", RANK_COEFFICIENTS)


def rankings(systems: int, batch: int = 12) -> tuple[Scores, Scores]:
    """Pairs from almost all tied to almost none, some equal, some with undefined and infinite scores."""
    random = np.random.default_rng(systems)
    levels = np.geomspace(2, 4 * systems, batch).astype(int)[:, np.newaxis]
    x = random.integers(levels, size=(batch, systems)).astype(float)
    y = np.where(random.random((batch, 1)) < 0.5, x + random.integers(-1, 2, size=x.shape), random.permuted(x, axis=1))
    x[1::4][random.random(x[1::4].shape) < 0.3] = np.nan
    y[1::3][random.random(y[1::3].shape) < 0.3] = np.nan
    y[2] = np.where(y[2] == y[2, 0], np.inf, y[2])
    return x, y


def signs(scores: Scores) -> NDArray[np.int64]:
    """1, 0 or −1 for every pair, (S, S)."""
    return (scores[:, np.newaxis] > scores).astype(int) - (scores[:, np.newaxis] < scores)


def tau_ap_by_definition(x: Scores, y: Scores) -> float:
    """The extension to ties as the docstring words it."""

    def one_way(reference: Scores, other: Scores) -> float:
        reference_signs, other_signs = signs(reference), signs(other)
        means = [
            np.mean([other_signs[above, system] for above in np.flatnonzero(reference_signs[:, system] > 0)])
            for system in range(len(reference))
            if (reference_signs[:, system] > 0).any()
        ]
        return float(np.mean(means))

    if not signs(x).any() or not signs(y).any():
        return math.nan
    return (one_way(x, y) + one_way(y, x)) / 2


ORACLES: dict[str, Ranking] = {
    **{name: association.ORACLES[name] for name in ("kendall-b", "kendall-c", "spearman")},
    "kendall-a": lambda x, y: association.ORACLES["kendall-a"](x, y) if signs(x).any() else math.nan,
    "tau-ap": tau_ap_by_definition,
    "weighted": scipy_oracle(stats.weightedtau),
}


def test_every_rank_correlation_has_an_oracle() -> None:
    assert {*ORACLES, "pearson"} == set(RANK_COEFFICIENTS)


@pytest.mark.parametrize("name", ORACLES)
def test_a_coefficient_is_that_of_its_oracle_ties_and_undefined_scores_included(name: str) -> None:
    for systems in SIZES:
        x, y = rankings(systems)
        expected = [ORACLES[name](*both(*pair)) for pair in zip(x, y, strict=True)]
        np.testing.assert_allclose(RANK_COEFFICIENTS[name](x, y), expected, rtol=1e-12, atol=1e-12)


@given(some.permutations(range(9)))
def test_without_ties_tau_ap_is_the_formula_of_yilmaz_et_al(order: list[int]) -> None:
    def from_reference(reference: list[int], ranking: list[int]) -> float:
        """2 / (N − 1) Σ C(i) / (i − 1) − 1; both list systems from the best to the worst."""
        index = {system: number for number, system in enumerate(reference)}
        right = [
            sum(index[above] < index[system] for above in ranking[:number]) / number
            for number, system in enumerate(ranking)
            if number
        ]
        return 2 * sum(right) / (len(ranking) - 1) - 1

    identity = list(range(9))
    expected = (from_reference(identity, order) + from_reference(order, identity)) / 2
    scores = np.empty(9)
    scores[order] = -np.arange(9)
    assert tau_ap(-np.arange(9), scores) == pytest.approx(expected, abs=1e-12)


def test_more_systems_than_sixteen_bits_count_are_told_apart() -> None:
    order = np.arange((1 << 16) + 2.0)
    swapped = order.copy()
    swapped[[0, -1]] = swapped[[-1, 0]]
    pairs = len(order) * (len(order) - 1) / 2
    assert kendall_b(order, swapped) == pytest.approx(1 - 2 * (2 * len(order) - 3) / pairs, abs=1e-14)


@every_coefficient
def test_identical_rankings_correlate_with_exactly_one(name: str) -> None:
    for systems in SIZES:
        scores = np.random.default_rng(systems).random((20, systems))
        assert (RANK_COEFFICIENTS[name](scores, scores) == 1.0).all()
        tied = np.round(scores * 3)
        tied[:, :2] = 0, 5
        # tau-a and tau-c have no 1 where there are ties.
        if name not in {"kendall-a", "kendall-c"}:
            assert (RANK_COEFFICIENTS[name](tied, tied) == 1.0).all()
            tolerance = 0 if name != "pearson" else 1e-15
            np.testing.assert_allclose(RANK_COEFFICIENTS[name](tied, 2 * tied + 1), 1.0, rtol=tolerance)


@every_coefficient
def test_a_constant_ranking_correlates_with_nothing(name: str) -> None:
    for systems, constant in product((1, 2, 14, 120), (0.3, np.nan, -np.inf, np.inf)):
        scores = np.random.default_rng(0).random((3, systems))
        same = np.full((3, systems), constant)
        for x, y in ((scores, same), (same, scores), (same, same)):
            assert np.isnan(RANK_COEFFICIENTS[name](x, y)).all()


@every_size
@every_coefficient
def test_one_ranking_against_many_is_written_out_and_results_may_be_changed(name: str, systems: int) -> None:
    many, one = rankings(systems)[0], np.arange(float(systems)) % 5
    repeated = np.array(np.broadcast_to(one, many.shape))
    for x, y, copies in (
        (one, many, (repeated, many)),
        (many, one, (many, repeated)),
        (np.broadcast_to(one, many.shape), np.broadcast_to(one, many.shape), (repeated, repeated)),
    ):
        correlations = RANK_COEFFICIENTS[name](x, y)
        np.testing.assert_allclose(correlations, RANK_COEFFICIENTS[name](*copies), atol=1e-12)
        assert np.asarray(correlations).flags.writeable


@every_coefficient
@pytest.mark.parametrize("systems", [5, 120])
def test_leading_axes_equal_a_loop_and_rankings_broadcast(name: str, systems: int) -> None:
    x, y = np.random.default_rng(7).integers(9, size=(2, 2, 1, 3, systems)).astype(float)
    coefficient = RANK_COEFFICIENTS[name]
    loop = [[[coefficient(*row) for row in zip(*rows, strict=True)] for rows in zip(*pair, strict=True)]
            for pair in zip(x, y, strict=True)]  # fmt: skip
    np.testing.assert_allclose(coefficient(x, y), loop, rtol=1e-13)
    # Transposed in memory, and the other ranking first.
    turned = np.ascontiguousarray(x.transpose(3, 0, 1, 2)).transpose(1, 2, 3, 0)
    np.testing.assert_allclose(coefficient(turned, y), loop, rtol=1e-13)
    np.testing.assert_array_equal(coefficient(y, x), coefficient(x, y))
    broadcast = coefficient(x[:, 0, :, np.newaxis], y[0, 0])
    assert broadcast.shape == (2, 3, 3)
    assert broadcast[1, 2, 0] == pytest.approx(float(coefficient(x[1, 0, 2], y[0, 0, 0])), abs=1e-12)
    for leading in ((0,), (3, 0), (0, 3, 2)):
        assert coefficient(np.ones((*leading, systems)), np.ones((*leading, systems))).shape == leading
