"""Positions of labels that overlap neither marks nor each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metaeval.render.plots.canvas import cells

Box = tuple[float, float, float, float]
"""Left, bottom, right, top, in inches."""

Side = tuple[str, int, int]
"""The position of a label relative to its point: alignment, shift right (1) or left (-1), shift up or down."""

CORNERS: tuple[Side, ...] = (("left", 1, 1), ("right", -1, 1), ("left", 1, -1), ("right", -1, -1))
"""For points with lines through them."""

SIDES: tuple[Side, ...] = (("left", 1, 0), ("right", -1, 0), ("center", 0, 1), ("center", 0, -1), *CORNERS)


def spread_labels(heights: Sequence[float], gap: float) -> list[float]:
    """The positions, moved as little as possible so that they are `gap` apart.

    >>> spread_labels([1.0, 1.1, 3.0], 0.5)
    [0.8, 1.3, 3.0]
    """
    from scipy.optimize import isotonic_regression

    order, offsets = np.argsort(heights, kind="stable"), gap * np.arange(len(heights))
    # Overlapping neighbours move together to the mean of their shifts.
    shifted = isotonic_regression(np.asarray(heights, dtype=np.float64)[order] - offsets).x
    positions = np.empty(len(heights))
    positions[order] = shifted + offsets
    rounded: list[float] = positions.round(9).tolist()
    return rounded


def place_labels(
    points: Sequence[tuple[float, float]],
    texts: Sequence[str],
    size: float,
    room: tuple[float, float],
    sides: Sequence[Side] = SIDES,
) -> list[tuple[float, float, str] | None]:
    """The position and alignment of the label of each point; None if there is no free position.

    points: in inches. size: of the font, in points. room: width and height of the plot, in inches. sides: possible
    positions, the best first.
    """
    marks: list[Box] = [(x - 0.06, y - 0.06, x + 0.06, y + 0.06) for x, y in points]
    taken: list[Box] = []
    placed: list[tuple[float, float, str] | None] = []
    for number, ((x, y), text) in enumerate(zip(points, texts, strict=True)):
        width, height = cells(text) * 0.58 * size / 72, 1.1 * size / 72
        others = [*marks[:number], *marks[number + 1 :], *taken]
        placed.append(None)
        for align, right, up in sides:
            at = (x + right * (0.075 if right and not up else 0.05), y + up * (0.6 * height + 0.04))
            left = at[0] - {"left": 0.0, "right": width, "center": width / 2}[align]
            box = (left, at[1] - height / 2, left + width, at[1] + height / 2)
            if _inside(box, room) and not any(_overlap(box, other) for other in others):
                placed[-1] = (*at, align)
                taken.append(box)
                break
    return placed


def _inside(box: Box, room: tuple[float, float]) -> bool:
    return box[0] >= -0.05 and box[1] >= -0.05 and box[2] <= room[0] + 0.1 and box[3] <= room[1] + 0.05


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
