"""The article on ordinal labels (2022): everything from its own example."""

from __future__ import annotations

import numpy as np

from metaeval.measures import measure
from metaeval.model.scale import ClassScale
from metaeval.reproduction.cells import Checks, Place, column_of, place_in_text, place_of, row_of
from metaeval.reproduction.material import Material
from metaeval.reproduction.published.reading import Paper, Printed
from metaeval.reproduction.published.rounded import Box, pearson_range
from metaeval.reproduction.published.verdicts import Check, Span, agreement
from metaeval.stats.association import pearson, spearman
from metaeval.stats.rank_correlation import kendall_b

_GIVEN = Check(given=True, how="the article's example")
_MEASURES = {"accuracy": "accuracy", "MAE": "closeness:norm=gold", "half power": "decay:base=0.5"}
_EXAMPLE = "E"
"""The gold label of the article's figures; the farthest from it, A, is 4 apart."""


def otherwise(place: Place) -> Check:  # noqa: ARG001 (one for all papers)
    """The check of a cell that follows from no other."""
    return _GIVEN


def checks(paper: Paper, _material: Material) -> Checks:
    """What can be computed of its tables and its text."""
    return {**_labels(paper), **_values(paper), **_pairs(paper), **_correlation(paper)}


def _scale(paper: Paper) -> ClassScale:
    """The labels, the worst first."""
    return ClassScale(tuple(reversed(paper.table("labels").names)), ordered=True)


def _labels(paper: Paper) -> Checks:
    table, scale = paper.table("labels"), _scale(paper)
    places = dict(zip(scale.labels, scale.positions.tolist(), strict=True))
    found = {place_of(table, name, "number"): Check(places[name], "place in the order, from 0") for name in table.names}
    found[place_in_text(paper.statement("labels"))] = Check(float(len(scale)), "rows of the table of labels")
    return found


def _values(paper: Paper) -> Checks:
    """What each measure gives to one item, by distance from its gold label."""
    table, scale = paper.table("values"), _scale(paper)
    gold = scale.code(_EXAMPLE)
    found: Checks = {}
    for row in table.names:
        apart = int(row.split()[0])
        counts = np.zeros((len(scale), len(scale)))
        counts[gold, gold + apart] = 1
        for column in row_of(table, row):
            how = f"{_MEASURES[column]} of one item, {_EXAMPLE} taken for {scale.labels[gold + apart]}"
            found[place_of(table, row, column)] = Check(float(measure(_MEASURES[column])(counts, scale)), how)
    return found


def _pairs(paper: Paper) -> Checks:
    """Which of two works is higher, by label and by score, and whether the two agree."""
    table, works = paper.table("pairs"), paper.table("works")
    labels, scores = column_of(works, "label"), column_of(works, "score")
    scale = _scale(paper)
    found: Checks = {}
    for row in table.names:
        names = [table.cell(row, column).text for column in ("first", "second")]
        higher = max(names, key=lambda name: scale.code(labels[name].text))
        inferred = max(names, key=lambda name: scores[name].value)
        verdict = "right" if higher == inferred else "wrong"
        for column, word, how in (
            ("higher", higher, "by the labels of the works"),
            ("inferred", inferred, "by the scores of the works"),
            ("verdict", verdict, "whether labels and scores agree"),
        ):
            found[place_of(table, row, column)] = Check(word, how)
    return found


def _correlation(paper: Paper) -> Checks:
    """Pearson's r of labels and scores, and which other coefficient would be printed so."""
    works, scale = paper.table("works"), _scale(paper)
    numbers = Box.exactly([float(scale.code(cell.text)) for cell in column_of(works, "label").values()])
    scores = Box.of(list(column_of(works, "score").values()))
    statement = paper.statement("Pearson correlation of the works, about")
    allowed = pearson_range(numbers, scores)
    told = _others(statement.value, numbers, scores)
    check = Check(
        float(pearson(numbers.values, scores.values)),
        f"Pearson of labels and scores{told}",
        reached=(Span(*allowed.reached),),
        bounds=allowed.bounds,
    )
    return {place_in_text(statement): check}


def _others(printed: Printed, numbers: Box, scores: Box) -> str:
    told = ""
    for name, coefficient in (("Spearman", spearman), ("Kendall's tau-b", kendall_b)):
        value = float(coefficient(numbers.values, scores.values))
        so = ", which is printed so" if agreement(printed, value) else ""
        told += f"; {name} is {value:.4f}{so}"
    return told
