"""Distributions over classes, as probabilities, counts or votes; each row is divided by its sum.

a column for each class   item,low,mid,high        a file for each system, or with a column 'system' of several
votes                     item,rater,label         a row for each vote; with a column 'count', for several
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import Gathered, InputError, Problem, did_you_mean, setting, shortened
from metaeval.io.dataset import Dataset, Progress, no_run
from metaeval.io.files.delimited import Rows, one_of_columns
from metaeval.io.files.run_files import RunFile, find_run_files, one_name_for_several, same_names
from metaeval.io.files.source import Open, Source, SourceFiles, open_source
from metaeval.io.groups import Membership
from metaeval.io.labels.codes import USABLE, one_of, read_numbers
from metaeval.io.labels.label_columns import LABEL_WORDS, row_numbers, row_numbers_note
from metaeval.io.labels.policies import Policies
from metaeval.io.labels.raw_labels import Columns, repetitions
from metaeval.io.scores.cells import ITEM_COLUMNS, SYSTEM_COLUMN, no_column, read_table
from metaeval.io.texts.outputs import OutputIndex, join_outputs
from metaeval.model.distributions import DistributionRuns
from metaeval.model.scale import ClassScale

Values = NDArray[np.float64]

LABEL_COLUMN, COUNT_COLUMN = "label", "count"
RATER_COLUMNS = ("rater", "annotator")

_ROUNDED = 0.005
"""How far a probability with two decimals may be from the one that it rounds."""

_OFF = 0.05
"""How far the sum of probabilities with more decimals may be from 1."""

_SUM = "sum"
"""The kind of problem of a row whose numbers are neither probabilities nor counts."""


def read_distributions(
    gold: str,
    runs: Sequence[str],
    *,
    scale: ClassScale | None,
    columns: Columns,
    policies: Policies,
    progress: Progress,
    needs_runs: bool = True,
    open_file: Open = open_source,
    member: Membership | None = None,
) -> Dataset[DistributionRuns]:
    """Read the distributions of gold and of every system, and join them by item.

    scale: None for the columns or labels of gold, without order. member: the group whose items are read. The other
    arguments are those of `read_dataset`. All problems of the files are one `InputError`.
    """
    policies.reject_substitutes("no class replaces a distribution")
    run_files, notes = find_run_files(runs, gold=gold)
    if needs_runs and not run_files:
        raise no_run(gold, "name the files of the systems", "at least one system")
    gathered, files = Gathered(), SourceFiles(open_file)
    declared, remarks, scales = scale is not None, list[str](), [scale] if scale is not None else []
    systems: list[_Distributions] = []
    for number, run in enumerate(progress([RunFile(gold, ""), *run_files], "Reading distributions")):
        with gathered.errors():
            source = files.open(run.path, "run" if number else "gold")
            file = _File.of(source, columns, scales[0] if scales else None, declared=declared)
            scales = scales or [file.own_classes()]
            systems += file.distributions(scales[0], file.systems(run) if number else [""] * len(file.items), remarks)
        if not scales:
            break  # The classes are those of gold, which was not read.
    gathered.raise_any()
    (scale,) = scales
    names = [each.system for each in systems[1:]]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise same_names([(each.system, each.path) for each in systems if each.system == twice[0]])
    chosen = policies.systems.of(names)
    reference = systems[0].of_group(member)
    systems = [each.of_group(member) for each in systems[1:] if each.system in chosen]
    systems = [each for each in systems if each.items or member is None]
    joined = join_outputs(reference.index(), [each.index() for each in systems], policies, worst="")
    predicted = [each.values[rows] for each, rows in zip(systems, joined.outputs, strict=True)]
    return Dataset(
        DistributionRuns(
            joined.items,
            tuple(each.system for each in systems),
            np.array(predicted).reshape(len(systems), len(joined.items), len(scale)),
            reference.values[joined.references],
            scale,
        ),
        tuple(each.path for each in systems),
        files.files,
        joined.repairs,
        (*notes, *dict.fromkeys(remarks), *policies.systems.notes(names), *files.summary, *joined.notes),
    )


@dataclass(frozen=True)
class _Distributions:
    """The distributions of one system or of gold (''): their items, rows of the file and probabilities (R, C)."""

    system: str
    file: _File
    items: list[str]
    rows: list[int]
    values: Values

    @property
    def path(self) -> str:
        """The file."""
        return self.file.rows.path

    def index(self) -> OutputIndex:
        """The items, to be joined."""
        empty = np.zeros(len(self.items), dtype=np.bool_)
        return OutputIndex(
            self.system, self.path, self.items, empty, lambda row: (self.path, self.file.lines[self.rows[row]])
        )

    def of_group(self, member: Membership | None) -> _Distributions:
        """The distributions of the items of a group."""
        if member is None:
            return self
        places = [place for place, item in enumerate(self.items) if not member.excludes(item)]
        items, rows = ([column[place] for place in places] for column in (self.items, self.rows))
        return _Distributions(self.system, self.file, items, rows, self.values[places])  # type: ignore[arg-type]


@dataclass(frozen=True)
class _File:
    """The table of one file.

    items: of its rows. label_column: of votes; None where it has a column for each class. declared: whether the classes
    are declared, so that other columns are ignored. problems: of its rows, which grow.
    """

    rows: Rows
    columns: Columns
    item_column: str
    label_column: str | None
    declared: bool
    problems: list[Problem] = field(default_factory=list)

    @classmethod
    def of(cls, source: Source, columns: Columns, scale: ClassScale | None, *, declared: bool) -> _File:
        """The table of a source; scale: the classes, where they are known."""
        rows = read_table(source).with_key(columns.id)
        item_column = columns.id or one_of_columns(ITEM_COLUMNS, rows.header, rows.path, option="id_column")
        item_column = item_column or ITEM_COLUMNS[0]
        for name, option in ((item_column, "id_column"), (columns.label, "label_column")):
            if name is not None and name not in rows.header:
                raise no_column(rows, name, option, named=name in (columns.id, columns.label))
        one_of_columns((SYSTEM_COLUMN,), rows.header, rows.path, any_case=True)
        votes = columns.label
        if votes is None and (scale is None or LABEL_COLUMN not in scale.labels):
            names = (LABEL_COLUMN,)
            votes = one_of_columns(names, rows.header, rows.path, option="label_column", rivals=LABEL_WORDS)
        return cls(rows, columns, item_column, votes, declared)

    @cached_property
    def lines(self) -> Sequence[int]:
        """The lines of the rows."""
        return self.rows.lines()

    @cached_property
    def items(self) -> list[str]:
        """The items of the rows."""
        return self.rows.column(self.item_column)

    @cached_property
    def names(self) -> list[str]:
        """The systems of the rows, if the file has a column of them."""
        return self.rows.column(SYSTEM_COLUMN) if SYSTEM_COLUMN in self.rows.header else []

    def add(self, row: int, found: str, expected: str, *, kind: str = "") -> None:
        """Add a problem of a row, with its system where the file has several."""
        if self.names and self.names[row]:
            found = f"system '{shortened(self.names[row])}': {found}"
        self.problems.append(Problem(found, expected, self.rows.path, self.lines[row], kind=kind))

    def own_classes(self) -> ClassScale:
        """The classes of a file of gold: its columns, or its labels in alphabetical order."""
        if self.label_column is None:
            classes = self._others(())
        else:
            classes = sorted(set(self.rows.column(self.label_column)) - {""})
        if len(classes) < 2:
            found, hint = f"classes of gold: {', '.join(classes) or 'none'}", f"declare them with {setting('labels')}"
            line = None if self.label_column else 1
            raise InputError.at(self.rows.path, line, found=found, expected="at least two", hint=hint)
        return ClassScale(tuple(classes))

    def _others(self, classes: Sequence[str]) -> list[str]:
        """The columns that are no classes and have no other meaning."""
        own = {self.item_column, SYSTEM_COLUMN, *self.columns.clusters, *classes, *self._row_numbers(classes)}
        return [name for name in self.rows.header if name not in own]

    def _row_numbers(self, classes: Sequence[str]) -> tuple[str, ...]:
        keys = (self.item_column, self.label_column, *self.columns.clusters, *classes)
        return row_numbers(self.rows.header, keys, self.rows.column)

    def systems(self, run: RunFile) -> list[str]:
        """The system of each row: that of a column, or the name of the file."""
        if SYSTEM_COLUMN not in self.rows.header:
            return [run.system] * len(self.rows.body)
        names = self.names
        if run.named and len(set(names)) > 1:
            raise one_name_for_several(run, self.rows.path, len(set(names)))
        for row in [row for row, name in enumerate(names) if not name]:
            self.add(row, "an empty name of a system", "the name of the system in every row")
        return [run.system] * len(names) if run.named else names

    def distributions(self, scale: ClassScale, systems: Sequence[str], notes: list[str]) -> list[_Distributions]:
        """The distributions of each system in the file; systems: of the rows. notes: a list to which remarks are added.

        Problems of all rows are one `InputError`.
        """
        for row in [row for row, item in enumerate(self.items) if not item]:
            self.add(row, "an empty id", "an id in every row")
        notes += row_numbers_note(self._row_numbers(scale.labels))
        keys = list(zip(systems, self.items, strict=True))
        if self.label_column is None:
            rows, values = list(range(len(keys))), self._shares(scale, systems, notes)
        else:
            rows, values = self._votes(self.label_column, scale, keys)
        for place in np.flatnonzero(~values.any(axis=1)).tolist():
            self.add(rows[place], f"item '{shortened(self.items[rows[place]])}' with nothing but 0", "a sum above 0")
        if self.problems:
            hints = ["correct these rows, or leave their items out"]
            if any(problem.kind == _SUM for problem in self.problems):
                hints.append("for weights that are neither, write votes with a column 'count'")
                ignored = ", ".join(map(shortened, self._others(scale.labels)))
                hints.append(
                    f"if ignored columns ({ignored}) are classes, add them to {setting('labels')}" if ignored else ""
                )
            raise InputError(self.problems, hints=hints)
        # Divided by the largest first: a sum of large numbers may be beyond the range of numbers.
        values = values / values.max(axis=1, keepdims=True)
        values /= values.sum(axis=1, keepdims=True)
        of_system: dict[str, list[int]] = {}
        for place, row in enumerate(rows):
            of_system.setdefault(systems[row], []).append(place)

        def part(name: str, own: list[int]) -> _Distributions:
            chosen = [rows[each] for each in own]
            return _Distributions(name, self, [self.items[row] for row in chosen], chosen, values[own])

        return [part(name, own) for name, own in of_system.items()]

    def _shares(self, scale: ClassScale, systems: Sequence[str], notes: list[str]) -> Values:
        """The numbers of the columns of classes, (R, C); NaN where there is a problem."""
        header = self.rows.header
        others, missing = self._others(scale.labels), [label for label in scale.labels if label not in header]
        faults = [Problem(f"no column '{label}'", "a column for every class", self.rows.path, 1) for label in missing]
        if others and not self.declared:
            expected, path = one_of(scale.labels), self.rows.path
            faults += [Problem(f"column '{name}', which is not a class", expected, path, 1) for name in others]
        if faults:
            declare = f"declare the classes with {setting('labels')}, or correct the header"
            raise InputError(faults, hints=[did_you_mean(missing[0], others) if missing else "", declare])
        if others:
            notes.append(f"{self.rows.path}: ignored columns {', '.join(map(shortened, others))}")
        values = np.empty((len(self.items), len(scale)))
        for place, label in enumerate(scale.labels):
            values[:, place] = self._numbers(label)
        self._check_sums(values, systems)
        return values

    def _check_sums(self, values: Values, systems: Sequence[str]) -> None:
        """Add the rows that do not sum to 1 or 100, of systems whose numbers are not all whole (counts)."""
        sums, most = values.sum(axis=1), _ROUNDED * values.shape[1] + 1e-9
        two_decimals = (np.abs(100 * values - np.rint(100 * values)) < 1e-6).all(axis=1)
        rounded = np.where(two_decimals, most, min(most, _OFF))
        off = (sums > 0) & (np.abs(sums - 1) > rounded) & (np.abs(sums / 100 - 1) > rounded)
        with_parts = {systems[row] for row in np.flatnonzero((values % 1 > 0).any(axis=1)).tolist()}
        for row in np.flatnonzero(off).tolist():
            if systems[row] in with_parts:
                found = f"item '{shortened(self.items[row])}' with a sum of {sums[row]:.4g}"
                expected = "probabilities that sum to 1 (or to 100), or counts, which are whole numbers"
                self.add(row, found, expected, kind=_SUM)

    def _numbers(self, column: str) -> Values:
        """The numbers of a column, NaN where there is a problem."""
        texts = self.rows.column(column)
        numbers, states = read_numbers(texts)
        wrong = (states != USABLE) | (numbers < 0)
        for row in np.flatnonzero(wrong).tolist():
            found = f"'{shortened(texts[row])}'" if texts[row] else "no number"
            self.add(row, f"{found} in column '{shortened(column)}'", "a finite number of at least 0")
        return np.where(wrong, np.nan, numbers)

    def _votes(self, column: str, scale: ClassScale, keys: Sequence[tuple[str, str]]) -> tuple[list[int], Values]:
        """The first row of each system and item, and the numbers of their votes for each class, (K, C)."""
        labels, code_of = self.rows.column(column), {label: code for code, label in enumerate(scale.labels)}
        for row in [row for row, label in enumerate(labels) if label not in code_of]:
            self.add(row, f"label '{shortened(labels[row])}'" if labels[row] else "no label", one_of(scale.labels))
        header = self.rows.header
        raters = one_of_columns(RATER_COLUMNS, header, self.rows.path)
        if raters is not None:
            votes = list(zip(keys, self.rows.column(raters), strict=True))
            for row, before in repetitions(votes):
                again = f"rater '{shortened(votes[row][1])}' again for item '{shortened(self.items[row])}'"
                self.add(row, f"{again}, first on line {self.lines[before]}", "one vote of each rater for an item")
        counts = one_of_columns((COUNT_COLUMN,), header, self.rows.path, any_case=True)
        weights = self._numbers(counts) if counts else np.ones(len(labels))
        first: dict[tuple[str, str], int] = {}
        of_key = [keys[first.setdefault(key, row)] for row, key in enumerate(keys)]
        place = {key: number for number, key in enumerate(first)}
        values = np.zeros((len(first), len(scale)))
        codes = [code_of.get(label, 0) for label in labels]
        # In parts of the largest: a sum of large counts may be beyond the range of numbers.
        np.add.at(values, ([place[key] for key in of_key], codes), weights / max(np.nanmax(weights, initial=0.0), 1.0))
        return list(first.values()), values
