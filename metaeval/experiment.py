"""The use cases: read, score, analyse, report. The only module that knows everyone."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from metaeval import __version__
from metaeval.config import DataConfig, ExperimentConfig, ScoreConfig
from metaeval.errors import ConfigError, InputError
from metaeval.io.columns import Columns
from metaeval.io.dataset import Dataset, Track, read_dataset
from metaeval.io.policies import Policies
from metaeval.io.run_files import RunFile
from metaeval.io.tasks import TASKS, Task
from metaeval.measures import REGISTRY, Measure, measure, preset
from metaeval.measures.explain import explain
from metaeval.model.labels import LabelledRuns, NumericRuns
from metaeval.model.report import Cell, Column, Kind, Provenance, Report, Table, signature
from metaeval.model.scale import ClassScale
from metaeval.model.scores import ScoreCube
from metaeval.scoring.labels import score_labels
from metaeval.scoring.numeric import check_reads_numbers, score_numbers
from metaeval.scoring.trivial import with_trivial_systems
from metaeval.stats.rank import competition_ranks

Item = TypeVar("Item")


def silently(items: Sequence[Item], doing: str) -> Iterable[Item]:  # noqa: ARG001 (the shape of a `Track`)
    """The `Track` that shows nothing."""
    return items


@dataclass(frozen=True)
class Study:
    """A data set and the measures it is scored with: what every analysis begins with."""

    config: ExperimentConfig
    dataset: Dataset
    measures: tuple[Measure, ...]

    @property
    def runs(self) -> LabelledRuns | NumericRuns:
        """The data set's runs."""
        return self.dataset.runs

    def report(self, command: str, tables: Sequence[Table], notes: Sequence[str], *, command_line: str) -> Report:
        """A report with the signature and the provenance of this study."""
        config = (self.config.file,) if self.config.file else ()
        return Report(
            command,
            signature(__version__, _signature_fields(self)),
            tuple(tables),
            (*self.dataset.notes, *notes),
            Provenance(
                __version__,
                command_line,
                (*self.dataset.files, *config),
                {"python": platform.python_version(), "numpy": np.__version__},
                dict(_signature_fields(self)),
                self.dataset.touched,
            ),
        )


def read_study(config: ExperimentConfig, *, track: Track[RunFile] = silently) -> Study:
    """Read the data of an experiment and settle its measures; raises `InputError` for whatever is wrong."""
    data = config.data
    if data.gold is None:
        raise InputError.at(
            config.file.path if config.file else None,
            found="no gold",
            expected="a file of gold labels",
            hint="name it with --gold, or as 'gold:' under 'data:' in the config",
        )
    task = TASKS[data.task]
    dataset = read_dataset(
        data.gold,
        data.runs,
        task=task,
        scale=_declared_scale(data, task),
        columns=Columns(data.id_column, data.label_column),
        policies=Policies(data.on_missing, data.on_unknown, data.on_extra == "drop", data.drop_gold),
        track=track,
    )
    scale = _with_numbers(dataset.runs.scale, data)
    dataset = replace(dataset, runs=replace(dataset.runs, scale=scale))
    return Study(config, dataset, _measures(config, task, scale))


def _declared_scale(data: DataConfig, task: Task) -> ClassScale | None:
    """The scale that the user declared, else the task's; a task's weights stay with its classes."""
    if data.labels is None or task.scale is None:
        return data.labels or task.scale
    if task.scale.weights is not None and set(data.labels.labels) == set(task.scale.labels):
        return data.labels.with_weights(dict(zip(task.scale.labels, task.scale.weights, strict=True)))
    return data.labels


def _with_numbers(scale: ClassScale, data: DataConfig) -> ClassScale:
    if data.class_weights is not None:
        scale = scale.with_weights(data.class_weights)
    return scale.with_values(data.class_values) if data.class_values is not None else scale


def _measures(config: ExperimentConfig, task: Task, scale: ClassScale) -> tuple[Measure, ...]:
    """The measures asked for, of `-m` and `--preset`; with neither those of the task, or those its scale calls for."""
    wanted = [*config.measures, *(preset(config.preset, scale) if config.preset is not None else ())]
    if not wanted:
        wanted = [*preset(_preset_of(task, scale), scale)]
    if config.preset == "all" and task.numeric:
        wanted = [candidate for candidate in wanted if candidate.reads_numbers]
    return tuple(dict.fromkeys(wanted))


def _preset_of(task: Task, scale: ClassScale) -> str:
    if task.preset and (task.scale is None or (not scale.ordered and set(scale.labels) == set(task.scale.labels))):
        return task.preset
    return "stance-nine" if scale.ordered else "nominal"


def _signature_fields(study: Study) -> list[tuple[str, str | int]]:
    data, runs = study.config.data, study.runs
    fields: list[tuple[str, str | int]] = [
        ("task", data.task),
        ("n", len(runs.items)),
        ("systems", len(runs.systems)),
        ("scale", str(runs.scale)),
    ]
    optional = {
        "weights": _numbers_of(runs.scale, runs.scale.weights),
        "values": _numbers_of(runs.scale, runs.scale.values),
        "drop-gold": ",".join(data.drop_gold),
        "on-missing": str(data.on_missing) if data.on_missing.action != "error" else "",
        "on-unknown": str(data.on_unknown) if data.on_unknown.action != "error" else "",
        "on-extra": data.on_extra if data.on_extra != "error" else "",
        "trivial": "yes" if study.config.score and study.config.score.trivial else "",
    }
    fields += [(name, value) for name, value in optional.items() if value]
    return [*fields, ("seed", study.config.seed)]


def _numbers_of(scale: ClassScale, numbers: Sequence[float] | None) -> str:
    return ",".join(f"{label}={number:g}" for label, number in zip(scale.labels, numbers or (), strict=False))


def score(config: ExperimentConfig, *, command_line: str = "", track: Track[RunFile] = silently) -> Report:
    """Every system under every measure, with ranks.

    Table `scores`: system, a column a measure, and with trivial systems the flag `trivial`. Table `ranks`: the same
    columns with places from 1, ties sharing the lowest.
    """
    study = read_study(config, track=track)
    tables, notes = _score_tables(study)
    return study.report("score", tables, notes, command_line=command_line)


def _score_tables(study: Study) -> tuple[list[Table], list[str]]:
    wanted = study.config.score or ScoreConfig()
    runs = with_trivial_systems(study.runs, seed=study.config.seed) if wanted.trivial else study.runs
    cube = score_runs(runs, study.measures)
    ranks = competition_ranks(cube.oriented().values)
    order = _order_of_systems(cube, wanted.sort_by)
    flags = [[name in runs.trivial] if wanted.trivial else [] for name in runs.systems]
    flag_column = [Column("trivial", Kind.FLAG)] if wanted.trivial else []

    def table(name: str, title: str, columns: Sequence[Column], cells: Sequence[Sequence[Cell]]) -> Table:
        rows = tuple((cube.systems[place], *cells[place], *flags[place]) for place in order)
        return Table(name, title, (Column("system"), *columns, *flag_column), rows)

    title = f"{_counted(len(study.runs.systems), 'system')} on {_counted(len(runs.items), 'item')}"
    scores = table(
        "scores",
        f"{title}: score (rank)",
        [
            Column(name, Kind.SCORE, higher_is_better=better.sign > 0)
            for name, better in zip(cube.measures, cube.directions, strict=True)
        ],
        cube.values.T.tolist(),
    )
    beside = table("ranks", f"{title}: ranks", [Column(name, Kind.COUNT) for name in cube.measures], ranks.T.tolist())
    return [replace(scores, beside=beside)], _undefined_notes(cube)


def _counted(number: int, noun: str) -> str:
    """`1 system`, `1,000 systems`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def check_measures(study: Study) -> None:
    """Raise where a measure that was asked for can't be computed on these runs: an `InputError` or `UnknownName`."""
    for wanted in study.measures:
        if isinstance(study.runs, NumericRuns):
            check_reads_numbers(wanted)
        wanted.check(study.runs.scale)


def score_runs(runs: LabelledRuns | NumericRuns, measures: Sequence[Measure]) -> ScoreCube:
    """Systems under measures, whatever they predict; values (M, S)."""
    return score_numbers(runs, measures) if isinstance(runs, NumericRuns) else score_labels(runs, measures)


def _order_of_systems(cube: ScoreCube, sort_by: str | None) -> list[int]:
    """Places of the systems as rows: by a measure, best first and undefined last, or by name."""
    if sort_by == "system":
        return sorted(range(len(cube.systems)), key=lambda place: cube.systems[place])
    place = 0
    if sort_by:
        shown = [measure(name) for name in cube.measures]
        if measure(sort_by) not in shown:
            raise InputError.at(
                found=f"rows sorted by '{sort_by}', which is not in the table",
                expected=f"system, or one of {', '.join(cube.measures)}",
                hint=f"add it with -m {sort_by}",
            )
        place = shown.index(measure(sort_by))
    better = cube.oriented().values[place]
    return [int(system) for system in np.argsort(-better, kind="stable")]


def _undefined_notes(cube: ScoreCube) -> list[str]:
    return [
        f"{name} is undefined (—) for {undefined} of {_counted(len(cube.systems), 'system')}, ranked last"
        for name, undefined in zip(cube.measures, cube.undefined.tolist(), strict=True)
        if undefined
    ]


def validate(config: ExperimentConfig, *, command_line: str = "", track: Track[RunFile] = silently) -> Report:
    """Read everything, compute nothing, and say what is there.

    Table `files`: gold and each system, with its file and how often each class occurs; for numeric predictions the
    lowest, the mean and the highest number.
    """
    study = read_study(config, track=track)
    check_measures(study)
    runs, data = study.runs, study.config.data
    scale = runs.scale
    gold = ("gold", str(data.gold), len(runs.items))
    if isinstance(runs, NumericRuns):
        columns = [Column(name, Kind.SCORE) for name in ("lowest", "mean", "highest")]
        rows = [
            (name, path, len(runs.items), float(numbers.min()), float(numbers.mean()), float(numbers.max()))
            for name, path, numbers in zip(runs.systems, study.dataset.paths, runs.predicted, strict=True)
        ]
        title = f"Gold ({_frequencies(runs)}) and {_counted(len(rows), 'system')} of numbers"
        table_rows: list[tuple[Cell, ...]] = [(*gold, None, None, None), *rows]
    else:
        taken = ("system", "file", "items")
        columns = [Column(f"class {label}" if label in taken else label, Kind.COUNT) for label in scale.labels]
        table_rows = [
            (*head, *np.bincount(codes, minlength=len(scale)).tolist())
            for head, codes in (
                (gold, runs.gold),
                *(
                    ((name, path, len(runs.items)), codes)
                    for name, path, codes in zip(runs.systems, study.dataset.paths, runs.predicted, strict=True)
                ),
            )
        ]
        title = f"Gold and {_counted(len(runs.systems), 'system')} fit together: how often each class occurs"
    head = (Column("system"), Column("file"), Column("items", Kind.COUNT))
    table = Table("files", title, (*head, *columns), tuple(table_rows))
    return study.report("validate", [table], [], command_line=command_line)


def _frequencies(runs: NumericRuns) -> str:
    counts = np.bincount(runs.gold, minlength=len(runs.scale)).tolist()
    return ", ".join(f"{label} {count}" for label, count in zip(runs.scale.labels, counts, strict=True))


def run(config: ExperimentConfig, *, command_line: str = "", track: Track[RunFile] = silently) -> Report:
    """Every analysis that an experiment file has a section for, in one report."""
    if config.score is None:
        raise ConfigError(
            config.file.path if config.file else None,
            "",
            found="no analysis to run",
            expected="a section 'score:'",
            hint="add 'score: {}' for a table of systems and measures",
        )
    study = read_study(config, track=track)
    tables, notes = _score_tables(study)
    return study.report("run", tables, notes, command_line=command_line)


def measures(name: str | None = None, *, command_line: str = "") -> Report:
    """Every measure in a line each (table `measures`), or all that is known about one (table `measure`)."""
    if name is None:
        columns = ("name", "title", "better", "uses", "parameters")
        rows = [
            (
                declaration.name,
                declaration.title,
                declaration.better.value,
                measure(declaration.name).scale_type.value,
                " ".join(f"{each.name}={each.format(each.default)}" for each in declaration.parameters),
            )
            for declaration in REGISTRY.values()
        ]
        title = f"{len(rows)} measures of labels; `metaeval measures NAME` explains one"
        table = Table("measures", title, tuple(Column(column) for column in columns), tuple(rows))
    else:
        declaration = measure(name).declaration
        rows_of_one = tuple((heading.lower(), text) for heading, text in explain(declaration))
        title = f"{declaration.name}: {declaration.title}"
        table = Table("measure", title, (Column("aspect"), Column("explanation")), rows_of_one)
    line = signature(__version__, [("measures", name or len(REGISTRY))])
    return Report("measures", line, (table,), (), Provenance(__version__, command_line))
