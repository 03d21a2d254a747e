"""What a parameter does, as tables and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.sensitivity.compute import Cells, Sensitivities
from metaeval.analyses.sensitivity.settings import SensitivitySettings
from metaeval.analyses.sentences import listed
from metaeval.errors import counted
from metaeval.model.report import Cell, Column, Finding, Kind, Table
from metaeval.stats.correlation import mean_over_sets
from metaeval.study.human import People
from metaeval.study.study import Part, Study

Scores = NDArray[np.float64]

FLAT = 0.01
"""Settings whose correlation is so near to the best one count as its equals."""

SAME = 1e-9
"""How far below 1 the tau of equal rankings may be."""


def tabulate(study: Study, settings: SensitivitySettings, result: Sensitivities) -> Part:
    """Every measure over a grid of its parameters: scores, rankings, and how well it follows people there.

    Table `sensitivity`: measure, a column a parameter, score (mean over the systems), tau (with the ranking at the
    default), with people a column each and `mean`. Table `sensitivity_best` with people: measure, human, best, value,
    flat. Table `sensitivity_scores`: measure, the parameters, a column a system. Table `sensitivity_map` for
    one measure and two parameters: the first as rows, the second as columns.
    """
    cells_of, people = result.cells, result.people
    names = cells_of[0].names
    humans = people.ratings.measures if people is not None else ()
    followed: list[Scores | None] = [*result.correlations] or [None] * len(cells_of)
    heads = (Column("measure"), *(Column(name) for name in names))
    mean = ("mean",) if len(humans) > 1 else ()
    main = Table(
        "sensitivity",
        f"{counted(sum(len(cells.points) for cells in cells_of), 'setting')} of {counted(len(cells_of), 'measure')}",
        (*heads, *(Column(name, Kind.SCORE) for name in ("score", "tau", *_called(humans, names), *mean))),
        tuple(row for cells, values in zip(cells_of, followed, strict=True) for row in _rows(study, cells, values)),
    )
    of_systems = Table(
        "sensitivity_scores",
        "Scores of every system",
        (*heads, *(Column(system, Kind.SCORE) for system in study.systems)),
        tuple(
            (cells.measure, *point, *row)
            for cells in cells_of
            for point, row in zip(cells.points, _as_measured(study, cells).tolist(), strict=True)
        ),
        detail=True,
    )
    best = [_best(people, cells_of, followed)] if people is not None else []
    maps = _maps(cells_of, followed)
    # Where a map shows the grid at a glance, its long form is for files.
    tables = [replace(main, detail=bool(maps)), *best, *maps, of_systems]
    findings = [
        *(on_settings(_followers(best[0])) if best else ()),
        *on_rankings([cells.measure for cells in cells_of], [cells.tau for cells in cells_of]),
    ]
    notes = [*(people.notes if people is not None else ()), *_notes(study, settings, cells_of, people)]
    files = [*([result.weightings.file] if result.weightings else []), *(people.files if people is not None else ())]
    return Part(tables, notes, findings, files)


def _followers(best: Table) -> list[tuple[str, str, str, float, float]]:
    """The best setting of each measure, by the people taken together where they are several."""
    last = {str(measure): (human, setting, value, flat) for measure, human, setting, value, flat in best.rows}
    return [
        (measure, str(human), str(setting), value, flat)
        for measure, (human, setting, value, flat) in last.items()
        if isinstance(value, float) and isinstance(flat, float)
    ]


def _called(humans: Sequence[str], names: Sequence[str]) -> list[str]:
    """People as columns: one who is called like another column is told from it."""
    taken = ("measure", *names, "score", "tau", "mean")
    return [f"human {human}" if human in taken else human for human in humans]


def _as_measured(study: Study, cells: Cells) -> Scores:
    direction = study.scores.directions[study.measure_names.index(cells.measure)]
    return cells.scores * direction.sign


def _rows(study: Study, cells: Cells, followed: Scores | None) -> Iterator[tuple[Cell, ...]]:
    scores = _as_measured(study, cells).mean(axis=-1).tolist()
    for place, (point, score, tau) in enumerate(zip(cells.points, scores, cells.tau.tolist(), strict=True)):
        people = [] if followed is None else followed[place].tolist()
        mean = [float(mean_over_sets(followed[place]))] if followed is not None and len(people) > 1 else []
        yield (cells.measure, *point, score, tau, *people, *mean)


def _best(people: People, found: Sequence[Cells], followed: Sequence[Scores | None]) -> Table:
    """The setting that follows each of the people best, and how many others do about as well."""
    rows: list[tuple[Cell, ...]] = []
    for cells, values in zip(found, followed, strict=True):
        assert values is not None
        columns = [*zip(people.ratings.measures, values.T, strict=True)]
        if len(columns) > 1:
            columns.append(("mean", mean_over_sets(values)))
        for human, column in columns:
            if np.isnan(column).all():
                rows.append((cells.measure, human, None, None, None))
                continue
            best = int(np.nanargmax(column))
            setting = ",".join(f"{name}={value}" for name, value in zip(cells.names, cells.points[best], strict=True))
            flat = float((column >= column[best] - FLAT).mean())
            rows.append((cells.measure, human, setting, float(column[best]), flat))
    return Table(
        "sensitivity_best",
        "The settings that follow people best, and the share of settings within .01 of them",
        (Column("measure"), Column("human"), Column("best"), Column("value", Kind.SCORE), Column("flat", Kind.SCORE)),
        tuple(rows),
    )


def _maps(found: Sequence[Cells], followed: Sequence[Scores | None]) -> list[Table]:
    """For one measure and two parameters a matrix of what matters most: people, else the ranking."""
    if len(found) != 1 or len(found[0].names) != 2:
        return []
    cells, values = found[0], followed[0]
    shown = cells.tau if values is None else mean_over_sets(values)
    rows, columns = (list(dict.fromkeys(point[axis] for point in cells.points)) for axis in (0, 1))
    matrix = shown.reshape(len(rows), len(columns))
    defined = shown[~np.isnan(shown)]
    bands = tuple(float(bound) for bound in np.unique(np.quantile(defined, [1 / 3, 2 / 3]))) if len(defined) else ()
    what = "tau with the ranking at the default" if values is None else "correlation with people"
    first, second = cells.names
    return [
        Table(
            "sensitivity_map",
            f"{cells.measure}: {what}, by {first} (rows) and {second} (columns)",
            (Column(first), *(Column(f"{second}={value}", Kind.SCORE, bands=bands) for value in columns)),
            tuple((value, *row) for value, row in zip(rows, matrix.tolist(), strict=True)),
        )
    ]


def _notes(study: Study, settings: SensitivitySettings, found: Sequence[Cells], people: People | None) -> list[str]:
    notes = ["score: the mean over the systems; tau: of the ranking with that of the measure as it was asked for"]
    if people is not None:
        notes.append(f"people: {settings.coefficient} over {counted(len(study.systems), 'system')}")
    for cells in found:
        tau = cells.tau
        undefined = int(np.isnan(tau).sum())
        if undefined:
            points = counted(undefined, "setting")
            notes.append(f"{cells.measure}: no tau at {points}: all systems score alike, or a score is undefined")
        if not np.isnan(tau).all():
            notes.append(
                f"{cells.measure}: {int((tau > 1 - SAME).sum())} of {counted(len(tau), 'setting')} rank the systems as "
                f"the default does; the lowest tau is {np.nanmin(tau):.2f}"
            )
    return notes


def on_settings(best: Sequence[tuple[str, str, str, float, float]]) -> list[Finding]:
    """Which setting follows people best, and whether that matters.

    best: of each measure its name, the people, its best setting, the correlation there, and the share of settings that
    are about as good.
    """
    if not best:
        return []
    measure, human, setting, value, flat = max(best, key=lambda each: each[3])
    told = f"{measure} follows people best at {setting} ({human}: {value:.2f})"
    return [Finding("sensitivity", f"{told}; {flat:.0%} of the settings are within .01 of it")]


def on_rankings(names: Sequence[str], tau: Sequence[Scores]) -> list[Finding]:
    """Under which measure settings change the ranking most; tau: of each measure with its default, (P,) each."""
    lowest = np.array([np.nan if np.isnan(each).all() else np.nanmin(each) for each in tau])
    if np.isnan(lowest).all():
        return []
    most = int(np.nanargmin(lowest))
    same = [name for name, low in zip(names, lowest.tolist(), strict=True) if low > 1 - SAME]
    if len(same) == len(names):
        return [Finding("sensitivity", "no setting changes the ranking of the systems")]
    told = f"settings change the ranking most under {names[most]} (lowest tau with the default {lowest[most]:.2f})"
    return [Finding("sensitivity", f"{told}; not at all under: {listed(same)}" if same else told)]
