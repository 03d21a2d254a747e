import numpy as np
import pytest

from metaeval.model.scores import Direction, ScoreCube


def cube() -> ScoreCube:
    """Two replicates, of accuracy and error, of three systems; one score is undefined."""
    values = np.array([[[0.9, 0.5, 0.1], [0.2, 0.4, np.nan]], [[0.8, 0.6, 0.2], [0.1, 0.3, 0.7]]])
    directions = (Direction.HIGHER, Direction.LOWER)
    return ScoreCube(values, ("replicate",), ("accuracy", "mae"), ("a", "b", "c"), directions)


def test_oriented_scores_are_higher_where_better() -> None:
    oriented = cube().oriented()
    np.testing.assert_array_equal(oriented.values[:, 0], cube().values[:, 0])
    np.testing.assert_array_equal(oriented.values[:, 1], -cube().values[:, 1])
    assert oriented.directions == (Direction.HIGHER, Direction.HIGHER)
    assert (oriented.axes, oriented.measures, oriented.systems) == (cube().axes, cube().measures, cube().systems)
    original = cube()
    original.oriented()
    np.testing.assert_array_equal(original.values, cube().values)


def test_undefined_scores_are_counted_by_measure() -> None:
    np.testing.assert_array_equal(cube().undefined, [0, 1])


@pytest.mark.parametrize(
    ("shape", "axes"),
    [((2, 3), ("replicate",)), ((5, 2, 3), ()), ((3, 2), ()), ((2, 2, 3), ("replicate", "half"))],
)
def test_values_that_do_not_fit_the_names_are_refused(shape: tuple[int, ...], axes: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="do not fit"):
        ScoreCube(np.zeros(shape), axes, ("accuracy", "mae"), ("a", "b", "c"), cube().directions)


def test_every_measure_has_a_direction() -> None:
    with pytest.raises(ValueError, match="1 directions for 2 measures"):
        ScoreCube(np.zeros((2, 3)), (), ("accuracy", "mae"), ("a", "b", "c"), (Direction.HIGHER,))
