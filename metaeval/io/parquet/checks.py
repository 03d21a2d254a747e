"""Checks of Parquet tables; messages name a few examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import Gathered, InputError, counted, did_you_mean, shortened
from metaeval.io.labels.codes import one_of
from metaeval.io.labels.policies import Policies
from metaeval.io.parquet.duck import Connection, literal
from metaeval.io.parquet.rows import ABSENT, BLANKS, LEFT_OUT, MISSING, UNKNOWN, ParquetRows
from metaeval.io.parquet.tables import ParquetData, ParquetTable
from metaeval.model.scale import ClassScale

_EXAMPLES = 3
_HASH_BYTES = 24
"""Approximate memory for sorting the hash of an id."""

_ITEM = "CAST(id AS VARCHAR) AS item"


class Tally:
    """Counts of every digit in every column, gold first: (1 + S, base); they show whether there are problems."""

    def __init__(self, rows: ParquetRows) -> None:
        self._classes = len(rows.scale)
        self._counts = np.zeros((rows.columns, rows.base), dtype=np.int64)
        self._taking_part = np.zeros_like(self._counts)

    def add(self, digits: NDArray[np.integer], times: NDArray[np.integer] | None = None) -> None:
        """Count more items; digits: (1 + S, n), times: the number of items of each column, (n,)."""
        part = digits[0] != self._classes + LEFT_OUT
        self._counts += self._counted(digits, times)
        of_part = digits[:, part] if not part.all() else digits
        self._taking_part += self._counted(of_part, times if times is None else times[part])

    def _counted(self, digits: NDArray[np.integer], times: NDArray[np.integer] | None) -> NDArray[np.int64]:
        base = self._counts.shape[1]
        counted_ = [np.bincount(column, times, minlength=base) for column in digits]
        return np.array(counted_, dtype=np.int64).reshape(self._counts.shape)

    @property
    def items(self) -> int:
        """Rows in all."""
        return int(self._counts[0].sum())

    @property
    def left_out(self) -> int:
        """Items whose gold class is left out."""
        return int(self._counts[0, self._classes + LEFT_OUT])

    def joined(self, column: int) -> int:
        """Rows for which the table of a system has a row, too; column: of the system."""
        return self.items - int(self._counts[column, self._classes + ABSENT])

    def none(self, column: int) -> tuple[int, int]:
        """The number of missing and of unknown labels in a column, without the items that are left out."""
        of_column = self._taking_part[column, self._classes :]
        return int(of_column[MISSING] + of_column[ABSENT]), int(of_column[UNKNOWN])


@dataclass(frozen=True)
class ParquetChecks:
    """Checks of tables, and the messages of those that fail."""

    connection: Connection
    rows: ParquetRows
    policies: Policies
    memory: int

    def check_ids(self, table: ParquetTable) -> None:
        """Raise an `InputError` where ids are empty or come more than once."""
        if self._all_different(table):
            return
        source = self.rows.source(table)
        twins = f"SELECT {_ITEM} FROM {source} WHERE CAST(id AS VARCHAR) <> '' GROUP BY ALL HAVING count(*) > 1"
        empty = f"SELECT '' AS item FROM {source} WHERE coalesce(CAST(id AS VARCHAR), '') = ''"
        other_column = f", or name the id column with --id-column if it is not '{table.id}'"
        hint = f"every row needs an id of its own: remove the duplicates{other_column}"
        for query, noun, expected in (
            (twins, "id that comes more than once", "every id once"),
            (empty, "row with an empty id", "an id in every row"),
        ):
            number, examples = self._number_and_examples(query)
            if number:
                plural = noun.replace("id that comes", "ids that come").replace("row with", "rows with")
                found = counted(number, noun, plural) + _as_in(filter(None, examples))
                raise InputError.at(table.path, found=found, expected=expected, hint=hint)

    def _all_different(self, table: ParquetTable) -> bool:
        """Whether all ids are present and distinct; False if hashes are equal, which is checked further."""
        source = self.rows.source(table)
        if table.rows * _HASH_BYTES > self.memory // 2:
            query = f"SELECT count(DISTINCT hash(id)) FROM {source}"
            alike = self._one(query) < table.rows
        else:
            fetched = self.connection.execute(f"SELECT hash(id) AS h FROM {source}").fetchnumpy()
            hashes = np.asarray(fetched["h"])
            # In place: allocating another array takes as long as sorting.
            hashes.sort()
            alike = bool((hashes[1:] == hashes[:-1]).any())
        if alike:
            return False
        # Distinct ids: at most one is NULL and at most one is ''.
        return not self._one(f"SELECT count(*) FROM {source} WHERE id IS NULL OR CAST(id AS VARCHAR) = ''")

    def check(self, tally: Tally) -> int:
        """Raise all problems as one `InputError`; returns the number of rows of runs for unknown items."""
        gathered = Gathered()
        with gathered.errors():
            self._check_gold(tally)
        if tally.items != self.rows.data.gold.rows:
            for table in self.rows.data.runs:
                with gathered.errors():
                    self.check_ids(table)
            gathered.raise_any()
        extra = 0
        column = 1
        for table in self.rows.data.tables:
            more = table.rows - tally.joined(column) if table is not self.rows.data.gold else 0
            with gathered.errors():
                extra += self._checked_extra(table, more)
            for system in table.systems.values():
                with gathered.errors():
                    self._check_system(table, system, *tally.none(column))
                column += 1
        gathered.raise_any()
        return extra

    def _check_gold(self, tally: Tally) -> None:
        gold, scale = self.rows.data.gold, self.rows.scale
        missing, unknown = tally.none(0)
        if not missing and not unknown:
            if tally.left_out == tally.items:
                raise InputError.at(
                    gold.path, found="no item left after dropping gold classes", expected="at least one"
                )
            return
        assert gold.gold is not None
        digit = self.rows.gold_digit()
        problems = []
        wrong = f"{self.rows.text(gold, gold.gold)}"
        hint = ""
        if unknown:
            number, examples = self._labels(gold, wrong, f"{digit} = {len(scale) + UNKNOWN}")
            labelled = [f"{label}' of item '{item}" for label, item in examples]
            remedy = "leave such items out with --drop-gold, or declare every class with --labels"
            hint = "; ".join(filter(None, [did_you_mean(examples[0][0], scale.labels), remedy]))
            problems.append(f"{counted(number, 'gold label')} outside the classes{_as_in(labelled)}")
        if missing:
            number, examples = self._labels(gold, wrong, f"{digit} = {len(scale) + MISSING}")
            problems.append(f"no gold label for {counted(number, 'item')}{_as_in(item for _, item in examples)}")
        raise InputError.at(gold.path, found="; ".join(problems), expected=one_of(scale.labels), hint=hint)

    def _checked_extra(self, table: ParquetTable, more: int) -> int:
        if not more:
            return 0
        # Rows of unknown items may be duplicates, which the join does not show.
        self.check_ids(table)
        if self.policies.drop_extra:
            return more
        gold = f"SELECT id FROM {self.rows.source(self.rows.data.gold)}"
        query = f"SELECT {_ITEM} FROM {self.rows.source(table)} WHERE id NOT IN ({gold})"
        number, examples = self._number_and_examples(query)
        raise InputError.at(
            table.path,
            found=f"{counted(number, 'id')} not in gold{_as_in(examples)}",
            expected="ids of gold",
            hint="correct the ids, or drop such rows with --on-extra drop",
        )

    def _check_system(self, table: ParquetTable, column: str, missing: int, unknown: int) -> None:
        missing = missing if self.policies.on_missing.action == "error" else 0
        unknown = unknown if self.policies.on_unknown.action == "error" else 0
        if not missing and not unknown:
            return
        scale, remedies = self.rows.scale, "drop, worst or label:NAME"
        where = f" in column '{column}'" if len(table.systems) > 1 or table is self.rows.data.gold else ""
        found, expected, hints = [], [], []
        if unknown:
            condition = f"{self.rows.digit(table, column)} = {len(scale) + UNKNOWN} AND {self._in_gold(table)}"
            _, examples = self._labels(table, self.rows.text(table, column), condition)
            labelled = [f"{label}' of item '{item}" for label, item in examples]
            found.append(f"{counted(unknown, 'label')} outside the classes{where}{_as_in(labelled)}")
            expected.append(one_of(scale.labels))
            hints += [
                did_you_mean(examples[0][0], scale.labels) if examples else "",
                f"correct such predictions, or choose what becomes of them with --on-unknown {remedies}",
            ]
        if missing:
            found.append(
                f"no prediction for {counted(missing, 'item')}{where}{_as_in(self._unanswered(table, column))}"
            )
            expected.append("one for every item")
            hints += [
                self._hint_of_parts(table),
                f"add the predictions, or choose what becomes of such items with --on-missing {remedies}",
            ]
        raise InputError.at(
            table.path,
            found="; ".join(found),
            expected="; ".join(expected),
            hint="; ".join(hint for hint in hints if hint),
        )

    def _hint_of_parts(self, table: ParquetTable) -> str:
        """A hint if files in one folder may be parts of one system."""
        folder = Path(table.path).parent
        beside = sum(Path(other.path).parent == folder for other in self.rows.data.runs if other.path in other.files)
        if beside < 2 or table.path not in table.files:
            return ""
        return f"if the files of {folder} are parts of one system, name it and the folder, as in NAME={folder}"

    def _in_gold(self, table: ParquetTable) -> str:
        gold, classes = self.rows.data.gold, len(self.rows.scale)
        part = f"{self.rows.gold_digit()} <> {classes + LEFT_OUT}"
        if table is gold:
            return part
        return f"id IN (SELECT id FROM {self.rows.source(gold)} WHERE {part})"

    def _unanswered(self, table: ParquetTable, column: str) -> list[str]:
        gold, classes = self.rows.data.gold, len(self.rows.scale)
        answered = f"{self.rows.digit(table, column)} <> {classes + MISSING}"
        own = f"SELECT id FROM {self.rows.source(table)} WHERE {answered}"
        condition = f"id NOT IN ({own}) AND {self.rows.gold_digit()} <> {classes + LEFT_OUT}"
        query = f"SELECT {_ITEM} FROM {self.rows.source(gold)} WHERE {condition}"
        return self._number_and_examples(query)[1]

    def _labels(self, table: ParquetTable, label: str, condition: str) -> tuple[int, list[tuple[str, str]]]:
        """The number of rows that meet a condition, and label and id of a few."""
        source = f"{self.rows.source(table)} WHERE {condition}"
        query = f"SELECT {label} AS label, {_ITEM} FROM {source} ORDER BY item LIMIT {_EXAMPLES}"
        found = self.connection.execute(query).fetchall()
        examples = [(shortened((label or "").strip()), item or "") for label, item in found]
        return self._one(f"SELECT count(*) FROM {source}"), examples

    def _number_and_examples(self, query: str) -> tuple[int, list[str]]:
        """The number of items of a query, and a few of them."""
        found = self.connection.execute(f"SELECT item FROM ({query}) ORDER BY item LIMIT {_EXAMPLES}").fetchall()
        return self._one(f"SELECT count(*) FROM ({query})"), [shortened(item or "") for (item,) in found]

    def _one(self, query: str) -> int:
        return int(self.connection.execute(query).fetchall()[0][0])


def gold_labels(connection: Connection, rows: ParquetRows, *, at_most: int) -> Mapping[str, int]:
    """The labels of gold with their counts, up to a number of labels."""
    gold = rows.data.gold
    assert gold.gold is not None
    text = f"coalesce({rows.text(gold, gold.gold)}, {literal('')})"
    query = f"SELECT {text} AS label, count(*) FROM {rows.source(gold)} GROUP BY ALL ORDER BY label LIMIT {at_most}"
    labels: Counter[str] = Counter()
    for label, number in connection.execute(query).fetchall():
        labels[label.strip()] += number
    return labels


def with_blank_ids(connection: Connection, data: ParquetData) -> ParquetData:
    """The tables with `blanks` set."""
    gold, *runs = (replace(table, blanks=_has_blanks(connection, data, table)) for table in data.tables)
    return replace(data, gold=gold, runs=tuple(runs))


def _has_blanks(connection: Connection, data: ParquetData, table: ParquetTable) -> bool:
    if table.kinds[table.id] not in ("texts", "bytes"):
        return False
    source = ParquetRows(data, ClassScale(("?", "!")), ()).source(table)

    def any_has(condition: str) -> bool:
        return bool(connection.execute(f"SELECT bool_or({condition}) FROM {source}").fetchall()[0][0])

    # Most ids begin and end between '!' and '~': this check is much faster than the pattern.
    if not any_has("id NOT BETWEEN '!' AND '~' OR id[-1] NOT BETWEEN '!' AND '~'"):
        return False
    blanks = "".join(f"\\x{{{ord(blank):x}}}" for blank in BLANKS)
    return any_has(f"regexp_matches(id, '^[{blanks}]|[{blanks}]$')")


def _as_in(items: Iterable[str]) -> str:
    names = [f"'{item}'" for item in items]
    return f", as {', '.join(names)}" if names else ""


def absent_drops(rows: ParquetRows, labels: Mapping[str, int]) -> None:
    """Reject gold classes to be left out that no item has."""
    scale_of_gold = ClassScale(tuple(sorted(filter(None, labels)))) if any(labels) else rows.scale
    for label in rows.drop:
        if label not in labels:
            raise InputError.at(
                rows.data.gold.path,
                found=f"no item of gold class '{label}' to drop",
                expected=one_of(scale_of_gold.labels),
                hint=did_you_mean(label, scale_of_gold.labels),
            )
