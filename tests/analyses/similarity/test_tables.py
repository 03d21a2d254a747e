"""Findings on groups and plots of trees agree with the tables."""

from itertools import combinations

import numpy as np
import pytest
from command_line import CommandLine
from render.plottable import table

from metaeval.analyses.similarity.compute import CorrectedSimilarity, Relations
from metaeval.analyses.similarity.report import findings, forks

NAN = np.nan


def corrected(tau: list[list[float]], half: float) -> CorrectedSimilarity:
    values = np.array(tau)
    return CorrectedSimilarity(values, values - half, values + half)


def test_how_many_pairs_differ_and_the_lowest_of_them_are_named() -> None:
    tau = [[NAN, 0.95, 0.1], [0.95, NAN, 0.2], [0.1, 0.2, NAN]]
    below = "corrected tau below 0.9, or pairs of systems in opposite orders"

    def said(names: str, tau: list[list[float]], half: float) -> list[str]:
        similarity = corrected(tau, half)
        relations = Relations.of(similarity, np.zeros(similarity.tau.shape, dtype=np.int64), 0.9)
        return [each.sentence for each in findings(names, similarity, relations, 0.9)]

    assert said("xyz", tau, 0.1) == [
        f"2 of 3 pairs of measures rank the systems differently (1 undecided): {below}",
        "the lowest corrected tau is that of x and z (0.10, 95 % interval 0.00 to 0.20)",
    ]
    none = "no two measures rank the systems significantly differently"
    assert said("xyz", tau, 0.9)[0] == f"{none}: all 3 pairs are undecided"
    assert said("xy", [[NAN, 1.0], [1.0, NAN]], 0.0) == [
        "the pair of measures ranks the systems alike: the corrected tau is at least 0.9"
    ]
    assert said("xy", [[NAN, 0.1], [0.1, NAN]], 0.1)[0] == (
        f"the pair of measures ranks the systems differently: {below}"
    )
    similar = [[NAN, 0.95, 0.96], [0.95, NAN, 0.97], [0.96, 0.97, NAN]]
    assert said("xyz", similar, 0.01)[0] == (
        "all 3 pairs of measures rank the systems alike: the corrected tau is at least 0.9"
    )
    unknown = [[NAN, 0.1, NAN], [0.1, NAN, NAN], [NAN, NAN, NAN]]
    assert said("xyz", unknown, 0.1)[2] == "no corrected tau (—) of z: a ranking is too unreliable, or ties all systems"
    assert said("x", [[NAN]], 0.1) == []


def test_a_tree_of_other_measures_is_not_drawn() -> None:
    columns = ["merge", "one", "other", "distance", "measures"]
    assert forks(["a", "b"], table("similarity_tree", columns, [[1, "a", "z", 0.25, 2]])) == []


@pytest.mark.usefixtures("repository")
def test_measures_share_a_group_exactly_where_they_do_not_rank_differently(metaeval: CommandLine) -> None:
    found = metaeval.tables("similarity", "--config", "configs/stance.yaml", "--permutations", "499")
    groups = {row["measure"]: set(row["group"]) for row in found["similarity"]}
    pairs = {(row["measure"], row["other"]): row for row in found["similarity_intervals"]}
    assert len(pairs) == len([*combinations(groups, 2)])
    assert {row["relation"] for row in pairs.values()} == {"different", "same order", "undecided"}
    for (one, other), row in pairs.items():
        different = row["contested"] > 0 or row["ci_high"] < 0.9
        assert bool(groups[one] & groups[other]) == (not different), (one, other)
        assert (row["relation"] == "different") == different
        assert (row["relation"] == "same order") == (not different and row["ci_low"] >= 0.9)
