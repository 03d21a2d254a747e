"""Pairs of systems that measures order in opposite ways: one family of tests, brute force, and copies."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from simulations.generators import parts_of_sums

from metaeval.inference.conflicts import Conflicts
from metaeval.inference.pairs import Evidence, compare_measures, compare_pairs

Floats = NDArray[np.float64]


def evidence_of(random: np.random.Generator, scores: Floats, permutations: int = 199) -> list[Evidence]:
    """Evidence under each measure with the same signs; scores: of items, (M, S, N)."""
    first, *others = (parts_of_sums(values.T, np.ones(values.shape[1], dtype=np.int64)) for values in scores)
    evidence = Evidence.draw([first], random, permutations)
    return [evidence, *(Evidence((parts,), evidence.signs) for parts in others)]


def opposed(random: np.random.Generator, *, measures: int, items: int = 120) -> Floats:
    """Random systems, of which the last measure puts the first two in the other order."""
    skill = random.normal(0, 0.4, (4, 1)) + np.array([[1.5], [0.0], [0.5], [0.5]])
    scores = skill + random.normal(0, 1, (measures, 4, items))
    scores[-1, [0, 1]] = scores[-1, [1, 0]]
    return np.asarray(scores)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 4))
def test_counts_are_those_of_single_pairs(seed: int, measures: int) -> None:
    random = np.random.default_rng(seed)
    conflicts = Conflicts.of(evidence_of(random, opposed(random, measures=measures)), alpha=0.05)
    for one, other in combinations(range(measures), 2):
        expected = [
            pair
            for pair in range(len(conflicts.one))
            if conflicts.tests[one].p[pair] <= 0.05
            and conflicts.tests[other].p[pair] <= 0.05
            and conflicts.tests[one].difference[pair] * conflicts.tests[other].difference[pair] < 0
        ]
        assert conflicts.counts[one, other] == conflicts.counts[other, one] == len(expected)
        assert conflicts.contested([one, other]).sum() == len(expected)
    clearest = conflicts.clearest(range(measures))
    assert (clearest is None) == (not conflicts.contested().any())
    assert clearest is None or conflicts.contested()[clearest]


def test_a_planted_conflict_is_found_with_its_systems() -> None:
    random = np.random.default_rng(3)
    conflicts = Conflicts.of(evidence_of(random, opposed(random, measures=3, items=400)), alpha=0.05)
    assert (conflicts.counts[:2, 2] > 0).all()
    assert conflicts.counts[0, 1] == 0
    pair = conflicts.clearest(range(3))
    assert pair is not None
    assert (conflicts.one[pair], conflicts.other[pair]) == (0, 1)
    assert conflicts.directions[:, pair].tolist() == [1, 1, -1]
    assert conflicts.clearest([0, 1]) is None


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_one_family_is_never_more_certain_than_each_measure_alone(seed: int) -> None:
    random = np.random.default_rng(seed)
    evidence = evidence_of(random, opposed(random, measures=3, items=40))
    for alone, joint in zip((compare_pairs(single) for single in evidence), compare_measures(evidence), strict=True):
        assert (joint.p >= alone.p).all()
        assert (joint.low <= alone.low).all()
        assert (joint.high >= alone.high).all()
        assert joint.raw.tolist() == alone.raw.tolist()
        assert joint.difference.tolist() == alone.difference.tolist()


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_one_sided_tests_find_what_is_ahead_and_agree_with_their_intervals(seed: int) -> None:
    random = np.random.default_rng(seed)
    evidence = evidence_of(random, opposed(random, measures=2, items=60))
    for tests in compare_measures(evidence, one_sided=True):
        assert (tests.p[tests.z <= 0] == 1).all()
        assert (tests.p >= tests.raw).all()
        assert (tests.p >= 1 / 200).all()
        assert ((tests.low > 0) == (tests.p <= tests.alpha)).all()


@pytest.mark.parametrize("copied", [0, 2])
def test_a_copy_of_a_measure_or_of_a_system_changes_nothing_about_others(copied: int) -> None:
    random = np.random.default_rng(11)
    scores = opposed(random, measures=3)
    conflicts = Conflicts.of(evidence_of(np.random.default_rng(1), scores), alpha=0.05)
    more = Conflicts.of(evidence_of(np.random.default_rng(1), scores[[0, 1, 2, copied]]), alpha=0.05)
    assert more.directions[:3].tolist() == conflicts.directions.tolist()
    assert more.directions[3].tolist() == conflicts.directions[copied].tolist()
    twice = Conflicts.of(evidence_of(np.random.default_rng(1), scores[:, [0, 1, 2, 3, copied]]), alpha=0.05)
    old = twice.one < 4
    old &= twice.other < 4
    assert twice.directions[:, old].tolist() == conflicts.directions.tolist()


def test_a_measure_that_is_undefined_for_a_system_orders_no_pair_of_it() -> None:
    random = np.random.default_rng(5)
    scores = opposed(random, measures=2, items=300)
    scores[0, 3] = np.nan
    conflicts = Conflicts.of(evidence_of(random, scores), alpha=0.05)
    assert not conflicts.directions[0, (conflicts.one == 3) | (conflicts.other == 3)].any()
    assert conflicts.contested()[0]
