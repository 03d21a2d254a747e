"""Collapsing items to patterns, and the two ways to multiply: none changes a count."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from numpy.typing import NDArray

from metaeval.scoring import confusion
from metaeval.scoring.confusion import EXACT_IN_FLOAT32, ITEMS_PER_PATTERN, PACKED, Indicators, WeighableItems, count

Codes = NDArray[np.integer[Any]]


def copies(originals: int, items: int, systems: int, classes: int, *, seed: int = 7) -> tuple[Codes, Codes]:
    """Gold (N,) and predictions (S, N) of items that are copies of a few."""
    random = np.random.default_rng(seed)
    of_copy = random.integers(originals, size=items)
    gold = random.integers(classes, size=originals).astype(np.uint8)
    return gold[of_copy], random.integers(classes, size=(systems, originals)).astype(np.uint8)[:, of_copy]


@given(some.integers(1, 40), some.integers(1, 90), some.integers(2, 30), some.integers(0, 2**32 - 1))
def test_rows_are_the_distinct_items_where_these_are_few(originals: int, systems: int, classes: int, seed: int) -> None:
    # Ninety systems of thirty classes have more patterns than a 64-bit number counts.
    gold, predicted = copies(originals, 150, systems, classes, seed=seed)
    items = WeighableItems.of(gold, predicted, classes=classes)
    patterns = np.unique(np.vstack([gold, predicted]), axis=1)
    collapses = ITEMS_PER_PATTERN * patterns.shape[1] < 150
    assert len(items.starts) == (patterns.shape[1] if collapses else 150)
    assert items.multiplicities.sum() == 150
    assert sorted(items.order) == list(range(150))
    for row, (start, same) in enumerate(zip(items.starts, items.multiplicities, strict=True)):
        positions = items.order[start : start + same]
        assert (predicted[:, positions] == items.predicted[:, [row]]).all()
        assert len(set(gold[positions])) == 1
    of_rows = gold[items.order[items.starts]]
    for code in range(classes):
        assert (of_rows[items.boundaries[code] : items.boundaries[code + 1]] == code).all()


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.uint32, np.int64, np.uint64])
def test_codes_of_any_width_collapse_alike(kind: type[np.integer[Any]]) -> None:
    gold, predicted = copies(20, 400, 50, 5)
    narrow = WeighableItems.of(gold, predicted, classes=5)
    wide = WeighableItems.of(gold.astype(kind), predicted.astype(kind), classes=5)
    np.testing.assert_array_equal(wide.order, narrow.order)
    np.testing.assert_array_equal(wide.starts, narrow.starts)


@pytest.mark.parametrize("originals", [20, 10_000], ids=["collapsed", "not collapsed"])
@pytest.mark.parametrize("at_once", [1, 200, 1 << 20])
@pytest.mark.parametrize("sparse_from", [2, 1000], ids=["sparse", "dense"])
@pytest.mark.parametrize("largest", [2, 64, 1 << 22, 1 << 40])
def test_neither_chunks_nor_sparse_products_nor_large_weights_change_a_count(
    monkeypatch: pytest.MonkeyPatch, originals: int, at_once: int, sparse_from: int, largest: int
) -> None:
    gold, predicted = copies(originals, 300, 6, 4)
    weights = np.random.default_rng(1).integers(largest, size=(5, 300))
    expected = np.zeros((5, 6, 4, 4), dtype=np.int64)
    for replicate, system in np.ndindex(5, 6):
        np.add.at(expected[replicate, system], (gold, predicted[system]), weights[replicate])
    monkeypatch.setattr(confusion, "INDICATORS_AT_ONCE", at_once)
    monkeypatch.setattr(confusion, "SPARSE_FROM_CLASSES", sparse_from)
    for kept in (0, 1 << 24):
        monkeypatch.setattr(confusion, "INDICATORS_CACHED", kept)
        items = WeighableItems.of(gold, predicted, classes=4)
        counts = items.reweight(weights)
        np.testing.assert_array_equal(counts, expected)
        # The class axes lead in memory, trials lie together.
        assert counts.strides[0] < counts.strides[1] < min(counts.strides[2:])


@pytest.mark.parametrize("kind", [np.uint64, np.int64, np.float64])
@pytest.mark.parametrize("largest", [PACKED - 1, PACKED, EXACT_IN_FLOAT32 - 1, EXACT_IN_FLOAT32 + 1])
def test_sums_at_the_limits_of_types_are_exact(largest: int, kind: type[np.number[Any]]) -> None:
    weights = np.array([[largest - 3, 1, 2], [0, 0, largest], [1, 1, 1]], dtype=kind)
    flags = np.array([[1, 1, 1], [0, 1, 0], [1, 0, 1], [1, 1, 1]], dtype=np.bool_)
    expected = flags.astype(np.int64) @ weights.astype(np.int64).T
    np.testing.assert_array_equal(Indicators(flags).weighted_sums(weights), expected)


def test_a_single_system_on_a_single_class_of_gold_is_counted() -> None:
    gold, predicted = np.full(40, 2), np.full((1, 40), 1)
    items = WeighableItems.of(gold, predicted, classes=3)
    assert items.multiplicities.tolist() == [40]
    np.testing.assert_array_equal(items.counts_of_rows(np.array([[40]]))[0], count(gold, predicted, classes=3))
