"""Similarity and groups of measures made by hand."""

import numpy as np
import pytest
from numpy.typing import NDArray

from metaeval.analyses.similarity.compute import CorrectedSimilarity, Relations, cluster_measures

NAN = np.nan


def similarities(pairs: dict[tuple[int, int], float], measures: int, other: float = 0.0) -> NDArray[np.float64]:
    matrix = np.full((measures, measures), other)
    np.fill_diagonal(matrix, 1)
    for (one, two), value in pairs.items():
        matrix[one, two] = matrix[two, one] = value
    return matrix


def test_measures_with_similar_rankings_are_neighbours_in_the_tree() -> None:
    tree = cluster_measures(similarities({(0, 2): 0.9, (1, 3): 0.8}, 4))
    assert abs(tree.order.index(0) - tree.order.index(2)) == 1
    assert sorted(tree.order) == [0, 1, 2, 3]
    assert len(tree.merges) == 3


def test_merges_are_at_the_average_of_distances() -> None:
    similarity = similarities({(0, 1): 0.9, (0, 2): 0.8, (1, 2): 0.1}, 3)
    # 2 is 1 − (0.8 + 0.1) / 2 = 0.55 from the other two.
    assert cluster_measures(similarity).merges[:, 2].tolist() == pytest.approx([0.1, 0.55])
    # Two measures that cannot be compared with each other count as unrelated.
    unknown = similarities({(0, 1): NAN, (0, 2): 0.9, (1, 2): 0.2}, 3)
    assert cluster_measures(unknown).merges[:, 2].tolist() == pytest.approx([0.1, 0.9])


def test_a_measure_that_is_undefined_everywhere_comes_last() -> None:
    similarity = similarities({(0, 2): 0.9}, 3)
    similarity[1], similarity[:, 1] = NAN, NAN
    tree = cluster_measures(similarity)
    assert tree.order[2] == 1
    assert tree.leaves == (0, 2)


@pytest.mark.parametrize("similarity", [np.ones((1, 1)), np.full((1, 1), NAN), np.full((3, 3), NAN), np.empty((0, 0))])
def test_without_two_measures_to_compare_there_is_no_tree(similarity: NDArray[np.float64]) -> None:
    tree = cluster_measures(similarity)
    assert tree.order == tuple(range(len(similarity)))
    assert tree.merges.shape == (0, 4)


def test_groups_are_of_measures_that_do_not_rank_significantly_differently() -> None:
    tau = similarities({(0, 1): 0.95, (1, 2): 0.8, (0, 2): 0.5}, 4, NAN)
    np.fill_diagonal(tau, NAN)
    corrected, none = CorrectedSimilarity(tau, tau - 0.12, tau + 0.12), np.zeros((4, 4), dtype=np.int64)
    known = np.arange(4) < 3

    def groups(margin: float, order: list[int], contested: NDArray[np.int64] = none) -> list[str]:
        return Relations.of(corrected, contested, margin).groups(order, known)

    # 1 and 2 may be above 0.9, so that 1 is in both groups; of the last measure nothing is known.
    assert groups(0.9, [0, 1, 2, 3]) == ["A", "AB", "B", "—"]
    assert groups(0.9, [2, 1, 0, 3]) == ["B", "AB", "A", "—"]
    assert groups(0.93, [0, 1, 2, 3]) == ["A", "A", "B", "—"]
    assert groups(0.5, [0, 1, 2, 3]) == ["A", "A", "A", "—"]
    # A contested pair of systems makes measures different, whatever their tau.
    contested = none.copy()
    contested[0, 1] = contested[1, 0] = 1
    assert groups(0.5, [0, 1, 2, 3], contested) == ["A", "B", "AB", "—"]
    assert not Relations.of(corrected, contested, 0.5).same[0, 1]
