"""Tasks: a reader, a scale and the measures that go with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from metaeval.io.files.source import Source
from metaeval.io.labels.fnc1 import read_fnc1
from metaeval.io.labels.raw_labels import Columns, RawLabelFile
from metaeval.io.labels.rumoureval import read_rumoureval2017, read_rumoureval2019
from metaeval.io.labels.tidy import read_labels, read_scores
from metaeval.model.data_kind import DataKind
from metaeval.model.scale import ClassScale
from metaeval.registry import Registry


@dataclass(frozen=True)
class Task:
    """What the files of a task hold and what they are scored with.

    name: as after `--task`. title: for people. material: what systems hand in.
    preset: the measures it is scored with unless others are asked for, None where the data decide.
    """

    name: str
    title: str
    material: DataKind
    preset: str | None = None


@dataclass(frozen=True)
class LabelTask(Task):
    """A task in which items have gold classes.

    read: the reader of its files. scale: its classes, None where the user declares them or gold shows them.
    columns: whether its files have columns that may be called otherwise.
    """

    material: DataKind = DataKind.LABELS
    read: Callable[[Source, Columns], RawLabelFile] = read_labels
    scale: ClassScale | None = None
    columns: bool = False


TASKS: Registry[Task] = Registry("task")
"""Every task, in the order of the documentation."""

_RUMOUR_STANCES = ClassScale(
    ("support", "deny", "query", "comment"),
    # Scarton et al. (2020), §3: what matters to a fact checker weighs more than what is frequent.
    weights=(0.40, 0.40, 0.15, 0.05),
)
_RUMOUR_VERDICTS = ClassScale(("true", "false", "unverified"))

for _task in (
    LabelTask(
        "fnc1",
        "FNC-1, native files: Headline,Body ID,Stance",
        preset="fnc1",
        read=read_fnc1,
        scale=ClassScale(("agree", "disagree", "discuss", "unrelated")),
    ),
    LabelTask(
        "rumoureval2017",
        "RumourEval 2017 subtask A, flat JSON",
        preset="rumour-six",
        read=read_rumoureval2017,
        scale=_RUMOUR_STANCES,
    ),
    LabelTask(
        "rumoureval2019",
        "RumourEval 2019 subtask A, English",
        preset="rumour-six",
        read=partial(read_rumoureval2019, subtask="subtaskaenglish"),
        scale=_RUMOUR_STANCES,
    ),
    LabelTask(
        "rumoureval2019-b",
        "RumourEval 2019 subtask B, English: label and confidence",
        read=partial(read_rumoureval2019, subtask="subtaskbenglish"),
        scale=_RUMOUR_VERDICTS,
    ),
    *(
        LabelTask(
            f"rumoureval2019-{letter}-{language}",
            f"RumourEval 2019 subtask {letter.upper()}, {language.capitalize()}",
            preset="rumour-six" if letter == "a" else None,
            read=partial(read_rumoureval2019, subtask=f"subtask{letter}{language}"),
            scale=_RUMOUR_STANCES if letter == "a" else _RUMOUR_VERDICTS,
        )
        for letter in "ab"
        for language in ("danish", "russian")
    ),
    LabelTask("labels", "tidy, wide or bare files of labels (CSV, TSV, JSON lines, Parquet)", columns=True),
    LabelTask(
        "scores",
        "the same files with a number an item, against ordered gold",
        material=DataKind.NUMBERS,
        preset="numeric",
        read=read_scores,
        columns=True,
    ),
    Task("texts", "summaries, translations …: folders, JSON lines, CSV, ROUGE's settings", DataKind.TEXTS, "rouge"),
    Task("r4c", "derivations, R4C's JSON", DataKind.DERIVATIONS, "r4c"),
    Task("table", "scores of single items that some other tool computed", DataKind.ITEM_SCORES),
):
    TASKS.register(_task.name, _task)
