"""Verdicts as tables: counts, findings, missing data, every cell, and the papers' tables with marks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from metaeval.model.report import Cell, Column, Kind, Table
from metaeval.reproduction.cells import CheckedCell
from metaeval.reproduction.published.reading import TEXT, Paper, Place, PublishedTable
from metaeval.reproduction.published.verdicts import Verdict

_COLUMNS = (
    *(Column(name) for name in ("paper", "table", "part", "row", "column", "printed")),
    Column("computed", Kind.COUNT),
    Column("verdict", values=tuple(verdict.value for verdict in Verdict)),
    Column("reason"),
)
_SHORT = tuple(column for column in _COLUMNS if column.name not in ("part", "row", "column"))


def finding_tables(cells: Mapping[str, Sequence[CheckedCell]]) -> list[Table]:
    """Tables of verdicts, by paper: `verdicts`, `findings`, `rounding`, `missing`, `reproduction`."""
    every = [cell for of_paper in cells.values() for cell in of_paper]
    verdicts = {paper: Counter(cell.judgement.verdict for cell in of_paper) for paper, of_paper in cells.items()}
    counts: list[tuple[Cell, ...]] = [(paper, *(of[verdict] for verdict in Verdict)) for paper, of in verdicts.items()]
    kinds = (Column(verdict.value.replace(" ", "_"), Kind.COUNT, head=verdict.value) for verdict in Verdict)
    wrong, close = (Verdict.DIFFERS, Verdict.UNATTAINABLE), (Verdict.WITHIN_ROUNDING, Verdict.WITHIN_CHANCE)
    rows = tuple((cell.paper, *cell.place, *_judgement_cells(cell)) for cell in every)
    return [
        Table("verdicts", "Printed numbers by verdict", (Column("paper"), *kinds), tuple(counts)),
        _select(every, "findings", "Printed numbers that differ from computed ones or that no data give", wrong),
        _select(every, "rounding", "Printed numbers within rounding or within the range of random draws", close),
        _missing(every),
        Table("reproduction", f"All {len(every):,} numbers", _with_texts(_COLUMNS, every), rows, detail=True),
    ]


def _select(cells: Sequence[CheckedCell], name: str, title: str, verdicts: Sequence[Verdict]) -> Table:
    """The cells that have one of the verdicts."""
    columns = (_SHORT[0], Column("place"), *_SHORT[2:])
    selected = [cell for cell in cells if cell.judgement.verdict in verdicts]
    rows = ((cell.paper, ", ".join(filter(None, (_label(cell.place), *cell.place[2:]))), *_judgement_cells(cell))
            for cell in selected)  # fmt: skip
    return Table(name, title, _with_texts(columns, selected), tuple(rows))


def _with_texts(columns: Sequence[Column], cells: Sequence[CheckedCell]) -> tuple[Column, ...]:
    """The columns, with computed values as texts where some are texts, as names of systems in a ranking are."""
    are_texts = any(isinstance(cell.judgement.computed, str) for cell in cells)
    return tuple(Column(each.name) if are_texts and each.name == "computed" else each for each in columns)


def _missing(cells: Sequence[CheckedCell]) -> Table:
    """The data that are missing: for how many numbers of which table, and what was checked without them."""
    groups: dict[tuple[str, str, str], list[CheckedCell]] = {}
    for cell in cells:
        if cell.judgement.verdict is Verdict.NEEDS_DATA:
            groups.setdefault((cell.paper, _label(cell.place), cell.check.needs), []).append(cell)
    columns = (*_SHORT[:2], Column("numbers", Kind.COUNT), Column("needs"), Column("checked"))
    rows = tuple((*group[:2], len(members), group[2], _checked(members)) for group, members in groups.items())
    return Table("missing", "Printed numbers that need data, and what was checked without the data", columns, rows)


def _checked(cells: Sequence[CheckedCell]) -> str:
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


def _label(place: Place) -> str:
    number = f"§{place.part}" if place.table == TEXT else f"{place.table} {place.part}"
    return number.strip()


def paper_tables(paper: Paper, cells: Sequence[CheckedCell]) -> list[Table]:
    """The tables of a paper as printed, each number with the mark of its verdict, and the numbers of its text."""
    by_place = {cell.place: cell for cell in cells}
    tables = [_marked(table, by_place) for table in paper.tables]
    columns = (*(Column(name) for name in ("section", "what", "about", "printed")), _COLUMNS[6], Column("verdict"))
    rows = tuple((*cell.place[1:], *_judgement_cells(cell)[:3]) for cell in cells if cell.place.table == TEXT)
    return [*tables, Table("text", "Numbers of the text", columns, rows)] if rows else tables


def _marked(table: PublishedTable, cells: Mapping[Place, CheckedCell]) -> Table:
    name = re.sub(r"\W+", "_", f"table {table.label}".lower())
    rows = tuple((row, *(_with_marks(table, row, column, cells) for column in table.header)) for row in table.names)
    header = (f"{column} " if column == table.rows else column for column in table.header)
    return Table(name, f"{table.label}: {table.title}", tuple(map(Column, (table.rows, *header))), rows)


def _with_marks(table: PublishedTable, row: str, column: str, cells: Mapping[Place, CheckedCell]) -> str | None:
    cell = cells.get(table.place(row, column))
    if cell is None:
        return None
    rank = cells.get(table.rank_place(row, column))
    return _mark(cell) + (f" ({_mark(rank)})" if rank is not None else "")


def _mark(cell: CheckedCell) -> str:
    text = f"{cell.printed.text} {cell.judgement.verdict.mark}".rstrip()
    if cell.judgement.verdict is not Verdict.DIFFERS:
        return text
    value = _computed(cell)
    return f"{text} {value:.4f}" if isinstance(value, float) else f"{text} {value}"
