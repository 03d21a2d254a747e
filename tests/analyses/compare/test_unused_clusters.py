"""Columns that look like clusters and are not used, and files of clusters that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from command_line import CommandLine


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Gold with a column of threads and one of ids that do not repeat, and two systems."""
    rows = [f"i{item},{'ab'[item % 2]},t{item % 8},d{item}\n" for item in range(40)]
    (tmp_path / "gold.csv").write_text("id,label,Thread,document\n" + "".join(rows))
    for name, every in (("x", 3), ("y", 5)):
        labels = [f"i{item},{'ab'[(item + (item % every == 0)) % 2]}\n" for item in range(40)]
        (tmp_path / f"{name}.csv").write_text("id,label\n" + "".join(labels))
    return ["--gold", str(tmp_path / "gold.csv"), str(tmp_path / "x.csv"), str(tmp_path / "y.csv"), "-m", "accuracy"]


def test_a_note_names_a_column_of_clusters_that_is_not_used(metaeval: CommandLine, files: list[str]) -> None:
    note = "column 'Thread' has 8 values for 40 items and is not used"
    for command in ("compare", "power"):
        said = metaeval.succeeds(command, *files, "--permutations", "99").err
        assert note in said
        assert "--cluster Thread" in said
        assert "document" not in said
    for choice in ("Thread", "none"):
        assert note not in metaeval.succeeds("compare", *files, "--permutations", "99", "--cluster", choice).err
    gold = Path(files[1])
    gold.write_text(gold.read_text().replace("t7", ""))
    assert "is not used" not in metaeval.succeeds("compare", *files, "--permutations", "99").err


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_the_note_on_a_column_of_parquet(metaeval: CommandLine, files: list[str], engine: str) -> None:
    for path in files[1:4]:
        pd.read_csv(path).to_parquet(Path(path).with_suffix(".parquet"))
    gold, *systems = (Path(path).with_suffix(".parquet") for path in files[1:4])
    call = ("compare", "--gold", gold, *systems, "--engine", engine, "-m", "accuracy", "--permutations", "99")
    values = "has 8 values for 40 items and " if engine == "memory" else ""
    assert f"column 'Thread' {values}is not used: if items" in metaeval.succeeds(*call).err
    assert "is not used" not in metaeval.succeeds(*call, "--cluster", "Thread").err


def test_files_of_clusters_that_cannot_be_read(metaeval: CommandLine, files: list[str], tmp_path: Path) -> None:
    def refused(clusters: str, text: str | None = None) -> str:
        if text is not None:
            (tmp_path / "own.csv").write_text(text)
        return metaeval.refuses("compare", *files, "--cluster", clusters)

    own = f"{tmp_path / 'own.csv'}:thread"
    rows = [f"i{item},t{item % 8}\n" for item in range(40)]
    whole = "item,thread\n" + "".join(rows)
    (tmp_path / "own.csv").write_text(whole)
    assert "8 clusters of thread" in metaeval.succeeds("compare", *files, "--cluster", own).err
    assert "expected a column 'threat'" in refused(own.replace(":thread", ":threat"))
    assert "no value of 'thread' for 39 items, for example 'i1'" in refused(own, "item,thread\ni0,t0\n")
    assert "no value of 'thread' for 1 item, for example 'i39'" in refused(own, whole.replace("i39,t7", "i39,"))
    assert "cluster 't5' for item 'i0'; expected 't0'" in refused(own, whole + "i0,t5\n")
    assert "the file is empty" in refused(own, "")
    gold = Path(files[1]).read_bytes()
    said = metaeval("compare", "--gold", "-", *files[2:], "--cluster", "Thread", stdin=gold)
    assert (said.code, "standard input, which was read before" in said.err) == (2, True)
