"""Small multiples: the main statistics in each group of items, side by side with the same axes or colours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from metaeval import registry
from metaeval.model.grouped import BY_GROUP, GROUP, OVER_GROUPS
from metaeval.model.report import Kind, Report, Table
from metaeval.render.plots.canvas import SMALL, WIDTH, Palette, Sheet, label, labels, number, pitch, row_size, width_of
from metaeval.render.plots.columns import Numbers, distinct, has, matrix, names_of, texts
from metaeval.render.plots.declaration import Picture
from metaeval.render.plots.heatmap import Heat
from metaeval.render.plots.writing import Drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Panel = TypeVar("Panel")

MAX_ROWS, MAX_PANELS = 40, 60
"""Numbers of rows and of panels above which small multiples cannot be read."""

GAP, LEAST, MOST, LETTER = 0.25, 1.6, 3.2, 0.066
"""The space between panels, the smallest and largest width of a panel of dots, and the width of a letter, in inches."""

ENDS = (("low", "high"), ("ci_low", "ci_high"))
"""The columns of intervals."""


def plots_by_group(report: Report) -> Iterator[Drawing]:
    """A plot of the main statistic of each analysis, with a panel for each group."""
    tables = {table.name: table for table in report.tables}
    for analysis in map(registry.declaration, registry.ANALYSES):
        statistic = analysis.statistic
        name = "" if statistic is None else statistic.table or next((it for it in analysis.tables if it in tables), "")
        if name not in tables or len(tables[name].rows) < 2:
            continue
        table, over = tables[name], tables.get(f"{name}{OVER_GROUPS}")
        shown, picture = tables.get(f"{name}{BY_GROUP}", table), None
        if statistic.column:
            heads = [each.name for each in over.columns if each.kind is Kind.TEXT] if over is not None else ["measure"]
            picture = _dots(table, statistic.column, heads)
        elif over is not None:
            picture = _heats(table, over, own=statistic.ranked)
        if picture is not None:
            measures = tuple(distinct(texts(table, "measure"))) if has(table, "measure") else ()
            title = shown.title.removesuffix(" (rank)")
            yield Drawing(f"{name}-by-group", shown.name, title, label(picture.alt, 10_000), picture, measures)


def _dots(table: Table, column: str, keys: Sequence[str]) -> Picture | None:
    """A panel for each group, and for each other key of its rows: dots with intervals, a row for each measure."""
    columns, first = names_of(table), keys[0]
    keys = [key for key in keys if len(set(texts(table, key))) > 1] or [first]
    # The verdicts of `recommend` are texts: the statistic behind them has the interval.
    is_text = table.columns[columns.index(column)].kind is Kind.TEXT
    column = columns[columns.index("ci_low") - 1] if is_text else column
    ends = next(([*pair] for pair in ENDS if has(table, *pair)), [column, column])
    cells = matrix(table, [column, *ends])
    groups, rows = distinct(texts(table, GROUP.name)), texts(table, keys[0])
    others = list(zip(*(texts(table, key) for key in (GROUP.name, *keys[1:])), strict=True))
    names = distinct(rows)
    if keys[0] == first:
        sums = {name: np.nan_to_num(cells[np.array(rows) == name, 0]).sum() for name in names}
        names.sort(key=lambda name: -sums[name])
    blocks = [[(group, *rest) for group in groups] for rest in dict.fromkeys(other[1:] for other in others)]
    if np.isnan(cells[:, 0]).all() or len(names) > MAX_ROWS or len(blocks) * len(groups) > MAX_PANELS:
        return None
    values = {other: np.full((len(names), 3), np.nan) for block in blocks for other in block}
    for other, name, row in zip(others, rows, cells, strict=True):
        values[other][names.index(name)] = row
    low, high = float(np.nanmin(cells)), float(np.nanmax(cells))
    aside = 0.05 * (high - low) or 0.05

    def paint(palette: Palette, title: str) -> Figure:
        size, tall = row_size(len(names)), pitch(len(names)) * len(names)
        left = width_of(labels(names), size) + 0.15
        across = max(1, min(len(groups), int((WIDTH - left) / (LEAST + GAP))))
        wide, lines = min((WIDTH - left) / across - GAP, MOST), _lines(blocks, across)
        sheet = Sheet(palette, left + across * (wide + GAP), 0.2 + len(lines) * (tall + 0.55) + 0.2, title)
        for line, panels in enumerate(lines):
            for place, panel in enumerate(panels):
                x, top = left + place * (wide + GAP), 0.2 + line * (tall + 0.55)
                axes = sheet.axes(x, top, wide, tall)
                sheet.write(x, top - 0.06, label(" · ".join(panel), int(wide / LETTER)), size=SMALL, weight="bold")
                sheet.grid(axes, "x")
                sheet.name_rows(axes, labels(names) if place == 0 else [""] * len(names), size)
                for row, (value, least, most) in enumerate(values[panel]):
                    colour, _, marker = palette.style(names[row], row)
                    axes.hlines(row, least, most, color=colour, linewidth=1.2)
                    axes.plot(value, row, marker, color=colour, markersize=4.5, clip_on=False)
                axes.set_xlim(low - aside, high + aside)
                axes.locator_params(axis="x", nbins=4)
                if line == len(lines) - 1 and place == 0:
                    sheet.horizontal(axes, column + (f", from {ends[0]} to {ends[1]}" if ends[0] != column else ""))
        return sheet.figure

    best = [f"{' · '.join(panel)}: {names[int(np.nanargmax(own[:, 0]))]} {number(float(np.nanmax(own[:, 0])))}"
            for panel, own in values.items() if not np.isnan(own[:, 0]).all()]  # fmt: skip
    alt = f"Dots of {column}, a panel for each group and a row for each measure. Highest in {'; '.join(best)}."
    return Picture(alt, paint)


def _heats(table: Table, over: Table, *, own: bool) -> Picture | None:
    """A heat map for each group; own: whether each column has its own range of colours, the same in all groups."""
    names = [each.name for each in over.columns if each.kind is not Kind.TEXT]
    keys = [each.name for each in over.columns if each.kind is Kind.TEXT]
    cells, groups = matrix(table, names), texts(table, GROUP.name)
    row_of = [" · ".join(row) for row in zip(*(texts(table, key) for key in keys), strict=True)]
    rows = distinct(row_of)
    if np.isnan(cells).all() or len(rows) > MAX_ROWS or len(set(groups)) > MAX_PANELS:
        return None
    values = {group: np.full((len(rows), len(names)), np.nan) for group in groups}
    for group, name, row in zip(groups, row_of, cells, strict=True):
        values[group][rows.index(name)] = row
    low, high = (end(cells, axis=0) if own else end(cells) for end in (np.nanmin, np.nanmax))
    what = "from the lowest to the highest value of each column" if own else "value"

    def heat(values: Numbers, rows: Sequence[str]) -> Heat:
        ends = (0.0, 1.0) if own else (float(low), float(high))
        counts = all(column.kind is Kind.COUNT for column in table.columns if column.name in names)
        return Heat(values, rows, labels(names), *ends, what, digits=0 if counts else 2,
                    shades=(values - low) / np.where(high > low, high - low, 1.0))  # fmt: skip

    def paint(palette: Palette, title: str) -> Figure:
        panels = {group: heat(own_values, labels(rows)) for group, own_values in values.items()}
        wide = max(max(panel.size[0] for panel in panels.values()), 0.8) + GAP
        first = next(iter(panels.values()))
        across, tall = max(1, int((WIDTH - first.left) / wide)), first.size[1] + first.below + 0.35
        lines = _lines([list(panels)], across)
        right = max(min(across, len(panels)) * wide, 4.5)
        sheet = Sheet(palette, first.left + right, 0.75 + len(lines) * tall, title)
        first.legend(sheet, first.left, 0.1)
        for line, groups in enumerate(lines):
            for place, group in enumerate(groups):
                x, top = first.left + place * wide, 0.75 + line * tall
                sheet.write(x, top - 0.06, label(group, int(wide / LETTER)), size=SMALL, weight="bold")
                panel = panels[group]
                (panel if place == 0 else replace(panel, rows=[""] * len(rows))).draw(sheet, x, top)
        return sheet.figure

    ends = [divmod(int(place), len(names)) for place in (np.nanargmin(cells), np.nanargmax(cells))]
    where = [f"{groups[row]}, {row_of[row]}, {names[column]} ({number(cells[row, column])})" for row, column in ends]
    alt = f"A heat map of {len(rows)} rows and {len(names)} columns for each of {len(values)} groups."
    return Picture(f"{alt} Lowest: {where[0]}; highest: {where[1]}.", paint)


def _lines(blocks: Sequence[Sequence[Panel]], across: int) -> list[Sequence[Panel]]:
    """The panels in lines of at most so many; each block begins a new line."""
    return [block[start : start + across] for block in blocks for start in range(0, len(block), across)]
