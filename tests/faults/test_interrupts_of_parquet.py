"""Ctrl-C at any moment while DuckDB reads, joins, checks and counts, and while items are streamed."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from faults import processes
from faults.processes import PATIENCE, start

ITEMS = 300_000
SYSTEMS = 11
MOMENTS = 4
"""For each command, spread over the time that it takes."""

SOON = 5.0
"""Seconds after which a command that is interrupted has to be gone, even on a busy machine."""

STREAMING = "from metaeval.io.parquet import labels as parquet_labels; parquet_labels._COPIES = 1 << 40; "
"""What lets a process begin in which no codes fit in memory."""

SAID = ("--labels", "0<1<2", "-f", "json", "--engine", "duckdb", "-m", "accuracy")
COMMANDS = {
    "patterns": ("score", "--gold", "alike.parquet"),
    "codes": ("score", "--gold", "different.parquet"),
    "joined": ("score", "--gold", "gold.parquet", "runs"),
    "streams": ("stability", "--gold", "different.parquet", "--trials", "128"),
}
HELD = {"patterns": "patterns", "codes": "codes in memory", "joined": "patterns", "streams": "stretches"}
"""What a note says of how the items are held."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables of items that are alike, of others that are not, and of a file a system."""
    folder = tmp_path_factory.mktemp("tables")
    random = np.random.default_rng(1)
    ids = np.char.add("item-", np.arange(ITEMS).astype(str))
    gold = random.integers(3, size=ITEMS, dtype=np.int8)
    noise = random.integers(3, size=(SYSTEMS, ITEMS), dtype=np.int8)
    systems = {f"s{system}": pa.array(labels).cast(pa.string()) for system, labels in enumerate(noise)}
    named = {"id": ids, "gold": pa.array(gold).cast(pa.string())}
    pq.write_table(pa.table({**named, **systems}), folder / "different.parquet")
    pq.write_table(pa.table({**named, "s0": systems["s0"], "s1": systems["s1"]}), folder / "alike.parquet")
    pq.write_table(pa.table(named), folder / "gold.parquet")
    (folder / "runs").mkdir()
    for system, labels in list(systems.items())[:3]:
        pq.write_table(pa.table({"id": ids, "label": labels}), folder / "runs" / f"{system}.parquet")
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_an_interrupt_at_any_moment_ends_the_command(
    command: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    if command == "streams":
        monkeypatch.setattr(processes, "_PROGRAM", STREAMING + processes._PROGRAM)
    call = (*COMMANDS[command], *SAID)
    begun = time.monotonic()
    process = start(folder, *call)
    out, said = process.communicate(timeout=PATIENCE)
    took = time.monotonic() - begun
    assert (process.returncode, bool(out)) == (0, True), said
    assert HELD[command] in out
    assert not any(tmp_path.iterdir())
    for moment in range(MOMENTS):
        process = start(folder, *call)
        # Not up to the very end, where it would be done on a machine that is less busy by now.
        time.sleep(took * 0.6 * (moment + Random(moment).random()) / MOMENTS)
        late = process.poll() is not None
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=SOON)
        if late:
            continue
        assert (process.returncode, out) == (130, ""), said
        assert said.endswith("Interrupted.\n")
        assert "Traceback" not in said
        assert not any(tmp_path.iterdir())
