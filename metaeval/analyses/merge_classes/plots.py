"""The plot of `merge-classes`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metaeval.analyses.sentences import Numbers
from metaeval.errors import pluralize
from metaeval.render.plots.canvas import number
from metaeval.render.plots.columns import extremes, matrix, names_of, rows_by, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.dots import DotPlot, Panel, Series, dot_series

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
    series = {merge: Series(values[:, index], *intervals.get(merge, ())) for index, merge in enumerate(merges)}
    single = [index for index, merge in enumerate(merges) if merge != "mean"]
    summary = ""
    if "mean" in series and not np.isnan(series["mean"].values).all():
        means = series["mean"].values
        (low,), (high,) = extremes(means)
        summary = f" Lowest mean: {names[low]} ({number(means[low])}); highest: {names[high]} ({number(means[high])})."
    if len(series) > MAX_DOTS:
        nothing, each = np.full(len(names), np.nan), values[:, single]
        between = f"from the lowest to the highest of {len(single)} merges"
        series = {between: Series(nothing, each.min(axis=1), each.max(axis=1)), "mean": series["mean"]}
    panel = Panel(rows=names, series=dot_series(series))
    across = "tau-b before and after the merge (lower: the measure makes more use of the distinction)"
    alt = f"Dot plot of {pluralize(len(names), 'measure')}: tau-b of the rankings before and after "
    alt += f"{pluralize(len(single), 'merge')} of classes.{summary}"
    return Picture(alt, DotPlot(panels=[panel], across=across).draw)


def _intervals(tables: Tables, names: Sequence[str]) -> dict[str, tuple[Numbers, Numbers]]:
    """Lower and upper bounds of all measures by merge; NaN without an interval."""
    intervals: dict[str, tuple[Numbers, Numbers]] = {}
    table = tables.get("merge_classes_intervals")
    if table is not None:
        bounds, measures = matrix(table, names_of(table)[-2:]), texts(table, "measure")
        for (merge,), rows in rows_by(table, "merge").items():
            ends = np.full((2, len(names)), np.nan)
            for row in rows:
                if measures[row] in names:
                    ends[:, names.index(measures[row])] = bounds[row]
            intervals[merge] = (ends[0], ends[1])
    return intervals
