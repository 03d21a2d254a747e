"""Whole processes: what a user waits for from the return key to the prompt."""

from __future__ import annotations

import csv
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.paired import Comparison, as_long

ITEMS, SYSTEMS = 25_413, 14
LABELS = np.array(["agree", "disagree", "discuss", "unrelated"])
PRIOR = (0.0749, 0.0274, 0.1757, 0.7220)
"""Of the test set of FNC-1."""

_PANDAS_READS = "import numpy, pandas, sys; [pandas.read_csv(path) for path in sys.argv[1:]]"


def compare_score(rounds: int, *, data: Path | None = None, items: int = ITEMS) -> Comparison:
    """`metaeval score` against a process that imports numpy and pandas and reads the same files.

    data: a folder with `gold.csv` and `systems/`, as of FNC-1; None for made ones of its size.
    """
    with TemporaryDirectory() as folder:
        data = data or made_labels(Path(folder), items)
        files = [str(data / "gold.csv"), *sorted(map(str, (data / "systems").glob("*.csv")))]
        return as_long(
            f"`metaeval score`, {len(files) - 1} systems of {items:,} items",
            [metaeval_program(), "score", "-q", "--gold", *files],
            peer="numpy, pandas and `read_csv` of the same files",
            theirs=[sys.executable, "-c", _PANDAS_READS, *files],
            claim="≤ 1.5 times as long",
            rounds=rounds,
        )


def compare_stability(rounds: int, *, data: Path | None = None, items: int = ITEMS) -> Comparison:
    """`metaeval stability --trials 1000` against `metaeval score`, three classes of the same files."""
    with TemporaryDirectory() as folder:
        data = data or made_labels(Path(folder), items)
        files = [str(data / "gold.csv"), *sorted(map(str, (data / "systems").glob("*.csv")))]
        classes = ["--labels", "disagree<discuss<agree", "--drop-gold", "unrelated", "--on-unknown", "worst", "-q"]
        return as_long(
            f"`metaeval stability --trials 1000`, {len(files) - 1} systems",
            [metaeval_program(), "stability", "--trials", "1000", *classes, "--gold", *files],
            peer="`metaeval score` of the same",
            theirs=[metaeval_program(), "score", *classes, "--gold", *files],
            claim="≤ 2 times as long",
            rounds=rounds,
        )


def compare_help(rounds: int) -> Comparison:
    """`metaeval --help` against a process that imports click."""
    return as_long(
        "`metaeval --help`",
        [metaeval_program(), "--help"],
        peer='`python -c "import click"`',
        theirs=[sys.executable, "-c", "import click"],
        claim="≤ 1.5 times as long",
        rounds=rounds,
    )


def metaeval_program() -> str:
    beside = Path(sys.executable).with_name("metaeval")
    return str(beside) if beside.exists() else shutil.which("metaeval") or "metaeval"


def made_labels(folder: Path, items: int) -> Path:
    """Tidy files as those of the 14 systems of FNC-1."""
    random = np.random.default_rng(20201)
    gold = random.choice(4, size=items, p=PRIOR)
    (folder / "systems").mkdir()
    _write(folder / "gold.csv", gold)
    for number, accuracy in enumerate(np.linspace(0.6, 0.9, SYSTEMS)):
        predicted = np.where(random.random(items) < accuracy, gold, random.integers(4, size=items))
        _write(folder / "systems" / f"system{number:02}.csv", predicted)
    return folder


def _write(path: Path, codes: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["id", "label"])
        writer.writerows((f"fnc{row:05}", label) for row, label in enumerate(LABELS[codes], start=1))
