from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from metaeval.render.plots.canvas import place_labels, spread_labels

PLACES = st.lists(st.floats(-10, 10), min_size=1, max_size=12)


@given(PLACES, st.floats(0.01, 2))
def test_spread_keeps_the_gap_and_the_order(heights: list[float], gap: float) -> None:
    assert spread_labels([3.0, 1.0, 2.0], 0.5) == [3.0, 1.0, 2.0]
    moved = spread_labels(heights, gap)
    in_order = sorted(moved)
    assert all(after - before >= gap - 1e-6 for before, after in pairwise(in_order))
    assert all(moved[i] < moved[j] for i in range(len(heights)) for j in range(len(heights)) if heights[i] < heights[j])


def test_a_label_that_fits_nowhere_is_left_out() -> None:
    crowd = [(1 + 0.02 * x, 1 + 0.02 * y) for x in range(10) for y in range(10)]
    positions = place_labels(crowd, ["a rather long name"] * len(crowd), (3, 3))
    assert any(position is None for position in positions)
    assert any(position is not None for position in positions)


def test_labels_keep_apart() -> None:
    (first, second) = place_labels([(1.0, 1.0), (1.1, 1.0)], ["one", "two"], (3, 3))
    assert first is not None
    assert second is not None
    assert first != second
