"""Plots of the tables of a report.

`drawings` lists the plots of a report; matplotlib is imported only when one of them is drawn.
"""

from __future__ import annotations

from metaeval import registry
from metaeval.errors import empty, refuse
from metaeval.model.report import Report
from metaeval.render.plots.canvas import label
from metaeval.render.plots.declaration import PLOTS
from metaeval.render.plots.groups import plots_by_group
from metaeval.render.plots.writing import SUFFIXES, Drawing

__all__ = ["PLOTS", "SUFFIXES", "Drawing", "drawings", "main_drawing"]


def load_plots() -> None:
    """Import the analyses, which register their plots."""
    for analysis in registry.ANALYSES.values():
        registry.load(f"{analysis.package}.report")


def drawings(report: Report) -> tuple[Drawing, ...]:
    """All plots of the report's tables, in the order of the tables."""
    tables = {table.name: table for table in report.all_tables()}
    if report.groups:
        return tuple(plots_by_group(report))
    measure_tables = [table for table in tables.values() if table.columns[0].name == "measure"]
    measures = tuple(dict.fromkeys(str(row[0]) for table in measure_tables for row in table.rows))
    plots = []
    for plot in PLOTS.values():
        picture = plot.compose(tables) if all(name in tables for name in plot.needs) else None
        if picture is not None:
            alt = label(picture.alt, 10_000)
            plots.append(Drawing(plot.name, plot.needs[0], plot.title, alt, picture, measures=measures))
    return tuple(sorted(plots, key=lambda drawing: list(tables).index(drawing.table)))


def main_drawing(report: Report) -> Drawing:
    """The plot of the main table, else the first plot; raises InputError if there is none."""
    plots = drawings(report)
    if not plots:
        names = ", ".join(table.name for table in report.all_tables())
        plottable = ", ".join(dict.fromkeys(plot.needs[0] for plot in PLOTS.values()))
        expected = f"one of {plottable}, with at least two measures or systems and numbers to compare"
        raise refuse(None, empty(f"plot of the tables {names}", expected))
    return next((drawing for drawing in plots if drawing.table == report.main.name), plots[0])
