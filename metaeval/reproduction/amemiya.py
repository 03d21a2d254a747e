"""Amemiya & Sakai (2021): taus of 14 systems, their means and ranks, and the text against the tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from metaeval.reproduction.cells import (
    Checks,
    Place,
    column_of,
    cut_mean_check,
    place_check,
    place_in_text,
    place_of,
    row_of,
    same_check,
    sum_checks,
)
from metaeval.reproduction.material import FNC1, Material
from metaeval.reproduction.published.attainable import means_of_cut, taus
from metaeval.reproduction.published.reading import Paper, Printed, PublishedTable
from metaeval.reproduction.published.rounded import Box, orders
from metaeval.reproduction.published.verdicts import Check, spans
from metaeval.stats.rank_correlation import kendall_b

_RUNS = "the runs of the 14 systems, which are not public"
_MERGES = 3
_HALVES = {"kappa": "4", "alpha-ORD": "5"}
_ENDS = {"highest": max, "lowest": min}
_CHOICES = ("threshold", "halvings")


def otherwise(place: Place) -> Check:
    """The check of a cell that follows from no other."""
    if any(word in place.row for word in _CHOICES):
        return Check(given=True, how="a choice of the authors")
    return Check(needs=_RUNS)


def checks(paper: Paper, material: Material) -> Checks:
    """What can be computed of its tables and its text."""
    return {
        **_similarities(paper),
        **_merges(paper),
        **_summary(paper),
        **_confusions(paper),
        **_systems(paper),
        **_halves(paper),
        **_ends(paper),
        **_balanced(paper, material),
    }


def _systems_of(paper: Paper) -> int:
    return len(paper.table("4", "X").names)


def _similarities(paper: Paper) -> Checks:
    table, possible = paper.table("2"), taus(_systems_of(paper))
    check = Check(needs=_RUNS, attainable=possible)
    return {place_of(table, row, column): check for row in table.names for column in row_of(table, row)}


def _merges(paper: Paper) -> Checks:
    table, possible = paper.table("6"), taus(_systems_of(paper))
    found: Checks = {}
    for name in table.names:
        *cells, _ = cells_of_row = row_of(table, name)
        for column in cells:
            found[place_of(table, name, column)] = Check(needs=_RUNS, attainable=possible)
        taken = [cells_of_row[column] for column in cells]
        means = means_of_cut(possible, _MERGES, taken[0].decimals)
        found[place_of(table, name, "mean")] = cut_mean_check(taken, "mean of the cells of its row", possible, means)
    return found


def _summary(paper: Paper) -> Checks:
    ranks, groups = paper.table("7", "ranks"), paper.table("7", "groups")
    found: Checks = {}
    stable, means = column_of(paper.table("3"), "tau"), column_of(paper.table("6"), "mean")
    for name in ranks.names:
        found[place_of(ranks, name, "consistency")] = place_check(stable, name, "place in table 3, the highest first")
        found[place_of(ranks, name, "ordinal classes")] = place_check(
            means, name, "place of the mean in table 6, the lowest first", lowest_first=True
        )
    letters = {name: cell.text for name, cell in column_of(groups, "similarity").items()}
    for name, check in nearest_groups(likenesses(paper.table("2")), letters).items():
        found[place_of(groups, name, "similarity")] = check
    return found


def likenesses(table: PublishedTable) -> dict[str, dict[str, float]]:
    """The tau of every two measures of table 2, both ways."""
    tau: dict[str, dict[str, float]] = {name: {} for name in dict.fromkeys([*table.names, *table.header])}
    for row in table.names:
        for column, cell in row_of(table, row).items():
            tau[row][column] = tau[column][row] = cell.value
    return tau


def nearest_groups(tau: Mapping[str, Mapping[str, float]], letters: Mapping[str, str]) -> dict[str, Check]:
    """The group whose members each measure is most like, on average; a measure between two is no member."""
    members: dict[str, list[str]] = {}
    for name, letter in letters.items():
        members.setdefault(letter, []).append(name)
    members = {letter: names for letter, names in members.items() if "/" not in letter}

    def likeness(name: str, letter: str) -> float:
        others = [tau[name][other] for other in members[letter] if other != name]
        return float(np.mean(others)) if others else -1.0

    found = {}
    for name, own in letters.items():
        like = {letter: likeness(name, letter) for letter in members}
        nearest = max(like, key=lambda letter: like[letter])
        how = f"most like group {nearest}, with a mean tau of {like[nearest]:.4f}"
        least = min(likeness(member, nearest) for member in members[nearest] if member != name)
        if members.get(own) == [name] and like[nearest] < least:
            # Alone, and rightly: it would be the stranger of any other group.
            nearest, how = own, f"{how}, where all others have {least:.4f} or more"
        found[name] = Check(nearest, how)
    return found


def _confusions(paper: Paper) -> Checks:
    table = paper.table("figure 3")
    found: Checks = {}
    for name in table.names:
        cells = row_of(table, name)
        parts = {place_of(table, name, column): cells[column] for column in table.header[:2]}
        found |= sum_checks((place_of(table, name, "both"), cells["both"]), parts, "two ways")
    return found


def _systems(paper: Paper) -> Checks:
    told = {name: paper.statement(name) for name in ("systems", "systems of others", "own systems")}
    parts = {place_in_text(told[name]): told[name].value for name in ("systems of others", "own systems")}
    whole = place_in_text(told["systems"])
    found = sum_checks((whole, told["systems"].value), parts, "kinds of systems")
    found[whole] = Check(float(_systems_of(paper)), "rows of table 4")
    return found


def _halves(paper: Paper) -> Checks:
    """Taus of tables 4 and 5: of all systems, and of each stratum by either half."""
    found: Checks = {}
    for statement in paper.statements:
        if statement.name == "caption tau":
            halves = _both(paper, _HALVES[statement.about])
            how = f"tau of the rankings of table {_HALVES[statement.about]}"
            found[place_in_text(statement)] = _tau_check([(list(halves[0]), how)], halves)
        elif statement.name.startswith("tau of ranks "):
            first, last = (int(place) for place in statement.name.removeprefix("tau of ranks ").split(" to "))
            halves = _both(paper, _HALVES[statement.about])
            readings = [
                (list(half)[first - 1 : last], f"tau of the systems at these places in half {name}")
                for half, name in zip(halves, "XY", strict=True)
            ]
            found[place_in_text(statement)] = _tau_check(readings, halves)
    return found


def _both(paper: Paper, number: str) -> tuple[dict[str, Printed], dict[str, Printed]]:
    """The scores of both halves by system, the best first."""
    halves = [column_of(paper.table(number, half), "score") for half in "XY"]
    ordered = [dict(sorted(half.items(), key=lambda entry: -entry[1].value)) for half in halves]
    return ordered[0], ordered[1]


def _tau_check(readings: Sequence[tuple[list[str], str]], halves: Sequence[Mapping[str, Printed]]) -> Check:
    """Kendall's tau of two halves on some systems, by every reading of which these are."""
    values: list[tuple[float, str]] = []
    reached: list[tuple[float, str]] = []
    for systems, how in readings:
        boxes = [Box.of([half[name] for name in systems]) for half in halves]
        values.append((float(kendall_b(boxes[0].values, boxes[1].values)), how))
        rankings = [list(orders(box)) for box in boxes]
        if any(len(ranking) > 1 for ranking in rankings):
            reached += [(float(kendall_b(x, y)), "a tie broken") for x in rankings[0] for y in rankings[1]]
    possible = taus(len(readings[0][0]))
    return Check(*values[0], others=tuple(values[1:]), reached=spans(reached), attainable=possible)


def _ends(paper: Paper) -> Checks:
    """What the text of §5.3 calls the highest and the lowest of table 6."""
    found: Checks = {}
    for statement in paper.statements:
        end, _, rest = statement.name.partition(" ")
        if end in _ENDS and " tau" in f" {rest}":
            column = "mean" if rest.startswith("mean") else rest.removeprefix("tau ")
            cells = column_of(paper.table("6"), column)
            found[place_in_text(statement)] = _end_check(cells, statement.about, end, column)
    return found


def _end_check(cells: Mapping[str, Printed], about: str, end: str, column: str) -> Check:
    value = _ENDS[end](cell.value for cell in cells.values())
    names = [name for name, cell in cells.items() if cell.value == value]
    if about in names:
        return same_check(cells[about], f"{end} {column} in table 6")
    where = f"in table 6 {about} has {cells[about].text}, and the {end} is {value:.4f} of {' and '.join(names)}"
    return Check(cells[about].value, where)


def _balanced(paper: Paper, material: Material) -> Checks:
    possible = taus(_systems_of(paper))
    found: Checks = {}
    for statement in paper.statements:
        if statement.name.startswith("tau with balanced classes "):
            found[place_in_text(statement)] = Check(needs=_RUNS, attainable=possible)
        elif statement.name == "items per class after balancing":
            counts = material.fnc1_counts
            rarest = min(count for label, count in counts.items() if label != "unrelated") if counts else None
            how = "items of the rarest of the three classes in the official gold"
            found[place_in_text(statement)] = Check(rarest, how, needs=FNC1)
    return found
