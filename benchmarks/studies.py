"""Large studies as whole processes: dozens of systems on tens of thousands of items of many classes."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.apart import apart
from benchmarks.paired import Comparison, by_processes

SYSTEMS, ITEMS, CLASSES = 60, 40_000, 15
COMMANDS = ("score", "similarity", "stability", "power", "compare", "plan", "recommend")
HIGHEST = 1.0
SECONDS = {"run": 45}
"""Promised for a command; 10 for others."""


def compare_study(command: str, rounds: int, *, items: int = ITEMS) -> Comparison:
    """Seconds and memory of a command with the nine measures of stance, without a peer; `run` does all of them."""
    with TemporaryDirectory() as folder:
        words = _written(Path(folder), command, items)
        return by_processes(
            f"`{command}`, {SYSTEMS} systems × {items:,} items, {CLASSES} classes, nine measures",
            lambda: apart("benchmarks.expensive", {"words": words}),
            claim=f"≤ {SECONDS.get(command, 10)} seconds",
            highest=HIGHEST,
            rounds=rounds,
        )


def _written(folder: Path, command: str, items: int) -> list[str]:
    """The files, and the words of the command."""
    random = np.random.default_rng(1)
    gold = random.choice(CLASSES, size=items, p=random.dirichlet(np.full(CLASSES, 5.0)))
    (folder / "systems").mkdir()
    _write(folder / "gold.csv", gold)
    for system, skill in enumerate(random.uniform(0.3, 0.9, size=SYSTEMS).tolist()):
        # Most errors are near the gold class.
        near = np.clip(gold + random.integers(-2, 3, size=items), 0, CLASSES - 1)
        wrong = np.where(random.random(items) < 0.7, near, random.integers(CLASSES, size=items))
        _write(folder / f"systems/s{system}.csv", np.where(random.random(items) < skill, gold, wrong))
    labels = "<".join(f"c{code}" for code in range(CLASSES))
    if command != "run":
        data = ["--gold", f"{folder}/gold.csv", f"{folder}/systems", "--labels", labels]
        return [command, *data, "--preset", "stance-nine"]
    parts = [
        "data:", "  task: labels", f"  gold: {folder}/gold.csv", f"  runs: [{folder}/systems]", f"  labels: {labels}",
        "preset: stance-nine", *(f"{each}: {{}}" for each in COMMANDS),
    ]  # fmt: skip
    (folder / "study.yaml").write_text("\n".join(parts), encoding="utf-8")
    return ["run", f"{folder}/study.yaml", "--output-dir", f"{folder}/results", "--overwrite"]


def _write(path: Path, codes: np.ndarray) -> None:
    rows = "".join(f"i{item},c{code}\n" for item, code in enumerate(codes.tolist()))
    path.write_text(f"id,label\n{rows}", encoding="utf-8")
