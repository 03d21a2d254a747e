from render.plottable import table

from metaeval.analyses.similarity.report import Merge, forks

COLUMNS = ["merge", "one", "other", "distance", "measures"]


def test_a_fork_stands_in_the_middle_of_its_branches() -> None:
    tree = table("similarity_tree", COLUMNS, [[1, "b", "c", 0.25, 2], [2, "a", "(1)", 0.5, 3]])
    assert forks(["a", "b", "c"], tree) == [Merge((0.0, 1.0), (0.0, 2.0), 0.25), Merge((0.0, 0.0), (0.25, 1.5), 0.5)]


def test_a_tree_of_other_measures_is_not_drawn() -> None:
    assert forks(["a", "b"], table("similarity_tree", COLUMNS, [[1, "a", "z", 0.25, 2]])) == []
