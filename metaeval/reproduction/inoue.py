"""Inoue, Stenetorp & Inui (2020): the size of R4C, and its scores by number of references."""

from __future__ import annotations

from metaeval.reproduction.cells import (
    TEXT,
    Checks,
    Place,
    column_of,
    place_in_text,
    place_of,
    row_of,
    same_check,
    sum_checks,
)
from metaeval.reproduction.material import R4C, Material
from metaeval.reproduction.published.reading import Paper, Printed
from metaeval.reproduction.published.rounded import Box
from metaeval.reproduction.published.verdicts import Check, Span

_RELEASED = ("train", "dev final")
_SPLITS = "the annotations that were not released"
_CHOICES = ("items sampled", "workers tested", "steps judged by experts", "questions written anew")


def otherwise(place: Place) -> Check:
    """The check of a cell that follows from no other."""
    if place.row in _CHOICES:
        return Check(given=True, how="a choice of the authors")
    return Check(needs="the outputs of the baseline" if place.table == "3" else _SPLITS)


def checks(paper: Paper, material: Material) -> Checks:
    """What can be computed of its tables and its text."""
    return {
        **_sizes(paper),
        **_references(paper, material),
        **_core(paper, material),
        **_text(paper),
        **_found_again(paper),
    }


def _sizes(paper: Paper) -> Checks:
    table = paper.table("1")
    each = paper.statement("derivations for a question").value.value
    found: Checks = {}
    for split in table.names:
        cells = row_of(table, split)
        parts = {place_of(table, split, column): cell for column, cell in cells.items() if "steps" in column}
        found |= sum_checks((place_of(table, split, "derivations"), cells["derivations"]), parts, "numbers of steps")
        how = f"derivations of the row, {each:g} a question"
        found[place_of(table, split, "questions")] = Check(cells["derivations"].value / each, how)
    return found


def _references(paper: Paper, material: Material) -> Checks:
    table = paper.table("2")
    found: Checks = {}
    most = len(table.names)
    for row in table.names:
        number = int(row.split()[0])
        drawn = material.r4c_references.get(number, {})
        for column in table.header:
            check = Check(needs=f"R4C's {R4C['gold']} and {R4C['oracle']}")
            if column in drawn:
                score = drawn[column]
                how = "all references" if number == most else "mean over all choices of references"
                # Which references an item was given is not said where it was not given all.
                chance = None if number == most else (score.low, score.high)
                check = Check(score.mean, f"{how}, questions with any", chance=chance)
            found[place_of(table, row, column)] = check
    return found


def _core(paper: Paper, material: Material) -> Checks:
    table = paper.table("3")
    needs = Check(needs=f"R4C's {R4C['gold']} and {R4C['core']}")
    found: Checks = {place_of(table, "CORE", column): needs for column in table.header}
    printed = paper.table("1").cell("dev final", "questions").text
    how = f"the released pred_core.json, on {material.r4c_questions:,} questions where table 1 has {printed}"
    for column, value in material.r4c_core.items():
        found[place_of(table, "CORE", column)] = Check(value, how)
    return found


def _text(paper: Paper) -> Checks:
    sizes, told = paper.table("1"), paper.statement
    questions, derivations = (column_of(sizes, name) for name in ("questions", "derivations"))
    total = [sum(cells[split].value for split in _RELEASED) for cells in (questions, derivations)]
    sampled = sum(one.value.value for one in paper.statements if one.name == "items sampled")
    each = told("derivations for a question")
    found: Checks = {
        place_in_text(told("questions")): Check(total[0], "train and dev final of table 1"),
        place_in_text(told("derivations")): Check(total[1], "train and dev final of table 1"),
        place_in_text(each): Check(total[1] / total[0], "derivations by questions, train and dev final of table 1"),
        place_in_text(told("tasks given out")): Check(sampled * each.value.value, "items sampled, times three"),
        place_in_text(told("derivations judged", "dev")): same_check(derivations["dev"], "table 1"),
    }
    part, whole = told("derivable items").value.value, told("items judged Yes before").value.value
    found[place_in_text(told("share of derivable items"))] = Check(100 * part / whole, f"{part:g} of {whole:g} items")
    for statement in paper.statements:
        if statement.name.startswith("gain in F"):
            cells = column_of(paper.table("2"), f"{statement.about} F")
            found[place_in_text(statement)] = _gain(cells["1 reference"], cells["3 references"])
    return found


def _gain(first: Printed, third: Printed) -> Check:
    box = Box.of([first, third])
    reached = Span(float(box.low[1] - box.high[0]), float(box.high[1] - box.low[0]))
    return Check(round(third.value - first.value, 9), "difference of the F of table 2", reached=(reached,))


def _found_again(paper: Paper) -> Checks:
    """Four shares of one whole."""
    told = [one for one in paper.statements if one.name == "answer found again"]
    total = Place(TEXT, "", "answer found again", "total")
    parts = {place_in_text(one): one.value for one in told}
    return {
        place: check for place, check in sum_checks((total, Printed("100")), parts, "shares").items() if place in parts
    }
