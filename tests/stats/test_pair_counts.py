"""Inversions against comparing all pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from numpy.typing import NDArray

from metaeval.stats import pairs
from metaeval.stats.pairs import COMPARE_WITHIN, PairCounts, _by_comparison, _count_inversions, count_pairs


def compared(permutation: NDArray[np.integer]) -> int:
    later = np.arange(len(permutation))[:, np.newaxis] < np.arange(len(permutation))
    return int(((permutation[:, np.newaxis] > permutation) & later).sum())


@given(some.integers(1, 70), some.integers(0, 4), some.integers(0, 2**32 - 1))
def test_inversions_are_those_of_comparing_all_pairs(size: int, batch: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    permutations = random.permuted(np.broadcast_to(np.arange(size), (batch, size)), axis=1)
    np.testing.assert_array_equal(_count_inversions(permutations), [compared(row) for row in permutations])


@pytest.mark.parametrize("size", [COMPARE_WITHIN, COMPARE_WITHIN + 1, 128, 129, 1000])
def test_a_reversed_order_inverts_every_pair(size: int) -> None:
    orders = np.array([np.arange(size)[::-1], np.arange(size), np.roll(np.arange(size), 1)])
    np.testing.assert_array_equal(_count_inversions(orders), [size * (size - 1) // 2, 0, size - 1])


def test_values_beyond_sixteen_bits_are_told_apart() -> None:
    size = (1 << 16) + 2
    order = np.arange(size)
    order[[0, -1]] = order[[-1, 0]]
    assert _count_inversions(order[np.newaxis]) == 2 * size - 3


@given(
    some.integers(1, 30), some.integers(1, 30), some.sampled_from([(), (1,), (3,), (2, 2)]), some.integers(0, 2**32 - 1)
)
def test_tables_of_few_values_count_what_comparing_all_pairs_does(
    of_x: int, of_y: int, shape: tuple[int, ...], seed: int
) -> None:
    """Above and below the number of values from which on systems are sorted; NaN ranks lowest."""
    random = np.random.default_rng(seed)
    systems = pairs.COMPARE_ALL_PAIRS_UP_TO + 1
    x = random.integers(of_x, size=(*shape, systems)) - 1.0
    y = random.integers(of_y, size=(*shape, systems)) * -0.5
    x[x == of_x - 2] = np.nan
    found = count_pairs(x, y)
    expected = _by_comparison(np.where(np.isnan(x), -np.inf, x).astype(np.float64), y.astype(np.float64))
    for name in PairCounts.__dataclass_fields__:
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), name)
        assert np.shape(getattr(found, name)) in (shape, ())
