"""Clusters that the user names: used with notes on them, or said to play no role."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import CommandLine

IDLE = "clusters of thread play no role in"
USED = "8 clusters of thread, effective number 8"

COMMANDS = {
    "score -m f-beta": True,
    "sensitivity -m f-beta --grid beta=1,2": True,
    "explain accuracy f-beta --max-items 1": True,
    "power -m accuracy --test tukey --permutations 99": True,
    "power -m f-beta --permutations 99": False,
    "compare -m f-beta --permutations 99": False,
    "stability -m f-beta --trials 20 --permutations 99": False,
    "plan -m f-beta --permutations 99": False,
    "robustness -m f-beta --permutations 99": False,
    "summary -m f-beta -m accuracy --trials 20": False,
    "similarity -m f-beta -m accuracy --permutations 0": True,
    "merge-classes -m f-beta -m accuracy --permutations 0": True,
    "merge-classes -m f-beta -m accuracy --balance --trials 5": True,
}
"""Commands, and whether clusters play no role in them."""


@pytest.fixture
def data(tmp_path: Path) -> list[str]:
    """Gold with a column of threads, and three systems."""
    rows = [f"i{item},{'abc'[item % 3]},t{item % 8}\n" for item in range(40)]
    (tmp_path / "gold.csv").write_text("id,label,thread\n" + "".join(rows))
    for name, every in (("x", 3), ("y", 5), ("z", 7)):
        labels = [f"i{item},{'abc'[(item + (item % every == 0)) % 3]}\n" for item in range(40)]
        (tmp_path / f"{name}.csv").write_text("id,label\n" + "".join(labels))
    return ["--gold", str(tmp_path / "gold.csv"), *(str(tmp_path / f"{name}.csv") for name in "xyz")]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_uses_named_clusters_or_says_that_they_play_no_role(
    metaeval: CommandLine, data: list[str], command: str
) -> None:
    name, *options = command.split()
    report = metaeval.report(name, *options, *data, "--cluster", "thread")
    notes = report["notes"]
    assert (f"{IDLE} {name}" in notes, USED in notes) == (COMMANDS[command], not COMMANDS[command])
    assert ("|clusters:thread|" in report["signature"]) == (not COMMANDS[command])
    for choice in ([], ["--cluster", "none"]):
        notes = metaeval.report(name, *options, *data, *choice)["notes"]
        assert not [note for note in notes if "play no role" in note]


def test_an_experiment_names_the_analyses_in_which_clusters_play_no_role_once(
    metaeval: CommandLine, data: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "all.yaml"
    sections = "score: {}\nsensitivity: {grid: ['beta=1,2']}\ncompare: {permutations: 99}\nsummary: {}\n"
    path.write_text(
        "data: {gold: gold.csv, runs: [x.csv, y.csv, z.csv], clusters: thread}\nmeasures: [f-beta]\n" + sections
    )
    notes = metaeval.report("run", path)["notes"]
    assert [note for note in notes if "play no role" in note] == [f"{IDLE} score, sensitivity"]
    assert notes.count(USED) == 1


def test_a_check_prints_the_notes_of_the_results_that_it_judges(
    metaeval: CommandLine, data: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "check.yaml"
    sources = "data: {gold: gold.csv, runs: [x.csv, y.csv, z.csv], clusters: thread}\nmeasures: [f-beta]\n"
    path.write_text(f"{sources}compare: {{permutations: 99}}\n")
    judged = metaeval.report("check", path, "--fail-if", "wins.*.wins > 5")
    assert judged["notes"] == metaeval.report("run", path)["notes"]
    assert USED in judged["notes"]
    path.write_text(f"{sources}score: {{}}\n")
    saved = str(tmp_path / "saved.json")
    metaeval.succeeds("check", path, "--save-baseline", saved)
    dropped = metaeval.report("check", path, "--baseline", saved)
    assert "clusters:thread" in dropped["signature"]
    assert dropped["notes"].count(USED) == 1
    assert not [note for note in dropped["notes"] if "play no role" in note]
