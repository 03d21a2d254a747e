"""Items that are read stretch by stretch are drawn as if they were all there."""

import numpy as np
import pytest
from numpy.typing import NDArray
from raw_labels import count

from metaeval.io.labels.code_file import LabelCodeFile
from metaeval.measures import preset
from metaeval.model.labels import Codes, LabelledRuns, Numbered, StreamedRuns
from metaeval.model.scale import ClassScale
from metaeval.scoring.labels import LabelSamples
from metaeval.scoring.merges import balanced_merges
from metaeval.scoring.resamples import split_halves
from metaeval.scoring.streams import TRIALS_A_PASS, StreamedRows
from metaeval.scoring.trivial import trivial_counts, trivial_systems
from metaeval.stats.resample import draw_items

SCALE = ClassScale.parse("low<mid<high")


def labelled(items: int, systems: int = 3) -> LabelledRuns:
    random = np.random.default_rng(5)
    gold = random.choice(3, size=items, p=[0.2, 0.5, 0.3]).astype(np.uint8)
    predicted = np.where(random.random((systems, items)) < 0.6, gold, random.integers(0, 3, (systems, items)))
    names = tuple(map(str, range(systems)))
    return LabelledRuns(Numbered(items), gold, predicted.astype(np.uint8), names, SCALE)


def streamed(runs: LabelledRuns, stretch: int) -> StreamedRuns:
    file = LabelCodeFile(len(runs.systems), len(runs.scale), np.dtype(np.uint8))
    for begin in range(0, len(runs.gold), stretch):
        part = slice(begin, begin + stretch)
        file.append(runs.gold[part], runs.predicted[:, part])
    return StreamedRuns(file, runs.systems, runs.scale)


def rows_of(runs: StreamedRuns) -> StreamedRows:
    return StreamedRows(runs.chunks, len(runs.systems), len(runs.scale), np.random.SeedSequence(7))


def test_halves_share_no_item_and_leave_none_out() -> None:
    runs = labelled(101)
    rows = rows_of(streamed(runs, 20))
    first = np.tile(rows.multiplicities // 2, (6, 1))
    of_first, of_second = rows.counts_of_halves(first, None)
    whole = np.stack([count(runs.gold, predicted, 3) for predicted in runs.predicted])
    assert (of_first + of_second == whole).all()
    gold = np.array(
        [first[0, begin:end].sum() for begin, end in zip(rows.boundaries, rows.boundaries[1:], strict=False)]
    )
    assert (of_first.sum(axis=-1) == gold).all()
    small, other = rows.counts_of_halves(first // 2, first // 2)
    assert (small.sum(axis=(-1, -2)) == other.sum(axis=(-1, -2))).all()
    assert (small + other <= whole).all()


def test_hundreds_of_trials_share_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = streamed(labelled(100), 20)
    read: list[int] = []
    predicted = LabelCodeFile.predicted

    def counting(file: LabelCodeFile, chunk: int) -> Codes:
        read.append(chunk)
        return predicted(file, chunk)

    monkeypatch.setattr(LabelCodeFile, "predicted", counting)
    plan = split_halves(LabelSamples(runs, preset("stance-nine")), trials=TRIALS_A_PASS + 1, seed=1)
    for block in plan.blocks:
        plan.score(block)
    assert read == 2 * list(range(5))


@pytest.mark.parametrize("share", [None, 0.1])
@pytest.mark.parametrize("stratified", [False, True])
def test_scores_of_streamed_halves_are_distributed_as_those_in_memory(share: float | None, stratified: bool) -> None:
    runs, measures = labelled(400, systems=2), preset("stance-nine")
    of_memory, of_stream = (
        np.concatenate([plan.score(block).values for block in plan.blocks])
        for plan in (
            split_halves(LabelSamples(either, measures), trials=1_500, seed=3, share=share, stratified=stratified)
            for either in (runs, streamed(runs, 64))
        )
    )
    _alike(of_memory, of_stream)


def test_scores_of_streamed_balanced_samples_are_distributed_as_those_in_memory() -> None:
    runs, measures = labelled(400, systems=2), preset("stance-nine")
    merged = [SCALE.merge(("low", "mid"))]
    scores = []
    for either in (runs, streamed(runs, 64)):
        plan = balanced_merges(LabelSamples(either, measures), merged, trials=1_500, seed=3)
        scores.append(np.concatenate([plan.score(block).original.values for block in plan.blocks]))
    _alike(*scores)


def _alike(one: NDArray[np.float64], other: NDArray[np.float64]) -> None:
    """Means within five standard errors, spreads within a tenth or so; no trial comes twice."""
    error = np.sqrt((one.var(axis=0) + other.var(axis=0)) / len(one))
    assert (np.abs(one.mean(axis=0) - other.mean(axis=0)) < 5 * error).all()
    assert np.allclose(one.std(axis=0), other.std(axis=0), rtol=0.15)
    assert len(np.unique(other.reshape(len(other), -1), axis=0)) > 0.9 * len(other)


def test_subsets_have_their_sizes_and_every_item_alike() -> None:
    random = np.random.default_rng(1)
    sizes = random.integers(0, 31, size=4_000)
    subsets = draw_items(random, 30, sizes)
    assert (subsets.sum(axis=1) == sizes).all()
    assert subsets.max() == 1
    assert np.allclose(subsets.mean(axis=0), sizes.mean() / 30, atol=0.04)
    within = draw_items(random, 30, sizes // 2, within=subsets)
    assert (within.sum(axis=1) == sizes // 2).all()
    assert (within <= subsets).all()


def test_samples_without_a_seed_are_refused() -> None:
    with pytest.raises(ValueError, match="without a seed"):
        StreamedRows(streamed(labelled(10), 4).chunks, 3, 3).counts_of_subsets(np.ones((1, 9), dtype=np.intp))


def test_trivial_systems_of_counts_are_those_of_items_but_for_the_random_ones() -> None:
    runs = labelled(300)
    names, counts = trivial_counts(np.bincount(runs.gold), SCALE, seed=1)
    of_items, predicted = trivial_systems(runs.gold, SCALE, seed=1)
    assert names == of_items
    by_item = np.stack([count(runs.gold, codes, 3) for codes in predicted])
    assert (counts[:-2] == by_item[:-2]).all()
    assert (counts.sum(axis=-1) == by_item.sum(axis=-1)).all()
    assert not (counts[-2:] == 0).any()
