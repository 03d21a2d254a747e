"""The plot of `summary`: the criteria against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metaeval.errors import join_all, pluralize
from metaeval.render.plots.canvas import SMALL, WIDTH, Palette, Sheet, labels, number
from metaeval.render.plots.columns import cells_of, has, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.placing import CORNERS, SIDES, name_points

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HEIGHT = 2.1


@plot("summary", title="Consistency against discrimination", needs=("summary",))
def summary(tables: Tables) -> Picture | None:
    """A point for each measure; better is further up and right, and Pareto-optimal points are filled."""
    table = tables["summary"]
    if not has(table, "consistency", "discrimination", "pareto"):
        return None
    names = texts(table, "measure")
    x, y = numbers(table, "consistency"), numbers(table, "discrimination")
    bounds = [numbers(table, f"{name}_{end}") for name in ("consistency", "discrimination") for end in ("low", "high")]
    pareto = np.array([cell is True for cell in cells_of(table, "pareto")], dtype=bool)
    shown = ~np.isnan(x) & ~np.isnan(y)
    if not shown.any():
        return None
    is_lower_better = (
        next(column for column in table.columns if column.name == "discrimination").higher_is_better is False
    )

    def paint(palette: Palette, title: str) -> Figure:
        wide = WIDTH - 0.7
        sheet = Sheet(palette, WIDTH, HEIGHT + 0.95, title)
        axes = sheet.axes(0.35, 0.38, wide, HEIGHT)
        sheet.grid(axes, "both")
        for point in np.flatnonzero(shown).tolist():
            colour, _, marker = palette.style(names[point], point)
            line: dict[str, Any] = {"color": colour, "alpha": 0.45, "linewidth": 0.8}
            axes.hlines(y[point], bounds[0][point], bounds[1][point], **line)
            axes.vlines(x[point], bounds[2][point], bounds[3][point], **line)
            face = colour if pareto[point] else palette.paper
            axes.plot(
                x[point], y[point], marker, markersize=6.5, markerfacecolor=face, markeredgecolor=colour, zorder=3
            )
        if is_lower_better:
            axes.invert_yaxis()
        drawn = [name for name, here in zip(labels(names), shown, strict=True) if here]
        name_points(sheet, axes, drawn, x[shown], y[shown], (wide, HEIGHT), SMALL, (*CORNERS, *SIDES))
        sheet.horizontal(axes, "consistency: mean tau-b between halves (higher is better)")
        direction = "lower is better, axis reversed" if is_lower_better else "higher is better"
        sheet.vertical(
            axes, f"discrimination: mean tau-b before and after merges ({direction}); filled: Pareto-optimal"
        )
        return sheet.figure

    best = [f"{name} ({number(a)}, {number(b)})" for name, a, b, one in zip(names, x, y, pareto, strict=True) if one]
    alt = f"Scatter plot of {pluralize(int(shown.sum()), 'measure')}, consistency against discrimination. "
    return Picture(f"{alt}Pareto-optimal: {join_all(best)}." if best else alt.rstrip(), paint)
