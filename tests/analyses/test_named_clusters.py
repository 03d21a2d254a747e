"""Clusters that the user names, columns that look like clusters and are not used, and files that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from command_line import CommandLine
from label_studies import label_file

IDLE = "clusters of thread play no role in"
USED = "8 clusters of thread, effective number 8"

COMMANDS = {
    "score -m f-beta": True,
    "sensitivity -m f-beta --grid beta=1,2": True,
    "explain accuracy f-beta --permutations 99": False,
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
    """Gold with a column of threads and one of ids that do not repeat, and three systems."""
    rows = [f"i{item},{'abc'[item % 3]},t{item % 8},d{item}\n" for item in range(40)]
    (tmp_path / "gold.csv").write_text("id,label,thread,document\n" + "".join(rows))
    for name, every in (("x", 3), ("y", 5), ("z", 7)):
        labels = ("abc"[(item + (item % every == 0)) % 3] for item in range(40))
        (tmp_path / f"{name}.csv").write_text(label_file(labels))
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


def test_a_check_judges_by_clusters_and_prints_nothing_of_its_results(
    metaeval: CommandLine, data: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "check.yaml"
    sources = "data: {gold: gold.csv, runs: [x.csv, y.csv, z.csv], clusters: thread}\nmeasures: [f-beta]\n"
    path.write_text(f"{sources}compare: {{permutations: 99}}\n")
    verdict = metaeval.report("check", path, "--fail-if", "wins.*.wins > 5")
    assert verdict["notes"] == []
    assert "clusters:thread" in verdict["signature"]
    path.write_text(f"{sources}score: {{}}\n")
    saved = str(tmp_path / "saved.json")
    metaeval.succeeds("check", path, "--save-baseline", saved)
    baseline_verdict = metaeval.report("check", path, "--baseline", saved)
    assert "clusters:thread" in baseline_verdict["signature"]
    assert baseline_verdict["notes"].count(USED) == 1
    assert not [note for note in baseline_verdict["notes"] if "play no role" in note]


# Columns that are not used, and files


FEW = ("-m", "accuracy", "--permutations", "99")


def test_a_note_names_a_column_of_clusters_that_is_not_used(metaeval: CommandLine, data: list[str]) -> None:
    note = "column 'thread' has 8 values for 40 items and is not used"
    for command in ("compare", "power"):
        message = metaeval.succeeds(command, *data, *FEW).err
        assert note in message
        assert "--cluster thread" in message
        assert "'document'" not in message
    for choice in ("thread", "none"):
        assert note not in metaeval.succeeds("compare", *data, *FEW, "--cluster", choice).err
    gold = Path(data[1])
    gold.write_text(gold.read_text().replace("t7", ""))
    assert "is not used" not in metaeval.succeeds("compare", *data, *FEW).err


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_the_note_on_a_column_of_parquet(metaeval: CommandLine, data: list[str], engine: str) -> None:
    for path in data[1:]:
        pd.read_csv(path).to_parquet(Path(path).with_suffix(".parquet"))
    gold, *systems = (Path(path).with_suffix(".parquet") for path in data[1:])
    call = ("compare", "--gold", gold, *systems, "--engine", engine, *FEW)
    values = "has 8 values for 40 items and " if engine == "memory" else ""
    assert f"column 'thread' {values}is not used: if items" in metaeval.succeeds(*call).err
    assert "is not used" not in metaeval.succeeds(*call, "--cluster", "thread").err


def test_files_of_clusters_that_cannot_be_read(metaeval: CommandLine, data: list[str], tmp_path: Path) -> None:
    def refusal(clusters: str, text: str | None = None) -> str:
        if text is not None:
            (tmp_path / "own.csv").write_text(text)
        return metaeval.refuses("compare", *data, "--cluster", clusters)

    source = f"{tmp_path / 'own.csv'}:thread"
    rows = [f"i{item},t{item % 8}\n" for item in range(40)]
    whole = "item,thread\n" + "".join(rows)
    (tmp_path / "own.csv").write_text(whole)
    (note,) = (
        note for note in metaeval.report("compare", *data, *FEW, "--cluster", source)["notes"] if "8 clusters" in note
    )
    assert note.startswith("8 clusters of thread")
    assert "expected a column 'threat'" in refusal(source.replace(":thread", ":threat"))
    assert "no value of 'thread' for 39 items, for example 'i1'" in refusal(source, "item,thread\ni0,t0\n")
    assert "no value of 'thread' for 1 item, for example 'i39'" in refusal(source, whole.replace("i39,t7", "i39,"))
    assert "cluster 't5' for item 'i0'; expected 't0'" in refusal(source, whole + "i0,t5\n")
    assert "the file is empty" in refusal(source, "")
    gold = Path(data[1]).read_bytes()
    result = metaeval("compare", "--gold", "-", *data[2:], "--cluster", "thread", stdin=gold)
    assert (result.code, "standard input, which was read before" in result.err) == (2, True)
