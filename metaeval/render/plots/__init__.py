"""Reports as plots: what their tables hold, drawn for a page, a paper, a talk.

`drawings` says what there is to see; nothing is drawn, and matplotlib not asked for, before its picture is wanted.
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
from metaeval.render.plots.writing import SUFFIXES, Paint, element, to_bytes

for _package in registry.ANALYSES.values():
    if importlib.util.find_spec(f"{_package}.plots") is not None:
        importlib.import_module(f"{_package}.plots")

__all__ = ["PLOTS", "SUFFIXES", "Drawing", "drawings", "main_drawing"]


@dataclass(frozen=True)
class Drawing:
    """A plot of a report.

    name: of the plot, 'similarity'. table: the name of the table it belongs beside. title: one line.
    alt: what is seen, with the main numbers.
    """

    name: str
    table: str
    title: str
    alt: str
    picture: Picture = field(repr=False, compare=False)

    def svg(self) -> str:
        """An `<svg>` element for a page.

        It is as wide as there is room, up to its natural width; its colours are the page's variables `--ink`,
        `--paper`, `--grid` and `--muted`, its letters `--plot-font`; its ids begin with the name of the plot.

        Raises InputError where matplotlib is missing.
        """
        return element(self._paint(), name=self.name, title=self.title, alt=self.alt)

    def to_bytes(self, suffix: str) -> bytes:
        """A file of its own, on white: '.svg', '.png' or '.pdf'; the same bytes whenever it is drawn.

        Raises InputError for another suffix, and where matplotlib is missing.
        """
        return to_bytes(self._paint(), suffix, name=self.name, title=self.title, alt=self.alt)

    def _paint(self) -> Paint:
        return lambda palette: self.picture.paint(palette, self.title)


def drawings(report: Report) -> tuple[Drawing, ...]:
    """All plots that the report's tables allow, in the order of the tables."""
    tables = {table.name: table for table in report.all_tables()}
    places = {name: place for place, name in enumerate(tables)}
    made = []
    for plot in PLOTS.values():
        if all(name in tables for name in plot.needs):
            picture = plot.compose(tables)
            if picture is not None:
                made.append(Drawing(plot.name, plot.needs[0], plot.title, label(picture.alt, 10_000), picture))
    return tuple(sorted(made, key=lambda drawing: places[drawing.table]))


def main_drawing(report: Report) -> Drawing:
    """The plot of the main table, or the first there is.

    Raises InputError where there is none, naming what can be plotted.
    """
    found = drawings(report)
    if not found:
        names = ", ".join(table.name for table in report.all_tables())
        raise InputError.at(
            found=f"nothing to plot in the tables {names}",
            expected=f"one of {', '.join(plottable())}, with at least two measures or systems and numbers to compare",
        )
    return next((drawing for drawing in found if drawing.table == report.main.name), found[0])


def plottable() -> tuple[str, ...]:
    """The tables that have a plot."""
    return tuple(dict.fromkeys(plot.needs[0] for plot in PLOTS.values()))
