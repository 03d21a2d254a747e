"""Tests whether systems are significantly worse than in an earlier run."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.analyses.score.report import item_table
from metaeval.analyses.sentences import join_names
from metaeval.arrays import Floats
from metaeval.config import CheckSettings
from metaeval.errors import InputError, Problem, UnknownName, name_in_use, pluralize, refuse
from metaeval.gates.signatures import gold_files
from metaeval.inference.pairs import PairTests, compare_measures, critical_rank, fewest_permutations
from metaeval.io.scores.formats import TIDY_COLUMNS
from metaeval.measures import Measure
from metaeval.model.report import Cell, Column, Finding, Kind, Note, Report, SourceFile, Table
from metaeval.model.runs import LabelledRuns, NumericRuns, smallest_code_type
from metaeval.model.scores import Direction, ItemScores, ScoreCube
from metaeval.model.works import cite
from metaeval.scoring.parts import parts_of_item_scores
from metaeval.study.capabilities import ITEM_SCORES, PREDICTIONS, GroupParts
from metaeval.study.evidence import (
    evidence_of,
    methods_of_tests,
    notes_on_clusters,
    notes_on_rare_classes,
    units_of,
    with_caution,
)
from metaeval.study.labels import score_predictions
from metaeval.study.study import AnalysisOutput, Study, plugins_of

REMEDY = "record the baseline again with the setting save_baseline"

PREDICTIONS_TABLE = "predictions"
"""The name of the table of labels or numbers."""

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
    return replace(report, tables=(*others, table))


def _row_table(scores: ItemScores) -> Table:
    """The item scores, and below them the statistics of measures of sums."""
    names, rows = scores.rows
    directions = (Direction.HIGHER,) * len(names)
    return item_table(replace(scores, measures=names, values=rows, directions=directions, sums=()))


def _prediction_table(runs: LabelledRuns | NumericRuns) -> Table:
    numeric = isinstance(runs, NumericRuns)
    for name in set(runs.systems) & set(_OF_ITEM):
        hint = "rename the file of the system"
        raise refuse(None, name_in_use("system", name, "a column of the baseline", hint))
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
        self.check_measures({str(measure): measure.signature for measure in study.measures})
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

    def check_measures(self, now: Mapping[str, str]) -> None:
        """Raise an `InputError` if a measure has another signature, whichever versions of metaeval computed it."""
        before = self.report.provenance.measures
        names = [name for name, signature in now.items() if before.get(name, signature) != signature]
        if names:
            measures = join_names([f"{name} as {before[name]}" for name in names])
            raise self._error(f"a baseline made with {measures}", join_names([now[name] for name in names]))

    def check_gold_files(self, now: Sequence[SourceFile], *, are_optional: bool = False) -> None:
        """Raise an `InputError` if the contents of gold files have changed."""
        before, after = gold_files(self.report.provenance.files), gold_files(now)
        if before != after and not (are_optional and not (before and after)):
            raise self._error("a baseline made with other gold files or references", "the same, byte for byte")

    def predictions(self, now: LabelledRuns | NumericRuns) -> dict[str, NDArray[Any]]:
        """The predicted codes or numbers of its systems for the items of a study, (N,); gold must be the same."""
        table = self._table(PREDICTIONS_TABLE, _OF_ITEM)
        row_of = {row[0]: row for row in table.rows}
        self._check_items([row[0] for row in table.rows], now.items)
        _, gold, *predicted = zip(*(row_of[item] for item in now.items), strict=True)
        labels = now.scale.labels
        pairs = zip(now.items, gold, (labels[code] for code in now.gold), strict=True)
        changes = [f"('{item}' was {before}, now {label})" for item, before, label in pairs if before != label]
        if changes:
            difference = f"{pluralize(len(changes), 'item')} of {len(gold):,} had another label {changes[0]}"
            raise self._error(f"a baseline made with another gold: {difference}", "the same gold")
        systems = [column.name for column in table.columns[len(_OF_ITEM) :]]
        if isinstance(now, NumericRuns):
            return {name: self._numbers(column) for name, column in zip(systems, predicted, strict=True)}
        code_of: dict[Any, int] = {label: code for code, label in enumerate((*labels, _NO_CLASS))}
        code_type = smallest_code_type(len(code_of))
        for label in itertools.chain(*predicted):
            if label not in code_of:
                raise self._error(f"label '{label}'", f"one of {', '.join(labels)}")
        codes = [np.array([code_of[label] for label in column], dtype=code_type) for column in predicted]
        return dict(zip(systems, codes, strict=True))

    def item_scores(self, items: Sequence[str]) -> dict[str, dict[str, Floats]]:
        """The scores of these items, (N,), by measure and system."""
        rows = self._table("item_scores", TIDY_COLUMNS).rows
        numbers = self._numbers([row[3] for row in rows]).tolist()
        value_of = {tuple(map(str, row[:3])): number for row, number in zip(rows, numbers, strict=True)}
        measures, systems, before = (list(dict.fromkeys(key[column] for key in value_of)) for column in range(3))
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
            names = join_names([f"'{table.name}'" for table in self.report.all_tables()])
            raise self._error(f"no table '{name}' of the items (its tables: {names})") from None
        header = [column.name for column in table.columns][: len(columns)]
        if header != list(columns):
            raise self._error(f"table '{name}' with the columns {', '.join(header)} …", ", ".join(columns))
        return table

    def _check_items(self, before: Sequence[Any], now: Sequence[str]) -> None:
        earlier, current = set(before), set(now)
        if len(earlier) < len(before):
            raise self._error("an item twice", "every item once")
        new = [item for item in now if item not in earlier]
        missing = [str(item) for item in before if item not in current]
        texts = []
        if new:
            texts.append(f"{pluralize(len(new), 'item')} of this run that it does not have ({join_names(new)})")
        if missing:
            texts.append(f"{pluralize(len(missing), 'item')} that this run does not have ({join_names(missing)})")
        if texts:
            same = f"the same {pluralize(len(now), 'item')}"
            raise self._error(f"a baseline made with other items: {', and '.join(texts)}", same)

    def _numbers(self, values: Sequence[Any]) -> Floats:
        for value in values:
            if type(value) not in (int, float):
                raise self._error(f"'{value}' for the score of an item", "a number")
        return np.array(values, dtype=np.float64)

    def _error(self, found: str, expected: str = "a baseline that holds it") -> InputError:
        return refuse(self.path, found, expected, REMEDY)


FAILED, UNDEFINED, PASSED = _VERDICTS = ("failed", "undefined", "passed")
_NUMBERS = ("earlier", "now", "difference", "low", "high", "p")

Row = NDArray[Any]
"""The labels or numbers of a system, (N,), or its item scores, (M, N)."""

_Score = Callable[[list[str], list[Row]], tuple[GroupParts, ScoreCube]]
_Sides = tuple[Mapping[str, Row], Mapping[str, Row], _Score, list[str]]
"""The systems now and earlier, a function that scores them, and notes."""


def compare_with_baseline(study: Study, earlier: Report, *, path: str, families: int = 1) -> AnalysisOutput:
    """Compare the systems of a study with an earlier run on the same items, by random signs of groups of items.

    Table `baseline`: system, measure, earlier, now, difference (now − earlier, as measured), low, high (simultaneous
    interval), p, verdict; the worst first. `failed`: significantly worse at the level `check.alpha`, which is the
    probability of any false alarm in the whole table; 0 is then outside the interval, if there is one. `undefined`: the
    score is undefined in one of the runs, also without some group of items, or the system is missing now. `passed`:
    neither, or undefined in both runs.

    earlier: with the items that `baseline_items.with_items` adds; with other items, gold, scale or references, or
    without any of the systems or measures, an `InputError`. path: its file, for messages. families: number of groups of
    items that are compared, for which p is multiplied (Bonferroni): the level is that of all of them.
    """
    settings = study.config.check or CheckSettings()
    level = settings.alpha / families
    if not critical_rank(settings.permutations, level):
        of = f" in {families} groups" if families > 1 else ""
        found = f"{pluralize(settings.permutations, 'permutation')}, with which p never is below {settings.alpha:g}{of}"
        expected = f"at least {fewest_permutations(level):,}"
        raise refuse(None, found, expected, "increase permutations of check")
    study.check_measures()
    baseline = Baseline(earlier, path)
    baseline.check_comparable(study)
    parts, scores, missing, notes = _pair(study, baseline)
    evidence, systems = evidence_of(study, parts, settings.permutations), len(scores.systems) // 2
    now, before = np.split(np.arange(2 * systems), 2)
    drops = compare_measures(evidence, alpha=level, pairs=(before, now), one_sided=True)
    drops = [replace(tests, p=np.minimum(tests.p * families, 1.0)) for tests in drops]
    signs = f"random signs of the differences of {units_of(study)} ({pluralize(settings.permutations, 'permutation')})"
    method = (
        f"baseline: {signs}; p: one-sided, adjusted for {pluralize(len(drops) * systems, 'comparison')}"
        f"{f' in each of {families} groups, and for these' if families > 1 else ''}, so that {settings.alpha:g} is the "
        f"probability of any false alarm; low, high: simultaneous interval of {100 * (1 - 2 * level):.4g} %, which is "
        f"on the worse side of 0 exactly where p ≤ {settings.alpha:g}; none where all items have the same difference"
    )
    remarks = [Note(method)]
    if any(np.isinf(tests.high).any() for tests in drops):
        remarks.append(Note("there are too few groups of items, or too unequal ones, for any drop to be significant"))
    what = f"The differences between {pluralize(systems, 'system')} and the same systems of an earlier run"
    adjusted = (
        "P-values are one-sided, for lower quality than earlier, and adjusted for all systems and measures by the "
        f"largest statistic {cite('westfall1993')}{f', and for {families} groups of items' if families > 1 else ''}; a "
        f"system is worse where p is at most {settings.alpha:g}."
    )
    by_measure = dict(zip(scores.measures, evidence, strict=True))
    tests_of = methods_of_tests(study, what, permutations=settings.permutations, evidence=by_measure)
    output = _tabulate(scores, missing, drops, settings.alpha, len(study.items))
    output = output.after(notes=[*remarks, *notes_on_clusters(study), *notes_on_rare_classes(study), *notes])
    methods = [study.methods_of_data, *tests_of, adjusted]
    return output._replace(findings=with_caution(study, output.findings), methods=methods)


def _pair(study: Study, baseline: Baseline) -> tuple[GroupParts, ScoreCube, ScoreCube | None, list[str]]:
    """The parts and the scores of systems now and earlier, (M, 2 S), those of systems missing now, and notes."""
    items = study.find(ITEM_SCORES)
    if items is None:
        runs = study.need(PREDICTIONS, "a comparison with a baseline")
        now, before, score, notes = _pair_predictions(runs, study.measures, baseline)
    else:
        now, before, score, notes = _pair_items(items, baseline)
    names, missing, more_notes = _match(list(now), list(before), "system", baseline)
    parts, scores = score(names * 2, [*(now[name] for name in names), *(before[name] for name in names)])
    missing_scores = score(missing, [before[name] for name in missing])[1] if missing else None
    return parts, scores, missing_scores, more_notes + notes


def _pair_predictions(runs: LabelledRuns | NumericRuns, measures: tuple[Measure, ...], baseline: Baseline) -> _Sides:
    def score(systems: list[str], rows: list[Row]) -> tuple[GroupParts, ScoreCube]:
        return score_predictions(runs, measures, systems, np.array(rows))

    now = dict(zip(runs.systems, runs.predicted, strict=True))
    return now, baseline.predictions(runs), score, []


def _pair_items(scores: ItemScores, baseline: Baseline) -> _Sides:
    all_before = baseline.item_scores(scores.items)
    statistics = scores.rows[0][len(scores.measures) :]
    earlier = [name for name in all_before if name not in statistics]
    measures, _, notes = _match(scores.measures, earlier, "measure", baseline)
    common_scores = scores.select(measures)
    names, rows = common_scores.rows
    missing = [name for name in names if name not in all_before]
    if missing:
        raise refuse(baseline.path, f"no statistics {join_names(missing)}", "those of the same measures", REMEDY)
    now = dict(zip(scores.systems, np.moveaxis(rows, 1, 0), strict=True))
    before = {system: np.array([all_before[name][system] for name in names]) for system in all_before[measures[0]]}

    def score(systems: list[str], rows: list[Row]) -> tuple[GroupParts, ScoreCube]:
        subset = common_scores.with_rows(tuple(systems), np.stack(rows, axis=1))
        return GroupParts(partial(parts_of_item_scores, subset), partial(parts_of_item_scores, subset)), subset.mean()

    return now, before, score, notes


def _match(now: Sequence[str], before: Sequence[str], what: str, baseline: Baseline) -> tuple[list[str], ...]:
    """The names in both runs, those missing now, and notes on names in one run only."""
    both = [name for name in now if name in before]
    if not both:
        found, hint = f"a baseline with other {what}s ({join_names(before)})", f"compare the same {what}s, or {REMEDY}"
        raise refuse(baseline.path, found, f"some of {join_names(now)}", hint)
    new, missing = ([name for name in names if name not in both] for names in (now, before))
    only = [(run, names) for run, names in (("this run", new), ("the baseline", missing)) if names]
    notes = [f"{pluralize(len(names), what)} only in {run}, not compared: {join_names(names)}" for run, names in only]
    return both, missing, notes


def _tabulate(
    scores: ScoreCube, missing_scores: ScoreCube | None, drops: Sequence[PairTests], alpha: float, items: int
) -> AnalysisOutput:
    """The table and the finding; drops: under each measure, of each system."""
    z, p = (np.array([getattr(tests, name) for tests in drops]) for name in ("z", "p"))
    systems = scores.systems[: p.shape[1]]
    now, earlier = np.split(scores.values, 2, axis=1)
    # A drop is the earlier score less that of now.
    ends = [tests.interval(-direction.sign) for tests, direction in zip(drops, scores.directions, strict=True)]
    low, high = np.swapaxes(ends, 0, 1)
    numbers = np.stack([earlier, now, now - earlier, low, high, p], axis=-1)
    # A score that is undefined in both runs is not worse.
    unknown = np.where(np.isnan(earlier) & np.isnan(now), PASSED, UNDEFINED)
    verdicts = np.where(np.isnan(p), unknown, np.where(p <= alpha, FAILED, PASSED))
    ranks = np.array([_VERDICTS.index(verdict) for verdict in verdicts.ravel()])
    order = [divmod(index, len(systems)) for index in np.lexsort([-z.ravel(), p.ravel(), ranks]).tolist()]
    rows: list[tuple[Cell, ...]] = [
        (systems[system], scores.measures[measure], *numbers[measure, system].tolist(), str(verdicts[measure, system]))
        for measure, system in order
    ]
    names = missing_scores.systems if missing_scores is not None else ()
    missing: list[tuple[Cell, ...]] = [
        (name, measure, float(score), *[math.nan] * (len(_NUMBERS) - 1), UNDEFINED)
        for (name, measure), score in zip(
            product(names, scores.measures), missing_scores.values.T.flat if missing_scores else (), strict=True
        )
    ]
    title = f"Now and in the baseline: {pluralize(len(systems), 'system')} on {pluralize(items, 'item')}"
    table = Table(
        "baseline",
        title + (f", {pluralize(len(names), 'system')} missing" if names else ""),
        (
            *map(Column, ("system", "measure")),
            *(Column(name, Kind.SCORE) for name in _NUMBERS),
            Column("verdict", values=_VERDICTS),
        ),
        tuple(sorted([*rows, *missing], key=lambda row: _VERDICTS.index(str(row[-1])))),
    )
    return AnalysisOutput([table], [], [_finding(rows, names)])


def _finding(rows: Sequence[tuple[Cell, ...]], missing: Sequence[str]) -> Finding:
    """The finding on the scores of both runs and on missing systems."""
    failed, undefined = ([row for row in rows if row[-1] == verdict] for verdict in (FAILED, UNDEFINED))
    verb = "are" if len(failed) > 1 else "is"
    sentence = (
        f"{len(failed) or 'none'} of {pluralize(len(rows), 'score')} {verb} significantly worse than in the baseline"
    )
    if failed:
        sentence += f": {join_names([f'{row[0]} by {row[1]} ({row[3]:.4g}, was {row[2]:.4g})' for row in failed])}"
    if undefined:
        names = join_names([f"{row[0]} by {row[1]}" for row in undefined])
        sentence += f"; {len(undefined)} cannot be compared, because undefined: {names}"
    if missing:
        count = pluralize(len(missing), "system")
        sentence += f"; {count} of the baseline cannot be compared, because missing: {join_names(missing)}"
    return Finding("check", sentence)
