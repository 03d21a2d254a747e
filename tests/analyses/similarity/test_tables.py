"""Findings on groups and plots of trees agree with the tables."""

from itertools import combinations

import numpy as np
import pytest
from command_line import CommandLine
from render.plottable import table

from metaeval.analyses.similarity.compute import CorrectedSimilarity
from metaeval.analyses.similarity.report import findings, forks

NAN = np.nan


def corrected(tau: list[list[float]], half: float) -> CorrectedSimilarity:
    values = np.array(tau)
    return CorrectedSimilarity(values, values - half, values + half)


def test_how_many_pairs_differ_and_the_lowest_of_them_are_named() -> None:
    tau = [[NAN, 0.95, 0.1], [0.95, NAN, 0.2], [0.1, 0.2, NAN]]
    after = "after correction for unreliable rankings"
    below = f"tau is significantly below 0.9 {after}"

    def said(names: str, tau: list[list[float]], half: float) -> list[str]:
        return [each.sentence for each in findings(names, corrected(tau, half), 0.9)]

    assert said("xyz", tau, 0.1) == [
        f"2 of 3 pairs of measures rank the systems differently (1 undecided): {below}",
        "the lowest corrected tau is that of x and z (0.10, 95 % interval 0.00 to 0.20)",
    ]
    assert said("xyz", tau, 0.9)[0] == f"no {below}: undecided in all 3 pairs of measures"
    assert said("xy", [[NAN, 1.0], [1.0, NAN]], 0.0) == [
        f"the pair of measures ranks the systems alike: tau is at least 0.9 {after}"
    ]
    assert said("xy", [[NAN, 0.1], [0.1, NAN]], 0.1)[0] == (
        f"the pair of measures ranks the systems differently: {below}"
    )
    similar = [[NAN, 0.95, 0.96], [0.95, NAN, 0.97], [0.96, 0.97, NAN]]
    assert (
        said("xyz", similar, 0.01)[0] == f"all 3 pairs of measures rank the systems alike: tau is at least 0.9 {after}"
    )
    unknown = [[NAN, 0.1, NAN], [0.1, NAN, NAN], [NAN, NAN, NAN]]
    assert said("xyz", unknown, 0.1)[2] == "no corrected tau (—) of z: a ranking is too unreliable, or ties all systems"
    assert findings("x", corrected([[NAN]], 0.1), 0.9) == []


def test_a_tree_of_other_measures_is_not_drawn() -> None:
    columns = ["merge", "one", "other", "distance", "measures"]
    assert forks(["a", "b"], table("similarity_tree", columns, [[1, "a", "z", 0.25, 2]])) == []


@pytest.mark.usefixtures("repository")
def test_measures_share_a_group_exactly_where_their_interval_reaches_the_margin(metaeval: CommandLine) -> None:
    found = metaeval.report("similarity", "--config", "configs/stance.yaml", "--permutations", "499")["tables"]
    groups = {row["measure"]: set(row["group"]) for row in found["groups"]}
    assert {row["measure"]: set(row["group"]) for row in found["similarity"]} == groups
    pairs = {(row["measure"], row["other"]): row["ci_high"] for row in found["similarity_intervals"]}
    assert len(pairs) == len([*combinations(groups, 2)])
    assert {bool(groups[one] & groups[other]) for one, other in pairs} == {True, False}
    for (one, other), high in pairs.items():
        assert bool(groups[one] & groups[other]) == (high >= 0.9), (one, other)
