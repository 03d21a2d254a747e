"""Distributions over classes, as probabilities, counts or votes; each row is divided by its sum.

a column for each class   item,low,mid,high        a file for each system, or with a column 'system' of several
votes                     item,rater,label         a row for each vote; with a column 'count', for several
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval.arrays import Floats
from metaeval.errors import (
    InputError,
    did_you_mean,
    empty,
    excluded,
    invalid,
    missing_column,
    one_of,
    refuse,
    repeated,
    setting,
    shortened,
    wrong_count,
)
from metaeval.io.dataset import Dataset, Progress, no_run
from metaeval.io.files.columns import TableColumns, row_numbers, row_numbers_note
from metaeval.io.files.roles import ANNOTATOR, COUNT, ITEM, SYSTEM, VOTE, note_on_columns, only_column
from metaeval.io.files.run_files import RunFile, find_run_files, one_name_for_several, same_names, without_gold
from metaeval.io.files.source import Open, Source, SourceFiles, open_source
from metaeval.io.groups import Membership
from metaeval.io.labels.columns import Columns, repetitions
from metaeval.io.labels.join import Policies
from metaeval.io.texts.outputs import OutputIndex, join_outputs
from metaeval.model.runs import DistributionRuns
from metaeval.model.scale import ClassScale

_ROUNDED = 0.005
"""How far a probability with two decimals may be from the one that it rounds."""

_OFF = 0.05
"""How far the sum of probabilities with more decimals may be from 1."""


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
    run_files, gold_notes = without_gold(run_files, gold)
    if needs_runs and not run_files:
        raise no_run(gold, "name the files of the systems", "at least one system")
    problems, files = policies.systems.gathered(), SourceFiles(open_file)
    declared, remarks, scales = scale is not None, list[str](), [scale] if scale is not None else []
    systems: list[_Distributions] = []
    for number, run in enumerate(progress([RunFile(gold, ""), *run_files], "Reading distributions")):
        with problems.errors(run.system):
            source = files.open(run.path, "run" if number else "gold")
            file = _DistributionFile(source, columns, scales[0] if scales else None, declared=declared)
            scales = scales or [file.classes()]
            names = file.systems(run) if number else [""] * len(file.items)
            systems += file.distributions(scales[0], names, remarks)
        if not scales:
            break  # The classes are those of gold, which was not read.
    gold_is_read = [system.system for system in systems[:1]] == [""]
    if not gold_is_read or (run_files and len(systems) == 1):
        problems.raise_any(())
    (scale,) = scales
    names = [system.system for system in systems[1:]]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise same_names([(system.system, system.path) for system in systems if system.system == twice[0]])
    selection = policies.systems.of(names)
    reference = systems[0].restrict(member)
    systems = [system.restrict(member) for system in systems[1:] if system.system in selection]
    systems = [system for system in systems if system.items or member is None]
    with problems.errors():
        join = join_outputs(reference.index(), [system.index() for system in systems], policies, worst="")
    problems.raise_any(system.system for system in systems)
    predicted = [system.values[rows] for system, rows in zip(systems, join.outputs, strict=True)]
    return Dataset(
        DistributionRuns(
            join.items,
            tuple(system.system for system in systems),
            np.array(predicted).reshape(len(systems), len(join.items), len(scale)),
            reference.values[join.references],
            scale,
        ),
        tuple(system.path for system in systems),
        files.files,
        join.repairs,
        (*notes, *gold_notes, *dict.fromkeys(remarks), *policies.systems.notes(names), *files.notes, *join.notes),
    )


@dataclass(frozen=True)
class _Distributions:
    """The distributions of one system or of gold (''): their items, rows of the file and probabilities (R, C)."""

    system: str
    table: TableColumns
    items: list[str]
    rows: list[int]
    values: Floats

    @property
    def path(self) -> str:
        """The file."""
        return self.table.path

    def index(self) -> OutputIndex:
        """The items, to be joined."""
        empty_outputs = np.zeros(len(self.items), dtype=np.bool_)

        def location(row: int) -> tuple[str, int]:
            return self.path, self.table.lines[self.rows[row]]

        return OutputIndex(self.system, self.path, self.items, empty_outputs, location)

    def subset(self, indices: Sequence[int]) -> _Distributions:
        """Some of the distributions."""
        items, rows = [self.items[index] for index in indices], [self.rows[index] for index in indices]
        return _Distributions(self.system, self.table, items, rows, self.values[list(indices)])

    def restrict(self, member: Membership | None) -> _Distributions:
        """The distributions of the items of a group."""
        if member is None:
            return self
        return self.subset([index for index, item in enumerate(self.items) if not member.excludes(item)])


class _DistributionFile:
    """The table of one file.

    scale: the classes, where they are known. declared: whether the user declared them, so that other columns are
    ignored.
    """

    def __init__(self, source: Source, columns: Columns, scale: ClassScale | None, *, declared: bool) -> None:
        classes = scale.labels if scale else ()
        self.table = TableColumns.read(source, columns.id, omit=(*columns.names, *classes))
        self.declared = declared
        self.item_column = self.table.need(ITEM, columns.id)
        # Beside a column for each class, another of labels is that of no vote.
        has_shares = columns.label is None and bool(classes) and {*classes} <= {*self.table.header}
        self.label_column = None if has_shares else self.table.find(VOTE, columns.label)
        self.system_column = self.table.find(SYSTEM, columns.system)
        self.clusters = columns.clusters
        self.items = self.table.texts(self.item_column)
        if self.system_column is not None:
            self.table.systems = self.table.texts(self.system_column)

    def classes(self) -> ClassScale:
        """The classes of a file of gold: its columns, or its labels in alphabetical order."""
        if self.label_column is None:
            classes = self._others(())
        else:
            classes = sorted(set(self.table.texts(self.label_column)) - {""})
        if len(classes) < 2:
            hint, where = f"declare the classes with {setting('labels')}", "".join(f" '{name}'" for name in classes)
            line = None if self.label_column else 1
            problem = wrong_count(len(classes), "gold label", 2, " or more", where=where, hint=hint)
            raise refuse((self.table.path, line), problem)
        return ClassScale(tuple(classes))

    def _others(self, classes: Sequence[str]) -> list[str]:
        """The columns that are no classes and have no other meaning."""
        with_roles = {self.item_column, self.system_column, *self.clusters, *classes, *self._row_numbers(classes)}
        return [name for name in self.table.header if name not in with_roles]

    def _row_numbers(self, classes: Sequence[str]) -> tuple[str, ...]:
        keys = (self.item_column, self.label_column, *self.clusters, *classes)
        return row_numbers(self.table.header, keys, self.table.texts, self.table.rows.index)

    def systems(self, run: RunFile) -> list[str]:
        """The system of each row: that of a column, or the name of the file."""
        names = list(self.table.systems)
        if self.system_column is None:
            return [run.system] * len(self.table)
        if run.is_named and len(set(names)) > 1:
            raise one_name_for_several(run, self.table.path, len(set(names)))
        names = self.table.filled(self.system_column, "name of the system")
        return [run.system] * len(names) if run.is_named else names

    def distributions(self, scale: ClassScale, systems: Sequence[str], notes: list[str]) -> list[_Distributions]:
        """The distributions of each system in the file; systems: of the rows. notes: a list to which remarks are added.

        Problems of all rows are one `InputError`.
        """
        table = self.table
        table.filled(self.item_column, "id")
        notes += row_numbers_note(self._row_numbers(scale.labels))
        keys = list(zip(systems, self.items, strict=True))
        if self.label_column is None:
            rows, values = list(range(len(keys))), self._shares(scale, systems, notes)
        else:
            rows, values = self._votes(self.label_column, scale, keys, notes)
        for index in np.flatnonzero(~values.any(axis=1)).tolist():
            item = shortened(self.items[rows[index]])
            table.reject(rows[index], empty(f"number above 0 for item '{item}'", "at least one"))
        if any(problem.kind == "conflict" for problem in table.problems):
            columns = ", ".join(map(shortened, self._others(scale.labels)))
            add = f"if ignored columns ({columns}) are classes, add them to {setting('labels')}" if columns else ""
            weights = "for weights that are neither, write votes with a column 'count'"
            table.raise_any("correct these rows, or leave their items out", weights, add)
        table.raise_any("correct these rows, or leave their items out")
        # Divided by the largest first: a sum of large numbers may be beyond the range of numbers.
        values = values / values.max(axis=1, keepdims=True)
        values /= values.sum(axis=1, keepdims=True)
        every = _Distributions("", table, [self.items[row] for row in rows], rows, values)
        indices_by_system: dict[str, list[int]] = {}
        for index, row in enumerate(rows):
            indices_by_system.setdefault(systems[row], []).append(index)
        return [replace(every.subset(indices), system=name) for name, indices in indices_by_system.items()]

    def _shares(self, scale: ClassScale, systems: Sequence[str], notes: list[str]) -> Floats:
        """The numbers of the columns of classes, (R, C); NaN where there is a problem."""
        table = self.table
        others, missing = self._others(scale.labels), [name for name in scale.labels if name not in table.header]
        problems = [missing_column(table.header, name, "") for name in missing]
        if others and not self.declared:
            problems += [invalid("column", name, one_of(scale.labels)) for name in others]
        if problems:
            declare = f"declare the classes with {setting('labels')}, or correct the header"
            hints = [did_you_mean(missing[0], others) if missing else "", declare]
            raise InputError([problem.at(table.path, 1) for problem in problems], hints=hints)
        if others:
            notes.append(f"{table.path}: ignored columns {', '.join(map(shortened, others))}")
        values = np.stack([table.counts(name) for name in scale.labels], axis=1)
        self._check_sums(values, systems)
        return values

    def _check_sums(self, values: Floats, systems: Sequence[str]) -> None:
        """Add the rows that do not sum to 1 or 100, of systems whose numbers are not all whole (counts)."""
        sums, most = values.sum(axis=1), _ROUNDED * values.shape[1] + 1e-9
        two_decimals = (np.abs(100 * values - np.rint(100 * values)) < 1e-6).all(axis=1)
        rounded = np.where(two_decimals, most, min(most, _OFF))
        off = (sums > 0) & (np.abs(sums - 1) > rounded) & (np.abs(sums / 100 - 1) > rounded)
        with_parts = {systems[row] for row in np.flatnonzero((values % 1 > 0).any(axis=1)).tolist()}
        for row in np.flatnonzero(off).tolist():
            if systems[row] in with_parts:
                item = f"item '{shortened(self.items[row])}'"
                expected = "probabilities that sum to 1 (or to 100), or counts, which are whole numbers"
                self.table.reject(row, excluded(item, f"its sum is {sums[row]:.4g}", expected))

    def _votes(
        self, column: str, scale: ClassScale, keys: Sequence[tuple[str, str]], notes: list[str]
    ) -> tuple[list[int], Floats]:
        """The first row of each system and item, and the numbers of their votes for each class, (K, C)."""
        table, code_by_label = self.table, {label: code for code, label in enumerate(scale.labels)}
        labels = table.texts(column)
        for row in [row for row, label in enumerate(labels) if label not in code_by_label]:
            table.reject(row, invalid("label", labels[row], one_of(scale.labels)))
        # No setting names this column.
        raters = only_column(ANNOTATOR.among(table.header, table.omit), table.path)
        if raters is not None:
            votes = list(zip(keys, table.texts(raters), strict=True))
            for row, before in repetitions(votes):
                item = f" for item '{shortened(self.items[row])}'"
                table.reject(row, repeated("rater", votes[row][1], table.lines[before], where=item, hint=""))
        counts = table.find(COUNT)
        weights = table.counts(counts) if counts else np.ones(len(labels))
        notes += note_on_columns({VOTE: column}, self._others([name for name in (column, raters, counts) if name]))
        first: dict[tuple[str, str], int] = {}
        for row, key in enumerate(keys):
            first.setdefault(key, row)
        number_by_key = {key: number for number, key in enumerate(first)}
        values = np.zeros((len(first), len(scale)))
        codes = [code_by_label.get(label, 0) for label in labels]
        # In parts of the largest: a sum of large counts may be beyond the range of numbers.
        parts = weights / max(np.nanmax(weights, initial=0.0), 1.0)
        np.add.at(values, ([number_by_key[key] for key in keys], codes), parts)
        return list(first.values()), values
