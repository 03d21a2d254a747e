"""Tasks: a reader, a scale and the measures that go with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from metaeval.io.files.delimited import Rows
from metaeval.io.files.source import Source
from metaeval.io.labels.columns import Columns, RawLabelFile
from metaeval.io.labels.shared_tasks import read_fnc1, read_rumoureval2017, read_rumoureval2019
from metaeval.io.labels.tidy import read_labels, read_scores
from metaeval.model.runs import DataKind
from metaeval.model.scale import ClassScale
from metaeval.registry import Registry, load


@dataclass(frozen=True)
class Task:
    """The files of a task and the measures that score them.

    name: value of the setting `task`. title: description for readers. data_kind: the kind of system outputs.
    preset: the default measures; None if they depend on the data.
    """

    name: str
    title: str
    data_kind: DataKind
    preset: str | None = None


@dataclass(frozen=True)
class LabelTask(Task):
    """A task in which items have gold classes.

    read: the reader of its files. scale: its classes; None if the user declares them or they are inferred from gold.
    columns: whether the user may name the columns of its files.
    """

    data_kind: DataKind = DataKind.LABELS
    read: Callable[[Source, Columns], RawLabelFile] = read_labels
    scale: ClassScale | None = None
    columns: bool = False


@dataclass(frozen=True)
class ScoreTask(Task):
    """A task whose files have scores of single items. rows: turns a file into a table; None for files of tables."""

    data_kind: DataKind = DataKind.ITEM_SCORES
    rows: Callable[[Source], Rows] | None = None


def _rows(tool: str, source: Source) -> Rows:
    """Scores of another tool; its reader is imported only here, because most commands read labels."""
    read: Callable[[Source], Rows] = load("metaeval.io.scores.formats", f"{tool}_rows")
    return read(source)


TASKS: Registry[Task] = Registry("task")
"""Every task, in the order of the documentation."""

_RUMOUR_STANCES = ClassScale(
    ("support", "deny", "query", "comment"),
    # Scarton et al. (2020), §3: classes that matter to a fact checker weigh more than frequent ones.
    weights=(0.40, 0.40, 0.15, 0.05),
)
_RUMOUR_VERDICTS = ClassScale(("true", "false", "unverified"))

for _task in (
    LabelTask(
        "fnc1", "FNC-1, native files: Headline,Body ID,Stance", preset="fnc1", read=read_fnc1,
        scale=ClassScale(("agree", "disagree", "discuss", "unrelated")),
    ),
    LabelTask(
        "rumoureval2017", "RumourEval 2017 subtask A, flat JSON", preset="rumour-six", read=read_rumoureval2017,
        scale=_RUMOUR_STANCES,
    ),
    LabelTask(
        "rumoureval2019", "RumourEval 2019 subtask A, English", preset="rumour-six",
        read=partial(read_rumoureval2019, subtask="subtaskaenglish"), scale=_RUMOUR_STANCES,
    ),
    LabelTask(
        "rumoureval2019-b", "RumourEval 2019 subtask B, English: label and confidence",
        read=partial(read_rumoureval2019, subtask="subtaskbenglish"), scale=_RUMOUR_VERDICTS,
    ),
    *(
        LabelTask(
            f"rumoureval2019-{letter}-{language}", f"RumourEval 2019 subtask {letter.upper()}, {language.capitalize()}",
            preset="rumour-six" if letter == "a" else None,
            read=partial(read_rumoureval2019, subtask=f"subtask{letter}{language}"),
            scale=_RUMOUR_STANCES if letter == "a" else _RUMOUR_VERDICTS,
        )
        for letter in "ab"
        for language in ("danish", "russian")
    ),
    LabelTask("labels", "tidy, wide or bare files of labels (CSV, TSV, JSON lines, Parquet)", columns=True),
    LabelTask(
        "scores", "the same files with a number for each item, and ordered gold classes", data_kind=DataKind.NUMBERS,
        preset="numeric", read=read_scores, columns=True,
    ),
    Task(
        "texts", "summaries, translations, …: folders, JSON lines, CSV or the settings file of ROUGE-1.5.5",
        DataKind.TEXTS, "rouge",
    ),
    Task("r4c", "derivations in the JSON of R4C", DataKind.DERIVATIONS, "r4c"),
    Task("distributions", "distributions over classes: a column for each, or votes of raters", DataKind.DISTRIBUTIONS),
    ScoreTask("table", "scores of single items that another tool computed"),
    *(
        ScoreTask(tool.replace("_", "-"), title, rows=partial(_rows, tool))
        for tool, title in {
            "mtme": "a folder of mt-metrics-eval: human-scores, metric-scores and documents",
            "trec": "scores of topics, as trec_eval -q and ir_measures -q print them",
            "lm_eval": "sample logs of lm-evaluation-harness: MODEL/samples_TASK_TIME.jsonl",
            "every_eval_ever": "instance files of Every Eval Ever, schema 0.3",
        }.items()
    ),
):  # fmt: skip
    TASKS.register(_task.name, _task)
