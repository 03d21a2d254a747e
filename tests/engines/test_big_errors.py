"""Errors of Parquet data are those of the reader in memory, which names rows."""

from pathlib import Path

import pytest
from big_data import alike_labels, write_partitions, write_systems, write_table, write_wide
from command_line import CommandLine

from metaeval.engines import checks
from metaeval.engines import labels as parquet_labels
from metaeval.study import labels as label_study

LABELS = ("--labels", "low<mid<high", "--engine", "duckdb")


@pytest.fixture(params=[1, 1 << 40], ids=["patterns", "codes"], autouse=True)
def _route(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_labels, "SAMPLED_FROM", request.param)


def test_rows_of_partitions_are_named_by_their_number_in_the_folder(tmp_path: Path, metaeval: CommandLine) -> None:
    columns = alike_labels(40, 2)
    columns["id"][35], columns["gold"][38], columns["system-1"][20] = columns["id"][2], "odd", "hihg"
    (parts,) = write_partitions(tmp_path, columns)
    message = metaeval.refuses("score", "--gold", parts, *LABELS)
    assert f"{parts}:36: id 'item-2' again, first on line 3; expected every id once" in message
    assert f"{parts}:39: gold label 'odd'; expected one of low, mid, high" in message
    assert f"{parts}:21: prediction 'hihg' in column 'system-1'; expected one of low, mid, high" in message
    assert message.startswith("Error: 3 problems")
    assert "did you mean 'high'?" in message
    assert f"rows of {parts} are counted over all its files, sorted by name" in message


def test_everything_wrong_with_many_folders_is_told_at_once(tmp_path: Path, metaeval: CommandLine) -> None:
    columns = alike_labels(40, 2)
    gold, runs = write_systems(tmp_path, columns)
    ids, labels = columns["id"], columns["system-0"]
    write_table(Path(runs) / "short" / "0.parquet", {"id": ids[:38], "label": labels[:38]})
    write_table(Path(runs) / "extra" / "0.parquet", {"id": [*ids, "foreign"], "label": [*labels, "low"]})
    write_table(Path(runs) / "twins" / "0.parquet", {"id": [*ids, "item-1", None], "label": [*labels, "low", "low"]})
    write_table(Path(runs) / "nameless" / "0.parquet", {"name": ids, "label": labels})
    message = metaeval.refuses("score", "--gold", gold, runs, *LABELS)
    assert f"{runs}/short: no prediction for id 'item-38' and the 1 item after it; expected one for" in message
    assert f"{runs}/extra:41: id 'foreign'" in message
    assert f"{runs}/twins:41: id 'item-1' again, first on line 2" in message
    assert f"{runs}/twins:42: no id" in message
    assert f"{runs}/nameless:1: header 'name,label'; expected a column 'id'" in message
    assert "the file ends before item 'item-38'" in message
    assert "--on-extra drop" in message
    assert message.startswith("Error: 5 problems in 4 files")


@pytest.mark.parametrize(
    ("column", "cells", "message"),
    [
        ("id", ["item-0", None], ":1: an empty or repeated id: 'item-0'; expected every id once"),
        ("gold", ["odd", None], ":8: an id without a gold label of the scale: 'item-7'; expected one of low, mid"),
        ("system-0", [None, "odd"], ":8: an id without a label of the scale from 'system-0': 'item-7'; expected one"),
    ],
)
def test_the_first_row_at_fault_is_told_of_tables_that_memory_cannot_hold(
    column: str,
    cells: list[str | None],
    message: str,
    tmp_path: Path,
    metaeval: CommandLine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(checks, "BYTES_PER_CELL", 1 << 60)
    columns = alike_labels(40, 1)
    columns[column][7:9] = cells
    (wide,) = write_wide(tmp_path, columns)
    refusal = metaeval.refuses("score", "--gold", wide, *LABELS)
    assert f"{wide}{message}" in refusal
    assert "the first row at fault; a larger --memory" in refusal


def test_the_first_unknown_or_repeated_id_of_a_system_is_told(
    tmp_path: Path, metaeval: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "BYTES_PER_CELL", 1 << 60)
    columns = alike_labels(40, 1)
    gold, _ = write_systems(tmp_path, columns)
    ids, labels = columns["id"], columns["system-0"]
    for more, problem in (("foreign", "41: an unknown id"), ("item-1", "2: an empty or repeated id")):
        run = write_table(tmp_path / "run.parquet", {"id": [*ids, more], "label": [*labels, "low"]})
        assert f"{run}:{problem}: '{more}'" in metaeval.refuses("score", "--gold", gold, run, *LABELS)
    other = columns["gold"].index("mid")
    gold_labels = ["low" if row == other else label for row, label in enumerate(columns["gold"])]
    run = write_table(tmp_path / "run.parquet", {"id": ids, "gold": gold_labels, "label": labels})
    refusal = metaeval.refuses("score", "--gold", gold, run, *LABELS)
    assert f"{run}:{other + 1}: an id with another gold label: 'item-{other}'; expected that of {gold}" in refusal


def test_extra_rows_and_gaps_may_be_dropped(tmp_path: Path, metaeval: CommandLine) -> None:
    columns = alike_labels(40, 1)
    gold, runs = write_systems(tmp_path, columns)
    extra = {"id": [*columns["id"][:39], "foreign"], "label": [*columns["system-0"][:39], "low"]}
    write_table(Path(runs) / "extra" / "0.parquet", extra)
    allowed = ("--on-extra", "drop", "--on-missing", "drop")
    warnings = metaeval.succeeds("score", "--gold", gold, runs, *LABELS, *allowed).err
    assert "dropped 1 prediction for ids that are not in gold" in warnings
    assert "dropped 1 item for every system" in warnings


def test_columns_that_partitions_lack_are_refused(tmp_path: Path, metaeval: CommandLine) -> None:
    columns = alike_labels(40, 2)
    (parts,) = write_partitions(tmp_path, columns)
    write_table(Path(parts) / "z.parquet", {"id": ["x"], "gold": ["low"], "system-0": ["low"]})
    assert "z.parquet: a partition without column 'system-1'" in metaeval.refuses("score", "--gold", parts, *LABELS)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"name": ["1"], "gold": ["low"]}, "gold.parquet:1: header 'name,gold'; expected a column 'id'"),
        ({"id": ["1"], "system": ["low"]}, "no gold labels"),
        ({"id": [], "gold": []}, "a header and no rows"),
        ({"id": ["1"], "gold": ["low"]}, "no run beside gold"),
    ],
)
def test_tables_that_are_none_are_refused(
    tmp_path: Path, metaeval: CommandLine, columns: dict[str, list[str | None]], message: str
) -> None:
    path = write_table(tmp_path / "gold.parquet", columns)
    assert message in metaeval.refuses("score", "--gold", path, *LABELS)


def test_broken_and_missing_files_are_refused(
    tmp_path: Path, metaeval: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    (wide,) = write_wide(tmp_path, alike_labels(3_000, 2))
    content = Path(wide).read_bytes()
    Path(wide).write_bytes(content[: len(content) // 2])
    assert f"{wide}: Parquet cannot be read" in metaeval.refuses("score", "--gold", wide, *LABELS)
    Path(wide).write_bytes(content[:200] + bytes(len(content) - 4_200) + content[-4_000:])
    assert f"{wide}: Parquet cannot be read" in metaeval.refuses("score", "--gold", wide, *LABELS)
    # The reader in memory does not read large files to say what is wrong with them.
    monkeypatch.setattr(label_study, "BIG_CELLS", 1)
    assert f"{wide}: Parquet cannot be read" in metaeval.refuses("score", "--gold", wide, *LABELS)
    (tmp_path / "empty").mkdir()
    (fine,) = write_wide(tmp_path / "fine", alike_labels(40, 2))
    for files in ((tmp_path / "empty",), (fine, tmp_path / "empty")):
        refused = metaeval.refuses("score", "--gold", *files, *LABELS)
        assert f"{tmp_path / 'empty'}: no Parquet file in this folder; expected a file ending in .parquet" in refused


def test_systems_are_what_files_and_columns_of_labels_say(tmp_path: Path, metaeval: CommandLine) -> None:
    columns = alike_labels(40, 2)
    gold = str(tmp_path / "gold.parquet")
    write_table(Path(gold), {"id": columns["id"], "gold": columns["gold"]})
    write_table(tmp_path / "r1.parquet", {"id": columns["id"], "label": ["low"] * 40})
    write_table(tmp_path / "r[1].parquet", {"id": columns["id"], "label": columns["gold"]})
    run = str(tmp_path / "r[[]1].parquet")
    outcome = metaeval.succeeds("score", "--gold", gold, run, *LABELS, "-m", "accuracy", "-f", "csv")
    assert outcome.column("accuracy") == {"r[1]": 1.0}
    columns = alike_labels(40, 2)
    gold, runs = write_systems(tmp_path, columns)
    write_table(Path(runs) / "part.parquet", {"id": columns["id"], "label": columns["gold"]})
    outcome = metaeval.succeeds("score", "--gold", gold, runs, *LABELS, "-m", "accuracy", "-f", "csv")
    assert sorted(outcome.column("accuracy")) == ["part", "system-0", "system-1"]


def test_what_duckdb_is_not_to_read_is_named(tmp_path: Path, metaeval: CommandLine) -> None:
    (wide,) = write_wide(tmp_path, alike_labels(40, 2))
    (tmp_path / "run.csv").write_text("id,label\n")
    message = metaeval.refuses("score", "--gold", wide, tmp_path / "run.csv", tmp_path / "none.parquet", *LABELS)
    assert "run.csv: a file that is not Parquet" in message
    assert "none.parquet: no such file" in message
    assert "--gold" not in message
    assert "leave out --engine duckdb" in message
    refusal = metaeval.refuses("score", "--gold", wide, "--task", "fnc1", "--engine", "duckdb")
    assert "--engine duckdb with --task fnc1; expected Parquet files of labels, with --task labels" in refusal


def test_files_that_are_parts_of_a_system_and_not_systems_are_asked_for(tmp_path: Path, metaeval: CommandLine) -> None:
    columns = alike_labels(40, 1)
    gold, runs = write_systems(tmp_path, columns)
    folder = Path(runs) / "system-0"
    message = metaeval.refuses("score", "--gold", gold, folder, *LABELS)
    assert "Error: 40 problems in 2 files" in message
    assert f"if the files of {folder} are parts of one system, name the folder, as in NAME={folder}" in message
    metaeval.succeeds("score", "--gold", gold, f"NAME={folder}", *LABELS)
    # A single file, or a separate folder, is not taken for a part.
    alone = metaeval.refuses("score", "--gold", gold, folder / "part-0.parquet", *LABELS)
    assert "parts of one system" not in alone


def test_partitions_are_not_passed_over_by_the_reader_in_memory(tmp_path: Path, metaeval: CommandLine) -> None:
    columns = alike_labels(40, 2)
    gold, runs = write_systems(tmp_path, columns)
    write_table(Path(runs) / "whole.parquet", {"id": columns["id"], "label": columns["gold"]})
    (parts,) = write_partitions(tmp_path, columns)
    in_memory = (*LABELS[:2], "--engine", "memory")
    for data, folder in (
        (("--gold", parts), parts),
        (("--gold", gold, runs), runs),
        (("--gold", gold, f"a={runs}/system-0"), f"{runs}/system-0"),
    ):
        message = metaeval.refuses("score", *data, *in_memory)
        assert f"{folder}: a folder of partitions with --engine memory; expected one file of gold" in message
        assert "leave out --engine" in message
        if folder == parts or "=" in data[-1]:
            metaeval.succeeds("score", *data, *LABELS[:2])


@pytest.mark.parametrize("command", ["score", "validate"])
def test_too_little_memory_for_duckdb_is_told_with_what_is_enough(
    command: str, tmp_path: Path, metaeval: CommandLine
) -> None:
    (wide,) = write_wide(tmp_path, alike_labels(40, 2))
    parts = ("100 MB of memory for DuckDB; expected at least 128 MB", "--memory 128MB")
    metaeval.refuses_with(parts, command, "--gold", wide, *LABELS, "--memory", "100MB")
    metaeval.succeeds(command, "--gold", wide, *LABELS, "--memory", "128MB")
