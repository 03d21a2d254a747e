"""Weightings of classes in a file, a row each: `weights,support,deny,query,comment`."""

from __future__ import annotations

from collections.abc import Mapping

from metaeval.errors import empty, invalid, no_rows, raise_any, refuse, repeated
from metaeval.io.files.delimited import delimiter_of, first_line, read_rows
from metaeval.io.files.source import open_source
from metaeval.io.labels.codes import USABLE, read_numbers
from metaeval.model.report import SourceFile


def read_weightings(path: str) -> tuple[dict[str, Mapping[str, float]], SourceFile]:
    """The weightings of a CSV or TSV file by their names in the first column; its problems are one `InputError`."""
    source = open_source(path, "weights")
    text = source.text()
    if not text.strip().count("\n"):
        raise refuse((source.path_or_name, 1), no_rows())
    rows = read_rows(source, delimiter_of(source, first_line(text)))
    weightings: dict[str, Mapping[str, float]] = {}
    problems = []
    for line, (name, *cells) in zip(rows.lines(), rows.body, strict=True):
        numbers, states = read_numbers(cells)
        valid = ((states == USABLE) & (numbers >= 0)).tolist()
        if not name.strip():
            problems.append(empty("name of the weighting").at(rows.path, line))
        if name.strip() in weightings:
            problems.append(repeated("weighting", name.strip()).at(rows.path, line))
        problems += [
            invalid("weight", cell, "a finite number of at least 0", f" in column '{label}'").at(rows.path, line)
            for cell, is_valid, label in zip(cells, valid, rows.header[1:], strict=True)
            if not is_valid
        ]
        weightings[name.strip()] = dict(zip(rows.header[1:], numbers.tolist(), strict=True))
    raise_any(problems, "write a name and a weight for each class in every row")
    return weightings, source.file
