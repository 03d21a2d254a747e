"""The plot of `plan`: the values of other numbers of items, systems or annotators."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from metaeval.model.report import Table
from metaeval.render.plots.canvas import number
from metaeval.render.plots.columns import numbers, rows_by
from metaeval.render.plots.declaration import Picture, Tables, not_shown, plot
from metaeval.render.plots.lines import MAX_LINES, Curve, LinePanel, LinePlot

MAX_PANELS = 6
MAX_DESCRIBED = 9
"""Of more lines, the alternative text describes only the ends of the highest and of the lowest."""


@plot("plan_curve", title="Values by the amount of data", needs=("plan_curve",))
def plan_curve(tables: Tables) -> Picture | None:
    """A panel for each goal, with a line and its band for each measure, and the goal as a line."""
    by_goal = _curves(tables["plan_curve"])
    if not by_goal:
        return None
    shown = {goal: curves[:MAX_LINES] for goal, curves in list(by_goal.items())[:MAX_PANELS]}
    lines = max(len(by_goal[goal]) - MAX_LINES for goal in shown)
    hidden = not_shown((len(by_goal) - MAX_PANELS, "more goal"), (lines, "more measure"))
    panels = []
    for goal, curves in shown.items():
        across = next((unit for unit in ("systems", "annotators") if goal.endswith(unit)), "items")
        panels.append(LinePanel(curves=curves, across=across, title=goal, level=target_of(goal)))
    descriptions = "; ".join(f"{goal}: {_description(curves)}" for goal, curves in shown.items())
    alt = f"Curves by the amount of data, a panel for each goal. {descriptions}. {hidden}".strip()
    return Picture(alt, LinePlot(panels=panels, remark=hidden, logarithmic="x").draw)


def _description(curves: Sequence[Curve]) -> str:
    """The ends of the lines, or only those of the highest and the lowest."""
    if len(curves) <= MAX_DESCRIBED:
        return ", ".join(f"{one.text} from {_end(one, 0)} to {_end(one, -1)}" for one in curves)
    highest, lowest = (choose(curves, key=lambda one: one.y[-1]) for choose in (max, min))
    return f"highest end {highest.text}, {_end(highest, -1)}; lowest {lowest.text}, {_end(lowest, -1)}"


def _end(curve: Curve, index: int) -> str:
    return f"{number(float(curve.y[index]))} with {curve.x[index]:,.0f}"


def _curves(table: Table) -> dict[str, list[Curve]]:
    """The lines of each goal, those with at least two known points."""
    columns = np.array([numbers(table, name) for name in ("n", "value", "low", "high")])
    known = (columns[0] > 0) & ~np.isnan(columns[1])
    curves: dict[str, list[Curve]] = {}
    for (goal, measure), every_row in rows_by(table, "goal", "measure").items():
        kind, difference = kind_of(goal)
        rows = every_row[known[every_row]]
        x, y, low, high = columns[:, rows[np.argsort(columns[0, rows], kind="stable")]]
        if len(set(x.tolist())) > 1:
            text = f"{measure} ({difference})" if difference else measure
            curves.setdefault(kind, []).append(Curve(measure, x, y, low, high, text=text))
    return curves


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
