"""The plot of `power`: adjusted p-values in ascending order, the ASL curves of Sakai (2006)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metaeval.errors import pluralize
from metaeval.model.report import Table
from metaeval.render.plots.canvas import APART, SMALL, WIDTH, Palette, label, number, sheet_with_legend
from metaeval.render.plots.columns import Numbers, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_CURVES = 28

MAX_POINTS = 500
"""Maximum number of points of a curve."""

MIN_P = 1e-6
"""Smaller p-values are drawn as this, because a logarithmic axis has no 0."""

HEIGHT = 2.9


@dataclass(frozen=True)
class Levels:
    """The ascending adjusted p of all pairs of systems under a measure, and the share of them that is at most alpha."""

    measure: str
    p: Numbers
    power: float

    @property
    def pairs(self) -> Numbers:
        """The percentage of the pairs with no larger p."""
        return 100 * np.arange(1, len(self.p) + 1) / len(self.p)

    @property
    def key(self) -> str:
        """The measure and its power, as in the legend."""
        return f"{label(self.measure)}{APART}{_per_cent(self.power)}"


@plot("power", title="Discriminative power of each measure", needs=("power", "power_differences"))
def power(tables: Tables) -> Picture | None:
    """A line for each measure with the ascending adjusted p-values of the pairs of systems, and one for the level."""
    alpha, test = _level(tables["power"]), next(iter(texts(tables["power"], "test")), "")
    levels = _levels(tables["power"], tables["power_differences"])
    if not levels:
        return None
    shown = levels[:MAX_CURVES]
    hidden = len(levels) - len(shown)
    not_shown = f"Not shown: {pluralize(hidden, 'more measure')}." if hidden else ""

    def paint(palette: Palette, title: str) -> Figure:
        return _curves(palette, title, shown, alpha, test, not_shown)

    powers = "; ".join(f"{one.measure} {_per_cent(one.power)}" for one in shown)
    at = f" at {alpha:g}" if alpha is not None else ""
    alt = f"Curves of the ascending adjusted p-values of pairs of systems, {pluralize(len(shown), 'measure')}. "
    return Picture(f"{alt}Significantly different pairs{at} ({test}): {powers}. {not_shown}".strip(), paint)


def _level(table: Table) -> float | None:
    """The level of the tests, from the title."""
    match = re.search(r"\bat (\d*\.?\d+(?:e-?\d+)?)", table.title)
    return float(match[1]) if match else None


def _levels(table: Table, differences: Table) -> list[Levels]:
    measures, p = np.array(texts(differences, "measure")), numbers(differences, "p_adjusted")
    rows = zip(texts(table, "measure"), numbers(table, "power").tolist(), strict=True)
    defined = ((measure, share, p[(measures == measure) & ~np.isnan(p)]) for measure, share in rows)
    return [Levels(measure, np.sort(known), share) for measure, share, known in defined if len(known)]


def _per_cent(share: float) -> str:
    return f"{number(100 * share, 0)} %" if share == share else "—"


def _curves(
    palette: Palette, title: str, levels: Sequence[Levels], alpha: float | None, test: str, not_shown: str
) -> Figure:
    entries = [(one.key, palette.mark(one.measure, place)) for place, one in enumerate(levels)]
    sheet, top = sheet_with_legend(palette, title, entries, HEIGHT + 0.85)
    axes = sheet.axes(0.4, top + 0.3, WIDTH - 0.5, HEIGHT)
    sheet.grid(axes, "y")
    least = max(min((float(one.p[one.p > 0].min()) for one in levels if (one.p > 0).any()), default=0.01), MIN_P)
    axes.set_yscale("log")
    axes.set_ylim(min(least, alpha or 1.0) / 1.4, 1.4)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.minorticks_off()
    start = min(float(one.pairs[int((one.p <= least).sum()) - 1]) if one.p[0] <= least else 0.0 for one in levels)
    axes.set_xlim(min(start // 10 * 10, 90), 100)
    if alpha is not None:
        axes.axhline(alpha, color=palette.ink, linewidth=0.9)
        across = {"transform": axes.get_yaxis_transform(), "size": SMALL}
        sheet.annotate(axes, 0.01, alpha * 1.08, f"adjusted p = {alpha:g}", va="bottom", **across)
    for place, one in enumerate(levels):
        _draw(axes, one, np.maximum(one.p, least), palette.style(one.measure, place))
    sheet.horizontal(axes, "pairs of systems, the smallest p first, %; the mark: the last significant one")
    what = f"adjusted p of the difference ({label(test)}); above: significant pairs of each measure{APART}{not_shown}"
    sheet.vertical(axes, what.rstrip())
    return sheet.figure


def _draw(axes: Axes, one: Levels, p: Numbers, style: tuple[str, str, str]) -> None:
    colour, line, marker = style
    points = np.unique(np.linspace(0, len(p) - 1, min(len(p), MAX_POINTS)).astype(np.intp))
    axes.plot(one.pairs[points], p[points], color=colour, linestyle=line, linewidth=1.4)
    last = round(one.power * len(p)) - 1 if one.power == one.power else -1
    if last >= 0:
        axes.plot(one.pairs[last], p[last], marker=marker, color=colour, markersize=5.5, clip_on=False, zorder=3)
