"""Which cells of a report a path stands for.

The first part is a table and the last a column; those between pick rows by cells of text or whole numbers, in any
order. Names with dots need no quotes: the longest run of parts that is a name is taken. The settings of a name may be
left out, as in `kendall` for `kendall-b`, where only one name is left; a whole one wins. Names of systems are never
completed: a condition on a run that is lost may not judge another.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from metaeval.errors import counted, did_you_mean
from metaeval.gates.expression import CellPath, Part, dotted, plainly
from metaeval.gates.mistakes import ConditionError, Mistake, Span
from metaeval.model.report import Cell, Column, Kind, Report, Table

_NUMBERS = (Kind.SCORE, Kind.COUNT)
_SHOWN = 5
"""Names that a message lists."""

_CLOSEST = 2
"""Names that a question holds."""

_SYSTEM, _OTHER = "system", "other"
"""A column that names systems; the other of a pair stands in one beside it."""

_BEFORE_SETTINGS = ("-", ":")
"""What stands between a name and the settings that may be left out: kendall-b, kappa:weights=linear."""


@dataclass(frozen=True)
class Found:
    """One cell.

    name: a path that leads to it alone. table, column: their names. row: what tells its row apart, by column.
    """

    name: str
    value: Cell
    table: str
    column: str
    row: Mapping[str, str]


def find_cells(path: CellPath, report: Report, condition: str) -> tuple[Found, ...]:
    """The cells of a path: one, or with '*' at least one; a `ConditionError` at the part that is wrong."""
    return _Finder(path, report, condition).cells()


def find_again(cell: Found, report: Report, condition: str, span: Span) -> Found:
    """The same cell in an earlier result; span: where it is asked for."""

    def lost(what: str) -> ConditionError:
        hint = "make the baseline again, or leave the condition out"
        return ConditionError([Mistake(condition, span, what, f"{cell.name} in the baseline", hint)])

    table = {table.name: table for table in report.all_tables()}.get(cell.table)
    if table is None:
        raise lost(f"a baseline without the table '{cell.table}'")
    places = {column.name: place for place, column in enumerate(table.columns)}
    for name in (cell.column, *cell.row):
        if name not in places:
            raise lost(f"a baseline without the column '{name}' in '{cell.table}'")
    rows = [row for row in table.rows if all(told(row[places[name]]) == text for name, text in cell.row.items())]
    if len(rows) != 1:
        named = " and ".join(f"'{text}'" for text in cell.row.values())
        of = f" of {named}" if named else ""
        raise lost(f"a baseline with {counted(len(rows), 'row')}{of} in '{cell.table}'")
    return Found(f"baseline.{cell.name}", rows[0][places[cell.column]], cell.table, cell.column, cell.row)


def told(cell: Cell) -> str:
    """How a cell is written in a path.

    >>> told("cem-ord"), told(12), told(0.5), told(None)
    ('cem-ord', '12', '0.5', '')
    """
    return "" if cell is None else str(cell)


@dataclass(frozen=True)
class _Wanted:
    """A part of a path that picks rows: the columns it is looked for in, and the cell, or how it begins."""

    columns: tuple[int, ...]
    text: str
    span: Span
    is_whole: bool = True


class _Finder:
    """Follows one path through one report."""

    def __init__(self, path: CellPath, report: Report, condition: str) -> None:
        self.path = path
        self.report = report
        self.condition = condition
        self.whose = " of the baseline" if path.of_baseline else ""
        self.table = self.named_table()
        self.rows: Sequence[tuple[Cell, ...]] = tuple(self.table.rows)

    def cells(self) -> tuple[Found, ...]:
        """The cells in the order of the table."""
        columns, middle = self.columns()
        rows, picked = self.pick(middle)
        if any(part.is_wildcard for part in middle):
            picked = self.telling_apart(rows, picked)
        elif len(rows) > 1:
            raise self.ambiguous(rows)
        return tuple(self.found(row, columns[place], place, picked) for row in rows for place in columns)

    def found(self, row: int, column: Column, place: int, picked: Sequence[int]) -> Found:
        key = {self.table.columns[each].name: told(self.rows[row][each]) for each in picked}
        parts = (plainly(self.table.name, first=True), *(plainly(text) for text in key.values()), plainly(column.name))
        name = ("baseline." if self.path.of_baseline else "") + dotted(parts)
        return Found(name, self.rows[row][place], self.table.name, column.name, key)

    # The table and the column

    def named_table(self) -> Table:
        tables = {table.name: table for table in self.report.all_tables()}
        part = self.path.parts[0]
        if part.text not in tables:
            raise self.mistake(
                part.span,
                f"'{part.text}', which is no table{self.whose or ' of the results'}",
                f"one of {', '.join(tables)}",
                did_you_mean(part.text, tables),
            )
        return tables[part.text]

    def columns(self) -> tuple[dict[int, Column], tuple[Part, ...]]:
        """The columns of the last part by their places, and the parts that are left for rows."""
        parts = self.path.parts[1:]
        if parts[-1].is_wildcard:
            numbers = {place: each for place, each in enumerate(self.table.columns) if each.kind in _NUMBERS}
            return numbers, parts[:-1]
        names = {column.name: place for place, column in enumerate(self.table.columns)}
        runs = [(start, text) for start in range(len(parts)) if (text := _run(parts[start:])) is not None]
        for start, text in runs:
            if text in names:
                return {names[text]: self.table.columns[names[text]]}, parts[:start]
        for start, text in runs:
            longer = [name for name in names if self.completes(name, text)]
            if longer:
                span = (parts[start].span[0], parts[-1].span[1])
                name = self.only(longer, text, span)
                return {names[name]: self.table.columns[names[name]]}, parts[:start]
        raise self.no_column(parts, runs, list(names))

    def no_column(self, parts: Sequence[Part], runs: Sequence[tuple[int, str]], names: Sequence[str]) -> ConditionError:
        (start, shown), hint = runs[-1], _meant(runs[-1][1], names)
        for each, text in runs:
            name = next((name for name in names if text[: len(name) + 1] in [name + sign for sign in "+-*/"]), None)
            if name is not None:
                start, shown = each, text
                hint = f"put spaces around the operator: {name} {text[len(name)]} {text[len(name) + 1 :]}"
        found = f"'{shown}', which is no column of the table '{self.table.name}'{self.whose}"
        return self.mistake((parts[start].span[0], parts[-1].span[1]), found, f"one of {_some(names)}", hint)

    # The rows

    def pick(self, middle: Sequence[Part]) -> tuple[list[int], list[int]]:
        """The rows that the parts pick, and the columns they were found in (of the first row)."""
        wanted = self.wanted(middle)
        exact = [each for each in wanted if each.is_whole]
        rows = self.matching(exact)
        for each in wanted:
            if not each.is_whole:
                exact.append(self.completed(each, rows, exact))
                rows = self.matching(exact)
        if not rows:
            raise self.no_row(middle)
        return rows, self.assigned(rows[0], exact) or []

    def wanted(self, middle: Sequence[Part]) -> list[_Wanted]:
        """What each run of parts looks for; one that nothing begins with is an error."""
        texts = self.places(Kind.TEXT)
        counts = self.places(Kind.COUNT)
        cells = {
            places: dict.fromkeys(told(row[place]) for place in places for row in self.rows)
            for places in (texts, counts)
        }
        wanted: list[_Wanted] = []
        start = 0
        wildcards = 0
        while start < len(middle):
            if middle[start].is_wildcard:
                wildcards += 1
                if wildcards > 1:
                    raise self.mistake(middle[start].span, "a second '*'", "one, which stands for all rows")
                start += 1
                continue
            runs = [(end, run) for end in range(len(middle), start, -1) if (run := _run(middle[start:end])) is not None]
            for places, is_whole in ((texts, True), (counts, True), (texts, False)):
                among = cells[places]
                end, run = next(((e, r) for e, r in runs if self.is_among(r, among, is_whole=is_whole)), (0, ""))
                if end:
                    span = (middle[start].span[0], middle[end - 1].span[1])
                    wanted.append(_Wanted(places, run, span, is_whole))
                    start = end
                    break
            else:
                raise self.no_cell(middle[start:], [(end - start, run) for end, run in runs], cells[texts])
        return wanted

    def is_among(self, text: str, cells: Collection[str], *, is_whole: bool) -> bool:
        return text in cells if is_whole else any(self.completes(cell, text) for cell in cells)

    def completes(self, name: str, text: str) -> bool:
        """Whether a text is a name without its settings."""
        return (
            bool(text) and name.startswith(tuple(text + sign for sign in _BEFORE_SETTINGS)) and name not in self.systems
        )

    @cached_property
    def systems(self) -> frozenset[str]:
        """The names of systems, which a table may have in other columns, too."""
        return frozenset(name for table in self.report.all_tables() for name in _systems_in(table))

    def places(self, kind: Kind) -> tuple[int, ...]:
        return tuple(place for place, column in enumerate(self.table.columns) if column.kind is kind)

    def matching(self, wanted: Sequence[_Wanted]) -> list[int]:
        return [row for row in range(len(self.rows)) if self.assigned(row, wanted) is not None]

    def assigned(self, row: int, wanted: Sequence[_Wanted]) -> list[int] | None:
        """The columns in which a row has what is wanted, a column for each; None where it has not."""
        used: list[int] = []
        for each in wanted:
            free = (place for place in each.columns if place not in used)
            place = next((place for place in free if told(self.rows[row][place]) == each.text), None)
            if place is None:
                return None
            used.append(place)
        return used

    def completed(self, wanted: _Wanted, rows: Sequence[int], exact: Sequence[_Wanted]) -> _Wanted:
        """The whole cell that begins as is wanted, in the rows that are left; none or several are an error."""
        longer: dict[str, None] = {}
        for row in rows:
            used = self.assigned(row, exact) or []
            cells = (told(self.rows[row][place]) for place in wanted.columns if place not in used)
            longer.update(dict.fromkeys(cell for cell in cells if self.completes(cell, wanted.text)))
        if not longer:
            others = " and ".join(f"'{each.text}'" for each in exact)
            raise self.mistake(
                wanted.span, f"'{wanted.text}', which no row{self.whose} has together with {others}", "a row with both"
            )
        return _Wanted(wanted.columns, self.only(list(longer), wanted.text, wanted.span), wanted.span)

    def telling_apart(self, rows: Sequence[int], picked: Sequence[int]) -> list[int]:
        """The columns that were picked by, and as many more as it takes to name each row."""
        columns = list(picked)
        for place in (*self.places(Kind.TEXT), *self.places(Kind.COUNT)):
            with_it = [*columns, place]
            if place not in columns and self.different(rows, with_it) > self.different(rows, columns):
                columns = with_it
        return columns

    def different(self, rows: Iterable[int], columns: Sequence[int]) -> int:
        return len({tuple(told(self.rows[row][place]) for place in columns) for row in rows})

    # What can be wrong with them

    def no_cell(
        self, middle: Sequence[Part], runs: Sequence[tuple[int, str]], known: Collection[str]
    ) -> ConditionError:
        names = [name for name in known if name]
        # A name with a dot in it may be misspelt, too.
        hints = ((end, run, _meant(run, names)) for end, run in reversed(runs))
        end, run, hint = next((each for each in hints if each[-1]), (*runs[-1], ""))
        span = (middle[0].span[0], middle[end - 1].span[1])
        found = f"'{run}', which no row of the table '{self.table.name}'{self.whose} has"
        return self.mistake(span, found, f"one of {_some(names)}" if names else "a table with rows", hint)

    def no_row(self, middle: Sequence[Part]) -> ConditionError:
        found = f"no row of the table '{self.table.name}'{self.whose} with all of {dotted(tuple(middle))}"
        return self.mistake(self.middle_span(middle), found if self.rows else f"no row in '{self.table.name}'", "one")

    def ambiguous(self, rows: Sequence[int]) -> ConditionError:
        differing = []
        for place in (*self.places(Kind.TEXT), *self.places(Kind.COUNT)):
            cells = list(dict.fromkeys(told(self.rows[row][place]) for row in rows))
            if len(cells) > 1:
                differing.append(f"{self.table.columns[place].name} ({_some(cells)})")
        apart = f"they differ in {'; '.join(differing)}" if differing else "nothing tells them apart"
        return self.mistake(
            self.path.span,
            f"a path to {len(rows)} rows of the table '{self.table.name}'{self.whose}: {apart}",
            "one row",
            "name what picks one of them, or write '*' for any",
        )

    def only(self, names: Sequence[str], text: str, span: Span) -> str:
        """The one name that begins so."""
        if len(names) > 1:
            choice = " or ".join(f"'{name}'" for name in names[:_SHOWN])
            raise self.mistake(span, f"'{text}', which could be {choice}", "the whole name")
        return names[0]

    def middle_span(self, middle: Sequence[Part]) -> Span:
        return (middle[0].span[0], middle[-1].span[1]) if middle else self.path.span

    def mistake(self, span: Span, found: str, expected: str, hint: str = "") -> ConditionError:
        return ConditionError([Mistake(self.condition, span, found, expected, hint)])


def _run(parts: Sequence[Part]) -> str | None:
    """Several parts as one name, which none of them can be in quotes for, nor a star."""
    if len(parts) > 1 and any(part.in_quotes or part.is_wildcard for part in parts):
        return None
    return ".".join(part.text for part in parts)


def _systems_in(table: Table) -> Iterator[str]:
    """All that a table calls a system."""
    names = [column.name for column in table.columns]
    if _SYSTEM in names:
        places = [place for place, name in enumerate(names) if name in (_SYSTEM, _OTHER)]
        yield from (told(row[place]) for row in table.rows for place in places)


def _meant(text: str, names: Collection[str]) -> str:
    """A question for names that begin so, however much longer they are; else for those most like it; '' for none."""
    longer = [name for name in names if text and name.startswith(text)]
    return f"did you mean {' or '.join(map(repr, longer[:_CLOSEST]))}?" if longer else did_you_mean(text, names)


def _some(names: Sequence[str]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
