"""What commands print, where, and in which form."""

import csv
import hashlib
import io
import json
import shlex
import sys
from pathlib import Path

import pytest
from command_line import CommandLine, Write

from metaeval.version import __version__

GOLD = "id,label\na,yes\nb,no\nc,yes\n"


@pytest.fixture
def two(write: Write) -> tuple[str, ...]:
    """Gold, a system with undefined MCC, and a good one."""
    runs = write("all.csv", GOLD.replace("no", "yes")), write("ok.csv", GOLD)
    return ("--gold", write("gold.csv", GOLD), *runs)


def test_json_has_exactly_the_public_shape(metaeval: CommandLine, two: tuple[str, ...]) -> None:
    outcome = metaeval.succeeds("score", "-m", "accuracy", "-m", "mcc", "-f", "json", *two)
    report = json.loads(outcome.out)
    members = ["schema", "command", "signature", "findings", "tables", "notes", "warnings", "provenance", "layout"]
    assert list(report) == members
    assert report["command"] == "score"
    assert report["signature"] == f"metaeval:{__version__}|task:labels|n:3|systems:2|scale:no,yes|seed:20201"
    confusions = report["tables"].pop("confusions")
    assert list(confusions[0]) == ["system", "gold", "predicted", "items", "share"]
    assert report["tables"] == {
        "scores": [
            {"system": "ok", "accuracy": 1.0, "mcc": 1.0},
            {"system": "all", "accuracy": 0.666666666667, "mcc": None},
        ],
        "ranks": [{"system": "ok", "accuracy": 1, "mcc": 1}, {"system": "all", "accuracy": 2, "mcc": None}],
    }
    assert any("mcc is undefined" in note for note in report["notes"])
    assert outcome.err == ""


def test_provenance_tells_files_hashes_settings_and_what_was_typed(metaeval: CommandLine, two: tuple[str, ...]) -> None:
    arguments = ("-m", "accuracy", "-f", "json", "--labels", "no<yes", "--on-missing", "worst", "--seed", "0", *two)
    provenance = json.loads(metaeval.succeeds("score", *arguments).out)["provenance"]
    keys = "version command_line files versions settings repairs titles sources measures title"
    assert list(provenance) == keys.split()
    roles = {file["path"]: file["role"] for file in provenance["files"]}
    assert roles == {"gold.csv": "gold", "all.csv": "run", "ok.csv": "run"}
    for file in provenance["files"]:
        assert file["sha256"] == hashlib.sha256(Path(file["path"]).read_bytes()).hexdigest()
    assert provenance["command_line"] == shlex.join(["metaeval", "score", *arguments])
    settings = {"task": "labels", "n": 3, "systems": 2, "scale": "no<yes", "on-missing": "worst", "seed": 0}
    assert provenance["settings"] == settings
    assert set(provenance["repairs"].values()) == {0}
    assert provenance["sources"] == {"accuracy": "amemiya2021"}
    assert provenance["measures"] == {"accuracy": "accuracy"}
    assert list(provenance["versions"]) == ["python", "numpy", "scipy"]


def test_csv_is_the_main_table_at_full_precision(metaeval: CommandLine, two: tuple[str, ...]) -> None:
    outcome = metaeval.succeeds("score", "-m", "accuracy", "-m", "mcc", "-f", "csv", "--digits", "1", *two)
    assert outcome.out == "system,accuracy,mcc\nok,1.0,1.0\nall,0.666666666667,\n"
    assert "Finding: ok has the best score" in outcome.err


@pytest.mark.parametrize("kind", ["table", "csv", "json", "markdown", "latex"])
def test_a_file_takes_the_whole_result_and_standard_output_nothing(
    metaeval: CommandLine, two: tuple[str, ...], kind: str
) -> None:
    printed = metaeval.succeeds("score", "-f", kind, *two).out
    outcome = metaeval.succeeds("score", "-f", kind, *two, "-o", "out")
    assert outcome.out == ""
    if kind != "json":
        assert Path("out").read_text() == printed
    assert not list(Path().glob("tmp*"))


def test_a_file_that_is_overwritten_keeps_its_permissions(metaeval: CommandLine, two: tuple[str, ...]) -> None:
    Path("out").write_text("old")
    Path("out").chmod(0o640)
    metaeval.succeeds("score", "-f", "csv", *two, "-o", "out")
    assert Path("out").stat().st_mode & 0o777 == 0o640
    assert Path("out").read_text().startswith("system,")


@pytest.mark.parametrize(("variable", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_a_terminal_gets_colour_unless_it_asks_for_none_and_nothing_else_does(
    metaeval: CommandLine, two: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("FORCE_COLOR", "1")
    outcome = metaeval.succeeds("score", *two)
    assert "\x1b" not in outcome.out + outcome.err
    monkeypatch.delenv("FORCE_COLOR")
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda _self: True)
    assert "\x1b[" in metaeval.succeeds("score", *two).out
    monkeypatch.setenv(variable, value)
    assert "\x1b" not in metaeval.succeeds("score", *two).out


def test_ties_share_the_lowest_rank_and_trivial_systems_are_flagged(
    metaeval: CommandLine, two: tuple[str, ...], write: Write
) -> None:
    same = write("same.csv", GOLD)
    ranks = metaeval.tables("score", "-m", "accuracy", *two, same)["ranks"]
    assert {row["system"]: row["accuracy"] for row in ranks} == {"ok": 1, "same": 1, "all": 3}
    rows = metaeval.tables("score", "-m", "accuracy", "--trivial", *two)["scores"]
    flagged = [row["system"] for row in rows if row["trivial"]]
    assert sorted(flagged) == ["all no", "all yes", "majority", "prior random", "uniform random"]
    assert [row["system"] for row in rows if not row["trivial"]] == ["ok", "all"]


def test_measures_lists_and_explains(metaeval: CommandLine) -> None:
    rows = list(csv.DictReader(io.StringIO(metaeval.succeeds("measures", "-f", "csv").out)))
    assert {"cem-ord", "accuracy", "fnc1-score"} <= {row["name"] for row in rows}
    explained = metaeval.report("measures", "kappa:weights=none")
    assert list(explained["tables"]) == ["measure"]
    assert max(map(len, metaeval.succeeds("measures", "cem-ord").out.splitlines())) <= 110


def test_validate_describes_classes_numbers_and_columns(
    metaeval: CommandLine, two: tuple[str, ...], write: Write
) -> None:
    report = metaeval.report("validate", *two)
    assert report["tables"]["files"] == [
        {"system": "gold", "file": "gold.csv", "items": 3, "no": 1, "yes": 2},
        {"system": "all", "file": "all.csv", "items": 3, "no": 0, "yes": 3},
        {"system": "ok", "file": "ok.csv", "items": 3, "no": 1, "yes": 2},
    ]
    gold = write("gold.csv", "id,label\na,items\nb,other\nc,other\n")
    report = metaeval.report("validate", "--gold", gold, gold)
    row = report["tables"]["files"][0]
    assert row == {"system": "gold", "file": gold, "items": 3, "class items": 1, "other": 2}
    gold, run = write("gold.csv", "id,label\na,lo\nb,hi\n"), write("run.csv", "id,score\na,1\nb,2.5\n")
    rows = metaeval.tables("validate", "--task", "scores", "--labels", "lo<hi", "--gold", gold, run)["files"]
    assert rows[1] == {"system": "run", "file": "run.csv", "items": 2, "lowest": 1.0, "mean": 1.75, "highest": 2.5}
