"""Split-half consistency on score cubes made by hand."""

import numpy as np
import pytest
from score_cubes import cube

from metaeval.analyses.stability.compute import share_of_winners, split_half_consistency


def test_halves_are_compared_by_the_pairs_of_systems_that_both_define() -> None:
    random = np.random.default_rng(8)
    values = random.integers(4, size=(200, 2, 3, 6)).astype(float)
    values[random.random(values.shape) < 0.4] = np.nan
    found = split_half_consistency(cube(values, ("trial", "half"), lower_is_better=(1,)))
    for trial, measure in np.ndindex(200, 3):
        halves = values[trial, :, measure]
        halves = halves[:, ~np.isnan(halves).any(axis=0)]
        first, second = (np.sign(np.subtract.outer(half, half)) for half in halves)
        systems, untied = halves.shape[1], np.sqrt((first**2).sum() * (second**2).sum())
        # Tau is undefined where a half ties all systems, and both are for fewer than two.
        tau = (first * second).sum() / untied if untied else np.nan
        discordant = (first * second < 0).sum() / (systems * (systems - 1)) if systems > 1 else np.nan
        assert found.tau[trial, measure] == pytest.approx(tau, nan_ok=True)
        assert found.discordant[trial, measure] == pytest.approx(discordant, nan_ok=True)
    assert set(found.discordant[np.isnan(found.tau)].tolist()) > {0.0}


def test_the_best_of_one_half_is_the_best_of_the_other_with_ties_broken_at_random() -> None:
    values = np.random.default_rng(1).integers(3, size=(40, 2, 2, 5)).astype(float)
    values[0, 0, 0] = np.nan
    values[1, 0, 0, 0] = np.nan
    values[1, 0, 0, 1:] = values[1, 1, 0, 1:] = [4, 3, 2, 1]
    values[1, 1, 0, 0] = 9
    found = split_half_consistency(cube(values, ("trial", "half"), lower_is_better=(1,)))
    assert np.isnan(found.winner[0, 0])
    # A system with a score in one half only is not its best.
    assert found.winner[1, 0] == 1
    for trial, measure in np.ndindex(40, 2):
        first, second = values[trial, :, measure] * (-1 if measure else 1)
        if not np.isnan(first).any():
            best = [np.flatnonzero(half == half.max()) for half in (first, second)]
            same = [one == other for one in best[0] for other in best[1]]
            assert found.winner[trial, measure] == pytest.approx(np.mean(same))
    assert share_of_winners(np.ones(4), np.ones(4)) == 0.25
