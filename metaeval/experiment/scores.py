"""Systems under measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from metaeval.config import ExperimentConfig, ScoreConfig
from metaeval.errors import InputError, counted
from metaeval.experiment.study import Study, read_study, score_runs, silently, undefined_notes
from metaeval.io.dataset import Track
from metaeval.measures import measure
from metaeval.model.report import Cell, Column, Kind, Report, Table
from metaeval.model.scores import ScoreCube
from metaeval.scoring.trivial import with_trivial_systems
from metaeval.stats.rank import competition_ranks


def score(config: ExperimentConfig, *, command_line: str = "", track: Track = silently) -> Report:
    """Every system under every measure, with ranks.

    Table `scores`: system, a column a measure, and with trivial systems the flag `trivial`. Table `ranks`: the same
    columns with places from 1, ties sharing the lowest.
    """
    study = read_study(config, track=track)
    tables, notes = score_tables(study)
    return study.report("score", tables, notes, command_line=command_line)


def score_tables(study: Study) -> tuple[list[Table], list[str]]:
    """The tables of `score`, and what to say of them."""
    wanted = study.config.score or ScoreConfig()
    runs = with_trivial_systems(study.runs, seed=study.config.seed) if wanted.trivial else study.runs
    cube = score_runs(runs, study.measures) if wanted.trivial else study.scores
    ranks = competition_ranks(cube.oriented().values)
    order = _order_of_systems(cube, wanted.sort_by)
    flags = [[name in runs.trivial] if wanted.trivial else [] for name in runs.systems]
    flag_column = [Column("trivial", Kind.FLAG)] if wanted.trivial else []

    def table(name: str, title: str, columns: Sequence[Column], cells: Sequence[Sequence[Cell]]) -> Table:
        rows = tuple((cube.systems[place], *cells[place], *flags[place]) for place in order)
        return Table(name, title, (Column("system"), *columns, *flag_column), rows)

    whose = counted(len(study.runs.systems), "system") if study.runs.systems else "Trivial systems"
    title = f"{whose} on {counted(len(runs.items), 'item')}"
    scores = table(
        "scores",
        f"{title}: score (rank)",
        [
            Column(name, Kind.SCORE, higher_is_better=better.sign > 0)
            for name, better in zip(cube.measures, cube.directions, strict=True)
        ],
        cube.values.T.tolist(),
    )
    beside = table("ranks", f"{title}: ranks", [Column(name, Kind.COUNT) for name in cube.measures], ranks.T.tolist())
    return [replace(scores, beside=beside)], undefined_notes(cube)


def _order_of_systems(cube: ScoreCube, sort_by: str | None) -> list[int]:
    """Places of the systems as rows: by a measure, best first and undefined last, or by name."""
    if sort_by == "system":
        return sorted(range(len(cube.systems)), key=lambda place: cube.systems[place])
    place = 0
    if sort_by:
        shown = [measure(name) for name in cube.measures]
        if measure(sort_by) not in shown:
            raise InputError.at(
                found=f"rows sorted by '{sort_by}', which is not in the table",
                expected=f"system, or one of {', '.join(cube.measures)}",
                hint=f"add it with -m {sort_by}",
            )
        place = shown.index(measure(sort_by))
    better = cube.oriented().values[place]
    return [int(system) for system in np.argsort(-better, kind="stable")]
