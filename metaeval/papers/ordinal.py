"""The article on ordinal labels (2022): all numbers follow from its own example."""

from __future__ import annotations

import numpy as np

from metaeval.measures import measure
from metaeval.model.scale import ClassScale
from metaeval.papers.material import Material
from metaeval.papers.published import Box, Check, Paper, Printed, Span, pearson_range, printed_form
from metaeval.papers.tables import Checks
from metaeval.stats.association import kendall_b, pearson, spearman

_MEASURES = {"accuracy": "accuracy", "MAE": "closeness:norm=gold", "half power": "decay:base=0.5"}
_EXAMPLE = "E"
"""The gold label of the article's figures; its largest distance, to A, is 4."""


def checks(paper: Paper, _material: Material) -> Checks:
    """Checks of the cells that can be computed."""
    return {**_labels(paper), **_values(paper), **_pairs(paper), **_correlation(paper)}


def _scale(paper: Paper) -> ClassScale:
    """The labels, the worst first."""
    return ClassScale(tuple(reversed(paper.table("labels").names)), ordered=True)


def _labels(paper: Paper) -> Checks:
    table, scale = paper.table("labels"), _scale(paper)
    positions = zip(scale.labels, scale.positions.tolist(), strict=True)
    checks = {table.place(name, "number"): Check(place, "position in the order, from 0") for name, place in positions}
    return {**checks, paper.statement("labels").place: Check(float(len(scale)), "rows of the table of labels")}


def _values(paper: Paper) -> Checks:
    """The value of one item under each measure, by distance from its gold label."""
    table, scale = paper.table("values"), _scale(paper)
    gold = scale.code(_EXAMPLE)
    checks: Checks = {}
    for row in table.names:
        predicted = gold + int(row.split()[0])
        counts = np.zeros((len(scale), len(scale)))
        counts[gold, predicted] = 1
        for column in table.row(row):
            method = f"{_MEASURES[column]} of one item, gold {_EXAMPLE}, predicted {scale.labels[predicted]}"
            checks[table.place(row, column)] = Check(float(measure(_MEASURES[column])(counts, scale)), method)
    return checks


def _pairs(paper: Paper) -> Checks:
    """Which of two works is higher by label and by score, and whether the two agree."""
    table, works = paper.table("pairs"), paper.table("works")
    labels, scores = works.column("label"), works.column("score")
    scale = _scale(paper)
    checks: Checks = {}
    for row in table.names:
        names = [table.cell(row, column).text for column in ("first", "second")]
        higher = max(names, key=lambda name: scale.code(labels[name].text))
        inferred = max(names, key=lambda name: scores[name].value)
        for column, word, method in (
            ("higher", higher, "by the labels of the works"),
            ("inferred", inferred, "by the scores of the works"),
            ("verdict", "right" if higher == inferred else "wrong", "whether labels and scores agree"),
        ):
            checks[table.place(row, column)] = Check(word, method)
    return checks


def _correlation(paper: Paper) -> Checks:
    """Pearson's r of labels and scores, and which other coefficients round to the printed number."""
    works, scale = paper.table("works"), _scale(paper)
    numbers = Box.exactly([float(scale.code(cell.text)) for cell in works.column("label").values()])
    scores = Box.of(list(works.column("score").values()))
    statement = paper.statement("Pearson correlation of the works, about")
    attained, bounds = pearson_range(numbers, scores)
    method = f"Pearson of labels and scores{_others(statement.value, numbers, scores)}"
    r = float(pearson(numbers.values, scores.values))
    return {statement.place: Check(r, method, possible=(Span(*attained),), bounds=bounds)}


def _others(printed: Printed, numbers: Box, scores: Box) -> str:
    text = ""
    for name, coefficient in (("Spearman", spearman), ("Kendall's tau-b", kendall_b)):
        value = float(coefficient(numbers.values, scores.values))
        text += f"; {name} is {value:.4f}" + (", which is printed so" if printed_form(printed, value) else "")
    return text
