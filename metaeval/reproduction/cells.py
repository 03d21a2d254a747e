"""The printed cells of a paper, and checks that several papers share: sums, means, ranks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from metaeval.reproduction.published.attainable import Attainable
from metaeval.reproduction.published.reading import Paper, Place, Printed
from metaeval.reproduction.published.rounded import Box, possible_ranks
from metaeval.reproduction.published.verdicts import Check, Judgement, Span, judge
from metaeval.stats.rank import competition_ranks

Numbers = NDArray[np.float64]
Checks = dict[Place, Check]


@dataclass(frozen=True)
class CheckedCell:
    """A printed number, its check, and the verdict."""

    paper: str
    place: Place
    printed: Printed
    check: Check
    judgement: Judgement


def printed_cells(paper: Paper) -> Iterator[tuple[Place, Printed]]:
    """Every number and word that a paper prints in its tables, ranks separately, then the numbers of its text."""
    for table in paper.tables:
        for row in table.names:
            for column, cell in table.row(row).items():
                yield table.place(row, column), Printed(cell.text)
                if cell.rank is not None:
                    yield table.rank_place(row, column), Printed(str(cell.rank))
    for statement in paper.statements:
        yield statement.place, statement.value


def judge_cells(paper: Paper, checks: Checks) -> list[CheckedCell]:
    """The verdicts on all cells of a paper. checks: of the cells about which more is known than what they need.

    A paper either rounds or truncates: of these, the one that fewer of its exact cells need does not make a cell exact.
    """
    cells = [(place, printed, _complete(checks.get(place), place, paper)) for place, printed in printed_cells(paper)]
    needed = Counter(judge(printed, check).form for _, printed, check in cells)
    rounded, truncated = needed["rounded"], needed["truncated"]
    excluded = "truncated" if rounded > truncated else "rounded" if truncated > rounded else ""
    return [
        CheckedCell(paper.key, place, printed, check, judge(printed, check, excluded_form=excluded))
        for place, printed, check in cells
    ]


def _complete(check: Check | None, place: Place, paper: Paper) -> Check:
    """The check of a cell, with the data that the paper needs for it where it was not computed."""
    if check is None and (not paper.needs or place.row in paper.choices):
        return Check(is_choice=True, method=paper.choice)
    check = check or Check()
    if check.computed is not None or check.needs:
        return check
    return replace(check, needs=paper.needs.get(place.table, paper.needs["other"]))


def mean_check(cells: Sequence[Printed], method: str) -> Check:
    """The mean of printed numbers, each of which was rounded."""
    box = Box.of(cells)
    return Check(float(box.values.mean()), method, possible=(Span(float(box.low.mean()), float(box.high.mean())),))


def truncated_mean_check(cells: Sequence[Printed], method: str, single: Attainable, attainable: Attainable) -> Check:
    """The mean of truncated numbers: as printed, and before truncation. single: the possible values of each number."""
    matches = [match[0] for cell in cells if (match := single.find(cell)) is not None]
    complete = len(matches) == len(cells)
    others = ((float(np.mean(matches)), "the mean of the cells before truncation"),) if complete else ()
    return Check(float(np.mean([cell.value for cell in cells])), method, others=others, attainable=attainable)


def equal_check(cell: Printed, method: str) -> Check:
    """A number that is also printed elsewhere."""
    return Check(cell.value if cell.is_number else cell.text, method)


def sum_checks(parts: Mapping[Place, Printed], what: str, total: Printed, place: Place | None = None) -> Checks:
    """Each part and the total, computed from all others. Integers are counts, which are not rounded.

    place: where the total is printed, if it is.
    """
    boxes = {part: _interval(cell) for part, cell in parts.items()}
    whole, sums = _interval(total), np.sum(list(boxes.values()), axis=0)
    checks = {} if place is None else {place: _interval_check(sums, f"sum of the {what}")}
    for part, box in boxes.items():
        # The lowest sum of the others leaves the highest part.
        rest = (sums - box)[[0, 2, 1]]
        checks[part] = _interval_check(whole - rest, f"the total minus the other {what}")
    return checks


def _interval(cell: Printed) -> Numbers:
    """The printed value and the ends of its interval, (3,)."""
    if cell.decimals == 0 and "%" not in cell.text:
        return np.full(3, cell.value)
    return np.array([cell.value, *cell.interval])


def _interval_check(interval: Numbers, method: str) -> Check:
    value, low, high = interval.tolist()
    # Sums of decimals have rounding errors.
    return Check(round(value, 9), method, possible=(Span(low, high),) if high > low + 1e-9 else ())


def rank_check(cells: Mapping[str, Printed], name: str, method: str, *, lowest_first: bool = False) -> Check:
    """The rank of one of several printed scores; ties share the best rank."""
    box = Box.of(list(cells.values()))
    if lowest_first:
        box = Box(-box.values, -box.high, -box.low)
    number = list(cells).index(name)
    best, worst = possible_ranks(box, number)
    ranks = competition_ranks(box.values)
    ties = int((ranks == ranks[number]).sum()) - 1
    possible = tuple(Span(rank, rank) for rank in range(best, worst + 1)) if worst > best else ()
    return Check(float(ranks[number]), f"{method}; tied with {ties} others as printed" if ties else method,
                 possible=possible)  # fmt: skip
