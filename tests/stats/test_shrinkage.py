"""Differences without what chance adds to them."""

import numpy as np
import pytest

from metaeval.stats.shrinkage import SCALES, SIZES, fit_weights, interpolation_weights, shrink


def test_spread_out_differences_keep_their_number_and_their_mean_size() -> None:
    differences = np.random.default_rng(1).normal(scale=3, size=(4, 500))
    found = interpolation_weights(differences)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    np.testing.assert_allclose(found @ SIZES, np.abs(differences).mean(axis=1), rtol=1e-9)


@pytest.mark.parametrize("scale", [0.5, 2.0, 20.0])
def test_the_weights_find_how_large_differences_truly_are(scale: float) -> None:
    random = np.random.default_rng(2)
    true = random.normal(scale=scale, size=4000)
    weights = fit_weights((true + random.normal(size=4000))[np.newaxis])
    assert weights.sum() == pytest.approx(1)
    assert float(np.sqrt(weights @ SCALES**2)[0]) == pytest.approx(scale, rel=0.2)


def test_shrunk_differences_are_nearer_the_true_ones_and_outliers_stay() -> None:
    random = np.random.default_rng(3)
    true = np.concatenate([random.normal(scale=0.5, size=500), random.normal(scale=30, size=100)])
    observed = true + random.normal(size=600)
    mean, deviation = shrink(observed, fit_weights(observed[np.newaxis]))
    assert np.mean((mean[0] - true) ** 2) < 0.6 * np.mean((observed - true) ** 2)
    large = np.abs(observed) > 15
    np.testing.assert_allclose(mean[0, large], observed[large], rtol=0.05)
    covered = np.abs(mean[0] - true) <= 1.96 * deviation[0]
    assert covered.mean() == pytest.approx(0.95, abs=0.03)
