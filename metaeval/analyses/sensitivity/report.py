"""Tables, notes and findings of `sensitivity`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.sensitivity.compute import Cells, Sensitivities
from metaeval.analyses.sensitivity.settings import SensitivitySettings
from metaeval.analyses.sentences import join_names, value_range
from metaeval.errors import pluralize
from metaeval.model.report import Cell, Column, Finding, Kind, Table, columns
from metaeval.stats.intervals import defined_mean
from metaeval.study.study import FATES, AnalysisOutput, Study

Scores = NDArray[np.float64]

FLAT = 0.01
"""Points whose correlation is this near to the best one are counted as equally good."""

SAME = 1e-9
"""Rounding error of the tau between equal rankings."""

Best = tuple[str, str, str | None, float | None, float | None]
"""A row of the best points: measure, rater, point, correlation, share of points that are nearly as good."""


def tabulate(study: Study, settings: SensitivitySettings, result: Sensitivities) -> AnalysisOutput:
    """Tables, notes and findings of `sensitivity`."""
    cells_of, human = result.cells, result.human
    names = cells_of[0].names
    raters = human.ratings.measures if human is not None else ()
    correlations: list[Scores | None] = [*result.correlations] or [None] * len(cells_of)
    heads = columns(Kind.TEXT, "measure", *names)
    mean = ("mean",) if len(raters) > 1 else ()
    points = pluralize(sum(len(cells.points) for cells in cells_of), "setting")
    main = Table(
        "sensitivity",
        f"{points} of {pluralize(len(cells_of), 'measure')}",
        (*heads, *columns(Kind.SCORE, "score", "tau", *_rater_columns(raters, names), *mean)),
        tuple(row for cells, values in zip(cells_of, correlations, strict=True) for row in _rows(study, cells, values)),
    )
    of_systems = Table(
        "sensitivity_scores",
        "Scores of all systems",
        (*heads, *columns(Kind.SCORE, *study.systems)),
        tuple(
            (cells.measure, *point, *row)
            for cells in cells_of
            for point, row in zip(cells.points, _as_measured(study, cells).tolist(), strict=True)
        ),
        detail=True,
    )
    best = _best(raters, result)
    maps = _maps(cells_of[0], correlations[0]) if len(cells_of) == 1 and len(names) == 2 else []
    # A map makes the long form unnecessary in a terminal.
    tables = [replace(main, detail=bool(maps)), *([_best_table(best)] if best else []), *maps, of_systems]
    findings = [*on_correlations(best), *on_rankings([cells.measure for cells in cells_of], [c.tau for c in cells_of])]
    output = AnalysisOutput(tables, _notes(study, settings, result), findings)
    output = output.after(notes=human.notes, files=human.files) if human is not None else output
    return output.after(files=[result.weightings.file]) if result.weightings else output


def _rater_columns(raters: Sequence[str], names: Sequence[str]) -> list[str]:
    """Raters as names of columns, with a prefix if there is another column of this name."""
    used = ("measure", *names, "score", "tau", "mean")
    return [f"human {rater}" if rater in used else rater for rater in raters]


def _as_measured(study: Study, cells: Cells) -> Scores:
    """Scores in the direction of the measure, (P, S)."""
    direction = study.scores.directions[study.measure_names.index(cells.measure)]
    return cells.scores * direction.sign


def _rows(study: Study, cells: Cells, correlations: Scores | None) -> Iterator[tuple[Cell, ...]]:
    scores = _as_measured(study, cells).mean(axis=-1)
    numbers = [scores, cells.tau]
    if correlations is not None:
        numbers += [*correlations.T, *([defined_mean(correlations, axis=-1)] if correlations.shape[1] > 1 else [])]
    for point, row in zip(cells.points, np.column_stack(numbers).tolist(), strict=True):
        yield (cells.measure, *point, *row)


def _best(raters: Sequence[str], result: Sensitivities) -> list[Best]:
    """For each measure and rater, and for their mean, the point with the highest correlation."""
    rows: list[Best] = []
    for cells, values in zip(result.cells, result.correlations, strict=bool(raters)):
        by_rater = [*zip(raters, values.T, strict=True)]
        if len(by_rater) > 1:
            by_rater.append(("mean", defined_mean(values, axis=-1)))
        for rater, column in by_rater:
            if np.isnan(column).all():
                rows.append((cells.measure, rater, None, None, None))
                continue
            best = int(np.nanargmax(column))
            point = ",".join(f"{name}={value}" for name, value in zip(cells.names, cells.points[best], strict=True))
            flat = float((column >= column[best] - FLAT).mean())
            rows.append((cells.measure, rater, point, float(column[best]), flat))
    return rows


def _best_table(rows: Sequence[Best]) -> Table:
    return Table(
        "sensitivity_best",
        f"Settings with the highest correlation with human scores, and the share of settings within {FLAT:g} of it",
        (*columns(Kind.TEXT, "measure", "human", "best"), *columns(Kind.SCORE, "value", "flat")),
        tuple(rows),
    )


def _maps(cells: Cells, correlations: Scores | None) -> list[Table]:
    """A matrix of the mean correlation, or else of tau, by two parameters of a measure."""
    shown = cells.tau if correlations is None else defined_mean(correlations, axis=-1)
    firsts, seconds = (list(dict.fromkeys(point[axis] for point in cells.points)) for axis in (0, 1))
    defined = shown[~np.isnan(shown)]
    bands = tuple(float(bound) for bound in np.unique(np.quantile(defined, [1 / 3, 2 / 3]))) if len(defined) else ()
    what = "tau with the default ranking" if correlations is None else "correlation with human scores"
    first, second = cells.names
    title = f"{cells.measure}: {what}, by {first} (rows) and {second} (columns)"
    heads = (Column(first), *(Column(f"{second}={value}", Kind.SCORE, bands=bands) for value in seconds))
    rows = zip(firsts, shown.reshape(len(firsts), len(seconds)).tolist(), strict=True)
    return [Table("sensitivity_map", title, heads, tuple((value, *row) for value, row in rows))]


def _notes(study: Study, settings: SensitivitySettings, result: Sensitivities) -> list[str]:
    notes = ["score: mean over the systems; tau: tau-b with the default ranking, of the measure as requested"]
    notes.append("settings are compared on these items and systems: no difference between them is tested")
    if result.human is not None:
        notes.append(f"human scores: {settings.coefficient} over {pluralize(len(study.systems), 'system')}")
    for cells in result.cells:
        tau = cells.tau
        missing = int(np.isnan(cells.scores).sum())
        if missing:
            of_all = f"{missing:,} of {cells.scores.size:,} scores are undefined"
            notes.append(f"{cells.measure}: {of_all}, {FATES[study.config.undefined]}")
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
    by_measure = {row[0]: row for row in best}
    defined = [row for row in by_measure.values() if row[3] is not None]
    if not defined:
        return []
    measure, rater, point, *_ = defined[0]
    highest = value_range([row[3] for row in defined if row[3] is not None])
    flat = value_range([row[4] for row in defined if row[4] is not None], ".0%")
    if len(by_measure) == 1:
        text = f"the correlation of {measure} with human scores ({rater}) is highest at {point} ({highest})"
        within = f"{flat} of the settings are within {FLAT:g} of it"
    else:
        of = pluralize(len(defined), "measure")
        text = f"the highest correlation with human scores ({rater}) over the settings is {highest} under {of}"
        within = f"{flat} of the settings of a measure are within {FLAT:g} of its highest"
    return [Finding("sensitivity", f"on these data, {text}; {within}")]


def on_rankings(names: Sequence[str], tau: Sequence[Scores]) -> list[Finding]:
    """The measures whose rankings change in some setting; tau: of each measure with its default, (P,) each."""
    lowest = {name: float(np.nanmin(each)) for name, each in zip(names, tau, strict=True) if not np.isnan(each).all()}
    same = [name for name, low in lowest.items() if low > 1 - SAME]
    changed = {name: low for name, low in lowest.items() if name not in same}
    if not lowest:
        return []
    if not changed:
        under = f" under {join_names(same)}" if len(same) < len(names) else ""
        return [Finding("sensitivity", f"no setting changes the ranking of the systems{under}")]
    lows = value_range([*changed.values()])
    text = f"settings change the ranking under {join_names([*changed])} (lowest tau with the default ranking {lows})"
    return [Finding("sensitivity", f"{text}; not under {join_names(same)}" if same else text)]
