"""Amemiya & Sakai (2021), and the article on ordinal evaluation (2022): their tables and texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from metaeval.measures import measure
from metaeval.model.scale import ClassScale
from metaeval.papers.material import FNC1, Material
from metaeval.papers.published import (
    Attainable,
    Box,
    Check,
    Paper,
    Printed,
    PublishedTable,
    Span,
    means_of_truncated,
    orders,
    pearson_range,
    printed_form,
    spans,
    taus,
)
from metaeval.papers.tables import Checks, equal_check, rank_check, sum_checks, truncated_mean_check
from metaeval.stats.association import kendall_b, pearson, spearman

_HALVES = {"kappa": "4", "alpha-ORD": "5"}
_ENDS = {"highest": max, "lowest": min}


def checks(paper: Paper, material: Material) -> Checks:
    """Checks of the cells that can be computed."""
    possible = taus(len(paper.table("4", "X").names))
    tables = _similarities(paper.table("2"), possible) | _merges(paper.table("6"), possible) | _summary(paper)
    text = _systems(paper) | _halves(paper) | _ends(paper) | _balanced(paper, material, possible)
    return tables | _confusions(paper.table("figure 3")) | text


def _similarities(table: PublishedTable, possible: Attainable) -> Checks:
    check = Check(attainable=possible)
    return {table.location(row, column): check for row in table.names for column in table.row(row)}


def _merges(table: PublishedTable, possible: Attainable) -> Checks:
    checks: Checks = {}
    for name in table.names:
        merges = {column: cell for column, cell in table.row(name).items() if column != "mean"}
        checks |= {table.location(name, column): Check(attainable=possible) for column in merges}
        cells = list(merges.values())
        means = means_of_truncated(possible, len(cells), cells[0].decimals)
        check = truncated_mean_check(cells, "mean of the cells of its row", possible, means)
        checks[table.location(name, "mean")] = check
    return checks


def _summary(paper: Paper) -> Checks:
    ranks, groups = paper.table("7", "ranks"), paper.table("7", "groups")
    stability, means = paper.table("3").column("tau"), paper.table("6").column("mean")
    checks: Checks = {}
    for name in ranks.names:
        checks[ranks.location(name, "consistency")] = rank_check(stability, name, "rank in table 3, the highest first")
        method = "rank of the mean in table 6, the lowest first"
        checks[ranks.location(name, "ordinal classes")] = rank_check(means, name, method, lowest_first=True)
    letters = {name: cell.text for name, cell in groups.column("similarity").items()}
    for name, check in nearest_groups(similarities(paper.table("2")), letters).items():
        checks[groups.location(name, "similarity")] = check
    return checks


def similarities(table: PublishedTable) -> dict[str, dict[str, float]]:
    """The tau of every two measures of table 2, in both orders."""
    tau: dict[str, dict[str, float]] = {name: {} for name in (*table.names, *table.header)}
    for row in table.names:
        for column, cell in table.row(row).items():
            tau[row][column] = tau[column][row] = cell.value
    return tau


def nearest_groups(tau: Mapping[str, Mapping[str, float]], letters: Mapping[str, str]) -> dict[str, Check]:
    """The group with the highest mean tau for each measure; a measure between two groups belongs to neither."""
    members: dict[str, list[str]] = {}
    for name, letter in letters.items():
        if "/" not in letter:
            members.setdefault(letter, []).append(name)

    def similarity(name: str, letter: str) -> float:
        others = [tau[name][other] for other in members[letter] if other != name]
        return float(np.mean(others)) if others else -1.0

    checks = {}
    for name, group in letters.items():
        by_letter = {letter: similarity(name, letter) for letter in members}
        nearest = max(by_letter, key=lambda letter: by_letter[letter])
        method = f"most similar to group {nearest}, with a mean tau of {by_letter[nearest]:.4f}"
        least = min(similarity(member, nearest) for member in members[nearest] if member != name)
        if members.get(group) == [name] and by_letter[nearest] < least:
            # A group of one measure, which would be the least similar member of every other group.
            nearest, method = group, f"{method}, where all others have {least:.4f} or more"
        checks[name] = Check(nearest, method)
    return checks


def _confusions(table: PublishedTable) -> Checks:
    checks: Checks = {}
    for name in table.names:
        cells = table.row(name)
        parts = {table.location(name, column): cells[column] for column in table.header[:2]}
        checks |= sum_checks(parts, "two directions", cells["both"], table.location(name, "both"))
    return checks


def _systems(paper: Paper) -> Checks:
    whole, *kinds = (paper.statement(name) for name in ("systems", "systems of others", "own systems"))
    checks = sum_checks({one.location: one.value for one in kinds}, "kinds of systems", whole.value)
    return {**checks, whole.location: Check(float(len(paper.table("4", "X").names)), "rows of table 4")}


def _halves(paper: Paper) -> Checks:
    """Taus of tables 4 and 5: of all systems, and of each stratum by either half."""
    checks: Checks = {}
    for statement in paper.statements:
        if statement.name != "caption tau" and not statement.name.startswith("tau of ranks "):
            continue
        number = _HALVES[statement.about]
        columns = [paper.table(number, half).column("score") for half in "XY"]
        halves = [dict(sorted(half.items(), key=lambda entry: -entry[1].value)) for half in columns]
        readings = [(list(halves[0]), f"tau of the rankings of table {number}")]
        if statement.name != "caption tau":
            first, last = map(int, statement.name.removeprefix("tau of ranks ").split(" to "))
            readings = [
                (list(half)[first - 1 : last], f"tau of the systems at these ranks in half {name}")
                for half, name in zip(halves, "XY", strict=True)
            ]
        checks[statement.location] = _tau_check(readings, halves)
    return checks


def _tau_check(readings: Sequence[tuple[list[str], str]], halves: Sequence[Mapping[str, Printed]]) -> Check:
    """Kendall's tau of two halves on some systems, by every reading of which systems are meant."""
    values: list[tuple[float, str]] = []
    possible: list[tuple[float, str]] = []
    for systems, method in readings:
        boxes = [Box.of([half[name] for name in systems]) for half in halves]
        values.append((float(kendall_b(boxes[0].values, boxes[1].values)), method))
        rankings = [orders(box) for box in boxes]
        if any(len(ranking) > 1 for ranking in rankings):
            possible += [(float(kendall_b(x, y)), "with broken ties") for x in rankings[0] for y in rankings[1]]
    attainable = taus(len(readings[0][0]))
    return Check(*values[0], others=tuple(values[1:]), possible=spans(possible), attainable=attainable)


def _ends(paper: Paper) -> Checks:
    """What §5.3 calls the highest and the lowest of table 6."""
    checks: Checks = {}
    for statement in paper.statements:
        end, _, rest = statement.name.partition(" ")
        if end in _ENDS and " tau" in f" {rest}":
            column = "mean" if rest.startswith("mean") else rest.removeprefix("tau ")
            cells = paper.table("6").column(column)
            checks[statement.location] = _end_check(cells, statement.about, end, column)
    return checks


def _end_check(cells: Mapping[str, Printed], about: str, end: str, column: str) -> Check:
    value = _ENDS[end](cell.value for cell in cells.values())
    names = [name for name, cell in cells.items() if cell.value == value]
    if about in names:
        return equal_check(cells[about], f"{end} {column} in table 6")
    where = f"in table 6 {about} has {cells[about].text}, and the {end} is {value:.4f} of {' and '.join(names)}"
    return Check(cells[about].value, where)


def _balanced(paper: Paper, material: Material, possible: Attainable) -> Checks:
    checks: Checks = {}
    for statement in paper.statements:
        if statement.name.startswith("tau with balanced classes "):
            checks[statement.location] = Check(attainable=possible)
        elif statement.name == "items per class after balancing":
            counts = material.fnc1_counts
            rarest = min(count for label, count in counts.items() if label != "unrelated") if counts else None
            method = "items of the rarest of the three classes in the official gold"
            checks[statement.location] = Check(rarest, method, needs=FNC1)
    return checks


_MEASURES = {"accuracy": "accuracy", "MAE": "closeness:norm=gold", "half power": "decay:base=0.5"}
_EXAMPLE = "E"
"""The gold label of the article's figures; its largest distance, to A, is 4."""


def checks_of_ordinal(paper: Paper, _material: Material) -> Checks:
    """Checks of the cells that can be computed."""
    return {**_labels(paper), **_values(paper), **_pairs(paper), **_correlation(paper)}


def _scale(paper: Paper) -> ClassScale:
    """The labels, the worst first."""
    return ClassScale(tuple(reversed(paper.table("labels").names)), ordered=True)


def _labels(paper: Paper) -> Checks:
    table, scale = paper.table("labels"), _scale(paper)
    positions = zip(scale.labels, scale.positions.tolist(), strict=True)
    checks = {table.location(name, "number"): Check(code, "position in the order, from 0") for name, code in positions}
    return {**checks, paper.statement("labels").location: Check(float(len(scale)), "rows of the table of labels")}


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
            checks[table.location(row, column)] = Check(float(measure(_MEASURES[column])(counts, scale)), method)
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
            checks[table.location(row, column)] = Check(word, method)
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
    return {statement.location: Check(r, method, possible=(Span(*attained),), bounds=bounds)}


def _others(cell: Printed, numbers: Box, scores: Box) -> str:
    text = ""
    for name, coefficient in (("Spearman", spearman), ("Kendall's tau-b", kendall_b)):
        value = float(coefficient(numbers.values, scores.values))
        text += f"; {name} is {value:.4f}" + (", which is printed so" if printed_form(cell, value) else "")
    return text
