"""A plot is one function and one declaration, as a measure is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metaeval.model.report import Table
from metaeval.registry import Registry
from metaeval.render.plots.canvas import Palette

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Tables = Mapping[str, Table]
"""The tables of a report, by name."""


@dataclass(frozen=True)
class Picture:
    """What a plot makes of a report.

    alt: what is seen, with the main numbers, for those who don't see it.
    paint: draws it in the colours of a page. Only this needs matplotlib.
    """

    alt: str
    paint: Callable[[Palette, str], Figure]


Compose = Callable[[Tables], Picture | None]


@dataclass(frozen=True)
class Plot:
    """A kind of plot.

    name: public, the salt of its ids. title: one line for people.
    needs: the tables without which there is nothing to draw; the picture belongs beside the first.
    compose: reads the tables; None where they hold nothing to see.
    """

    name: str
    title: str
    needs: tuple[str, ...]
    compose: Compose


PLOTS: Registry[Plot] = Registry("plot")


def plot(name: str, *, title: str, needs: tuple[str, ...]) -> Callable[[Compose], Compose]:
    """Declare a plot; see `Plot`."""

    def declare(compose: Compose) -> Compose:
        PLOTS.register(name, Plot(name, title, needs, compose))
        return compose

    return declare
