"""RumourEval: the flat JSON of 2017, and the JSON of 2019 with an object for each subtask and language."""

from __future__ import annotations

from functools import partial

from metaeval.errors import Gathered, InputError, Problem, setting
from metaeval.io.files.json_text import Pairs, kind_of, lines_of_members, parse_json
from metaeval.io.files.source import Lines, Source
from metaeval.io.labels.raw_labels import Columns, RawLabelFile, RawLabels, repeated_ids


def read_rumoureval2017(source: Source, _columns: Columns) -> RawLabelFile:
    """Labels of subtask A: a flat object `{id: label}`."""
    text, path = source.text(), source.path_or_name
    parsed = parse_json(text, path)
    if not isinstance(parsed, Pairs) or not parsed:
        raise InputError.at(path, 1, found=kind_of(parsed), expected='an object {"id": "label", …}')
    if any(isinstance(value, Pairs) for _, value in parsed):
        raise InputError.at(
            path,
            1,
            found=f"nested objects (keys {', '.join(repr(key) for key, _ in parsed[:3])})",
            expected='a flat object {"id": "label", …}',
            hint=f"for the files of 2019 use {setting('task', 'rumoureval2019')}",
        )
    return _labels(parsed, text, path, within="")


def read_rumoureval2019(source: Source, _columns: Columns, *, subtask: str) -> RawLabelFile:
    """Labels of one subtask: `{"subtaskaenglish": {id: label}, "subtaskbenglish": {id: [label, confidence]}, …}`.

    subtask: the key, such as 'subtaskaenglish'. Gold of subtask B has only labels; the confidence of a system, in
    [0, 1], is checked and not used, because no measure of labels uses it.
    """
    text, path = source.text(), source.path_or_name
    parsed = parse_json(text, path)
    keys = [key for key, _ in parsed] if isinstance(parsed, Pairs) else []
    if subtask not in keys:
        raise InputError.at(
            path,
            1,
            found=f"keys {', '.join(map(repr, keys[:6]))}" if keys else kind_of(parsed),
            expected=f"an object with the key '{subtask}'",
            hint=f"for the flat files of 2017 use {setting('task', 'rumoureval2017')}",
        )
    if keys.count(subtask) > 1:
        raise InputError.at(path, found=f"key '{subtask}' twice", expected="every key once")
    members = dict(parsed)[subtask]
    if not isinstance(members, Pairs) or not members:
        raise InputError.at(
            path,
            lines_of_members(text)[keys.index(subtask)],
            found=f"nothing under '{subtask}'" if members == [] else f"{kind_of(members)} under '{subtask}'",
            expected="an object with a label for every id",
        )
    return _labels(members, text, path, within=subtask)


def _labels(members: Pairs, text: str, path: str, *, within: str) -> RawLabelFile:
    ids = [key for key, _ in members]
    lines = partial(lines_of_members, text, within)
    gathered = Gathered()
    if len(set(ids)) < len(ids):
        gathered.keep(InputError(repeated_ids(ids, lines(), path), hints=["remove the duplicates"]))
    # Most members are plain labels, for which a list comprehension is fastest.
    labels = [value.strip() if isinstance(value, str) else None for _, value in members]
    if None in labels:
        with gathered.errors():
            labels = _labels_with_confidence(members, path, lines)
        if None in labels:
            gathered.raise_any()
    raw = RawLabels(path, "", ids, [label or "" for label in labels], lines)
    return RawLabelFile(raw, (raw,), gathered.errors_so_far)


def _labels_with_confidence(members: Pairs, path: str, lines: Lines) -> list[str | None]:
    labels, problems = zip(*(_label_of(value) for _, value in members), strict=True)
    if any(problems):
        expected = 'a label, or ["label", confidence from 0 to 1]'
        raise InputError(
            [
                Problem(f"{found} for id '{name}'", expected, path, line)
                for (name, _), found, line in zip(members, problems, lines(), strict=True)
                if found
            ]
        )
    return list(labels)


def _label_of(value: object) -> tuple[str, str]:
    """The label of a member, and its problem or ''."""
    if isinstance(value, str):
        return value.strip(), ""
    if isinstance(value, list) and not isinstance(value, Pairs) and len(value) == 2 and isinstance(value[0], str):
        label, confidence = value
        if isinstance(confidence, (int, float)) and not isinstance(confidence, bool) and 0 <= confidence <= 1:
            return label.strip(), ""
        return "", f"confidence {confidence!r}"
    return "", kind_of(value)
