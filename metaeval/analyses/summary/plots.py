"""The plot of `summary`: the criteria against each other."""

from __future__ import annotations

import numpy as np

from metaeval.errors import join_all, pluralize
from metaeval.render.plots.canvas import Look, number
from metaeval.render.plots.columns import cells_of, has, names_of, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.scatter import Points, ScatterPlot


@plot("summary", title="Consistency against discrimination", needs=("summary",))
def summary(tables: Tables) -> Picture | None:
    """A point for each measure; better is further up and right, and Pareto-optimal points are filled."""
    table = tables["summary"]
    if not has(table, "consistency", "discrimination", "pareto"):
        return None
    names, pareto = texts(table, "measure"), [cell is True for cell in cells_of(table, "pareto")]
    x, x_low, x_high = (numbers(table, f"consistency{end}") for end in ("", "_low", "_high"))
    y, y_low, y_high = (numbers(table, f"discrimination{end}") for end in ("", "_low", "_high"))
    shown = np.flatnonzero(~np.isnan(x) & ~np.isnan(y)).tolist()
    if not shown:
        return None
    points = Points(
        names=[names[row] for row in shown],
        x=x[shown],
        y=y[shown],
        x_ends=np.array([x_low, x_high])[:, shown],
        y_ends=np.array([y_low, y_high])[:, shown],
        look=[Look(filled=pareto[row], size=6.5) for row in shown],
    )
    is_lower_better = table.columns[names_of(table).index("discrimination")].higher_is_better is False
    direction = "lower is better, axis reversed" if is_lower_better else "higher is better"
    form = ScatterPlot(
        panels=[points],
        across="consistency: mean tau-b between halves (higher is better)",
        up=f"discrimination: mean tau-b before and after merges ({direction}); filled: Pareto-optimal",
        is_reversed=is_lower_better,
    )
    best = [f"{names[row]} ({number(x[row])}, {number(y[row])})" for row in shown if pareto[row]]
    alt = f"Scatter plot of {pluralize(len(shown), 'measure')}, consistency against discrimination."
    return Picture(f"{alt} Pareto-optimal: {join_all(best)}." if best else alt, form.draw)
