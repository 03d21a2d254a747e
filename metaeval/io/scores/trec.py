"""Scores of topics that trec_eval -q and ir_measures -q print."""

from __future__ import annotations

import re

from metaeval.errors import invalid, no_rows, raise_any, refuse, shortened, wrong_count
from metaeval.io.files.delimited import Format, Rows
from metaeval.io.files.source import Source
from metaeval.io.scores.rows import TIDY_COLUMNS

_SUMMARY = "all"
_MEASURE = re.compile(r"[A-Za-z]\w*(\([^()]*\))?(@\d+)?")
_FORMAT = Format(
    "lines of three fields are of one run: write a file for each run, and name runs of the same name, as in bm25=FILE",
    "a topic for which a run retrieved nothing has no line: print it with trec_eval -q -c",
)
_LINES = (
    "a line 'MEASURE TOPIC VALUE' (trec_eval -q), 'TOPIC MEASURE VALUE' (ir_measures -q) or 'RUN MEASURE TOPIC VALUE'"
)

Lines = list[tuple[int, list[str]]]


def trec_rows(source: Source) -> Rows:
    """The scores of topics as a tidy table; the lines of all topics are left out.

    The system is the run of each line, or that of the line `runid all NAME`, or else has the name of the file.
    """
    path = source.path_or_name
    texts = enumerate(source.text().split("\n"), start=1)
    rows = [(line, fields) for line, text in texts if (fields := _fields(text))]
    width = len(rows[0][1])
    fields_expected = width if width in (3, 4) else 3
    problems = [
        wrong_count(len(fields), "field", fields_expected, f": {_LINES}").at(path, line)
        for line, fields in rows
        if len(fields) != fields_expected
    ]
    raise_any(problems, "print the scores of topics, as with trec_eval -q, without other output")
    run = ""
    if width == 3:
        rows = _measures_first(rows, path)
        names = [fields[2] for _, fields in rows if fields[:2] == ["runid", _SUMMARY]]
        run = names[0] if names else ""
        rows = [(line, [run, *fields]) for line, fields in rows]
    rows = [(line, fields) for line, fields in rows if fields[2] != _SUMMARY and fields[1] != "runid"]
    if not rows:
        hint = "print the scores of each topic, with trec_eval -q or ir_measures -q"
        raise refuse(path, no_rows("scores of all topics together only"), hint=hint)
    numbers = [(line, fields[1]) for line, fields in rows if fields[1].isdecimal()]
    raise_any(
        [invalid("measure", name, "the name of a measure").at(path, line) for line, name in numbers],
        "name the output of trec_eval -q or ir_measures -q, not the judgements (qrels) or the run",
    )
    lines = [line for line, _ in rows]
    body = [[measure, system, topic, value] for _, (system, measure, topic, value) in rows]
    if width == 3 and not run:
        # The file is of one system, with its own name.
        return Rows(path, ("measure", "item", "value"), [[row[0], *row[2:]] for row in body], lambda: lines, _FORMAT)
    return Rows(path, TIDY_COLUMNS, body, lambda: lines, _FORMAT)


def _fields(text: str) -> list[str]:
    """The fields of a line; with tabs only these separate, because a measure may have blanks in parentheses."""
    return [field.strip() for field in text.split("\t")] if text.count("\t") > 1 else text.split()


def _measures_first(rows: Lines, path: str) -> Lines:
    """The lines with the measure first, as trec_eval prints them, although ir_measures prints the topic first."""
    first, second = ({fields[index] for _, fields in rows} for index in (0, 1))
    if (_SUMMARY in first) != (_SUMMARY in second):
        topics_first = _SUMMARY in first
    else:
        are_measures = [all(map(_MEASURE.fullmatch, names)) for names in (first, second)]
        if are_measures[0] == are_measures[1]:
            hint = "keep the lines of all topics, which show the order, or add the run as the first field"
            found = f"'{shortened(rows[0][1][0])}' and '{shortened(rows[0][1][1])}': either may be the topic"
            raise refuse((path, rows[0][0]), found, _LINES, hint, kind="ambiguous")
        topics_first = are_measures[1]
    return [(line, [fields[1], fields[0], fields[2]] if topics_first else fields) for line, fields in rows]
