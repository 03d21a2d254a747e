"""Made-up reports with every table that has a plot."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any
from xml.etree import ElementTree

import numpy as np
from render.made_up import report

from metaeval.model.report import Cell, Column, Kind, Report, Table

CLASSES = ("disagree", "discuss", "agree")
TRIVIAL = ("majority", "uniform random")
Names = Sequence[str]
Draw = Callable[[float, float], float]
"""A number between two."""

PEOPLE = ("Anna", "Ben", "mean of scores")


def texts_of(page: str) -> list[str]:
    """The texts of a plot, with single spaces."""
    parts = ElementTree.fromstring(page).iter("{http://www.w3.org/2000/svg}text")
    return [" ".join("".join(part.itertext()).split()) for part in parts]


def table(name: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], *, title: str = "Made up") -> Table:
    """A table whose columns are of the kind of their first cells."""
    first = rows[0] if rows else [""] * len(columns)
    kinds = [_kind(cell) for cell in first]
    return Table(name, title, tuple(map(Column, columns, kinds)), tuple(tuple(row) for row in rows))


def _kind(cell: Cell) -> Kind:
    if isinstance(cell, bool):
        return Kind.FLAG
    return {int: Kind.COUNT, float: Kind.SCORE}.get(type(cell), Kind.TEXT)


def undefined(made: Report) -> Report:
    """The report without any truth value, and any number but counts."""

    def undefined_row(row: Sequence[Cell]) -> tuple[Cell, ...]:
        return tuple(None if isinstance(cell, bool | float) else cell for cell in row)

    return replace(
        made, tables=tuple(replace(original, rows=tuple(map(undefined_row, original.rows))) for original in made.tables)
    )


def study(systems: Sequence[str], measures: Sequence[str]) -> Report:
    """All criteria of a study."""
    rng = np.random.default_rng(20201)
    some = rng.uniform
    parts = [
        *_scores(systems, measures, rng),
        _confusions(systems, some),
        _shares(systems, some),
        *_similarity(measures, some),
    ]
    parts += [*_stability(measures, some), *_merges(measures, some), *_people(systems, measures, some)]
    parts += [_robustness(systems, measures, some), *_fewer(measures, some), *_settings(measures, some)]
    return report(*parts)


def _scores(systems: Names, measures: Names, rng: np.random.Generator) -> list[Table]:
    ranks = np.array([1 + rng.permutation(len(systems)) for _ in measures]).T.tolist()
    flat = table("ranks", ["system", *measures], [[name, *row] for name, row in zip(systems, ranks, strict=True)])
    scores = [[name, *(1 / rank for rank in row)] for name, row in zip(systems, ranks, strict=True)]
    main = table("scores", ["system", *measures], scores)
    return [Table(main.name, main.title, main.columns, main.rows, beside=flat)]


def _confusions(systems: Names, some: Draw) -> Table:
    rows = [
        [system, gold, predicted, some(0, 1), some(0, 1)]
        for system in systems
        for gold in CLASSES
        for predicted in CLASSES
    ]
    return table("confusions", ["system", "gold", "predicted", "items", "share"], rows)


def _shares(systems: Names, some: Draw) -> Table:
    rows = [[system, label, some(0, 1), some(0, 1)] for system in systems for label in CLASSES]
    return table("class_shares", ["system", "class", "predicted", "gold"], rows)


def _similarity(measures: Names, some: Draw) -> list[Table]:
    values = [[name, *(1.0 if other == name else some(-0.2, 1) for other in measures)] for name in measures]
    merges: list[list[Cell]] = []
    for index in range(1, len(measures)):
        one = measures[0] if index == 1 else f"({index - 1})"
        merges.append([index, one, measures[index], 0.1 * index, index + 1])
    tree = table("similarity_tree", ["merge", "one", "other", "distance", "measures"], merges)
    title = "Similarity of rankings (kendall-b) of made-up systems"
    return [table("similarity", ["measure", *measures], values, title=title), tree]


def _stability(measures: Names, some: Draw) -> list[Table]:
    means = sorted((some(0.6, 0.95) for _ in measures), reverse=True)
    letters = ["a" if index < 2 else "ab" if index == 2 else "b" for index in range(len(measures))]
    rows = [
        [name, mean, mean - 0.05, mean + 0.05, sign] for name, mean, sign in zip(measures, means, letters, strict=True)
    ]
    distribution = [
        [name, mean + step / 100, 10 - step] for name, mean in zip(measures, means, strict=True) for step in range(5)
    ]
    curve = [
        [name, items / 100, items, mean - 2 / items, mean - 4 / items, mean]
        for name, mean in zip(measures, means, strict=True)
        for items in (20, 50, 100)
    ]
    return [
        table("stability", ["measure", "mean", "low", "high", "letters"], rows),
        table("stability_distribution", ["measure", "tau", "trials"], distribution),
        table("stability_curve", ["measure", "share", "items", "mean", "low", "high"], curve),
    ]


def _merges(measures: Names, some: Draw) -> list[Table]:
    merges = ["disagree+discuss", "discuss+agree", "mean"]
    rows: list[list[Any]] = [[name, *(some(0, 1) for _ in merges)] for name in measures]
    spans = [
        [row[0], merge, value, value - 0.05, value + 0.05]
        for row in rows
        for merge, value in zip(merges, row[1:], strict=True)
    ]
    verdicts = [
        [row[0], merge, value, verdict]
        for row in rows
        for merge, value, verdict in zip(merges, row[1:], ("sees", "blind", "inverts"), strict=True)
    ]
    summary = [[name, some(0.6, 0.95), 0.5, 1.0, some(0.2, 0.9), 0.1, 1.0, name == measures[0]] for name in measures]
    ends = [f"{criterion}{end}" for criterion in ("consistency", "discrimination") for end in ("", "_low", "_high")]
    return [
        table("merge_classes", ["measure", *merges], rows),
        table("contrast", ["measure", "phenomenon", "accuracy", "verdict"], verdicts),
        table("merge_classes_intervals", ["measure", "merge", "value", "ci_low", "ci_high"], spans),
        table("summary", ["measure", *ends, "pareto"], summary),
    ]


def _people(systems: Names, measures: Names, some: Draw) -> list[Table]:
    kinds = [("system", "pearson"), ("system", "kendall-b"), ("item", "kendall-b")]
    rows = [
        [measure, human, *kind, some(-0.1, 1), -0.2, 1.0, human == PEOPLE[-1] if human == PEOPLE[-1] else None]
        for measure in measures
        for human in PEOPLE
        for kind in kinds
    ]
    points = [
        [human, measure, system, some(0, 1), some(1, 5)]
        for human in PEOPLE
        for measure in measures
        for system in systems
    ]
    alike = [[one, *(1.0 if one == other else some(0, 1) for other in PEOPLE)] for one in PEOPLE]
    labels = [[*PEOPLE[:2], one, other, int(some(1, 9))] for one in CLASSES for other in CLASSES]
    means = [[system, some(1, 5), 3.0, 2.0, 4.0, some(2.5, 3.5), 2.5, 3.5] for system in systems]
    heads = ["measure", "human", "level", "coefficient", "value", "low", "high", "best"]
    return [
        table("correlations", heads, rows),
        table("correlation_scores", ["human", "measure", "system", "score", "rating"], points),
        table("agreement_pearson", ["annotator", *PEOPLE], alike),
        table("agreement_confusions", ["annotator", "other", "label", "other_label", "units"], labels),
        _components(measures, some),
        table("corrected", ["system", "judge", "human", "human_low", "human_high", "corrected", "low", "high"], means),
        *_preferences(systems, measures, some),
    ]


def _components(measures: Names, some: Draw) -> Table:
    rows = [[name, part, 0.1, some(0, 0.33)] for name in measures for part in ("system", "item", "system × item")]
    return table("components", ["measure", "component", "variance", "share"], rows)


def _preferences(systems: Names, measures: Names, some: Draw) -> list[Table]:
    ends = ["low", "high"]
    taus = [["en-de", name, some(0, 1), -0.1, 1.0] for name in measures]
    shares = [[judge, "flips", some(0, 1), 0.0, 1.0] for judge in PEOPLE]
    biases = [[judge, "longer (×2)", against, some(0, 1), 0.0, 1.0] for judge in PEOPLE for against in ("", "people")]
    strengths = [[name, some(-1, 1), -1.5, 1.5] for name in systems]
    wins = [[one, other, 3, 1, 0, some(0, 1)] for one, other in combinations(systems, 2)]
    return [
        table("metric_preferences", ["language_pair", "metric", "tau", *ends], taus),
        table("judge_preferences", ["judge", "statistic", "share", *ends], shares),
        table("judge_biases", ["judge", "bias", "against", "share", *ends], biases),
        table("strengths", ["system", "strength", *ends], strengths),
        table("head_to_head", ["system", "other", "wins", "ties", "losses", "share"], wins),
    ]


def _robustness(systems: Names, measures: Names, some: Draw) -> Table:
    beaten = [[name, *(some(0, len(systems)) // 1 for _ in TRIVIAL)] for name in measures]
    title = f"How many of {len(systems)} real systems each trivial one beats (its score)"
    return table("robustness", ["measure", *TRIVIAL], beaten, title=title)


def _fewer(measures: Names, some: Draw) -> list[Table]:
    rows = [[name, count, some(0.5, 1), 0.4, 1.0] for name in measures for count in (1, 2, 3)]
    return [table("references_rankings", ["measure", "references", "tau", "low", "high"], rows)]


def _settings(measures: Names, some: Draw) -> list[Table]:
    rows = [[name, value, some(0, 1), some(0, 1)] for name in measures for value in ("0.5", "1", "2")]
    grid = [[value, *(some(0, 1) for _ in range(3))] for value in ("0", "0.5", "1")]
    title = f"{measures[0]}: tau with the ranking at the default, by lambda (rows) and beta (columns)"
    return [
        table("sensitivity", ["measure", "beta", "score", "tau"], rows),
        table("sensitivity_map", ["lambda", "beta=1", "beta=2", "beta=3"], grid, title=title),
    ]
