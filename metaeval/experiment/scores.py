"""Systems under measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from metaeval.config import ExperimentConfig, ScoreConfig
from metaeval.errors import InputError, UnknownName, counted
from metaeval.experiment.confusions import confusion_tables
from metaeval.experiment.findings import on_scores
from metaeval.experiment.item_study import ItemStudy
from metaeval.experiment.label_study import LabelStudy, score_with_trivial
from metaeval.experiment.reading import read_study
from metaeval.experiment.study import Part, Study, silently, undefined_notes
from metaeval.io.dataset import Track
from metaeval.io.score_rows import TIDY_COLUMNS, score_rows
from metaeval.measures import measure
from metaeval.model.report import Cell, Column, Kind, Report, Table
from metaeval.model.scores import ScoreCube
from metaeval.stats.rank import competition_ranks


def score(config: ExperimentConfig, *, command_line: str = "", track: Track = silently) -> Report:
    """Every system under every measure, with ranks.

    Table `scores`: system, a column a measure, and with trivial systems the flag `trivial`. Table `ranks`: the same
    columns with places from 1, ties sharing the lowest. Table `confusions`, of labels: system, gold, predicted, items,
    share (of the items of that gold class). Table `item_scores`, where it is asked for: measure, system, item, value.
    """
    study = read_study(config, track=track)
    return study.report("score", score_tables(study), command_line=command_line)


def score_tables(study: Study) -> Part:
    """The tables of `score`, and what to say of them."""
    wanted = study.config.score or ScoreConfig()
    _check_per_item(study, wanted)
    study.check_measures()
    cube, trivial = _with_trivial(study) if isinstance(study, LabelStudy) and wanted.trivial else (study.scores, ())
    ranks = competition_ranks(cube.oriented().values)
    order = _order_of_systems(cube, wanted.sort_by)
    flags = [[name in trivial] if wanted.trivial else [] for name in cube.systems]
    flag_column = [Column("trivial", Kind.FLAG)] if wanted.trivial else []

    def table(name: str, title: str, columns: Sequence[Column], cells: Sequence[Sequence[Cell]]) -> Table:
        rows = tuple((cube.systems[place], *cells[place], *flags[place]) for place in order)
        return Table(name, title, (Column("system"), *columns, *flag_column), rows)

    whose = counted(len(study.systems), "system") if study.systems else "Trivial systems"
    title = f"{whose} on {counted(len(study.items), 'item')}"
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
    items = [item_table(study)] if wanted.per_item is not None and isinstance(study, ItemStudy) else []
    confusions = confusion_tables(study.runs) if isinstance(study, LabelStudy) else []
    tables = [replace(scores, beside=beside), *confusions, *items]
    return Part(tables, undefined_notes(cube), on_scores(study.scores) if study.systems else [])


def _with_trivial(study: LabelStudy) -> tuple[ScoreCube, tuple[str, ...]]:
    """Scores of the systems and of trivial ones after them, and the names of these."""
    return score_with_trivial(study.runs, study.measures, seed=study.config.seed)


def _check_per_item(study: Study, wanted: ScoreConfig) -> None:
    if wanted.per_item is not None and not isinstance(study, ItemStudy):
        raise InputError.at(
            found=f"scores of single items with --task {study.config.data.task}",
            expected="--task texts, r4c or table",
            hint="measures of labels are computed from counts over all items: leave --per-item out",
        )


def item_table(study: ItemStudy) -> Table:
    """Table `item_scores`: measure, system, item, value."""
    scores = study.item_scores
    measures, systems, items = scores.values.shape
    columns = tuple(Column(name, Kind.SCORE if name == "value" else Kind.TEXT) for name in TIDY_COLUMNS)
    title = f"Scores of {items:,} items, {systems} systems, {measures} measures"
    return Table("item_scores", title, columns, score_rows(scores), detail=True)


def _order_of_systems(cube: ScoreCube, sort_by: str | None) -> list[int]:
    """Places of the systems as rows: by a measure, best first and undefined last, or by name."""
    if sort_by == "system":
        return sorted(range(len(cube.systems)), key=lambda place: cube.systems[place])
    place = 0
    if sort_by:
        place = _place_of(sort_by, cube.measures)
    better = cube.oriented().values[place]
    return [int(system) for system in np.argsort(-better, kind="stable")]


def _place_of(name: str, measures: Sequence[str]) -> int:
    """Where a measure stands, however it is written; a table may hold measures that nobody else knows."""
    if name in measures:
        return measures.index(name)
    for place, known in enumerate(measures):
        try:
            if measure(known) == measure(name):
                return place
        except (InputError, UnknownName):
            continue
    raise InputError.at(
        found=f"rows sorted by '{name}', which is not in the table",
        expected=f"system, or one of {', '.join(measures)}",
        hint=f"add it with -m {name}",
    )
