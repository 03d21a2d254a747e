"""Labels in Parquet, made piece by piece: more than one likes to hold in memory."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metaeval.model.scale import ClassScale

if TYPE_CHECKING:
    import pyarrow as pa

SCALE = ClassScale.parse("disagree<discuss<agree")

Labels = NDArray[np.int8]
Piece = Callable[[np.random.Generator, int, int], Iterator[Labels]]
"""Codes of items: those of gold, and then those of each system."""

_PARTS = 10
_AT_ONCE = 1 << 18
"""Items that are made, and written, together."""

_ROW_GROUP = 1 << 17

_SILENT = 5.0
"""Seconds between two messages of progress."""


def alike(random: np.random.Generator, items: int, systems: int) -> Iterator[Labels]:
    """Items that repeat their patterns: most are easy for every system, and errors are shared."""
    gold = _gold(random, items)
    yield gold
    hard = random.random(items, dtype=np.float32) < 0.3
    usual = (gold + 1 + (random.random(items, dtype=np.float32) < 0.5)).astype(np.int8) % 3
    for system in range(systems):
        right = random.random(items, dtype=np.float32) < np.where(hard, 0.6 + 0.35 * system / systems, 0.995)
        wrong = np.where(random.random(items, dtype=np.float32) < 0.8, usual, 3 - gold - usual)
        yield np.where(right, gold, wrong).astype(np.int8)


def made(cache_folder: Path, piece: Piece, *, items: int, systems: int) -> Path:
    """A folder of wide Parquet files in another one: the one made before, or a new one, which is whole or not there."""
    folder = cache_folder / f"{piece.__name__}-{items}x{systems}"
    if folder.exists():
        return folder
    partial_folder = folder.with_suffix(".begun")
    rmtree(partial_folder, ignore_errors=True)
    partial_folder.mkdir(parents=True)
    _write(partial_folder, piece, items, systems)
    partial_folder.rename(folder)
    return folder


def _write(folder: Path, piece: Piece, items: int, systems: int) -> None:
    import pyarrow.parquet as pq

    random = np.random.default_rng(20201)
    a_part, last_message = -(-items // _PARTS), time.monotonic()
    for part, begin in enumerate(range(0, items, a_part)):
        end = min(items, begin + a_part)
        pieces = (range(first, min(first + _AT_ONCE, end)) for first in range(begin, end, _AT_ONCE))
        tables = (_table(random, piece, numbers, systems) for numbers in pieces)
        table = next(tables)
        with pq.ParquetWriter(folder / f"part-{part}.parquet", table.schema, compression="zstd") as writer:
            for written in chain([table], tables):
                writer.write_table(written, row_group_size=_ROW_GROUP)
        if time.monotonic() - last_message > _SILENT:
            last_message = time.monotonic()
            print(f"made {end:,} of {items:,} items × {systems} systems", file=sys.stderr, flush=True)


def _table(random: np.random.Generator, piece: Piece, numbers: range, systems: int) -> pa.Table:
    import pyarrow as pa

    labels = pa.array(SCALE.labels)
    names = ("gold", *(f"system_{system:03d}" for system in range(systems)))
    columns = {
        name: pa.DictionaryArray.from_arrays(pa.array(codes), labels)
        for name, codes in zip(names, piece(random, len(numbers), systems), strict=True)
    }
    return pa.table({"id": pa.array([f"item-{number}" for number in numbers]), **columns})


def _gold(random: np.random.Generator, items: int) -> Labels:
    return random.choice(3, size=items, p=[0.07, 0.7, 0.23]).astype(np.int8)
