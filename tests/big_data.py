"""Labels written as Parquet in every layout that DuckDB reads."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

Labels = Mapping[str, Sequence[str | None]]


def write_table(path: Path, columns: Labels) -> str:
    """A Parquet file of these columns."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()}), path)
    return str(path)


def write_wide(path: Path, columns: Labels) -> tuple[str, ...]:
    """One wide file."""
    return (write_table(path / "wide.parquet", columns),)


def write_partitions(path: Path, columns: Labels) -> tuple[str, ...]:
    """A folder of wide files, some in hive folders."""
    items = len(columns["id"])
    ends = [0, items // 3, items // 2, items]
    for number, (begin, end) in enumerate(pairwise(ends)):
        part = {name: cells[begin:end] for name, cells in columns.items()}
        write_table(path / "parts" / f"day={number}" / "data.parquet", part)
    return (str(path / "parts"),)


def write_systems(path: Path, columns: Labels) -> tuple[str, ...]:
    """Gold, and a folder of partitions for each system, whose rows stand in another order."""
    shuffled = np.random.default_rng(1).permutation(len(columns["id"])).tolist()
    gold = write_table(path / "gold.parquet", {"id": columns["id"], "label": columns["gold"]})
    for system in list(columns)[2:]:
        for part in range(2):
            rows = shuffled[part::2]
            part_columns = {"id": [columns["id"][row] for row in rows], "label": [columns[system][row] for row in rows]}
            write_table(path / "runs" / system / f"part-{part}.parquet", part_columns)
    return (gold, str(path / "runs"))


LAYOUTS = (write_wide, write_partitions, write_systems)


def alike_labels(items: int, systems: int, *, seed: int = 3) -> dict[str, list[str | None]]:
    """A wide table in which items repeat their patterns, because systems err together."""
    random = np.random.default_rng(seed)
    labels = np.array(["low", "mid", "high"])
    gold = random.choice(3, size=items, p=[0.2, 0.5, 0.3])
    hard = random.random(items) < 0.3
    columns = {"id": [f"item-{item}" for item in range(items)], "gold": labels[gold].tolist()}
    for system in range(systems):
        right = ~hard | (random.random(items) < 0.3 + 0.5 * system / systems)
        columns[f"system-{system}"] = labels[np.where(right, gold, (gold + 1) % 3)].tolist()
    return columns
