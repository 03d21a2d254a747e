"""Ctrl-C at any moment while DuckDB reads, joins, checks and counts."""

from __future__ import annotations

import math
import os
import signal
import sys
import tempfile
from pathlib import Path
from types import FrameType

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command_line import CommandLine, Outcome

from metaeval.engines import labels as parquet_labels
from metaeval.engines.duck import Limits, connected
from metaeval.io.files.source import remove_temporary_folders

pytestmark = pytest.mark.slow

ITEMS = 3_000
SYSTEMS = 11
MOMENTS = 15
"""For each command, spread over the calls that it makes, those of DuckDB and Arrow among them."""

TRIES = 3
"""A library may clear an interrupt that comes in the middle of one of its calls; the next calls may not."""

SAID = ("--labels", "0<1<2", "-f", "json", "--engine", "duckdb", "-m", "accuracy")
COMMANDS = {
    "patterns": ("score", "--gold", "alike.parquet"),
    "codes": ("score", "--gold", "different.parquet"),
    "joined": ("score", "--gold", "gold.parquet", "runs"),
}
HELD = {"patterns": "patterns", "codes": "codes in memory", "joined": "patterns"}
"""The note about how the items are stored."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables of items with few patterns and with many, and with one file per system."""
    folder = tmp_path_factory.mktemp("tables")
    random = np.random.default_rng(1)
    ids = np.char.add("item-", np.arange(ITEMS).astype(str))
    gold = random.integers(3, size=ITEMS, dtype=np.int8)
    noise = random.integers(3, size=(SYSTEMS, ITEMS), dtype=np.int8)
    systems = {f"s{system}": pa.array(labels).cast(pa.string()) for system, labels in enumerate(noise)}
    columns = {"id": ids, "gold": pa.array(gold).cast(pa.string())}
    pq.write_table(pa.table({**columns, **systems}), folder / "different.parquet")
    pq.write_table(pa.table({**columns, "s0": systems["s0"], "s1": systems["s1"]}), folder / "alike.parquet")
    pq.write_table(pa.table(columns), folder / "gold.parquet")
    (folder / "runs").mkdir()
    for system, labels in list(systems.items())[:3]:
        pq.write_table(pa.table({"id": ids, "label": labels}), folder / "runs" / f"{system}.parquet")
    return folder


def interrupted(
    metaeval: CommandLine, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], at: float = math.inf
) -> tuple[int, Outcome]:
    """The number of calls that a command makes, and its outcome; at: the call at which an interrupt comes."""
    calls, due = 0, at

    def watch(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls, due
        calls += event in ("call", "c_call")
        if calls >= due:
            due = math.inf
            signal.raise_signal(signal.SIGINT)

    def again(_unraisable: object) -> None:
        """An interrupt within a destructor is lost; the program then sends it once more."""
        nonlocal due
        due = calls + 10
        sys.setprofile(watch)

    monkeypatch.setattr(sys, "unraisablehook", again)
    sys.setprofile(watch)
    try:
        outcome = metaeval(*command)
    finally:
        sys.setprofile(None)
    return calls, outcome


@pytest.mark.parametrize("command", COMMANDS)
def test_an_interrupt_at_any_moment_ends_the_command(
    command: str, folder: Path, tmp_path: Path, metaeval: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(parquet_labels, "SAMPLED_FROM", 1)
    call = (*COMMANDS[command], *SAID)
    metaeval.succeeds(*call)
    calls, outcome = interrupted(metaeval, monkeypatch, call)
    assert HELD[command] in outcome.out
    assert not any(tmp_path.iterdir())
    for moment in range(1, MOMENTS):
        for at in range(calls * moment // MOMENTS, calls * moment // MOMENTS + TRIES):
            _, outcome = interrupted(metaeval, monkeypatch, call, at=at)
            if outcome.code:
                break
        assert (outcome.code, outcome.out) == (130, ""), f"at call {at} of {calls}"
        assert outcome.err.endswith("Interrupted.\n")
        assert not any(tmp_path.iterdir())


def test_an_interrupt_at_every_call_while_a_connection_is_open_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    # Within a destructor an interrupt is lost.
    monkeypatch.setattr(sys, "unraisablehook", lambda _unraisable: None)
    left, done = math.inf, False

    def watch(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal left
        left -= event in ("call", "c_call", "c_return")
        if left <= 0:
            left = math.inf
            signal.raise_signal(signal.SIGINT)

    def connect() -> None:
        with connected(Limits()) as connection:
            assert os.listdir(tmp_path)  # noqa: PTH208 (an iterator would be a destructor more)
            assert connection.number("SELECT 1") == 1

    connect()
    for at in range(1, 1000):
        left = at
        sys.setprofile(watch)
        try:
            connect()
            sys.setprofile(None)
            done = left < math.inf
        except KeyboardInterrupt:
            sys.setprofile(None)
        # As at the end of a process.
        remove_temporary_folders()
        assert not any(tmp_path.iterdir()), f"at call {at}"
        if done:
            return
    pytest.fail("the connection makes more calls than were tried")
