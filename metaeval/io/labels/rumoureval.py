"""RumourEval: the flat JSON of 2017, and the JSON of 2019 with an object for each subtask and language."""

from __future__ import annotations

from collections.abc import Sequence

from metaeval.errors import Gathered, InputError, Problem
from metaeval.io.files.json_text import Pairs, lines_of_keys, parse_json, reject_duplicates
from metaeval.io.files.source import Source
from metaeval.io.labels.columns import Columns
from metaeval.io.labels.raw_labels import AnswerFile, Answers, Lines


def read_rumoureval2017(source: Source, columns: Columns) -> AnswerFile:  # noqa: ARG001 (a native form has no columns)
    """Labels of subtask A: a flat object `{id: label}`."""
    text, path = source.text(), source.path_or_name
    parsed = parse_json(text, path)
    if not isinstance(parsed, Pairs) or not parsed:
        found = "an empty object" if parsed == [] and isinstance(parsed, Pairs) else f"a JSON {_kind(parsed)}"
        raise InputError.at(path, 1, found=found, expected='an object {"id": "label", …}')
    if any(isinstance(value, Pairs) for _, value in parsed):
        raise InputError.at(
            path,
            1,
            found=f"objects within the object (keys {', '.join(repr(key) for key, _ in parsed[:3])})",
            expected='a flat object {"id": "label", …}',
            hint="for the files of 2019 say --task rumoureval2019",
        )
    return _answers(parsed, text, path, within=())


def read_rumoureval2019(
    source: Source,
    columns: Columns,  # noqa: ARG001 (a native form has no columns)
    *,
    subtask: str,
) -> AnswerFile:
    """Labels of one subtask: `{"subtaskaenglish": {id: label}, "subtaskbenglish": {id: [label, confidence]}, …}`.

    subtask: the key, as 'subtaskaenglish'. Gold of subtask B has labels alone; a system's confidence in [0, 1] is
    checked and left aside, because no measure of labels uses it.
    """
    text, path = source.text(), source.path_or_name
    parsed = parse_json(text, path)
    keys = [key for key, _ in parsed] if isinstance(parsed, Pairs) else []
    if subtask not in keys:
        raise InputError.at(
            path,
            1,
            found=f"keys {', '.join(map(repr, keys[:6]))}" if keys else f"a JSON {_kind(parsed)}",
            expected=f"an object with the key '{subtask}'",
            hint="for the flat files of 2017 say --task rumoureval2017",
        )
    if keys.count(subtask) > 1:
        raise InputError.at(path, found=f"key '{subtask}' twice", expected="every key once")
    members = dict(parsed)[subtask]
    if not isinstance(members, Pairs) or not members:
        raise InputError.at(
            path,
            lines_of_keys(text, [subtask])[0],
            found=f"nothing under '{subtask}'" if members in ([], {}) else f"a JSON {_kind(members)} under '{subtask}'",
            expected="an object with a label for every id",
        )
    return _answers(members, text, path, within=(subtask,))


def _answers(members: Pairs, text: str, path: str, *, within: Sequence[str]) -> AnswerFile:
    ids = [key for key, _ in members]

    def lines() -> list[int]:
        return lines_of_keys(text, [*within, *ids])[len(within) :]

    gathered = Gathered()
    if len(set(ids)) < len(ids):
        with gathered.errors():
            reject_duplicates(ids, lines(), path)
    # Nearly every member is a plain label, and a list comprehension is the fastest way through those.
    labels = [value.strip() if isinstance(value, str) else None for _, value in members]
    if None in labels:
        with gathered.errors():
            labels = _labels_with_confidence(members, path, lines)
        if None in labels:
            gathered.raise_any()
    answers = Answers(path, "", ids, [label or "" for label in labels], lines)
    return AnswerFile(answers, (answers,), gathered.errors_so_far)


def _labels_with_confidence(members: Pairs, path: str, lines: Lines) -> list[str | None]:
    labels: list[str | None] = []
    wrong: dict[int, str] = {}
    for row, (_, value) in enumerate(members):
        label, problem = _label_of(value)
        labels.append(label)
        if problem:
            wrong[row] = problem
    if wrong:
        at = lines()
        raise InputError(
            [
                Problem(
                    f"{found} for id '{members[row][0]}'",
                    'a label, or ["label", confidence from 0 to 1]',
                    path,
                    at[row],
                )
                for row, found in wrong.items()
            ]
        )
    return labels


def _label_of(value: object) -> tuple[str, str]:
    """The label of a member, and what is wrong with it."""
    if isinstance(value, str):
        return value.strip(), ""
    if isinstance(value, list) and not isinstance(value, Pairs) and len(value) == 2 and isinstance(value[0], str):
        label, confidence = value
        if isinstance(confidence, (int, float)) and not isinstance(confidence, bool) and 0 <= confidence <= 1:
            return label.strip(), ""
        return "", f"confidence {confidence!r}"
    return "", f"a JSON {_kind(value)}"


def _kind(value: object) -> str:
    if isinstance(value, Pairs):
        return "object"
    if isinstance(value, bool) or value is None:
        return "null" if value is None else "truth value"
    return {list: "list", str: "text", int: "number", float: "number"}.get(type(value), "value")
