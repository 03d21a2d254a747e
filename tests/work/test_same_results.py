"""The same results on a cluster as in one process."""

from __future__ import annotations

from typing import Any

import pytest
from command_line import CommandLine

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("repository")]

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
    "groups": (
        *("stability", "--config", "configs/rumour2017.yaml", "-m", "gmr", "--trials", "50"),
        *("--group", "sample_data/rumoureval2017/stories.csv:story"),
    ),
}


def _report(metaeval: CommandLine, *arguments: str) -> dict[str, Any]:
    report = metaeval.report(*arguments, "--quiet")
    # How metaeval was called, which differs.
    del report["provenance"]["command_line"]
    return report


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_a_cluster_finds_what_one_process_finds(
    metaeval: CommandLine, scheduler: str, arguments: tuple[str, ...]
) -> None:
    assert _report(metaeval, *arguments, "--scheduler", scheduler) == _report(metaeval, *arguments)
