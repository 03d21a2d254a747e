"""Hirao, Okumura & Isozaki (2006), and Inoue et al. (2020): their tables and texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from metaeval.papers.material import R4C, Material
from metaeval.papers.published import (
    Attainable,
    Box,
    Check,
    Paper,
    Printed,
    PublishedTable,
    Span,
    orders,
    pearson_range,
    spans,
    spearmans,
    tie_breaks,
)
from metaeval.papers.tables import Checks, equal_check, mean_check, sum_checks
from metaeval.stats.association import COEFFICIENTS
from metaeval.stats.correlation import kendall_w

_r, _rho = (COEFFICIENTS[name] for name in ("pearson", "spearman"))

_LENGTHS = {"short": ("5", "6"), "long": ("7", "8")}
"""The tables of r and of rho, by length of the summaries."""
_BEST = {"10": ("r", 0), "11": ("rho", 1)}
"""The tables of best parameters: their coefficient, and its position in `_LENGTHS`."""
_GRIDS = {
    "beta": Attainable(np.arange(1, 10) / 2, "section 6 tries beta 0.5, 1, … 4.5"),
    "lambda": Attainable(np.arange(11) / 10, "section 6 tries lambda 0, 0.1, … 1"),
}


def checks(paper: Paper, _material: Material) -> Checks:
    """Checks of the cells that can be computed."""
    checks: Checks = {}
    for length, (r, rho) in _LENGTHS.items():
        checks |= _human(paper, length)
        checks |= _measures(paper.table(r))
        checks |= _measures(paper.table(rho), spearmans(10))
        for number in _BEST:
            checks |= _best(paper, number, length)
    return {**checks, **_table_9(paper), **_text(paper)}


# Tables 3 and 4


def _human(paper: Paper, length: str) -> Checks:
    scores = paper.table("3", length)
    boxes = {name: Box.of(list(scores.row(name).values())) for name in scores.names}
    pearson, spearman = paper.table("4", f"{length} r"), paper.table("4", f"{length} rho")
    checks: Checks = {}
    for row in pearson.names:
        for column in pearson.row(row):
            pair = {name: boxes[name] for name in (row, column)}
            r, rho = pearson.location(row, column), spearman.location(row, column)
            if row == column:
                same = [boxes[row].values] * 2
                checks[r] = Check(float(_r(*same)), "a data set with itself")
                checks[rho] = Check(float(_rho(*same)), "a data set with itself")
            else:
                checks[r] = _pearson(list(pair.values()), "r of the rows of table 3")
                checks[rho] = _rank_check(pair, scores.header, _rho, "rho of the rows of table 3")
    concordance = _rank_check(boxes, scores.header, lambda *ranks: kendall_w(ranks).w, "W of the rows of table 3")
    return {**checks, paper.statement("Kendall's W", length).location: concordance}


def _pearson(pair: Sequence[Box], method: str) -> Check:
    attained, bounds = pearson_range(*pair)
    return Check(float(_r(*(box.values for box in pair))), method, possible=(Span(*attained),), bounds=bounds)


def _rank_check(
    boxes: Mapping[str, Box],
    systems: Sequence[str],
    statistic: Callable[..., Any],
    method: str,
    attainable: Attainable | None = None,
) -> Check:
    """A statistic of ranks, with the ties of every data set as printed, and broken in every way."""
    possible = spans(
        (float(statistic(*rankings)), _tie_breaks(boxes, rankings, systems))
        for rankings in product(*map(orders, boxes.values()))
    )
    value = float(statistic(*(box.values for box in boxes.values())))
    return Check(value, method, possible=possible, attainable=attainable)


def _tie_breaks(boxes: Mapping[str, Box], rankings: Sequence[Sequence[int]], systems: Sequence[str]) -> str:
    """Which ties are broken in which data set, and how."""
    breaks = {name: tie_breaks(ranks, box, systems) for (name, box), ranks in zip(boxes.items(), rankings, strict=True)}
    return ", ".join(f"with {text} in {name}" for name, text in breaks.items() if text)


# Tables 5 to 8, and 9


def _measures(table: PublishedTable, attainable: Attainable | None = None) -> Checks:
    checks: Checks = {}
    for name in table.names:
        for words in ("all", "content"):
            cells = {column: cell for column, cell in table.row(name).items() if column.endswith(f" {words}")}
            mean = f"mean {words}"
            single = [column for column in cells if column != mean]
            for column in single:
                checks[table.location(name, column)] = Check(attainable=attainable)
            if mean in cells:
                check = mean_check([cells[column] for column in single], "mean of the six cells of its row")
                checks[table.location(name, mean)] = check
    return checks


def _table_9(paper: Paper) -> Checks:
    """The Davg correlations of the measures of table 9, from its scores and the means of table 3."""
    human, scores = paper.table("3", "short"), paper.table("9")
    mean = Box.mean([Box.of(list(human.row(name).values())) for name in human.names])
    checks: Checks = {}
    for name in scores.header:
        by_system = scores.column(name)
        pair = {"table 9": Box.of([by_system[system] for system in human.header]), "the mean of table 3": mean}
        r, rho = (paper.table(number).location(name, "Davg all") for number in _LENGTHS["short"])
        checks[r] = _pearson(list(pair.values()), "r of table 9 and the mean of table 3")
        untied = spearmans(len(human.header))
        checks[rho] = _rank_check(pair, human.header, _rho, "rho of table 9 and the mean of table 3", untied)
    return checks


# Tables 10 and 11, and the text


def _best(paper: Paper, number: str, length: str) -> Checks:
    name, position = _BEST[number]
    table, fixed = paper.table(number, length), paper.table(_LENGTHS[length][position])
    common = paper.statement("lambda").value
    checks: Checks = {}
    for row in table.names:
        cells = table.row(row)
        for parameter, grid in _GRIDS.items():
            checks[table.location(row, parameter)] = Check(attainable=grid)
        rows = {measure: cell for measure, cell in fixed.column("mean all").items() if f"ESK {row} " in measure}
        same = f"ESK {row} beta={cells['beta'].text}"
        if same in rows and cells["lambda"].value == common.value:
            check = equal_check(rows[same], f"table {fixed.number} has these parameters")
        else:
            check = _at_least(cells[name], rows, fixed.number)
        checks[table.location(row, name)] = check
    return checks


def _at_least(best: Printed, fixed: Mapping[str, Printed], number: str) -> Check:
    """The best of many parameters is at least the value of each of them."""
    highest = max(fixed, key=lambda name: fixed[name].value)
    constraint = f"at least the value in table {number}: {fixed[highest].text} of {highest}"
    if best.value < fixed[highest].value:
        return Check(fixed[highest].value, constraint)
    return Check(constraint=constraint)


def _text(paper: Paper) -> Checks:
    systems = float(len(paper.table("3", "short").header))
    checks: Checks = {paper.statement("systems").location: Check(systems, "columns of table 3")}
    means = _highest_means(paper.table("8"))
    for statement in paper.statements:
        if statement.name.startswith("best mean rho of "):
            family = statement.name.removeprefix("best mean rho of ").split(",")[0]
            family_cells = {name: cell for name, cell in means.items() if name.startswith(family)}
            checks[statement.location] = _best_of_family(family_cells, statement.about)
    esk = {name: cell for name, cell in paper.table("5").column("mean all").items() if name.startswith("ESK")}
    best = max(esk, key=lambda name: esk[name].value)
    for number, kind in (("5", "r"), ("6", "rho")):
        method = f"table {number} of {best}, which is the best of table 5"
        check = equal_check(paper.table(number).cell(best, "mean all"), method)
        checks[paper.statement(f"mean {kind}, about", "ESK").location] = check
    return checks


def _highest_means(table: PublishedTable) -> dict[str, Printed]:
    """The higher of both means of each measure."""
    means = table.column("mean content")
    for name, cell in table.column("mean all").items():
        means[name] = max(cell, means.get(name, cell), key=lambda one: one.value)
    return means


def _best_of_family(cells: Mapping[str, Printed], about: str) -> Check:
    best = max(cells, key=lambda name: cells[name].value)
    if cells[about].value == cells[best].value:
        return equal_check(cells[about], "the highest of its family in table 8")
    return Check(cells[about].value, f"table 8 has a higher value for {best}: {cells[best].text}")


_RELEASED = ("train", "dev final")


def checks_of_derivations(paper: Paper, material: Material) -> Checks:
    """Checks of the cells that can be computed."""
    from_data = _references(paper, material) | _core(paper, material)
    shares = {one.location: one.value for one in paper.statements if one.name == "answer found again"}
    return _sizes(paper) | from_data | _text_of_derivation(paper) | sum_checks(shares, "shares", Printed("100"))


def _sizes(paper: Paper) -> Checks:
    table = paper.table("1")
    per_question = paper.statement("derivations for a question").value.value
    checks: Checks = {}
    for split in table.names:
        cells = table.row(split)
        parts = {table.location(split, column): cell for column, cell in cells.items() if "steps" in column}
        checks |= sum_checks(parts, "numbers of steps", cells["derivations"], table.location(split, "derivations"))
        method = f"derivations of the row, {per_question:g} per question"
        checks[table.location(split, "questions")] = Check(cells["derivations"].value / per_question, method)
    return checks


def _references(paper: Paper, material: Material) -> Checks:
    table = paper.table("2")
    checks: Checks = {}
    for row in table.names:
        number = int(row.split()[0])
        scores = material.r4c_references.get(number, {})
        is_all = number == len(table.names)
        for column in table.header:
            check = Check(needs=f"R4C's {R4C['gold']} and {R4C['oracle']}")
            if column in scores:
                score = scores[column]
                method = "all references" if is_all else "mean over all subsets of references"
                # The paper does not state which references an item was given.
                chance = None if is_all else (score.low, score.high)
                check = Check(score.mean, f"{method}, for questions with references", chance=chance)
            checks[table.location(row, column)] = check
    return checks


def _core(paper: Paper, material: Material) -> Checks:
    table = paper.table("3")
    needs = Check(needs=f"R4C's {R4C['gold']} and {R4C['core']}")
    checks: Checks = {table.location("CORE", column): needs for column in table.header}
    number = paper.table("1").cell("dev final", "questions").text
    method = f"the released pred_core.json, on {material.r4c_questions:,} questions where table 1 has {number}"
    for column, value in material.r4c_core.items():
        checks[table.location("CORE", column)] = Check(value, method)
    return checks


def _text_of_derivation(paper: Paper) -> Checks:
    sizes, statement = paper.table("1"), paper.statement
    questions, derivations = (sizes.column(name) for name in ("questions", "derivations"))
    total = [sum(cells[split].value for split in _RELEASED) for cells in (questions, derivations)]
    sampled = sum(one.value.value for one in paper.statements if one.name == "items sampled")
    per_question = statement("derivations for a question")
    part, whole = statement("derivable items").value.value, statement("items judged Yes before").value.value
    checks: Checks = {
        statement("questions").location: Check(total[0], "train and dev final of table 1"),
        statement("derivations").location: Check(total[1], "train and dev final of table 1"),
        per_question.location: Check(total[1] / total[0], "derivations per question, train and dev final of table 1"),
        statement("tasks given out").location: Check(sampled * per_question.value.value, "items sampled, times three"),
        statement("derivations judged", "dev").location: equal_check(derivations["dev"], "table 1"),
        statement("share of derivable items").location: Check(100 * part / whole, f"{part:g} of {whole:g} items"),
    }
    for one in paper.statements:
        if one.name.startswith("gain in F"):
            cells = paper.table("2").column(f"{one.about} F")
            checks[one.location] = _gain(cells["1 reference"], cells["3 references"])
    return checks


def _gain(first: Printed, third: Printed) -> Check:
    box = Box.of([first, third])
    possible = Span(float(box.low[1] - box.high[0]), float(box.high[1] - box.low[0]))
    return Check(round(third.value - first.value, 9), "difference of the F of table 2", possible=(possible,))
