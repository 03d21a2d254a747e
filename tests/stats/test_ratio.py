import numpy as np

from metaeval.stats.ratio import divide


def test_a_quotient_is_undefined_only_where_the_denominator_is_0_or_nan() -> None:
    np.testing.assert_array_equal(divide([1, 0, 0, -3], [2, 0, 4, 0]), [0.5, np.nan, 0.0, np.nan])
    np.testing.assert_array_equal(divide([1, 2], [0, 4], undefined=0.0), [0.0, 0.5])
    np.testing.assert_array_equal(divide([np.nan, 1.0], [1.0, np.nan]), [np.nan, np.nan])
    with np.errstate(all="raise"):
        for numerator in (0.0, 1.0, np.nan, np.inf):
            divide(numerator, [0, np.nan])


def test_arguments_broadcast_and_have_full_precision() -> None:
    np.testing.assert_array_equal(divide([[1], [2]], [1, 0]), [[1.0, np.nan], [2.0, np.nan]])
    np.testing.assert_array_equal(divide(np.ones((2, 0)), 0), np.ones((2, 0)))
    quotient = divide(1, 0)
    assert isinstance(quotient, np.ndarray)
    assert quotient.shape == ()
    assert divide(np.int32(1), np.int32(3)) == 1 / 3
    assert divide(np.ones(1, dtype=np.float32), np.full(1, 3, dtype=np.float32)).dtype == np.float64
