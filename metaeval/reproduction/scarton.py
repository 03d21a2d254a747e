"""Scarton, Silva & Bontcheva (2020): baselines of RumourEval, ranks, and how often the classes occur."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from metaeval.measures import measure
from metaeval.model.scale import ClassScale
from metaeval.reproduction.cells import (
    TEXT,
    Checks,
    Place,
    column_of,
    place_check,
    place_in_text,
    place_of,
    rank_place,
    row_of,
    same_check,
    sum_checks,
)
from metaeval.reproduction.material import RUMOUR_MEASURES, RUMOURS, Material
from metaeval.reproduction.published.attainable import percentages
from metaeval.reproduction.published.reading import Paper, Printed, PublishedTable
from metaeval.reproduction.published.rounded import weighted_range
from metaeval.reproduction.published.verdicts import Check, Span

_RUNS = "the runs of the participants"
_YEARS = {"2": "2017", "3": "2019"}
_WHOLE = Printed("1")
_SUMS = "weighted sums of the same F of the classes bound each other"
_OTHERS = ("Mama Edha", "UPV")
"""Participants whose weights table 4 takes."""


def otherwise(place: Place) -> Check:
    """The check of a cell that follows from no other."""
    if place.table == "1":
        return Check(needs="RumourEval's training and test items")
    return Check(needs=_RUNS)


def weights_of(paper: Paper) -> dict[str, float]:
    """The authors' weights of the classes."""
    return {name: cell.value for name, cell in row_of(paper.table("weights"), "own").items()}


def checks(paper: Paper, material: Material) -> Checks:
    """What can be computed of its tables and its text."""
    found = {**_distribution(paper), **_weights(paper.table("weights")), **_text(paper, material)}
    for table in (paper.table(number) for number in ("2", "3", "4")):
        found |= _ranks(table)
    found |= _weighted_sums(paper)
    for number, year in _YEARS.items():
        found |= _baselines(paper, paper.table(number), year, material)
    return found


def _distribution(paper: Paper) -> Checks:
    counts, printed = paper.table("1", "counts"), paper.table("1", "percentages")
    found: Checks = {}
    for year in counts.header:
        cells = column_of(counts, year)
        parts = {place_of(counts, name, year): cell for name, cell in cells.items() if name != "total"}
        found |= sum_checks((place_of(counts, "total", year), cells["total"]), parts, "classes")
        for name in printed.names:
            share = 100 * cells[name].value / cells["total"].value
            how = f"{cells[name].text} of {cells['total'].text} items"
            found[place_of(printed, name, year)] = Check(share, how)
    return found


def _weights(table: PublishedTable) -> Checks:
    found: Checks = {}
    for source in table.names:
        parts = {place_of(table, source, column): cell for column, cell in row_of(table, source).items()}
        total = Place(TEXT, "", source, "total")
        found |= {
            place: check for place, check in sum_checks((total, _WHOLE), parts, "weights").items() if place in parts
        }
    return found


def _text(paper: Paper, material: Material) -> Checks:
    found: Checks = {}
    for statement in paper.statements:
        what, _, year = statement.name.rpartition(" ")
        if what == "share of comments":
            cell = paper.table("1", "percentages").cell("comment", year)
            found[place_in_text(statement)] = same_check(cell, "table 1")
        elif what.endswith(" found"):
            label = _class_of(what.removesuffix(" found"), weights_of(paper))
            counts = material.rumour_counts.get(year)
            possible = percentages(counts[label]) if counts else None
            found[place_in_text(statement)] = Check(needs=_RUNS, attainable=possible)
    return found


def _class_of(name: str, classes: Mapping[str, float]) -> str:
    """The class that a plural means."""
    return next(label for label in classes if name.startswith(label[:-1]))


def _ranks(table: PublishedTable) -> Checks:
    found: Checks = {}
    for column in table.header:
        ranked = {name: cell for name, cell in column_of(table, column).items() if cell.rank is not None}
        for name in ranked:
            found[rank_place(table, name, column)] = place_check(ranked, name, "place of the score in its column")
    return found


def _weighted_sums(paper: Paper) -> Checks:
    """Columns of a system that are weighted sums of the same F of the classes bound each other."""
    weights = {
        name: [cell.value for cell in row_of(paper.table("weights"), name).values()] for name in ("own", *_OTHERS)
    }
    weights["equal"] = [1 / len(weights["own"])] * len(weights["own"])
    found: Checks = {}
    for number in _YEARS:
        table = paper.table(number)
        for row in table.names:
            if table.cell(row, "accuracy").rank is not None:
                single = {"equal": (table, "macro-F1"), "own": (table, "wF1")}
                found |= _bound_each_other(row, single, weights)
    first, other = paper.table("2"), paper.table("4")
    for row in other.names:
        double = {"own": (first, "wF2"), **{column: (other, column) for column in other.header}}
        found |= _bound_each_other(row, double, weights)
    return found


def _bound_each_other(
    row: str, sums: Mapping[str, tuple[PublishedTable, str]], weights: Mapping[str, list[float]]
) -> Checks:
    """sums: table and column of each sum, by the name of its weights."""
    found: Checks = {}
    for wanted, (table, column) in sums.items():
        others = {name: place for name, place in sums.items() if name != wanted}
        cells = [where.cell(row, name) for where, name in others.values()]
        ends = weighted_range([weights[name] for name in others], cells, weights[wanted])
        beside = " and ".join(f"{name} of table {where.number}" for where, name in others.values())
        known = f"{_SUMS}: beside {beside} it lies in" if ends else f"no F of the classes gives {beside}"
        found[place_of(table, row, column)] = Check(needs=_RUNS, known=known, bounds=ends)
    return found


# Systems that say always the same


def _baselines(paper: Paper, table: PublishedTable, year: str, material: Material) -> Checks:
    weights = weights_of(paper)
    items = column_of(paper.table("1", "counts"), year)
    majority = max(weights, key=lambda label: items[label].value)
    found: Checks = {}
    for row in table.names:
        if table.cell(row, "accuracy").rank is None:
            label = majority if row.startswith("majority") else _class_of(row.removeprefix("all "), weights)
            scores = material.rumour_baselines.get(year)
            if scores is None:
                found |= _from_share(table, row, ClassScale(tuple(weights), weights=tuple(weights.values())), label)
                found[place_of(table, row, "accuracy")] = Check(needs=RUMOURS[year])
                continue
            system = scores.systems.index("majority" if row.startswith("majority") else f"all {label}")
            for column, value in zip(RUMOUR_MEASURES, scores.values[:, system].tolist(), strict=True):
                found[place_of(table, row, column)] = Check(value, f"always '{label}', on the official gold")
    return found


def _from_share(table: PublishedTable, row: str, scale: ClassScale, label: str) -> Checks:
    """The other scores of a constant system from its accuracy, which is the share of its class."""
    accuracy = table.cell(row, "accuracy")
    ends = _constant_scores((accuracy.value, *accuracy.interval), scale, scale.code(label))
    how = f"always '{label}', with the printed accuracy as its share"
    return {
        # No score of a constant system falls as its class grows.
        place_of(table, row, column): Check(values[0], how, reached=(Span(values[1], values[2]),))
        for column, values in zip(list(RUMOUR_MEASURES)[1:], ends[1:].tolist(), strict=True)
    }


def _constant_scores(
    of_class: tuple[float, ...], scale: ClassScale, code: int
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Scores (M, K) of a system that always says one class, by the K percentages that this has in gold."""
    share = np.array(of_class)[:, np.newaxis]
    gold = np.where(np.arange(len(scale)) == code, share, (1 - share) / (len(scale) - 1))
    counts = np.zeros((len(of_class), len(scale), len(scale)))
    counts[:, :, code] = gold
    return np.stack([measure(name)(counts, scale) for name in RUMOUR_MEASURES.values()])
