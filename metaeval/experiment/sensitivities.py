"""What does a parameter do?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.sentences import SAME, on_rankings, on_settings
from metaeval.config import ExperimentConfig, SensitivityConfig
from metaeval.errors import InputError, MetaevalError, counted
from metaeval.io.dataset import Track
from metaeval.io.scores.weightings import read_weightings
from metaeval.measures import Measure
from metaeval.measures.grids import Axis, at_point, points
from metaeval.model.report import Cell, Column, Kind, Report, SourceFile, Table
from metaeval.model.scale import ClassScale
from metaeval.stats.correlation import correlate, mean_over_sets
from metaeval.stats.rank_correlation import kendall_b
from metaeval.study.human import People, read_people
from metaeval.study.items import ItemStudy
from metaeval.study.labels import LabelStudy, score_runs
from metaeval.study.read import read_study
from metaeval.study.study import Part, Study, check_rankable, silently

Scores = NDArray[np.float64]

WEIGHTING = "weighting"

FLAT = 0.01
"""Cells this near to the best one count as its equals."""


@dataclass(frozen=True)
class Cells:
    """A measure at every point of a grid, P of them, under each weighting.

    names: of the axes. points: the values of each, as written. scores: of every system, higher better, (P, S).
    default: of the measure as it was asked for, (S,). items: of single items, (P, S, N), where there are such.
    """

    measure: str
    names: tuple[str, ...]
    points: tuple[tuple[str, ...], ...]
    scores: Scores
    default: Scores
    items: Scores | None = None

    @property
    def tau(self) -> Scores:
        """tau-b of each ranking with that of the default, (P,)."""
        return kendall_b(self.scores, np.broadcast_to(self.default, self.scores.shape))


def sensitivity(config: ExperimentConfig, *, command_line: str = "", track: Track = silently) -> Report:
    """Every measure over a grid of its parameters: scores, rankings, and how well it follows people there.

    Table `sensitivity`: measure, a column a parameter, score (mean over the systems), tau (with the ranking at the
    default), with people a column each and `mean`. Table `sensitivity_best` with people: measure, human, best, value,
    flat. Table `sensitivity_scores`: measure, the parameters, a column a system. Table `sensitivity_map` for
    one measure and two parameters: the first as rows, the second as columns.
    """
    study = read_study(config, track=track)
    people = read_people(study, track=track) if config.data.human else None
    found, files = find_sensitivities(study)
    part = sensitivity_tables(study, people, found).after(files=files)
    section = config.sensitivity or SensitivityConfig()
    return study.report("sensitivity", part, command_line=command_line, sections=[section])


def find_sensitivities(study: Study) -> tuple[list[Cells], tuple[SourceFile, ...]]:
    """Compute what `sensitivity` tells; and the files that it took beside the study's."""
    check_rankable(study)
    wanted = study.config.sensitivity or SensitivityConfig()
    axes = [Axis.parse(text) for text in wanted.grid]
    weightings: dict[str, Mapping[str, float]] = {}
    files: tuple[SourceFile, ...] = ()
    if wanted.weights is not None:
        weightings, file = read_weightings(wanted.weights)
        files = (file,)
    if not axes and not weightings:
        raise InputError.at(
            found="no grid",
            expected="values of a parameter, or weightings of the classes",
            hint="as in --grid lambda=0:1:0.1, or --weights FILE",
        )
    return [_cells(study, measure, axes, weightings) for measure in _measures(study)], files


def _measures(study: Study) -> tuple[Measure, ...]:
    if isinstance(study, (ItemStudy, LabelStudy)) and study.measures:
        return study.measures
    raise InputError.at(
        found="a grid of parameters with --task table, whose scores are given",
        expected="labels, texts or derivations",
    )


def _cells(
    study: Study, measure: Measure, axes: Sequence[Axis], weightings: Mapping[str, Mapping[str, float]]
) -> Cells:
    grid = points(axes)
    measures = [at_point(measure, axes, point) for point in grid]
    sign = measure.better.sign
    if isinstance(study, LabelStudy):
        default = score_runs(study.runs, [measure]).values[0] * sign
        if not weightings:
            scores = score_runs(study.runs, measures).values * sign
            return Cells(str(measure), _names(axes), tuple(grid), scores, default)
        scales = {name: _weighted(study, name, weights) for name, weights in weightings.items()}
        parts = [score_runs(replace(study.runs, scale=scale), measures).values * sign for scale in scales.values()]
        told = tuple((name, *point) for name in scales for point in grid)
        return Cells(str(measure), (WEIGHTING, *_names(axes)), told, np.concatenate(parts), default)
    if weightings:
        raise InputError.at(
            found=f"weightings of classes with --task {study.config.data.task}", expected="data with labels"
        )
    assert isinstance(study, ItemStudy)
    items = study.scoring(study.runs, [measure, *measures], f"Comparing {len(measures)} settings")
    means = items.mean().values * sign
    return Cells(str(measure), _names(axes), tuple(grid), means[1:], means[0], items.values[1:] * sign)


def _weighted(study: LabelStudy, name: str, weights: Mapping[str, float]) -> ClassScale:
    try:
        return study.runs.scale.with_weights(weights)
    except MetaevalError as error:
        wanted = study.config.sensitivity or SensitivityConfig()
        problem = error.problems[0] if isinstance(error, InputError) else None
        raise InputError.at(
            wanted.weights,
            found=f"weighting '{name}': {problem.found if problem else str(error).rstrip('.')}",
            expected=problem.expected
            if problem and problem.expected
            else f"a weight for each class of {study.runs.scale}",
        ) from None


def _names(axes: Sequence[Axis]) -> tuple[str, ...]:
    return tuple(axis.name for axis in axes)


def _followed(study: Study, people: People, cells: Cells) -> Scores:
    """Correlation of the systems' scores at every point with each of the people, (P, H)."""
    wanted = study.config.sensitivity or SensitivityConfig()
    signs = np.array([one.sign for one in people.ratings.directions], dtype=np.float64)[:, np.newaxis, np.newaxis]
    human = people.ratings.values * signs
    if cells.items is not None and people.by_item:
        found = correlate(cells.items, human, level="system", coefficient=wanted.coefficient)
    else:
        means = mean_over_sets(human)[..., np.newaxis]
        found = correlate(cells.scores[..., np.newaxis], means, level="system", coefficient=wanted.coefficient)
    return found.values


def sensitivity_tables(study: Study, people: People | None, found: Sequence[Cells]) -> Part:
    """The tables of `sensitivity`, and what to say of them."""
    names = found[0].names
    humans = people.ratings.measures if people is not None else ()
    followed = [_followed(study, people, cells) if people is not None else None for cells in found]
    heads = (Column("measure"), *(Column(name) for name in names))
    mean = ("mean",) if len(humans) > 1 else ()
    main = Table(
        "sensitivity",
        f"{counted(sum(len(cells.points) for cells in found), 'setting')} of {counted(len(found), 'measure')}",
        (*heads, *(Column(name, Kind.SCORE) for name in ("score", "tau", *_called(humans, names), *mean))),
        tuple(row for cells, values in zip(found, followed, strict=True) for row in _rows(study, cells, values)),
    )
    of_systems = Table(
        "sensitivity_scores",
        "Scores of every system",
        (*heads, *(Column(system, Kind.SCORE) for system in study.systems)),
        tuple(
            (cells.measure, *point, *row)
            for cells in found
            for point, row in zip(cells.points, _as_measured(study, cells).tolist(), strict=True)
        ),
        detail=True,
    )
    best = [_best(people, found, followed)] if people is not None else []
    maps = _maps(found, followed)
    # Where a map shows the grid at a glance, its long form is for files.
    tables = [replace(main, detail=bool(maps)), *best, *maps, of_systems]
    findings = [
        *(on_settings(_followers(best[0])) if best else ()),
        *on_rankings([cells.measure for cells in found], [cells.tau for cells in found]),
    ]
    if people is None:
        return Part(tables, _notes(study, found, people), findings)
    return Part(tables, [*people.notes, *_notes(study, found, people)], findings, people.files)


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


def _notes(study: Study, found: Sequence[Cells], people: People | None) -> list[str]:
    wanted = study.config.sensitivity or SensitivityConfig()
    notes = ["score: the mean over the systems; tau: of the ranking with that of the measure as it was asked for"]
    if people is not None:
        notes.append(f"people: {wanted.coefficient} over {counted(len(study.systems), 'system')}")
    for cells in found:
        tau = cells.tau
        undefined = int(np.isnan(tau).sum())
        if undefined:
            settings = counted(undefined, "setting")
            notes.append(f"{cells.measure}: no tau at {settings}: all systems score alike, or a score is undefined")
        if not np.isnan(tau).all():
            notes.append(
                f"{cells.measure}: {int((tau > 1 - SAME).sum())} of {counted(len(tau), 'setting')} rank the systems as "
                f"the default does; the lowest tau is {np.nanmin(tau):.2f}"
            )
    return notes
