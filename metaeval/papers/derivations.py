"""Inoue, Stenetorp & Inui (2020): the size of R4C, and its scores by number of references."""

from __future__ import annotations

from metaeval.papers.material import R4C, Material
from metaeval.papers.published import Box, Check, Paper, Printed, Span
from metaeval.papers.tables import Checks, equal_check, sum_checks

_RELEASED = ("train", "dev final")


def checks(paper: Paper, material: Material) -> Checks:
    """Checks of the cells that can be computed."""
    from_data = _references(paper, material) | _core(paper, material)
    shares = {one.place: one.value for one in paper.statements if one.name == "answer found again"}
    return _sizes(paper) | from_data | _text(paper) | sum_checks(shares, "shares", Printed("100"))


def _sizes(paper: Paper) -> Checks:
    table = paper.table("1")
    each = paper.statement("derivations for a question").value.value
    checks: Checks = {}
    for split in table.names:
        cells = table.row(split)
        parts = {table.place(split, column): cell for column, cell in cells.items() if "steps" in column}
        checks |= sum_checks(parts, "numbers of steps", cells["derivations"], table.place(split, "derivations"))
        method = f"derivations of the row, {each:g} per question"
        checks[table.place(split, "questions")] = Check(cells["derivations"].value / each, method)
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
            checks[table.place(row, column)] = check
    return checks


def _core(paper: Paper, material: Material) -> Checks:
    table = paper.table("3")
    needs = Check(needs=f"R4C's {R4C['gold']} and {R4C['core']}")
    checks: Checks = {table.place("CORE", column): needs for column in table.header}
    printed = paper.table("1").cell("dev final", "questions").text
    method = f"the released pred_core.json, on {material.r4c_questions:,} questions where table 1 has {printed}"
    for column, value in material.r4c_core.items():
        checks[table.place("CORE", column)] = Check(value, method)
    return checks


def _text(paper: Paper) -> Checks:
    sizes, statement = paper.table("1"), paper.statement
    questions, derivations = (sizes.column(name) for name in ("questions", "derivations"))
    total = [sum(cells[split].value for split in _RELEASED) for cells in (questions, derivations)]
    sampled = sum(one.value.value for one in paper.statements if one.name == "items sampled")
    each = statement("derivations for a question")
    part, whole = statement("derivable items").value.value, statement("items judged Yes before").value.value
    checks: Checks = {
        statement("questions").place: Check(total[0], "train and dev final of table 1"),
        statement("derivations").place: Check(total[1], "train and dev final of table 1"),
        each.place: Check(total[1] / total[0], "derivations per question, train and dev final of table 1"),
        statement("tasks given out").place: Check(sampled * each.value.value, "items sampled, times three"),
        statement("derivations judged", "dev").place: equal_check(derivations["dev"], "table 1"),
        statement("share of derivable items").place: Check(100 * part / whole, f"{part:g} of {whole:g} items"),
    }
    for one in paper.statements:
        if one.name.startswith("gain in F"):
            cells = paper.table("2").column(f"{one.about} F")
            checks[one.place] = _gain(cells["1 reference"], cells["3 references"])
    return checks


def _gain(first: Printed, third: Printed) -> Check:
    box = Box.of([first, third])
    possible = Span(float(box.low[1] - box.high[0]), float(box.high[1] - box.low[0]))
    return Check(round(third.value - first.value, 9), "difference of the F of table 2", possible=(possible,))
