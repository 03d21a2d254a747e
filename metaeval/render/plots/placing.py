"""Labels where they cover neither marks nor each other."""

from __future__ import annotations

import math
from collections.abc import Sequence

from metaeval.render.plots.canvas import cells

Box = tuple[float, float, float, float]
"""Left, bottom, right, top, in inches."""

Side = tuple[str, int, int]
"""How a label stands beside its point: its alignment, whether it is moved right (1) or left (-1), up or down."""

CORNERS: tuple[Side, ...] = (("left", 1, 1), ("right", -1, 1), ("left", 1, -1), ("right", -1, -1))
"""For points with lines through them."""

SIDES: tuple[Side, ...] = (("left", 1, 0), ("right", -1, 0), ("center", 0, 1), ("center", 0, -1), *CORNERS)


def spread(places: Sequence[float], gap: float, low: float = -math.inf, high: float = math.inf) -> list[float]:
    """The places, moved as little as it takes to keep `gap` between any two and all between the limits.

    >>> spread([1.0, 1.1, 3.0], 0.5)
    [0.8, 1.3, 3.0]
    >>> spread([1.0, 1.0], 0.5, high=1.0)
    [0.5, 1.0]
    """
    order = sorted(range(len(places)), key=lambda index: places[index])
    blocks: list[tuple[float, int]] = []
    for rank, index in enumerate(order):
        total, count = places[index] - rank * gap, 1
        # Neighbours that collide move as one (pool adjacent violators).
        while blocks and blocks[-1][0] / blocks[-1][1] >= total / count:
            total, count = total + blocks[-1][0], count + blocks[-1][1]
            blocks.pop()
        blocks.append((total, count))
    highest = max(low, high - (len(places) - 1) * gap)
    moved = [min(max(total / count, low), highest) for total, count in blocks for _ in range(count)]
    found = [0.0] * len(places)
    for rank, index in enumerate(order):
        found[index] = round(moved[rank] + rank * gap, 9)
    return found


def around(
    points: Sequence[tuple[float, float]],
    texts: Sequence[str],
    size: float,
    room: tuple[float, float],
    sides: Sequence[Side] = SIDES,
) -> list[tuple[float, float, str] | None]:
    """For every point where its label begins and how it is aligned; None where there is no place for it.

    points: in inches. size: of letters, in points. room: the width and height of the plot, in inches. sides: where
    labels may stand, the best first.
    """
    marks: list[Box] = [(x - 0.06, y - 0.06, x + 0.06, y + 0.06) for x, y in points]
    taken: list[Box] = []
    found: list[tuple[float, float, str] | None] = []
    for number, ((x, y), text) in enumerate(zip(points, texts, strict=True)):
        width, height = cells(text) * 0.58 * size / 72, 1.1 * size / 72
        others = [*marks[:number], *marks[number + 1 :], *taken]
        found.append(None)
        for align, right, up in sides:
            at = (x + right * (0.075 if right and not up else 0.05), y + up * (0.6 * height + 0.04))
            left = at[0] - {"left": 0.0, "right": width, "center": width / 2}[align]
            box = (left, at[1] - height / 2, left + width, at[1] + height / 2)
            if _inside(box, room) and not any(_meet(box, other) for other in others):
                found[-1] = (*at, align)
                taken.append(box)
                break
    return found


def _inside(box: Box, room: tuple[float, float]) -> bool:
    return box[0] >= -0.05 and box[1] >= -0.05 and box[2] <= room[0] + 0.1 and box[3] <= room[1] + 0.05


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
