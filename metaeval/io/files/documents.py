"""JSON documents that are no rows: objects of columns, and exports of tools for annotation.

columns        {"id": [1, 2], "subset": ["a", "b"], "model": "m"}                     a row for each position
Label Studio   [{"id": 1, "annotations": [{"completed_by": 7, "result": […]}, …]}]    a row for each annotation
doccano        {"id": 1, "annotations": [{"user": 7, "label": "pos"}, …]}             the same, in older versions
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from metaeval.errors import Problem, no_rows, pluralize, refuse
from metaeval.io.files.delimited import NO_FORMAT, Format, Rows
from metaeval.io.files.json import cell_of, json_records, parse_json
from metaeval.io.files.source import Lines

Object: TypeAlias = Mapping[str, Any]

_ANNOTATIONS = ("annotations", "completions")
_ANNOTATORS = ("completed_by", "created_username", "user")
_VALUES = ("choices", "rating", "number")
"""The kinds of results of Label Studio that are labels of a whole item."""
_COLUMNS = re.compile(r'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\[(?=[^{]*\}\s*\Z)')
"""An object whose first member is a list, and which has no objects."""


def document_rows(text: str, path: str) -> Rows | None:
    """The rows of an object of columns, or of objects with lists of annotations; None for any other text."""
    if any(f'"{key}"' in text for key in _ANNOTATIONS):
        records = list(json_records(text, path, '{"id": …, "annotations": […]}'))
        tasks = [task for _, task in records]
        annotations = [entries for entries in map(_annotations, tasks) if entries is not None]
        if len(annotations) == len(tasks):
            return _rows_of_annotations(tasks, annotations, path, [line for line, _ in records].copy)
    if _COLUMNS.match(text) and isinstance(document := parse_json(text, path), dict):
        rows = _columns(document)
        return _rows(rows, path, partial(range, 1, len(rows) + 1)) if rows else None
    return None


def _columns(columns: Object) -> list[Object]:
    """The rows of an object with lists of one length, beside which other values hold for all rows; else none."""
    lists = {key: value for key, value in columns.items() if isinstance(value, list)}
    sizes = set(map(len, lists.values()))
    return [{**columns, **{key: lists[key][row] for key in lists}} for row in range(*sizes)] if len(sizes) == 1 else []


def _rows(objects: Sequence[Object], path: str, lines: Lines, format_: Format = NO_FORMAT) -> Rows:
    """A row for each object; the keys of all are the columns."""
    keys = dict.fromkeys(key for record in objects for key in record)
    return Rows(path, {key: [cell_of(record.get(key)) for record in objects] for key in keys}, lines, format_)


def _annotations(task: Object) -> list[Object] | None:
    """The annotations of a task; None for an object without a list of them."""
    annotations = next((task[key] for key in _ANNOTATIONS if key in task), None)
    is_list = isinstance(annotations, list) and all(isinstance(annotation, dict) for annotation in annotations)
    return annotations if is_list else None


def _rows_of_annotations(
    tasks: Sequence[Object], annotations: Sequence[Sequence[Object]], path: str, lines: Lines
) -> Rows:
    """A row for each annotation that was not skipped: its task, its annotator, and the value of each field."""
    others: dict[str, str] = {}
    every = [(row, entry) for row, entries in enumerate(annotations) for entry in entries]
    remaining = [(row, entry) for row, entry in every if not entry.get("was_cancelled")]
    objects = [{"id": tasks[row].get("id"), **_annotator(entry), **_values(entry, others)} for row, entry in remaining]
    fields = list(dict.fromkeys(key for entry in objects for key in entry if key not in ("id", "annotator")))
    left_out = ", ".join(f"{field} ({kind})" for field, kind in others.items())
    if not fields:
        if not left_out:
            raise refuse(path, no_rows("tasks without annotations"))
        expected, hint = f"fields of {', '.join(_VALUES)}", "export labels of whole items, such as choices"
        raise refuse(path, Problem(f"annotations of {left_out} only", expected, kind="missing", hint=hint))
    notes = []
    if len(remaining) < len(every):
        notes.append(f"{path}: {pluralize(len(every) - len(remaining), 'skipped annotation')} left out")
    if others:
        notes.append(f"{path}: fields that are no label of a whole item are left out: {left_out}")
    format_ = Format(
        if_repeated="an annotator annotated a task twice: remove one of both, or export one of them",
        label=fields[0] if len(fields) == 1 else "",
        notes=tuple(notes),
    )
    return _rows(objects, path, lambda: [lines()[row] for row, _ in remaining], format_)


def _annotator(annotation: Object) -> Object:
    """The annotator, whom exports with expanded users describe by an object."""
    annotator = next((annotation[key] for key in _ANNOTATORS if annotation.get(key) is not None), None)
    if isinstance(annotator, dict):
        annotator = next(filter(None, map(annotator.get, ("email", "username", "id"))), None)
    return {} if annotator is None else {"annotator": annotator}


def _values(annotation: Object, others: dict[str, str]) -> dict[str, Any]:
    """The values of each field; fields of other kinds are added to `others`."""
    if "result" not in annotation:
        if "start_offset" in annotation:
            others["label"] = "spans"
        return {"label": annotation.get("label")} if "start_offset" not in annotation else {}
    values: dict[str, Any] = {}
    for result in (entry for entry in annotation["result"] if isinstance(entry, dict)):
        field, kind = str(result.get("from_name")), str(result.get("type"))
        if kind not in _VALUES:
            others[field] = kind
            continue
        value = result["value"].get(kind) if isinstance(result.get("value"), dict) else None
        values.setdefault(field, []).extend(value if isinstance(value, list) else [value])
    return values
