"""The plot of `merge-classes`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from metaeval.errors import pluralize
from metaeval.render.plots.canvas import Palette, number
from metaeval.render.plots.columns import Numbers, matrix, names_of, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.dotplot import Dots, draw_dots

if TYPE_CHECKING:
    from matplotlib.figure import Figure


MAX_DOTS = 12
"""Of more merges the plot shows the range."""


@plot("merge_classes", title="Rankings after classes are merged", needs=("merge_classes",))
def merge_classes(tables: Tables) -> Picture | None:
    """A row for each measure, with a dot for each merge and for their mean."""
    table = tables["merge_classes"]
    names, merges = texts(table, "measure"), names_of(table)[1:]
    if "mean" in merges:
        merges = merges[: merges.index("mean") + 1]
    values = matrix(table, merges)
    if np.isnan(values).all() or not names:
        return None
    intervals = _intervals(tables, names)
    nothing = np.full(len(names), np.nan)
    dots = [Dots(merge, column, *intervals.get(merge, (nothing, nothing)))
            for merge, column in zip(merges, values.T, strict=True)]  # fmt: skip
    means = dots[merges.index("mean")].values if "mean" in merges else nothing
    if len(dots) > MAX_DOTS:
        each = values[:, [place for place, merge in enumerate(merges) if merge != "mean"]]
        between = f"from the lowest to the highest of {each.shape[1]} merges"
        dots = [
            Dots(between, nothing, each.min(axis=1), each.max(axis=1)),
            *(one for one in dots if one.name == "mean"),
        ]

    def paint(palette: Palette, title: str) -> Figure:
        across = "tau-b before and after the merge (lower: the measure makes more use of the distinction)"
        return draw_dots(palette, title, names, dots, across)

    merged = len([merge for merge in merges if merge != "mean"])
    summary = ""
    if not np.isnan(means).all():
        least, most = int(np.nanargmin(means)), int(np.nanargmax(means))
        summary = (
            f" Lowest mean: {names[least]} ({number(means[least])}); highest: {names[most]} ({number(means[most])})."
        )
    alt = f"Dot plot of {pluralize(len(names), 'measure')}: tau-b of the rankings before and after "
    return Picture(f"{alt}{pluralize(merged, 'merge')} of classes.{summary}", paint)


def _intervals(tables: Tables, names: Sequence[str]) -> dict[str, tuple[Numbers, Numbers]]:
    """Lower and upper bounds of all measures by merge; NaN without an interval."""
    intervals: dict[str, tuple[Numbers, Numbers]] = {}
    if "merge_classes_intervals" in tables:
        table = tables["merge_classes_intervals"]
        bounds = matrix(table, names_of(table)[-2:]).tolist()
        for measure, merge, (low, high) in zip(texts(table, "measure"), texts(table, "merge"), bounds, strict=True):
            lows, highs = intervals.setdefault(merge, (np.full(len(names), np.nan), np.full(len(names), np.nan)))
            if measure in names:
                lows[names.index(measure)], highs[names.index(measure)] = low, high
    return intervals
