"""Every command has a function of the same name, which computes the same."""

import csv
import io
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click
import pytest
from command_line import CommandLine

import metaeval as api
from metaeval import registry
from metaeval.cli import COMMANDS, _as_option, command_line
from metaeval.errors import settings_spelled
from metaeval.io.report_file import read_report
from metaeval.render import FORMATS, render

pytestmark = pytest.mark.usefixtures("repository")

ELSEWHERE = {
    "measures": "describe_measure",  # metaeval.measures is the package
}
"""Commands whose function is called otherwise."""

FNC1 = ("--task", "fnc1", "--gold", "sample_data/fnc1/gold.csv", "--labels", "disagree<discuss<agree")
TWO = ("-m", "cem-ord", "-m", "accuracy")
RATINGS = "sample_data/tsc3/human.csv"
CRITICAL = "minor<major<critical"


def fnc1() -> api.Runs:
    return api.read(
        "sample_data/fnc1/systems", gold="sample_data/fnc1/gold.csv", task="fnc1", labels="disagree<discuss<agree"
    )


Case = tuple[tuple[str, ...], Callable[[], api.Result]]

CASES: dict[str, Case] = {
    "score": (
        (*FNC1, "sample_data/fnc1/systems", *TWO, "--trivial", "--sort-by", "accuracy", "--seed", "3"),
        lambda: api.score(fnc1(), ["cem-ord", "accuracy"], trivial=True, sort_by="accuracy", seed=3),
    ),
    "similarity": (
        (
            *(*FNC1, "sample_data/fnc1/systems", *TWO),
            *("--coefficient", "spearman", "--permutations", "50", "--margin", "0.8"),
        ),
        lambda: api.similarity(fnc1(), ["cem-ord", "accuracy"], coefficient="spearman", permutations=50, margin=0.8),
    ),
    "correlate": (
        ("--task", "table", RATINGS, "--human", "D5", "--resamples", "30", "--permutations", "30", "--level", "system"),
        lambda: api.correlate(
            api.read(RATINGS, task="table", human="D5"), resamples=30, permutations=30, levels="system"
        ),
    ),
    "agreement": (
        (RATINGS, "--by", "system", "--judge", "D5", "--level", "interval"),
        lambda: api.agreement(RATINGS, by="system", judges="D5", levels="interval"),
    ),
    "correct": (
        ("sample_data/judged/labels.csv", "--labels", "no<yes", "--cluster", "topic", "--interval-width", "0.2"),
        lambda: api.correct("sample_data/judged/labels.csv", labels="no<yes", clusters="topic", interval_width=0.2),
    ),
    "contrast": (
        ("sample_data/contrast/texts.csv", "-m", "rouge-l", "--cluster", "item", "--severities", CRITICAL),
        lambda: api.contrast("sample_data/contrast/texts.csv", "rouge-l", clusters="item", severities=CRITICAL),
    ),
    "preferences": (
        ("sample_data/preferences/verdicts.csv", "--judge", "juno", "--ties", "half"),
        lambda: api.preferences("sample_data/preferences/verdicts.csv", judges="juno", ties="half"),
    ),
    "audit": (
        (*FNC1, "sample_data/fnc1/systems", *TWO, "--baseline", "random_guess"),
        lambda: api.audit(fnc1(), ["cem-ord", "accuracy"], baselines="random_guess"),
    ),
    "leaderboard": (
        (*FNC1, "sample_data/fnc1/systems", *TWO, "--baseline", "random_guess", "--per-class", "--permutations", "99"),
        lambda: api.leaderboard(
            fnc1(), ["cem-ord", "accuracy"], baselines="random_guess", per_class=True, permutations=99
        ),
    ),
    "axioms": (
        (*TWO, "--property", "imbalance", "--cases", "10", "--seed", "4"),
        lambda: api.axioms(["cem-ord", "accuracy"], properties="imbalance", cases=10, seed=4),
    ),
    "explain": (
        ("cem-ord", "accuracy", "--config", "configs/stance.yaml", "--max-pairs", "2"),
        lambda: api.explain("configs/stance.yaml", ["cem-ord", "accuracy"], max_pairs=2),
    ),
    "measures": (("cem-ord",), lambda: api.describe_measure("cem-ord")),
    "validate": ((*FNC1, "sample_data/fnc1/systems"), lambda: api.validate(fnc1())),
    "reproduce": (("inoue2020",), lambda: api.reproduce("inoue2020")),
    "demo": ((), lambda: api.demo()),
    "doctor": ((), lambda: api.doctor()),
    "run": (("configs/ordinal.yaml",), lambda: api.run("configs/ordinal.yaml")),
    "check": (
        ("configs/ordinal.yaml", "--fail-if", "scores.reversed.spearman > 0"),
        lambda: api.check("configs/ordinal.yaml", fail_if="scores.reversed.spearman > 0"),
    ),
}
"""What is typed, and what is called, by command."""

OF_CONFIGURATIONS: dict[str, tuple[str, list[str], str, dict[str, Any]]] = {
    "stability": (
        "stance", ["cem-ord", "accuracy"], "--trials 40 --sizes 0.1,0.5",
        {"trials": 40, "sizes": [0.1, 0.5], "workers": 2},
    ),
    "merge-classes": (
        "stance", ["cem-ord", "accuracy"], "--merge agree+discuss --permutations 20",
        {"merges": "agree+discuss", "permutations": 20},
    ),
    "summary": ("stance", ["cem-ord", "accuracy"], "--trials 30", {"trials": 30}),
    "recommend": (
        "stance", [], "--permutations 99 --halves 2 --official accuracy",
        {"permutations": 99, "halves": 2, "official": "accuracy"},
    ),
    "sensitivity": ("news", ["rouge-su"], "--grid skip=1,4", {"grid": {"skip": [1, 4]}}),
    "compare": (
        "stance", ["cem-ord", "accuracy"], "--system atlas_large --permutations 60 --baseline even_recall",
        {"systems": ["atlas_large"], "permutations": 60, "baseline": "even_recall"},
    ),
    "power": (
        "stance", ["cem-ord", "accuracy"], "--permutations 50 --alpha 0.1",
        {"permutations": 50, "alpha": 0.1, "workers": 2},
    ),
    "plan": (
        "stance", ["cem-ord", "accuracy"], "--tau 0.8 --sizes 500,2000 --resamples 20",
        {"tau": 0.8, "sizes": [500, 2000], "resamples": 20},
    ),
    "items": ("rumour2017", [], "--alpha 0.1", {"alpha": 0.1}),
    "reliability": ("rumour2017", ["accuracy"], "", {}),
    "robustness": ("rumour2017", ["accuracy"], "--undefined zero", {"undefined": "zero"}),
    "references": ("r4c", ["r4c-rouge:level=full"], "--trials 20 --subsets 3", {"trials": 20, "subsets": 3}),
}  # fmt: skip
"""Configuration, measures, words and keywords of an analysis of an experiment."""


def case_of(analysis: str) -> Case:
    """What is typed, and what is called, for an analysis of a configuration."""
    name, measures, words, keywords = OF_CONFIGURATIONS[analysis]
    path, function = f"configs/{name}.yaml", getattr(api, analysis.replace("-", "_"))
    flags = [word for measure in measures for word in ("-m", measure)]
    return ("--config", path, *flags, *words.split()), partial(function, path, measures or None, **keywords)


CASES |= {analysis: case_of(analysis) for analysis in OF_CONFIGURATIONS}

EXEMPT = {
    "report": "test_a_report_is_the_page_of_its_command compares the pages",
    "scoring-program": "tests/cli/test_scoring_program.py compares the archives",
}
"""Commands without a case, and why."""


def test_every_command_has_a_function() -> None:
    names = [ELSEWHERE.get(command, command.replace("-", "_")) for command in COMMANDS]
    assert [name for name in names if name not in api.__all__] == []


def test_every_command_and_analysis_is_compared_or_exempt() -> None:
    assert CASES.keys().isdisjoint(EXEMPT)
    assert {*CASES, *EXEMPT} == {*registry.COMMANDS, *registry.ANALYSES}


@pytest.mark.parametrize("command", CASES)
def test_a_function_computes_what_its_command_does_whatever_the_workers_and_the_format(
    metaeval: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str
) -> None:
    # Small blocks, so that several workers have something to share.
    monkeypatch.setattr("metaeval.scoring.resamples.trials_per_block", lambda *_, **__: 7)
    typed, call = CASES[command]
    options = command_line.get_command(click.Context(command_line), command)
    assert options is not None
    shared = ("--workers", "3") if any(option.name == "workers" for option in options.params) else ()
    printed: dict[str, Any] = metaeval.report(command, *typed, *shared)
    # Notes spell settings as their reader writes them.
    with settings_spelled(_as_option):
        result = call()
    document = result.to_dict()
    for key in ("command", "signature", "findings", "tables", "notes", "layout"):
        assert document[key] == printed[key]
    assert document["provenance"] == {**printed["provenance"], "command_line": ""}
    # Every format shows the main table, CSV with all columns and digits.
    assert all(render(result, name) for name in FORMATS if name != "html")
    head, *rows = csv.reader(io.StringIO(render(result, "csv")))
    main = printed["tables"][result.main.name]
    assert [head] * len(rows) == [list(row) for row in main]
    for cells, row in zip(rows, main, strict=True):
        for cell, value in zip(cells, row.values(), strict=True):
            assert float(cell) == value if isinstance(value, float) else value is not None or cell == ""
    _reads_back(result, tmp_path / "results.json")


def _reads_back(result: api.Result, path: Path) -> None:
    """A result is the same after it was saved and read, and its cells are what their columns declare."""
    result.save(path)
    back = read_report(str(path))
    assert back.to_dict() == result.to_dict()
    assert render(back, "table") == render(result, "table")
    for table in result.all_tables():
        for index, column in enumerate(table.columns):
            cells = {row[index] for row in table.rows}
            assert not column.values or cells <= {*column.values}, (table.name, column.name)
            # A condition on such a column could be misspelt; published tables have columns of their own.
            assert column.values or column.name not in ("verdict", "outcome") or result.command == "reproduce"


@pytest.mark.parametrize(
    "call",
    [
        lambda: api.plan("configs/stance.yaml", ["cem-ord", "macro-f1"], tau=0.999, resamples=20),
        lambda: api.plan("configs/people.yaml", permutations=99, resamples=20),
        lambda: api.compare("configs/stance.yaml", ["accuracy", "mae"], permutations=5),
        lambda: api.explain("configs/stance.yaml", "nominal", max_pairs=2),
        lambda: api.axioms("stance-nine", cases=10),
        lambda: api.sensitivity("configs/rumour2017.yaml", weights="configs/weightings.csv"),
        lambda: api.run("configs/rumour2017.yaml"),
    ],
)
def test_results_of_any_options_read_back_and_make_a_page(call: Callable[[], api.Result], tmp_path: Path) -> None:
    result = call()
    _reads_back(result, tmp_path / "results.json")
    assert (
        api.report(str(tmp_path / "results.json"), tmp_path / "page.html").to_dict()["tables"]
        == (result.to_dict()["tables"])
    )


@pytest.mark.parametrize("computed", [False, True])
def test_a_report_is_the_page_of_its_command(metaeval: CommandLine, tmp_path: Path, computed: bool) -> None:
    results = "configs/ordinal.yaml"
    if computed:
        results = str(tmp_path / "results.json")
        api.run("configs/ordinal.yaml").save(results)
    typed, called, numbers = (tmp_path / name for name in ("typed.html", "called.html", "numbers.json"))
    metaeval.succeeds("report", results, "-o", typed, "--json", numbers)
    document, printed = api.report(results, called).to_dict(), json.loads(numbers.read_text())
    printed["provenance"]["command_line"] = document["provenance"]["command_line"]
    assert document == printed
    pages = [page.read_text(encoding="utf-8") for page in (typed, called)]
    assert pages[0].count("<svg") == pages[1].count("<svg") > 0
    assert pages[0].count("<table") == pages[1].count("<table") > 0


def test_a_report_is_a_page_and_says_so(tmp_path: Path) -> None:
    result = api.describe_measure("accuracy")
    with pytest.raises(api.InputError, match=r"expected \.html"):
        api.report(result, tmp_path / "page.csv")
    with pytest.raises(api.InputError, match="seed with results that are computed already"):
        api.report(result, tmp_path / "page.html", seed=3)
    assert api.report(result, tmp_path / "page.html") == result
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_saved_results_are_checked_as_the_command_does(metaeval: CommandLine, tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    api.run("configs/ordinal.yaml").save(results)
    condition = "scores.reversed.spearman > 0"
    printed = metaeval.report("check", results, "--fail-if", condition)
    assert api.check(results, fail_if=condition).to_dict()["tables"] == printed["tables"]
    with pytest.raises(api.InputError, match="measures with results that are computed already"):
        api.check(results, "spearman", fail_if=condition)
    with pytest.raises(api.InputError, match="nothing to check"):
        api.check(results)


def test_a_demo_may_be_a_copy(tmp_path: Path) -> None:
    assert str(tmp_path) in api.demo(tmp_path).main.title
    with pytest.raises(api.InputError, match="it already exists"):
        api.demo(tmp_path)


def test_an_option_of_the_experiment_holds_until_another_is_given() -> None:
    config = api.read_config("configs/stance.yaml")
    assert "trials:1000" in api.stability(config, "accuracy").signature
    assert "trials:7" in api.stability(config, "accuracy", trials=7).signature


def test_a_preset_and_names_go_together() -> None:
    names = [column.name for column in api.score(fnc1(), ["mcc", "nominal", "accuracy"]).main.columns]
    assert names[:4] == ["system", "mcc", "accuracy", "macro-f1"]
    assert names.count("accuracy") == 1
