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


def test_groups_and_how_sure_they_are_are_named() -> None:
    tau = [[NAN, 0.95, 0.1], [0.95, NAN, 0.2], [0.1, 0.2, NAN]]
    (two,) = findings("xyz", corrected(tau, 0.1), ["A", "A", "B"], 0.9)
    assert two.sentence == (
        "the measures form 2 groups (A: x and y; B: z): the corrected tau is significantly below 0.9 in 2 and "
        "undecided in 1 of 3 pairs; the lowest corrected tau is that of x and z (0.10, 95 % interval 0.00 to 0.20)"
    )
    (one,) = findings("xyz", corrected(tau, 0.9), ["A", "A", "A"], 0.9)
    assert one.sentence.startswith(
        "no corrected tau is significantly below 0.9: the corrected tau is undecided in all 3 pairs; the lowest"
    )
    (same,) = findings("xy", corrected([[NAN, 1.0], [1.0, NAN]], 0.0), ["A", "A"], 0.9)
    assert same.sentence == "both measures rank the systems similarly: the corrected tau is at least 0.9 in the pair"
    similar = [[NAN, 0.95, 0.96], [0.95, NAN, 0.97], [0.96, 0.97, NAN]]
    (above,) = findings("xyz", corrected(similar, 0.01), ["A", "A", "A"], 0.9)
    assert above.sentence.startswith(
        "all 3 measures rank the systems similarly: the corrected tau is at least 0.9 in all"
    )
    assert findings("x", corrected([[NAN]], 0.1), ["—"], 0.9) == []


def test_a_tree_of_other_measures_is_not_drawn() -> None:
    columns = ["merge", "one", "other", "distance", "measures"]
    assert forks(["a", "b"], table("similarity_tree", columns, [[1, "a", "z", 0.25, 2]])) == []


@pytest.mark.usefixtures("repository")
def test_measures_share_a_group_exactly_where_their_interval_reaches_the_margin(metaeval: CommandLine) -> None:
    found = metaeval.report("similarity", "--config", "configs/stance.yaml", "--permutations", "499")["tables"]
    groups = {row["measure"]: set(row["group"]) for row in found["groups"]}
    pairs = {(row["measure"], row["other"]): row["ci_high"] for row in found["similarity_intervals"]}
    assert len(pairs) == len([*combinations(groups, 2)])
    assert {bool(groups[one] & groups[other]) for one, other in pairs} == {True, False}
    for (one, other), high in pairs.items():
        assert bool(groups[one] & groups[other]) == (high >= 0.9), (one, other)
