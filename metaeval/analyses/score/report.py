"""Tables and findings of `score`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from metaeval.analyses.score.compute import SystemScores, place_of
from metaeval.analyses.score.settings import ScoreSettings
from metaeval.analyses.sentences import NAMED_AT_MOST, all_or_names, best_of, join_names
from metaeval.errors import pluralize, setting
from metaeval.io.scores.rows import TIDY_COLUMNS, ScoreRows
from metaeval.model.distributions import DistributionRuns
from metaeval.model.labels import ClassRuns
from metaeval.model.report import Cell, Column, Finding, Kind, Table
from metaeval.model.scores import ItemScores, ScoreCube
from metaeval.scoring.confusion import counts_of
from metaeval.stats.ratio import divide
from metaeval.study.capabilities import DISTRIBUTIONS, LABELS
from metaeval.study.evidence import FEW_CELLS
from metaeval.study.study import AnalysisOutput, Study, undefined_notes

MANY_CONFUSIONS = 200_000
"""Number of cells of all confusion matrices above which those without items are left out."""


def tabulate(study: Study, settings: ScoreSettings, result: SystemScores) -> AnalysisOutput:
    """Table `scores` with `ranks` beside it, `cells` (of gaps), `confusions`, `class_shares` and `item_scores`."""
    cube = result.cube
    flags = [[name in result.trivial] if settings.trivial else [] for name in cube.systems]
    flag_column = [Column("trivial", Kind.FLAG)] if settings.trivial else []

    def table(name: str, title: str, columns: Sequence[Column], cells: Sequence[Sequence[Cell]]) -> Table:
        rows = tuple((cube.systems[place], *cells[place], *flags[place]) for place in result.order)
        return Table(name, title, (Column("system"), *columns, *flag_column), rows)

    systems = pluralize(len(study.systems), "system") if study.systems else "Trivial systems"
    title = f"{systems} on {pluralize(len(study.items), 'item')}"
    columns = [
        Column(name, Kind.SCORE, higher_is_better=better.sign > 0)
        for name, better in zip(cube.measures, cube.directions, strict=True)
    ]
    counts = [Column(name, Kind.COUNT) for name in cube.measures]
    cells = [[rank or None for rank in row] for row in result.ranks.T.tolist()]
    ranks = table("ranks", f"{title}: ranks", counts, cells)
    scores = table("scores", f"{title}: score (rank)", columns, cube.values.T.tolist())
    items = [item_table(result.items)] if result.items is not None else []
    labels = study.find(LABELS)
    confusions = confusion_tables(labels.runs) if labels is not None else []
    distributions = study.find(DISTRIBUTIONS)
    shares = [shares_table(distributions)] if distributions is not None and study.systems else []
    tables = [replace(scores, beside=ranks), *confusions, *shares, *items]
    notes = undefined_notes(study, cube)
    sort_by = settings.sort_by
    if sort_by not in (None, "system") and place_of(str(sort_by), cube.measures) is None:
        first = f"the rows are in the order of {cube.measures[0]}"
        notes.append(f"{setting('sort_by', sort_by)} of the experiment file is not among the measures: {first}")
    found = on_scores(study.scores, study.config.ranked_as)
    if result.cells is not None:
        tables.insert(1, table("cells", "Number of items that a score is the mean of", counts, result.cells.T.tolist()))
        notes += _notes_on_gaps(study, result)
        found = []
    return AnalysisOutput(tables, notes, found)


def _notes_on_gaps(study: Study, result: SystemScores) -> list[str]:
    """Notes on scores that are means over other items, and on systems without a rank."""
    assert result.cells is not None
    assert result.cyclic is not None
    assert result.apart is not None
    notes = ["ranks: 1 and the number of systems that are better on the items that both have"]
    every = zip(study.measure_names, result.cells, result.cyclic, result.apart, strict=True)
    for name, cells, cyclic, apart in every:
        few = [study.systems[place] for place in np.flatnonzero(cells < FEW_CELLS * len(study.items)).tolist()]
        if few:
            share = 100 * cells.min() / len(study.items)
            notes.append(
                f"warning: {name}: fewer than {100 * FEW_CELLS:.0f} % of the items for {', '.join(few)} "
                f"(at least {share:.0f} %)"
            )
        if cyclic.any():
            systems = [study.systems[place] for place in np.flatnonzero(cyclic).tolist()]
            notes.append(f"{name}: no ranks of {', '.join(systems)}, whose order on common items is a circle")
        if apart.any():
            pairs = [f"{study.systems[one]} and {study.systems[other]}" for one, other in np.argwhere(apart).tolist()]
            more = f" (of {len(pairs):,} such pairs)" if len(pairs) > 1 else ""
            notes.append(
                f"{name}: {pairs[0]} have no item in common{more} and are not compared; a system that has none in "
                "common with any other has no rank"
            )
    return notes


def item_table(scores: ItemScores) -> Table:
    """Table `item_scores`: measure, system, item, value."""
    measures, systems, items = scores.values.shape
    columns = tuple(Column(name, Kind.SCORE if name == "value" else Kind.TEXT) for name in TIDY_COLUMNS)
    title = f"Scores of {items:,} items, {systems} systems, {measures} measures"
    return Table("item_scores", title, columns, ScoreRows(scores), detail=True)


def confusion_tables(runs: ClassRuns) -> list[Table]:
    """Table `confusions`: system, gold, predicted, items, share (of the gold class); empty without systems.

    Of very many, only those that occur are in the table.
    """
    if not runs.systems:
        return []
    counts = counts_of(runs)
    shares = divide(counts.astype(np.float64), counts.sum(axis=-1, keepdims=True))
    labels = runs.scale.predicted_labels
    of_gold = counts[:, : len(runs.scale)]
    shown = np.ones(of_gold.shape, dtype=np.bool_) if of_gold.size <= MANY_CONFUSIONS else of_gold > 0
    rows: list[tuple[Cell, ...]] = [
        (runs.systems[system], labels[gold], labels[predicted], int(counts[system, gold, predicted]),
         float(shares[system, gold, predicted]))
        for system, gold, predicted in np.argwhere(shown).tolist()
    ]  # fmt: skip
    columns = (*map(Column, ("system", "gold", "predicted")), Column("items", Kind.COUNT), Column("share", Kind.SCORE))
    title = "Confusion matrices: share of the items of each gold class"
    if not shown.all():
        title += ", of the confusions that occur"
    return [Table("confusions", title, columns, tuple(rows), detail=True)]


def shares_table(runs: DistributionRuns) -> Table:
    """Table `class_shares`: system, class, predicted, gold: mean probabilities of all items."""
    gold, predicted = runs.gold.mean(axis=0).tolist(), runs.predicted.mean(axis=1).tolist()
    rows = [
        (system, label, *shares)
        for system, of_classes in zip(runs.systems, predicted, strict=True)
        for label, *shares in zip(runs.scale.labels, of_classes, gold, strict=True)
    ]
    columns = (Column("system"), Column("class"), Column("predicted", Kind.SCORE), Column("gold", Kind.SCORE))
    return Table("class_shares", "Class shares of all items", columns, tuple(rows), detail=True)


def on_scores(cube: ScoreCube, ranked_as: float = math.nan) -> list[Finding]:
    """The systems with the best scores, by measure.

    cube: of the real systems, without leading axes. ranked_as: the oriented score by which an undefined one is ranked.
    """
    if len(cube.systems) < 2:
        return []
    under: dict[str, list[str]] = {}
    ranked = cube.filled(ranked_as).oriented().values
    for measure, scores, values in zip(cube.measures, ranked, cube.values, strict=True):
        for system in [] if np.isnan(values).all() else best_of(cube.systems, scores):
            under.setdefault(system, []).append(measure)
    if not under:
        return []
    best = sorted(under.items(), key=lambda each: -len(each[1]))
    defined = {measure for own in under.values() for measure in own}
    always, others = ([each for each in best if (len(each[1]) == len(defined)) is here] for here in (True, False))
    if always:
        measures = always[0][1]
        which = all_or_names(measures, len(cube.measures))
        ties = "".join(f"; {name} is as good under {join_names(own)}" for name, own in others[:NAMED_AT_MOST])
        names, share = join_names([name for name, _ in always]), "has" if len(always) == 1 else "share"
        sentence = f"{names} {share} the best score under {which}{ties}"
    else:
        listed = "; ".join(f"{name} under {len(own)} ({join_names(own)})" for name, own in best[:NAMED_AT_MOST])
        rest = len(best) - NAMED_AT_MOST
        more = f"; {pluralize(rest, 'other')} under fewer" if rest > 0 else ""
        sentence = f"the best system depends on the measure: {listed}{more}"
    return [Finding("score", sentence)]
