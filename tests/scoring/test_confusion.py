"""Counts against counting by hand, merged, reweighted, and of patterns; no way to multiply changes one."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from metaeval.scoring import confusion
from metaeval.scoring.confusion import (
    EXACT_IN_FLOAT32,
    ITEMS_PER_PATTERN,
    PACKED,
    SPARSE_FROM_CLASSES,
    Indicators,
    WeighableItems,
    count,
    reweight,
)

Codes = NDArray[np.integer[Any]]


def brute_force(gold: Codes, predicted: Codes, classes: int, weights: NDArray[Any] | None = None) -> NDArray[Any]:
    """Counts (S, C, C), item by item."""
    counts = np.zeros((len(predicted), classes, classes), dtype=np.int64 if weights is None else np.float64)
    for system, row in enumerate(predicted):
        np.add.at(counts[system], (gold, row), 1 if weights is None else weights)
    return counts


def copies(originals: int, items: int, systems: int, classes: int, *, seed: int = 7) -> tuple[Codes, Codes]:
    """Gold (N,) and predictions (S, N) of items that are copies of a few."""
    random = np.random.default_rng(seed)
    indices = random.integers(originals, size=items)
    gold = random.integers(classes, size=originals).astype(np.uint8)
    return gold[indices], random.integers(classes, size=(systems, originals)).astype(np.uint8)[:, indices]


@st.composite
def labelled(draw: st.DrawFn) -> tuple[Codes, Codes, int]:
    """Gold (N,), predictions (S, N) and C: few items, or many with the same pattern."""
    classes = draw(st.sampled_from([2, 3, 4, 26]))
    items, systems = draw(st.integers(1, 60)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    used = draw(st.integers(1, classes))
    return rng.integers(used, size=items), rng.integers(used, size=(systems, items)), classes


@given(labelled())
def test_counts_are_those_of_counting_item_by_item(case: tuple[Codes, Codes, int]) -> None:
    gold, predicted, classes = case
    assert (count(gold, predicted, classes=classes) == brute_force(gold, predicted, classes)).all()


def test_systems_beyond_one_block_are_counted_as_within_it(monkeypatch: pytest.MonkeyPatch) -> None:
    gold, predicted = copies(50, 50, 23, 3)
    monkeypatch.setattr(confusion, "CELLS_AT_ONCE", 200)
    assert (count(gold, predicted, classes=3) == brute_force(gold, predicted, 3)).all()


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.uint32, np.int64, np.uint64])
def test_codes_of_any_width_count_and_collapse_alike(kind: type[np.integer[Any]]) -> None:
    narrow = copies(20, 400, 4, 200)
    wide = [codes.astype(kind) for codes in narrow]
    assert (count(*wide, classes=200) == brute_force(*narrow, 200)).all()
    one, other = (WeighableItems.of(*codes, classes=200) for codes in (narrow, wide))
    np.testing.assert_array_equal(one.order, other.order)
    np.testing.assert_array_equal(one.starts, other.starts)


@pytest.mark.parametrize(("gold", "predicted"), [([0, 2], [0, 1]), ([0, 1], [0, 2]), ([0, 1], [0, -1])])
def test_codes_outside_the_scale_raise(gold: list[int], predicted: list[int]) -> None:
    with pytest.raises(ValueError, match="for 2 classes"):
        count(np.array(gold), np.array([predicted]), classes=2)
    with pytest.raises(ValueError, match="for 2 classes"):
        WeighableItems.of(np.array(gold), np.array([predicted]), classes=2)


@pytest.mark.parametrize("classes", [2, 3, SPARSE_FROM_CLASSES, SPARSE_FROM_CLASSES + 5])
@pytest.mark.parametrize("originals", [20, 400], ids=["collapsed", "not collapsed"])
@pytest.mark.parametrize("kind", ["bool", "int8", "uint8", "int64", "float32", "float64", "fractions"])
def test_weights_of_every_type_count_exactly(classes: int, originals: int, kind: str) -> None:
    gold, predicted = copies(originals, 400, 3, classes)
    rng = np.random.default_rng(0)
    if kind == "fractions":
        weights: NDArray[Any] = rng.random((4, 400))
    elif kind == "bool":
        weights = rng.random((4, 400)) < 0.5
    else:
        weights = rng.integers(0, 100, size=(4, 400)).astype(kind)
    counts = reweight(gold, predicted, weights, classes=classes)
    assert counts.dtype == np.float64
    for replicate, row in zip(counts, weights.astype(np.float64), strict=True):
        np.testing.assert_allclose(replicate, brute_force(gold, predicted, classes, row), rtol=1e-12, atol=1e-12)


def test_no_weighting_at_all_gives_no_counts() -> None:
    gold, predicted = copies(10, 10, 2, 3)
    assert reweight(gold, predicted, np.ones((0, 10)), classes=3).shape == (0, 2, 3, 3)


@given(st.integers(1, 40), st.integers(1, 90), st.integers(2, 30), st.integers(0, 2**32 - 1))
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
    row_gold = gold[items.order[items.starts]]
    for code in range(classes):
        assert (row_gold[items.boundaries[code] : items.boundaries[code + 1]] == code).all()


@pytest.mark.parametrize("originals", [20, 10_000], ids=["collapsed", "not collapsed"])
@pytest.mark.parametrize("at_once", [1, 200, 1 << 20])
@pytest.mark.parametrize("sparse_from", [2, 1000], ids=["sparse", "dense"])
@pytest.mark.parametrize("largest", [2, 64, 1 << 22, 1 << 40])
def test_neither_chunks_nor_sparse_products_nor_large_weights_change_a_count(
    monkeypatch: pytest.MonkeyPatch, originals: int, at_once: int, sparse_from: int, largest: int
) -> None:
    gold, predicted = copies(originals, 300, 6, 4)
    weights = np.random.default_rng(1).integers(largest, size=(5, 300))
    expected = [brute_force(gold, predicted, 4, row) for row in weights]
    monkeypatch.setattr(confusion, "INDICATORS_AT_ONCE", at_once)
    monkeypatch.setattr(confusion, "SPARSE_FROM_CLASSES", sparse_from)
    for limit in (0, 1 << 24):
        monkeypatch.setattr(confusion, "INDICATORS_CACHED", limit)
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
