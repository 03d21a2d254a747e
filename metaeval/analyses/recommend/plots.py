"""The plot of `recommend`: the reliability of each measure, with the verdict on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metaeval.errors import join_all
from metaeval.model.report import Table
from metaeval.render.plots.canvas import APART, WIDTH, Palette, Sheet, labels, number, pitch, row_size, width_of
from metaeval.render.plots.columns import cells_of, distinct, has, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LONGEST = 56
"""Width of the verdicts in narrow characters."""


@plot("recommend", title="Reliability of each measure, and the verdict", needs=("recommend",))
def recommend(tables: Tables) -> Picture | None:
    """A row for each measure: its reliability with the 95 % interval, and what the verdict says about it, and why."""
    table = tables["recommend"]
    names, places, values = texts(table, "measure"), texts(table, "verdict"), numbers(table, "reliability")
    low, high = numbers(table, "ci_low"), numbers(table, "ci_high")
    if np.isnan(values).all():
        return None
    verdicts = _verdicts(table)

    def paint(palette: Palette, title: str) -> Figure:
        rows, size = len(names), row_size(len(names))
        ends = labels([f"{number(value)}{APART}{text}" for value, text in zip(values, verdicts, strict=True)], LONGEST)
        left, right = width_of(labels(names), size) + 0.15, width_of(ends, size) + 0.15
        sheet = Sheet(palette, WIDTH, pitch(rows) * rows + 0.65, title)
        axes = sheet.axes(left, 0.12, WIDTH - left - right, pitch(rows) * rows)
        sheet.grid(axes, "x")
        sheet.name_rows(axes, labels(names), size)
        step = sheet.label_step(axes, rows)
        for row, (name, place) in enumerate(zip(names, places, strict=True)):
            colour, look = _mark(palette, name, place, row)
            axes.hlines(row, low[row], high[row], color=colour, linewidth=1.2)
            axes.plot(values[row], row, linestyle="none", clip_on=False, zorder=3, **look)
            if row and place != places[row - 1]:
                axes.axhline(row - 0.5, color=palette.muted, linewidth=0.6)
            if row % step == 0:
                text = {"size": size, "transform": sheet.right_of(axes), "va": "center_baseline"}
                sheet.annotate(axes, 0, row, ends[row], weight="bold" if place == "named" else "normal", **text)
        sheet.horizontal(axes, "reliability: expected tau between random halves, with the 95 % interval")
        return sheet.figure

    spans = [
        f"{name} {number(value)} ({number(one)} to {number(other)})"
        for name, value, one, other in zip(names, values, low, high, strict=True)
    ]
    groups = [
        f"{place}: {join_all([each for each, here in zip(spans, places, strict=True) if here == place])}"
        for place in distinct(places)
    ]
    return Picture(f"{table.title}. Reliability (95 % interval) of the measures; {'; '.join(groups)}.", paint)


def _verdicts(table: Table) -> list[str]:
    """What the verdict says about each measure, and why."""
    roles = texts(table, "role") if has(table, "role") else [""] * len(table.rows)
    return [
        f"{place}{f', {role}' if role else ''}{f': {reason}' if reason else ''}"
        for place, role, reason in zip(texts(table, "verdict"), roles, cells_of(table, "reason"), strict=True)
    ]


def _mark(palette: Palette, name: str, place: str, row: int) -> tuple[str, dict[str, Any]]:
    """The colour and the marker of a measure: filled if named or similar, hollow if different, a cross if excluded."""
    if place == "excluded":
        return palette.muted, {"marker": "x", "color": palette.muted, "markersize": 5}
    colour, _, marker = palette.style(name, row)
    face = palette.paper if place == "different" else colour
    size = 7 if place in {"named", "first"} else 5
    return colour, {"marker": marker, "markersize": size, "markerfacecolor": face, "markeredgecolor": colour}
