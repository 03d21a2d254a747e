"""A measure of many matrices is the measure of each, whatever their numbers are stored as."""

from itertools import product
from typing import Any

import numpy as np
from every_measure import EVERY_SETTING, SCALE, dense_counts, sparse_counts
from numpy.typing import NDArray

Counts = NDArray[Any]
READING_NUMBERS = [one for one in EVERY_SETTING if one.reads_numbers]


def batches() -> NDArray[np.int64]:
    """Counts (4, 3, 4, 4), dense and sparse."""
    return np.concatenate([dense_counts(6), sparse_counts(20)[:6]]).reshape(4, 3, 4, 4)


def test_every_type_of_counts_gives_the_same_scores_and_is_left_as_it_was() -> None:
    # Some 240,000 items: N² is beyond int32 and beyond the 24 bits of float32, each count is within both.
    counts = np.random.default_rng(7).integers(0, 30_001, size=(5, 4, 4))
    for measure, dtype in product(EVERY_SETTING, (np.int32, np.uint16, np.float32, np.float64)):
        copy = counts.astype(dtype)
        copy.setflags(write=False)
        scores = measure(copy, SCALE)
        assert scores.dtype == measure(copy[0], SCALE).dtype == np.float64, measure
        assert measure(copy[0], SCALE).shape == (), measure
        np.testing.assert_array_equal(scores, measure(counts, SCALE), err_msg=f"{measure}, {dtype}")


def class_axes_leading(counts: Counts) -> Counts:
    """A view of shape (..., C, C) whose class axes lead in memory."""
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(counts, (-2, -1), (0, 1))), (0, 1), (-2, -1))


def every_other(counts: Counts) -> Counts:
    """A view with a gap after every matrix."""
    return np.repeat(counts, 2, axis=0)[::2]


def turned(counts: Counts) -> Counts:
    """A view in which predicted leads gold in memory."""
    return np.ascontiguousarray(counts.swapaxes(-1, -2)).swapaxes(-1, -2)


def test_the_layout_in_memory_changes_nothing() -> None:
    counts = batches()
    for layout in (class_axes_leading, every_other, turned):
        view = layout(counts)
        assert view.shape == counts.shape
        assert not view.flags.c_contiguous
        for measure in EVERY_SETTING:
            np.testing.assert_allclose(
                measure(view, SCALE), measure(counts, SCALE), rtol=1e-12, err_msg=f"{measure}, {layout.__name__}"
            )


def test_no_matrices_give_no_scores() -> None:
    for measure, leading in product(EVERY_SETTING, ((0,), (0, 3), (2, 0))):
        assert measure(np.zeros((*leading, 4, 4)), SCALE).shape == leading, measure


def test_no_items_give_what_is_declared_and_hard_cases_no_warning() -> None:
    for measure in EVERY_SETTING:
        with np.errstate(all="raise"):
            scores = measure(np.zeros((2, 4, 4)), SCALE)
            measure(sparse_counts(400), SCALE)
        never = measure.declaration.undefined.startswith("never") or str(measure).startswith("fnc1-score:scale=points")
        np.testing.assert_array_equal(scores, 0.0 if never else np.nan, err_msg=str(measure))


def test_a_batch_of_numbers_equals_a_loop_and_classes_are_numbers_too() -> None:
    rng = np.random.default_rng(11)
    counts, class_counts = rng.integers(0, 4, size=(2, 3, 4, 9)), batches()
    values, predicted = SCALE.class_values(), np.sort(rng.normal(size=9))
    for measure in READING_NUMBERS:
        loop = [[measure.of_numbers(one, values, predicted) for one in row] for row in counts]
        for dtype in (np.int64, np.int32, np.float32):
            scores = measure.of_numbers(counts.astype(dtype), values, predicted)
            np.testing.assert_allclose(scores, np.array(loop), rtol=1e-12, err_msg=str(measure))
        as_numbers = measure.of_numbers(class_counts, values, values)
        np.testing.assert_allclose(as_numbers, measure(class_counts, SCALE), rtol=1e-12, err_msg=str(measure))


def test_numbers_of_any_size_are_in_the_range_of_floats() -> None:
    rng = np.random.default_rng(12)
    counts, values, predicted = rng.integers(0, 4, size=(3, 4, 9)), SCALE.class_values(), np.sort(rng.normal(size=9))
    for measure, power in product(READING_NUMBERS, (-1000, 600, 1020)):
        with np.errstate(all="raise"):
            scores = measure.of_numbers(counts, np.ldexp(values, power), np.ldexp(predicted, power))
        expected = measure.of_numbers(counts, values, predicted)
        expected = np.ldexp(expected, power) if measure.subtracts_numbers else expected
        np.testing.assert_array_equal(scores, expected, err_msg=f"{measure}, 2^{power}")


def test_no_predicted_numbers_give_no_score() -> None:
    for measure in READING_NUMBERS:
        assert np.isnan(measure.of_numbers(np.zeros((4, 0)), SCALE.class_values(), np.empty(0))), measure
