"""What the tables, sentences and plots of preferences share."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from metaeval.analyses.sentences import ALPHA, join_names
from metaeval.arrays import Floats
from metaeval.errors import pluralize
from metaeval.inference.pairs import PairTests
from metaeval.judges.preferences.compute import AVERAGE
from metaeval.model.report import Cells, Column, Table, p_value, score, scores
from metaeval.render.plots.canvas import COLOURS, Look, number
from metaeval.render.plots.columns import extremes, has, numbers, texts
from metaeval.render.plots.declaration import Picture
from metaeval.render.plots.dots import DotPlot, Panel, Series
from metaeval.stats.correlation_tests import holm

INTERVAL = "95 % interval"


def stacked(results: Sequence[Any], make: Callable[[Any], Table], *, judges: bool = False) -> Table:
    """The tables of results below each other, after columns of language pairs and of judges where there are several.

    judges: whether there is a column of judges in any case.
    """
    fields = {"language_pair": "language_pair"} if any(one.language_pair for one in results) else {}
    if judges or len({getattr(one, "by", "") for one in results}) > 1:
        fields["judge"] = "by"
    first, *_ = tables = list(map(make, results))
    rows = (
        (*(getattr(one, field) for field in fields.values()), *row)
        for one, table in zip(results, tables, strict=True)
        for row in table.rows
    )
    return replace(first, columns=(*map(Column, fields), *first.columns), rows=tuple(rows))


def on_pair(language_pair: str) -> str:
    """On which language pair, as the end of a phrase."""
    if language_pair == AVERAGE:
        return " on average"
    return f" on {language_pair}" if language_pair else ""


def names_by_pair(names: Mapping[str, Sequence[str]], is_best: str, are_best: str) -> str:
    """The best on each language pair, each with the pairs on which it is; is_best, are_best: in these words."""
    pairs: dict[tuple[str, ...], list[str]] = {}
    for language_pair, best in names.items():
        pairs.setdefault(tuple(best), []).append(language_pair)
    first, where = next(iter(pairs.items()))
    if len(pairs) == len(first) == 1:
        return f"{first[0]} {is_best} on {join_names(where)}"
    return f"{are_best} {join_names([f'{join_names(best)} ({join_names(where)})' for best, where in pairs.items()])}"


def adjusted_by_judge(judges: Sequence[str], p: Sequence[float]) -> Floats:
    """P-values adjusted by Holm for all tests of each judge, so that no judge changes those of another, (K,)."""
    adjusted, names = np.array(p, dtype=np.float64), np.array(judges)
    for name in dict.fromkeys(judges):
        adjusted[names == name] = holm(adjusted[names == name])
    return adjusted


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
