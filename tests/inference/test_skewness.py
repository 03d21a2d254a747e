"""Hall's transformation of skewed differences."""

import numpy as np
import pytest
from conclusions import check_consistent
from hypothesis import example, given
from hypothesis import strategies as st
from simulations.generators import Floats, parts_of_sums

from metaeval.inference.pairs import Evidence, compare_pairs, statistics_of
from metaeval.inference.skewness import expand, shrink, skewness

ITEMS = 40


def draw_scores(seed: int, kind: str) -> Floats:
    """Scores of the items, (N, S), of four systems: the last is a copy of the first, or constant."""
    random = np.random.default_rng(seed)
    scores = random.lognormal(0, 1, (ITEMS, 4)) if kind == "skewed" else random.integers(0, 2, (ITEMS, 4)).astype(float)
    scores[:, 3] = scores[:, 0] if seed % 2 else 1.0
    return scores + 0.4 * random.standard_normal(4)


@given(t=st.floats(0, 12), k=st.floats(-0.9, 0.9))
@example(t=1.0, k=-5.9e-15)
def test_expanding_undoes_shrinking_up_to_the_statistic(t: float, k: float) -> None:
    shrunk = shrink(np.array([t]), np.array([k]))
    assert 0 <= shrunk[0] <= t
    assert expand(shrunk, np.array([k]))[0] >= t * (1 - 1e-5) - 1e-3
    assert shrink(expand(shrunk, np.array([k])), np.array([k]))[0] == pytest.approx(shrunk[0], abs=1e-6)
    np.testing.assert_allclose(shrink(np.array([-t]), np.array([-k])), -shrunk)


@pytest.mark.parametrize("sizes", [np.ones(ITEMS), np.arange(1.0, ITEMS + 1), np.append(np.ones(ITEMS - 1), 90.0)])
@given(seed=st.integers(0, 200), kind=st.sampled_from(["skewed", "binary"]), alpha=st.sampled_from([0.05, 0.2, 0.6]))
def test_p_values_intervals_and_ranks_agree(sizes: Floats, seed: int, kind: str, alpha: float) -> None:
    parts = parts_of_sums(draw_scores(seed, kind) * sizes[:, np.newaxis], sizes.astype(np.int64))
    evidence = Evidence.draw([parts], np.random.default_rng(seed), 199)
    check_consistent(compare_pairs(evidence, alpha=alpha), evidence)


@given(seed=st.integers(0, 200))
def test_skewness_only_makes_differences_less_certain(seed: int) -> None:
    scores = draw_scores(seed, "skewed")
    evidence = Evidence.draw([parts_of_sums(scores, np.ones(ITEMS, dtype=np.int64))], np.random.default_rng(seed), 199)
    one, other = np.triu_indices(4, k=1)
    (statistic,) = statistics_of(evidence, one, other)
    apart = scores[:, one] - scores[:, other]
    root = np.sqrt((apart**2).sum(axis=0))
    plain = np.divide(apart.sum(axis=0), root, out=np.zeros(6), where=root > 1e-9)
    assert (np.abs(statistic.z) <= np.abs(plain) + 1e-9).all()
    symmetric = statistic.skewness == 0
    np.testing.assert_allclose(statistic.z[symmetric], plain[symmetric], atol=1e-9)


def test_skewness_is_that_of_scipy_where_it_is_surprising() -> None:
    from scipy.stats import skew

    apart = np.random.default_rng(1).lognormal(0, 1, 50)
    centred = apart - apart.mean()
    k = skewness(np.array([(centred**3).sum()]), np.array([(centred**2).sum()]), 50)
    assert k[0] == pytest.approx(skew(apart, bias=False) / np.sqrt(50))
    centred = np.random.default_rng(1).standard_normal(50)
    assert skewness(np.array([(centred**3).sum()]), np.array([(centred**2).sum()]), 50)[0] == 0
