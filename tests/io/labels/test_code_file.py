"""Codes in a temporary file leave nothing behind."""

from pathlib import Path

import numpy as np
import pytest
from command_line import CommandLine

from metaeval.io.files.temporary import remove_temporary_folders
from metaeval.io.labels.code_file import LabelCodeFile
from metaeval.io.parquet import labels as parquet_labels
from metaeval.model.labels import Codes


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files go."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    return place


def test_a_file_of_codes_goes_with_its_object(place: Path) -> None:
    file = LabelCodeFile(1, 2, np.dtype(np.uint8))
    assert any(place.iterdir())
    del file
    assert not any(place.iterdir())


def test_a_file_that_is_still_used_can_be_removed(place: Path) -> None:
    file = LabelCodeFile(1, 2, np.dtype(np.uint8))
    remove_temporary_folders()
    assert not any(place.iterdir())
    del file


def test_an_interrupt_while_streams_are_scored_leaves_no_file(
    place: Path, tmp_path: Path, metaeval: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    pytest.importorskip("duckdb")
    held: list[LabelCodeFile] = []

    def interrupted(file: LabelCodeFile, _chunk: int) -> Codes:
        held.append(file)
        raise KeyboardInterrupt

    monkeypatch.setattr(LabelCodeFile, "predicted", interrupted)
    monkeypatch.setattr(parquet_labels, "_COPIES", 1 << 40)
    gold = tmp_path / "gold.parquet"
    labels = ["low", "high"] * 5
    pq.write_table(pa.table({"id": range(10), "gold": labels, "a": labels, "b": labels[::-1]}), gold)
    outcome = metaeval("score", "--gold", gold, "--engine", "duckdb", "-m", "accuracy")
    assert (outcome.code, outcome.out) == (130, "")
    assert held
    assert not any(place.iterdir())
