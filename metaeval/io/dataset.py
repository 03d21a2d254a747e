"""Data sets of labels: gold and runs read, named and joined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic, TypeVar

from metaeval.errors import (
    Gathered,
    InputError,
    empty,
    excluded,
    invalid,
    pluralize,
    refuse,
    setting,
    shortened,
    wrong_count,
)
from metaeval.inference.clusters import Clusters
from metaeval.io.files.columns import MISSING_WORDS
from metaeval.io.files.run_files import (
    RunFile,
    find_run_files,
    gold_left_out,
    is_gold,
    one_name_for_several,
    same_names,
    system_name,
)
from metaeval.io.files.source import Open, SourceFiles, open_source
from metaeval.io.forms import by_form, numbers_note, quote_name
from metaeval.io.groups import Membership, restricted_labels
from metaeval.io.labels.columns import Columns, InMemoryLabels, RawLabelFile, RawLabels, Renaming
from metaeval.io.labels.join import Policies, check_labels, join_labels
from metaeval.io.labels.tasks import LabelTask
from metaeval.model.report import SourceFile
from metaeval.model.runs import DataKind, LabelledRuns, NumericRuns
from metaeval.model.scale import ClassScale, in_numeric_order
from metaeval.steps import Progress as Progress

NO_SYSTEMS = "name the files of the systems, or give a gold file that has a column for each system"
"""The remedy for gold of labels without runs."""

Runs_co = TypeVar("Runs_co", covariant=True)


@dataclass(frozen=True)
class Dataset(Generic[Runs_co]):
    """Gold and systems, ready to be scored, and their sources.

    paths: the file of each system, in the order of `runs.systems`. files: all files, gold first. repairs: how many
    items and predictions the policies changed or dropped, by name. notes: the repairs and other remarks as text.
    clusters: of the items, where the reader of the runs reads them, too.
    """

    runs: Runs_co
    paths: tuple[str, ...]
    files: tuple[SourceFile, ...]
    repairs: Mapping[str, int]
    notes: tuple[str, ...]
    clusters: tuple[Clusters, ...] = ()


def read_dataset(
    gold: str,
    runs: Sequence[str],
    *,
    task: LabelTask,
    scale: ClassScale | None,
    columns: Columns,
    policies: Policies,
    progress: Progress,
    needs_runs: bool = True,
    open_file: Open = open_source,
    member: Membership | None = None,
    run_files: Sequence[RunFile] | None = None,
) -> Dataset[LabelledRuns | NumericRuns]:
    """Read gold and every run, and join them.

    gold: a path, or '-'. runs: files, folders, patterns or `name=path`; empty if gold is a wide file with systems.
    scale: None for the nominal scale of the labels of gold. needs_runs: whether gold alone is an error. member: the
    group whose items are read. run_files: in place of `runs`. All problems of the files are one `InputError`.
    """
    run_files, notes = find_run_files(runs, gold=gold) if run_files is None else (run_files, ())
    problems = policies.systems.gathered()
    columns = replace(columns, classes=scale.labels if scale else ())
    doubts = doubts_about(scale) if scale else ()
    reading = _Reading(task, columns, problems, SourceFiles(open_file), policies)
    labels: list[RawLabels] = []
    gold_is_read = False
    with problems.errors():
        gold_labels, beside = reading.gold(gold)
        gold_is_read = True
    for file in progress(run_files, "Reading runs"):
        with problems.errors(file.system):
            labels += reading.runs(file, gold_labels if gold_is_read else None)
    labels, gold_notes = reading.without_gold(labels)
    notes = (*notes, *gold_notes)
    numeric = task.data_kind is DataKind.NUMBERS
    if not gold_is_read and scale is not None:
        with problems.errors():
            check_labels(_select_runs(labels, (), policies)[0], scale, policies, problems, numeric=numeric)
    if not gold_is_read or (run_files and not labels):
        problems.raise_any(())
    if member is None:
        reading.renaming.check()
    if beside and labels and all(file.path != gold for file in run_files):
        notes = (*notes, left_out_note(gold, [run.system for run in beside]))
    labels = labels or list(beside)
    with problems.errors():
        if needs_runs and not labels:
            raise no_run(gold, NO_SYSTEMS)
        labels, notes = _select_runs(labels, notes, policies)
        with problems.errors():
            check_names([(run.system, run.path) for run in labels])
        labels = [_without_header(gold_labels, run, scale) for run in labels]
        check_headers(gold_labels, labels, scale)
        if member is not None:
            gold_labels, labels = restricted_labels(gold_labels, labels, member)
        if scale is None:
            scale, inferred = _scale_of_gold(gold_labels, policies.drop_gold, task)
            doubts = (inferred,)
        joint_runs, repairs, remarks = join_labels(gold_labels, labels, scale, policies, numeric=numeric)
    problems.raise_any(run.system for run in labels)
    notes = (
        *notes,
        *doubts,
        *numbers_note(gold_labels.ids or ()),
        *dict.fromkeys(reading.notes),
        *reading.files.notes,
        *remarks,
    )
    return Dataset(joint_runs, tuple(run.path for run in labels), reading.files.files, repairs, notes)


def _select_runs(
    labels: Sequence[RawLabels], notes: Sequence[str], policies: Policies
) -> tuple[list[RawLabels], tuple[str, ...]]:
    """The systems that are evaluated, and the notes with one on the others."""
    names = [run.system for run in labels]
    selection = policies.systems.of(names)
    return [run for run in labels if run.system in selection], (*notes, *policies.systems.notes(names))


def left_out_note(gold: str, systems: Sequence[str]) -> str:
    """A note on systems in the gold file that are not used."""
    return f"{gold}: its systems are not used, because runs are named: {', '.join(systems)}"


def no_run(gold: str, hint: str, expected: str = "at least one file of predictions") -> InputError:
    """The error for gold without systems."""
    hint = f"{hint}; to check a gold file without systems, use `validate`"
    return refuse(gold, empty("run beside gold", expected, hint))


def no_gold_labels(path: str, line: int | None = None) -> InputError:
    """The error for gold without a column of labels."""
    hint = f"name the column of labels with {setting('label_column')}"
    return refuse((path, line), empty("gold labels", "a column 'label' or 'gold'", hint))


def no_system_column(path: str, line: int | None = None) -> InputError:
    """The error for a run without a column of predictions."""
    return refuse((path, line), empty("column of a system", "a column of predictions"))


def check_names(systems: Sequence[tuple[str, str]]) -> None:
    """Reject systems of the same name; systems: names and paths."""
    times = Counter(name for name, _ in systems)
    same = [(name, path) for name, path in systems if times[name] > 1]
    if same:
        raise same_names(same, hint="rename the column, or name the system as in name=path")


# Alone, 'none' is a class of stances.
_MISSING_WORDS = frozenset(map(str.casefold, MISSING_WORDS)) - {"none"} | {"nil", "-", "?"}


class _Reading:
    """Reads files with the reader of a task; collects their problems in `problems`, but for those of other systems."""

    def __init__(
        self, task: LabelTask, columns: Columns, problems: Gathered, files: SourceFiles, policies: Policies
    ) -> None:
        self.task = task
        self.columns = columns
        self.problems = problems
        self.files = files
        self.systems = policies.systems
        self.renaming = Renaming(policies.map_labels)
        self.notes: list[str] = []
        self.itself: list[RawLabels] = []

    def gold(self, path: str) -> tuple[RawLabels, tuple[RawLabels, ...]]:
        """The gold labels, and the systems beside them in a wide file."""
        content = self._read(path, "gold")
        self.problems.keep(*content.faults)
        if content.gold is None:
            raise no_gold_labels(path, 1)
        beside = () if content.runs == (content.gold,) else content.runs
        return content.gold, tuple(replace(run, system=run.system or system_name(path)) for run in beside)

    def runs(self, file: RunFile, gold: RawLabels | None) -> list[RawLabels]:
        """The runs of a file with their systems; gold labels beside them that differ from gold are an `InputError`."""
        content = self._read(file.path, "run")
        runs = content.runs
        if file.is_named and len(runs) > 1:
            raise one_name_for_several(file, file.path, len(runs), line=1)
        if not runs:
            raise no_system_column(file.path, 1)
        result = [replace(run, system=file.system if file.is_named or not run.system else run.system) for run in runs]
        if any(self.systems.keeps(run.system) for run in result):
            self.problems.keep(*content.faults, runs=[run.system for run in result])
            if gold is not None and content.gold is not None and runs != (content.gold,):
                _check_gold_of_run(gold, content.gold)
        if gold is not None and not file.is_named and runs == (content.gold,) and is_gold(Path(file.path), gold.path):
            self.itself += result
        return result

    def without_gold(self, labels: list[RawLabels]) -> tuple[list[RawLabels], list[str]]:
        """The runs without gold, which a pattern of the shell brings, if there are others; and notes on it."""
        others = [run for run in labels if run not in self.itself]
        left_out = [gold_left_out(run.path) for run in self.itself]
        return (others, left_out) if others else (labels, [f"{run.path}: gold is the only run" for run in self.itself])

    def _read(self, path: str, role: str) -> RawLabelFile:
        source = self.files.open(path, role)
        content = source.labels if isinstance(source, InMemoryLabels) else self.task.read(source, self.columns)
        self.notes += content.notes
        return self.renaming.file(content)


def _check_gold_of_run(gold: RawLabels, run: RawLabels) -> None:
    """Reject gold labels in the file of a run that differ from those of gold."""
    if run.path == gold.path or (run.ids is None) is not (gold.ids is None):
        return
    label_of = dict(zip(range(len(gold.labels)) if gold.ids is None else gold.ids, gold.labels, strict=True))
    names = range(len(run.labels)) if run.ids is None else run.ids
    expected = [label_of.get(name, label) for name, label in zip(names, run.labels, strict=True)]
    different = [row for row, label in enumerate(run.labels) if label and label != expected[row]]
    if different:
        lines = run.lines()
        problems = [
            invalid("gold label", run.labels[row], f"'{shortened(expected[row])}', as in {gold.path}").at(
                run.path, lines[row]
            )
            for row in different
        ]
        raise InputError(problems, hints=[f"correct the labels, or remove the column '{run.column}'"])


def _without_header(gold: RawLabels, run: RawLabels, scale: ClassScale | None) -> RawLabels:
    """A run of bare labels without its first line, if that is one more than gold has and no class."""
    if gold.ids is not None or run.ids is not None or len(run.labels) != len(gold.labels) + 1:
        return run
    if run.labels[0] in (*gold.labels, *run.labels[1:], *(scale.labels if scale else ())):
        return run
    return replace(run, labels=run.labels[1:], lines=lambda: run.lines()[1:])


def check_headers(gold: RawLabels, runs: Sequence[RawLabels], scale: ClassScale | None) -> None:
    """Reject files of bare labels if gold and runs share a first line that is not repeated: it may be a header."""
    if gold.ids is not None or (scale is not None and gold.labels[0] in scale.labels):
        return
    first = gold.labels[0]
    same_beginning = [
        run
        for run in runs
        if run.ids is None
        and run.labels[0] == first
        and run.lines()[0] == gold.lines()[0] == 1
        and first not in run.labels[1:]
        and first not in gold.labels[1:]
    ]
    if same_beginning and len(gold.labels) > 1:
        header = setting("label_column", shortened(first))
        hint = f"if it is a header, use {header}; if it is a label, declare the classes with {setting('labels')}"
        reason = "it may be a header: gold also begins with it, and it is not repeated"
        problem = excluded(f"'{shortened(first)}'", reason, "a label on every line", hint)
        raise InputError([problem.at(run.path, run.lines()[0]) for run in same_beginning])


def _scale_of_gold(gold: RawLabels, drop: Sequence[str], task: LabelTask) -> tuple[ClassScale, str]:
    if task.data_kind is DataKind.NUMBERS:
        labels = sorted(set(gold.labels) - set(drop) - {""})
        numbers = in_numeric_order(labels)
        if len(numbers) > 1:
            return ClassScale(numbers, ordered=True), f"gold has {len(numbers):,} different numbers, from low to high"
        hint = f"declare it from low to high, as in {setting('labels', '<'.join(labels[:12]))}"
        expected = "one, because systems predict numbers"
        raise refuse(gold.path, empty("declared order of the gold classes", expected, hint))
    return scale_of_labels(set(gold.labels), len(gold.labels), gold.path, drop)


def scale_of_labels(occurring: Iterable[str], items: int, path: str, drop: Sequence[str]) -> tuple[ClassScale, str]:
    """The nominal scale of the labels of gold, and a note on it; too few or too many labels are an `InputError`."""
    labels = sorted(set(occurring) - set(drop) - {""})
    check_number_of_labels(len(labels), items, path)
    if len(labels) < 2:
        hint, where = f"declare the classes with {setting('labels')}", "".join(f" '{name}'" for name in labels)
        raise refuse(path, wrong_count(len(labels), "gold label", 2, " or more", where=where, hint=hint))
    scale = ClassScale(tuple(labels))
    order = setting("labels", "low<high")
    note = f"the classes are the labels of gold, without an order: {scale}; declare an order with {order}"
    return scale, note + _doubts(labels)


def check_number_of_labels(labels: int, items: int, path: str) -> None:
    """Reject so many different gold labels that they cannot be classes."""
    if labels > max(20, items // 5):
        where = f" for {pluralize(items, 'item')}"
        column = f"name the column of labels with {setting('label_column')}"
        hint = f"{column}, or declare the classes with {setting('labels')}; for texts use {setting('task', 'texts')}"
        most = max(20, items // 5)
        raise refuse(path, wrong_count(labels, "different label", most, " or fewer classes", where=where, hint=hint))


def doubts_about(scale: ClassScale) -> tuple[str, ...]:
    """A note on declared classes that may be one, or a sign of a missing label."""
    doubts = _doubts(scale.labels)
    return (f"declared classes: {scale}{doubts}",) if doubts else ()


def _doubts(labels: Sequence[str]) -> str:
    """What may be wrong with labels, for the end of a note: variants of one label, and signs of a missing one."""
    variants = by_form(labels)
    same = [" and ".join(map(quote_name, labels)) for labels in variants.values() if len(labels) > 1]
    words = _MISSING_WORDS | ({"none"} if not _MISSING_WORDS.isdisjoint(variants) else set())
    missing = [repr(label) for form, labels in variants.items() if form in words for label in labels]
    doubts = ""
    if same:
        differ = "differ only in case, blanks, accents, Unicode form or the form of a number"
        doubts = f"; {', '.join(same)} {differ}: are they one class?"
    if missing:
        doubts += f"; does {', '.join(missing)} stand for a missing label?"
    return doubts
