"""Tasks: a reader, a scale and the measures that go with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from metaeval.io.answers import AnswerFile
from metaeval.io.columns import Columns
from metaeval.io.fnc1 import read_fnc1
from metaeval.io.rumoureval import read_rumoureval2017, read_rumoureval2019
from metaeval.io.source import Source
from metaeval.io.tidy import read_labels, read_scores
from metaeval.model.scale import ClassScale
from metaeval.registry import Registry


@dataclass(frozen=True)
class Task:
    """How the files of a task are read and what they are scored with.

    name: as after `--task`. title: for people. read: the reader of its files.
    scale: its classes, None where the user declares them or gold shows them.
    preset: the measures it is scored with unless others are asked for, None where the scale decides.
    numeric: whether systems predict numbers.
    """

    name: str
    title: str
    read: Callable[[Source, Columns], AnswerFile]
    scale: ClassScale | None = None
    preset: str | None = None
    numeric: bool = False


TASKS: Registry[Task] = Registry("task")
"""Every task, in the order of the documentation."""

_RUMOUR_STANCES = ClassScale(
    ("support", "deny", "query", "comment"),
    # Scarton et al. (2020), §3: what matters to a fact checker weighs more than what is frequent.
    weights=(0.40, 0.40, 0.15, 0.05),
)
_RUMOUR_VERDICTS = ClassScale(("true", "false", "unverified"))

for _task in (
    Task(
        "fnc1",
        "FNC-1, native files: Headline,Body ID,Stance",
        read_fnc1,
        ClassScale(("agree", "disagree", "discuss", "unrelated")),
        "fnc1",
    ),
    Task("rumoureval2017", "RumourEval 2017 subtask A, flat JSON", read_rumoureval2017, _RUMOUR_STANCES, "rumour-six"),
    Task(
        "rumoureval2019",
        "RumourEval 2019 subtask A, English",
        partial(read_rumoureval2019, subtask="subtaskaenglish"),
        _RUMOUR_STANCES,
        "rumour-six",
    ),
    Task(
        "rumoureval2019-b",
        "RumourEval 2019 subtask B, English: label and confidence",
        partial(read_rumoureval2019, subtask="subtaskbenglish"),
        _RUMOUR_VERDICTS,
    ),
    *(
        Task(
            f"rumoureval2019-{letter}-{language}",
            f"RumourEval 2019 subtask {letter.upper()}, {language.capitalize()}",
            partial(read_rumoureval2019, subtask=f"subtask{letter}{language}"),
            _RUMOUR_STANCES if letter == "a" else _RUMOUR_VERDICTS,
            "rumour-six" if letter == "a" else None,
        )
        for letter in "ab"
        for language in ("danish", "russian")
    ),
    Task("labels", "tidy, wide or bare files of labels (CSV, TSV, JSON lines, Parquet)", read_labels),
    Task("scores", "the same files with a number an item, against ordered gold", read_scores, None, "numeric", True),
):
    TASKS.register(_task.name, _task)
