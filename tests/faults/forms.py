"""One random data set of labels as CSV, as JSON lines and as Parquet: each form has the same result or the same error.

`python -m faults.forms 2000` compares as many, and `python -m faults.forms 2000 5000` the seeds from 5,000 on; a test
compares a few. DuckDB reads these small tables as it reads large ones.
"""

from __future__ import annotations

import csv
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from faults.fuzz import run_here

from metaeval import errors
from metaeval.io.labels import join

FORMS: dict[str, tuple[str, ...]] = {
    "csv": (), "jsonl": (), "parquet": ("--engine", "memory"), "duckdb.parquet": ("--engine", "duckdb")
}  # fmt: skip
"""Kinds of files, and the options that read them."""

USUAL: dict[str, tuple[pa.DataType, list[Any]]] = {
    "text": (pa.string(), ["a", "b", "c"]),
    "whole": (pa.int64(), [1, 2, 3]),
    "float": (pa.float64(), [1.0, 2.5, -3.0]),
    "truth": (pa.bool_(), [True, False]),
    "unicode": (pa.string(), ["ä", "日本", "a b"]),
}
"""Types of columns and their cells."""

BROKEN: dict[str, list[Any]] = {
    "text": [None, "", " ", "d", "A", " a", "b ", "nan", "NA", "1", "0", "a,b", 'say "a"', "a\u200b", "=1", "\u00a0"],
    "whole": [None, 4, -1, 0, 2**40],
    "float": [None, float("nan"), 0.1, 1e20, -0.0],
    "truth": [None],
    "unicode": [None, "a\u0308", "日 本", "\u3000", "a\u00a0b", "ä"],
}
"""Unusual cells."""

NAMES = ["s1", "s2", "S 3", "id2", "label", "prediction", "Unnamed: 0", "é"]

Columns: TypeAlias = dict[str, tuple[pa.DataType, list[Any]]]


class DataSet(NamedTuple):
    """The columns of each file, gold first, and options of the command."""

    files: dict[str, Columns]
    options: tuple[str, ...]


class _Random:
    """Random cells of a data set, of one kind of labels and of ids."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        # One object is no file of JSON lines.
        self.rows, self.share = int(self.random.integers(2, 20)), float(self.random.choice([0.0, 0.02, 0.1, 0.3]))
        self.kind = str(self.random.choice(list(USUAL), p=[0.5, 0.15, 0.1, 0.1, 0.15]))
        self.id_kind = str(self.random.choice(["text", "whole", "float"], p=[0.7, 0.2, 0.1]))

    def happens(self, share: float) -> bool:
        return bool(self.random.random() < share)

    def broken(self, kind: str, cells: list[Any]) -> list[Any]:
        other = BROKEN[kind]
        return [other[self.random.integers(len(other))] if self.happens(self.share) else cell for cell in cells]

    def ids(self) -> tuple[pa.DataType, list[Any]]:
        """In random order, some twice, unknown or missing."""
        order: list[Any] = self.random.permutation(self.rows).tolist()
        if self.happens(0.1):
            order[-1] = int(self.random.choice([order[0], self.rows]))
        order = order[: self.rows - 1] if self.happens(0.1) and self.rows > 2 else order
        usual = {"text": [f"i{row}" for row in order], "whole": order, "float": [row + 0.5 for row in order]}
        return USUAL[self.id_kind][0], self.broken(self.id_kind, usual[self.id_kind])

    def labels(self, count: int) -> tuple[pa.DataType, list[Any]]:
        kind = self.kind if self.happens(0.95) else str(self.random.choice(list(USUAL)))
        usual = USUAL[kind][1]
        return USUAL[kind][0], self.broken(kind, [usual[code] for code in self.random.integers(len(usual), size=count)])

    def break_columns(self, files: dict[str, Columns]) -> None:
        """Leave out or rename a column of a file, add one with gold labels or other ones, or cut a file."""
        for columns in files.values():
            if self.happens(0.1):
                columns[str(self.random.choice(["Label", "other"]))] = columns.pop(
                    str(self.random.choice(["id", "label"]))
                )
            if self.happens(0.2):
                _, cells = next(iter(columns.values()))
                columns[str(self.random.choice(["gold", "prediction"]))] = self.labels(len(cells))
            if self.happens(0.1):
                end = int(self.random.integers(2, 1 + min(len(cells) for _, cells in columns.values())))
                columns |= {name: (kind, cells[:end]) for name, (kind, cells) in columns.items()}

    def table(self, *names: str) -> Columns:
        ids = self.ids()
        return {"id": ids, **{name: self.labels(len(ids[1])) for name in names}}


def random_data(seed: int) -> DataSet:
    """A table with ids, gold and systems, or a file of gold and one for each system, with broken cells."""
    draw = _Random(seed)
    if draw.happens(0.5):
        files = {"table": draw.table("gold", *map(str, draw.random.choice(NAMES, 2, replace=False)))}
        if draw.happens(0.1):
            del files["table"][str(draw.random.choice(list(files["table"])))]
    else:
        files = {name: draw.table("label") for name in ("gold", "s1", "s2")}
        if draw.happens(0.3):
            draw.break_columns(files)
    options: tuple[str, ...] = ()
    if draw.happens(0.1):
        options += ("--drop-gold", str(USUAL[draw.kind][1][0]))
    if draw.happens(0.3):
        options += ("--labels", ",".join(dict.fromkeys(map(str, USUAL[draw.kind][1]))))
    for name, choices in (("missing", ["drop", "miss"]), ("unknown", ["drop", "miss"]), ("extra", ["drop"])):
        if draw.happens(0.2):
            options += (f"--on-{name}", str(draw.random.choice(choices)))
    return DataSet(files, options)


def write(columns: Columns, path: Path) -> None:
    """One file; a missing cell is an empty one of CSV, and null elsewhere."""
    rows = list(zip(*(cells for _, cells in columns.values()), strict=True))
    if path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows([["" if cell is None or cell != cell else cell for cell in row] for row in rows])
    elif path.suffix == ".jsonl":
        lines = (dict(zip(columns, [None if cell != cell else cell for cell in row], strict=True)) for row in rows)
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    else:
        pq.write_table(pa.table({name: pa.array(cells, kind) for name, (kind, cells) in columns.items()}), path)


def outcome(data: DataSet, form: str, folder: Path) -> tuple[int, str]:
    """Exit code, and result or error without what tells the forms apart: names of files, and lines of headers."""
    form_folder = folder / form
    form_folder.mkdir(exist_ok=True)
    paths = []
    for name, columns in data.files.items():
        paths.append(form_folder / f"{name}.{form.rpartition('.')[2]}")
        write(columns, paths[-1])
    words = ["score", "--gold", *map(str, paths), *FORMS[form], *data.options, "-f", "json", "-q"]
    code, shown, message = run_here(words)
    assert isinstance(code, int)
    if code == 0:
        report = json.loads(shown)
        del report["provenance"]
        for notes in ("notes", "warnings"):
            report[notes] = sorted(note for note in report.pop(notes, []) if "(duckdb)" not in note)
        text = json.dumps(report)
    else:
        # A header is a line before the rows, and what is wrong with it comes first; other forms have none.
        header = int(form == "csv")
        lines = re.sub(r"(first on line |:)(\d+)", lambda match: f"{match[1]}{max(1, int(match[2]) - header)}", message)
        text = "".join(sorted(lines.splitlines(keepends=True)))
    # Only files of Parquet may be parts of a system.
    text = re.sub("What to do: if the files of .* are parts of one system.*\n", "", text)
    for path in paths:
        text = text.replace(str(path), path.stem).replace(path.name, path.stem)
    return code, text


def outcomes(seed: int, folder: Path) -> dict[str, tuple[int, str]]:
    """The outcome of each form."""
    data = random_data(seed)
    with pytest.MonkeyPatch.context() as patched:
        # Otherwise DuckDB passes all rows of a small table to the reader in memory, and not only those at fault.
        patched.setattr(join, "SIMILAR_AMONG", 1)
        patched.setattr(errors, "SHOWN_AT_MOST", 10_000)
        return {form: outcome(data, form, folder) for form in FORMS}


if __name__ == "__main__":
    differing = []
    with tempfile.TemporaryDirectory() as temporary:
        number, first = [*map(int, sys.argv[1:]), 0][:2]
        for seed in range(first, first + number):
            results = outcomes(seed, Path(temporary))
            if len(set(results.values())) > 1:
                differing.append(seed)
                print(seed, random_data(seed), *results.items(), sep="\n    ")
    print(f"{len(differing)} differ: {differing}")
