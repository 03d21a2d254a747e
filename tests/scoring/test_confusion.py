"""Counts against counting by hand, merged and reweighted."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
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


def test_no_weighting_at_all_gives_no_counts() -> None:
    gold, predicted = drawn(10, 2, 3)
    assert reweight(gold, predicted, np.ones((0, 10)), classes=3).shape == (0, 2, 3, 3)
