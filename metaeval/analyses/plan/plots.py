"""The plot of `plan`: the values of other numbers of items, systems or annotators."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from metaeval.errors import pluralize
from metaeval.model.report import Table
from metaeval.render.plots.canvas import SMALL, WIDTH, Palette, label, number, sheet_with_legend
from metaeval.render.plots.columns import distinct, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.lineplot import HEIGHT, Curve, draw_lines, legend_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_PANELS = 6
MAX_LINES = 28
MAX_DESCRIBED = 9
"""Of more lines, the alternative text describes only the ends of the highest and of the lowest."""


@plot("plan_curve", title="Values by the amount of data", needs=("plan_curve",))
def plan_curve(tables: Tables) -> Picture | None:
    """A panel for each goal, with a line and its band for each measure, and the goal as a line."""
    panels = _panels(tables["plan_curve"])
    if not panels:
        return None
    shown = {goal: curves[:MAX_LINES] for goal, curves in list(panels.items())[:MAX_PANELS]}
    goals = len(panels) - len(shown)
    lines = max(len(panels[goal]) - len(curves) for goal, curves in shown.items())
    parts = [pluralize(count, f"more {what}") for count, what in ((goals, "goal"), (lines, "measure")) if count]
    left_out = f"Not shown: {' and '.join(parts)}." if parts else ""

    def paint(palette: Palette, title: str) -> Figure:
        return _draw(palette, title, shown, left_out)

    panel_texts = "; ".join(f"{goal}: {_description(curves)}" for goal, curves in shown.items())
    return Picture(f"Curves by the amount of data, a panel for each goal. {panel_texts}. {left_out}".strip(), paint)


def _description(curves: Sequence[Curve]) -> str:
    """The ends of the lines, or only those of the highest and the lowest."""
    if len(curves) <= MAX_DESCRIBED:
        return ", ".join(f"{one.name} from {_end(one, 0)} to {_end(one, -1)}" for one in curves)
    highest, lowest = (choose(curves, key=lambda one: one.y[-1]) for choose in (max, min))
    return f"highest end {highest.name}, {_end(highest, -1)}; lowest {lowest.name}, {_end(lowest, -1)}"


def _end(curve: Curve, which: int) -> str:
    return f"{number(float(curve.y[which]))} with {curve.x[which]:,.0f}"


def _panels(table: Table) -> dict[str, list[Curve]]:
    """The lines of each goal, those with at least two known points."""
    measures, goals = np.array(texts(table, "measure")), np.array(texts(table, "goal"))
    columns = [numbers(table, name) for name in ("n", "value", "low", "high")]
    known = (columns[0] > 0) & ~np.isnan(columns[1])
    panels: dict[str, list[Curve]] = {}
    for goal in distinct(goals.tolist()):
        kind, own = kind_of(goal)
        for measure in distinct(measures[goals == goal].tolist()):
            here = known & (goals == goal) & (measures == measure)
            x, y, low, high = (column[here] for column in columns)
            if len(set(x.tolist())) > 1:
                order = np.argsort(x, kind="stable")
                name = f"{measure} ({own})" if own else measure
                panels.setdefault(kind, []).append(Curve(name, x[order], y[order], low[order], high[order]))
    return panels


def target_of(goal: str) -> float:
    """The value in the text of a goal; NaN where there is none.

    >>> target_of("tau ≥ 0.9"), target_of("difference of 0.05 with power 0.8, 90 % of pairs"), target_of("ranking")
    (0.9, 0.8, nan)
    """
    values = re.findall(r"(?:[≥≤]|\bpower|\bwidth)\s*(\d*\.?\d+)", goal)
    return float(values[-1]) if values else math.nan


def kind_of(goal: str) -> tuple[str, str]:
    """The text of a goal without the difference, which is specific to a measure, and this difference.

    >>> kind_of("difference of 0.05 with power 0.8")
    ('difference with power 0.8', '0.05')
    """
    match = re.match(r"difference of (\S+) ", goal)
    return (goal.replace(f" of {match[1]}", "", 1), match[1]) if match else (goal, "")


def _draw(palette: Palette, title: str, panels: dict[str, list[Curve]], left_out: str) -> Figure:
    across = min(len(panels), 3)
    step = (WIDTH / across, HEIGHT + 0.85)
    # The longest name of a measure has its difference in parentheses.
    curves_by_name = sorted((curve for curves in panels.values() for curve in curves), key=lambda one: one.name)
    names = {curve.measure: curve for curve in curves_by_name}
    below = 0.2 + math.ceil(len(panels) / across) * step[1]
    sheet, top = sheet_with_legend(palette, title, legend_of(palette, list(names.values())), below)
    sheet.write(0, top + 0.05, left_out, size=SMALL, color=palette.muted)
    for place, (goal, curves) in enumerate(panels.items()):
        at = (0.4 + place % across * step[0], top + 0.3 + place // across * step[1])
        axes = sheet.axes(*at, step[0] - 0.5, HEIGHT)
        axes.set_xscale("log")
        target = target_of(goal)
        if not math.isnan(target):
            axes.axhline(target, color=palette.ink, linewidth=0.9, linestyle=":")
        draw_lines(sheet, axes, curves)
        _ticks(axes, curves)
        sheet.horizontal(axes, next((unit for unit in ("systems", "annotators") if goal.endswith(unit)), "items"))
        sheet.write(at[0], at[1] - 0.1, label(goal, 48), size=SMALL, weight="bold")
    return sheet.figure


def _ticks(axes: Axes, curves: Sequence[Curve]) -> None:
    """Ticks at 1, 2 and 5 times powers of ten, or only at powers of ten on a long axis."""
    from matplotlib.ticker import LogLocator, NullLocator

    decades = math.log10(max(one.x.max() for one in curves) / min(one.x.min() for one in curves))
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if decades <= 2.2 else (1.0,)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
