"""Checks of Parquet tables; error messages give a few examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import Gathered, InputError, did_you_mean, pluralize, setting, shortened
from metaeval.io.labels.codes import one_of
from metaeval.io.labels.gold_items import no_item_left
from metaeval.io.labels.policies import Policies, substitutes
from metaeval.io.parquet.duck import Connection, literal
from metaeval.io.parquet.rows import ABSENT, BLANKS, DROPPED, MISSING, UNKNOWN, ParquetRows
from metaeval.io.parquet.tables import ParquetData, ParquetTable
from metaeval.model.scale import ClassScale

_EXAMPLES = 3
_HASH_BYTES = 24
"""Approximate memory for sorting the hash of an id."""

_ITEM = "CAST(id AS VARCHAR) AS item"


class Tally:
    """Counts of every digit in every column, gold first: (1 + S, base); they reveal whether there are problems."""

    def __init__(self, rows: ParquetRows) -> None:
        self._classes = len(rows.scale)
        self._counts = np.zeros((rows.columns, rows.base), dtype=np.int64)
        self._evaluated = np.zeros_like(self._counts)

    def add(self, digits: NDArray[np.integer], times: NDArray[np.integer] | None = None) -> None:
        """Count more items; digits: (1 + S, n), times: the number of items of each column, (n,)."""
        evaluated = digits[0] != self._classes + DROPPED
        self._counts += self._count(digits, times)
        rest = digits[:, evaluated] if not evaluated.all() else digits
        self._evaluated += self._count(rest, times if times is None else times[evaluated])

    def _count(self, digits: NDArray[np.integer], times: NDArray[np.integer] | None) -> NDArray[np.int64]:
        base = self._counts.shape[1]
        counts = [np.bincount(column, times, minlength=base) for column in digits]
        return np.array(counts, dtype=np.int64).reshape(self._counts.shape)

    @property
    def items(self) -> int:
        """The number of all items."""
        return int(self._counts[0].sum())

    @property
    def dropped(self) -> int:
        """The number of items whose gold class is dropped."""
        return int(self._counts[0, self._classes + DROPPED])

    def joined(self, column: int) -> int:
        """The number of items for which the table of a system has a row; column: of the system."""
        return self.items - int(self._counts[column, self._classes + ABSENT])

    def unusable(self, column: int) -> tuple[int, int]:
        """The number of missing and of unknown labels in a column, without dropped items."""
        counts = self._evaluated[column, self._classes :]
        return int(counts[MISSING] + counts[ABSENT]), int(counts[UNKNOWN])


@dataclass(frozen=True)
class ParquetChecks:
    """Checks of tables, which raise `InputError`s."""

    connection: Connection
    rows: ParquetRows
    policies: Policies
    memory: int

    def check_ids(self, table: ParquetTable) -> None:
        """Reject empty and repeated ids."""
        if self._all_distinct(table):
            return
        source = self.rows.source(table)
        repeated = f"SELECT {_ITEM} FROM {source} WHERE CAST(id AS VARCHAR) <> '' GROUP BY ALL HAVING count(*) > 1"
        empty = f"SELECT '' AS item FROM {source} WHERE coalesce(CAST(id AS VARCHAR), '') = ''"
        other_column = f"or name the column of ids with {setting('id_column')} if it is not '{table.id}'"
        hint = f"every row needs a unique id: remove the duplicates, {other_column}"
        for query, noun, plural, expected in (
            (repeated, "repeated id", "repeated ids", "every id once"),
            (empty, "row with an empty id", "rows with an empty id", "an id in every row"),
        ):
            number, examples = self._number_and_examples(query)
            if number:
                found = pluralize(number, noun, plural) + _examples(filter(None, examples))
                raise InputError.at(table.path, found=found, expected=expected, hint=hint)

    def _all_distinct(self, table: ParquetTable) -> bool:
        """Whether all ids are present and distinct; False if hashes are equal, which requires another check."""
        source = self.rows.source(table)
        if table.rows * _HASH_BYTES > self.memory // 2:
            repeated = self.connection.number(f"SELECT count(DISTINCT hash(id)) FROM {source}") < table.rows
        else:
            columns = self.connection.execute(f"SELECT hash(id) AS h FROM {source}").fetchnumpy()
            hashes = np.asarray(columns["h"])
            # In place: allocating another array takes as long as sorting.
            hashes.sort()
            repeated = bool((hashes[1:] == hashes[:-1]).any())
        # Of distinct ids, at most one is NULL and at most one is ''.
        blank = f"SELECT count(*) FROM {source} WHERE id IS NULL OR CAST(id AS VARCHAR) = ''"
        return not repeated and not self.connection.number(blank)

    def check(self, tally: Tally) -> int:
        """Raise all problems as one `InputError`, or return the number of rows of runs for unknown items."""
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
            with gathered.errors():
                self._check_own_gold(table)
            rest = table.rows - tally.joined(column) if table is not self.rows.data.gold else 0
            with gathered.errors():
                self._check_extra(table, rest)
                extra += rest
            for system in table.systems.values():
                with gathered.errors():
                    self._check_system(table, system, *tally.unusable(column))
                column += 1
        gathered.raise_any()
        return extra

    def _check_gold(self, tally: Tally) -> None:
        gold, scale = self.rows.data.gold, self.rows.scale
        missing, unknown = tally.unusable(0)
        if not missing and not unknown:
            if tally.dropped == tally.items:
                raise no_item_left(gold.path)
            return
        assert gold.gold is not None
        digit, label = self.rows.gold_digit(), self.rows.text(gold, gold.gold)
        problems = []
        hint = ""
        if unknown:
            number, examples = self._labels(gold, label, f"{digit} = {len(scale) + UNKNOWN}")
            remedy = (
                f"leave such items out with {setting('drop_gold')}, or declare every class with {setting('labels')}"
            )
            hint = "; ".join(filter(None, [did_you_mean(examples[0][0], scale.labels), remedy]))
            problems.append(f"{pluralize(number, 'gold label')} outside the classes{_labelled(examples)}")
        if missing:
            number, examples = self._labels(gold, label, f"{digit} = {len(scale) + MISSING}")
            problems.append(f"no gold label for {pluralize(number, 'item')}{_examples(item for _, item in examples)}")
        raise InputError.at(gold.path, found="; ".join(problems), expected=one_of(scale.labels), hint=hint)

    def _check_own_gold(self, table: ParquetTable) -> None:
        """Reject gold labels in the table of a run that differ from those of gold."""
        gold = self.rows.data.gold
        if table is gold or table.gold is None or gold.gold is None or table.gold in table.systems.values():
            return

        def labels(each: ParquetTable, column: str) -> str:
            label = f"coalesce(trim({self.rows.text(each, column)}, {literal(BLANKS)}), '')"
            return f"(SELECT id, {label} AS label FROM {self.rows.source(each)})"

        both = f"{labels(table, table.gold)} AS own JOIN {labels(gold, gold.gold)} AS gold USING (id)"
        own = f"SELECT {_ITEM} FROM {both}"
        number, examples = self._number_and_examples(f"{own} WHERE own.label NOT IN ('', gold.label)")
        if number:
            found = f"{pluralize(number, 'gold label')} other than in {gold.path}{_examples(examples)}"
            hint = f"correct the labels, or remove the column '{table.gold}'"
            raise InputError.at(table.path, found=found, expected="the same gold labels", hint=hint)

    def _check_extra(self, table: ParquetTable, extra: int) -> None:
        if not extra:
            return
        # Rows of unknown items may be duplicates, which the join does not reveal.
        self.check_ids(table)
        if self.policies.drop_extra:
            return
        gold = f"SELECT id FROM {self.rows.source(self.rows.data.gold)}"
        query = f"SELECT {_ITEM} FROM {self.rows.source(table)} WHERE id NOT IN ({gold})"
        number, examples = self._number_and_examples(query)
        raise InputError.at(
            table.path,
            found=f"{pluralize(number, 'id')} not in gold{_examples(examples)}",
            expected="ids of gold",
            hint=f"correct the ids, or drop such rows with {setting('on_extra', 'drop')}",
        )

    def _check_system(self, table: ParquetTable, column: str, missing: int, unknown: int) -> None:
        missing = missing if self.policies.on_missing.action == "error" else 0
        unknown = unknown if self.policies.on_unknown.action == "error" else 0
        if not missing and not unknown:
            return
        scale = self.rows.scale
        where = f" in column '{column}'" if len(table.systems) > 1 or table is self.rows.data.gold else ""
        found, expected, hints = [], [], []
        if unknown:
            condition = f"{self.rows.digit(table, column)} = {len(scale) + UNKNOWN} AND {self._in_gold(table)}"
            _, examples = self._labels(table, self.rows.text(table, column), condition)
            found.append(f"{pluralize(unknown, 'label')} outside the classes{where}{_labelled(examples)}")
            expected.append(one_of(scale.labels))
            hints += [
                did_you_mean(examples[0][0], scale.labels) if examples else "",
                f"correct such predictions, or set {setting('on_unknown')} to {substitutes(scale)}",
            ]
        if missing:
            items = f"{pluralize(missing, 'item')}{where}{_examples(self._missing_items(table, column))}"
            found.append(f"no prediction for {items}")
            expected.append("one for every item")
            hints += [
                self._hint_of_parts(table),
                f"add the predictions, or set {setting('on_missing')} to {substitutes(scale)}",
            ]
        hint = "; ".join(filter(None, hints))
        raise InputError.at(table.path, found="; ".join(found), expected="; ".join(expected), hint=hint)

    def _hint_of_parts(self, table: ParquetTable) -> str:
        """A hint if files in one folder may be parts of one system."""
        folder = Path(table.path).parent
        beside = sum(Path(other.path).parent == folder for other in self.rows.data.runs if other.path in other.files)
        if beside < 2 or table.path not in table.files:
            return ""
        return f"if the files of {folder} are parts of one system, name the folder, as in NAME={folder}"

    def _in_gold(self, table: ParquetTable) -> str:
        gold, classes = self.rows.data.gold, len(self.rows.scale)
        evaluated = f"{self.rows.gold_digit()} <> {classes + DROPPED}"
        if table is gold:
            return evaluated
        return f"id IN (SELECT id FROM {self.rows.source(gold)} WHERE {evaluated})"

    def _missing_items(self, table: ParquetTable, column: str) -> list[str]:
        gold, classes = self.rows.data.gold, len(self.rows.scale)
        present = f"{self.rows.digit(table, column)} <> {classes + MISSING}"
        own = f"SELECT id FROM {self.rows.source(table)} WHERE {present}"
        condition = f"id NOT IN ({own}) AND {self.rows.gold_digit()} <> {classes + DROPPED}"
        query = f"SELECT {_ITEM} FROM {self.rows.source(gold)} WHERE {condition}"
        return self._number_and_examples(query)[1]

    def _labels(self, table: ParquetTable, label: str, condition: str) -> tuple[int, list[tuple[str, str]]]:
        """The number of rows that meet a condition, and label and id of a few."""
        source = f"{self.rows.source(table)} WHERE {condition}"
        query = f"SELECT {label} AS label, {_ITEM} FROM {source} ORDER BY item LIMIT {_EXAMPLES}"
        rows = self.connection.execute(query).fetchall()
        examples = [(shortened((label or "").strip()), item or "") for label, item in rows]
        return self.connection.number(f"SELECT count(*) FROM {source}"), examples

    def _number_and_examples(self, query: str) -> tuple[int, list[str]]:
        """The number of items of a query, and a few of them."""
        rows = self.connection.execute(f"SELECT item FROM ({query}) ORDER BY item LIMIT {_EXAMPLES}").fetchall()
        return self.connection.number(f"SELECT count(*) FROM ({query})"), [shortened(item or "") for (item,) in rows]


def gold_labels(connection: Connection, rows: ParquetRows, *, at_most: int) -> Mapping[str, int]:
    """The labels of gold with their counts; at_most: the number of labels."""
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
        return bool(connection.number(f"SELECT coalesce(bool_or({condition}), false)::INT FROM {source}"))

    # Most ids begin and end between '!' and '~': this check is much faster than the pattern.
    if not any_has("id NOT BETWEEN '!' AND '~' OR id[-1] NOT BETWEEN '!' AND '~'"):
        return False
    blanks = "".join(f"\\x{{{ord(blank):x}}}" for blank in BLANKS)
    return any_has(f"regexp_matches(id, '^[{blanks}]|[{blanks}]$')")


def _labelled(examples: Iterable[tuple[str, str]]) -> str:
    return _examples(f"{label}' of item '{item}" for label, item in examples)


def _examples(items: Iterable[str]) -> str:
    names = [f"'{item}'" for item in items]
    return f", for example {', '.join(names)}" if names else ""
