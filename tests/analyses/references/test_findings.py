"""What `references` says of rankings."""

import numpy as np

from metaeval.analyses.references.tables import findings


def test_the_measures_whose_rankings_need_references_most_and_least_are_named() -> None:
    (fewer,) = findings((1, 2, 3), np.array([[0.5, 0.75, 1.0], [0.25, 0.5, 1.0]]), "xy")
    assert fewer.sentence.endswith("by tau 0.25 (y) to 0.50 (x) on average")
    assert findings((1,), np.array([[1.0]]), "x") == []
