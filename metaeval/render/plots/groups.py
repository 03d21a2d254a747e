"""Small multiples: the main statistics in each group of items, side by side with the same axes or colours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from metaeval import registry
from metaeval.model.report import BY_GROUP, GROUP, OVER_GROUPS, Kind, Report, Table
from metaeval.render.plots.canvas import Look, label, limits, number
from metaeval.render.plots.columns import distinct, extremes, has, matrix, rows_by, texts
from metaeval.render.plots.declaration import Picture
from metaeval.render.plots.dots import DotPlot, Panel, Series
from metaeval.render.plots.matrix import Heat, colour_limits, draw_heats
from metaeval.render.plots.writing import Drawing

MAX_ROWS, MAX_PANELS = 40, 60
"""Numbers of rows and of panels above which small multiples cannot be read."""


def plots_by_group(report: Report) -> Iterator[Drawing]:
    """A plot of the main statistic of each analysis, with a panel for each group."""
    tables = {table.name: table for table in report.tables}
    for analysis in map(registry.declaration, registry.ANALYSES):
        statistic = analysis.statistic
        name = "" if statistic is None else statistic.table or next((it for it in analysis.tables if it in tables), "")
        if name not in tables or len(tables[name].rows) < 2:
            continue
        table, over = tables[name], tables.get(f"{name}{OVER_GROUPS}")
        group_table, picture = tables.get(f"{name}{BY_GROUP}", table), None
        if statistic.column:
            keys = list(statistic.keys) or ["measure"]
            if over is not None:
                keys = [column.name for column in over.columns if column.kind is Kind.TEXT]
            interval = statistic.interval if has(table, *statistic.interval) else ()
            picture = _dots(table, statistic.plot_column or statistic.column, interval, keys)
        elif over is not None:
            picture = _heats(table, over, by_column=statistic.ranked)
        if picture is not None:
            measures = tuple(distinct(texts(table, "measure"))) if has(table, "measure") else ()
            title = group_table.title
            alt = label(picture.alt, 10_000)
            yield Drawing(f"{name}-by-group", group_table.name, title, alt, picture, measures=measures)


def _dots(table: Table, column: str, ends: Sequence[str], keys: Sequence[str]) -> Picture | None:
    """Dots with intervals, a row for each value of the first key, in a panel for each group and other keys."""
    first = keys[0]
    cells = matrix(table, [column, *ends])
    rows, *others = [key for key in keys if len(set(texts(table, key))) > 1] or [first]
    row_names = texts(table, rows)
    groups, names = distinct(texts(table, GROUP.name)), distinct(row_names)
    if rows == first:
        sums = {name: np.nansum(cells[indices, 0]) for (name,), indices in rows_by(table, rows).items()}
        names.sort(key=lambda name: -sums[name])
    by_panel = rows_by(table, *others, GROUP.name)
    blocks = list(dict.fromkeys(key[:-1] for key in by_panel))
    if np.isnan(cells[:, 0]).all() or len(names) > MAX_ROWS or len(blocks) * len(groups) > MAX_PANELS:
        return None
    panels, best = [], []
    for rest in blocks:
        for group in groups:
            values = np.full((len(names), cells.shape[1]), np.nan)
            for row in by_panel.get((*rest, group), ()):
                values[names.index(row_names[row])] = cells[row]
            panel = Panel(
                rows=names,
                series=[Series(*values.T, look=Look(size=4.5))],
                title=group,
                heading=" · ".join(rest) if group == groups[0] else "",
                limits=limits(cells, margin=0.05),
            )
            panels.append(panel)
            if not np.isnan(values[:, 0]).all():
                highest = int(np.nanargmax(values[:, 0]))
                where = " · ".join((group, *rest))
                best.append(f"{where}: {names[highest]} {number(float(values[highest, 0]))}")
    across = f"{column}, from {ends[0]} to {ends[1]}" if ends else column
    alt = f"Dots of {column}, a panel for each group and a row for each {rows}. Highest in {'; '.join(best)}."
    return Picture(alt, DotPlot(panels=panels, across=across).draw)


def _heats(table: Table, over: Table, *, by_column: bool) -> Picture | None:
    """A heat map for each group; by_column: whether each column has a range of colours for all groups."""
    columns = [column for column in over.columns if column.kind is not Kind.TEXT]
    names = [column.name for column in columns]
    cells, groups = matrix(table, names), texts(table, GROUP.name)
    keys = zip(*(texts(table, column.name) for column in over.columns if column.kind is Kind.TEXT), strict=True)
    row_names = [" · ".join(key) for key in keys]
    rows = distinct(row_names)
    if np.isnan(cells).all() or len(rows) > MAX_ROWS or len(set(groups)) > MAX_PANELS:
        return None
    values = {group: np.full((len(rows), len(names)), np.nan) for group in groups}
    for group, name, row in zip(groups, row_names, cells, strict=True):
        values[group][rows.index(name)] = row
    scale = (0.0, 1.0) if by_column else colour_limits(cells)
    low, high = (end(cells, axis=0) for end in (np.nanmin, np.nanmax)) if by_column else scale
    heats = {
        group: Heat(
            rows=rows,
            columns=names,
            values=group_values,
            limits=scale,
            what="from the lowest to the highest value of each column" if by_column else "value",
            digits=0 if all(column.kind is Kind.COUNT for column in table.columns if column.name in names) else 2,
            shades=(group_values - low) / np.where(high > low, high - low, 1.0),
        )
        for group, group_values in values.items()
    }
    ends = []
    for row, column in extremes(cells):
        ends.append(f"{groups[row]}, {row_names[row]}, {names[column]} ({number(cells[row, column])})")
    alt = f"A heat map of {len(rows)} rows and {len(names)} columns for each of {len(values)} groups."
    alt += f" Lowest: {ends[0]}; highest: {ends[1]}."
    return Picture(alt, lambda palette, title: draw_heats(palette, title, heats))
