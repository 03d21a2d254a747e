"""Results with numbers that metaeval does not write are refused, and refused files come with a remedy."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command_line import CommandLine, Write


@pytest.fixture
def gold(write: Write) -> str:
    return write("g.csv", "id,label\n1,a\n2,b\n")


@pytest.mark.parametrize("number", ["Infinity", "-Infinity", "NaN", "1e999", "9" * 400])
def test_results_have_finite_numbers(metaeval: CommandLine, write: Write, gold: str, number: str) -> None:
    metaeval.succeeds("score", "--gold", gold, gold, "-m", "accuracy", "-o", "r.json", "-f", "json")
    results = Path("r.json").read_text(encoding="utf-8")
    write("r.json", re.sub('"accuracy": 1.0', f'"accuracy": {number}', results, count=1))
    for command in (("report", "r.json", "-o", "r.html"), ("check", "r.json", "--fail-if", "scores.g.accuracy < 0.5")):
        message = metaeval.refuses(*command)
        assert "r.json: a number in column 'accuracy' of row 1 of table 'scores'; expected a finite number" in message


@pytest.mark.parametrize("number", ["inf", "nan", "1e999", "1_0", "\uff15"])
def test_folders_of_results_have_finite_numbers(metaeval: CommandLine, write: Write, gold: str, number: str) -> None:
    metaeval.succeeds("score", "--gold", gold, gold, "-m", "accuracy", "--output-dir", "out")
    scores = Path("out/scores.csv").read_text(encoding="utf-8")
    write("out/scores.csv", scores.replace("1.0", number, 1))
    message = metaeval.refuses("report", "out", "-o", "r.html")
    assert (
        f"out/scores.csv:2: value '{number}' in column 'accuracy'; expected a finite number or an empty cell" in message
    )


def test_files_that_cannot_be_read_come_with_a_remedy(metaeval: CommandLine, write: Write, gold: str) -> None:
    Path("loop.csv").symlink_to("loop.csv")
    broken = write("b.parquet", b"PAR1 and nothing else")
    Path("folder").mkdir()
    for path, problem, remedy in [
        (f"{gold}/x", "file cannot be read (Not a directory)", "check the path, its links and its permissions"),
        ("loop.csv", "file cannot be read (Too many levels", "check the path, its links and its permissions"),
        ("folder", "a folder; expected a file", "name a file in it"),
        (broken, "Parquet cannot be read", "write the file again"),
    ]:
        for engine in ("memory", "duckdb") if path == broken else ("memory",):
            message = metaeval.refuses("score", "--gold", path, broken if path == broken else gold, "--engine", engine)
            assert f"{path}: {problem}" in message
            assert f"What to do: {remedy}" in message


@pytest.mark.parametrize("option", ["--on-missing", "--on-unknown"])
def test_an_empty_policy_comes_with_a_remedy(metaeval: CommandLine, gold: str, option: str) -> None:
    assert "What to do: choose one of these." in metaeval.refuses("score", "--gold", gold, gold, option, "")
