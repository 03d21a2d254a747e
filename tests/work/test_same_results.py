"""The same results on a cluster as in one process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine

pytestmark = pytest.mark.slow

STANCE = (
    *("--task", "fnc1", "--gold", "sample_data/fnc1/gold.csv", "sample_data/fnc1/systems", "--memory", "16MB"),
    *("--labels", "disagree<discuss<agree", "-m", "accuracy", "-m", "cem-ord", "-m", "kappa:weights=linear"),
)
TEXTS = ("--config", "configs/tsc3.yaml", "-m", "rouge-n:n=1", "-m", "wsk:d=2,lambda=0.5,beta=2", "--memory", "16MB")

COMMANDS = {
    "stability": ("stability", *STANCE, "--trials", "400", "--sizes", "0.2"),
    "stratified": ("stability", *STANCE, "--trials", "300", "--stratified"),
    "summary": ("summary", *STANCE),
    "power": ("power", *STANCE, "--permutations", "300"),
    "plan": ("plan", *STANCE, "--resamples", "20"),
    "explain": ("explain", "accuracy", "cem-ord", *STANCE[:-6]),
    "merge-classes": ("merge-classes", *STANCE, "--permutations", "200"),
    "correlate": (
        *("correlate", *TEXTS, "--human", "sample_data/tsc3/human.csv", "--resamples", "50", "--permutations", "99"),
    ),
    "references": ("references", *TEXTS, "--trials", "200"),
}


def _found(metaeval: CommandLine, *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(metaeval.succeeds(*arguments, "-f", "json", "--quiet").out)
    # How metaeval was called, which differs.
    del found["provenance"]["command_line"]
    return found


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_a_cluster_finds_what_one_process_finds(
    metaeval: CommandLine, repository: Path, scheduler: str, arguments: tuple[str, ...]
) -> None:
    assert repository.is_dir()
    assert _found(metaeval, *arguments, "--scheduler", scheduler) == _found(metaeval, *arguments)


def test_a_configuration_names_the_cluster(
    metaeval: CommandLine, repository: Path, tmp_path: Path, scheduler: str
) -> None:
    plain = (repository / "configs/stance.yaml").read_text().replace("../sample_data", str(repository / "sample_data"))
    named = tmp_path / "named.yaml"
    named.write_text(f"scheduler: {scheduler}\n{plain}")
    other = tmp_path / "plain.yaml"
    other.write_text(plain)
    found, expected = (
        _found(metaeval, "power", "--config", str(file), "--permutations", "150", "-m", "mcc")
        for file in (named, other)
    )
    assert found["tables"] == expected["tables"]
