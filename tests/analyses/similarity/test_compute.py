"""Similarity and groups of measures made by hand, and findings and plots that agree with the tables."""

from itertools import combinations

import numpy as np
import pytest
from command_line import CommandLine
from numpy.typing import NDArray
from render.plottable import table

from metaeval.analyses.similarity.compute import CorrectedSimilarity, Relations, cluster_measures
from metaeval.analyses.similarity.report import findings, forks

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
    has_letter = np.arange(4) < 3

    def groups(margin: float, order: list[int], contested: NDArray[np.int64] = none) -> list[str]:
        return Relations.of(corrected, contested, margin).groups(order, has_letter)

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


# Findings and plots of trees


def corrected(tau: list[list[float]], half: float) -> CorrectedSimilarity:
    values = np.array(tau)
    return CorrectedSimilarity(values, values - half, values + half)


def test_how_many_pairs_differ_and_the_lowest_of_them_are_named() -> None:
    tau = [[NAN, 0.95, 0.1], [0.95, NAN, 0.2], [0.1, 0.2, NAN]]
    below = "corrected tau below 0.9, or pairs of systems in opposite orders"

    def texts(names: str, tau: list[list[float]], half: float) -> list[str]:
        similarity = corrected(tau, half)
        relations = Relations.of(similarity, np.zeros(similarity.tau.shape, dtype=np.int64), 0.9)
        return [finding.sentence for finding in findings(names, similarity, relations, 0.9)]

    assert texts("xyz", tau, 0.1) == [
        f"2 of 3 pairs of measures rank the systems differently (1 undecided): {below}",
        "the lowest corrected tau is that of x and z (0.10, 95 % interval 0.00 to 0.20)",
    ]
    none = "no two measures rank the systems significantly differently"
    assert texts("xyz", tau, 0.9)[0] == f"{none}: all 3 pairs are undecided"
    assert texts("xy", [[NAN, 1.0], [1.0, NAN]], 0.0) == [
        "the pair of measures ranks the systems alike: the corrected tau is at least 0.9"
    ]
    assert texts("xy", [[NAN, 0.1], [0.1, NAN]], 0.1)[0] == (
        f"the pair of measures ranks the systems differently: {below}"
    )
    similar = [[NAN, 0.95, 0.96], [0.95, NAN, 0.97], [0.96, 0.97, NAN]]
    assert texts("xyz", similar, 0.01)[0] == (
        "all 3 pairs of measures rank the systems alike: the corrected tau is at least 0.9"
    )
    unknown = [[NAN, 0.1, NAN], [0.1, NAN, NAN], [NAN, NAN, NAN]]
    assert (
        texts("xyz", unknown, 0.1)[2] == "no corrected tau (—) of z: a ranking is too unreliable, or ties all systems"
    )
    assert texts("x", [[NAN]], 0.1) == []


def test_a_tree_of_other_measures_is_not_drawn() -> None:
    columns = ["merge", "one", "other", "distance", "measures"]
    assert forks(["a", "b"], table("similarity_tree", columns, [[1, "a", "z", 0.25, 2]])) == []


@pytest.mark.usefixtures("repository")
def test_measures_share_a_group_exactly_where_they_do_not_rank_differently(metaeval: CommandLine) -> None:
    tables = metaeval.tables("similarity", "--config", "configs/stance.yaml", "--permutations", "499")
    groups = {row["measure"]: set(row["group"]) for row in tables["similarity"]}
    pairs = {(row["measure"], row["other"]): row for row in tables["similarity_intervals"]}
    assert len(pairs) == len([*combinations(groups, 2)])
    assert {row["relation"] for row in pairs.values()} == {"different", "same order", "undecided"}
    for (one, other), row in pairs.items():
        different = row["contested"] > 0 or row["ci_high"] < 0.9
        assert bool(groups[one] & groups[other]) == (not different), (one, other)
        assert (row["relation"] == "different") == different
        assert (row["relation"] == "same order") == (not different and row["ci_low"] >= 0.9)
