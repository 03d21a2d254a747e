"""Scores against fewer references: means over all choices and over samples, compared with every single choice."""

from collections import Counter
from itertools import combinations, product
from math import comb
from typing import Any

import numpy as np
import pytest
from made_runs import Text, text_runs
from numpy.typing import NDArray
from score_cubes import item_scores

from metaeval.measures import measure
from metaeval.model.runs import Derivation, DerivationRuns, Step, TextRuns, Word
from metaeval.model.scores import ItemScores
from metaeval.scoring.texts import (
    Subsets,
    draw_subsets_of_references,
    mean_over_subsets,
    reference_subsets,
    score_derivations,
    score_texts,
    sizes_of_subsets,
)

COUNTS = (2, 4, 3, 2)
NAMES = ("rouge-n:n=1", "rouge-l:refs=best,stat=recall", "rouge-su:refs=pooled", "wsk:d=3,refs=best", "rouge-n:n=2")


def texts_of(random: np.random.Generator, count: int) -> list[Text]:
    return [[random.integers(6, size=random.integers(1, 6)).tolist() for _ in range(2)] for _ in range(count)]


def runs_of(outputs: list[list[Text]], references: list[list[Text]]) -> TextRuns:
    return text_runs(outputs, references, tuple(map(Word, "abcdef")))


def made_up() -> tuple[list[list[Text]], list[list[Text]]]:
    random = np.random.default_rng(0)
    return [texts_of(random, len(COUNTS)) for _ in range(3)], [texts_of(random, count) for count in COUNTS]


def steps_made_up() -> tuple[list[list[Derivation]], list[list[Derivation]]]:
    random = np.random.default_rng(1)
    phrases = ["Ed Wood", "film maker", "is", "was a", "Oslo"]

    def steps() -> Derivation:
        return tuple(Step(*(phrases[index] for index in random.integers(5, size=3))) for _ in range(3))

    return [[steps() for _ in COUNTS] for _ in range(2)], [[steps() for _ in range(count)] for count in COUNTS]


def derivations_of(outputs: list[list[Derivation]], references: list[list[Derivation]]) -> DerivationRuns:
    return DerivationRuns(tuple("abcd"), ("one", "two"), tuple(map(tuple, outputs)), tuple(map(tuple, references)))


KINDS: dict[str, tuple[Any, Any, Any, tuple[str, ...]]] = {
    "texts": (made_up, runs_of, score_texts, NAMES),
    "derivations": (
        steps_made_up, derivations_of, score_derivations, ("r4c-rouge", "r4c-align:level=entity,stat=recall")
    ),
}  # fmt: skip
"""Outputs and references, runs of them, their scores, and measures."""


@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_the_mean_is_that_of_every_choice_for_all_items_together(kind: str, size: int) -> None:
    make, runs_with, score, names = KINDS[kind]
    outputs, references = make()
    measures, runs = [measure(name) for name in names], runs_with(outputs, references)
    assert runs.reference_counts.tolist() == list(COUNTS)
    subsets = reference_subsets(runs.reference_counts, size, at_most=50, seed=0)
    means = mean_over_subsets(score(runs.against(subsets.item, subsets.references), measures), subsets)
    whole = [
        score(runs_with(outputs, [list(group) for group in combination]), measures).mean().values
        for combination in product(*(combinations(group, size) for group in references))
    ]
    assert len(whole) == np.prod([comb(count, size) for count in COUNTS])
    np.testing.assert_allclose(means.values, np.mean(whole, axis=0), rtol=0, atol=1e-11)
    assert (means.measures, means.systems, means.axes) == (tuple(map(str, measures)), runs.systems, ())


def test_scores_that_are_means_over_references_expect_the_same_of_any_number() -> None:
    runs = runs_of(*made_up())
    measures = [measure(name) for name in ("rouge-n:refs=mean", "rouge-l:refs=mean", "wsk:refs=mean")]
    full = score_texts(runs, measures).mean().values
    for size in sizes_of_subsets(COUNTS):
        subsets = reference_subsets(np.array(COUNTS), size, at_most=50, seed=0)
        shorter = runs.against(subsets.item, subsets.references)
        assert isinstance(shorter, TextRuns)
        means = mean_over_subsets(score_texts(shorter, measures), subsets)
        np.testing.assert_allclose(means.values, full, rtol=0, atol=1e-12)


def test_every_subset_is_there_once_and_in_order() -> None:
    subsets = reference_subsets(np.array([4, 2, 5]), 2, at_most=10, seed=3)
    assert subsets.complete
    assert subsets.counts.tolist() == [6, 1, 10]
    assert list(map(tuple, subsets.references.tolist())) == [
        *combinations(range(4), 2),
        (0, 1),
        *combinations(range(5), 2),
    ]
    assert subsets.item.tolist() == [0] * 6 + [1] + [2] * 10


def test_where_there_are_too_many_a_sample_is_drawn_of_different_ones_all_alike_likely() -> None:
    subsets = reference_subsets(np.array([6, 3, 6]), 3, at_most=7, seed=3)
    assert not subsets.complete
    assert subsets.counts.tolist() == [7, 1, 7]
    subsets_by_item = [subsets.references[subsets.item == item].tolist() for item in range(3)]
    for item_subsets in subsets_by_item:
        assert len({tuple(subset) for subset in item_subsets}) == len(item_subsets)
        assert all(subset == sorted(set(subset)) for subset in item_subsets)
    assert subsets_by_item[0] != subsets_by_item[2]
    again, other = (reference_subsets(np.array([6, 3, 6]), 3, at_most=7, seed=seed) for seed in (3, 4))
    np.testing.assert_array_equal(again.references, subsets.references)
    assert (other.references != subsets.references).any()
    many = reference_subsets(np.full(4000, 6), 3, at_most=2, seed=0)
    frequency = Counter(map(tuple, many.references.tolist()))
    assert len(frequency) == 20
    # 8,000 subsets, 400 of each to be expected; five standard deviations.
    assert all(abs(count - 400) < 100 for count in frequency.values())


def numbered(subsets: Subsets, random: np.random.Generator) -> ItemScores:
    """A score for each subset, on a grid of powers of two so that sums are exact."""
    values = random.integers(1 << 20, size=(2, 3, len(subsets.item))) / (1 << 20)
    return item_scores(values, lower_is_better=(1,))


def draw_values(scores: ItemScores, subsets: Subsets, *, trials: int, memory: int = 1 << 29) -> NDArray[np.float64]:
    plan = draw_subsets_of_references(scores, subsets, trials=trials, seed=9, memory=memory)
    cubes = [plan.score(block) for block in plan.blocks]
    assert {cube.axes for cube in cubes} == {("replicate",)}
    assert all(cube.directions == scores.directions for cube in cubes)
    return np.concatenate([cube.values for cube in cubes])


def test_each_draw_picks_one_subset_an_item() -> None:
    subsets = reference_subsets(np.array([3, 2, 4]), 1, at_most=50, seed=0)
    # Digits to the base of 16 tell which subsets a sum was made of.
    values = np.zeros((1, 1, 9))
    values[0, 0] = [16.0**index for index in range(9)]
    sums = np.rint(3 * draw_values(item_scores(values), subsets, trials=3000)[:, 0, 0]).astype(int)
    picked = np.array([[total >> (4 * index) & 15 for index in range(9)] for total in sums.tolist()])
    assert set(picked.ravel().tolist()) == {0, 1}
    for item in range(3):
        assert (picked[:, subsets.item == item].sum(axis=1) == 1).all()
    # Each as likely as any other, and each item by itself.
    np.testing.assert_allclose(picked.mean(axis=0), 1 / subsets.counts[subsets.item], atol=0.05)
    assert len({tuple(row) for row in picked.tolist()}) == 3 * 2 * 4


def test_draws_are_made_in_blocks_that_fit_the_memory() -> None:
    subsets = reference_subsets(np.array([3, 3, 3]), 2, at_most=50, seed=0)
    scores = numbered(subsets, np.random.default_rng(4))
    plan = draw_subsets_of_references(scores, subsets, trials=20, seed=9, memory=1)
    assert [size for _, size in plan.blocks] == [1] * 20
    backwards = [plan.score(block).values for block in plan.blocks[::-1]][::-1]
    np.testing.assert_array_equal(np.concatenate(backwards), draw_values(scores, subsets, trials=20, memory=1))
