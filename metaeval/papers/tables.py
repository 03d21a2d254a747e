"""Verdicts as tables: counts, findings, missing data, every cell, and the papers' tables with marks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval.arrays import Floats
from metaeval.model.report import Cell, Column, Kind, Table
from metaeval.papers.published import (
    TEXT,
    Attainable,
    Box,
    Check,
    Judgement,
    Location,
    Paper,
    Printed,
    PublishedTable,
    Span,
    Verdict,
    judge,
    possible_ranks,
)
from metaeval.stats.rank import competition_ranks

Checks = dict[Location, Check]


@dataclass(frozen=True)
class CheckedCell:
    """A printed number, its check, and the verdict."""

    paper: str
    location: Location
    printed: Printed
    check: Check
    judgement: Judgement


def printed_cells(paper: Paper) -> Iterator[tuple[Location, Printed]]:
    """Every number and word that a paper prints in its tables, ranks separately, then the numbers of its text."""
    for table in paper.tables:
        for row in table.names:
            for column, cell in table.row(row).items():
                yield table.location(row, column), Printed(cell.text)
                if cell.rank is not None:
                    yield table.rank_location(row, column), Printed(str(cell.rank))
    for statement in paper.statements:
        yield statement.location, statement.value


def judge_cells(paper: Paper, checks: Checks) -> list[CheckedCell]:
    """The verdicts on all cells of a paper. checks: of the cells about which more is known than what they need.

    A paper either rounds or truncates: of these, the one that fewer of its exact cells need does not make a cell exact.
    """
    cells = [(where, cell, _complete(checks.get(where), where, paper)) for where, cell in printed_cells(paper)]
    forms = Counter(judge(cell, check).form for _, cell, check in cells)
    rounded, truncated = forms["rounded"], forms["truncated"]
    excluded = "truncated" if rounded > truncated else "rounded" if truncated > rounded else ""
    return [
        CheckedCell(paper.key, where, cell, check, judge(cell, check, excluded_form=excluded))
        for where, cell, check in cells
    ]


def _complete(check: Check | None, location: Location, paper: Paper) -> Check:
    """The check of a cell, with the data that the paper needs for it where it was not computed."""
    if check is None and (not paper.needs or location.row in paper.choices):
        return Check(is_choice=True, method=paper.choice)
    check = check or Check()
    if check.computed is not None or check.needs:
        return check
    return replace(check, needs=paper.needs.get(location.table, paper.needs["other"]))


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


def sum_checks(parts: Mapping[Location, Printed], what: str, total: Printed, where: Location | None = None) -> Checks:
    """Each part and the total, computed from all others. Integers are counts, which are not rounded.

    where: the location of the total, if it is printed.
    """
    boxes = {part: _interval(cell) for part, cell in parts.items()}
    whole, sums = _interval(total), np.sum(list(boxes.values()), axis=0)
    checks = {} if where is None else {where: _interval_check(sums, f"sum of the {what}")}
    for part, box in boxes.items():
        # The lowest sum of the others leaves the highest part.
        rest = (sums - box)[[0, 2, 1]]
        checks[part] = _interval_check(whole - rest, f"the total minus the other {what}")
    return checks


def _interval(cell: Printed) -> Floats:
    """The printed value and the ends of its interval, (3,)."""
    if cell.decimals == 0 and "%" not in cell.text:
        return np.full(3, cell.value)
    return np.array([cell.value, *cell.interval])


def _interval_check(interval: Floats, method: str) -> Check:
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
    return Check(
        float(ranks[number]), f"{method}; tied with {ties} others as printed" if ties else method, possible=possible
    )


_COLUMNS = (
    *(Column(name) for name in ("paper", "table", "part", "row", "column", "printed")),
    Column("computed", Kind.COUNT),
    Column("verdict", values=tuple(verdict.value for verdict in Verdict)),
    Column("reason", detail=True),
)
_SHORT = tuple(column for column in _COLUMNS if column.name not in ("part", "row", "column"))


def finding_tables(cells: Mapping[str, Sequence[CheckedCell]]) -> list[Table]:
    """Tables of verdicts, by paper: `verdicts`, `findings`, `rounding`, `missing`, `reproduction`."""
    every = [cell for paper_cells in cells.values() for cell in paper_cells]
    verdicts = {paper: Counter(cell.judgement.verdict for cell in paper_cells) for paper, paper_cells in cells.items()}
    counts: list[tuple[Cell, ...]] = [(paper, *(of[verdict] for verdict in Verdict)) for paper, of in verdicts.items()]
    heads = {verdict.value: f"{verdict.value} {verdict.mark}".rstrip() for verdict in Verdict}
    kinds = (Column(name.replace(" ", "_"), Kind.COUNT, head=head) for name, head in heads.items())
    wrong, close = (Verdict.DIFFERS, Verdict.UNATTAINABLE), (Verdict.WITHIN_ROUNDING, Verdict.WITHIN_CHANCE)
    rows = tuple((cell.paper, *cell.location, *_judgement_cells(cell)) for cell in every)
    return [
        Table("verdicts", "Printed numbers by verdict", (Column("paper"), *kinds), tuple(counts)),
        _select(every, "findings", "Printed numbers that differ from computed ones or that no data give", wrong),
        replace(
            _select(every, "rounding", "Printed numbers within rounding or within the range of random draws", close),
            detail=True,
        ),
        replace(_missing(every), detail=True),
        Table("reproduction", f"All {len(every):,} numbers", _with_texts(_COLUMNS, every), rows, detail=True),
    ]


def _select(cells: Sequence[CheckedCell], name: str, title: str, verdicts: Sequence[Verdict]) -> Table:
    """The cells that have one of the verdicts."""
    columns = (_SHORT[0], Column("place"), *_SHORT[2:])
    subset = [cell for cell in cells if cell.judgement.verdict in verdicts]
    rows = (
        (cell.paper, ", ".join(filter(None, (_label(cell.location), *cell.location[2:]))), *_judgement_cells(cell))
        for cell in subset
    )
    return Table(name, title, _with_texts(columns, subset), tuple(rows))


def _with_texts(columns: Sequence[Column], cells: Sequence[CheckedCell]) -> tuple[Column, ...]:
    """The columns, with computed values as texts where some are texts, as names of systems in a ranking are."""
    are_texts = any(isinstance(cell.judgement.computed, str) for cell in cells)
    return tuple(Column(column.name) if are_texts and column.name == "computed" else column for column in columns)


def _missing(cells: Sequence[CheckedCell]) -> Table:
    """The data that are missing: for how many numbers of which table, and what was checked without them."""
    groups: dict[tuple[str, str, str], list[CheckedCell]] = {}
    for cell in cells:
        if cell.judgement.verdict is Verdict.NEEDS_DATA:
            groups.setdefault((cell.paper, _label(cell.location), cell.check.needs), []).append(cell)
    columns = (
        *_SHORT[:2],
        Column("numbers", Kind.COUNT, about="printed numbers that cannot be checked"),
        Column("needs"),
        Column("checked"),
    )
    rows = tuple((*group[:2], len(members), group[2], _describe_checks(members)) for group, members in groups.items())
    return Table("missing", "Printed numbers that need data, and what was checked without the data", columns, rows)


def _describe_checks(cells: Sequence[CheckedCell]) -> str:
    laws = [cell.check.attainable.law for cell in cells if cell.check.attainable is not None]
    constraints = [cell.check.constraint.partition(":")[0] for cell in cells if cell.check.constraint]
    return "; ".join(dict.fromkeys([*laws, *constraints]))


def _judgement_cells(cell: CheckedCell) -> tuple[Cell, ...]:
    """The printed and the computed value, the verdict and its reason."""
    return cell.printed.text, _computed(cell), cell.judgement.verdict.value, cell.judgement.reason


def _computed(cell: CheckedCell) -> Cell:
    """The computed value, a count as an integer."""
    value = cell.judgement.computed
    whole = isinstance(value, float) and cell.printed.is_number and not cell.printed.decimals and value == round(value)
    return int(value) if whole and isinstance(value, float) else value


def _label(location: Location) -> str:
    number = f"§{location.part}" if location.table == TEXT else f"{location.table} {location.part}"
    return number.strip()


def paper_tables(paper: Paper, cells: Sequence[CheckedCell]) -> list[Table]:
    """The tables of a paper as printed, each number with the mark of its verdict, and the numbers of its text."""
    by_location = {cell.location: cell for cell in cells}
    tables = [_mark_table(table, by_location) for table in paper.tables]
    columns = (*(Column(name) for name in ("section", "what", "about", "printed")), _COLUMNS[6], Column("verdict"))
    rows = tuple((*cell.location[1:], *_judgement_cells(cell)[:3]) for cell in cells if cell.location.table == TEXT)
    return [*tables, Table("text", "Numbers of the text", columns, rows)] if rows else tables


def _mark_table(table: PublishedTable, cells: Mapping[Location, CheckedCell]) -> Table:
    name = re.sub(r"\W+", "_", f"table {table.label}".lower())
    rows = tuple((row, *(_with_marks(table, row, column, cells) for column in table.header)) for row in table.names)
    header = (f"{column} " if column == table.rows else column for column in table.header)
    return Table(name, f"{table.label}: {table.title}", tuple(map(Column, (table.rows, *header))), rows)


def _with_marks(table: PublishedTable, row: str, column: str, cells: Mapping[Location, CheckedCell]) -> str | None:
    cell = cells.get(table.location(row, column))
    if cell is None:
        return None
    rank = cells.get(table.rank_location(row, column))
    return _mark(cell) + (f" ({_mark(rank)})" if rank is not None else "")


def _mark(cell: CheckedCell) -> str:
    text = f"{cell.printed.text} {cell.judgement.verdict.mark}".rstrip()
    if cell.judgement.verdict is not Verdict.DIFFERS:
        return text
    value = _computed(cell)
    return f"{text} {value:.4f}" if isinstance(value, float) else f"{text} {value}"
