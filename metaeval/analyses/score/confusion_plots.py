"""What systems take for what."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from metaeval.errors import counted
from metaeval.render.plots.canvas import SMALL, Palette, Sheet, label, labels, listed, number
from metaeval.render.plots.columns import Numbers, distinct, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.heatmap import Heat

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_SYSTEMS = 20


MOST_CLASSES = 12


@plot("confusions", title="What systems take for what", needs=("confusions",))
def confusions(tables: Tables) -> Picture | None:
    """A small matrix for every system: the shares of each gold class that it gives each class."""
    table = tables["confusions"]
    systems, gold = _best_first(tables, distinct(texts(table, "system"))), distinct(texts(table, "gold"))
    classes = distinct([*gold, *texts(table, "predicted")])
    shown, kinds = systems[:MOST_SYSTEMS], classes[:MOST_CLASSES]
    shares = np.full((len(systems), len(classes), len(classes)), np.nan)
    places = [
        [place_of[name] for name in texts(table, column)]
        for place_of, column in (
            (_places(systems), "system"),
            (_places(classes), "gold"),
            (_places(classes), "predicted"),
        )
    ]
    shares[tuple(places)] = numbers(table, "share")
    if np.isnan(shares).all() or not systems:
        return None
    values = shares[: len(shown), : len(kinds), : len(kinds)]
    more = {"system": len(systems) - len(shown), "class": len(classes) - len(kinds)}
    plural = {"system": "more systems", "class": "more classes"}
    left_out = [counted(count, f"more {what}", plural[what]) for what, count in more.items() if count]
    found = [f"{number(100 * values[0, place, place], 0)} % of {name}" for place, name in enumerate(kinds)]
    alt = f"Confusion matrices of {counted(len(shown), 'system')}, rows gold, columns predicted, in per cent of gold; "
    alt += f"{shown[0]} finds {listed(found)}." + (f" Not shown: {listed(left_out)}." if left_out else "")

    def paint(palette: Palette, title: str) -> Figure:
        return _many(palette, title, values, shown, labels(kinds, 14), left_out)

    return Picture(alt, paint)


def _places(names: Sequence[str]) -> dict[str, int]:
    return {name: place for place, name in enumerate(names)}


def _best_first(tables: Tables, systems: Sequence[str]) -> list[str]:
    """The systems in the order of their scores, where there are scores."""
    ranked = texts(tables["scores"], "system") if "scores" in tables else []
    return [*(name for name in ranked if name in systems), *(name for name in systems if name not in ranked)]


def _many(
    palette: Palette,
    title: str,
    values: Numbers,
    systems: Sequence[str],
    classes: Sequence[str],
    left_out: Sequence[str],
) -> Figure:
    """The small matrices in rows of equal width, classes named at the left and below only."""
    what = "share of the items of a gold class (row) that are given a class (column), %"
    heats = [Heat(one, classes, classes, 0, 1, what, digits=0, factor=100) for one in values]
    (width, height), left = heats[0].size, heats[0].left
    wide = max(1, min(len(heats), int((7.2 - left) / (width + 0.35))))
    step = (max(width, 1.0) + 0.35, height + 0.38)
    high = math.ceil(len(heats) / wide)
    sheet = Sheet(palette, left + wide * step[0], 1 + high * step[1] + heats[0].below, title)
    heats[0].legend(sheet, left, 0.28)
    if left_out:
        sheet.write(left + 2, 0.48, f"not shown: {listed(left_out)}", size=SMALL, color=palette.muted)
    for place, (heat, system) in enumerate(zip(heats, systems, strict=True)):
        column, row = place % wide, place // wide
        # Names only at the edge, where no other matrix stands.
        below = place + wide >= len(heats)
        bare = Heat(heat.values, classes if column == 0 else [""] * len(classes),
                    classes if below else [""] * len(classes), 0, 1, what, digits=0, factor=100)  # fmt: skip
        top = 0.82 + row * step[1]
        sheet.write(
            left + column * step[0],
            top - 0.06,
            label(system, int((step[0] - 0.05) / (0.7 * SMALL / 72))),
            size=SMALL,
            weight="bold",
        )
        bare.draw(sheet, left + column * step[0], top)
    return sheet.figure
