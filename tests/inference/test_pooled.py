"""Parts of pairs of systems at the middle of their confusion counts."""

import numpy as np
import pytest
from conclusions import check_consistent
from hypothesis import given
from hypothesis import strategies as st
from made_runs import labelled_runs
from simulations.generators import SCALE, Floats
from simulations.hard import rare

from metaeval.inference.pairs import Evidence, compare_measures, compare_pairs
from metaeval.inference.parts import Parts, Signs
from metaeval.inference.pooled import PooledParts
from metaeval.measures import measure
from metaeval.measures.statistics import Derived, derive, ratio_of
from metaeval.model.runs import LabelledRuns
from metaeval.model.scores import Direction, ItemScores
from metaeval.scoring.parts import count_groups, parts_of_item_scores

MEASURES = ("macro-f1", "kappa", "mcc", "gmr", "alpha:level=ordinal", "mae:average=macro")

PAIRS = np.triu_indices(4, k=1)

MANY = 24
"""Systems that have more pairs than sums."""


def parts_of(name: str, runs: LabelledRuns, groups: int | None = None) -> Parts:
    random = np.random.default_rng(1)
    codes = None if groups is None else np.arange(len(runs.gold)) % groups
    return count_groups(runs, codes, random).parts([measure(name)])[0]


def all_parts(parts: Parts, one: np.ndarray, other: np.ndarray) -> Floats:
    assert isinstance(parts, PooledParts)
    return np.concatenate([block for _, block, _ in parts.blocks(one, other)], axis=1)


@pytest.mark.parametrize("name", [name for name in MEASURES if not name.startswith("mae")])
@given(seed=st.integers(0, 50), groups=st.sampled_from([None, 12]))
def test_parts_add_up_to_the_difference_and_change_sign_with_the_order(
    name: str, seed: int, groups: int | None
) -> None:
    parts = parts_of(name, rare(np.random.default_rng(seed), 4, 60, (0.8, 0.15, 0.05)), groups)
    forth, back = all_parts(parts, *PAIRS), all_parts(parts, PAIRS[1], PAIRS[0])
    np.testing.assert_allclose(forth.sum(axis=0), 60 * parts.differences(*PAIRS), atol=1e-6)
    np.testing.assert_allclose(forth, -back, atol=1e-9)


@pytest.mark.parametrize("name", [name for name in MEASURES if not name.startswith("mae")])
@given(seed=st.integers(0, 50))
def test_signed_sums_of_counts_are_those_of_the_parts_of_pairs(name: str, seed: int) -> None:
    random, pairs = np.random.default_rng(seed), np.triu_indices(MANY, k=1)
    runs = rare(random, MANY, 60, (0.8, 0.15, 0.05))
    runs.predicted[1], runs.predicted[2] = runs.predicted[0], 0
    parts, signs = parts_of(name, runs, 12), Signs.draw(random, 12, 40)
    order = random.permutation(len(pairs[0]))
    one, other = (np.concatenate([pairs[way][order], pairs[1 - way][order]]) for way in (0, 1))
    assert isinstance(parts.flips(signs), tuple)
    expected = (signs.matrix @ all_parts(parts, one, other)).T
    np.testing.assert_allclose(parts.signed(parts.flips(signs), one, other), expected, atol=1e-9)


def test_many_signed_sums_of_counts_are_freed(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(1)
    runs, signs = rare(random, MANY, 60, (0.8, 0.15, 0.05)), Signs.draw(random, 60, 40)
    evidence = [Evidence((parts_of(name, runs),), (signs,)) for name in ("macro-f1", "mcc")]
    numbers = sum(sums.size for single in evidence for sums in single.flips[0])
    for most in (numbers, numbers - 1):
        monkeypatch.setattr("metaeval.inference.pairs.MOST_FLIPS", most)
        compare_measures(evidence)
        assert ["flips" in vars(single) for single in evidence] == [most == numbers] * 2


def test_parts_of_a_smooth_measure_are_what_an_item_changes_at_the_middle() -> None:
    runs = rare(np.random.default_rng(2), 2, 400, (0.5, 0.3, 0.2))
    parts, one, other = parts_of("kappa", runs), np.array([0]), np.array([1])
    kappa, middle = measure("kappa"), np.zeros((3, 3))
    for predicted in runs.predicted:
        np.add.at(middle, (runs.gold, predicted), 0.5)
    whole = float(kappa(middle, SCALE))
    moved: list[float] = []
    for gold, first, second in zip(runs.gold, *runs.predicted, strict=True):
        changed = middle.copy()
        changed[gold, second] -= 0.01
        changed[gold, first] += 0.01
        moved.append(400 * (float(kappa(changed, SCALE)) - whole) / 0.01)
    np.testing.assert_allclose(all_parts(parts, one, other)[:, 0].sum(), sum(moved), rtol=2e-3)
    np.testing.assert_allclose(np.sort(all_parts(parts, one, other)[:, 0]), np.sort(moved), atol=0.02)


def test_a_system_that_never_finds_a_rare_class_is_not_certainly_worse() -> None:
    # Nine systems find one to three items of three of a class, the tenth none: no variance of its own there.
    gold = np.repeat([0, 1, 2], [70, 27, 3])
    predicted = np.tile(gold, (2, 1))
    predicted[0, 97:] = 0
    predicted[1, 98:] = 0
    runs = labelled_runs(gold, predicted, SCALE)
    pooled, single = parts_of("macro-f1", runs), parts_of("macro-f1", runs).without_pairs
    pair = np.array([1]), np.array([0])
    errors = [np.sqrt(parts.pair_sums(*pair).square[0]) for parts in (pooled, single)]
    assert errors[0] > 0
    assert pooled.differences(*pair)[0] > 0
    assert not compare_pairs(Evidence.draw([pooled], np.random.default_rng(1), 199)).significant.any()


@pytest.mark.parametrize("name", MEASURES)
def test_copies_and_constant_systems_are_tested_without_a_false_difference(name: str) -> None:
    runs = rare(np.random.default_rng(3), 2, 80, (0.7, 0.2, 0.1))
    constant = np.zeros((2, 80), dtype=np.int64)
    runs = labelled_runs(runs.gold, np.concatenate([runs.predicted[[0, 0]], constant]), SCALE)
    evidence = Evidence.draw([parts_of(name, runs)], np.random.default_rng(4), 199)
    tests = compare_pairs(evidence)
    check_consistent(tests, evidence)
    same = tests.other == tests.one + 1
    same[tests.one == 1] = False
    assert np.isnan([tests.low[same], tests.high[same]]).all()
    assert ((tests.p[same] == 1) | np.isnan(tests.p[same])).all()
    is_defined = ~same & ~np.isnan(tests.difference)
    assert (tests.low < tests.difference)[is_defined].all()
    assert (tests.difference < tests.high)[is_defined].all()


@pytest.mark.parametrize("name", MEASURES)
@given(seed=st.integers(0, 60), systems=st.integers(2, 4), alpha=st.sampled_from([0.05, 0.3, 0.7]))
def test_p_values_intervals_and_letters_agree_on_rare_classes(name: str, seed: int, systems: int, alpha: float) -> None:
    parts = parts_of(name, rare(np.random.default_rng(seed), systems, 60, (0.8, 0.15, 0.05)))
    evidence = Evidence.draw([parts], np.random.default_rng(seed), 99)
    check_consistent(compare_pairs(evidence, alpha=alpha), evidence)


def test_parts_of_a_ratio_of_sums_add_up_to_the_difference() -> None:
    random = np.random.default_rng(6)
    words = random.integers(1, 40, (1, 50)).repeat(3, axis=0).astype(np.float64)
    edits = random.binomial(words.astype(int), [[0.0], [0.1], [0.3]]).astype(np.float64)
    names = tuple(map(str, range(50)))
    table = ItemScores(np.stack([edits, words]), ("edits", "words"), tuple("abc"), names, (Direction.LOWER,) * 2)
    scores = derive(table, [Derived("wer", ("edits", "words"), ratio_of, ratio_of)], ["wer"])
    (parts,) = parts_of_item_scores(scores, np.arange(50))
    one, other = np.triu_indices(3, k=1)
    pair_parts = all_parts(parts, one, other)
    np.testing.assert_allclose(pair_parts.sum(axis=0), 50 * parts.differences(one, other), atol=1e-8)
    # Of systems with the same words, an item adds its share of the difference of the edits.
    np.testing.assert_allclose(pair_parts[:, 0], -50 * (edits[0] - edits[1]) / words[0].sum(), atol=1e-6)
