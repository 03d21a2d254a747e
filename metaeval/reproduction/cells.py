"""The printed cells of a paper, and checks that several papers have in common: sums, means, places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metaeval.reproduction.published.attainable import Attainable
from metaeval.reproduction.published.reading import Paper, Printed, PublishedTable, Statement
from metaeval.reproduction.published.rounded import Box, possible_places
from metaeval.reproduction.published.verdicts import Check, Finding, Span, judge
from metaeval.stats.rank import competition_ranks

TEXT = "text"
"""The 'table' of numbers in the running text: its part is the section, its column what the number is about."""


class Place(NamedTuple):
    """Where a number is printed."""

    table: str
    part: str
    row: str
    column: str


Checks = dict[Place, Check]
Cells = Mapping[str, Printed]


@dataclass(frozen=True)
class CheckedCell:
    """A printed number, what was computed, and the verdict."""

    paper: str
    place: Place
    printed: Printed
    check: Check
    finding: Finding


def place_of(table: PublishedTable, row: str, column: str) -> Place:
    """Where a cell of a table is."""
    return Place(table.number, table.part, row, column)


def rank_place(table: PublishedTable, row: str, column: str) -> Place:
    """Where the rank behind a score is."""
    return place_of(table, row, f"{column} rank")


def place_in_text(statement: Statement) -> Place:
    """Where a number of the text is."""
    return Place(TEXT, statement.section, statement.name, statement.about)


def printed_cells(paper: Paper) -> Iterator[tuple[Place, Printed]]:
    """Every number and every word that a paper prints in its tables, ranks apart, then those of its text."""
    for table in paper.tables:
        for row, cells in zip(table.names, table.cells, strict=True):
            for column, cell in zip(table.header, cells, strict=True):
                if cell is not None:
                    yield place_of(table, row, column), Printed(cell.text)
                if cell is not None and cell.rank is not None:
                    yield rank_place(table, row, column), Printed(str(cell.rank))
    for statement in paper.statements:
        yield place_in_text(statement), statement.value


def judged(paper: Paper, checks: Checks, otherwise: Callable[[Place], Check]) -> list[CheckedCell]:
    """The verdicts on all cells of a paper. otherwise: the check of a cell that has none of its own.

    A paper either rounds or cuts off: what fewer of its exact cells need is no way to be exact.
    """
    cells = [(place, printed, checks.get(place) or otherwise(place)) for place, printed in printed_cells(paper)]
    needed = Counter(judge(printed, check).form for _, printed, check in cells)
    rounded, cut = needed["rounded"], needed["cut off"]
    refused = "cut off" if rounded > cut else "rounded" if cut > rounded else ""
    return [
        CheckedCell(paper.key, place, printed, check, judge(printed, check, refused=refused))
        for place, printed, check in cells
    ]


def column_of(table: PublishedTable, column: str) -> dict[str, Printed]:
    """The cells of a column by row, without those that are absent."""
    return {row: cell for row, cell in zip(table.names, table.column(column), strict=True) if cell is not None}


def row_of(table: PublishedTable, row: str) -> dict[str, Printed]:
    """The cells of a row by column, without those that are absent."""
    return {column: cell for column, cell in zip(table.header, table.row(row), strict=True) if cell is not None}


def mean_check(cells: Sequence[Printed], how: str, attainable: Attainable | None = None) -> Check:
    """The mean of printed numbers, each of which was rounded."""
    box = Box.of(cells)
    reached = (Span(float(box.low.mean()), float(box.high.mean())),)
    return Check(float(box.values.mean()), how, reached=reached, attainable=attainable)


def cut_mean_check(cells: Sequence[Printed], how: str, single: Attainable, attainable: Attainable) -> Check:
    """The mean of numbers that were cut off, of which it is known what they can have been: as printed, and uncut."""
    known = [found[0] for cell in cells if (found := single.find(cell)) is not None]
    others = ((float(np.mean(known)), "the mean of the uncut cells"),) if len(known) == len(cells) else ()
    return Check(float(np.mean([cell.value for cell in cells])), how, others=others, attainable=attainable)


def same_check(cell: Printed, how: str) -> Check:
    """A number that is printed elsewhere, too."""
    return Check(cell.value, how) if cell.is_number else Check(cell.text, how)


def sum_checks(total: tuple[Place, Printed], parts: Mapping[Place, Printed], what: str) -> Checks:
    """Each of some parts and their total, from all the others. Whole numbers are counts and were not rounded."""
    boxes = {place: _known(cell) for place, cell in parts.items()}
    whole = _known(total[1])
    sums = [float(sum(numbers)) for numbers in zip(*boxes.values(), strict=True)]
    checks = {total[0]: _between(sums[0], sums[1], sums[2], f"sum of {what}")}
    for place, (value, low, high) in boxes.items():
        rest = [sums[0] - value, sums[1] - low, sums[2] - high]
        checks[place] = _between(
            whole[0] - rest[0], whole[1] - rest[2], whole[2] - rest[1], f"what the other {what} leave of the total"
        )
    return checks


def _known(cell: Printed) -> tuple[float, float, float]:
    if cell.decimals == 0 and "%" not in cell.text:
        return cell.value, cell.value, cell.value
    return cell.value, *cell.interval


def _between(value: float, low: float, high: float, how: str) -> Check:
    # Sums of decimals are off by a few of the last bits.
    value = round(value, 9)
    return Check(value, how, reached=(Span(low, high),) if high > low + 1e-9 else ())


def place_check(cells: Cells, name: str, how: str, *, lowest_first: bool = False) -> Check:
    """The place of one of some printed scores among them, ties sharing the best."""
    names = list(cells)
    box = Box.of(list(cells.values()))
    if lowest_first:
        box = Box(-box.values, -box.high, -box.low)
    number = names.index(name)
    best, worst = possible_places(box, number)
    places = competition_ranks(box.values)
    tied = int((places == places[number]).sum()) - 1
    told = f"{how}; level with {tied} others as printed" if tied else how
    reached = tuple(Span(place, place) for place in range(best, worst + 1)) if worst > best else ()
    return Check(float(places[number]), told, reached=reached)
