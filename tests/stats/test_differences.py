"""Agreement of numbers against published tables, and leaving out groups against computing without them."""

import numpy as np
import pytest
from scipy.stats import norm

from metaeval.stats.differences import INTRACLASS, intraclass_correlations, limits_of_agreement

SHROUT_FLEISS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], dtype=np.float64
).T
"""Four raters of six targets (Shrout & Fleiss 1979, table 2)."""


def test_intraclass_correlations_are_those_of_shrout_and_fleiss() -> None:
    correlations = intraclass_correlations(SHROUT_FLEISS)
    assert {name: round(one.value, 2) for name, one in correlations.items()} == dict(
        zip(INTRACLASS, (0.17, 0.29, 0.71, 0.44, 0.62, 0.91), strict=True)
    )
    # Of psych 2.4 in R: ICC(sf).
    ends = ((-0.133, 0.723), (0.019, 0.761), (0.342, 0.946), (-0.884, 0.912), (0.071, 0.927), (0.676, 0.986))
    for one, expected in zip(correlations.values(), ends, strict=True):
        assert (one.low, one.high) == pytest.approx(expected, abs=6e-4)


def test_groups_that_are_left_out_are_not_there() -> None:
    random = np.random.default_rng(3)
    ratings, groups = random.normal(size=(3, 12)) + random.normal(size=12) + 1e6, np.repeat([0, 1, 2], [3, 5, 4])
    whole = intraclass_correlations(ratings, groups)
    for group in range(3):
        alone = intraclass_correlations(ratings[:, groups != group])
        assert [one.without[group] for one in whole.values()] == pytest.approx([one.value for one in alone.values()])


@pytest.mark.parametrize("k", [2, 3])
def test_no_intraclass_correlation_leaves_its_scale_or_its_interval(k: int) -> None:
    random = np.random.default_rng(1)
    undefined = 0
    for _ in range(300):
        ratings = random.normal(size=(k, int(random.integers(2, 7))))
        for name, one in intraclass_correlations(ratings).items():
            lowest = -1 / (k - 1) if name.endswith("1)") else -np.inf
            if np.isnan(one.value):
                undefined += 1
                assert np.isnan(one.low)
                assert np.isnan(one.high)
                continue
            assert lowest <= one.value <= 1
            assert np.isnan(one.low) or lowest <= one.low <= one.value <= one.high <= 1, (name, one)
    # Means of raters whose levels differ less than by chance.
    assert 0 < undefined < 300


@pytest.mark.parametrize("ratings", [np.ones((2, 5)), np.ones((2, 1)), [[1.0, 2, 3], [1, 2, 3]]])
def test_ratings_that_do_not_differ_have_no_interval(ratings: np.ndarray) -> None:
    assert all(np.isnan(one.low) for one in intraclass_correlations(ratings).values())


def test_limits_are_those_of_bland_and_altman() -> None:
    # Bland & Altman (1999): 85 differences of mean -16.29 and standard deviation 19.61.
    sample = norm.ppf((np.arange(85) + 0.5) / 85)
    sample = -16.29 + 19.61 * (sample - sample.mean()) / sample.std(ddof=1)
    limits = limits_of_agreement(sample)
    assert limits.shift == pytest.approx((-16.29, -20.52, -12.06), abs=5e-3)
    assert (limits.lower[0], limits.upper[0]) == pytest.approx((-54.7, 22.1), abs=0.05)
    # Their intervals are symmetric, -61.9 to -47.5 and 14.9 to 29.3; Zou's have about the same width.
    assert limits.upper[2] - limits.upper[1] == pytest.approx(29.3 - 14.9, abs=0.3)
    assert limits.upper[1] < limits.upper[0] < limits.upper[2]
    assert limits.lower[0] - limits.lower[1] == pytest.approx(limits.upper[2] - limits.upper[0])
    assert np.isnan(limits_of_agreement([1.0]).lower).all()
    # No interval is a point, nor one of rounding.
    ratings = np.arange(40) / 7
    assert np.isnan([one[1:] for one in limits_of_agreement(ratings + 1 - ratings)]).all()
    assert [one[0] for one in limits_of_agreement([1.0, 1.0])] == [1, 1, 1]
    assert np.isnan([one[1:] for one in limits_of_agreement([1.0, 1.0])]).all()
