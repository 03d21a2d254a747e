"""Large studies as whole processes: many systems on tens of thousands of items."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.apart import apart
from benchmarks.paired import Comparison, by_processes

SYSTEMS, ITEMS, CLASSES = 60, 40_000, 15
COMMANDS = ("score", "similarity", "stability", "power", "compare", "plan", "recommend")
SUBMISSIONS, THEIR_ITEMS, THEIR_CLASSES = 500, 20_000, 3
TASK_COMMANDS = ("audit", "leaderboard")
SECONDS = {"run": 45}
"""Promised for a command; 10 for others."""


def compare_study(command: str, rounds: int, *, items: int = ITEMS) -> Comparison:
    """Seconds and memory of a command with the nine measures of stance, without a peer; `run` does all of them."""
    with TemporaryDirectory() as folder:
        data = _write_labels(Path(folder), SYSTEMS, items, CLASSES)
        return by_processes(
            f"`{command}`, {SYSTEMS} systems × {items:,} items, {CLASSES} classes, nine measures",
            partial(apart, "benchmarks.expensive", {"words": _words(Path(folder), command, data)}),
            claim=f"≤ {SECONDS.get(command, 10)} seconds",
            highest=1.0,
            rounds=rounds,
        )


def compare_submissions(command: str, rounds: int, *, systems: int = SUBMISSIONS) -> Comparison:
    """Seconds and memory of a command for the submissions of a shared task, without a peer."""
    with TemporaryDirectory() as folder:
        data = _write_labels(Path(folder), systems, THEIR_ITEMS, THEIR_CLASSES)
        return by_processes(
            f"`{command}`, {systems} submissions × {THEIR_ITEMS:,} items, macro-F1 and accuracy",
            partial(apart, "benchmarks.expensive", {"words": [command, *data, "-m", "macro-f1", "-m", "accuracy"]}),
            claim="≤ 60 seconds",
            highest=3.0,
            rounds=rounds,
        )


def _write_labels(folder: Path, systems: int, items: int, classes: int) -> list[str]:
    """The files, and the words that name them."""
    random = np.random.default_rng(1)
    gold = random.choice(classes, size=items, p=random.dirichlet(np.full(classes, 5.0)))
    (folder / "systems").mkdir()
    _write(folder / "gold.csv", gold)
    for system, skill in enumerate(random.uniform(0.3, 0.9, size=systems).tolist()):
        # Most errors are near the gold class.
        near = np.clip(gold + random.integers(-2, 3, size=items), 0, classes - 1)
        wrong = np.where(random.random(items) < 0.7, near, random.integers(classes, size=items))
        _write(folder / f"systems/s{system}.csv", np.where(random.random(items) < skill, gold, wrong))
    labels = "<".join(f"c{code}" for code in range(classes))
    return ["--gold", f"{folder}/gold.csv", f"{folder}/systems", "--labels", labels]


def _words(folder: Path, command: str, data: list[str]) -> list[str]:
    if command != "run":
        return [command, *data, "--preset", "stance-nine"]
    parts = [
        "data:", "  task: labels", f"  gold: {folder}/gold.csv", f"  runs: [{folder}/systems]", f"  labels: {data[-1]}",
        "preset: stance-nine", *(f"{section}: {{}}" for section in COMMANDS),
    ]  # fmt: skip
    (folder / "study.yaml").write_text("\n".join(parts), encoding="utf-8")
    return ["run", f"{folder}/study.yaml", "--output-dir", f"{folder}/results", "--overwrite"]


def _write(path: Path, codes: np.ndarray) -> None:
    rows = "".join(f"i{item},c{code}\n" for item, code in enumerate(codes.tolist()))
    path.write_text(f"id,label\n{rows}", encoding="utf-8")
