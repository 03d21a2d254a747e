"""What `robustness` says of its counts."""

import numpy as np

from metaeval.analyses.robustness.tables import findings


def test_the_measure_that_is_gamed_most_is_named_and_those_that_are_not() -> None:
    (gamed,) = findings("xy", ("majority", "chance"), np.array([[0, 0], [1, 2]]), systems=3)
    assert gamed.sentence == "under y chance beats 2 of 3 real systems; not gamed by any: x"
    (none,) = findings("xy", ("majority",), np.array([[0], [0]]), systems=3)
    assert none.sentence == "no trivial system beats any real one under any measure"
