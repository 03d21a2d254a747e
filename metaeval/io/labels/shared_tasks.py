"""FNC-1 and RumourEval in their native forms, for gold and for submissions.

A pair is identified by headline and body id. 242 pairs of the official test set occur twice: the k-th row of a pair is
the prediction for the k-th row of the same pair in gold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

from metaeval.errors import (
    Gathered,
    InputError,
    invalid,
    missing_column,
    missing_key,
    raise_any,
    refuse,
    repeated,
    setting,
    wrong_type,
)
from metaeval.io.files.columns import TableColumns
from metaeval.io.files.delimited import read_rows
from metaeval.io.files.json import JsonObject, kind_of, lines_of_members, parse_json
from metaeval.io.files.roles import GOLD, PREDICTION
from metaeval.io.files.source import Lines, Source
from metaeval.io.forms import canonical_number
from metaeval.io.labels.columns import Columns, RawLabelFile, RawLabels, repeated_ids

HEADER = ("Headline", "Body ID", "Stance")


def read_fnc1(source: Source, _columns: Columns) -> RawLabelFile:
    """The stances of a native FNC-1 file; beside a column of predictions, those of a run are gold.

    A header without the three official names, or a row that is too short, is an `InputError`.
    """
    table = TableColumns(read_rows(source))
    missing = [name for name in HEADER if name not in table.header]
    if missing:
        hint = f"for a file with an id and a label in each row, use {setting('task', 'labels')}"
        raise InputError([missing_column(table.header, name, hint).at(table.path, 1) for name in missing])
    headlines, body_ids = map(table.texts, HEADER[:2])
    wrong = [row for row, body_id in enumerate(body_ids) if not body_id.isdigit()]
    for row in wrong:
        table.reject(row, invalid("body id", body_ids[row], "a whole number"))
    hint = "check the quotes around headlines that contain commas or quotes"
    if all(canonical_number(body_ids[row]).isdigit() for row in wrong):
        hint = "write them as whole numbers: 1.0 is of a column of floats, as pandas writes it"
    table.raise_any(hint)
    ids = _ids(headlines, body_ids)
    prediction = None if source.role == "gold" else table.find(PREDICTION)

    def labels(name: str, column: str = "") -> RawLabels:
        return RawLabels(table.path, "", ids, table.texts(name), table.rows.lines, column=column)

    if prediction is None:
        stances = labels(HEADER[2])
        return RawLabelFile(stances, (stances,))
    gold, run = labels(HEADER[2], column=HEADER[2]), labels(prediction)
    table.roles[GOLD] = HEADER[2]
    return RawLabelFile(gold, (run,), notes=table.notes())


def _ids(headlines: Sequence[str], body_ids: Sequence[str]) -> list[str]:
    """`body id: headline`, with ` (2)` for the second occurrence of a pair."""
    ids = [f"{body_id}: {headline}" for headline, body_id in zip(headlines, body_ids, strict=True)]
    times: Counter[str] = Counter()
    for row, name in enumerate(ids):
        times[name] += 1
        if times[name] > 1:
            ids[row] = f"{name} ({times[name]})"
    return ids


_FLAT = 'a flat object {"id": "label", …}'


def read_rumoureval2017(source: Source, _columns: Columns) -> RawLabelFile:
    """Labels of subtask A: a flat object `{id: label}`."""
    text, path = source.text(), source.path_or_name
    parsed = parse_json(text, path)
    if not isinstance(parsed, JsonObject) or not parsed:
        raise refuse((path, 1), wrong_type(kind_of(parsed), "", _FLAT))
    if any(isinstance(value, dict) for value in parsed.values()):
        keys = ", ".join(map(repr, list(parsed)[:3]))
        hint = f"for the files of 2019 use {setting('task', 'rumoureval2019')}"
        raise refuse((path, 1), wrong_type("objects", f" under {keys}", _FLAT, hint))
    return _labels(parsed, text, path, within="")


def read_rumoureval2019(source: Source, _columns: Columns, *, subtask: str) -> RawLabelFile:
    """Labels of one subtask: `{"subtaskaenglish": {id: label}, "subtaskbenglish": {id: [label, confidence]}, …}`.

    subtask: the key, such as 'subtaskaenglish'. Gold of subtask B has only labels; the confidence of a system, in
    [0, 1], is checked and not used, because no measure of labels uses it.
    """
    text, path = source.text(), source.path_or_name
    parsed = parse_json(text, path)
    keys = [key for key, _ in parsed.pairs] if isinstance(parsed, JsonObject) else []
    if subtask not in keys:
        hint = f"for the flat files of 2017 use {setting('task', 'rumoureval2017')}"
        problem = wrong_type(kind_of(parsed), "", f"an object with the key '{subtask}'", hint)
        raise refuse((path, 1), missing_key(keys, [subtask], hint) if keys else problem)
    if keys.count(subtask) > 1:
        raise refuse(path, repeated("key", subtask))
    members = parsed[subtask]
    if not isinstance(members, JsonObject) or not members:
        problem = wrong_type(kind_of(members), f" under '{subtask}'", "an object with a label for every id")
        raise refuse((path, lines_of_members(text)[keys.index(subtask)]), problem)
    return _labels(members, text, path, within=subtask)


def _labels(label_by_id: JsonObject, text: str, path: str, *, within: str) -> RawLabelFile:
    members = label_by_id.pairs
    ids = [key for key, _ in members]
    lines = partial(lines_of_members, text, within)
    problems = Gathered()
    with problems.errors():
        raise_any(repeated_ids(ids, lines, path), "remove the duplicates")
    # Most members are plain labels, for which a list comprehension is fastest.
    labels = [value.strip() if isinstance(value, str) else None for _, value in members]
    if None in labels:
        with problems.errors():
            labels = _labels_with_confidence(members, path, lines)
        if None in labels:
            problems.raise_any()
    raw = RawLabels(path, "", ids, [label or "" for label in labels], lines)
    return RawLabelFile(raw, (raw,), problems.errors_so_far)


def _labels_with_confidence(members: Sequence[tuple[str, object]], path: str, lines: Lines) -> list[str | None]:
    labels, faults = zip(*(_label_of(value) for _, value in members), strict=True)
    expected = 'a label, or ["label", confidence from 0 to 1]'
    raise_any(
        [
            wrong_type(fault, f" for id '{name}'", expected).at(path, line)
            for (name, _), fault, line in zip(members, faults, lines() if any(faults) else faults, strict=True)
            if fault
        ]
    )
    return list(labels)


def _label_of(value: object) -> tuple[str, str]:
    """The label of a member, and its problem or ''."""
    if isinstance(value, str):
        return value.strip(), ""
    if isinstance(value, list) and len(value) == 2 and isinstance(value[0], str):
        label, confidence = value
        if isinstance(confidence, (int, float)) and not isinstance(confidence, bool) and 0 <= confidence <= 1:
            return label.strip(), ""
        return "", f"confidence {confidence!r}"
    return "", kind_of(value)
