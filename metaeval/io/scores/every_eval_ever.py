"""Scores of samples in the instance files of Every Eval Ever, schema 0.3: JSON lines `…_samples.jsonl`."""

from __future__ import annotations

from typing import Any

from metaeval.errors import Problem, invalid, raise_any
from metaeval.io.files.delimited import Format, Rows
from metaeval.io.files.json_rows import json_records
from metaeval.io.files.json_text import Pairs, json_cell
from metaeval.io.files.source import Source
from metaeval.io.scores.rows import TIDY_COLUMNS

VERSION = "0.3"
_LINE = (
    '{"schema_version": "0.3.0", "model_id": …, "evaluation_name": …, "sample_id": …, '
    '"evaluation": {"score": …, "is_correct": …}}'
)
_AGAIN = "a model has each sample of an evaluation once: leave out the files of other runs, or average the runs"
_FORMAT = Format(f"{_AGAIN}, named as in tiny@1=FILE and tiny@2=FILE")
_KEYS = ("model_id", "evaluation_name", "sample_id")


def every_eval_ever_rows(source: Source) -> Rows:
    """The measures `score` and `is_correct` of each sample as a tidy table with the name of the evaluation.

    An item is `EVALUATION_NAME:SAMPLE_ID`.
    """
    path = source.path_or_name
    body: list[list[str]] = []
    lines: list[int] = []
    problems: list[Problem] = []
    for line, record in json_records(source.text(), path, _LINE):
        if faults := _faults(record):
            problems += [fault.at(path, line) for fault in faults]
            continue
        model, evaluation, sample = (record[key] for key in _KEYS)
        scores = dict(record["evaluation"])
        for measure in ("score", "is_correct"):
            score = str(+scores[measure])
            body.append([measure, model, f"{evaluation}:{sample}", score, evaluation])
            lines.append(line)
    raise_any(problems, f"a line of an instance file is {_LINE}")
    return Rows(path, (*TIDY_COLUMNS, "evaluation_name"), body, lambda: lines, _FORMAT)


def _faults(record: dict[str, Any]) -> list[Problem]:
    """What is wrong with a line."""
    version = record.get("schema_version")
    if not isinstance(version, str) or version.split(".")[:2] != VERSION.split("."):
        return [invalid("schema_version", "" if version is None else str(version), f"{VERSION}.x")]
    evaluation = record.get("evaluation")
    members = dict(evaluation) if isinstance(evaluation, (Pairs, dict)) else {}
    faults = [
        invalid(key, "" if record.get(key) is None else str(record[key]), "a text")
        for key in _KEYS
        if not isinstance(record.get(key), str) or not record[key]
    ]
    if not isinstance(members.get("score"), (int, float)) or isinstance(members.get("score"), bool):
        faults.append(invalid("evaluation.score", json_cell(members.get("score")) or "", "a number"))
    if not isinstance(members.get("is_correct"), bool):
        faults.append(invalid("evaluation.is_correct", json_cell(members.get("is_correct")) or "", "true or false"))
    return faults
