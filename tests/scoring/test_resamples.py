"""Scores under chance and change: in a batch as in a plain loop over the same splits."""

import random as shuffling
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from made_runs import labelled_runs
from measures.test_oracles import ORACLES, ask
from numpy.typing import NDArray
from raw_labels import LabelPair
from scipy import stats

from metaeval.analyses.merge_classes.compute import merge_similarity
from metaeval.analyses.stability.compute import split_half_consistency
from metaeval.arrays import Integers
from metaeval.measures import fitting, measure
from metaeval.model.runs import LabelledRuns
from metaeval.model.scale import ClassScale
from metaeval.scoring import resamples
from metaeval.scoring.confusion import WeighableItems, count
from metaeval.scoring.labels import LabelSamples, MergedScores, balanced_merges, score_merges
from metaeval.scoring.resamples import split_halves
from metaeval.stats.resample import TRIALS_A_BLOCK, draw_subsets, generator

SCALE = ClassScale.parse("no<low<mid<high")
ORACLE_NAMES = ("accuracy", "macro-f1", "kappa:weights=linear", "alpha:level=ordinal", "mae:average=micro")
MEASURES = tuple(measure(name) for name in ORACLE_NAMES)
SIGNS = np.array([1, 1, 1, 1, -1])
TRIALS = TRIALS_A_BLOCK + 2
"""One block, and a few in the next."""

Codes = NDArray[np.integer[Any]]
SEED = np.random.SeedSequence(1)


def runs_of(items: int, *, alike: bool = False, scale: ClassScale = SCALE) -> LabelledRuns:
    """Seven systems: four of rising quality, one of them twice, a constant one, and the perfect one.

    No item is 'high', though some systems say so. alike: items are copies of a few.
    """
    random = np.random.default_rng(items)
    gold = random.choice(3, size=items, p=[0.2, 0.5, 0.3]).astype(np.uint8)
    right = random.random((4, items)) < np.array([[0.3], [0.5], [0.6], [0.8]])
    chosen = np.where(right, gold, random.integers(4, size=(4, items)))
    predicted = np.concatenate([chosen, chosen[:1], np.full((1, items), 1), gold[np.newaxis]]).astype(np.uint8)
    if alike:
        indices = random.integers(12, size=items)
        gold, predicted = gold[indices], predicted[:, indices]
    return labelled_runs(gold, predicted, scale)


datasets = pytest.mark.parametrize(
    "runs", [runs_of(101), runs_of(240), runs_of(301, alike=True)], ids=["odd", "even", "collapsed"]
)


def weighable(runs: LabelledRuns) -> WeighableItems:
    return WeighableItems.of(runs.gold, runs.predicted, classes=len(runs.scale))


def items_drawn(items: WeighableItems, draw: NDArray[np.integer[Any]]) -> NDArray[np.intp]:
    """The positions of the items that a draw, (U,), stands for; an item drawn k times is there k times."""
    parts = []
    for start, available, times in zip(items.starts, items.multiplicities, draw, strict=True):
        same = items.order[start : start + available]
        parts.append(np.resize(same, int(times)))
    return np.concatenate(parts)


def plain_scores(gold: Codes, predicted: Codes, classes: int) -> NDArray[np.float64]:
    """(M, S) by scikit-learn and krippendorff, system by system."""
    pairs = [LabelPair(gold.astype(int), row.astype(int), classes) for row in predicted]
    return np.array([[ask(ORACLES[name], pair) for pair in pairs] for name in ORACLE_NAMES])


def plain_tau(one: NDArray[np.float64], other: NDArray[np.float64]) -> list[float]:
    """Kendall's tau of the rankings of each measure, (M, S) each, undefined scores last."""
    # Rounded, because scikit-learn may give systems of equal kappa values that differ in the last bit.
    ranked = (np.where(np.isnan(scores), -99, (scores * SIGNS[:, np.newaxis]).round(12)) for scores in (one, other))
    with np.errstate(all="ignore"):
        return [float(stats.kendalltau(*rows).statistic) for rows in zip(*ranked, strict=True)]


@datasets
@pytest.mark.parametrize(("share", "stratified"), [(None, False), (None, True), (0.2, False), (0.2, True)])
def test_halves_score_as_in_a_plain_loop_over_the_same_splits(
    runs: LabelledRuns, share: float | None, stratified: bool
) -> None:
    plan = split_halves(LabelSamples(runs, MEASURES), trials=TRIALS, seed=3, share=share, stratified=stratified)
    seed, size = plan.blocks[-1]
    cube = plan.score((seed, size))
    assert cube.axes == ("trial", "half")
    assert cube.values.shape == (size, 2, 5, 7)
    items, first, second = halves_drawn(runs, share, stratified, seed, size)
    consistency = split_half_consistency(cube)
    for trial, halves in enumerate(zip(first, second, strict=True)):
        chosen = [items_drawn(items, draw) for draw in halves]
        plain = [plain_scores(runs.gold[half], runs.predicted[:, half], 4) for half in chosen]
        np.testing.assert_allclose(cube.values[trial], plain, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(consistency.tau[trial], plain_tau(*plain), rtol=1e-9, atol=1e-9)


def halves_drawn(
    runs: LabelledRuns,
    share: float | None,
    stratified: bool,
    seed: np.random.SeedSequence = SEED,
    size: int = 400,
) -> tuple[WeighableItems, Integers, Integers]:
    items, segments = weighable(runs), resamples._segments(LabelSamples(runs, MEASURES), share, stratified)
    first, second = resamples._draw_both_halves(generator(seed), items.multiplicities, segments, size)
    return items, first, items.multiplicities - first if second is None else second


@datasets
@pytest.mark.parametrize("stratified", [False, True])
@pytest.mark.parametrize("share", [None, 0.5, 0.31, 0.1, 0.02])
def test_halves_are_disjoint_and_of_the_size_asked_for(
    runs: LabelledRuns, share: float | None, stratified: bool
) -> None:
    items, first, second = halves_drawn(runs, share, stratified)
    total = len(runs.gold)
    assert (first.astype(int) + second <= items.multiplicities).all()
    sizes = np.stack([half.sum(axis=1, dtype=int) for half in (first, second)])
    if share is None:
        assert (sizes.sum(axis=0) == total).all()
        assert np.isin(sizes, [total // 2, -(-total // 2)]).all()
    else:
        assert (sizes[0] == sizes[1]).all()
        assert (np.abs(sizes - share * total) <= (2 if stratified else 1)).all()


@datasets
def test_stratified_halves_have_half_of_every_class_and_the_odd_items_by_turns(runs: LabelledRuns) -> None:
    items, first, _ = halves_drawn(runs, None, True)
    sizes = np.add.reduceat(first, items.boundaries[:3], axis=1, dtype=int)
    for code, available in enumerate(np.bincount(runs.gold, minlength=3)):
        assert np.isin(sizes[:, code], [available // 2, -(-available // 2)]).all()
        if available % 2:
            assert 150 < (sizes[:, code] > available // 2).sum() < 250


def test_stratified_halves_of_single_items_a_class_still_share_them() -> None:
    gold = np.arange(4, dtype=np.uint8)
    _, first, _ = halves_drawn(labelled_runs(gold, gold[np.newaxis], SCALE), None, True)
    assert (first.sum(axis=1) == 2).all()
    assert len({tuple(draw) for draw in first.tolist()}) == 6


MERGES = [("no", "low"), ("low", "mid"), ("no", "high"), ("low", "mid", "high")]


def relabelled(runs: LabelledRuns, merge: Sequence[str]) -> tuple[Codes, Codes, int]:
    groups = runs.scale.merged_groups(merge)
    new_code = np.empty(len(runs.scale), dtype=np.int64)
    for code, group in enumerate(groups):
        new_code[list(group)] = code
    return new_code[runs.gold], new_code[runs.predicted], len(groups)


def check_merges(runs: LabelledRuns, scores: MergedScores, trial: int | tuple[()], sample: Codes) -> None:
    plain = plain_scores(runs.gold[sample], runs.predicted[:, sample], 4)
    np.testing.assert_allclose(scores.original.values[trial], plain, rtol=1e-9, atol=1e-9)
    tau = merge_similarity(scores.merged, scores.original)
    for number, merge in enumerate(MERGES):
        gold, predicted, classes = relabelled(runs, merge)
        merge_scores = plain_scores(gold[sample], predicted[:, sample], classes)
        np.testing.assert_allclose(scores.merged.values[trial][number], merge_scores, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(tau[trial][number], plain_tau(merge_scores, plain), rtol=1e-9, atol=1e-9)


@datasets
def test_merges_score_as_after_relabelling(runs: LabelledRuns) -> None:
    counts = count(runs.gold, runs.predicted, classes=4)
    merges = [SCALE.merge(merge) for merge in MERGES]
    scores = score_merges(counts, MEASURES, merges, scale=SCALE, systems=runs.systems)
    assert scores.original.axes == ()
    assert scores.merged.axes == ("merge",)
    check_merges(runs, scores, (), np.arange(len(runs.gold)))


@datasets
def test_balanced_samples_score_as_in_a_plain_loop(runs: LabelledRuns) -> None:
    merges = [SCALE.merge(merge) for merge in MERGES]
    plan = balanced_merges(LabelSamples(runs, MEASURES), merges, trials=TRIALS, seed=3)
    items = weighable(runs)
    seed, size = plan.blocks[-1]
    scores = plan.score((seed, size))
    assert scores.merged.axes == ("trial", "merge")
    random = generator(seed)
    occurring = np.bincount(runs.gold)
    rows = [slice(*items.boundaries[code : code + 2]) for code in range(3)]
    samples = [draw_subsets(random, items.multiplicities[of], trials=size, size=min(occurring)) for of in rows]
    for trial, draw in enumerate(np.concatenate(samples, axis=1)):
        sample = items_drawn(items, draw)
        assert (np.bincount(runs.gold[sample]) == min(occurring)).all()
        check_merges(runs, scores, trial, sample)


def test_odd_labels_and_scales_of_no_single_merge() -> None:
    scale = ClassScale(("a", "b", "a+b", "c"))
    runs = runs_of(60, scale=scale)
    counts = count(runs.gold, runs.predicted, classes=4)
    merged = scale.merge(["a+b", "c"])
    scores = score_merges(counts, [measure("accuracy")], [merged], scale=scale, systems=runs.systems)
    gold, predicted, _ = relabelled(runs, ["a+b", "c"])
    np.testing.assert_allclose(scores.merged.values[0, 0], (gold == predicted).mean(axis=1))
    counts = np.ones((1, 4, 4), dtype=np.int64)
    for other in (ClassScale.parse("no<low"), SCALE.merge(["no", "low"]).merge(["mid", "high"])):
        with pytest.raises(ValueError, match="with one merge"):
            score_merges(counts, [measure("accuracy")], [other], scale=SCALE, systems=("one",))


def test_blocks_score_the_same_in_any_order_and_alone() -> None:
    runs = runs_of(90)
    trials = 2 * TRIALS_A_BLOCK + 5
    plan = split_halves(LabelSamples(runs, MEASURES), trials=trials, seed=0)
    in_order = [plan.score(block).values for block in plan.blocks]
    assert sum(map(len, in_order)) == trials
    order = list(range(len(plan.blocks)))
    shuffling.Random(1).shuffle(order)
    again = split_halves(LabelSamples(runs, MEASURES), trials=trials, seed=0)
    for number in order:
        np.testing.assert_array_equal(again.score(again.blocks[number]).values, in_order[number])
    assert (in_order[0] != in_order[1]).any()


def test_what_memory_a_block_takes_counts_systems_and_classes_too() -> None:
    scale = ClassScale(tuple(f"c{code}" for code in range(100)))
    few = runs_of(50, scale=scale)
    many = labelled_runs(few.gold, np.repeat(few.predicted, 20, axis=0), scale)
    plan = split_halves(LabelSamples(many, (measure("accuracy"),)), trials=64, seed=0, memory=200 << 20)
    assert 1 < max(size for _, size in plan.blocks) < 4


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("items", [2, 3, 5])
@pytest.mark.parametrize("systems", [1, 2, 7])
def test_tiny_data_give_scores_or_nan_under_every_measure(items: int, systems: int, ordered: bool) -> None:
    scale = ClassScale(SCALE.labels, ordered=ordered, weights=(0.1, 0.2, 0.3, 0.4))
    whole = runs_of(items, scale=scale)
    runs = labelled_runs(whole.gold, whole.predicted[:systems], scale)
    measures = fitting(scale)
    for stratified in (False, True):
        plan = split_halves(LabelSamples(runs, tuple(measures)), trials=5, seed=0, stratified=stratified)
        consistency = split_half_consistency(plan.score(plan.blocks[0]))
        assert not np.isinf(consistency.tau).any()
        if systems == 1:
            assert np.isnan(consistency.tau).all()
            assert np.isnan(consistency.discordant).all()
