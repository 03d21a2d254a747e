"""Similarity of rankings with and without a distinction, on score cubes made by hand."""

import numpy as np
import pytest
from scipy import stats
from score_cubes import cube

from metaeval.analyses.merge_classes.compute import merge_similarity


def test_every_merge_is_compared_with_the_original_ranking() -> None:
    random = np.random.default_rng(0)
    merged, original = random.integers(5, size=(3, 4, 2, 8)), random.integers(5, size=(3, 2, 8))
    tau = merge_similarity(cube(merged, ("trial", "merge")), cube(original, ("trial",)))
    assert tau.shape == (3, 4, 2)
    for trial, merge, measure in np.ndindex(3, 4, 2):
        expected = stats.kendalltau(merged[trial, merge, measure], original[trial, measure]).statistic
        assert tau[trial, merge, measure] == pytest.approx(expected, abs=1e-12)


def test_a_measure_that_the_merge_leaves_as_it_was_has_one() -> None:
    original = np.random.default_rng(0).random((2, 8))
    merged = np.stack([original, original[::-1]])
    tau = merge_similarity(cube(merged, ("merge",), lower_is_better=(1,)), cube(original, lower_is_better=(1,)))
    assert (tau[0] == 1).all()
    assert (tau[1] < 1).all()


def test_a_measure_that_cannot_be_computed_on_the_merged_scale_has_none() -> None:
    merged = np.full((1, 1, 3), np.nan)
    assert np.isnan(merge_similarity(cube(merged, ("merge",)), cube([[0.1, 0.2, 0.3]]))).all()


@pytest.mark.parametrize("axes", [("merge", "trial"), ("trial",), ("half", "merge")])
def test_cubes_with_other_axes_are_an_error(axes: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="axes"):
        merge_similarity(cube(np.ones((2,) * len(axes) + (1, 3)), axes), cube(np.ones((2, 1, 3)), ("trial",)))
