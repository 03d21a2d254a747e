"""Counts against counting by hand, merged and reweighted."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from metaeval.model.scale import ClassScale
from metaeval.scoring import confusion
from metaeval.scoring.confusion import SPARSE_FROM_CLASSES, WeighableItems, count, merge, reweight

Codes = NDArray[np.int64]


def brute_force(gold: Codes, predicted: Codes, classes: int, weights: NDArray[Any] | None = None) -> NDArray[Any]:
    """Counts (S, C, C), item by item."""
    counts = np.zeros((len(predicted), classes, classes), dtype=np.int64 if weights is None else np.float64)
    for system, row in enumerate(predicted):
        np.add.at(counts[system], (gold, row), 1 if weights is None else weights)
    return counts


def drawn(items: int, systems: int, classes: int, *, seed: int = 20201) -> tuple[Codes, Codes]:
    rng = np.random.default_rng(seed)
    return rng.integers(classes, size=items), rng.integers(classes, size=(systems, items))


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
    gold, predicted = drawn(50, 23, 3)
    monkeypatch.setattr(confusion, "CELLS_AT_ONCE", 200)
    assert (count(gold, predicted, classes=3) == brute_force(gold, predicted, 3)).all()


@pytest.mark.parametrize("code_type", [np.uint8, np.int16, np.uint32, np.int64])
def test_codes_of_any_width_count_alike(code_type: type[np.integer[Any]]) -> None:
    gold, predicted = drawn(300, 4, 200)
    narrow = count(gold.astype(code_type), predicted.astype(code_type), classes=200)
    assert (narrow == brute_force(gold, predicted, 200)).all()


@pytest.mark.parametrize(("gold", "predicted"), [([0, 2], [0, 1]), ([0, 1], [0, 2]), ([0, 1], [0, -1])])
def test_codes_outside_the_scale_raise(gold: list[int], predicted: list[int]) -> None:
    with pytest.raises(ValueError, match="for 2 classes"):
        count(np.array(gold), np.array([predicted]), classes=2)
    with pytest.raises(ValueError, match="for 2 classes"):
        WeighableItems.of(np.array(gold), np.array([predicted]), classes=2)


def test_the_class_axes_lead_in_memory() -> None:
    gold, predicted = drawn(100, 5, 3)
    counts = count(gold, predicted, classes=3)
    assert np.moveaxis(counts, (-2, -1), (0, 1)).flags.c_contiguous
    reweighted = reweight(gold, predicted, np.ones((7, 100), dtype=np.int64), classes=3)
    assert reweighted.shape == (7, 5, 3, 3)
    assert max(reweighted.strides[:2]) < min(reweighted.strides[2:])


@given(labelled(), st.data())
def test_a_merge_equals_recounting_after_relabelling(case: tuple[Codes, Codes, int], data: st.DataObject) -> None:
    gold, predicted, classes = case
    scale = ClassScale(tuple(f"c{code}" for code in range(classes)))
    merged = data.draw(st.lists(st.sampled_from(scale.labels), min_size=2, max_size=classes, unique=True))
    if len(merged) == classes:
        merged = merged[1:]
    if len(merged) < 2:
        return
    groups = scale.merged_groups(merged)
    new_code = np.empty(classes, dtype=np.int64)
    for code, group in enumerate(groups):
        new_code[list(group)] = code
    recounted = count(new_code[gold], new_code[predicted], classes=len(groups))
    assert (merge(count(gold, predicted, classes=classes), groups) == recounted).all()


@given(labelled(), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_reweighting_equals_counting_repeated_items(case: tuple[Codes, Codes, int], replicates: int, seed: int) -> None:
    gold, predicted, classes = case
    times = np.random.default_rng(seed).integers(0, 4, size=(replicates, len(gold)))
    for replicate, counts in zip(times, reweight(gold, predicted, times, classes=classes), strict=True):
        repeated = brute_force(np.repeat(gold, replicate), np.repeat(predicted, replicate, axis=1), classes)
        assert (counts == repeated).all()


@pytest.mark.parametrize("classes", [2, 3, SPARSE_FROM_CLASSES, SPARSE_FROM_CLASSES + 5])
@pytest.mark.parametrize("alike", [False, True], ids=["items differ", "items alike"])
@pytest.mark.parametrize("kind", ["bool", "int8", "uint8", "int64", "float32", "float64", "fractions"])
def test_weights_of_every_type_count_exactly(classes: int, alike: bool, kind: str) -> None:
    gold, predicted = drawn(400, 3, classes)
    if alike:
        gold, predicted = gold % 2, predicted % 2
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


@pytest.mark.parametrize("classes", [2, SPARSE_FROM_CLASSES])
@pytest.mark.parametrize("alike", [False, True], ids=["items differ", "items alike"])
def test_whole_weights_beyond_the_reach_of_float32_stay_exact(classes: int, alike: bool) -> None:
    gold, predicted = drawn(200, 2, classes)
    if alike:
        gold, predicted = gold * 0, predicted * 0 + 1
    weights = np.full((2, 200), 2**24 + 1, dtype=np.int64)
    weights[1] = np.arange(200) + 2**40
    counts = reweight(gold, predicted, weights, classes=classes)
    for replicate, row in zip(counts, weights, strict=True):
        assert (replicate == brute_force(gold, predicted, classes, row)).all()


def test_small_counts_that_add_up_beyond_float32_stay_exact() -> None:
    gold, predicted = np.zeros(40, dtype=np.int64), np.zeros((1, 40), dtype=np.int64)
    weights = np.full((1, 40), 2**19, dtype=np.float32)
    weights[0, 0] += 1
    assert reweight(gold, predicted, weights, classes=2)[0, 0, 0, 0] == 40 * 2**19 + 1


def test_many_items_alike_are_collapsed_to_few_patterns() -> None:
    gold, predicted = drawn(5000, 2, 2)
    assert WeighableItems.of(gold, predicted, classes=2).predicted.shape == (2, 8)


@settings(max_examples=30)
@given(labelled(), st.integers(0, 2**32 - 1))
def test_weights_of_rows_count_as_those_of_their_items(case: tuple[Codes, Codes, int], seed: int) -> None:
    gold, predicted, classes = case
    weights = np.random.default_rng(seed).integers(0, 9, size=(3, len(gold)))
    items = WeighableItems.of(gold, predicted, classes=classes)
    assert sorted(items.order) == list(range(len(gold)))
    assert (np.diff(gold[items.order]) >= 0).all()
    assert items.multiplicities.sum() == len(gold)
    of_rows = np.add.reduceat(weights[:, items.order], items.starts, axis=1)
    assert (items.counts_of_rows(of_rows) == items.reweight(weights)).all()
    once = items.counts_of_rows(items.multiplicities[np.newaxis])
    assert (once[0] == count(gold, predicted, classes=classes)).all()


@pytest.mark.parametrize("kept", [0, 1 << 24], ids=["made each time", "kept"])
def test_the_size_of_a_block_changes_nothing(monkeypatch: pytest.MonkeyPatch, kept: int) -> None:
    gold, predicted = drawn(500, 4, 5)
    weights = np.random.default_rng(0).integers(0, 3, size=(6, 500))
    whole = reweight(gold, predicted, weights, classes=5)
    monkeypatch.setattr(confusion, "INDICATORS_AT_ONCE", 200)
    monkeypatch.setattr(confusion, "INDICATORS_CACHED", kept)
    items = WeighableItems.of(gold, predicted, classes=5)
    for _ in range(2):
        assert (items.reweight(weights) == whole).all()


def test_no_weighting_at_all_gives_no_counts() -> None:
    gold, predicted = drawn(10, 2, 3)
    assert reweight(gold, predicted, np.ones((0, 10)), classes=3).shape == (0, 2, 3, 3)
