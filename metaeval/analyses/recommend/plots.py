"""The plot of `recommend`: the reliability of each measure, with the verdict on it."""

from __future__ import annotations

import numpy as np

from metaeval.errors import join_all
from metaeval.render.plots.canvas import APART, Look, label, number
from metaeval.render.plots.columns import cells_of, distinct, has, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.dots import DotPlot, Panel, Series

LONGEST = 56
"""Width of the verdicts in narrow characters."""

LOOKS = {
    "named": Look(size=7),
    "first": Look(size=7),
    "different": Look(filled=False),
    "excluded": Look("muted", "x"),
}
"""A mark is filled if the measure is named or similar, hollow if it is different, and a cross if it is excluded."""


@plot("recommend", title="Reliability of each measure, and the verdict", needs=("recommend",))
def recommend(tables: Tables) -> Picture | None:
    """A row for each measure: its reliability with the 95 % interval, and what the verdict says about it, and why."""
    table = tables["recommend"]
    names, verdicts, values = texts(table, "measure"), texts(table, "verdict"), numbers(table, "reliability")
    low, high = numbers(table, "ci_low"), numbers(table, "ci_high")
    if np.isnan(values).all():
        return None
    roles = texts(table, "role") if has(table, "role") else [""] * len(names)
    ends, spans = [], []
    for row, reason in enumerate(cells_of(table, "reason")):
        role = f", {roles[row]}" if roles[row] else ""
        text = f"{verdicts[row]}{role}: {reason}" if reason else f"{verdicts[row]}{role}"
        ends.append(label(f"{number(values[row])}{APART}{text}", LONGEST))
        spans.append(f"{names[row]} {number(values[row])} ({number(low[row])} to {number(high[row])})")
    groups = []
    for verdict in distinct(verdicts):
        members = [span for span, other in zip(spans, verdicts, strict=True) if other == verdict]
        groups.append(f"{verdict}: {join_all(members)}")
    series = Series(values, low, high, look=[LOOKS.get(verdict, Look()) for verdict in verdicts])
    bold = [row for row, verdict in enumerate(verdicts) if verdict == "named"]
    panel = Panel(rows=names, series=[series], ends=ends, bold=bold, bands=verdicts)
    across = "reliability: expected tau between random halves, with the 95 % interval"
    alt = f"{table.title}. Reliability (95 % interval) of the measures; {'; '.join(groups)}."
    return Picture(alt, DotPlot(panels=[panel], across=across).draw)
