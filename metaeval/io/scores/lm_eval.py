"""Scores of documents in the sample logs of lm-evaluation-harness: `MODEL/samples_TASK_TIME.jsonl`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from metaeval.errors import Problem, empty, invalid, raise_any, refuse, setting, shortened
from metaeval.io.files.delimited import Format, Rows
from metaeval.io.files.json_rows import json_records
from metaeval.io.files.source import Source
from metaeval.io.scores.rows import TIDY_COLUMNS

_NAME = re.compile(r"samples_(?P<task>.+?)(_\d{4}-\d\d-\d\dT[\d.:-]+)?\.jsonl")
_OTHERS = frozenset(
    ["doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"]
    + [f"{key}_hash" for key in ("doc", "prompt", "target")]
)
"""Keys of the log that are not metrics, where it does not list its metrics."""

_LINE = '{"doc_id": …, "filter": …, "metrics": ["acc"], "acc": …}'


def lm_eval_rows(source: Source) -> Rows:
    """The scores of a log as a tidy table with the task of each document.

    The model has the name of the folder of the log. An item is `TASK:DOC_ID`. A metric of a filter is `METRIC/FILTER`.
    """
    path = source.path_or_name
    name = _NAME.fullmatch(Path(path).name.removesuffix(".gz"))
    if name is None:
        expected = "samples_TASK_TIME.jsonl, in the folder of the model"
        hint = "name the folder of the results of lm-evaluation-harness, or its files samples_*.jsonl"
        raise refuse(path, invalid("name of a file", Path(path).name, expected, hint=hint))
    task, model = name["task"], Path(path).absolute().parent.name
    body: list[list[str]] = []
    lines: list[int] = []
    problems: list[Problem] = []
    for line, record in json_records(source.text(), path, _LINE):
        document = record.get("doc_id")
        if not isinstance(document, (int, str)) or isinstance(document, bool):
            problems.append(empty("doc_id").at(path, line))
            continue
        scores = dict(_scores(record))
        if not scores:
            problems.append(
                empty(f"score of document {document}", f"one for each metric, as in {_LINE}").at(path, line)
            )
        for measure, score in scores.items():
            body.append([measure, model, f"{task}:{document}", score, task])
            lines.append(line)
    raise_any(problems, "the logs have scores where lm-evaluation-harness ran with --log_samples")
    again = "leave out the older logs of a task that was evaluated again, or average the runs of a model"
    layout = Format(
        f"{again}, named as in {model}@1=FILE and {model}@2=FILE",
        "tasks with different metrics are not one table: choose a metric of every task with "
        f"{setting('measures')}, or name the logs of one task",
    )
    return Rows(path, (*TIDY_COLUMNS, "task"), body, lambda: lines, layout)


def _scores(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Measures and scores of a document; a list is no score of a document, as that of corpus BLEU."""
    chosen = record.get("filter")
    suffix = f"/{chosen}" if isinstance(chosen, str) and chosen != "none" else ""
    listed = record.get("metrics")
    names: Sequence[Any] = listed if isinstance(listed, list) else [key for key in record if key not in _OTHERS]
    for name in names:
        score = record.get(name) if isinstance(name, str) else None
        if isinstance(score, (bool, int, float)):
            yield name + suffix, str(+score)
        elif isinstance(listed, list) and (score is None or isinstance(score, str)):
            yield shortened(str(name)) + suffix, score or ""
