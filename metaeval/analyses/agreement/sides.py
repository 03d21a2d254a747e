"""Which columns of a table are labels of people and which are a judge's, and the table with these columns alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from metaeval.analyses.agreement.settings import AgreementSettings
from metaeval.config import DataConfig
from metaeval.errors import (
    Gathered,
    Problem,
    excluded,
    invalid,
    missing_column,
    refuse,
    setting,
    shortened,
)
from metaeval.io.files.columns import MISSING_WORDS, UNKNOWN, TableColumns, read_numbers
from metaeval.io.files.delimited import NO_FORMAT, InMemoryRows, Rows
from metaeval.io.files.kinds import declared_kinds
from metaeval.io.files.roles import (
    ANNOTATOR,
    GROUP,
    HUMAN,
    ITEM,
    JUDGE,
    RATING,
    REPLICATE,
    SYSTEM,
    Role,
    note_on_columns,
)
from metaeval.io.files.run_files import exists, files_of_scores
from metaeval.io.files.source import STANDARD_INPUT, Source
from metaeval.io.labels.columns import Renaming
from metaeval.io.scores.cells import NO_SYSTEM, REPLICATE_MARK
from metaeval.model.scale import ClassScale
from metaeval.names import match_names

MOST_LABELS = 100
"""Number of different labels above which a column has texts."""

FEW_LABELS = 12
"""Number of different labels up to which a column has labels, however few rows there are."""

_NO_LABELS = re.compile(
    "(id|name|model|prompt|text|reason|reasoning|rationale|explanation|justification|comment|note|feedback|critique|"
    "confidence|time|timestamp|output|answer|response|raw|token|cost|version)s?"
)
"""Last words of the names of columns that have no labels, such as `judge_reasoning`."""

_BETWEEN_WORDS = re.compile(r"[\s_.-]+|(?<=[a-z])(?=[A-Z0-9])")


@dataclass(frozen=True)
class Sides:
    """The columns of people and of judges; empty where the tables do not distinguish them.

    data: with tables of these columns alone, and the labels that occur. judges: the columns of each judge, one for each
    of its runs. groups: the group of each system and item.
    """

    data: DataConfig
    humans: tuple[str, ...] = ()
    judges: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    groups: Mapping[tuple[str, str], str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def is_file(name: str) -> bool:
    """Whether a judge is a file, and not the name of an annotator or a column."""
    return name == STANDARD_INPUT or exists(name)


def sides_of(data: DataConfig, settings: AgreementSettings) -> Sides:
    """The sides of tables with a column for each, by the names of columns or by settings."""
    sources = _sources(data) if settings.judge_column is None and settings.label_column is None else []
    tables = [table for source in sources if (table := _read_table(source, data, settings)) is not None]
    if not tables or len(tables) < len(sources):
        _check_unused(settings)
        return Sides(data)
    if data.labels is None:
        data = replace(data, labels=_labels(tables, Renaming(data.map_labels).names))
    runs: dict[str, dict[str, None]] = {}
    groups: dict[tuple[str, str], str] = {}
    for table in tables:
        data = replace(data, memory=(table.alone(runs, groups), *data.memory))
    humans = tuple(dict.fromkeys(name for table in tables for name in table.humans))
    judges = {judge: tuple(columns) for judge, columns in runs.items()}
    return Sides(data, humans, judges, groups, tuple(dict.fromkeys(note for table in tables for note in table.notes)))


def _sources(data: DataConfig) -> list[Source]:
    """The files; none where some cannot be read, which the reader of ratings reports."""
    problems = Gathered()
    sources: list[Source] = []
    with problems.errors():
        sources += [data.open(file.path, "ratings") for file in files_of_scores(data.human)[0]]
    return sources


def kinds_of(data: DataConfig, judge_column: str | None) -> dict[str, str]:
    """Whether each annotator of files with a row for each rating is a person or a judge, where a column says it."""
    kinds: dict[str, str] = {}
    for source in _sources(data):
        problems, table, column = Gathered(), None, None
        with problems.errors():
            table = TableColumns.read(source, data.id_column, omit=data.columns.names)
            column = table.find(ANNOTATOR, judge_column)
        if table is not None and column is not None:
            kinds |= declared_kinds(table, table.texts(column))
            table.raise_any("correct the column, or rename it")
    return kinds


def _check_unused(settings: AgreementSettings) -> None:
    """Raise an `InputError` for settings that need a table with columns of people and of a judge."""
    table_settings = {"replicates": settings.replicates, "group": settings.group}
    for name, value in table_settings.items():
        if value is not None:
            expected = "a table with a column of people's labels and one of a judge's"
            hint = f"name these columns with {setting('humans')} and {setting('judges')}"
            raise refuse(None, setting(name, value), expected, hint, kind="conflict")


@dataclass
class _TwoSidedTable:
    """A table with columns of both sides; source: of the table. item, system: their columns, None without one."""

    source: Source
    table: TableColumns
    humans: Sequence[str]
    judges: Sequence[str]
    item: str | None
    system: str | None
    clusters: Sequence[str]
    replicate: str | None
    group: str | None

    @property
    def notes(self) -> tuple[str, ...]:
        """On the columns that are read, and on those that are not."""
        sides = (*self.humans, *self.judges)
        keys = (self.item, self.system, self.replicate, self.group, *self.clusters)
        others = [name for name in self.table.header if name not in sides and name not in keys]
        return note_on_columns({HUMAN: ", ".join(self.humans), JUDGE: ", ".join(self.judges)}, others)

    def alone(self, runs: dict[str, dict[str, None]], groups: dict[tuple[str, str], str]) -> InMemoryRows:
        """The table with ids, systems, clusters, and a column for each person and each run of a judge.

        Its columns of judges are added to `runs`, and the group of each row to `groups`.
        """
        table = self.table
        items = table.texts(self.item) if self.item else [str(row) for row in range(1, len(table) + 1)]
        systems = table.filled(self.system) if self.system else [NO_SYSTEM] * len(table)
        units = list(zip(systems, items, strict=True))
        columns = {self.item or ITEM.names[0]: items}
        if self.system:
            columns[self.system] = systems
        columns |= {name: table.texts(name) for name in self.clusters if name not in columns}
        names = table.filled(self.replicate) if self.replicate else [""] * len(table)
        for human in self.humans:
            columns[human] = self._once(table.texts(human), units) if self.replicate else table.texts(human)
        for judge in self.judges:
            texts = table.texts(judge)
            # The column would be that of systems.
            judge_name = JUDGE.names[0] if SYSTEM.among([judge]) else judge
            for run in dict.fromkeys(names):
                column = f"{judge_name}{REPLICATE_MARK}{run}" if run else judge_name
                columns[column] = [text if name == run else "" for text, name in zip(texts, names, strict=True)]
                runs.setdefault(judge_name, {})[column] = None
        if self.group:
            self._add_groups(units, groups)
        table.raise_any("correct these rows, or leave them out")
        return InMemoryRows.of(self.source, Rows(table.path, columns, table.rows.lines))

    def _once(self, texts: Sequence[str], units: Sequence[tuple[str, str]]) -> list[str]:
        """The labels of a person, each once for all runs of the judge; two for one unit are problems."""
        first: dict[tuple[str, str], str] = {}
        for row, (unit, text) in enumerate(zip(units, texts, strict=True)):
            if text and first.setdefault(unit, text) != text:
                where = f" for item '{shortened(unit[1])}'"
                expected = f"'{shortened(first[unit])}', as in the other runs of the judge"
                self.table.reject(row, invalid("label", text, expected, where))
        rest = dict(first)
        return [rest.pop(unit, "") if text else "" for unit, text in zip(units, texts, strict=True)]

    def _add_groups(self, units: Sequence[tuple[str, str]], groups: dict[tuple[str, str], str]) -> None:
        assert self.group is not None
        for row, (unit, name) in enumerate(zip(units, self.table.filled(self.group, names=False), strict=True)):
            if name and groups.setdefault(unit, name) != name:
                where = f" for item '{shortened(unit[1])}'"
                self.table.reject(row, invalid("group", name, f"'{shortened(groups[unit])}', as before", where))


def _read_table(source: Source, data: DataConfig, settings: AgreementSettings) -> _TwoSidedTable | None:
    """The table of a file; None where it is none, or does not distinguish people and judges."""
    problems, table = Gathered(), None
    with problems.errors():
        table = TableColumns.read(source, data.id_column, omit=data.columns.names)
    if table is None or table.rows.format is not NO_FORMAT:
        return None
    clusters = [name for name in data.clusters if name in table.header]
    keys = (data.id_column, data.system_column, settings.replicates, settings.group, *clusters)
    humans, judges = _columns(table, [name for name in table.header if name not in keys], settings)
    if not (humans and judges):
        return None
    columns_in_use = {*humans, *judges, settings.replicates}

    def key(role: Role, column: str | None) -> str | None:
        names = role.among([name for name in table.header if name not in columns_in_use])
        return table.find(role, column) if column or names else None

    for role, column in ((REPLICATE, settings.replicates), (GROUP, settings.group)):
        table.find(role, column)
    return _TwoSidedTable(
        source,
        table,
        humans,
        judges,
        item=key(ITEM, data.id_column),
        system=key(SYSTEM, data.system_column),
        clusters=clusters,
        replicate=settings.replicates,
        group=settings.group,
    )


def _columns(
    table: TableColumns, columns: Sequence[str], settings: AgreementSettings
) -> tuple[Sequence[str], Sequence[str]]:
    """The columns of people and of judges, of those that are no keys; empty where they are not told."""
    judge_columns = tuple(name for name in settings.judges if not is_file(name))
    if not all(match_names([name], columns) for name in (*settings.humans, *judge_columns)) or (
        settings.judges and not judge_columns
    ):
        return (), ()
    humans, judges = match_names(settings.humans, columns), match_names(judge_columns, columns)
    if not humans and not judges and ANNOTATOR.among(columns) and RATING.among(columns):
        # A row for each rating.
        return (), ()
    labels = [name for name in columns if name not in (*humans, *judges) and _has_labels(table, name)]
    by_name = not humans and not judges
    only = [name for name in labels if not ITEM.among([name]) and not SYSTEM.among([name])]
    if not humans:
        humans = _by_name(HUMAN, labels) or (tuple(only) if judges and len(only) == 1 else ())
    if not judges:
        others = [name for name in labels if name not in humans]
        judges = _by_name(JUDGE, others) or (tuple(only) if not by_name and len(only) == 1 else ())
        if humans and not judges and settings.humans:
            hint = f"name the column of the judge with {setting('judges')}"
            raise refuse((table.path, 1), missing_column(table.header, JUDGE.names[0], hint))
    if not humans or not judges:
        return (), ()
    rest = [name for name in only if name not in (*humans, *judges)]
    is_gold = not settings.humans and _first_word(humans[0]) not in HUMAN.beginnings
    if is_gold and rest and all(_are_numbers(table.rows.column(name)) for name in rest):
        # Gold beside annotators, who are people, too.
        return (), ()
    return _matching(table, humans, judges) if by_name else (humans, judges)


def _by_name(role: Role, columns: Sequence[str]) -> tuple[str, ...]:
    """The columns that have a role by the first word of their names, else the one with the most usual name."""
    first = (name for name in columns if _first_word(name) in role.beginnings)
    labels = tuple(name for name in first if not _NO_LABELS.fullmatch(_BETWEEN_WORDS.split(name)[-1].casefold()))
    return labels or tuple(role.among(columns)[:1])


def _first_word(name: str) -> str:
    return _BETWEEN_WORDS.split(name)[0].casefold()


def _has_labels(table: TableColumns, column: str) -> bool:
    """Whether the cells of a column are numbers, or few different words."""
    cells = list(filter(None, table.rows.column(column)))
    different = len(set(cells))
    return bool(cells) and (different <= max(FEW_LABELS, len(cells) // 2) or _are_numbers(cells))


def _are_numbers(texts: Sequence[str]) -> bool:
    return not (read_numbers(texts)[1] == UNKNOWN).any()


def _matching(table: TableColumns, humans: Sequence[str], judges: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """The columns that are named alike but for the side, if some are, as human_label and judge_label.

    Several pairs of them are an `InputError`: each may be a criterion of its own.
    """
    by_rest: list[dict[str, list[str]]] = [{}, {}]
    for names, side in zip((humans, judges), by_rest, strict=True):
        for name in names:
            side.setdefault(_rest(name), []).append(name)
    criteria = [rest for rest in by_rest[0] if rest in by_rest[1] and not rest.isdecimal()]
    if not criteria:
        return humans, judges
    one, other = (names[criteria[0]] for names in by_rest)
    if len(criteria) > 1:
        found = f"columns of {len(criteria)} criteria, such as {one[0]} and {other[0]}"
        hint = f"name the columns of one, as in {setting('humans', one[0])} {setting('judges', other[0])}"
        raise refuse((table.path, 1), found, "those of one", hint, kind="ambiguous")
    return one, other


def _rest(name: str) -> str:
    """The words of a name after the first: 'label' and 'labels' are none."""
    words = [word.casefold() for word in _BETWEEN_WORDS.split(name)[1:]]
    return " ".join(word for word in words if word not in ("label", "labels"))


def _labels(tables: Sequence[_TwoSidedTable], new_names: Mapping[str, str]) -> ClassScale | None:
    """The classes that occur, without order; None for numbers. Labels that are no classes are an `InputError`."""
    sides: list[dict[str, tuple[str, int]]] = [{}, {}]
    for table in tables:
        for first, columns in zip(sides, (table.humans, table.judges), strict=True):
            for row, text in _cells(table, columns):
                first.setdefault(new_names.get(text, text), (table.table.path, row))
    every = sides[1] | sides[0]
    words = _words(list(every))
    if not words:
        return None
    located = {table.table.path: table.table for table in tables}
    problem = _unlike_classes(words, every) or _no_scale(words, *sides)
    if problem is not None:
        path, row = every[problem[0]]
        raise refuse((path, located[path].lines[row]), problem[1])
    return ClassScale(tuple(sorted(words)))


def _words(texts: list[str]) -> list[str]:
    """Those that are no numbers."""
    return [text for text, state in zip(texts, read_numbers(texts)[1].tolist(), strict=True) if state == UNKNOWN]


def classes_of_words(texts: Iterable[str]) -> ClassScale | None:
    """The classes that texts are, without order; None where some are numbers, or they are unlike classes."""
    every = [*filter(None, texts)]
    words = _words(every)
    if not 1 < len(words) <= FEW_LABELS or _unlike_classes(words, every) is not None:
        return None
    return ClassScale(tuple(sorted(words)))


def _unlike_classes(words: Sequence[str], every: Iterable[str]) -> tuple[str, Problem] | None:
    """A label, and why it is none, or one of another spelling; words: those of all labels that are no numbers."""
    declare = f"declare the classes with {setting('labels')}"
    for word in words:
        if word in MISSING_WORDS:
            hint = f"leave the cell empty, or {declare}, '{word}' among them"
            return word, excluded(f"label '{word}'", "it is a word for a missing value", "a label, or no text", hint)
    for text in every:
        if text not in words:
            return words[0], invalid("label", words[0], f"a number, as '{shortened(text)}' is", hint=declare)
    spelt: dict[str, str] = {}
    others = {word: other for word in words if (other := spelt.setdefault(word.casefold(), word)) != word}
    if others:
        word, other = next(iter(others.items()))
        every_pair = ",".join(f"{one}={another}" for one, another in others.items())
        hint = f"map one to the other with {setting('map_labels', every_pair)}, or {declare}"
        return word, invalid("label", word, f"'{other}', as in other rows", hint=hint)
    return None


def _no_scale(words: Sequence[str], humans: Iterable[str], judges: Iterable[str]) -> tuple[str, Problem] | None:
    """A label, and why all of them are no scale of both sides."""
    declare = f"declare the classes with {setting('labels')}"
    if len(words) > MOST_LABELS:
        hint = f"name the columns of labels with {setting('humans')} and {setting('judges')}"
        return words[0], Problem(f"{len(words):,} different labels", f"at most {MOST_LABELS}", kind="count", hint=hint)
    if len(words) == 1:
        found = f"one label, '{words[0]}', in every row"
        return words[0], Problem(found, "two or more", kind="count", hint=f"{declare}, also those that do not occur")
    people, judge = sorted(humans), sorted(judges)
    if not {*people} & {*judge}:
        found = f"labels of people ({', '.join(people)}) and of the judge ({', '.join(judge)})"
        hint = f"if they are classes of one scale, set {setting('labels', ','.join(sorted(words)))}"
        if len(people) > 1 and len(judge) > 1:
            example = setting("map_labels", f"{judge[0]}={people[0]}")
            hint = f"map the labels of one to those of the other, as in {example}, or {declare}"
        return judge[0], Problem(found, "some in common", kind="conflict", hint=hint)
    return None


def _cells(table: _TwoSidedTable, columns: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The rows and texts of cells with a label."""
    for column in columns:
        yield from ((row, text) for row, text in enumerate(table.table.rows.column(column)) if text)
