"""The plot of `explain`: what each confusion contributes to a difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metaeval.errors import join_all, pluralize
from metaeval.model.report import Kind, Table
from metaeval.render.plots.canvas import APART, COLOURS, SMALL, TEXT, Palette, Sheet, label, labels, width_of
from metaeval.render.plots.columns import Numbers, has, matrix, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_PAIRS = 6
MAX_CELLS = 12

ROW, WIDTH, GAP, PAUSE = 0.2, 1.9, 0.3, 0.75


@dataclass(frozen=True)
class PairBars:
    """The confusions of a pair of systems: their names, how many each of the two makes, and their contributions.

    contributions: (confusions, measures). errors: their standard errors, 0 where they are exact. differences: sums over
    all confusions, including those that are not shown, (measures,).
    """

    pair: tuple[str, str]
    confusions: list[str]
    items: Numbers
    contributions: Numbers
    errors: Numbers
    differences: Numbers


@plot("contributions", title="What each confusion contributes to a difference", needs=("contributions",))
def contributions(tables: Tables) -> Picture | None:
    """For each pair of systems: bars for the confusions, one panel for each of the two measures."""
    table = tables["contributions"]
    names = [column.name for column in table.columns if column.kind is Kind.SCORE][:2]
    if len(names) < 2:
        return None
    pairs = _pairs(table, names)
    if not pairs:
        return None
    shown = pairs[:MAX_PAIRS]
    hidden_confusions = max(len(set(_confusions(table))) - MAX_CELLS, 0)
    counts = ((len(pairs) - len(shown), "more pair"), (hidden_confusions, "smaller confusion"))
    hidden = join_all([pluralize(count, noun) for count, noun in counts if count])
    not_shown = f"Not shown: {hidden}." if hidden else ""

    def paint(palette: Palette, title: str) -> Figure:
        return _bars(palette, title, names, shown, not_shown)

    summary = "; ".join(f"{' − '.join(one.pair)}: {_sums(names, one)}, most by {_leading(names, one)}" for one in shown)
    alt = f"Bars of the contributions of confusions to the differences of {pluralize(len(shown), 'pair')} of systems"
    return Picture(f"{alt}, under {names[0]} and {names[1]}. {summary}. {not_shown}".strip(), paint)


def _confusions(table: Table) -> list[str]:
    cells = zip(texts(table, "gold"), texts(table, "predicted"), strict=True)
    return [f"{gold}→{predicted}" for gold, predicted in cells]


def _pairs(table: Table, names: Sequence[str]) -> list[PairBars]:
    pairs = list(zip(texts(table, "system"), texts(table, "other"), strict=True))
    confusions = _confusions(table)
    items, added = matrix(table, ["items", "items_other"]), matrix(table, names)
    exact = np.zeros(len(pairs))
    errors = np.column_stack([numbers(table, f"{name}_se") if has(table, f"{name}_se") else exact for name in names])
    # Measures differ in their units: sizes are relative to the mean contribution under each.
    usual = np.nanmean(np.abs(added), axis=0) if not np.isnan(added).all() else np.ones(2)
    sizes = np.nan_to_num(np.abs(added) / np.where(usual > 0, usual, 1.0)).max(axis=1, initial=0)
    bars = []
    for pair in dict.fromkeys(pairs):
        rows = np.array([row for row, one in enumerate(pairs) if one == pair])
        if np.isnan(added[rows]).all() or not added[rows].any():
            continue
        largest = np.sort(rows[np.argsort(-sizes[rows], kind="stable")[:MAX_CELLS]])
        of_pair = [confusions[row] for row in largest]
        sums = added[rows].sum(axis=0)
        bars.append(PairBars(pair, of_pair, items[largest], added[largest], errors[largest], sums))
    return bars


def _signed(value: float) -> str:
    return "—" if value != value else f"{value:+.3f}".replace("-", "−")


def _sums(names: Sequence[str], one: PairBars) -> str:
    return join_all([f"{_signed(value)} under {name}" for name, value in zip(names, one.differences, strict=True)])


def _leading(names: Sequence[str], one: PairBars) -> str:
    parts = []
    for name, added in zip(names, one.contributions.T, strict=True):
        if not np.isnan(added).all():
            largest = int(np.nanargmax(np.abs(added)))
            parts.append(f"{one.confusions[largest]} ({_signed(float(added[largest]))} under {name})")
    return join_all(parts)


def _bars(palette: Palette, title: str, names: Sequence[str], pairs: Sequence[PairBars], not_shown: str) -> Figure:
    counts_width = width_of([_counts(items) for one in pairs for items in one.items], SMALL) + 0.15
    left = width_of([label(name, 30) for one in pairs for name in one.confusions], TEXT) + 0.25 + counts_width
    height = sum(ROW * len(one.confusions) + PAUSE for one in pairs)
    sheet = Sheet(palette, left + 2 * WIDTH + GAP, 0.4 + height + 0.25, title)
    legend = f"items: errors of the first : of the second system. {not_shown}".strip()
    sheet.write(0, 0.1, legend, size=SMALL, color=palette.muted)
    limits = [_limits(pairs, measure) for measure in range(2)]
    top = 0.5
    for one in pairs:
        high = ROW * len(one.confusions)
        sheet.write(0, top, " − ".join(labels(one.pair)), size=TEXT, weight="bold")
        margin = sheet.axes(left - counts_width, top + 0.28, counts_width, high)
        margin.set_axis_off()
        sheet.name_rows(margin, labels(one.confusions, 30))
        for measure, name in enumerate(names):
            start = left + measure * (WIDTH + GAP)
            axes = sheet.axes(start, top + 0.28, WIDTH, high)
            sheet.name_rows(axes, [_counts(items) if measure == 0 else "" for items in one.items], SMALL)
            sheet.write(start, top + 0.22, f"{label(name, 22)}{APART}{_signed(one.differences[measure])}", size=SMALL)
            axes.set_xlim(limits[measure])
            _draw(sheet, axes, one, measure)
            if one is pairs[-1]:
                sheet.horizontal(axes, "contribution to the difference")
        top += high + PAUSE
    return sheet.figure


def _counts(items: Numbers) -> str:
    return " : ".join("—" if count != count else f"{count:,.0f}" for count in items)


def _limits(pairs: Sequence[PairBars], measure: int) -> tuple[float, float]:
    """Limits that are the same for all pairs, so that bars can be compared."""
    spans = [one.contributions[:, measure] + sign * one.errors[:, measure] for one in pairs for sign in (-1.96, 1.96)]
    ends = np.concatenate([[0.0], *spans])
    low, high = float(np.nanmin(ends)), float(np.nanmax(ends))
    margin = 0.05 * (high - low) or 0.01
    return low - margin, high + margin


def _draw(sheet: Sheet, axes: Axes, one: PairBars, measure: int) -> None:
    rows = np.arange(len(one.confusions))
    added, errors = one.contributions[:, measure], one.errors[:, measure]
    sheet.grid(axes, "x")
    axes.locator_params(axis="x", nbins=4)
    axes.barh(rows, np.nan_to_num(added), height=0.66, color=COLOURS[measure], linewidth=0)
    if errors.any():
        axes.hlines(rows, added - 1.96 * errors, added + 1.96 * errors, color=sheet.palette.ink, linewidth=1)
    axes.axvline(0, color=sheet.palette.ink, linewidth=0.8)
    for row in np.flatnonzero(np.isnan(added)).tolist():
        sheet.annotate(axes, 0, row, " —", size=SMALL, color=sheet.palette.muted, va="center_baseline")
