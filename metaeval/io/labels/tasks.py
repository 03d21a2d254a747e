"""Tasks: a reader, a scale and the measures that go with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from metaeval.io.files.delimited import Rows
from metaeval.io.files.source import Source
from metaeval.io.labels.columns import Columns, RawLabelFile
from metaeval.io.labels.shared_tasks import read_fnc1, read_rumoureval2017, read_rumoureval2019
from metaeval.io.labels.tidy import read_labels
from metaeval.model.runs import DataKind
from metaeval.model.scale import ClassScale
from metaeval.registry import Registry

ReadRows = Callable[[Source], Rows]


@dataclass(frozen=True)
class Task:
    """The files of a task and the measures that score them.

    name: value of the setting `task`. data_kind: the kind of system outputs. preset: the default measures; None if they
    depend on the data.
    """

    name: str
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
    """A task whose files have scores of items or systems.

    rows: turns a file into a table; None for files of tables. example: contents of a small set of files by their paths,
    whose first parts are what a user names; tests read them as they are, written otherwise and broken.
    """

    data_kind: DataKind = DataKind.ITEM_SCORES
    rows: ReadRows | None = None
    example: Mapping[str, str] = field(default_factory=dict)


TASKS: Registry[Task] = Registry("task", "metaeval.io.scores:register_formats")
"""Every task; formats of scores are imported when they may be meant, because most commands read labels."""


def score_format(name: str, example: Mapping[str, str]) -> Callable[[ReadRows], ReadRows]:
    """Declare a function from a file to a table as the reader of a format of scores; see `ScoreTask`."""

    def declare(rows: ReadRows) -> ReadRows:
        TASKS.register(name, ScoreTask(name, rows=rows, example=example))
        return rows

    return declare


_RUMOUR_STANCES = ClassScale(
    ("support", "deny", "query", "comment"),
    # Scarton et al. (2020), §3: classes that matter to a fact checker weigh more than frequent ones.
    weights=(0.40, 0.40, 0.15, 0.05),
)
_RUMOUR_VERDICTS = ClassScale(("true", "false", "unverified"))

for _task in (
    LabelTask("fnc1", preset="fnc1", read=read_fnc1, scale=ClassScale(("agree", "disagree", "discuss", "unrelated"))),
    LabelTask("rumoureval2017", preset="rumour-six", read=read_rumoureval2017, scale=_RUMOUR_STANCES),
    LabelTask(
        "rumoureval2019", preset="rumour-six",
        read=partial(read_rumoureval2019, subtask="subtaskaenglish"), scale=_RUMOUR_STANCES,
    ),
    LabelTask(
        "rumoureval2019-b", read=partial(read_rumoureval2019, subtask="subtaskbenglish"), scale=_RUMOUR_VERDICTS,
    ),
    *(
        LabelTask(
            f"rumoureval2019-{letter}-{language}",
            preset="rumour-six" if letter == "a" else None,
            read=partial(read_rumoureval2019, subtask=f"subtask{letter}{language}"),
            scale=_RUMOUR_STANCES if letter == "a" else _RUMOUR_VERDICTS,
        )
        for letter in "ab"
        for language in ("danish", "russian")
    ),
    LabelTask("labels", columns=True),
    LabelTask(
        "scores", data_kind=DataKind.NUMBERS, preset="numeric", read=partial(read_labels, numeric=True), columns=True,
    ),
    Task("texts", DataKind.TEXTS, "rouge"),
    Task("r4c", DataKind.DERIVATIONS, "r4c"),
    Task("distributions", DataKind.DISTRIBUTIONS),
    ScoreTask("table"),
):  # fmt: skip
    TASKS.register(_task.name, _task)
