"""Plots of the tables of a report.

`drawings` lists the plots of a report; matplotlib is imported only when one of them is drawn.
"""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import dataclass, field

from metaeval import registry
from metaeval.errors import InputError
from metaeval.model.report import Report
from metaeval.render.plots.canvas import label
from metaeval.render.plots.declaration import PLOTS, Picture
from metaeval.render.plots.writing import SUFFIXES, Paint, svg_element, to_bytes

for _package in registry.ANALYSES.values():
    if importlib.util.find_spec(f"{_package}.plots") is not None:
        importlib.import_module(f"{_package}.plots")

__all__ = ["PLOTS", "SUFFIXES", "Drawing", "drawings", "main_drawing"]


@dataclass(frozen=True)
class Drawing:
    """A plot of a report.

    name: as 'similarity'. table: name of the table that it belongs to. title: one line. alt: a description with the
    main numbers.
    """

    name: str
    table: str
    title: str
    alt: str
    picture: Picture = field(repr=False, compare=False)

    def svg(self) -> str:
        """An `<svg>` element for a page; raises InputError if matplotlib is not installed.

        Its width is that of its container, up to its natural width. Its colours and font are CSS variables of the page:
        ink, paper, grid, muted and plot-font. Its ids start with the name of the plot.
        """
        return svg_element(self._paint(), name=self.name, title=self.title, alt=self.alt)

    def to_bytes(self, suffix: str) -> bytes:
        """The contents of a file on white: '.svg', '.png' or '.pdf'; always the same bytes.

        Raises InputError for another suffix, and if matplotlib is not installed.
        """
        return to_bytes(self._paint(), suffix, name=self.name, title=self.title, alt=self.alt)

    def _paint(self) -> Paint:
        return lambda palette: self.picture.paint(palette, self.title)


def drawings(report: Report) -> tuple[Drawing, ...]:
    """All plots of the report's tables, in the order of the tables."""
    tables = {table.name: table for table in report.all_tables()}
    plots = []
    for plot in PLOTS.values():
        picture = plot.compose(tables) if all(name in tables for name in plot.needs) else None
        if picture is not None:
            plots.append(Drawing(plot.name, plot.needs[0], plot.title, label(picture.alt, 10_000), picture))
    return tuple(sorted(plots, key=lambda drawing: list(tables).index(drawing.table)))


def main_drawing(report: Report) -> Drawing:
    """The plot of the main table, else the first plot; raises InputError if there is none."""
    plots = drawings(report)
    if not plots:
        names = ", ".join(table.name for table in report.all_tables())
        plottable = ", ".join(dict.fromkeys(plot.needs[0] for plot in PLOTS.values()))
        raise InputError.at(
            found=f"nothing to plot in the tables {names}",
            expected=f"one of {plottable}, with at least two measures or systems and numbers to compare",
        )
    return next((drawing for drawing in plots if drawing.table == report.main.name), plots[0])
