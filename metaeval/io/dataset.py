"""A whole data set from its files: gold and runs read, named and joined."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

from metaeval.errors import Gathered, InputError, Problem, counted, shortened
from metaeval.io.files.source import STANDARD_INPUT, Open, open_source
from metaeval.io.labels.columns import Columns
from metaeval.io.labels.join import join_labels, join_numbers
from metaeval.io.labels.policies import Policies
from metaeval.io.labels.raw_labels import AnswerFile, Answers, InMemoryLabels
from metaeval.io.labels.run_files import RunFile, find_run_files, system_name
from metaeval.io.labels.tasks import LabelTask
from metaeval.model.data_kind import DataKind
from metaeval.model.labels import LabelledRuns, NumericRuns
from metaeval.model.report import SourceFile
from metaeval.model.scale import ClassScale

Item = TypeVar("Item")
Runs_co = TypeVar("Runs_co", covariant=True)


class Track(Protocol):
    """Passes items through one by one, showing how far it is."""

    def __call__(self, items: Sequence[Item], doing: str) -> Iterable[Item]:
        """The items; doing: what is being done, as 'Reading runs'."""


@dataclass(frozen=True)
class Dataset(Generic[Runs_co]):
    """Gold and systems, ready to be scored, and how they came about.

    runs: what was read. paths: the file of each system, in the order of `runs.systems`.
    files: every file that was read, gold first. touched: how much the policies changed or dropped, by name.
    notes: the same in words, and whatever else should be said of the files.
    """

    runs: Runs_co
    paths: tuple[str, ...]
    files: tuple[SourceFile, ...]
    touched: Mapping[str, int]
    notes: tuple[str, ...]


def read_dataset(
    gold: str,
    runs: Sequence[str],
    *,
    task: LabelTask,
    scale: ClassScale | None,
    columns: Columns,
    policies: Policies,
    track: Track,
    needs_runs: bool = True,
    open_file: Open = open_source,
) -> Dataset[LabelledRuns | NumericRuns]:
    """Read gold and every run, and join them.

    gold: a path, or '-'. runs: files, folders, patterns, `name=path`; empty where gold is a wide file with systems.
    scale: None for the nominal scale of the labels that occur in gold, where the task has no scale of its own.
    needs_runs: whether gold alone is an error. open_file: what opens them.
    Whatever is wrong with any file is told in one `InputError`.
    """
    run_files, notes = find_run_files(runs, gold=gold)
    if gold == STANDARD_INPUT and any(file.path == STANDARD_INPUT for file in run_files):
        raise InputError.at(found="standard input for gold and for a run", expected="'-' for one file only")
    gathered = Gathered()
    reading = _Reading(task, columns, gathered, open_file)
    answers: list[Answers] = []
    gold_is_read = False
    with gathered.errors():
        gold_answers, beside = reading.gold(gold)
        gold_is_read = True
    for file in track(run_files, "Reading runs"):
        with gathered.errors():
            answers += reading.runs(file)
    if not gold_is_read or (run_files and not answers):
        gathered.raise_any()
    if beside and answers and all(file.path != gold for file in run_files):
        notes = (*notes, f"{gold}: its own systems left out, because runs are named: {_systems(beside)}")
    answers = answers or list(beside)
    with gathered.errors():
        _check_runs(answers, gold, needs_runs=needs_runs)
        _check_headers(gold_answers, answers, scale)
        if scale is None:
            scale, inferred = _scale_of_gold(gold_answers, policies.drop_gold, task)
            notes = (*notes, inferred)
        join = join_numbers if task.material is DataKind.NUMBERS else join_labels
        joined = join(gold_answers, answers, scale, policies)
    gathered.raise_any()
    notes = (*notes, *(f"{path} is not UTF-8 and was read as cp1252" for path in reading.cp1252), *joined.notes)
    return Dataset(joined.runs, tuple(run.path for run in answers), tuple(reading.files), joined.touched, notes)


def _systems(runs: Sequence[Answers]) -> str:
    return ", ".join(run.system for run in runs)


class _Reading:
    """Opens files with a task's reader and keeps account of them, and of what is wrong with them in `gathered`."""

    def __init__(self, task: LabelTask, columns: Columns, gathered: Gathered, open_file: Open) -> None:
        self.task = task
        self.columns = columns
        self.gathered = gathered
        self.open_file = open_file
        self.files: list[SourceFile] = []
        self.cp1252: list[str] = []

    def gold(self, path: str) -> tuple[Answers, tuple[Answers, ...]]:
        """The gold answers, and the systems beside them in a wide file."""
        content = self._read(path, "gold")
        if content.gold is None:
            raise InputError.at(
                path,
                1,
                found="no gold labels: neither a column 'label' nor 'gold'",
                expected="one of these",
                hint="name the column with --label-column",
            )
        beside = () if content.runs == (content.gold,) else content.runs
        return content.gold, tuple(replace(run, system=run.system or system_name(path)) for run in beside)

    def runs(self, file: RunFile) -> list[Answers]:
        """The systems of a file, named."""
        found = self._read(file.path, "run").runs
        if file.named and len(found) > 1:
            raise InputError.at(
                file.path,
                1,
                found=f"one name, '{file.system}', for {len(found)} systems",
                expected="no name for a file with a column a system",
            )
        if not found:
            raise InputError.at(file.path, 1, found="no system's column", expected="a column of predictions")
        return [replace(run, system=file.system if file.named or not run.system else run.system) for run in found]

    def _read(self, path: str, role: str) -> AnswerFile:
        source = self.open_file(path, role)
        self.files.append(source.file)
        if source.suffix != ".parquet" and not source.is_utf8:
            self.cp1252.append(source.path_or_name)
        content = source.answers if isinstance(source, InMemoryLabels) else self.task.read(source, self.columns)
        for fault in content.faults:
            self.gathered.keep(fault)
        return content


def _check_runs(runs: Sequence[Answers], gold: str, *, needs_runs: bool) -> None:
    if needs_runs and not runs:
        raise InputError.at(
            gold,
            found="gold alone, and no run",
            expected="at least one file of predictions",
            hint="name files, folders or patterns after the options; a wide gold file brings its systems along; "
            "`metaeval validate` checks gold alone",
        )
    times = Counter(run.system for run in runs)
    twins = [run for run in runs if times[run.system] > 1]
    if twins:
        raise InputError(
            [Problem(f"system name '{run.system}'", "a name for each system", run.path) for run in twins],
            hints=["rename the column, or name the file as in name=path"],
        )


def _check_headers(gold: Answers, runs: Sequence[Answers], scale: ClassScale | None) -> None:
    """Raise where files of a label a line begin alike, with a word that is in no other line of either."""
    if gold.ids is not None or (scale is not None and gold.labels[0] in scale.labels):
        return
    first = gold.labels[0]
    begin_alike = [
        run
        for run in runs
        if run.ids is None and run.labels[0] == first and first not in run.labels[1:] and first not in gold.labels[1:]
    ]
    if begin_alike and len(gold.labels) > 1:
        raise InputError(
            [
                Problem(
                    f"'{shortened(first)}', which looks like a header: gold begins with it too, and it does not come "
                    "again",
                    "a label on every line",
                    run.path,
                    run.lines()[0],
                )
                for run in begin_alike
            ],
            hints=[
                f"if it is a header, say --label-column {shlex.quote(shortened(first))}",
                "if it is a label, declare the classes with --labels",
            ],
        )


def _scale_of_gold(gold: Answers, drop: Sequence[str], task: LabelTask) -> tuple[ClassScale, str]:
    if task.material is DataKind.NUMBERS:
        labels = sorted(set(gold.labels) - set(drop) - {""})
        raise InputError.at(
            gold.path,
            found="no declared order of the gold classes",
            expected="an order, because systems predict numbers",
            hint=f"declare it from low to high, as in --labels '{'<'.join(labels[:12])}'",
        )
    return scale_of_labels(set(gold.labels), len(gold.labels), gold.path, drop)


def scale_of_labels(occurring: Iterable[str], items: int, path: str, drop: Sequence[str]) -> tuple[ClassScale, str]:
    """The nominal scale of the labels of gold, and a note on it; where they are hardly classes an `InputError`."""
    labels = sorted(set(occurring) - set(drop) - {""})
    if len(labels) > max(20, items // 5):
        raise InputError.at(
            path,
            found=f"{len(labels):,} different labels for {counted(items, 'item')}",
            expected="a few classes",
            hint="name the label column with --label-column, or declare the classes with --labels",
        )
    scale = ClassScale(tuple(labels))
    return scale, f"classes taken from gold, as names without order: {scale}; declare an order with --labels 'low<high'"
