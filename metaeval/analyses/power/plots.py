"""How well measures tell systems apart: p-values in order, the ASL curves of Sakai (2006)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metaeval.errors import counted
from metaeval.model.report import Table
from metaeval.render.plots.canvas import APART, LINES, SMALL, Palette, Sheet, label, number, width_of
from metaeval.render.plots.columns import Numbers, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.lineplot import look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_CURVES = 28

MOST_POINTS = 500
"""Of a curve; more could not be seen."""

LEAST = 1e-6
"""Smaller p-values are drawn as this; on a logarithmic axis nothing is 0."""

WIDTH, HEIGHT, LINE = 4.4, 3.2, 0.17


@dataclass(frozen=True)
class Levels:
    """The p-values of all pairs of systems by one measure, ascending, and the share of them at or below alpha."""

    measure: str
    test: str
    p: Numbers
    power: float

    @property
    def pairs(self) -> Numbers:
        """How many per cent of the pairs have no larger p."""
        return 100 * np.arange(1, len(self.p) + 1) / len(self.p)


@plot("power", title="How well each measure tells systems apart", needs=("power", "power_differences"))
def power(tables: Tables) -> Picture | None:
    """A line a measure: the p-values of the pairs of systems, from the smallest on; the level as a line."""
    alpha = _level(tables["power"])
    found = _levels(tables["power"], tables["power_differences"])
    if not found:
        return None
    shown = found[:MOST_CURVES]
    left_out = len(found) - len(shown)
    more = f"Not shown: {counted(left_out, 'more measure')}." if left_out else ""

    def paint(palette: Palette, title: str) -> Figure:
        return _curves(palette, title, shown, alpha, more)

    told = "; ".join(f"{one.measure} {_per_cent(one.power)} ({one.test})" for one in shown)
    at = f" at {alpha:g}" if alpha is not None else ""
    alt = f"Curves of the p-values of pairs of systems, from the smallest on, {counted(len(shown), 'measure')}. "
    return Picture(f"{alt}Pairs found different{at}: {told}. {more}".strip(), paint)


def _level(table: Table) -> float | None:
    """The level of the tests, which the title tells."""
    told = re.search(r"\bat (\d*\.?\d+(?:e-?\d+)?)", table.title)
    return float(told[1]) if told else None


def _levels(table: Table, differences: Table) -> list[Levels]:
    measures, p = np.array(texts(differences, "measure")), numbers(differences, "p")
    found = []
    for measure, test, share in zip(
        texts(table, "measure"), texts(table, "test"), numbers(table, "power"), strict=True
    ):
        known = p[(measures == measure) & ~np.isnan(p)]
        if len(known):
            found.append(Levels(measure, test, np.sort(known), float(share)))
    return found


def _per_cent(share: float) -> str:
    return f"{number(100 * share, 0)} %" if share == share else "—"


def _curves(palette: Palette, title: str, found: Sequence[Levels], alpha: float | None, more: str) -> Figure:
    tests = list(dict.fromkeys(one.test for one in found))
    height = max(HEIGHT, LINE * (len(found) + 2 * len(tests)))
    right = width_of([_key(one) for one in found], SMALL) + 0.75
    sheet = Sheet(palette, 0.4 + WIDTH + right, height + 0.9, title)
    axes = sheet.axes(0.4, 0.35, WIDTH, height)
    sheet.grid(axes, "y")
    least = max(min((float(one.p[one.p > 0].min()) for one in found if (one.p > 0).any()), default=0.01), LEAST)
    axes.set_yscale("log")
    axes.set_ylim(min(least, alpha or 1.0) / 1.4, 1.4)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.minorticks_off()
    start = min(float(one.pairs[int((one.p <= least).sum()) - 1]) if one.p[0] <= least else 0.0 for one in found)
    axes.set_xlim(min(start // 10 * 10, 90), 100)
    if alpha is not None:
        axes.axhline(alpha, color=palette.ink, linewidth=0.9)
        across = {"transform": axes.get_yaxis_transform(), "size": SMALL}
        sheet.say(axes, 0.01, alpha * 1.08, f"p = {alpha:g}", va="bottom", **across)
    for place, one in enumerate(found):
        _draw(axes, one, np.maximum(one.p, least), place, tests)
    _name(sheet, found, tests, 0.4 + WIDTH + 0.15)
    sheet.horizontal(axes, "pairs of systems, from the smallest p on, %; the mark: the last one found different")
    sheet.vertical(axes, "p of the difference" + f"{APART}{more}".rstrip())
    return sheet.figure


def _draw(axes: Axes, one: Levels, p: Numbers, place: int, tests: Sequence[str]) -> None:
    colour, _, marker = look(place)
    thin = np.unique(np.linspace(0, len(p) - 1, min(len(p), MOST_POINTS)).astype(np.intp))
    line = LINES[tests.index(one.test) % len(LINES)]
    axes.plot(one.pairs[thin], p[thin], color=colour, linestyle=line, linewidth=1.4)
    last = round(one.power * len(p)) - 1 if one.power == one.power else -1
    if last >= 0:
        axes.plot(one.pairs[last], p[last], marker=marker, color=colour, markersize=5.5, clip_on=False, zorder=3)


def _key(one: Levels) -> str:
    return f"{label(one.measure)}{APART}{_per_cent(one.power)}"


def _name(sheet: Sheet, found: Sequence[Levels], tests: Sequence[str], left: float) -> None:
    """The measures test by test in the order of the table, each with its line, its mark and its power."""
    height = LINE * (len(found) + 2 * len(tests))
    axes = sheet.axes(left, 0.2, sheet.width - left, height)
    axes.set_axis_off()
    axes.set_xlim(0, sheet.width - left)
    axes.set_ylim(height / LINE, 0)
    row = 0.8
    for test in tests:
        sheet.say(axes, 0, row, f"{label(test)}: pairs different", size=SMALL, color=sheet.palette.muted,
                  va="center_baseline")  # fmt: skip
        for place, one in enumerate(found):
            if one.test == test:
                row += 1
                colour, _, marker = look(place)
                line = LINES[tests.index(test) % len(LINES)]
                axes.plot([0, 0.42], [row, row], color=colour, linestyle=line, linewidth=1.4)
                axes.plot([0.21], [row], marker=marker, color=colour, markersize=5)
                sheet.say(axes, 0.5, row, _key(one), size=SMALL, va="center_baseline")
        row += 1.6
