"""The plot of `power`: adjusted p-values in ascending order, the ASL curves of Sakai (2006)."""

from __future__ import annotations

import math
import re

import numpy as np

from metaeval.errors import pluralize
from metaeval.render.plots.canvas import APART, label, number
from metaeval.render.plots.columns import numbers, rows_by, texts
from metaeval.render.plots.declaration import Picture, Tables, not_shown, plot
from metaeval.render.plots.lines import MAX_LINES, Curve, LinePanel, LinePlot

MAX_POINTS = 500
"""Maximum number of points of a curve."""

MIN_P = 1e-6
"""Smaller p-values are drawn as this, because a logarithmic axis has no 0."""


@plot("power", title="Discriminative power of each measure", needs=("power", "power_differences"))
def power(tables: Tables) -> Picture | None:
    """A line for each measure with the ascending adjusted p-values of the pairs of systems, and one for the level."""
    table, differences = tables["power"], tables["power_differences"]
    every_p, rows = numbers(differences, "p_adjusted"), rows_by(differences, "measure")
    shares = dict(zip(texts(table, "measure"), numbers(table, "power").tolist(), strict=True))
    by_measure = {name: every_p[rows[name,]] for name in shares if (name,) in rows}
    levels = {name: np.sort(p[~np.isnan(p)]) for name, p in by_measure.items() if not np.isnan(p).all()}
    if not levels:
        return None
    shown = dict(list(levels.items())[:MAX_LINES])
    hidden = not_shown((len(levels) - len(shown), "more measure"))
    test = texts(table, "test")[0]
    match = re.search(r"\bat (\d*\.?\d+(?:e-?\d+)?)", table.title)
    alpha = float(match[1]) if match else math.nan
    positive = [float(p[p > 0].min()) for p in shown.values() if (p > 0).any()]
    least = max(min(positive, default=0.01), MIN_P)
    curves, starts = [], []
    for name, p in shown.items():
        pairs = 100 * np.arange(1, len(p) + 1) / len(p)
        last = -1 if math.isnan(shares[name]) else round(shares[name] * len(p)) - 1
        points = np.unique(np.linspace(0, len(p) - 1, min(len(p), MAX_POINTS)).astype(np.intp))
        marked = np.searchsorted(points, last)
        points = np.union1d(points, [last] if last >= 0 else points[:0])
        text = f"{label(name)}{APART}{_per_cent(shares[name])}"
        marks = [int(marked)] if last >= 0 else []
        curves.append(Curve(name, pairs[points], np.maximum(p[points], least), text=text, marked=marks))
        starts.append(float(pairs[int((p <= least).sum()) - 1]) if p[0] <= least else 0.0)
    panel = LinePanel(
        curves=curves,
        across="pairs of systems, the smallest p first, %; the mark: the last significant one",
        title=f"adjusted p of the difference ({label(test)}); above: significant pairs of each measure",
        level=alpha,
        level_name=f"adjusted p = {alpha:g}" if match else "",
        x_limits=(min(min(starts) // 10 * 10, 90), 100.5),
        y_limits=(min(least, alpha if match else 1.0) / 1.4, 1.4),
    )
    powers = "; ".join(f"{name} {_per_cent(shares[name])}" for name in shown)
    at = f" at {alpha:g}" if match else ""
    alt = f"Curves of the ascending adjusted p-values of pairs of systems, {pluralize(len(shown), 'measure')}. "
    alt += f"Significantly different pairs{at} ({test}): {powers}. {hidden}"
    return Picture(alt.strip(), LinePlot(panels=[panel], remark=hidden, logarithmic="y").draw)


def _per_cent(share: float) -> str:
    return f"{number(100 * share, 0)} %" if share == share else "—"
