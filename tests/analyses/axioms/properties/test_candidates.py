"""A confusion matrix is scored once, however many cases it is in; counter-examples show that it has its own score."""

from metaeval.analyses.axioms.properties import PROPERTIES
from metaeval.analyses.axioms.properties.search import Search, candidates_of
from metaeval.stats.resample import seed_for


def test_matrices_stand_once_in_order_however_many_items_they_have() -> None:
    matrices = candidates_of([*PROPERTIES.values()], Search(4, 40, seed_for(5, "test"))).matrices
    cells = [tuple(matrix.ravel().tolist()) for matrix in matrices]
    assert cells == sorted(set(cells))
    assert matrices.max() > 255
