"""The tree of measures agrees with their groups, and findings agree with the tables."""

from collections import defaultdict
from pathlib import Path

import numpy as np

from metaeval.analyses.similarity.compute import group_measures
from metaeval.analyses.similarity.tables import findings
from metaeval.config import read_config
from metaeval.runner.one import run_named

REPOSITORY = Path(__file__).resolve().parents[3]


def test_the_tree_cut_anywhere_makes_the_groups_of_that_cut() -> None:
    report = run_named("similarity", read_config(str(REPOSITORY / "configs/stance.yaml")))
    matrix = report.to_pandas("similarity").set_index("measure")
    assert list(matrix.index) == list(matrix.columns)
    for cut in (0.05, 0.1, 0.2, 0.4, 0.6):
        members = {name: frozenset([name]) for name in matrix.index}
        for row in report.table("similarity_tree").records():
            if not isinstance(row["distance"], float) or row["distance"] > cut:
                break
            joined = members.pop(row["one"]) | members.pop(row["other"])
            assert len(joined) == row["measures"]
            members[f"({row['merge']})"] = joined
        expected: dict[str, set[str]] = defaultdict(set)
        for name, letter in zip(matrix.index, group_measures(matrix.to_numpy(), cut=cut).letters, strict=True):
            expected[letter].add(name)
        assert set(members.values()) == {frozenset(group) for group in expected.values()}


def test_groups_and_the_pair_least_alike_are_named() -> None:
    similarity = np.array([[1.0, 0.9, 0.1], [0.9, 1.0, 0.2], [0.1, 0.2, 1.0]])
    (two,) = findings("xyz", similarity, group_measures(similarity, cut=0.5), "pearson")
    assert two.sentence.startswith("the measures form 2 groups of similar rankings (A: ")
    assert two.sentence.endswith("; x and z are the least similar (pearson 0.10)")
    (one,) = findings("xyz", similarity, group_measures(similarity, cut=2), "pearson")
    assert (
        one.sentence
        == "all 3 measures form one group of similar rankings; x and z are the least similar (pearson 0.10)"
    )
    alone = np.array([[1.0]])
    assert findings("x", alone, group_measures(alone), "pearson") == []
