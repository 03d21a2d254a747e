"""The declaration of plots: one function each, with a decorator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metaeval.errors import join_all, pluralize
from metaeval.model.report import Table
from metaeval.registry import Registry
from metaeval.render.plots.canvas import Palette

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Tables = Mapping[str, Table]
"""The tables of a report, by name."""


@dataclass(frozen=True)
class Picture:
    """A plot of the tables of a report.

    alt: an alternative text with the main numbers. paint: draws the plot in the colours of a page; only this requires
    matplotlib.
    """

    alt: str
    paint: Callable[[Palette, str], Figure]


Compose = Callable[[Tables], Picture | None]


@dataclass(frozen=True)
class Plot:
    """A kind of plot.

    name: public; the prefix of its ids. title: one line for readers. needs: the required tables; the plot belongs to
    the first. compose: returns the plot of the tables, or None if they have nothing to draw. example: a command that
    draws the plot from the sample data, without `metaeval` and its output.
    """

    name: str
    title: str
    needs: tuple[str, ...]
    compose: Compose
    example: str = ""


def not_shown(*counts: tuple[int, str]) -> str:
    """A sentence that says what a plot has no room for; '' for nothing.

    >>> not_shown((2, "more pair"), (0, "more measure"))
    'Not shown: 2 more pairs.'
    """
    parts = [pluralize(count, noun) for count, noun in counts if count > 0]
    return f"Not shown: {join_all(parts)}." if parts else ""


PLOTS: Registry[Plot] = Registry("plot", "metaeval.render.plots:load_plots")


def plot(name: str, *, title: str, needs: tuple[str, ...] = (), example: str = "") -> Callable[[Compose], Compose]:
    """Declare a plot, by default of the table with its name; see `Plot`."""

    def declare(compose: Compose) -> Compose:
        PLOTS.register(name, Plot(name, title, needs or (name,), compose, example))
        return compose

    return declare
