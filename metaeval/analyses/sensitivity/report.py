"""Tables, notes and findings of `sensitivity`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from metaeval.analyses.sensitivity.compute import Cells, Sensitivities
from metaeval.analyses.sensitivity.settings import SensitivitySettings
from metaeval.analyses.sentences import join_names, value_range
from metaeval.arrays import Scores
from metaeval.errors import pluralize
from metaeval.model.report import Cells as Column
from metaeval.model.report import Finding, Kind, Note, Table, score, scores, stack, table, text
from metaeval.render.plots.canvas import number
from metaeval.render.plots.columns import distinct, extremes, matrix, names_of, numbers, rows_by, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.dots import DotPlot, Panel, Series, dot_series
from metaeval.render.plots.lines import MAX_LINES, Curve, LinePanel, LinePlot
from metaeval.render.plots.matrix import Heat, colour_limits
from metaeval.stats.intervals import defined_mean
from metaeval.study.study import FATES, AnalysisOutput, Study

FLAT = 0.01
"""Points whose correlation is this near to the best one are counted as equally good."""

SAME = 1e-9
"""Rounding error of the tau between equal rankings."""


class Best(NamedTuple):
    """The point with the highest correlation of a measure with a rater; None where all are undefined.

    flat: the share of points that are nearly as good.
    """

    measure: str
    rater: str
    point: str | None = None
    value: float | None = None
    flat: float | None = None


def tabulate(study: Study, settings: SensitivitySettings, result: Sensitivities) -> AnalysisOutput:
    """Tables, notes and findings of `sensitivity`."""
    human = result.human
    raters = human.ratings.measures if human is not None else ()
    correlations: list[Scores | None] = [*result.correlations] or [None] * len(result.cells)
    best, single = _best(raters, result), len(result.cells) == 1
    maps = []
    if single and len(result.cells[0].names) == 2:
        maps.append(_map(result.cells[0], correlations[0]))
    tables = [
        # A map, or the best settings of several measures, make the long form unnecessary in a terminal.
        replace(_main(study, result, correlations), detail=bool(maps or (best and not single))),
        # The finding names the best setting of one measure.
        *([_best_table(best, detail=single)] if best else []),
        *maps,
        _scores_of_systems(study, result),
    ]
    taus = {cells.measure: cells.tau for cells in result.cells}
    findings = [*on_correlations(best), *on_rankings(list(taus), list(taus.values()))]
    output = AnalysisOutput(tables, _notes(study, settings, result), findings)
    output = output.after(notes=human.notes, files=human.files) if human is not None else output
    sources = result.weightings.files if result.weightings else None
    return output.after(notes=sources.notes, files=sources.files) if sources else output


def _points(cells: Cells, *, single: bool = False) -> list[Column]:
    """The first columns: the measure, for readers unless it is a single one, and the parameters at each point."""
    values = zip(*cells.points, strict=True)
    return [
        text("measure", cells.measure, detail=single),
        *(text(name, column) for name, column in zip(cells.names, values, strict=True)),
    ]


def _main(study: Study, result: Sensitivities, correlations: Sequence[Scores | None]) -> Table:
    raters = result.human.ratings.measures if result.human is not None else ()
    points = pluralize(sum(len(cells.points) for cells in result.cells), "setting")
    single = len(result.cells) == 1
    subject = result.cells[0].measure if single else pluralize(len(result.cells), "measure")
    parts = []
    for cells, values in zip(result.cells, correlations, strict=True):
        columns = [
            *_points(cells, single=single),
            score("score", _as_measured(study, cells).mean(axis=-1), about="mean over the systems", detail=True),
            score("tau", cells.tau, about="agreement (tau-b) with the ranking by the default setting"),
        ]
        if values is not None:
            about = "correlation with human scores"
            rater_columns = _rater_columns(raters, cells.names)
            columns += scores(rater_columns, values.T, about=about, detail=len(raters) > 1)
            if len(raters) > 1:
                columns.append(score("mean", defined_mean(values, axis=-1), about=about))
        parts.append(table("sensitivity", f"{points} of {subject}", *columns))
    return stack(parts)


def _scores_of_systems(study: Study, result: Sensitivities) -> Table:
    parts = []
    for cells in result.cells:
        columns = *_points(cells), *scores(study.systems, _as_measured(study, cells).T)
        parts.append(table("sensitivity_scores", "Scores of all systems", *columns, detail=True))
    return stack(parts)


def _rater_columns(raters: Sequence[str], names: Sequence[str]) -> list[str]:
    """Raters as names of columns, with a prefix if there is another column of this name."""
    columns = ("measure", *names, "score", "tau", "mean")
    return [f"human {rater}" if rater in columns else rater for rater in raters]


def _as_measured(study: Study, cells: Cells) -> Scores:
    """Scores in the direction of the measure, (P, S)."""
    direction = study.scores.directions[study.measure_names.index(cells.measure)]
    return cells.scores * direction.sign


def _best(raters: Sequence[str], result: Sensitivities) -> list[Best]:
    """For each measure and rater, and for their mean, the point with the highest correlation."""
    rows = []
    for cells, values in zip(result.cells, result.correlations, strict=bool(raters)):
        by_rater = [*zip(raters, values.T, strict=True)]
        if len(by_rater) > 1:
            by_rater.append(("mean", defined_mean(values, axis=-1)))
        for rater, column in by_rater:
            if np.isnan(column).all():
                rows.append(Best(cells.measure, rater))
                continue
            best = int(np.nanargmax(column))
            point = ",".join(f"{name}={value}" for name, value in zip(cells.names, cells.points[best], strict=True))
            flat = float((column >= column[best] - FLAT).mean())
            rows.append(Best(cells.measure, rater, point, value=float(column[best]), flat=flat))
    return rows


def _best_table(rows: Sequence[Best], *, detail: bool) -> Table:
    return table(
        "sensitivity_best",
        "Settings with the highest correlation with human scores",
        text("measure", [row.measure for row in rows]),
        text("human", [row.rater for row in rows]),
        text("best", [row.point for row in rows], about="setting with the highest correlation"),
        score("value", [row.value for row in rows], about="its correlation with the human scores"),
        score("flat", [row.flat for row in rows], about=f"share of settings within {FLAT:g} of the best"),
        detail=detail,
    )


def _map(cells: Cells, correlations: Scores | None) -> Table:
    """A matrix of the mean correlation, or else of tau, by two parameters of a measure."""
    statistic = cells.tau if correlations is None else defined_mean(correlations, axis=-1)
    firsts, seconds = (list(dict.fromkeys(point[axis] for point in cells.points)) for axis in (0, 1))
    defined = statistic[~np.isnan(statistic)]
    bands = tuple(float(bound) for bound in np.unique(np.quantile(defined, [1 / 3, 2 / 3]))) if len(defined) else ()
    label = "tau with the default ranking" if correlations is None else "correlation with human scores"
    first, second = cells.names
    values = statistic.reshape(len(firsts), len(seconds)).T
    return table(
        "sensitivity_map",
        f"{cells.measure}: {label}, by {first} (rows) and {second} (columns)",
        text(first, firsts),
        *(score(f"{second}={value}", row, bands=bands) for value, row in zip(seconds, values, strict=True)),
    )


def _notes(study: Study, settings: SensitivitySettings, result: Sensitivities) -> list[Note | str]:
    notes: list[Note | str] = ["settings are compared on these items and systems: no difference between them is tested"]
    if result.human is not None:
        notes.append(f"human scores: {settings.coefficient} over {pluralize(len(study.systems), 'system')}")
    for cells in result.cells:
        tau = cells.tau
        missing = int(np.isnan(cells.scores).sum())
        if missing:
            amount = f"{missing:,} of {cells.scores.size:,} scores are undefined"
            notes.append(f"{cells.measure}: {amount}, {FATES[study.config.undefined]}")
        undefined = int(np.isnan(tau).sum())
        if undefined:
            points = pluralize(undefined, "setting")
            notes.append(f"{cells.measure}: no tau for {points}: all systems with a score are tied")
        if undefined < len(tau):
            notes.append(
                f"{cells.measure}: {int((tau > 1 - SAME).sum())} of {pluralize(len(tau), 'setting')} give the default "
                f"ranking; the lowest tau is {np.nanmin(tau):.2f}"
            )
    return notes


def on_correlations(best: Sequence[Best]) -> list[Finding]:
    """The highest correlations with human scores, and how many settings have nearly as high ones; nothing is tested."""
    # The last row of a measure is the mean over raters, or the only rater.
    by_measure = {row.measure: row for row in best}
    defined = [row for row in by_measure.values() if row.value is not None]
    if not defined:
        return []
    measure, rater, point, *_ = defined[0]
    highest = value_range([row.value for row in defined if row.value is not None])
    flat = value_range([row.flat for row in defined if row.flat is not None], ".0%")
    if len(by_measure) == 1:
        sentence = f"the correlation of {measure} with human scores ({rater}) is highest at {point} ({highest})"
        within = f"{flat} of the settings are within {FLAT:g} of it"
    else:
        amount = pluralize(len(defined), "measure")
        sentence = f"the highest correlation with human scores ({rater}) over the settings is {highest} under {amount}"
        within = f"{flat} of the settings of a measure are within {FLAT:g} of its highest"
    return [Finding("sensitivity", f"on these data, {sentence}. {within}")]


def on_rankings(names: Sequence[str], taus: Sequence[Scores]) -> list[Finding]:
    """The measures whose rankings change in some setting; taus: of each measure with its default, (P,) each."""
    lowest = {name: float(np.nanmin(tau)) for name, tau in zip(names, taus, strict=True) if not np.isnan(tau).all()}
    same = [name for name, low in lowest.items() if low > 1 - SAME]
    changes = {name: low for name, low in lowest.items() if name not in same}
    if not lowest:
        return []
    if not changes:
        under = f" under {join_names(same)}" if len(same) < len(names) else ""
        return [Finding("sensitivity", f"no setting changes the ranking of the systems{under}")]
    lows = value_range([*changes.values()])
    sentence = f"settings change the default ranking under {join_names([*changes])} (lowest tau {lows})"
    return [Finding("sensitivity", f"{sentence}, not under {join_names(same)}" if same else sentence)]


TAU = "tau-b with the default ranking"


@plot("sensitivity_map", title="Sensitivity to two parameters", example="sensitivity --config configs/parameters.yaml")
def sensitivity_map(tables: Tables) -> Picture | None:
    """A matrix of settings, with a frame around the best one."""
    table = tables["sensitivity_map"]
    first, *columns = names_of(table)
    values = matrix(table, columns)
    if np.isnan(values).all():
        return None
    rows = [f"{first}={value}" for value in texts(table, first)]
    label = "mean correlation with human scores" if "human scores" in table.title else TAU
    lowest, (row, column) = extremes(values)
    limits, legend = colour_limits(values), f"{label} (framed: best)"
    heat = Heat(rows=rows, columns=columns, values=values, limits=limits, what=legend, framed=(row, column))
    best = f"best {number(values[row, column])} at {rows[row]}, {columns[column]}"
    measure = table.title.partition(": ")[0]
    return Picture(f"Heat map of {label}, {measure}: {best}; lowest {number(values[lowest])}.", heat.draw)


@plot(
    "sensitivity",
    title="Sensitivity to a parameter",
    example="sensitivity --config configs/stance.yaml -m decay --grid base=0.1:0.9:0.1",
)
def sensitivity(tables: Tables) -> Picture | None:
    """For one parameter: a line for each measure if its values are numbers, else rows of dots."""
    table = tables["sensitivity"]
    names = names_of(table)
    parameters = names[1 : names.index("score")]
    if len(parameters) != 1:
        return None
    # The last column of scores is the mean correlation with human scores, or that with the only rater.
    scores = [column.name for column in table.columns if column.kind is Kind.SCORE]
    column = scores[-1]
    label = TAU if column == "tau" else "correlation with human scores"
    values, measures, points = numbers(table, column), texts(table, "measure"), texts(table, parameters[0])
    if np.isnan(values).all():
        return None
    (lowest,), (highest,) = extremes(values)
    best = f"highest {number(values[highest])} ({measures[highest]} at {points[highest]})"
    alt = f"{label[0].upper()}{label[1:]} by {parameters[0]}, {pluralize(len(set(measures)), 'measure')}; {best}, "
    alt += f"lowest {number(values[lowest])}."
    x, by_measure = np.array([_number(point) for point in points]), rows_by(table, "measure")
    curves = [Curve(name, x[rows], values[rows]) for (name,), rows in by_measure.items()]
    if not np.isnan(x).any() and all(len(curve.x) > 1 and not np.isnan(curve.y).all() for curve in curves):
        return Picture(alt, LinePlot(panels=[LinePanel(curves=curves, across=parameters[0], title=label)]).draw)
    names = distinct(measures)
    series = {point: np.full(len(names), math.nan) for point in distinct(points)[:MAX_LINES]}
    for point, measure, value in zip(points, measures, values, strict=True):
        if point in series:
            series[point][names.index(measure)] = value
    panel = Panel(rows=names, series=dot_series({point: Series(cells) for point, cells in series.items()}))
    return Picture(alt, DotPlot(panels=[panel], across=label).draw)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
