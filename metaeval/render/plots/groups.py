"""Heat maps of the main statistics by group of items, all with the same colours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from metaeval.model.grouped import BY_GROUP, OVER_GROUPS
from metaeval.model.report import Kind, Report, Table
from metaeval.render.plots.canvas import Palette, label, number
from metaeval.render.plots.columns import matrix, texts
from metaeval.render.plots.declaration import Picture
from metaeval.render.plots.heatmap import Heat
from metaeval.render.plots.writing import Drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_ROWS = 80
"""Number of rows above which a heat map cannot be read."""


def plots_by_group(report: Report) -> Iterator[Drawing]:
    """A plot for each table of a statistic by group: a row for each group, or for each system or measure in it."""
    tables = {table.name: table for table in report.all_tables()}
    for name in (each.removesuffix(OVER_GROUPS) for each in tables if each.endswith(OVER_GROUPS)):
        table = tables.get(f"{name}{BY_GROUP}") or tables.get(name)
        picture = _heat(table, tables[f"{name}{OVER_GROUPS}"]) if table is not None else None
        if table is not None and picture is not None:
            yield Drawing(f"{name}-by-group", table.name, table.title, label(picture.alt, 10_000), picture)


def _heat(table: Table, over: Table) -> Picture | None:
    heads = [column.name for column in table.columns if column.kind is Kind.TEXT]
    # A table with a row for each group has a column for each measure; another one has those that are averaged.
    averaged = {column.name for column in (table if table.name.endswith(BY_GROUP) else over).columns}
    names = [each.name for each in table.columns if each.kind is not Kind.TEXT and each.name in averaged]
    values = matrix(table, names)
    if np.isnan(values).all() or not 1 < len(table.rows) <= MAX_ROWS:
        return None
    keys = [head for head in heads if len(set(texts(table, head))) > 1] or heads[:1]
    rows = [" · ".join(cells) for cells in zip(*(texts(table, key) for key in keys), strict=True)]
    low, high = float(np.nanmin(values)), float(np.nanmax(values))

    def paint(palette: Palette, title: str) -> Figure:
        return Heat(values, rows, names, low, high, "value").alone(palette, title)

    ends = [divmod(int(place), len(names)) for place in (np.nanargmin(values), np.nanargmax(values))]
    where = [f"{rows[row]}, {names[column]} ({number(values[row, column])})" for row, column in ends]
    alt = f"Heat map of {len(rows)} rows and {len(names)} columns. Lowest: {where[0]}; highest: {where[1]}."
    return Picture(alt, paint)
