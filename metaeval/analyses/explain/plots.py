"""Why two measures disagree: what each kind of error adds to a difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metaeval.errors import counted
from metaeval.model.report import Kind, Table
from metaeval.render.plots.canvas import APART, COLOURS, SMALL, TEXT, Palette, Sheet, label, labels, listed, width_of
from metaeval.render.plots.columns import Numbers, matrix, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_PAIRS = 6
MOST_CELLS = 12

ROW, WIDTH, GAP, PAUSE = 0.2, 1.9, 0.3, 0.75


@dataclass(frozen=True)
class Explained:
    """A pair of systems: its errors by kind, how often each of the two makes them, and what they add.

    added: (errors, measures); errors: their standard errors, alike, 0 where they are exact. differences: the sums of
    all errors, (measures,), also of those that are left out.
    """

    pair: tuple[str, str]
    kinds: list[str]
    items: Numbers
    added: Numbers
    errors: Numbers
    differences: Numbers


@plot("contributions", title="What each kind of error adds to a difference", needs=("contributions",))
def contributions(tables: Tables) -> Picture | None:
    """For each pair of systems: bars for the kinds of error, one panel for each of the two measures."""
    table = tables["contributions"]
    names = [column.name for column in table.columns if column.kind is Kind.SCORE][:2]
    if len(names) < 2:
        return None
    found = _explained(table, names)
    if not found:
        return None
    shown = found[:MOST_PAIRS]
    kinds = len(set(zip(texts(table, "gold"), texts(table, "predicted"), strict=True)))
    counts = ((len(found) - len(shown), "more pair"), (max(kinds - MOST_CELLS, 0), "smaller kind of error"))
    parts = [counted(count, what, what.replace("kind", "kinds") if "kind" in what else "") for count, what in counts
             if count]  # fmt: skip
    left_out = f"Not shown: {listed(parts)}." if parts else ""

    def paint(palette: Palette, title: str) -> Figure:
        return _bars(palette, title, names, shown, left_out)

    told = "; ".join(f"{' − '.join(one.pair)}: {_sums(names, one)}, most by {_leading(names, one)}" for one in shown)
    alt = f"Bars of what each kind of error adds to the differences of {counted(len(shown), 'pair')} of systems, under "
    return Picture(f"{alt}{names[0]} and {names[1]}. {told}. {left_out}".strip(), paint)


def _explained(table: Table, names: Sequence[str]) -> list[Explained]:
    pairs = list(zip(texts(table, "system"), texts(table, "other"), strict=True))
    kinds = [f"{gold}→{predicted}" for gold, predicted in
             zip(texts(table, "gold"), texts(table, "predicted"), strict=True)]  # fmt: skip
    items, added = matrix(table, ["items", "items_other"]), matrix(table, names)
    held = {column.name for column in table.columns}
    errors = np.array([numbers(table, f"{name}_se") if f"{name}_se" in held else np.zeros(len(kinds))
                       for name in names]).T  # fmt: skip
    # Measures differ in their units; what is large under one is so by its own.
    usual = np.nanmean(np.abs(added), axis=0) if not np.isnan(added).all() else np.ones(2)
    sizes = np.nan_to_num(np.abs(added) / np.where(usual > 0, usual, 1.0)).max(axis=1, initial=0)
    found = []
    for pair in dict.fromkeys(pairs):
        rows = np.array([row for row, one in enumerate(pairs) if one == pair])
        if np.isnan(added[rows]).all() or not added[rows].any():
            continue
        kept = np.sort(rows[np.argsort(-sizes[rows], kind="stable")[:MOST_CELLS]])
        sums = added[rows].sum(axis=0)
        found.append(Explained(pair, [kinds[row] for row in kept], items[kept], added[kept], errors[kept], sums))
    return found


def _signed(value: float) -> str:
    return "—" if value != value else f"{value:+.3f}".replace("-", "−")


def _sums(names: Sequence[str], one: Explained) -> str:
    return listed([f"{_signed(value)} under {name}" for name, value in zip(names, one.differences, strict=True)])


def _leading(names: Sequence[str], one: Explained) -> str:
    told = []
    for name, added in zip(names, one.added.T, strict=True):
        if not np.isnan(added).all():
            most = int(np.nanargmax(np.abs(added)))
            told.append(f"{one.kinds[most]} ({_signed(float(added[most]))} under {name})")
    return listed(told)


def _bars(palette: Palette, title: str, names: Sequence[str], found: Sequence[Explained], left_out: str) -> Figure:
    kinds = [label(kind, 30) for one in found for kind in one.kinds]
    counts = [_counts(items) for one in found for items in one.items]
    second = width_of(counts, SMALL) + 0.15
    left = width_of(kinds, TEXT) + 0.25 + second
    height = sum(ROW * len(one.kinds) + PAUSE for one in found)
    sheet = Sheet(palette, left + 2 * WIDTH + GAP, 0.4 + height + 0.25, title)
    sheet.write(0, 0.1, f"items: errors of the one : of the other. {left_out}".strip(), size=SMALL, color=palette.muted)
    limits = [_limits(found, place) for place in range(2)]
    top = 0.5
    for one in found:
        high = ROW * len(one.kinds)
        sheet.write(0, top, _heading(one), size=TEXT, weight="bold")
        margin = sheet.axes(left - second, top + 0.28, second, high)
        margin.set_axis_off()
        sheet.name_rows(margin, labels(one.kinds, 30))
        for measure, name in enumerate(names):
            axes = sheet.axes(left + measure * (WIDTH + GAP), top + 0.28, WIDTH, high)
            sheet.name_rows(axes, [_counts(items) if measure == 0 else "" for items in one.items], SMALL)
            told = f"{label(name, 22)}{APART}{_signed(one.differences[measure])}"
            sheet.write(left + measure * (WIDTH + GAP), top + 0.22, told, size=SMALL)
            axes.set_xlim(limits[measure])
            _draw(sheet, axes, one, measure)
            if one is found[-1]:
                sheet.horizontal(axes, "added to the difference")
        top += high + PAUSE
    return sheet.figure


def _heading(one: Explained) -> str:
    return f"{label(one.pair[0])} − {label(one.pair[1])}"


def _counts(items: Numbers) -> str:
    return " : ".join("—" if count != count else f"{count:,.0f}" for count in items)


def _limits(found: Sequence[Explained], measure: int) -> tuple[float, float]:
    """Ends that are the same for all pairs, so that bars compare."""
    spans = [one.added[:, measure] + sign * one.errors[:, measure] for one in found for sign in (-1.96, 1.96)]
    ends = np.concatenate([[0.0], *spans])
    low, high = float(np.nanmin(ends)), float(np.nanmax(ends))
    margin = 0.05 * (high - low) or 0.01
    return low - margin, high + margin


def _draw(sheet: Sheet, axes: Axes, one: Explained, measure: int) -> None:
    rows = np.arange(len(one.kinds))
    added, errors = one.added[:, measure], one.errors[:, measure]
    sheet.grid(axes, "x")
    axes.locator_params(axis="x", nbins=4)
    axes.barh(rows, np.nan_to_num(added), height=0.66, color=COLOURS[measure], linewidth=0)
    if errors.any():
        axes.hlines(rows, added - 1.96 * errors, added + 1.96 * errors, color=sheet.palette.ink, linewidth=1)
    axes.axvline(0, color=sheet.palette.ink, linewidth=0.8)
    look = {"size": SMALL, "color": sheet.palette.muted, "va": "center_baseline"}
    for row, value in enumerate(added):
        if value != value:
            sheet.say(axes, 0, row, " —", **look)
