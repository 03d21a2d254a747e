"""Tests of systems that lack scores of items: two systems are compared on the items that both have."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as some
from numpy.typing import NDArray
from score_cubes import item_scores
from simulations.generators import packed

from metaeval.analyses.stability.compute import pair_consistency, pair_samples, split_half_consistency
from metaeval.errors import InputError
from metaeval.inference.gaps import GapParts, on_common_cells, order_on_common_items
from metaeval.inference.pairs import Evidence, compare_pairs, statistics_of
from metaeval.inference.parts import Parts, standard_errors
from metaeval.inference.statistics import PairDeviations
from metaeval.scoring.parts import parts_of_item_scores
from metaeval.scoring.resamples import split_halves
from metaeval.scoring.table import ItemSamples

Floats = NDArray[np.float64]


def draw_scores(seed: int, systems: int = 5, items: int = 40, missing: float = 0.25) -> Floats:
    """Scores of one measure, (1, S, N), with gaps at random."""
    random = np.random.default_rng(seed)
    values = random.normal(size=(1, systems, items)).round(2) + random.normal(size=(systems, 1)) * 0.3
    values[random.random(values.shape) < missing] = np.nan
    return np.asarray(values)


def parts_by(values: Floats, groups: NDArray[np.intp] | None = None, *, gaps: bool = True) -> Parts:
    groups = np.arange(values.shape[-1]) if groups is None else groups
    return parts_of_item_scores(item_scores(values, gaps=gaps), groups)[0]


@given(some.integers(0, 10**6), some.integers(1, 12))
def test_parts_are_the_sums_over_the_common_items_of_each_group(seed: int, size: int) -> None:
    values, groups = draw_scores(seed), np.arange(40) // size
    parts = parts_by(values, groups)
    assert isinstance(parts, GapParts)
    unit, one, other = parts.unit, *np.triu_indices(5, k=1)
    (_, pair_parts, sizes), *_ = parts.blocks(one, other)
    for pair, (i, j) in enumerate(combinations(range(5), 2)):
        both = [item for item in range(40) if not np.isnan(values[0, [i, j], item]).any()]
        for group in range(groups.max() + 1):
            members = [item for item in both if groups[item] == group]
            total = sum(values[0, i, item] - values[0, j, item] for item in members)
            assert pair_parts[group, pair] * unit == pytest.approx(40 / len(both) * total, abs=1e-12)
            assert sizes[group, pair] == pytest.approx(40 / len(both) * len(members))
        assert parts.common(one, other)[pair] == len(both)
        expected = np.mean(values[0, i, both] - values[0, j, both])
        assert parts.differences(one, other)[pair] * unit == pytest.approx(expected, abs=1e-10)


@given(some.integers(0, 10**6), some.integers(1, 4))
@example(372251, 4)
@example(221209, 4)
def test_a_pair_is_tested_as_on_its_common_items_alone(seed: int, size: int) -> None:
    values, groups = draw_scores(seed), np.arange(40) // size
    random = np.random.default_rng(1)
    evidence = Evidence.draw([parts_by(values, groups)], random, 199)
    one, other = np.triu_indices(5, k=1)
    tests, (statistic,) = compare_pairs(evidence), statistics_of(evidence, one, other)
    low, high = statistic.interval(1.5)
    deviations, unit = PairDeviations.of(evidence), evidence.groupings[0].unit
    for pair, (i, j) in enumerate(zip(one.tolist(), other.tolist(), strict=True)):
        both = ~np.isnan(values[0, [i, j]]).any(axis=0)
        common_groups, codes = np.unique(groups[both], return_inverse=True)
        complete = parts_by(values[:, [i, j]][..., both], codes, gaps=False)
        signs = evidence.signs[0].matrix[:, common_groups]
        alone = Evidence((complete,), (packed(signs),))
        expected, (pair_statistic,) = compare_pairs(alone), statistics_of(alone, np.array([0]), np.array([1]))
        assert tests.z[pair] == pytest.approx(expected.z[0], abs=1e-9)
        # The grid of the means may move a difference near 0 past the signs with the same sum.
        group_differences = np.bincount(codes, weights=(values[0, i] - values[0, j])[both])
        by_chance = np.abs(signs @ group_differences) - abs(group_differences.sum())
        fewest, most = (1 + np.count_nonzero(by_chance > 1e-8)) / 200, (1 + np.count_nonzero(by_chance > -1e-8)) / 200
        # Skewed differences are shrunk, so that more signs reach them.
        skewed = pair_statistic.skewness[0] != 0
        for raw in (tests.raw[pair], expected.raw[0]):
            assert fewest - 1e-9 <= raw
            assert skewed or raw <= max(most, alone.smallest_p) + 1e-9
        assert tests.difference[pair] == pytest.approx(expected.difference[0], abs=1e-10)
        ends = [end[pair] * unit for end in (low, high)]
        assert ends == pytest.approx([end[0] * complete.unit for end in pair_statistic.interval(1.5)], abs=1e-9)
        # Groups without a common item count in the correction for the number of groups alone.
        groups_of_all, groups_of_pair = groups.max() + 1, len(common_groups)
        factor = np.sqrt(groups_of_all / (groups_of_all - 1) * (groups_of_pair - 1) / groups_of_pair)
        error = standard_errors(complete, np.array([0]), np.array([1]))[0] * complete.unit
        assert deviations.error[pair] * unit == pytest.approx(error * factor, abs=1e-9)


@given(some.integers(0, 10**6))
def test_without_gaps_pairs_are_tested_and_halved_as_ever(seed: int) -> None:
    values = draw_scores(seed, missing=0.0)
    complete = parts_by(values)
    scores = item_scores(values, gaps=True)
    gaps = GapParts.of(values[0], complete.scores * complete.unit, np.arange(40), complete.sizes, unit=1.0, grid=4.0)
    evidence = [Evidence.draw([parts], np.random.default_rng(3), 99) for parts in (complete, gaps)]
    tests = [compare_pairs(single) for single in evidence]
    for name in ("difference", "z", "raw", "p", "low", "high", "threshold", "criticals"):
        assert getattr(tests[1], name) == pytest.approx(getattr(tests[0], name), abs=1e-9), name
    by_chance = [PairDeviations.of(single).expected_tau() for single in evidence]
    assert by_chance[1][0] == pytest.approx(by_chance[0][0])
    assert by_chance[1][1] == pytest.approx(by_chance[0][1], abs=1e-5)
    halves = [
        plan.score(plan.blocks[0])
        for plan in (
            split_halves(samples, trials=50, seed=1)
            for samples in (ItemSamples(item_scores(values)), pair_samples(scores, 0, memory=1 << 29))
        )
    ]
    whole = split_half_consistency(halves[0])
    by_pair = pair_consistency(halves[1], systems=5)
    for name in ("tau", "discordant", "winner", "undefined"):
        assert getattr(by_pair, name) == pytest.approx(getattr(whole, name), abs=1e-12, nan_ok=True), name


def test_systems_in_a_circle_on_common_items_are_found() -> None:
    nan = np.nan
    values = np.array([[[2, nan, 1], [1, 2, nan], [nan, 1, 2], [0, 0, 0]]])
    parts = parts_by(np.repeat(values, 2, axis=2).astype(np.float64))
    assert isinstance(parts, GapParts)
    heights, cyclic = order_on_common_items(parts)
    assert cyclic.tolist() == [True, True, True, False]
    assert heights.tolist() == [-1, -1, -1, -3]


def test_systems_without_common_items_are_refused() -> None:
    values = np.array([[[1, 2, np.nan, np.nan], [np.nan, np.nan, 1, 2], [1, 2, 3, 4.0]]])
    parts = parts_by(values)
    assert isinstance(parts, GapParts)
    with pytest.raises(InputError, match=r"1 pair of systems with fewer than two common items .* example s0 and s1"):
        parts.check_common("bleu", ("s0", "s1", "s2"))


def test_means_are_over_own_items_and_two_measures_are_compared_on_the_cells_of_both() -> None:
    values = np.array([[[1, 2, np.nan], [np.nan, 5, 6]], [[1, np.nan, 3], [4, 5, 8]]])
    scores = item_scores(values, gaps=True)
    assert scores.mean().values.tolist() == [[1.5, 5.5], [2.0, pytest.approx(17 / 3)]]
    assert scores.cells.tolist() == [[2, 2], [2, 3]]
    assert on_common_cells(scores, 0, 1).mean().values.tolist() == [[1.0, 5.5], [1.0, 6.5]]
