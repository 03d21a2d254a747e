"""Samples of numeric predictions score as the items they hold would."""

import numpy as np
import pytest
from numpy.typing import NDArray

from metaeval.measures import measure
from metaeval.model.runs import NumericRuns
from metaeval.model.scale import ClassScale
from metaeval.scoring.numeric import NumericSamples, score_numbers
from metaeval.scoring.resamples import split_halves

MEASURES = tuple(map(measure, ("pearson", "spearman", "kendall", "mae", "pairwise-accuracy:min-gap=1")))
Numbers = NDArray[np.float64]


def made_up(items: int = 40) -> NumericRuns:
    """One system with many different numbers, one with few, one with a single one."""
    random = np.random.default_rng(1)
    gold = random.integers(4, size=items)
    predicted = np.stack([gold + random.normal(size=items), np.round(random.random(items), 1), np.ones(items)])
    # The class 'd' does not occur.
    gold[gold == 3] = 0
    scale = ClassScale(("a", "b", "c", "d"), ordered=True, values=(0.0, 1.0, 2.5, 3.0))
    names = tuple(f"i{number}" for number in range(items))
    return NumericRuns(names, gold, predicted, ("many", "few", "one"), scale)


def chosen(runs: NumericRuns, items: NDArray[np.intp]) -> NumericRuns:
    names = tuple(f"i{number}" for number in range(len(items)))
    return NumericRuns(names, runs.gold[items], runs.predicted[:, items], runs.systems, runs.scale)


def scored_one_by_one(runs: NumericRuns, draws: NDArray[np.integer]) -> Numbers:
    """Every sample written out and scored as a data set of its own."""
    by_gold = np.argsort(runs.gold, kind="stable")
    return np.stack([score_numbers(chosen(runs, np.repeat(by_gold, draw)), MEASURES).values for draw in draws])


def test_a_sample_scores_as_the_items_it_holds() -> None:
    runs = made_up()
    draws = np.random.default_rng(2).multinomial(40, np.full(40, 1 / 40), size=20)
    draws[0] = 1
    cube = NumericSamples(runs, MEASURES).score_samples(draws)
    assert (cube.axes, cube.systems, cube.measures[0]) == (("replicate",), runs.systems, "pearson")
    np.testing.assert_allclose(cube.values, scored_one_by_one(runs, draws), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("stratified", [False, True])
def test_halves_are_samples_of_their_own(stratified: bool) -> None:
    runs = made_up()
    samples = NumericSamples(runs, MEASURES)
    plan = split_halves(samples, trials=3, seed=1, stratified=stratified)
    cube = plan.score(plan.blocks[0])
    assert cube.values.shape == (3, 2, len(MEASURES), 3)
    first = np.random.default_rng(3).integers(0, 2, size=(4, 40))
    both = samples.score_halves(first, None).values
    np.testing.assert_allclose(both[:, 0], scored_one_by_one(runs, first), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(both[:, 1], scored_one_by_one(runs, 1 - first), rtol=1e-12, atol=1e-12)


def test_the_rows_of_a_class_stand_together() -> None:
    runs = made_up()
    sizes = [rows.stop - rows.start for rows in NumericSamples(runs, MEASURES).classes]
    assert sizes == [int(count) for count in np.bincount(runs.gold) if count]
