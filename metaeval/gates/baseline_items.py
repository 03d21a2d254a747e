"""Writes and reads the items of a baseline, with which a later run is compared."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.score.report import item_table
from metaeval.analyses.sentences import join_names
from metaeval.errors import InputError, Problem, UnknownName, pluralize
from metaeval.io.scores.rows import TIDY_COLUMNS
from metaeval.model.labels import smallest_code_type
from metaeval.model.report import Column, Kind, Report, SourceFile, Table
from metaeval.model.scores import Direction, ItemScores
from metaeval.study.capabilities import ITEM_SCORES, PREDICTIONS, Predictions
from metaeval.study.study import Study, plugins_of

REMEDY = "record the baseline again with the setting save_baseline"

PREDICTIONS_TABLE = "predictions"
"""The name of the table of labels or numbers."""

FORMAT = "2"
"""Of baselines; scores of another one are not comparable."""

_OF_ITEM = ("item", "gold")
_NO_CLASS = ""
"""A prediction of no class, which counts as wrong."""

_SETTINGS = (
    *("task", "scale", "weights", "values", "references", "tokenizer", "lexicon", "lower-is-better", "ratio"),
    *("f-score", "plugins"),
)
"""Fields of the signature that must be equal for two scores to be comparable."""


def with_items(report: Report, study: Study) -> Report:
    """The report of a study with a table of its items.

    Labels and numbers have `predictions` (item, gold, one column per system), others `item_scores` (measure, system,
    item, value).
    """
    scores = study.find(ITEM_SCORES)
    table = _prediction_table(study.need(PREDICTIONS, "a baseline")) if scores is None else _row_table(scores)
    others = tuple(other for other in report.tables if other.name != table.name)
    provenance = replace(report.provenance, settings={**report.provenance.settings, "baseline": FORMAT})
    return replace(report, tables=(*others, table), provenance=provenance)


def _row_table(scores: ItemScores) -> Table:
    """The item scores, and below them the statistics of measures of sums."""
    names, rows = scores.rows
    return item_table(
        replace(scores, measures=names, values=rows, directions=(Direction.HIGHER,) * len(names), sums=())
    )


def _prediction_table(predictions: Predictions) -> Table:
    runs, numeric = predictions.runs, predictions.numeric
    for name in set(runs.systems) & set(_OF_ITEM):
        found = f"a system called '{name}' in a baseline, which has a column of that name"
        raise InputError.at(found=found, expected="another name", hint="rename the file of the system")
    labels = np.array(runs.scale.labels, dtype=object)
    texts = np.append(labels, _NO_CLASS)
    predicted = (runs.predicted if numeric else texts[np.asarray(runs.predicted, dtype=np.intp)]).tolist()
    kind = Kind.SCORE if numeric else Kind.TEXT
    return Table(
        PREDICTIONS_TABLE,
        f"Predictions of {pluralize(len(runs.systems), 'system')} for {pluralize(len(runs.items), 'item')}",
        (*map(Column, _OF_ITEM), *(Column(system, kind) for system in runs.systems)),
        tuple(zip(runs.items, labels[runs.gold].tolist(), *predicted, strict=True)),
        detail=True,
    )


@dataclass(frozen=True)
class Baseline:
    """An earlier report. path: its file in messages."""

    report: Report
    path: str

    def check_comparable(self, study: Study) -> None:
        """Raise an `InputError` if its scores are not comparable with those of a study."""
        plugins = ",".join(map(str, plugins_of(study.measures)))
        now = {"task": study.config.data.task, "plugins": plugins, **dict(study.settings())}
        self.check_settings(now, _SETTINGS)
        if study.has(ITEM_SCORES):
            self.check_gold_files(study.origin.files)

    def check_settings(self, now: Mapping[str, Any], names: Sequence[str]) -> None:
        """Raise an `InputError` if one of these fields of the signature has changed."""
        before = self.report.provenance.settings
        both = [(name, before.get(name) or "(none)", now.get(name) or "(none)") for name in names]
        problems = [
            Problem(f"a baseline made with {name} {old}", f"{name} {new}, as in this run", self.path)
            for name, old, new in both
            if old != new
        ]
        if problems:
            raise InputError(problems, hints=[f"compare runs of the same kind, or {REMEDY}"])

    def check_gold_files(self, now: Sequence[SourceFile], *, are_optional: bool = False) -> None:
        """Raise an `InputError` if the contents of gold files have changed."""
        files = (self.report.provenance.files, now)
        before, after = ({file.sha256 for file in each if file.role == "gold"} for each in files)
        if before != after and not (are_optional and not (before and after)):
            raise self._error("a baseline made with other gold files or references", "the same, byte for byte")

    def predictions(self, predictions: Predictions) -> dict[str, NDArray[Any]]:
        """The predicted codes or numbers of its systems for the items of a study, (N,); gold must be the same."""
        now = predictions.runs
        table = self._table(PREDICTIONS_TABLE, _OF_ITEM)
        row_of = {row[0]: row for row in table.rows}
        self._check_items([row[0] for row in table.rows], now.items)
        _, gold, *predicted = zip(*(row_of[item] for item in now.items), strict=True)
        labels = now.scale.labels
        pairs = zip(now.items, gold, (labels[code] for code in now.gold), strict=True)
        changed = [f"('{item}' was {before}, now {label})" for item, before, label in pairs if before != label]
        if changed:
            found = f"{pluralize(len(changed), 'item')} of {len(gold):,} had another label {changed[0]}"
            raise self._error(f"a baseline made with another gold: {found}", "the same gold")
        systems = [column.name for column in table.columns[len(_OF_ITEM) :]]
        if predictions.numeric:
            return {name: self._numbers(column) for name, column in zip(systems, predicted, strict=True)}
        code_of: dict[Any, int] = {label: code for code, label in enumerate((*labels, _NO_CLASS))}
        code_type = smallest_code_type(len(code_of))
        for label in itertools.chain(*predicted):
            if label not in code_of:
                raise self._error(f"label '{label}'", f"one of {', '.join(labels)}")
        codes = [np.array([code_of[label] for label in column], dtype=code_type) for column in predicted]
        return dict(zip(systems, codes, strict=True))

    def item_scores(self, items: Sequence[str]) -> dict[str, dict[str, NDArray[np.float64]]]:
        """The scores of these items, (N,), by measure and system."""
        rows = self._table("item_scores", TIDY_COLUMNS).rows
        numbers = self._numbers([row[3] for row in rows]).tolist()
        value_of = {tuple(map(str, row[:3])): number for row, number in zip(rows, numbers, strict=True)}
        measures, systems, before = (list(dict.fromkeys(key[place] for key in value_of)) for place in range(3))
        if not len(rows) == len(value_of) == len(measures) * len(systems) * len(before):
            raise self._error("items with no score of some system by some measure, or with two", "one score each")
        self._check_items(before, items)
        return {
            measure: {system: np.array([value_of[measure, system, item] for item in items]) for system in systems}
            for measure in measures
        }

    def _table(self, name: str, columns: Sequence[str]) -> Table:
        try:
            table = self.report.table(name)
        except UnknownName:
            names = join_names([f"'{each.name}'" for each in self.report.all_tables()])
            raise self._error(f"no table '{name}' of the items (its tables: {names})") from None
        if self.report.provenance.settings.get("baseline") != FORMAT:
            raise self._error("a baseline of an earlier version of metaeval", "one of this version")
        found = [column.name for column in table.columns][: len(columns)]
        if found != list(columns):
            raise self._error(f"table '{name}' with the columns {', '.join(found)} …", ", ".join(columns))
        return table

    def _check_items(self, before: Sequence[Any], now: Sequence[str]) -> None:
        known, current = set(before), set(now)
        if len(known) < len(before):
            raise self._error("an item twice", "every item once")
        new = [item for item in now if item not in known]
        lost = [str(item) for item in before if item not in current]
        texts = []
        if new:
            texts.append(f"{pluralize(len(new), 'item')} of this run that it does not have ({join_names(new)})")
        if lost:
            texts.append(f"{pluralize(len(lost), 'item')} that this run does not have ({join_names(lost)})")
        if texts:
            same = f"the same {pluralize(len(now), 'item')}"
            raise self._error(f"a baseline made with other items: {', and '.join(texts)}", same)

    def _numbers(self, values: Sequence[Any]) -> NDArray[np.float64]:
        for value in values:
            if type(value) not in (int, float):
                raise self._error(f"'{value}' for the score of an item", "a number")
        return np.array(values, dtype=np.float64)

    def _error(self, found: str, expected: str = "a baseline that holds it") -> InputError:
        return InputError.at(self.path, found=found, expected=expected, hint=REMEDY)
