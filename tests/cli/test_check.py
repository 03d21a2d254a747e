"""`--fail-if` of every command, and `check`: verdicts, exit codes, JUnit, annotations, baselines."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from command_line import CommandLine, Write
from label_studies import label_file

from metaeval.runner.one import Results
from metaeval.settings import AnalysisSettings

STANCE = "configs/stance.yaml"
FEW = ("stability", "--config", STANCE, "--trials", "20", "--permutations", "20")
PASSES = "stability.cem-ord.mean < 0.6"
FAILS = "stability.*.mean < 0.9"
GOLD = label_file("ab" * 30)
CONFIG = """
data: {gold: gold.csv, runs: [runs], labels: a<b}
measures: [accuracy, macro-f1]
score: {}
"""


def half_right(of: int) -> str:
    """A system that is wrong on every so-many-th item."""
    return label_file("ab"[(number + (number % of == 0)) % 2] for number in range(60))


@pytest.fixture
def config(write: Write) -> str:
    write("gold.csv", GOLD)
    write("runs/good.csv", half_right(10))
    write("runs/a.b.csv", half_right(3))
    return write("experiment.yaml", CONFIG)


# --fail-if


@pytest.mark.usefixtures("repository")
def test_a_gate_that_passes_or_fails_changes_no_result(metaeval: CommandLine) -> None:
    without = metaeval.succeeds(*FEW)
    passed = metaeval.succeeds(*FEW, "--fail-if", PASSES)
    assert (passed.out, passed.err) == (without.out, without.err + "1 gate passed\n")
    failed = metaeval(*FEW, "--fail-if", PASSES, "--fail-if", FAILS, "-q")
    assert (failed.code, failed.out) == (1, without.out)
    assert failed.err.startswith(f"Gate failed: {FAILS}: stability.")
    assert failed.err.count("\n") == 1


def test_a_wrong_expression_is_refused_before_the_work(metaeval: CommandLine) -> None:
    error = metaeval.refuses("score", "--gold", "there-is-none.csv", "--fail-if", "scores.a.f1 < 95%")
    lines = error.splitlines()
    assert lines[0] == "Error: '95%'; expected a number, such as 0.6, or a cell, such as TABLE.ROW.COLUMN"
    assert lines[2].index("^^^") == lines[1].index("95%")


def test_a_name_that_is_not_there_is_told_instead_of_the_results(metaeval: CommandLine, config: str) -> None:
    gate = ("--fail-if", "scores.good.acuracy < 1")
    missed = metaeval("score", "--config", config, *gate, "-f", "csv")
    assert (missed.code, missed.out) == (2, "")
    assert metaeval("score", "--config", config, *gate, "-o", "scores.txt").code == 2
    assert not Path("scores.txt").exists()
    assert missed.err.endswith("What to do: did you mean 'accuracy'?\n")


@pytest.mark.parametrize(
    ("words", "condition"),
    [
        (("score", "--config", "{}"), 'scores."a.b".accuracy < 0.9'),
        (("run", "{}"), 'scores."a.b".accuracy < 0.9'),
        (("validate", "--config", "{}"), 'files."a.b".items == 60'),
        (("axioms", "-m", "accuracy", "--cases", "0"), "axioms.accuracy.imbalance == false"),
    ],
)
def test_every_command_has_gates(metaeval: CommandLine, config: str, words: tuple[str, ...], condition: str) -> None:
    outcome = metaeval(*(word.format(config) for word in words), "--fail-if", condition)
    assert (outcome.code, bool(outcome.out)) == (1, True)
    assert f"Gate failed: {condition}: " in outcome.err


def test_reproduce_has_gates_over_tables_that_documents_leave_out(metaeval: CommandLine) -> None:
    condition = "verdicts.ordinal2022.exact < 1000000"
    outcome = metaeval("reproduce", "ordinal2022", "-f", "markdown", "--fail-if", condition)
    assert (outcome.code, bool(outcome.out)) == (1, True)


# check


def test_check_of_the_sample_has_a_verdict_for_each_gate(metaeval: CommandLine, repository: Path) -> None:
    assert repository.is_dir()
    similar = 'similarity.rouge-l."wsk:d=2,lambda=0.5,beta=2" < 0.99'
    conditions = ("scores.lead.rouge-l < 0.3", similar, "similarity.rouge-l.rouge-l != 1")
    gates = (word for condition in conditions for word in ("--fail-if", condition))
    outcome = metaeval("check", "configs/news.yaml", "-f", "json", "-q", *gates)
    report = json.loads(outcome.out)
    assert outcome.code == 1
    assert list(report["tables"]) == ["gates"]
    rows = report["tables"]["gates"]
    assert list(rows[0]) == ["gate", "verdict", "value", "limit", "reason"]
    assert [row["verdict"] for row in rows] == ["passed", "failed", "passed"]
    assert (rows[1]["limit"], rows[2]["value"]) == (0.99, 1)
    assert report["command"] == "check"
    assert "task:texts" in report["signature"]
    assert report["findings"] == [{"criterion": "check", "sentence": "1 of 3 gates failed"}]


def test_conditions_of_the_file_and_of_flags_are_all_judged(metaeval: CommandLine, config: str, write: Write) -> None:
    write(
        config,
        CONFIG.replace("score: {}\n", "")
        + "check:\n  fail-if: [scores.*.accuracy < 0.7, scores.good.accuracy < 0.2]\n",
    )
    outcome = metaeval("check", config, "--fail-if", "scores.*.accuracy > 1", "-f", "csv")
    assert outcome.code == 1
    assert [row["verdict"] for row in outcome.rows()] == ["failed", "passed", "passed"]


def test_a_run_judges_the_conditions_of_its_file(metaeval: CommandLine, config: str, write: Write) -> None:
    baseline = str(Path(config).parent / "baseline.json")
    metaeval.succeeds("check", config, "--save-baseline", baseline)
    cases = {
        "[scores.good.accuracy < 0.2]": (0, "1 gate passed"),
        "[scores.good.accuracy < 0.2, scores.*.accuracy < 0.7]": (1, "Gate failed: scores.*.accuracy < 0.7"),
        "[scores.good.accuracy < baseline - 0.1]\n  baseline: baseline.json": (0, "1 gate passed"),
        "[scores.good.accuracy == baseline]\n  baseline: baseline.json": (1, "Gate failed"),
        "[scores.godo.accuracy < 0.2]": (2, "did you mean 'good'?"),
        "[scores.good.accuracy < baseline]": (2, "no baseline"),
    }
    for gates, (code, message) in cases.items():
        write(config, f"{CONFIG}check:\n  fail-if: {gates}\n")
        outcome = metaeval("run", config)
        assert (outcome.code, bool(outcome.out), message in outcome.err) == (code, code < 2, True), gates
        # Other commands have other tables than the file.
        assert metaeval("score", "--config", config).code == 0


@pytest.mark.parametrize("form", ["json", "folder"])
def test_results_are_checked_without_being_computed_again(metaeval: CommandLine, config: str, form: str) -> None:
    where = ("-f", "json", "-o", "results.json") if form == "json" else ("--output-dir", "results")
    metaeval.succeeds("run", config, *where)
    for run in Path("runs").iterdir():
        run.unlink()
    results = where[-1]
    assert metaeval.succeeds("check", results, "--fail-if", 'scores."a.b".accuracy < 0.5').out
    assert metaeval("check", results, "--fail-if", 'ranks."a.b".accuracy == 2').code == 1


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ("--save-baseline q.xml --junit ./q.xml", "the verdicts as JUnit XML and for the baseline"),
        ("-o q.json --save-baseline q.json", "the verdicts and for the baseline"),
        ("--junit q.xml -o q.xml", "the verdicts and for the verdicts as JUnit XML"),
        ("--junit q.png --plot q.png", "the plot and for the verdicts as JUnit XML"),
    ],
)
def test_check_writes_over_nothing_that_it_read_or_wrote(
    metaeval: CommandLine, config: str, options: str, what: str
) -> None:
    gate = ("--fail-if", 'scores."a.b".accuracy < 0.5')
    metaeval.succeeds("run", config, "-f", "json", "-o", "results.json")
    assert "read as results" in metaeval.refuses("check", "results.json", *gate, "-o", "results.json")
    assert "read as gold" in metaeval.refuses("check", config, *gate, "--junit", "gold.csv")
    assert "cannot be written" in metaeval.refuses("check", config, *gate, "--junit", "no/folder/junit.xml")
    Path("gold.csv").unlink()  # The error comes before the work.
    assert f"one file for {what}" in metaeval.refuses("check", config, *gate, *options.split())


def test_what_can_not_be_kept_is_told_before_anything_is_shown(metaeval: CommandLine, config: str) -> None:
    gate = ("--fail-if", "scores.good.accuracy < 0.5")
    refused = metaeval("check", config, *gate, "--save-baseline", "gold.csv", "--junit", "junit.xml")
    assert (refused.code, refused.out) == (2, "")
    assert "read as gold" in refused.err
    assert not Path("junit.xml").exists()
    assert Path("gold.csv").read_text() == GOLD


def test_standard_input_is_read_once(metaeval: CommandLine) -> None:
    error = metaeval.refuses("check", "-", "--baseline", "-", "--fail-if", "scores.a.f1 < baseline")
    assert "standard input for the results and for the baseline" in error


def test_names_send_no_control_characters_to_a_terminal(metaeval: CommandLine, config: str, write: Write) -> None:
    write("runs/a\x1b[31m.csv", half_right(3))
    condition = "scores.*.accuracy < 0.7"
    for words in (("score", "--config", config), ("check", config, "--github")):
        outcome = metaeval(*words, "--fail-if", condition)
        assert outcome.code == 1
        assert "a\\x1b[31m" in outcome.err
        assert "\x1b" not in outcome.err + outcome.out


# Baselines


@pytest.mark.parametrize("form", ["table", "chart", "markdown", "latex", "csv", "json"])
def test_a_baseline_alone_is_no_table_without_rows(metaeval: CommandLine, config: str, form: str) -> None:
    outcome = metaeval.succeeds("check", config, "--save-baseline", "baseline.json", "-f", form)
    assert "othing was checked, because there is neither" in outcome.err + outcome.out
    assert ("verdict" in outcome.out) is (form in ("csv", "json"))


def test_a_lost_system_is_told_even_quietly(metaeval: CommandLine, config: str, baseline: str) -> None:
    Path("runs/a.b.csv").unlink()
    outcome = metaeval("check", config, "--baseline", baseline, "-q", "--junit", "junit.xml")
    assert outcome.code == 1
    says = "Not comparable with the baseline: a.b accuracy: earlier 0.6667; now, difference, low, high, p undefined"
    assert says in outcome.err
    assert ET.parse("junit.xml").getroot().attrib["failures"] == "2"


@pytest.fixture
def baseline(metaeval: CommandLine, config: str) -> str:
    metaeval.succeeds("check", config, "--save-baseline", "baseline.json", "-q")
    return "baseline.json"


def test_a_run_is_as_good_as_itself_and_refreshes_its_baseline(
    metaeval: CommandLine, config: str, baseline: str, write: Write
) -> None:
    gate = ("--fail-if", "scores.*.accuracy < baseline")
    tables = metaeval.tables("check", config, "--baseline", baseline, *gate)
    assert list(tables) == ["gates", "baseline"]
    assert {row["verdict"] for row in tables["baseline"]} == {"passed"}
    before = Path(baseline).read_bytes()
    write("runs/good.csv", GOLD)
    outcome = metaeval.succeeds("check", config, "--baseline", baseline, "--save-baseline", baseline, "-f", "json")
    assert list(json.loads(outcome.out)["tables"]) == ["baseline"]
    assert "Baseline saved in baseline.json" in outcome.err
    assert Path(baseline).read_bytes() != before


def test_a_significant_drop_fails_and_leaves_the_baseline_alone(
    metaeval: CommandLine, config: str, baseline: str, write: Write
) -> None:
    before = Path(baseline).read_bytes()
    write("runs/good.csv", half_right(2))
    outcome = metaeval("check", config, "--baseline", baseline, "--save-baseline", baseline, "--junit", "junit.xml")
    assert outcome.code == 1
    assert "Worse than the baseline: good accuracy: earlier 0.9, now 0.5" in outcome.err
    assert "Baseline not saved" in outcome.err
    assert Path(baseline).read_bytes() == before
    assert ET.parse("junit.xml").getroot().attrib["failures"] != "0"


def test_a_baseline_of_other_or_more_items_is_refused(
    metaeval: CommandLine, config: str, baseline: str, write: Write
) -> None:
    metaeval.succeeds("run", config, "-f", "json", "-o", "results.json")
    write("gold.csv", GOLD.replace("i59,", "j59,"))
    for run in ("runs/good.csv", "runs/a.b.csv"):
        write(run, Path(run).read_text().replace("i59,", "j59,"))
    metaeval.succeeds("run", config, "-f", "json", "-o", "now.json")
    gate = ("--fail-if", "scores.good.accuracy < baseline")
    assert "other gold files" in metaeval.refuses("check", "now.json", *gate, "--baseline", "results.json")
    metaeval.succeeds("score", "--config", config, "--drop-gold", "a", "-f", "json", "-o", "fewer.json")
    fewer = metaeval.refuses("check", "fewer.json", *gate, "--baseline", baseline)
    assert "a baseline made with n 60; expected n 30" in fewer
    assert metaeval.succeeds("check", "results.json", *gate, "--baseline", baseline).out


def test_results_alone_are_not_compared_with_a_baseline(metaeval: CommandLine, config: str, baseline: str) -> None:
    metaeval.succeeds("run", config, "-f", "json", "-o", "results.json")
    error = metaeval.refuses("check", "results.json", "--baseline", baseline)
    assert "results without predictions to compare with a baseline; expected an experiment file" in error


# What is computed and written


def test_a_check_computes_the_sections_that_its_gates_name(
    metaeval: CommandLine, config: str, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(config, CONFIG + "stability: {trials: 20, permutations: 20}\nsimilarity: {}\n")
    analysed = list[str]()

    def analysing(results: Results, settings: AnalysisSettings) -> Any:
        analysed.append(settings.section)
        return analyse(results, settings)

    analyse = Results.of
    monkeypatch.setattr(Results, "of", analysing)
    cases = {
        ("--fail-if", "stability.accuracy.mean < 0"): {"stability"},
        ("--fail-if", "ranks.good.accuracy > 1", "--fail-if", "stability.accuracy.mean < 0"): {"score", "stability"},
        ("--save-baseline", "baseline.json"): {"score", "stability", "similarity"},
        ("--baseline", "baseline.json"): set(),
    }
    for words, sections in cases.items():
        analysed.clear()
        outcome = metaeval.succeeds("check", config, *words)
        assert set(analysed) == sections, words
        assert "ties: " not in outcome.out + outcome.err, "a note of stability"


def test_a_check_keeps_the_files_of_a_run(metaeval: CommandLine, config: str, write: Write) -> None:
    write(config, CONFIG + "stability: {trials: 20, permutations: 20}\noutput: {output-dir: out, plot: plot.svg}\n")
    metaeval.succeeds("run", config)
    before = {path: path.read_bytes() for path in (*Path("out").glob("*.csv"), Path("plot.svg"))}
    metaeval.succeeds("check", config, "--fail-if", "scores.good.accuracy < 0")
    assert {path: path.read_bytes() for path in before} == before
    assert {path.name for path in Path("out").iterdir()} > {"gates.csv", "stability.csv"}
    for table in ("stability", "gates"):
        assert metaeval("check", "out", "--fail-if", f"{table}.*.nothing < 0").err.startswith("Error: 'nothing'")
    write("runs/good.csv", GOLD)
    metaeval.succeeds("check", config, "--fail-if", "scores.good.accuracy < 0")
    assert "no table of the results" in metaeval.refuses("check", "out", "--fail-if", "stability.*.mean < 0")


def test_results_of_a_later_schema_are_refused(metaeval: CommandLine, config: str) -> None:
    metaeval.succeeds("run", config, "-f", "json", "-o", "results.json")
    results = json.loads(Path("results.json").read_text())
    assert results["schema"] == 1
    Path("results.json").write_text(json.dumps(results | {"schema": 2}))
    error = metaeval.refuses("check", "results.json", "--fail-if", "scores.good.accuracy < 0")
    assert "results of a later version of metaeval (schema 2); expected schema 1" in error


# JUnit and annotations


def test_annotations_are_for_github(metaeval: CommandLine, monkeypatch: pytest.MonkeyPatch, config: str) -> None:
    for option, variable, expected in (
        ("", "true", True),
        ("", "", False),
        ("--github", "", True),
        ("--no-github", "true", False),
    ):
        monkeypatch.setenv("GITHUB_ACTIONS", variable)
        outcome = metaeval("check", config, "--fail-if", "scores.*.accuracy < 0.7", *option.split())
        assert outcome.code == 1
        shown = "::error title=Gate failed::scores.*.accuracy < 0.7: scores." in outcome.err
        assert shown is expected, (option, variable)
        assert "::error" not in outcome.out


def test_what_a_check_writes_beside_its_verdicts_is_no_file_of_others(metaeval: CommandLine, write: Write) -> None:
    write("gold.csv", "id,label\n1,a\n2,b\n")
    text = "data: {gold: gold.csv, runs: [run=gold.csv]}\nmeasures: [accuracy]\nscore: {}\noutput: {output-dir: out}\n"
    Path("out").mkdir()
    config = write("c.yaml", text + "report: {output: out/page.html}\n")
    for _ in range(2):
        metaeval.succeeds("check", config, "--fail-if", "scores.run.accuracy < 0", "--junit", "out/j.xml")
        assert {"page.html", "j.xml", "gates.csv"} <= {path.name for path in Path("out").iterdir()}
    assert "out/j.xml: a file that metaeval" in metaeval.refuses(
        "check", config, "--fail-if", "scores.run.accuracy < 0"
    )


# The frozen signature of a phase


def test_results_with_another_signature_fail_and_the_parts_that_differ_are_named(
    metaeval: CommandLine, config: str, write: Write
) -> None:
    leaderboard = ("leaderboard", "--config", config, "-m", "accuracy", "--permutations", "99", "-q")
    metaeval.succeeds(*leaderboard, "-f", "json", "-o", "frozen.json")
    metaeval.succeeds(*leaderboard, "--on-missing", "miss", "--seed", "5", "-f", "json", "-o", "other.json")
    signature = json.loads(Path("frozen.json").read_text())["signature"]
    for name in ("table", "markdown", "latex"):
        metaeval.succeeds(*leaderboard, "-f", name, "-o", f"frozen.{name}")
    for frozen in (signature, "frozen.table", "frozen.markdown", "frozen.latex", "frozen.json"):
        outcome = metaeval.succeeds("check", "frozen.json", "--signature", frozen)
        assert outcome.out.startswith("1 gate passed")
        failed = metaeval("check", "other.json", "--signature", frozen, "--junit", "junit.xml")
        assert failed.code == 1
        assert "signature: seed is 5 instead of 20201; on-missing is miss instead of absent" in failed.err
        assert len(ET.parse("junit.xml").findall(".//failure")) == 1
        assert max(len(line) for line in failed.out.splitlines() if not line.startswith("metaeval:")) <= 100
    any_seed = signature.replace("seed:20201", "seed:*") + "|on-missing:*"
    metaeval.succeeds("check", "other.json", "--signature", any_seed)
    both = metaeval("check", "frozen.json", "--signature", signature, "--fail-if", "standings.good.rank == 1")
    assert (both.code, both.out.splitlines()[0]) == (1, "1 of 2 gates failed.")


def test_other_gold_of_the_same_size_fails_where_the_frozen_results_have_it(
    metaeval: CommandLine, config: str, write: Write
) -> None:
    metaeval.succeeds("score", "--config", config, "-f", "json", "-o", "frozen.json")
    write("gold.csv", Path("gold.csv").read_text().replace(",a", ",b", 1))
    failed = metaeval("check", config, "--signature", "frozen.json")
    assert (failed.code, failed.err.strip()) == (1, "Gate failed: signature: the files of gold have other contents")


def test_the_signature_of_an_experiment_is_that_of_its_whole_run(
    metaeval: CommandLine, config: str, write: Write
) -> None:
    Path(config).write_text(CONFIG + "compare: {permutations: 99}\n")
    metaeval.succeeds("run", config, "-f", "json", "-o", "run.json", "-q")
    metaeval.succeeds("check", config, "--signature", "run.json", "--fail-if", "scores.good.accuracy < 0.1")
    write("later.yaml", Path(config).read_text() + "check: {frozen-signature: run.json}\nseed: 3\n")
    assert "seed is 3 instead of 20201" in metaeval("check", "later.yaml").err


@pytest.mark.parametrize(
    ("frozen", "part"),
    [
        ("absent.json", "absent.json: no such file"),
        ("gold.csv", "gold.csv:1: signature 'id,label'"),
        ("task:x", "task:x"),
        ("", "no signature; expected one that begins with 'metaeval:', or a file"),
    ],
)
def test_what_is_no_signature_is_refused(metaeval: CommandLine, config: str, frozen: str, part: str) -> None:
    metaeval.succeeds("score", "--config", config, "-f", "json", "-o", "results.json")
    metaeval.refuses_with([part], "check", "results.json", "--signature", frozen)
