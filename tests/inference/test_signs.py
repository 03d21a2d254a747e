"""Random signs as bits: what is summed with them is what their matrix gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from metaeval.inference import parts as module
from metaeval.inference.parts import Parts, Signs, joint_noise


@given(some.integers(0, 10**6), some.integers(1, 200), some.integers(0, 300), some.integers(1, 12))
def test_sums_are_products_with_the_matrix(seed: int, groups: int, trials: int, columns: int) -> None:
    random = np.random.default_rng(seed)
    signs = Signs.draw(random, groups, trials)
    parts = random.normal(size=(groups, columns))
    assert np.isin(signs.matrix, (-1.0, 1.0)).all()
    np.testing.assert_allclose(signs.sums(parts), (signs.matrix @ parts).T, rtol=0, atol=1e-12 * groups)
    some_trials = slice(trials // 3, trials // 2)
    np.testing.assert_array_equal(signs.select_trials(some_trials).matrix, signs.matrix[some_trials])


def test_blocks_of_trials_are_joined_and_a_column_without_numbers_spoils_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    random = np.random.default_rng(1)
    signs, parts = Signs.draw(random, 100, 53), random.normal(size=(100, 6))
    monkeypatch.setattr(module, "SIGNS_IN_CACHE", 1_000)
    parts[:, 1] = np.nan
    sums = signs.sums(parts)
    assert np.isnan(sums[1]).all()
    others = np.arange(6) != 1
    np.testing.assert_allclose(sums[others], (signs.matrix @ parts[:, others]).T, rtol=0, atol=1e-12)


def test_the_signs_of_a_seed_stay_the_same() -> None:
    assert Signs.draw(np.random.default_rng(1), 6, 3).matrix.tolist() == [
        [1, 1, 1, 1, 1, 1],
        [-1, 1, 1, -1, -1, 1],
        [1, -1, 1, 1, -1, -1],
    ]
    # All groups are as likely to be a plus as a minus.
    assert abs(Signs.draw(np.random.default_rng(2), 130, 4_000).matrix.mean(axis=0)).max() < 5 / 4_000**0.5


def test_noise_of_rankings_together_is_that_of_each_alone() -> None:
    random = np.random.default_rng(3)
    sizes = random.integers(1, 9, 40).astype(np.float64)
    rankings = [
        [Parts(array.sum(axis=0) / sizes.sum(), array, sizes) for array in random.normal(size=(2, 40, systems))]
        for systems in (2, 5, 3)
    ]
    signs = [Signs.draw(random, 40, 60) for _ in range(2)]
    together = joint_noise(rankings, signs)
    for parts, noise in zip(rankings, together, strict=True):
        expected = sum(
            sign.matrix @ (way.parts - np.outer(sizes, way.scores)) for sign, way in zip(signs, parts, strict=True)
        )
        np.testing.assert_allclose(noise, expected * np.sqrt(40 / 39) / sizes.sum(), rtol=0, atol=1e-12)
