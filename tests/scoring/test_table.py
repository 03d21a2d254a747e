"""Means of item scores over halves and samples with replacement, against plain loops."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from score_cubes import item_scores

from metaeval.model.scores import ItemScores
from metaeval.scoring.resamples import split_halves
from metaeval.scoring.table import ItemSamples
from metaeval.stats.resample import draw_bootstrap, draw_halves, generator

MEASURES, SYSTEMS, ITEMS, TRIALS = 3, 5, 41, 150


def drawn_scores(seed: int = 1) -> ItemScores:
    return item_scores(np.random.default_rng(seed).normal(size=(MEASURES, SYSTEMS, ITEMS)))


def test_halves_are_means_over_the_items_drawn() -> None:
    scores = drawn_scores()
    plan = split_halves(ItemSamples(scores), trials=TRIALS, seed=5)
    seed, size = plan.blocks[-1]
    cube = plan.score((seed, size))
    assert cube.axes == ("trial", "half")
    assert cube.values.shape == (size, 2, MEASURES, SYSTEMS)
    first = draw_halves(generator(seed), np.ones(ITEMS, dtype=np.intp), trials=size).astype(bool)
    for trial, chosen in enumerate(first):
        halves = [scores.values[:, :, half].mean(axis=-1) for half in (chosen, ~chosen)]
        np.testing.assert_allclose(cube.values[trial], halves, rtol=1e-9, atol=1e-11)


@given(arrays(np.float64, (2, 3, 7), elements=st.floats(-1e6, 1e6)), st.permutations(range(7)))
def test_systems_with_the_same_scores_tie_in_every_sample(values: np.ndarray, order: list[int]) -> None:
    values[:, 1] = values[:, 0]
    samples = ItemSamples(item_scores(values))
    draws = draw_bootstrap(generator(np.random.SeedSequence(1)), 7, trials=9)
    cube = samples.score_samples(draws)
    np.testing.assert_array_equal(cube.values[..., 1], cube.values[..., 0])
    # Sums are exact, so that the order of the items does not matter either.
    again = ItemSamples(item_scores(values[:, :, order])).score_samples(draws[:, order])
    np.testing.assert_array_equal(again.values, cube.values)


def test_undefined_scores_make_every_mean_undefined_and_none_else() -> None:
    values = drawn_scores().values.copy()
    values[1, 2, 3] = np.nan
    cube = split_halves(ItemSamples(item_scores(values)), trials=4, seed=0).score((np.random.SeedSequence(0), 4))
    undefined = np.isnan(cube.values)
    assert undefined[:, :, 1, 2].all()
    assert undefined.sum() == 8
