"""`metaeval report`: a page of an experiment, or of results that are there already."""

import json
from pathlib import Path

import pytest
from command_line import CommandLine, Write
from render.page_reader import by_id, parsed, rows_of, words

CONFIG = """\
data: {{task: fnc1, gold: {root}/gold.csv, runs: [{root}/systems], labels: disagree<discuss<agree}}
measures: [accuracy, macro-f1, cem-ord]
score: {{}}
stability: {{trials: 20, permutations: 20}}
"""


@pytest.fixture
def config(write: Write) -> str:
    root = Path(__file__).resolve().parents[2] / "sample_data" / "fnc1"
    return write("study.yaml", CONFIG.format(root=root))


def test_a_configuration_is_run_and_shown(metaeval: CommandLine, config: str) -> None:
    outcome = metaeval.succeeds("report", config, "-o", "report.html", "--json", "report.json", "-q")
    assert outcome.out == ""
    page = parsed(Path("report.html").read_text())
    twin = json.loads(Path("report.json").read_text())
    assert len(list(rows_of(by_id(page, "table-scores")))) == len(twin["tables"]["scores"]) == 14
    assert {table["id"] for table in [each.attrib for each in page.iter("table")] if "id" in table} == {
        f"table-{name}" for name in twin["tables"] if name != "ranks"
    }


def test_results_give_the_page_and_the_twin_that_their_experiment_gave(metaeval: CommandLine, config: str) -> None:
    metaeval.succeeds("report", config, "-o", "first.html", "--json", "results.json")
    metaeval.succeeds("report", "results.json", "-o", "second.html")
    assert Path("first.html").read_bytes() == Path("second.html").read_bytes()
    metaeval.succeeds("run", config, "-f", "json", "-o", "results.json")
    metaeval.succeeds("report", "results.json", "-o", "report.html", "--json", "twin.json")
    assert Path("twin.json").read_bytes() == Path("results.json").read_bytes()
    metaeval.succeeds("report", config, "-o", "report.html")
    metaeval.succeeds("run", config, "-f", "html", "-o", "run.html")
    one, other = (parsed(Path(name).read_text()) for name in ("report.html", "run.html"))
    assert words(by_id(one, "table-stability")) == words(by_id(other, "table-stability"))


def test_a_page_goes_into_a_pipe_or_a_folder_and_not_over_anything(
    metaeval: CommandLine, config: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    metaeval.succeeds("run", config, "--output-dir", "results")
    metaeval.succeeds("report", "results", "-o", "report.html")
    page = parsed(Path("report.html").read_text())
    assert len(list(rows_of(by_id(page, "table-scores")))) == 14
    assert metaeval.succeeds("report", config, "-q").out.startswith("<!doctype html>")
    metaeval.succeeds("run", config, "--output-dir", "results")
    assert "over the results" in metaeval.refuses("report", "results", "-o", "results/scores.csv")
    metaeval.succeeds("report", "results", "-o", "results/report.html")
    assert "over the" in metaeval.refuses("report", config, "-o", config)
    assert "a file for each" in metaeval.refuses("report", config, "-o", "x", "--json", "./x")
    assert "cannot be written" in metaeval.refuses("report", config, "-o", "page.html", "--json", "no/such/folder.json")
    assert not Path("page.html").exists()
    monkeypatch.setattr("metaeval.cli.commands.report._is_terminal", lambda: True)
    assert "-o report.html" in metaeval.refuses("report", config)
    metaeval.succeeds("report", config, "-o", "report.html")


def test_what_decides_on_work_and_what_was_read_are_refused(metaeval: CommandLine, config: str) -> None:
    metaeval.succeeds("run", config, "-f", "json", "-o", "results.json")
    for option in ("--seed 1", "--workers 2", "--memory 64MB"):
        message = metaeval.refuses("report", "results.json", "-o", "page.html", *option.split())
        assert f"leave out {option.split()[0]}" in message
    Path("link.json").symlink_to("results.json")
    before = Path("results.json").read_bytes()
    for written in ("results.json", "./link.json"):
        for words_ in (("-o", written), ("--json", written, "-o", "page.html")):
            assert "over the results" in metaeval.refuses("report", "results.json", *words_)
    assert Path("results.json").read_bytes() == before


def test_seed_and_digits_are_those_of_the_command_line_and_not_of_the_output(
    metaeval: CommandLine, config: str
) -> None:
    metaeval.succeeds("report", config, "-o", "page.html", "--seed", "7", "--digits", "2")
    page = parsed(Path("page.html").read_text())
    assert "seed:7" in words(by_id(page, "provenance"))
    assert all(len(words(row[1]).partition(" ")[0]) == 4 for row in rows_of(by_id(page, "table-scores")))
    Path(config).write_text(Path(config).read_text() + "output: {format: csv, digits: 1, output: scores.csv}\n")
    out = metaeval.succeeds("report", config, "-q").out
    assert not Path("scores.csv").exists()
    assert all(len(words(row[1]).partition(" ")[0]) == 3 for row in rows_of(by_id(parsed(out), "table-scores")))
