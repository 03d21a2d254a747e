"""A measure of many matrices is the measure of each, whatever their numbers are stored as."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from every_measure import EVERY_SETTING, SCALE, dense_counts, sparse_counts
from numpy.typing import DTypeLike, NDArray

from metaeval.measures import Measure

every_measure = pytest.mark.parametrize("measure", EVERY_SETTING, ids=str)


def batches() -> NDArray[np.int64]:
    """Counts (4, 3, 4, 4), dense and sparse."""
    return np.concatenate([dense_counts(6), sparse_counts(20)[:6]]).reshape(4, 3, 4, 4)


@every_measure
def test_a_batch_equals_a_loop(measure: Measure) -> None:
    counts = batches()
    loop = [[measure(matrix, SCALE) for matrix in row] for row in counts]
    scores = measure(counts, SCALE)
    assert scores.shape == (4, 3)
    np.testing.assert_allclose(scores, np.array(loop), rtol=1e-12)


@every_measure
def test_one_matrix_gives_an_array_of_one_score(measure: Measure) -> None:
    score = measure(dense_counts(1)[0], SCALE)
    assert isinstance(score, np.ndarray)
    assert score.shape == ()
    assert score.dtype == np.float64


@every_measure
@pytest.mark.parametrize("dtype", [np.int32, np.uint16, np.float32, np.float64])
def test_every_type_of_counts_gives_the_same_scores(measure: Measure, dtype: DTypeLike) -> None:
    # Some 240,000 items: N² is beyond int32 and beyond the 24 bits of float32, each count is within both.
    counts = np.random.default_rng(7).integers(0, 30_001, size=(5, 4, 4))
    scores = measure(counts.astype(dtype), SCALE)
    assert scores.dtype == np.float64
    np.testing.assert_array_equal(scores, measure(counts, SCALE))


def class_axes_leading(counts: NDArray[Any]) -> NDArray[Any]:
    """A view of shape (..., C, C) whose class axes lead in memory."""
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(counts, (-2, -1), (0, 1))), (0, 1), (-2, -1))


def every_other(counts: NDArray[Any]) -> NDArray[Any]:
    """A view with a gap after every matrix."""
    return np.repeat(counts, 2, axis=0)[::2]


def turned(counts: NDArray[Any]) -> NDArray[Any]:
    """A view in which predicted leads gold in memory."""
    return np.ascontiguousarray(counts.swapaxes(-1, -2)).swapaxes(-1, -2)


@every_measure
@pytest.mark.parametrize("layout", [class_axes_leading, every_other, turned])
def test_the_layout_in_memory_changes_nothing(measure: Measure, layout: Callable[[NDArray[Any]], NDArray[Any]]) -> None:
    counts = batches()
    view = layout(counts)
    assert view.shape == counts.shape
    assert not view.flags.c_contiguous
    np.testing.assert_allclose(measure(view, SCALE), measure(counts, SCALE), rtol=1e-12)


@every_measure
def test_counts_are_left_as_they_were(measure: Measure) -> None:
    counts = batches().astype(np.float64)
    counts.setflags(write=False)
    measure(counts, SCALE)


@every_measure
@pytest.mark.parametrize("leading", [(0,), (0, 3), (2, 0)])
def test_no_matrices_give_no_scores(measure: Measure, leading: tuple[int, ...]) -> None:
    assert measure(np.zeros((*leading, 4, 4)), SCALE).shape == leading


@every_measure
def test_no_items_give_what_is_declared_and_no_warning(measure: Measure) -> None:
    with np.errstate(all="raise"):
        scores = measure(np.zeros((2, 4, 4)), SCALE)
    never = measure.declaration.undefined.startswith("never") or str(measure).startswith("fnc1-score:scale=points")
    np.testing.assert_array_equal(scores, 0.0 if never else np.nan)


@every_measure
def test_hard_cases_give_no_warning(measure: Measure) -> None:
    with np.errstate(all="raise"):
        measure(sparse_counts(400), SCALE)


@pytest.mark.parametrize("measure", [one for one in EVERY_SETTING if one.reads_numbers], ids=str)
def test_a_batch_of_numbers_equals_a_loop(measure: Measure) -> None:
    rng = np.random.default_rng(11)
    counts = rng.integers(0, 4, size=(2, 3, 4, 9))
    gold_values, predicted_values = SCALE.class_values(), np.sort(rng.normal(size=9))
    loop = [[measure.of_numbers(one, gold_values, predicted_values) for one in row] for row in counts]
    for dtype in (np.int64, np.int32, np.float32):
        scores = measure.of_numbers(counts.astype(dtype), gold_values, predicted_values)
        np.testing.assert_allclose(scores, np.array(loop), rtol=1e-12)


@pytest.mark.parametrize("measure", [one for one in EVERY_SETTING if one.reads_numbers], ids=str)
def test_classes_are_numbers_too(measure: Measure) -> None:
    values = SCALE.class_values()
    counts = batches()
    np.testing.assert_allclose(measure.of_numbers(counts, values, values), measure(counts, SCALE), rtol=1e-12)
