from render.plottable import table

from metaeval.analyses.similarity.report import forks

COLUMNS = ["merge", "one", "other", "distance", "measures"]


def test_a_tree_of_other_measures_is_not_drawn() -> None:
    assert forks(["a", "b"], table("similarity_tree", COLUMNS, [[1, "a", "z", 0.25, 2]])) == []
