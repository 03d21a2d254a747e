"""Scarton, Silva & Bontcheva (2020): baselines of RumourEval, ranks, and class frequencies."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from metaeval.measures import measure
from metaeval.model.scale import ClassScale
from metaeval.papers.material import RUMOUR_GOLD, RUMOUR_MEASURES, Material
from metaeval.papers.published import Check, Paper, Printed, PublishedTable, Span, percentages, weighted_range
from metaeval.papers.tables import Checks, equal_check, rank_check, sum_checks

_YEARS = {"2": "2017", "3": "2019"}
_SUMS = "weighted sums of the same per-class F scores bound each other"
_OTHERS = ("Mama Edha", "UPV")
"""Participants whose class weights table 4 uses."""


def weights_of(paper: Paper) -> dict[str, float]:
    """The authors' class weights."""
    return {name: cell.value for name, cell in paper.table("weights").row("own").items()}


def checks(paper: Paper, material: Material) -> Checks:
    """Checks of the cells that can be computed."""
    checks = {**_distribution(paper), **_weights(paper.table("weights")), **_text(paper, material)}
    for number in ("2", "3", "4"):
        checks |= _ranks(paper.table(number))
    checks |= _weighted_sums(paper)
    for number, year in _YEARS.items():
        checks |= _baselines(paper, paper.table(number), year, material)
    return checks


def _distribution(paper: Paper) -> Checks:
    counts, shares = paper.table("1", "counts"), paper.table("1", "percentages")
    checks: Checks = {}
    for year in counts.header:
        cells = counts.column(year)
        parts = {counts.location(name, year): cell for name, cell in cells.items() if name != "total"}
        checks |= sum_checks(parts, "classes", cells["total"], counts.location("total", year))
        for name in shares.names:
            share = 100 * cells[name].value / cells["total"].value
            method = f"{cells[name].text} of {cells['total'].text} items"
            checks[shares.location(name, year)] = Check(share, method)
    return checks


def _weights(table: PublishedTable) -> Checks:
    checks: Checks = {}
    for source in table.names:
        parts = {table.location(source, column): cell for column, cell in table.row(source).items()}
        checks |= sum_checks(parts, "weights", Printed("1"))
    return checks


def _text(paper: Paper, material: Material) -> Checks:
    checks: Checks = {}
    for statement in paper.statements:
        what, _, year = statement.name.rpartition(" ")
        if what == "share of comments":
            cell = paper.table("1", "percentages").cell("comment", year)
            checks[statement.location] = equal_check(cell, "table 1")
        elif what.endswith(" found"):
            label = _class_of(what.removesuffix(" found"), weights_of(paper))
            counts = material.rumour_counts.get(year)
            possible = percentages(counts[label]) if counts else None
            checks[statement.location] = Check(attainable=possible)
    return checks


def _class_of(name: str, classes: Mapping[str, float]) -> str:
    """The class that a plural names."""
    return next(label for label in classes if name.startswith(label[:-1]))


def _ranks(table: PublishedTable) -> Checks:
    checks: Checks = {}
    for column in table.header:
        cells = {name: cell for name, cell in table.column(column).items() if cell.rank is not None}
        for name in cells:
            checks[table.rank_location(name, column)] = rank_check(cells, name, "rank of the score in its column")
    return checks


def _weighted_sums(paper: Paper) -> Checks:
    """Bounds on columns of a system that are weighted sums of the same F scores of the classes."""
    table = paper.table("weights")
    weights = {name: [cell.value for cell in table.row(name).values()] for name in ("own", *_OTHERS)}
    weights["equal"] = [1 / len(weights["own"])] * len(weights["own"])
    checks: Checks = {}
    for table in (paper.table(number) for number in _YEARS):
        for row in table.names:
            if table.cell(row, "accuracy").rank is not None:
                f1 = {"equal": (table, "macro-F1"), "own": (table, "wF1")}
                checks |= _mutual_bounds(row, f1, weights)
    first, other = paper.table("2"), paper.table("4")
    for row in other.names:
        f2 = {"own": (first, "wF2"), **{column: (other, column) for column in other.header}}
        checks |= _mutual_bounds(row, f2, weights)
    return checks


def _mutual_bounds(
    row: str, sums: Mapping[str, tuple[PublishedTable, str]], weights: Mapping[str, list[float]]
) -> Checks:
    """sums: table and column of each sum, by the name of its weights."""
    checks: Checks = {}
    for target, (table, column) in sums.items():
        others = {name: cell for name, cell in sums.items() if name != target}
        cells = [source.cell(row, name) for source, name in others.values()]
        bounds = weighted_range([weights[name] for name in others], cells, weights[target])
        columns = " and ".join(f"{name} of table {source.number}" for source, name in others.values())
        constraint = f"{_SUMS}: given {columns} it lies in" if bounds else f"no F scores of the classes give {columns}"
        checks[table.location(row, column)] = Check(constraint=constraint, bounds=bounds)
    return checks


# Constant systems


def _baselines(paper: Paper, table: PublishedTable, year: str, material: Material) -> Checks:
    weights = weights_of(paper)
    items = paper.table("1", "counts").column(year)
    majority = max(weights, key=lambda label: items[label].value)
    checks: Checks = {}
    for row in table.names:
        if table.cell(row, "accuracy").rank is None:
            label = majority if row.startswith("majority") else _class_of(row.removeprefix("all "), weights)
            scores = material.rumour_baselines.get(year)
            if scores is None:
                checks |= _from_share(table, row, ClassScale(tuple(weights), weights=tuple(weights.values())), label)
                checks[table.location(row, "accuracy")] = Check(needs=f"RumourEval {year}'s gold, {RUMOUR_GOLD[year]}")
                continue
            system = scores.systems.index("majority" if row.startswith("majority") else f"all {label}")
            for column, value in zip(RUMOUR_MEASURES, scores.values[:, system].tolist(), strict=True):
                method = f"constant prediction '{label}', on the official gold"
                checks[table.location(row, column)] = Check(value, method)
    return checks


def _from_share(table: PublishedTable, row: str, scale: ClassScale, label: str) -> Checks:
    """The other scores of a constant system from its accuracy, which is the share of its class."""
    accuracy = table.cell(row, "accuracy")
    shares = np.array([accuracy.value, *accuracy.interval])[:, np.newaxis]
    code = scale.code(label)
    counts = np.zeros((len(shares), len(scale), len(scale)))
    counts[:, :, code] = np.where(np.arange(len(scale)) == code, shares, (1 - shares) / (len(scale) - 1))
    method = f"constant prediction '{label}', with the printed accuracy as the share of this class"
    checks: Checks = {}
    for column, name in list(RUMOUR_MEASURES.items())[1:]:
        # The scores of a constant system increase with the share of its class.
        value, low, high = measure(name)(counts, scale).tolist()
        checks[table.location(row, column)] = Check(value, method, possible=(Span(low, high),))
    return checks
