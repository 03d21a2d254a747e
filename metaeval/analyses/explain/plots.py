"""The plot of `explain`: what each confusion contributes to a difference."""

from __future__ import annotations

import numpy as np

from metaeval.errors import join_all, pluralize
from metaeval.model.report import Kind
from metaeval.render.plots.canvas import APART, COLOURS, Look, label, limits
from metaeval.render.plots.columns import Numbers, has, matrix, numbers, rows_by, texts
from metaeval.render.plots.declaration import Picture, Tables, not_shown, plot
from metaeval.render.plots.dots import DotPlot, Panel, Series

MAX_PAIRS, MAX_CELLS = 6, 12


@plot("contributions", title="What each confusion contributes to a difference", needs=("contributions",))
def contributions(tables: Tables) -> Picture | None:
    """For each pair of systems: bars for the confusions, one panel for each of the two measures."""
    table = tables["contributions"]
    names = [column.name for column in table.columns if column.kind is Kind.SCORE][:2]
    if len(names) < 2:
        return None
    values = matrix(table, names)
    by_pair = {
        pair: rows
        for pair, rows in rows_by(table, "system", "other").items()
        if not np.isnan(values[rows]).all() and values[rows].any()
    }
    if not by_pair:
        return None
    cells = zip(texts(table, "gold"), texts(table, "predicted"), strict=True)
    confusions = [f"{gold}→{predicted}" for gold, predicted in cells]
    smaller = len(set(confusions)) - MAX_CELLS
    hidden = not_shown((len(by_pair) - MAX_PAIRS, "more pair"), (smaller, "smaller confusion"))
    by_pair = dict(list(by_pair.items())[:MAX_PAIRS])
    sizes = _sizes(values)
    largest = {
        pair: np.sort(rows[np.argsort(-sizes[rows], kind="stable")[:MAX_CELLS]]) for pair, rows in by_pair.items()
    }
    errors = [1.96 * numbers(table, f"{name}_se") if has(table, f"{name}_se") else None for name in names]
    items = [" : ".join(_count(count) for count in row) for row in matrix(table, ["items", "items_other"])]
    panels, parts = [], []
    for pair, rows in largest.items():
        differences, leading = [], []
        for index, (name, error, colour) in enumerate(zip(names, errors, COLOURS, strict=False)):
            added, difference = values[rows, index], values[by_pair[pair], index].sum()
            ends = () if error is None else (added - error[rows], added + error[rows])
            panel = Panel(
                rows=[label(confusions[row], 30) for row in rows],
                series=[Series(added, *ends, look=Look(colour), is_bar=True)],
                title=f"{label(name, 22)}{APART}{_signed(difference)}",
                heading=" − ".join(pair) if index == 0 else "",
                ends=[items[row] for row in rows] if index == 1 else (),
                limits=_limits(values[:, index], error, np.concatenate(list(largest.values()))),
            )
            panels.append(panel)
            differences.append(f"{_signed(difference)} under {name}")
            if not np.isnan(added).all():
                most = int(np.nanargmax(np.abs(added)))
                leading.append(f"{confusions[rows[most]]} ({_signed(added[most])} under {name})")
        parts.append(f"{' − '.join(pair)}: {join_all(differences)}, most by {join_all(leading)}")
    alt = f"Bars of the contributions of confusions to the differences of {pluralize(len(largest), 'pair')} of systems"
    alt += f", under {names[0]} and {names[1]}. {'; '.join(parts)}. {hidden}"
    legend = f"items, at the right: errors of the first : of the second system. {hidden}".strip()
    form = DotPlot(panels=panels, across="contribution to the difference", remark=legend, has_zero=True)
    return Picture(alt.strip(), form.draw)


def _sizes(values: Numbers) -> Numbers:
    """The size of each row of contributions: measures differ in units, so it is relative to their mean."""
    usual = np.nanmean(np.abs(values), axis=0)
    sizes: Numbers = np.nan_to_num(np.abs(values) / np.where(usual > 0, usual, 1.0)).max(axis=1, initial=0)
    return sizes


def _limits(values: Numbers, error: Numbers | None, rows: Numbers) -> tuple[float, float]:
    """Limits that are the same for all pairs, so that bars can be compared."""
    shown, aside = values[rows], 0.0 if error is None else error[rows]
    return limits(np.zeros(1), shown - aside, shown + aside, margin=0.05)


def _count(count: float) -> str:
    return "—" if count != count else f"{count:,.0f}"


def _signed(value: float) -> str:
    return "—" if value != value else f"{value:+.3f}".replace("-", "−")
