"""Verdicts as tables: counts, findings, what is missing, every cell, and the papers' own tables with marks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from metaeval.model.report import Cell, Column, Kind, Table
from metaeval.reproduction.cells import TEXT, CheckedCell, Place, place_of, rank_place
from metaeval.reproduction.published.reading import Paper, PublishedTable
from metaeval.reproduction.published.verdicts import Verdict

_MARKS = {
    Verdict.EXACT: " =",
    Verdict.WITHIN_ROUNDING: " ≈",
    Verdict.WITHIN_CHANCE: " ~",
    Verdict.DIFFERS: " ≠",
    Verdict.UNATTAINABLE: " ×",
    Verdict.NEEDS_DATA: " ?",
    Verdict.GIVEN: "",
}
_COLUMNS = (
    *(Column(name) for name in ("paper", "table", "part", "row", "column", "printed")),
    Column("computed", Kind.COUNT),
    Column("verdict"),
    Column("reason"),
)
_SHORT = tuple(column for column in _COLUMNS if column.name not in ("part", "row", "column"))


def finding_tables(cells: Mapping[str, Sequence[CheckedCell]]) -> list[Table]:
    """Tables of verdicts, by paper: `verdicts`, `findings`, `rounding`, `missing`, `reproduction`."""
    every = [cell for of_paper in cells.values() for cell in of_paper]
    names = [verdict.value.replace(" ", "_") for verdict in Verdict]
    verdicts = {paper: Counter(cell.finding.verdict for cell in of_paper) for paper, of_paper in cells.items()}
    counts: tuple[tuple[Cell, ...], ...] = tuple(
        (paper, *(found[verdict] for verdict in Verdict)) for paper, found in verdicts.items()
    )
    rows = tuple((cell.paper, *cell.place, *_judged(cell)) for cell in every)
    columns = (
        Column("paper"),
        *(Column(name, Kind.COUNT, head=verdict.value) for name, verdict in zip(names, Verdict, strict=True)),
    )
    return [
        Table("verdicts", "Printed numbers by verdict", columns, counts),
        _where(
            every,
            "findings",
            "Numbers that differ from what is computed, or that no data could give",
            (Verdict.DIFFERS, Verdict.UNATTAINABLE),
        ),
        _where(
            every,
            "rounding",
            "Numbers that are reached by rounding or by chance",
            (Verdict.WITHIN_ROUNDING, Verdict.WITHIN_CHANCE),
        ),
        _missing(every),
        Table("reproduction", f"All {len(every):,} numbers", _COLUMNS, rows, detail=True),
    ]


def _where(cells: Sequence[CheckedCell], name: str, title: str, verdicts: Sequence[Verdict]) -> Table:
    chosen = (cell for cell in cells if cell.finding.verdict in verdicts)
    columns = (_SHORT[0], Column("place"), *_SHORT[2:])
    return Table(name, title, columns, tuple((cell.paper, _spoken(cell.place), *_judged(cell)) for cell in chosen))


def _missing(cells: Sequence[CheckedCell]) -> Table:
    """What data would decide: how many numbers of which table, and what can be said without."""
    groups: dict[tuple[str, str, str], list[CheckedCell]] = {}
    for cell in cells:
        if cell.finding.verdict is Verdict.NEEDS_DATA:
            groups.setdefault((cell.paper, _label(cell.place), cell.check.needs), []).append(cell)
    columns = (*_SHORT[:2], Column("numbers", Kind.COUNT), Column("needs"), Column("checked"))
    rows = tuple((*group[:2], len(members), group[2], _checked(members)) for group, members in groups.items())
    return Table("missing", "Numbers that need data, and what was checked without", columns, rows)


def _checked(cells: Sequence[CheckedCell]) -> str:
    laws = [cell.check.attainable.law for cell in cells if cell.check.attainable is not None]
    known = [cell.check.known.partition(":")[0] for cell in cells if cell.check.known]
    return "; ".join(dict.fromkeys([*laws, *known]))


def _judged(cell: CheckedCell) -> tuple[Cell, ...]:
    """What is printed and what was computed, the verdict and its reason."""
    return cell.printed.text, _computed(cell), cell.finding.verdict.value, cell.finding.reason


def _computed(cell: CheckedCell) -> Cell:
    """What was computed, a count as a whole number."""
    value = cell.finding.computed
    whole = isinstance(value, float) and cell.printed.is_number and not cell.printed.decimals and value == round(value)
    return int(value) if whole and isinstance(value, float) else value


def _label(place: Place) -> str:
    number = f"§{place.part}" if place.table == TEXT else f"{place.table} {place.part}"
    return number.strip()


def _spoken(place: Place) -> str:
    """Where a number is, on one line."""
    parts = [_label(place), place.row, place.column]
    return ", ".join(part for part in parts if part)


def paper_tables(paper: Paper, cells: Sequence[CheckedCell]) -> list[Table]:
    """The tables of a paper as it prints them, each number with the mark of its verdict, and its text."""
    by_place = {cell.place: cell for cell in cells}
    tables = [_marked(table, by_place) for table in paper.tables]
    columns = (*(Column(name) for name in ("section", "what", "about", "printed")), _COLUMNS[6], Column("verdict"))
    rows = tuple((*cell.place[1:], *_judged(cell)[:3]) for cell in cells if cell.place.table == TEXT)
    return [*tables, Table("text", "Numbers of the text", columns, rows)] if rows else tables


def _marked(table: PublishedTable, cells: Mapping[Place, CheckedCell]) -> Table:
    name = re.sub(r"\W+", "_", f"table {table.label}".lower())
    rows = tuple((row, *(_with_marks(table, row, column, cells) for column in table.header)) for row in table.names)
    columns = (
        Column(table.rows),
        *(Column(f"{column} ") if column == table.rows else Column(column) for column in table.header),
    )
    return Table(name, f"{table.label}: {table.title}", columns, rows)


def _with_marks(table: PublishedTable, row: str, column: str, cells: Mapping[Place, CheckedCell]) -> str | None:
    cell = cells.get(place_of(table, row, column))
    if cell is None:
        return None
    rank = cells.get(rank_place(table, row, column))
    return _mark(cell) + (f" ({_mark(rank)})" if rank is not None else "")


def _mark(cell: CheckedCell) -> str:
    text = cell.printed.text + _MARKS[cell.finding.verdict]
    if cell.finding.verdict is not Verdict.DIFFERS:
        return text
    value = _computed(cell)
    return f"{text} {value:.4f}" if isinstance(value, float) else f"{text} {value}"
