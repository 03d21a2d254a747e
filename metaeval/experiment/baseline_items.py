"""What a baseline carries of every item, so that a later run can be tested against it: written, and read back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.score.tables import item_table
from metaeval.analyses.sentences import listed
from metaeval.errors import InputError, Problem, UnknownName, counted
from metaeval.io.scores.rows import TIDY_COLUMNS
from metaeval.model.labels import LabelledRuns, NumericRuns
from metaeval.model.report import Column, Kind, Report, Table
from metaeval.model.scores import ItemScores
from metaeval.study.items import ItemStudy
from metaeval.study.labels import LabelStudy, runs_with_ids
from metaeval.study.study import Study

PREDICTIONS = "predictions"
ITEM_SCORES = "item_scores"

REMEDY = "make the baseline again, with --save-baseline FILE"

_OF_ITEM = ("item", "gold")
_SETTINGS = ("task", "scale", "weights", "values", "references", "tokenizer", "lexicon", "lower-is-better")
"""Fields of the signature without which two scores can't be compared."""


def with_items(report: Report, study: Study) -> Report:
    """The report of a study with a table of what there is of every item, if it has none yet.

    Table `predictions`, of labels and numbers: item, gold, one column a system. `item_scores`, of anything else:
    measure, system, item, value.
    """
    if isinstance(study, ItemStudy):
        table = item_table(study.item_scores)
    else:
        assert isinstance(study, LabelStudy)
        table = _prediction_table(study)
    others = tuple(other for other in report.tables if other.name != table.name)
    return replace(report, tables=(*others, table))


def _prediction_table(study: LabelStudy) -> Table:
    runs = runs_with_ids(study, "a baseline")
    confused = sorted(set(runs.systems) & set(_OF_ITEM))
    if confused:
        raise InputError.at(
            found=f"a system called '{confused[0]}' in a baseline, which has a column of that name already",
            expected="another name",
            hint="rename the file of the system",
        )
    labels = np.array(runs.scale.labels, dtype=object)
    numeric = isinstance(runs, NumericRuns)
    predicted = runs.predicted if numeric else labels[runs.predicted]
    columns = (runs.items, labels[runs.gold].tolist(), *predicted.tolist())
    kind = Kind.SCORE if numeric else Kind.TEXT
    return Table(
        PREDICTIONS,
        f"Predictions of {counted(len(runs.systems), 'system')} for {counted(len(runs.items), 'item')}",
        (*map(Column, _OF_ITEM), *(Column(system, kind) for system in runs.systems)),
        tuple(zip(*columns, strict=True)),
        detail=True,
    )


@dataclass(frozen=True)
class Baseline:
    """An earlier report. path: as the user named it, for messages."""

    report: Report
    path: str

    def check_comparable(self, study: Study) -> None:
        """Raise an `InputError` where its scores are of another kind than those of a study."""
        before = self.report.provenance.settings
        now: dict[str, Any] = {"task": study.config.data.task, **dict(study.settings())}
        problems = [
            Problem(
                f"a baseline made with {_setting(name, before)}", f"{_setting(name, now)}, as in this run", self.path
            )
            for name in _SETTINGS
            if before.get(name) != now.get(name)
        ]
        if problems:
            raise InputError(problems, hints=[f"compare runs of the same kind, or {REMEDY}"])
        if isinstance(study, ItemStudy) and self._gold_files() != _gold_files(study.origin.files):
            raise self._error("a baseline made with other references", "the files of references that this run has")

    def _gold_files(self) -> set[str]:
        return _gold_files(self.report.provenance.files)

    def predictions(self, now: LabelledRuns | NumericRuns) -> tuple[tuple[str, ...], NDArray[Any]]:
        """Its systems, and the codes or numbers they predicted for the items of now, (S, N); gold must be the same."""
        table = self._table(PREDICTIONS, _OF_ITEM)
        items, gold, *predicted = zip(*table.rows, strict=True) if table.rows else [()] * len(table.columns)
        order = self._order(items, now.items)
        self._check_gold(self._codes(gold, now)[order], now)
        read = [
            self._numbers(column) if isinstance(now, NumericRuns) else self._codes(column, now) for column in predicted
        ]
        systems = tuple(column.name for column in table.columns[len(_OF_ITEM) :])
        return systems, np.array([column[order] for column in read], dtype=now.predicted.dtype)

    def item_scores(self, now: ItemScores) -> ItemScores:
        """The scores of the items of now by the measures that both have, with their directions."""
        table = self._table(ITEM_SCORES, TIDY_COLUMNS)
        measure, system, item, value = zip(*table.rows, strict=True) if table.rows else [()] * len(TIDY_COLUMNS)
        (measures, of_measure), (systems, of_system), (items, of_item) = map(_coded, (measure, system, item))
        cells = of_measure * len(systems) * len(items) + of_system * len(items) + of_item
        values = np.empty(len(measures) * len(systems) * len(items))
        if len(cells) != len(values) or len(np.unique(cells)) != len(values):
            raise self._error("items with no score of some system by some measure, or with two", "one score each")
        values[cells] = self._numbers(value)
        by_measure = dict(zip(measures, values.reshape(-1, len(systems), len(items)), strict=True))
        order = self._order(items, now.items)
        shared = [place for place, name in enumerate(now.measures) if name in by_measure]
        if not shared:
            raise self._error(f"scores by {listed(measures)}", f"some by {listed(now.measures)}")
        return ItemScores(
            np.array([by_measure[now.measures[place]][:, order] for place in shared]),
            tuple(now.measures[place] for place in shared),
            systems,
            now.items,
            tuple(now.directions[place] for place in shared),
        )

    def _table(self, name: str, columns: Sequence[str]) -> Table:
        try:
            table = self.report.table(name)
        except UnknownName:
            held = listed([f"'{each.name}'" for each in self.report.all_tables()])
            raise self._error(f"no table '{name}' of what there is of every item (its tables: {held})") from None
        found = [column.name for column in table.columns][: len(columns)]
        if found != list(columns):
            raise self._error(f"table '{name}' with the columns {', '.join(found)} …", ", ".join(columns))
        return table

    def _order(self, before: Sequence[Any], now: Sequence[str]) -> NDArray[np.intp]:
        """Where each item of now stands in the baseline."""
        place = {item: number for number, item in enumerate(before)}
        if len(place) < len(before):
            raise self._error("an item twice", "every item once")
        known = set(now)
        new, gone = [item for item in now if item not in place], [str(item) for item in before if item not in known]
        if new or gone:
            parts = [
                f"{counted(len(items), 'item')} {where} ({listed(items)})"
                for items, where in ((new, "of this run that it does not have"), (gone, "that this run does not have"))
                if items
            ]
            raise self._error(
                f"a baseline made with other items: {', and '.join(parts)}", f"the same {counted(len(now), 'item')}"
            )
        return np.fromiter((place[item] for item in now), dtype=np.intp, count=len(now))

    def _codes(self, labels: Sequence[Any], now: LabelledRuns | NumericRuns) -> NDArray[np.intp]:
        code = {label: number for number, label in enumerate(now.scale.labels)}
        unknown = [label for label in labels if label not in code]
        if unknown:
            raise self._error(f"label '{unknown[0]}'", f"one of {', '.join(now.scale.labels)}")
        return np.fromiter((code[label] for label in labels), dtype=np.intp, count=len(labels))

    def _numbers(self, values: Sequence[Any]) -> NDArray[np.float64]:
        wrong = [value for value in values if type(value) not in (int, float)]
        if wrong:
            raise self._error(f"'{wrong[0]}' for the score of an item", "a number")
        return np.array(values, dtype=np.float64)

    def _check_gold(self, gold: NDArray[np.intp], now: LabelledRuns | NumericRuns) -> None:
        changed = np.flatnonzero(gold != now.gold)
        if len(changed):
            labels, first = now.scale.labels, changed[0]
            one = f"'{now.items[first]}' was {labels[gold[first]]}, now {labels[now.gold[first]]}"
            had = f"{counted(len(changed), 'item')} of {len(gold):,} had another label ({one})"
            raise self._error(f"a baseline made with another gold: {had}", "the same gold")

    def _error(self, found: str, expected: str = "a baseline that holds it") -> InputError:
        return InputError.at(self.path, found=found, expected=expected, hint=REMEDY)


def _setting(name: str, settings: Any) -> str:
    return f"{name} {settings[name]}" if settings.get(name) is not None else f"no {name}"


def _gold_files(files: Sequence[Any]) -> set[str]:
    return {file.sha256 for file in files if file.role == "gold"}


def _coded(names: Sequence[Any]) -> tuple[tuple[Any, ...], NDArray[np.intp]]:
    """The different names in the order in which they first occur, and the number of each."""
    number = {name: place for place, name in enumerate(dict.fromkeys(names))}
    return tuple(number), np.fromiter((number[name] for name in names), dtype=np.intp, count=len(names))
