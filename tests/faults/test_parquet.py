"""Parquet files that hold what is no table of texts and numbers, or were broken on the way."""

import contextlib
import io
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pyarrow
import pytest
from command_line import CommandLine, Write
from faults.mutation import delete, double, flip, insert, move, mutated
from faults.readers import readers
from pyarrow import parquet

from metaeval.errors import InputError
from metaeval.io.files.source import Source
from metaeval.io.labels.columns import Columns
from metaeval.io.labels.tidy import read_labels
from metaeval.io.parquet import read_parquet

pytestmark = pytest.mark.slow

COLUMNS: dict[str, Any] = {
    "texts": (["1", "2", "3"], ["no", "yes", "no"]),
    "numbers": ([1, 2, None], [1.5, None, float("nan")]),
    "bytes": ([b"\xff", b"b"], [1, 2]),
    "lists": ([[1], [2, 3]], [{"a": 1}, {"a": 2}]),
    "times": (pyarrow.array([1, 2], pyarrow.timestamp("ns", "UTC")), pyarrow.array([1, 2], pyarrow.time32("s"))),
    "decimals": (pyarrow.array(["a", "b"]).dictionary_encode(), pyarrow.array([1, 2], pyarrow.decimal128(5, 2))),
}


def written(columns: str) -> bytes:
    ids, labels = COLUMNS[columns]
    file = io.BytesIO()
    parquet.write_table(pyarrow.table({"id": ids, "label": labels}), file)
    return file.getvalue()


@pytest.mark.parametrize("columns", COLUMNS)
def test_broken_tables_are_read_or_refused(columns: str) -> None:
    whole = written(columns)
    for seed in range(400):
        rng = Random(seed)
        content = rng.choice((flip, flip, flip, delete, double, move, insert))(whole, rng)
        with contextlib.suppress(InputError):
            read_labels(Source("run.parquet", "run", content, ""), Columns())


def test_bytes_that_are_no_text_are_told(metaeval: CommandLine, write: Write) -> None:
    gold, run = write("gold.csv", "id,label\n1,a\n"), write("run.parquet", written("bytes"))
    assert "run.parquet: Parquet cannot be read ('utf-8' codec" in metaeval.refuses("score", "--gold", gold, run)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the system does not list threads")
@pytest.mark.parametrize("broken", [False, True])
def test_no_thread_of_arrow_outlives_a_read(tmp_path: Path, broken: bool) -> None:
    # A thread that is still reading ahead when the process exits can abort it.
    content = bytearray(written("texts"))
    if broken:
        content[4:8] = b"\xff" * 4
    (tmp_path / "run.parquet").write_bytes(content)
    program = """\
import os, sys
import pandas, pyarrow.parquet
from metaeval.errors import InputError
from metaeval.io.files.source import Source
from metaeval.io.parquet import read_parquet
content, before = open(sys.argv[1], "rb").read(), len(os.listdir("/proc/self/task"))
try:
    print(len(read_parquet(Source("run.parquet", "run", content, ""))), end=" ")
except InputError:
    print("refused", end=" ")
print(len(os.listdir("/proc/self/task")) - before)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "run.parquet"], capture_output=True, text=True, check=True
    )
    assert done.stdout == ("refused 0\n" if broken else "3 0\n")


@pytest.mark.parametrize("kind", ["int8", "uint64", "int64", "float32", "float64", "bool"])
def test_numbers_beside_a_missing_one_are_written_as_without_it(kind: str) -> None:
    file = io.BytesIO()
    column = pyarrow.array([1, None, 0], pyarrow.int64()).cast(pyarrow.type_for_alias(kind))
    parquet.write_table(pyarrow.table({"id": ["1", "2", "3"], "label": column}), file)
    rows = read_parquet(Source("run.parquet", "run", file.getvalue(), ""))
    one, zero = {"bool": ("True", "False"), "float32": ("1.0", "0.0"), "float64": ("1.0", "0.0")}.get(kind, ("1", "0"))
    assert rows.columns == {"id": ["1", "2", "3"], "label": [one, "", zero]}


def test_a_column_that_only_duckdb_takes_for_text_is_told_with_its_file(
    metaeval: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    # One of the two types in the footer is broken: bytes for Arrow, text for DuckDB.
    reader = readers()["duckdb gold"]
    for path, content in reader.files.items():
        Path(path).write_bytes(mutated(content, 30022664) if path == reader.broken else content)
    error = metaeval.refuses(*reader.command)
    assert error.startswith("Error: gold.parquet: Parquet cannot be read (Binder Error"), error
