"""Tables and findings of `score`."""

from __future__ import annotations

import math

import numpy as np

from metaeval.analyses.score.compute import SystemScores, index_of
from metaeval.analyses.score.settings import ScoreSettings
from metaeval.analyses.sentences import NAMED_AT_MOST, all_or_names, best_of, join_names
from metaeval.errors import pluralize, setting
from metaeval.io.scores.rows import TIDY_COLUMNS, ScoreRows
from metaeval.model.distributions import DistributionRuns
from metaeval.model.labels import ClassRuns
from metaeval.model.report import Column, Finding, Kind, Note, Table, count, flag, score, table, text
from metaeval.model.scores import ItemScores, ScoreCube
from metaeval.scoring.confusion import counts_of
from metaeval.stats.ratio import divide
from metaeval.study.capabilities import DISTRIBUTIONS, LABELS
from metaeval.study.evidence import FEW_CELLS
from metaeval.study.study import AnalysisOutput, Study, undefined_notes

MANY_CONFUSIONS = 200_000
"""Number of cells of all confusion matrices above which those without items are left out."""


def tabulate(study: Study, settings: ScoreSettings, result: SystemScores) -> AnalysisOutput:
    """Scores with ranks beside them, and what they are based on: confusions, class shares, scores of single items."""
    tables = _tables(study, settings, result)
    cube, sort_by = result.cube, settings.sort_by
    notes = undefined_notes(study, cube)
    if sort_by not in (None, "system") and index_of(str(sort_by), cube.measures) is None:
        first = f"the rows are in the order of {cube.measures[0]}"
        notes.append(f"{setting('sort_by', sort_by)} of the experiment file is not among the measures: {first}")
    if result.cells is None:
        return AnalysisOutput(tables, notes, on_scores(study.scores, study.config.ranked_as))
    return AnalysisOutput(tables, [*notes, *_notes_on_gaps(study, result)])


def _tables(study: Study, settings: ScoreSettings, result: SystemScores) -> list[Table]:
    cube = result.cube
    systems = text("system", cube.systems)
    trivial = [flag("trivial", [name in result.trivial for name in cube.systems])] if settings.trivial else []
    names = pluralize(len(study.systems), "system") if study.systems else "Trivial systems"
    title = f"{names} on {pluralize(len(study.items), 'item')}"
    ranks = table(
        "ranks",
        f"{title}: ranks",
        systems,
        *(count(measure, ranks, where=ranks > 0) for measure, ranks in zip(cube.measures, result.ranks, strict=True)),
        *trivial,
        order=result.order,
    )
    scores = table(
        "scores",
        f"{title}: score (rank)",
        systems,
        *(
            score(measure, values, higher_is_better=direction.sign > 0)
            for measure, values, direction in zip(cube.measures, cube.values, cube.directions, strict=True)
        ),
        *trivial,
        order=result.order,
        beside=ranks,
        subject=title,
    )
    tables = [scores]
    if result.cells is not None:
        cells = (count(measure, cells) for measure, cells in zip(cube.measures, result.cells, strict=True))
        title = "Number of items that a score is the mean of"
        tables.append(table("cells", title, systems, *cells, *trivial, order=result.order))
    labels, distributions = study.find(LABELS), study.find(DISTRIBUTIONS)
    if labels is not None and labels.runs.systems:
        tables.append(confusion_table(labels.runs))
    if distributions is not None and study.systems:
        tables.append(shares_table(distributions))
    if result.items is not None:
        tables.append(item_table(result.items))
    return tables


def _notes_on_gaps(study: Study, result: SystemScores) -> list[Note | str]:
    """Notes on scores that are means over other items, and on systems without a rank."""
    assert result.cells is not None
    assert result.cyclic is not None
    assert result.apart is not None
    notes: list[Note | str] = ["ranks: 1 and the number of systems that are better on the items that both have"]
    every = zip(study.measure_names, result.cells, result.cyclic, result.apart, strict=True)
    for name, cells, cyclic, apart in every:
        few = [study.systems[index] for index in np.flatnonzero(cells < FEW_CELLS * len(study.items)).tolist()]
        if few:
            share = 100 * cells.min() / len(study.items)
            notes.append(
                f"warning: {name}: fewer than {100 * FEW_CELLS:.0f} % of the items for {', '.join(few)} "
                f"(at least {share:.0f} %)"
            )
        if cyclic.any():
            systems = [study.systems[index] for index in np.flatnonzero(cyclic).tolist()]
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


def confusion_table(runs: ClassRuns) -> Table:
    """The number and the share of the items of each gold class by predicted class; of very many, those that occur."""
    counts = counts_of(runs)
    shares = divide(counts.astype(np.float64), counts.sum(axis=-1, keepdims=True))
    labels = runs.scale.predicted_labels
    of_gold = counts[:, : len(runs.scale)]
    shown = np.ones(of_gold.shape, dtype=np.bool_) if of_gold.size <= MANY_CONFUSIONS else of_gold > 0
    system, gold, predicted = np.nonzero(shown)
    title = "Confusion matrices: share of the items of each gold class"
    return table(
        "confusions",
        title if shown.all() else f"{title}, of the confusions that occur",
        text("system", [runs.systems[index] for index in system]),
        text("gold", [labels[index] for index in gold]),
        text("predicted", [labels[index] for index in predicted]),
        count("items", counts[system, gold, predicted]),
        score("share", shares[system, gold, predicted]),
        detail=True,
    )


def shares_table(runs: DistributionRuns) -> Table:
    """The mean probability of each class over all items, predicted by each system and of gold."""
    labels, systems = runs.scale.labels, runs.systems
    return table(
        "class_shares",
        "Class shares of all items",
        text("system", np.repeat(systems, len(labels))),
        text("class", np.tile(labels, len(systems))),
        score("predicted", runs.predicted.mean(axis=1).ravel()),
        score("gold", np.tile(runs.gold.mean(axis=0), len(systems))),
        detail=True,
    )


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
    defined = {measure for measures in under.values() for measure in measures}
    always = [system for system, measures in best if len(measures) == len(defined)]
    if always:
        ties = [
            f"; {system} is as good under {join_names(measures)}" for system, measures in best if system not in always
        ]
        has = "has" if len(always) == 1 else "share"
        which = all_or_names(under[always[0]], len(cube.measures))
        sentence = f"{join_names(always)} {has} the best score under {which}{''.join(ties[:NAMED_AT_MOST])}"
    else:
        listed = "; ".join(
            f"{system} under {len(measures)} ({join_names(measures)})" for system, measures in best[:NAMED_AT_MOST]
        )
        rest = len(best) - NAMED_AT_MOST
        more = f"; {pluralize(rest, 'other')} under fewer" if rest > 0 else ""
        sentence = f"the best system depends on the measure: {listed}{more}"
    return [Finding("score", sentence)]
