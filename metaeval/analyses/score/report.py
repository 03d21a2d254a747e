"""Tables and findings of `score`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from metaeval.analyses.score.compute import Gaps, SystemScores
from metaeval.analyses.score.settings import ScoreSettings
from metaeval.analyses.sentences import all_or_names, best_of, join_names, table_of_intervals
from metaeval.errors import join_all, pluralize, setting
from metaeval.io.scores.formats import TIDY_COLUMNS, ScoreRows
from metaeval.measures import index_of_measure
from metaeval.model.report import FIRST_SYSTEMS, Column, Finding, Kind, Note, Table, count, flag, score, table, text
from metaeval.model.runs import ClassRuns, DistributionRuns
from metaeval.model.scores import ItemScores, ScoreCube
from metaeval.render.cells import SET_APART_BY
from metaeval.render.plots.canvas import labels, number
from metaeval.render.plots.columns import cells_of, distinct, matrix, names_of, numbers, texts
from metaeval.render.plots.declaration import Picture, Tables, plot
from metaeval.render.plots.dots import RankPlot
from metaeval.render.plots.matrix import Heat, draw_heats
from metaeval.scoring.confusion import counts_of
from metaeval.stats.ratio import divide
from metaeval.study.capabilities import DISTRIBUTIONS, LABELS
from metaeval.study.evidence import FEW_CELLS, notes_on_clusters
from metaeval.study.study import AnalysisOutput, Study, undefined_notes

_OUTCOMES = 3
"""Maximum number of parts of a sentence on the systems that are best under different measures."""

MANY_CONFUSIONS = 200_000
"""Number of cells of all confusion matrices above which those without items are left out."""


def tabulate(study: Study, settings: ScoreSettings, result: SystemScores) -> AnalysisOutput:
    """Scores with ranks beside them, and what they are based on: confusions, class shares, scores of single items."""
    tables = _tables(study, settings, result)
    cube, sort_by = result.cube, settings.sort_by
    notes: list[Note | str] = [*undefined_notes(study, cube)]
    if sort_by not in (None, "system") and index_of_measure(str(sort_by), cube.measures) is None:
        first = f"the rows are in the order of {cube.measures[0]}"
        notes.append(f"{setting('sort_by', sort_by)} of the experiment file is not among the measures: {first}")
    if result.intervals is not None:
        notes += notes_on_clusters(study)
    if result.items is not None:
        without = [name for name in cube.measures if name not in result.items.measures]
        if without:
            notes.append(f"no scores of items under {', '.join(without)}, which are no means over items")
    if result.gaps is None:
        return AnalysisOutput(tables, notes, on_scores(study.scores, study.config.ranked_as))
    return AnalysisOutput(tables, [*notes, *_notes_on_gaps(study, result.gaps)])


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
        f"{title}: scores",
        systems,
        *(
            score(measure, values, higher_is_better=direction.sign > 0, digits=3)
            for measure, values, direction in zip(cube.measures, cube.values, cube.directions, strict=True)
        ),
        *trivial,
        order=result.order,
        beside=ranks,
        subject=title,
        detail=result.intervals is not None,
        first=FIRST_SYSTEMS,
    )
    tables = [scores]
    if result.intervals is not None:
        indices = [index for index in result.order if index < len(study.systems)]
        tables.append(table_of_intervals("intervals", study, indices, result.intervals))
    if result.gaps is not None:
        cells = (count(measure, cells) for measure, cells in zip(cube.measures, result.gaps.cells, strict=True))
        title = "Number of items that a score is the mean of"
        tables.append(table("cells", title, systems, *cells, *trivial, order=result.order, detail=True))
    runs, distributions = study.find(LABELS), study.find(DISTRIBUTIONS)
    if runs is not None and runs.systems:
        tables.append(confusion_table(runs))
    if distributions is not None and study.systems:
        tables.append(shares_table(distributions))
    if result.items is not None:
        tables.append(item_table(result.items))
    return tables


def _notes_on_gaps(study: Study, gaps: Gaps) -> list[Note | str]:
    """Notes on scores that are means over other items, and on systems without a rank."""
    notes: list[Note | str] = ["ranks: 1 and the number of systems that are better on the items that both have"]
    warnings: list[str] = []
    rows = zip(study.measure_names, gaps.cells, gaps.cyclic, gaps.apart, strict=True)
    for name, cells, cyclic, apart in rows:
        few = [study.systems[index] for index in np.flatnonzero(cells < FEW_CELLS * len(study.items)).tolist()]
        if few:
            share = 100 * cells.min() / len(study.items)
            warnings.append(
                f"warning: {name}: fewer than {100 * FEW_CELLS:.0f} % of the items for {', '.join(few)} "
                f"(at least {share:.0f} %)"
            )
        if cyclic.any():
            systems = [study.systems[index] for index in np.flatnonzero(cyclic).tolist()]
            warnings.append(f"{name}: no ranks of {', '.join(systems)}, whose order on common items is a circle")
        if apart.any():
            pairs = [f"{study.systems[one]} and {study.systems[other]}" for one, other in np.argwhere(apart).tolist()]
            more = f" (of {len(pairs):,} such pairs)" if len(pairs) > 1 else ""
            warnings.append(
                f"{name}: {pairs[0]} have no item in common{more} and are not compared; a system that has none in "
                "common with any other has no rank"
            )
    return [*notes, *(Note(warning, on_input=True) for warning in warnings)]


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
    gold_counts = counts[:, : len(runs.scale)]
    is_shown = np.ones(gold_counts.shape, dtype=np.bool_) if gold_counts.size <= MANY_CONFUSIONS else gold_counts > 0
    system, gold, predicted = np.nonzero(is_shown)
    title = "Confusion matrices: share of the items of each gold class"
    return table(
        "confusions",
        title if is_shown.all() else f"{title}, of the confusions that occur",
        text("system", [runs.systems[index] for index in system]),
        text("gold", [labels[index] for index in gold]),
        text("predicted", [labels[index] for index in predicted]),
        count("items", counts[system, gold, predicted], about="items of that gold class with that prediction"),
        score("share", shares[system, gold, predicted], about="share of the items of that gold class"),
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
    rank_scores = cube.filled(ranked_as).oriented().values
    best = {
        measure: tuple(best_of(cube.systems, scores))
        for measure, scores, values in zip(cube.measures, rank_scores, cube.values, strict=True)
        if not np.isnan(values).all()
    }
    if not best:
        return []
    always_best = set(cube.systems).intersection(*best.values())
    leaders = [system for system in cube.systems if system in always_best]
    if leaders:
        has = "has" if len(leaders) == 1 else "share"
        claim = f"{join_names(leaders)} {has} the best score under {all_or_names(list(best), len(cube.measures))}"
        return [Finding("score", sentence) for sentence in (claim, *_as_good(best, always_best))]
    by_systems: dict[tuple[str, ...], list[str]] = {}
    for measure, systems in best.items():
        by_systems.setdefault(systems, []).append(measure)
    outcomes = sorted(by_systems.items(), key=lambda outcome: -len(outcome[1]))
    first_outcomes = outcomes if len(outcomes) <= _OUTCOMES else outcomes[: _OUTCOMES - 1]
    numbers = [measures[0] if len(measures) == 1 else str(len(measures)) for _, measures in first_outcomes]
    if len(first_outcomes[0][1]) > 1:
        numbers[0] += f" of {len(best)}"
    parts = [f"{_tied(systems)} under {number}" for (systems, _), number in zip(first_outcomes, numbers, strict=True)]
    left = len(best) - sum(len(measures) for _, measures in first_outcomes)
    parts += [f"others under the other {left}"] if left else []
    return [Finding("score", f"the best system depends on the measure: {join_all(parts)}")]


def _as_good(best: Mapping[str, Sequence[str]], always: Collection[str]) -> list[str]:
    """A sentence on others that are as good as the best under some measures; best: the best systems by measure."""
    under: dict[str, list[str]] = {}
    for measure, systems in best.items():
        for system in systems:
            if system not in always:
                under.setdefault(system, []).append(measure)
    if len(under) > 1:
        return [f"{join_names(list(under))} are as good under some measures"]
    return [f"{system} is as good under {join_names(measures)}" for system, measures in under.items()]


def _tied(systems: Sequence[str]) -> str:
    """The systems that share the best score, of many only their number."""
    if len(systems) > _OUTCOMES - 1:
        return f"{len(systems)} systems (tied)"
    return f"{join_all(systems)} (tied)" if len(systems) > 1 else systems[0]


MAX_SYSTEMS, MAX_CLASSES = 14, 12
"""Of more, the other systems after the best, and the other classes after the most frequent, are one."""

MAX_SHARES = 29
"""Maximum number of systems whose shares of classes are drawn."""


@plot("confusions", title="Confusion matrices", example="score --config configs/stance.yaml")
def confusions(tables: Tables) -> Picture | None:
    """A small matrix for each system, with the share of each gold class that is predicted as each class."""
    table = tables["confusions"]
    systems, gold = _best_first(tables, distinct(texts(table, "system"))), distinct(texts(table, "gold"))
    classes = distinct([*gold, *texts(table, "predicted")])
    counts = np.zeros((len(systems), len(classes), len(classes)))
    cells = zip(texts(table, "system"), texts(table, "gold"), texts(table, "predicted"), strict=True)
    for (system, row, column), items in zip(cells, np.nan_to_num(numbers(table, "items")), strict=True):
        counts[systems.index(system), classes.index(row), classes.index(column)] = items
    if not counts.any():
        return None
    frequent = np.argsort(-counts[0].sum(axis=1), kind="stable").tolist()
    groups = [[index] for index in range(len(classes))]
    if len(classes) > MAX_CLASSES:
        largest = frequent[: MAX_CLASSES - 1]
        groups = [*([index] for index in sorted(largest)), frequent[MAX_CLASSES - 1 :]]
    ranks = [[index] for index in range(len(systems))]
    if len(systems) > MAX_SYSTEMS:
        ranks = [*ranks[: MAX_SYSTEMS - 1], list(range(MAX_SYSTEMS - 1, len(systems)))]
    for axis, parts in ((0, ranks), (1, groups), (2, groups)):
        counts = np.stack([counts.take(part, axis=axis).sum(axis=axis) for part in parts], axis=axis)
    values = counts / np.where(counts.any(axis=2), counts.sum(axis=2), np.nan)[..., np.newaxis]
    system_names = _group_names(systems, ranks, "system", "systems")
    class_names = _group_names(classes, groups, "class", "classes")
    what, short = "share of the items of a gold class (row) that are given a class (column), %", labels(class_names, 14)
    heats = {
        system: Heat(rows=short, columns=short, values=shares, limits=(0, 1), what=what, digits=0, factor=100)
        for system, shares in zip(system_names, values, strict=True)
    }
    recalls = [f"{number(100 * values[0, index, index], 0)} % of {name}" for index, name in enumerate(class_names)]
    alt = f"Confusion matrices of {pluralize(len(systems), 'system')}, rows gold, columns predicted, "
    alt += f"in per cent of gold; recall of {system_names[0]}: {join_all(recalls)}."
    return Picture(alt, lambda palette, title: draw_heats(palette, title, heats))


@plot("class_shares", title="Shares of the classes", example="score --config configs/reviews.yaml")
def class_shares(tables: Tables) -> Picture | None:
    """A row of shares for gold and for each system, the best first."""
    table = tables["class_shares"]
    systems, classes = _best_first(tables, distinct(texts(table, "system"))), distinct(texts(table, "class"))
    cells = zip(texts(table, "system"), texts(table, "class"), numbers(table, "predicted"), strict=True)
    shares = {(system, name): share for system, name, share in cells}
    gold, subset = numbers(table, "gold")[: len(classes)], systems[:MAX_SHARES]
    values = np.array([gold, *([shares[system, name] for name in classes] for system in subset)])
    if np.isnan(values).all():
        return None
    label = "share of all items, %"
    rows = ["gold", *subset]
    heat = Heat(rows=rows, columns=classes, values=values, limits=(0.0, 1.0), what=label, digits=1, factor=100)
    parts = [f"{number(100 * share, 1)} % of {name}" for name, share in zip(classes, gold.tolist(), strict=True)]
    alt = f"Shares of the classes in gold and in the predictions of {pluralize(len(subset), 'system')}, in per cent"
    return Picture(f"{alt}; gold has {join_all(parts)}.", heat.draw)


def _group_names(names: Sequence[str], groups: Sequence[Sequence[int]], one: str, many: str) -> list[str]:
    """The name of each group: that of its only member, or their number."""
    others = [pluralize(len(group), f"other {one}", f"other {many}") for group in groups]
    return [names[group[0]] if len(group) == 1 else text for group, text in zip(groups, others, strict=True)]


def _best_first(tables: Tables, systems: Sequence[str]) -> list[str]:
    """The systems in the order of the table of scores, if there is one."""
    order = texts(tables["scores"], "system") if "scores" in tables else []
    return [*(name for name in order if name in systems), *(name for name in systems if name not in order)]


@plot(
    "ranks",
    title="Ranks of the systems under each measure",
    needs=("scores", "ranks"),
    example="score --config configs/stance.yaml",
)
def ranks(tables: Tables) -> Picture | None:
    """A line for each system through its rank under each measure; bars join tied systems."""
    table = tables["ranks"]
    measures = [column.name for column in table.columns[1:] if column.kind is not Kind.FLAG]
    systems, values = texts(table, "system"), matrix(table, measures)
    if len(measures) < 2 or len(systems) < 2 or np.isnan(values).any():
        return None
    flags = cells_of(table, SET_APART_BY) if SET_APART_BY in names_of(table) else []
    trivial = [row for row, cell in enumerate(flags) if cell is True]
    moves = np.ptp(values, axis=1)
    first = Counter(systems[row] for row in values.argmin(axis=0))
    leaders = [f"{system} under {pluralize(times, 'measure')}" for system, times in first.most_common()]
    most = int(np.argmax(moves))
    ends = f"{values[most].min():.0f} and {values[most].max():.0f}"
    varying = f"the ranks of {systems[most]} vary most, between {ends}" if moves[most] else "all ranks are equal"
    dotted = f"; {pluralize(len(trivial), 'trivial system')} dotted" if trivial else ""
    alt = f"Ranks of {pluralize(len(systems), 'system')}, coloured for the best and those that vary most{dotted}. "
    form = RankPlot(systems=systems, measures=measures, ranks=values, dotted=trivial)
    return Picture(f"{alt}First: {join_all(leaders)}; {varying}.", form.draw)
