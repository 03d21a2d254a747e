"""Hirao, Okumura & Isozaki (2006): correlations of human scores, means of correlations, and what bounds the best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from metaeval.reproduction.cells import (
    Checks,
    Place,
    column_of,
    mean_check,
    place_in_text,
    place_of,
    row_of,
    same_check,
)
from metaeval.reproduction.material import Material
from metaeval.reproduction.published.attainable import grid, spearmans
from metaeval.reproduction.published.reading import Paper, Printed, PublishedTable
from metaeval.reproduction.published.rounded import Box, orders, pearson_range, told_order
from metaeval.reproduction.published.verdicts import Check, Span, spans
from metaeval.stats.agreement import correlation
from metaeval.stats.rank_correlation import kendall_w

_SUMMARIES = "TSC-3's summaries and references"
_SCORES = "TSC-3's human scores by topic"
_LENGTHS = {"short": ("5", "6"), "long": ("7", "8")}
"""The tables of r and of rho, by length of the summaries."""
_BEST = {"10": ("r", 0), "11": ("rho", 1)}
"""The tables of best parameters: their coefficient, and its place in `_LENGTHS`."""
_TRIED = {
    "beta": grid(np.arange(1, 10) / 2, "section 6 tries beta 0.5, 1, … 4.5"),
    "lambda": grid(np.arange(11) / 10, "section 6 tries lambda 0, 0.1, … 1"),
}


def otherwise(place: Place) -> Check:
    """The check of a cell that follows from no other."""
    if place.row in ("topics", "lambda"):
        return Check(given=True, how="a choice of the authors")
    return Check(needs=_SCORES if place.table == "3" else _SUMMARIES)


def checks(paper: Paper, _material: Material) -> Checks:
    """What can be computed of its tables and its text."""
    found: Checks = {}
    for length, (r, rho) in _LENGTHS.items():
        found |= _human(paper, length)
        found |= _measures(paper.table(r), ranked=False)
        found |= _measures(paper.table(rho), ranked=True)
        for number in _BEST:
            found |= _best(paper, number, length)
    return {**found, **_table_9(paper), **_text(paper)}


# Tables 3 and 4


def _human(paper: Paper, length: str) -> Checks:
    scores = paper.table("3", length)
    boxes = {name: Box.of([cell for cell in scores.row(name) if cell]) for name in scores.names}
    found: Checks = {}
    for kind in ("r", "rho"):
        table = paper.table("4", f"{length} {kind}")
        for row in table.names:
            for column in row_of(table, row):
                pair = {name: boxes[name] for name in (row, column)}
                found[place_of(table, row, column)] = (
                    _itself(boxes[row], kind)
                    if row == column
                    else _pearson(list(pair.values()))
                    if kind == "r"
                    else _spearman(pair, scores.header)
                )
    found[place_in_text(paper.statement("Kendall's W", length))] = _concordance(boxes, scores.header)
    return found


def _itself(box: Box, kind: str) -> Check:
    coefficient = _COEFFICIENTS[kind]
    return Check(float(correlation([box.values, box.values], coefficient=coefficient)), "a data set with itself")


def _pearson(pair: Sequence[Box], how: str = "r of the rows of table 3") -> Check:
    found = pearson_range(*pair)
    value = float(correlation([box.values for box in pair], coefficient="pearson"))
    return Check(value, how, reached=(Span(*found.reached),), bounds=found.bounds)


def _spearman(
    pair: Mapping[str, Box], systems: Sequence[str], how: str = "rho of the rows of table 3", *, untied: bool = False
) -> Check:
    values = [box.values for box in pair.values()]
    reached = [
        (float(correlation([one, other], coefficient="spearman")), _told(pair, (one, other), systems))
        for one in orders(next(iter(pair.values())))
        for other in orders(list(pair.values())[1])
    ]
    possible = spearmans(len(systems)) if untied else None
    value = float(correlation(values, coefficient="spearman"))
    return Check(value, how, reached=spans(reached), attainable=possible)


def _told(boxes: Mapping[str, Box], chosen: Sequence[Sequence[int]], systems: Sequence[str]) -> str:
    """Which ties were broken in which data set, and how."""
    told = {name: told_order(order, box, systems) for (name, box), order in zip(boxes.items(), chosen, strict=True)}
    return ", ".join(f"with {order} in {name}" for name, order in told.items() if order)


def _concordance(boxes: Mapping[str, Box], systems: Sequence[str]) -> Check:
    """Kendall's W, with the ties of every data set broken in every way."""
    chosen: list[tuple[tuple[int, ...], ...]] = [()]
    for box in boxes.values():
        chosen = [(*before, order) for before in chosen for order in orders(box)]
    reached = [(float(kendall_w(rankings).w), _told(boxes, rankings, systems)) for rankings in chosen]
    value = float(kendall_w([box.values for box in boxes.values()]).w)
    return Check(value, "W of the rows of table 3", reached=spans(reached))


_COEFFICIENTS: dict[str, Literal["pearson", "spearman"]] = {"r": "pearson", "rho": "spearman"}


# Tables 5 to 8, and 9


def _measures(table: PublishedTable, *, ranked: bool) -> Checks:
    found: Checks = {}
    possible = spearmans(10) if ranked else None
    for name in table.names:
        for words in ("all", "content"):
            cells = {column: cell for column, cell in row_of(table, name).items() if column.endswith(f" {words}")}
            *single, mean = cells or [""]
            for column in single:
                found[place_of(table, name, column)] = Check(needs=_SUMMARIES, attainable=possible)
            if mean:
                how = "mean of the six cells of its row"
                found[place_of(table, name, mean)] = mean_check([cells[column] for column in single], how)
    return found


def _table_9(paper: Paper) -> Checks:
    """The Davg correlations of the measures of table 9, from its scores and the means of table 3."""
    human, scores = paper.table("3", "short"), paper.table("9")
    mean = Box.mean([Box.of([cell for cell in human.row(name) if cell]) for name in human.names])
    found: Checks = {}
    for name in scores.header:
        of_system = column_of(scores, name)
        own = Box.of([of_system[system] for system in human.header])
        pair = {"table 9": own, "the mean of table 3": mean}
        r, rho = (place_of(paper.table(number), name, "Davg all") for number in _LENGTHS["short"])
        found[r] = _pearson(list(pair.values()), "r of table 9 and the mean of table 3")
        found[rho] = _spearman(pair, human.header, "rho of table 9 and the mean of table 3", untied=True)
    return found


# Tables 10 and 11, and the text


def _best(paper: Paper, number: str, length: str) -> Checks:
    name, place = _BEST[number]
    table, fixed = paper.table(number, length), paper.table(_LENGTHS[length][place])
    common = paper.statement("lambda").value
    found: Checks = {}
    for row in table.names:
        cells = row_of(table, row)
        for parameter, tried in _TRIED.items():
            found[place_of(table, row, parameter)] = Check(needs=_SUMMARIES, attainable=tried)
        rows = {measure: cell for measure, cell in column_of(fixed, "mean all").items() if f"ESK {row} " in measure}
        same = f"ESK {row} beta={cells['beta'].text}"
        if same in rows and cells["lambda"].value == common.value:
            check = same_check(rows[same], f"table {fixed.number} has these parameters")
        else:
            check = _at_least(cells[name], rows, fixed.number)
        found[place_of(table, row, name)] = check
    return found


def _at_least(best: Printed, tried: Mapping[str, Printed], number: str) -> Check:
    """The best of many parameters is no worse than those of an experiment."""
    most = max(tried, key=lambda name: tried[name].value)
    told = f"{tried[most].text} of {most}"
    if best.value < tried[most].value:
        return Check(tried[most].value, f"the best is not worse than what table {number} has: {told}")
    return Check(needs=_SUMMARIES, known=f"no less than what table {number} has: {told}")


def _text(paper: Paper) -> Checks:
    found: Checks = {
        place_in_text(paper.statement("systems")): Check(
            float(len(paper.table("3", "short").header)), "columns of table 3"
        )
    }
    means = _highest_means(paper.table("8"))
    for statement in paper.statements:
        if statement.name.startswith("best mean rho of "):
            family = statement.name.removeprefix("best mean rho of ").split(",")[0]
            of_family = {name: cell for name, cell in means.items() if name.startswith(family)}
            found[place_in_text(statement)] = _named_best(of_family, statement.about)
    esk = {name: cell for name, cell in column_of(paper.table("5"), "mean all").items() if name.startswith("ESK")}
    best = max(esk, key=lambda name: esk[name].value)
    for number, kind in (("5", "r"), ("6", "rho")):
        cell = paper.table(number).cell(best, "mean all")
        told = f"table {number} of {best}, which is the best of table 5"
        found[place_in_text(paper.statement(f"mean {kind}, about", "ESK"))] = same_check(cell, told)
    return found


def _highest_means(table: PublishedTable) -> dict[str, Printed]:
    """The better of both means of each measure."""
    found = column_of(table, "mean content")
    for name, cell in column_of(table, "mean all").items():
        found[name] = max(cell, found.get(name, cell), key=lambda one: one.value)
    return found


def _named_best(cells: Mapping[str, Printed], about: str) -> Check:
    best = max(cells, key=lambda name: cells[name].value)
    if cells[about].value == cells[best].value:
        return same_check(cells[about], "the highest of its kind in table 8")
    return Check(cells[about].value, f"table 8 has more for {best}: {cells[best].text}")
