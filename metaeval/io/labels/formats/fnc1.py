"""FNC-1 in its native form: `Headline,Body ID,Stance`, for gold and for submissions.

A pair is identified by headline and body id. 242 pairs of the official test set occur twice: the k-th row of a pair is
the prediction for the k-th row of the same pair in gold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from metaeval.errors import InputError, invalid, missing_column, raise_any, setting
from metaeval.io.files.delimited import read_rows
from metaeval.io.files.source import Source
from metaeval.io.labels.raw_labels import Columns, RawLabelFile, RawLabels

HEADER = ("Headline", "Body ID", "Stance")


def read_fnc1(source: Source, _columns: Columns) -> RawLabelFile:
    """The stances of a native FNC-1 file; further columns are ignored.

    A header without the three official names, or a row that is too short, is an `InputError`.
    """
    rows = read_rows(source, ",")
    header, body = rows.header, rows.body
    missing = [name for name in HEADER if name not in header]
    if missing:
        hint = f"for a file with an id and a label in each row, use {setting('task', 'labels')}"
        raise InputError([missing_column(header, name, hint).at(rows.path, 1) for name in missing])
    headline, body_id, stance = (header.index(name) for name in HEADER)
    pairs = [(row[headline].strip(), row[body_id].strip()) for row in body]
    wrong = [row for row, (_, body_id) in enumerate(pairs) if not body_id.isdigit()]
    lines = rows.lines() if wrong else ()
    raise_any(
        [invalid("body id", pairs[row][1], "a whole number").at(rows.path, lines[row]) for row in wrong],
        "check the quotes around headlines that contain commas or quotes",
    )
    stances = [row[stance].strip() for row in body]
    labels = RawLabels(rows.path, "", _ids(pairs), stances, rows.lines)
    return RawLabelFile(labels, (labels,))


def _ids(pairs: Sequence[tuple[str, str]]) -> list[str]:
    """`body id: headline`, with ` (2)` for the second occurrence of a pair."""
    ids = [f"{body_id}: {headline}" for headline, body_id in pairs]
    times: Counter[str] = Counter()
    for row, name in enumerate(ids):
        times[name] += 1
        if times[name] > 1:
            ids[row] = f"{name} ({times[name]})"
    return ids
