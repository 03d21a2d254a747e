"""`metaeval report`: a page of an experiment, or of results that are there already."""

import json
import shlex
from pathlib import Path

import pytest
from command_line import CommandLine, Write, refusals
from render.page_reader import by_id, parsed, rows_of
from render.page_reader import words as text_of

from metaeval import read_config, run

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
    assert {table["id"] for table in [element.attrib for element in page.iter("table")] if "id" in table} == {
        f"table-{name}" for name in twin["tables"] if name != "ranks"
    }


@pytest.mark.slow
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
    assert text_of(by_id(one, "table-stability")) == text_of(by_id(other, "table-stability"))


@pytest.mark.slow
def test_a_page_goes_into_a_pipe_or_a_folder_and_not_over_anything(
    metaeval: CommandLine, config: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    metaeval.succeeds("run", config, "--output-dir", "results")
    metaeval.succeeds("report", "results", "-o", "report.html")
    page = parsed(Path("report.html").read_text())
    assert len(list(rows_of(by_id(page, "table-scores")))) == 14
    assert metaeval.succeeds("report", config, "-q").out.startswith("<!doctype html>")
    metaeval.succeeds("run", config, "--output-dir", "results")
    assert "would overwrite" in metaeval.refuses("report", "results", "-o", "results/scores.csv")
    metaeval.succeeds("report", "results", "-o", "results/report.html")
    assert "would overwrite" in metaeval.refuses("report", config, "-o", config)
    assert "one file for each" in metaeval.refuses("report", config, "-o", "x", "--json", "./x")
    assert "cannot be written" in metaeval.refuses("report", config, "-o", "page.html", "--json", "no/such/folder.json")
    assert not Path("page.html").exists()
    monkeypatch.setattr("metaeval.cli.commands._is_terminal", lambda: True)
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
        for words in (("-o", written), ("--json", written, "-o", "page.html")):
            assert "would overwrite" in metaeval.refuses("report", "results.json", *words)
    assert Path("results.json").read_bytes() == before


@pytest.mark.slow
def test_seed_and_digits_are_those_of_the_command_line_and_not_of_the_output(
    metaeval: CommandLine, config: str
) -> None:
    metaeval.succeeds("report", config, "-o", "page.html", "--seed", "7", "--digits", "2")
    page = parsed(Path("page.html").read_text())
    assert "seed:7" in text_of(by_id(page, "provenance"))
    assert all(len(text_of(row[1]).partition(" ")[0]) == 4 for row in rows_of(by_id(page, "table-scores")))
    Path(config).write_text(Path(config).read_text() + "output: {format: csv, digits: 1, output: scores.csv}\n")
    out = metaeval.succeeds("report", config, "-q").out
    assert not Path("scores.csv").exists()
    assert all(len(text_of(row[1]).partition(" ")[0]) == 3 for row in rows_of(by_id(parsed(out), "table-scores")))


ITEMS = "measure,system,item,lang,value\n" + "".join(
    f"m,{system},{lang}{item},{lang},{(item * 3 + index * 5) % 7}\n"
    for lang in "xy"
    for index, system in enumerate("abc")
    for item in range(6)
)
GROUPED = "data: {task: table, runs: [items.csv], group: lang}\nscore: {}\nsimilarity: {permutations: 9}\n"
PAGE = "report: {output: out/page.html, json: out/page.json, appendix: true}\noutput: {output-dir: out}\n"


def is_open(page: str) -> bool:
    """Whether all parts of a page are open."""
    return 'class="appendix"' in page


@pytest.fixture
def section(write: Write) -> str:
    write("configs/items.csv", ITEMS)
    write("configs/plain.yaml", GROUPED)
    return write("configs/c.yaml", GROUPED + PAGE)


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("run configs/c.yaml -o scores.txt --seed 7", 0),
        ("run configs/c.yaml --resume --workers 2 --output-dir configs/out", 0),
        ("run configs/c.yaml -f csv --fail-if 'scores.*.m > 0'", 1),
        ("check configs/c.yaml --fail-if 'scores.*.m > 0'", 1),
        ("check configs/c.yaml --fail-if 'scores.*.m > 9' --save-baseline baseline.json", 0),
        ("report configs/c.yaml", 0),
    ],
)
def test_a_section_adds_the_page_and_its_json(metaeval: CommandLine, section: str, command: str, code: int) -> None:
    words = shlex.split(command)
    assert metaeval(*words).code == code
    page, twin = Path("configs/out/page.html"), Path("configs/out/page.json")
    seed = words[-2:] if "--seed" in words else []
    assert json.loads(twin.read_text())["tables"] == metaeval.tables("run", "configs/plain.yaml", *seed)
    assert 'id="table-scores"' in page.read_text()
    assert is_open(page.read_text())
    tables = {"run": {"scores.csv"}, "check": {"gates.csv"}, "report": set()}
    assert {path.name for path in Path("configs/out").glob("*s.csv")} & {"scores.csv", "gates.csv"} == tables[words[0]]


def test_flags_win_over_the_section(metaeval: CommandLine, section: str) -> None:
    metaeval.succeeds("report", section, "-o", "mine.html", "--no-appendix")
    assert not is_open(Path("mine.html").read_text())
    assert {path.name for path in Path("configs/out").iterdir()} == {"page.json"}
    Path(section).write_text(GROUPED + "report: {appendix: true}")
    assert is_open(metaeval.succeeds("report", section).out)


def test_an_interrupted_page_is_resumed(metaeval: CommandLine, section: str, monkeypatch: pytest.MonkeyPatch) -> None:
    metaeval.succeeds("run", section)
    expected = Path("configs/out/page.html").read_bytes()

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("metaeval.cli.output.write_page", interrupt)
        assert metaeval("run", section).code == 130
    assert Path("configs/out/INCOMPLETE").exists()
    Path("configs/out/page.html").unlink()
    metaeval.succeeds("run", section, "--resume")
    assert Path("configs/out/page.html").read_bytes() == expected
    assert not Path("configs/out/INCOMPLETE").exists()


@refusals("""
'{outputs: p.html}' => c.yaml:4: key 'report.outputs': an unknown key | did you mean 'output'?
'{output: p.html, appendix: perhaps}' => c.yaml:4: key 'report.appendix' | true or false
'{output: [p.html]}' => c.yaml:4: key 'report.output'
p.html => c.yaml:4: key 'report' | output, json, appendix
'{json: p.json}' => c.yaml:4: key 'report': a page without a file | add 'output: report.html'
'{output: p.html, json: ./p.html}' => p.html: one file for the page and for the JSON of the page
'{output: no/p.html}' => no/p.html: it cannot be written
'{output: out/ranks.csv}' => out/ranks.csv: the page in the folder of the results | the name of one of their
'{output: out/p.html, json: out/provenance.json}' => out/provenance.json: the JSON of the page in the folder
'{output: out/no/p.html}' => out/no/p.html: it cannot be written
'{output: .}' => configs: it cannot be written
'{output: c.yaml}' => configs/c.yaml: the file that was read as input
'{output: p.html, json: items.csv}' => items.csv: the file that was read as
'{output: link.html}' => configs/link.html: the file that was read as
'{output: p.html, json: old.json}' => configs/old.json: the file that was read as input
'{output: ../result}' => result: one file for the | and for the page
""")
@pytest.mark.parametrize("command", ["run", "check"])
def test_a_wrong_section_is_refused_and_nothing_written(
    metaeval: CommandLine, write: Write, section: str, command: str, words: tuple[str], parts: list[str]
) -> None:
    (keys,) = words
    write("configs/old.json", metaeval.succeeds("run", "configs/plain.yaml", "-f", "json").out)
    Path("configs/link.html").symlink_to("items.csv")
    baseline = "baseline: old.json, " if "old.json" in keys else ""
    text = f"check: {{{baseline}fail-if: ['scores.*.m > 9']}}\noutput: {{output-dir: out}}\n"
    write("configs/c.yaml", f"{GROUPED}report: {keys}\n{text}")
    before = {path: path.read_bytes() for path in Path("configs").iterdir()}
    more = ("-o", "result") if "../result" in keys else ()
    metaeval.refuses_with(parts, command, section, *more)
    assert {path: path.read_bytes() for path in Path("configs").iterdir() if path.is_file()} == before
    assert not Path("result").exists()


def test_python_reads_the_section_and_writes_nothing(section: str) -> None:
    config = read_config(section)
    assert config.report is not None
    assert (config.report.output, config.report.appendix) == ("configs/out/page.html", True)
    run(config)
    assert not Path("configs/out").exists()
