"""Labels in Parquet beyond what one likes to hold in memory, against DuckDB's bare GROUP BY of the same columns."""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.paired import Comparison, faster
from metaeval.io.columns import Columns
from metaeval.io.duck import Limits, connected
from metaeval.io.parquet_labels import read_parquet_labels
from metaeval.io.policies import Policies
from metaeval.measures import preset
from metaeval.model.labels import PatternRuns
from metaeval.model.scale import ClassScale
from metaeval.scoring.labels import LabelSamples
from metaeval.scoring.resamples import split_halves

ITEMS, SYSTEMS, PARTS = 50_000_000, 14, 10
"""The job that is promised; some 200 MB of Parquet."""

LIMITS = Limits(6 << 30)
SCALE = ClassScale.parse("disagree<discuss<agree")

_AT_ONCE = 1 << 20
"""Items that are made, and written as row groups, together."""


def write_alike(folder: Path, *, items: int, systems: int, seed: int = 1) -> None:
    """A folder of wide Parquet files in which items repeat their patterns: most are easy, and errors are shared."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    random = np.random.default_rng(seed)
    labels = pa.array(SCALE.labels)

    def column(codes: np.ndarray[tuple[int], np.dtype[np.int8]]) -> object:
        return pa.DictionaryArray.from_arrays(pa.array(codes), labels)

    folder.mkdir(parents=True, exist_ok=True)
    for part, begin in enumerate(range(0, items, items // PARTS)):
        writer = None
        end = min(items, begin + items // PARTS)
        for first in range(begin, end, _AT_ONCE):
            size = min(_AT_ONCE, end - first)
            gold = random.choice(3, size=size, p=[0.07, 0.7, 0.23]).astype(np.int8)
            hard = random.random(size, dtype=np.float32) < 0.3
            usual = (gold + 1 + (random.random(size, dtype=np.float32) < 0.5)).astype(np.int8) % 3
            columns = {"id": pa.array([f"item-{item}" for item in range(first, first + size)]), "gold": column(gold)}
            for system in range(systems):
                right = random.random(size, dtype=np.float32) < np.where(hard, 0.6 + 0.35 * system / systems, 0.995)
                wrong = np.where(random.random(size, dtype=np.float32) < 0.8, usual, 3 - gold - usual).astype(np.int8)
                columns[f"system_{system:02d}"] = column(np.where(right, gold, wrong).astype(np.int8))
            table = pa.table(columns)
            writer = writer or pq.ParquetWriter(folder / f"part-{part}.parquet", table.schema, compression="zstd")
            writer.write_table(table, row_group_size=1 << 17)
        assert writer is not None
        writer.close()


def read(folder: Path) -> PatternRuns:
    """The patterns, everything checked: ids, labels, partitions."""
    dataset = read_parquet_labels(str(folder), (), scale=SCALE, columns=Columns(), policies=Policies(), limits=LIMITS)
    assert isinstance(dataset.runs, PatternRuns)
    return dataset.runs


def group_by(folder: Path, systems: int) -> None:
    """What DuckDB does at least: the labels grouped as they stand, the groups counted, nothing checked."""
    columns = ", ".join(["gold", *(f"system_{system:02d}" for system in range(systems))])
    grouped = f"SELECT {columns}, count(*) AS n FROM read_parquet('{folder}/*.parquet') GROUP BY ALL"
    with connected(LIMITS) as connection:
        connection.execute(f"SELECT count(*), sum(n) FROM ({grouped})").fetchall()


def compare_patterns(rounds: int, *, items: int = ITEMS, folder: Path | None = None) -> Comparison:
    """Reading and checking patterns against the bare GROUP BY; folder: of data that were made before."""
    with TemporaryDirectory() as made:
        place = folder or Path(made)
        if not any(place.glob("*.parquet")):
            write_alike(place, items=items, systems=SYSTEMS)
        return faster(
            f"patterns of {items:,} items × {SYSTEMS} systems in Parquet, ids and labels checked",
            lambda: read(place),
            peer="DuckDB's bare GROUP BY",
            theirs=lambda: group_by(place, SYSTEMS),
            claim="≥ 0.33 times as fast",
            clock=time.perf_counter,
            rounds=rounds,
        )


def compare_pattern_halves(rounds: int, *, folder: Path) -> Comparison:
    """1,000 split halves of the patterns against reading them."""
    samples = LabelSamples(read(folder), preset("stance-nine"))

    def halves() -> None:
        plan = split_halves(samples, trials=1_000, seed=1)
        for block in plan.blocks:
            plan.score(block)

    return faster(
        f"1,000 split halves of {len(samples.multiplicities):,} patterns, nine measures",
        halves,
        peer="reading the patterns",
        theirs=lambda: read(folder),
        claim="",
        clock=time.perf_counter,
        rounds=rounds,
    )
