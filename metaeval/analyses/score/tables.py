"""The tables of `score`, and what to say of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from metaeval.analyses.score.compute import Scored
from metaeval.analyses.score.settings import ScoreSettings
from metaeval.analyses.sentences import NAMED_AT_MOST, best_of, every, listed
from metaeval.errors import counted
from metaeval.io.scores.rows import TIDY_COLUMNS, ScoreRows
from metaeval.model.labels import ClassRuns
from metaeval.model.report import Cell, Column, Finding, Kind, Table
from metaeval.model.scores import ItemScores, ScoreCube
from metaeval.scoring.confusion import counts_of
from metaeval.stats.ratio import divide
from metaeval.study.capabilities import LABELS
from metaeval.study.study import Part, Study, undefined_notes


def tabulate(study: Study, settings: ScoreSettings, found: Scored) -> Part:
    """The tables of `score`, and what to say of them."""
    cube, order = found.cube, found.order
    flags = [[name in found.trivial] if settings.trivial else [] for name in cube.systems]
    flag_column = [Column("trivial", Kind.FLAG)] if settings.trivial else []

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
    beside = table(
        "ranks", f"{title}: ranks", [Column(name, Kind.COUNT) for name in cube.measures], found.ranks.T.tolist()
    )
    items = [item_table(found.items)] if found.items is not None else []
    labels = study.find(LABELS)
    confusions = confusion_tables(labels.runs) if labels is not None else []
    tables = [replace(scores, beside=beside), *confusions, *items]
    return Part(tables, undefined_notes(cube), on_scores(study.scores) if study.systems else [])


def item_table(scores: ItemScores) -> Table:
    """Table `item_scores`: measure, system, item, value."""
    measures, systems, items = scores.values.shape
    columns = tuple(Column(name, Kind.SCORE if name == "value" else Kind.TEXT) for name in TIDY_COLUMNS)
    title = f"Scores of {items:,} items, {systems} systems, {measures} measures"
    return Table("item_scores", title, columns, ScoreRows(scores), detail=True)


def confusion_tables(runs: ClassRuns) -> list[Table]:
    """Table `confusions`: for each system, gold class and predicted class the items, and their share of the gold class.

    None where there is no system.
    """
    if not runs.systems:
        return []
    counts = counts_of(runs)
    shares = divide(counts.astype(np.float64), counts.sum(axis=-1, keepdims=True))
    labels = runs.scale.labels
    rows: list[tuple[Cell, ...]] = [
        (runs.systems[system], labels[gold], labels[predicted], int(items), float(shares[system, gold, predicted]))
        for (system, gold, predicted), items in np.ndenumerate(counts)
    ]
    columns = (*map(Column, ("system", "gold", "predicted")), Column("items", Kind.COUNT), Column("share", Kind.SCORE))
    title = "Confusion matrices: share of the items of each gold class"
    return [Table("confusions", title, columns, tuple(rows), detail=True)]


def on_scores(cube: ScoreCube) -> list[Finding]:
    """Which systems are best, and whether that depends on the measure; cube: of the real systems, without axes."""
    if len(cube.systems) < 2:
        return []
    values = cube.oriented().values
    under: dict[str, list[str]] = {}
    for measure, scores in zip(cube.measures, values, strict=True):
        for system in best_of(cube.systems, scores):
            under.setdefault(system, []).append(measure)
    if not under:
        return []
    ordered = sorted(under.items(), key=lambda each: -len(each[1]))
    first, chosen = ordered[0]
    if len(ordered) == 1:
        whole = len(chosen) > 1 and len(chosen) == len(cube.measures)
        return [Finding("score", f"{first} is the best system by {every(len(chosen)) if whole else listed(chosen)}")]
    if len(cube.measures) == 1:
        return [Finding("score", f"{listed([name for name, _ in ordered])} are equally good by {cube.measures[0]}")]
    told = "; ".join(f"{name} by {len(by)} ({listed(by)})" for name, by in ordered[:NAMED_AT_MOST])
    rest = len(ordered) - NAMED_AT_MOST
    more = f"; {counted(rest, 'other')} by fewer" if rest > 0 else ""
    return [Finding("score", f"which system is best depends on the measure: {told}{more}")]
