"""Parquet files that hold what is no table of texts and numbers, or were broken on the way."""

import contextlib
import io
from random import Random
from typing import Any

import pyarrow
import pytest
from command_line import CommandLine, Write
from faults.mutation import delete, double, flip, insert, move
from pyarrow import parquet

from metaeval.errors import InputError
from metaeval.io.files.source import Source
from metaeval.io.labels.formats.tidy import read_labels
from metaeval.io.labels.raw_labels import Columns

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
    assert "run.parquet: a Parquet file that cannot be read ('utf-8' codec" in metaeval.refuses(
        "score", "--gold", gold, run
    )
