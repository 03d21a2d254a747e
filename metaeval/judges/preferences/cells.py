"""What the tables, sentences and plots of preferences share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from metaeval.analyses.sentences import ALPHA
from metaeval.errors import pluralize
from metaeval.inference.pairs import PairTests
from metaeval.model.report import Cells, Table, p_value, score, scores
from metaeval.render.plots.canvas import COLOURS, Look, number
from metaeval.render.plots.columns import extremes, has, numbers, texts
from metaeval.render.plots.declaration import Picture
from metaeval.render.plots.dots import DotPlot, Panel, Series

INTERVAL = "95 % interval"


def differences(tests: PairTests) -> list[Cells]:
    """The differences of all pairs with simultaneous intervals."""
    return value_cells("difference", (tests.difference, tests.low, tests.high, tests.raw, tests.p))


def value_cells(name: str, values: Sequence[Any], about_p: str = "", about: str = "") -> list[Cells]:
    """A share or a difference with its interval and its p-values; about, about_p: what it and the adjusted one mean."""
    value, low, high, p, p_adjusted = values
    return [
        score(name, value, about=about, interval=("low", "high")),
        *scores(("low", "high"), (low, high), about=INTERVAL),
        p_value("p", p, detail=True),
        p_value("p_adjusted", p_adjusted, about=about_p),
    ]


def interval(low: float, high: float) -> str:
    """An interval in words."""
    return f"95 % interval {low:.2f} to {high:.2f}" if math.isfinite(low + high) else "no interval"


def than_others(ahead: int, others: int, better: str) -> str:
    """How many others the best is significantly better than, after a comma; better: in this word."""
    if not others:
        return ""
    if not ahead:
        return f", not significantly {better} than {'the' if others == 1 else 'any'} other"
    those = "the other" if others == 1 else "all others" if ahead == others else pluralize(ahead, "other")
    return f", significantly {better} than {those} (adjusted p ≤ {ALPHA})"


def dots(table: Table, first: str, names: list[str], value: str, what: str) -> Picture | None:
    """A row for each row of a table, with its interval, named by `names`, after the column `first` if there is one."""
    if has(table, first):
        names = [f"{before}: {name}" for before, name in zip(texts(table, first), names, strict=True)]
    values = numbers(table, value)
    if np.isnan(values).all():
        return None
    series = Series(values, numbers(table, "low"), numbers(table, "high"), look=Look(COLOURS[0], "o"))
    across = f"{what}, with 95 % intervals"
    (lowest,), (highest,) = extremes(values)
    alt = (
        f"{what} with 95 % intervals in {pluralize(len(names), 'row')}, from {number(float(values[lowest]))} "
        f"({names[lowest]}) to {number(float(values[highest]))} ({names[highest]})."
    )
    return Picture(alt, DotPlot(panels=[Panel(rows=names, series=[series])], across=across).draw)
