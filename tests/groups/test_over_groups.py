"""Means and ranks over groups, findings and notes, files of results, conditions and baselines."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from command_line import CommandLine
from shared_data import SHARED_DATA, needs_shared_data

import metaeval
from metaeval.analyses.declaration import Statistic
from metaeval.errors import InputError
from metaeval.io.report_file import read_report
from metaeval.model.report import AnalysisOutput, Column, Kind, Table, group_report, merged_notes, merged_output
from metaeval.render import render
from metaeval.render.plots import drawings
from metaeval.render.plots.canvas import LIGHT
from metaeval.runner.groups import tables_over_groups

TABLE: dict[str, list[Any]] = {
    "lp": [*["zh"] * 6, *["de"] * 6],
    "system": list("aabbccaabbdd"),
    "item": [1, 2] * 6,
    "bleu": [0.5, 0.25, 0.5, 0.75, 1.0, 0.5, 0.25, 0.25, 0.5, 0.0, 0.75, 1.0],
    "ter": [1.0, 0.5, 0.25, 0.25, 0.5, 0.5, 0.0, 0.25, 0.25, 0.5, 1.0, 1.0],
}


def score(**options: Any) -> Any:
    return metaeval.score(metaeval.from_scores(TABLE, group="lp", lower_is_better="ter", **options))


def rows(result: Any, table: str, *keys: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    """The rows of a table by some of their cells."""
    return {tuple(row[key] for key in keys): row for row in result.to_dict()["tables"][table]}


def test_the_mean_over_groups_is_undefined_for_systems_that_a_group_lacks() -> None:
    result = score()
    scores, over = rows(result, "scores", "group", "system"), rows(result, "scores_over_groups", "system")
    for system in "ab":
        for measure in ("bleu", "ter"):
            assert over[(system,)][measure] == (scores["zh", system][measure] + scores["de", system][measure]) / 2
    assert over[("c",)]["bleu"] is over[("d",)]["ter"] is None
    assert "system c is not in de" in map(str, result.notes)


def test_ranks_are_those_of_the_systems_in_each_group_and_ties_share_the_mean_in_mean_ranks() -> None:
    result = score()
    ranks = rows(result, "scores_ranks_by_group", "group", "system")
    assert [ranks["zh", system]["bleu"] for system in "abc"] == [3, 2, 1]
    # A lower TER is better; b and c do not tie, and a has 0.75 in zh.
    assert [ranks["zh", system]["ter"] for system in "abc"] == [3, 1, 2]
    # a and b have the same BLEU in de.
    assert [ranks["de", system]["bleu"] for system in "abd"] == [2, 2, 1]
    means = rows(result, "scores_ranks_over_groups", "system")
    assert [means[(system,)]["bleu"] for system in "ab"] == [(3 + 2.5) / 2, (2 + 2.5) / 2]


def test_one_column_becomes_a_table_of_groups_and_measures() -> None:
    columns = (Column("group"), Column("measure"), Column("mean", Kind.SCORE, True), Column("sd", Kind.SCORE))
    cells = (("x", "f1", 0.5, 0.1), ("x", "mcc", 0.75, 0.1), ("y", "f1", 0.25, 0.1), ("y", "mcc", math.nan, 0.1))
    by_group, over = tables_over_groups(Statistic("mean"), Table("stability", "", columns, cells), "lang")
    assert by_group.name == "stability_by_group"
    assert by_group.beside is not None
    assert by_group.records() == [{"group": "x", "f1": 0.5, "mcc": 0.75}, {"group": "y", "f1": 0.25, "mcc": None}]
    assert by_group.beside.records() == [{"group": "x", "f1": 2, "mcc": 1}, {"group": "y", "f1": 1, "mcc": None}]
    assert over.records() == [
        {"measure": "f1", "mean": 0.375, "mean_rank": 1.5, "groups": 2},
        {"measure": "mcc", "mean": None, "mean_rank": None, "groups": 2},
    ]


def test_measures_are_ranked_among_rows_that_are_otherwise_equal() -> None:
    columns = (Column("group"), Column("measure"), Column("level"), Column("value", Kind.SCORE))
    cells = (("x", "m", "item", 0.1), ("x", "n", "item", 0.2), ("x", "m", "system", 0.9), ("x", "n", "system", 0.8))
    merged = Table("correlations", "", columns, cells)
    _, over = tables_over_groups(Statistic("value", keys=("measure", "level")), merged, "lp")
    ranks = [(row["measure"], row["level"], row["mean_rank"]) for row in over.records()]
    assert ranks == [("n", "item", 1), ("m", "item", 2), ("m", "system", 1), ("n", "system", 2)]


def test_sentences_of_all_groups_are_said_once_and_others_name_their_groups() -> None:
    texts = {"x": ["same", "only x"], "y": ["same", "x and y differ"], "z": ["only x", "same"]}
    assert list(map(str, merged_notes(texts))) == ["same", "x, z: only x", "y: x and y differ"]


def test_columns_of_one_group_are_empty_in_others_and_groups_of_measures_have_another_name() -> None:
    one = Table("groups", "2 groups of 3", (Column("measure"), Column("group")), (("f1", "A"),))
    other = Table("groups", "1 groups of 3", (Column("measure"), Column("share", Kind.SCORE)), (("f1", 0.5),))
    table = merged_output({"x": AnalysisOutput([one]), "y": AnalysisOutput([other])}).tables[0]
    assert table.title == "By group: 1–2 groups of 3"
    assert table.records() == [
        {"group": "x", "measure": "f1", "measure_group": "A", "share": None},
        {"group": "y", "measure": "f1", "measure_group": "", "share": 0.5},
    ]


def test_results_of_groups_are_read_again_from_json_and_from_a_folder(tmp_path: Path) -> None:
    result = score()
    result.save(tmp_path / "result.json")
    again = read_report(str(tmp_path / "result.json"))
    assert (again.groups, again.to_dict()) == (("zh", "de"), result.to_dict())
    assert group_report(again, "de").table("scores").records() == group_report(result, "de").table("scores").records()
    with pytest.raises(InputError, match="group 'da'"):
        group_report(again, "da")


def test_the_signature_names_the_column_and_adds_up_the_items() -> None:
    settings = score().provenance.settings
    assert (settings["n"], settings["systems"], settings["group"], settings["groups"]) == (4, 3, "lp", 2)
    assert "|group:lp|groups:2|" in score().signature


def test_groups_of_frames_and_of_columns_by_name() -> None:
    pandas = pytest.importorskip("pandas")
    labels = {"gold": ["x", "y"] * 6, "a": ["x"] * 12, "b": ["x", "y", "y"] * 4}
    languages = ["en", "en", "da"] * 4
    frame = pandas.DataFrame({**labels, "lang": languages})
    systems = {name: labels[name] for name in "ab"}
    results = [
        metaeval.score(runs, "accuracy").to_dict()["tables"]["scores"]
        for runs in (
            metaeval.from_frame(frame, group="lang"),
            metaeval.from_labels(systems, gold=labels["gold"], group={"lang": languages}),
        )
    ]
    hits = {
        (group, name): [
            p == g for p, g, language in zip(labels[name], labels["gold"], languages, strict=True) if language == group
        ]
        for group in ("en", "da") for name in "ab"
    }  # fmt: skip
    for result in results:
        accuracies = {(row["group"], row["system"]): row["accuracy"] for row in result}
        assert accuracies == {key: pytest.approx(sum(outcomes) / len(outcomes)) for key, outcomes in hits.items()}


def test_groups_of_texts_in_memory() -> None:
    runs = metaeval.from_texts(
        {"a": ["a b", "c", "d e"], "b": ["a", "c d", "e"]}, references=["a b", "c d", "d"], group={"genre": list("xyx")}
    )
    result = metaeval.score(runs, "rouge-n:n=1")
    assert [(row["group"], row["system"]) for row in result.to_dict()["tables"]["scores"]] == [
        ("x", "a"), ("x", "b"), ("y", "b"), ("y", "a"),
    ]  # fmt: skip


def test_a_page_and_a_plot_have_a_heat_map_for_each_group(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    page = render(score(), "html")
    assert 'id="plot-scores-by-group"' in page
    score().save(tmp_path / "plot.svg")
    svg = (tmp_path / "plot.svg").read_text(encoding="utf-8")
    assert [name for name in (">zh<", ">de<", ">a<", ">bleu<") if name not in svg] == []
    # System d has no score in zh; names of systems are at the left of the first panel alone.
    assert svg.count(">—<") == 4
    assert svg.count(">a<") == 1


def test_small_multiples_have_the_same_axes_and_rows() -> None:
    pytest.importorskip("matplotlib")
    report = metaeval.stability(metaeval.from_scores(TABLE, group="lp"), trials=20, permutations=99)
    (drawing,) = drawings(report)
    figure = drawing.picture.paint(LIGHT, drawing.title)
    assert drawing.name == "stability-by-group"
    assert len(figure.axes) == 2
    assert len({axes.get_xlim() for axes in figure.axes}) == 1
    means = {(row["group"], row["measure"]): row["mean"] for row in report.to_dict()["tables"]["stability"]}
    names = [text.get_text() for text in figure.axes[0].texts]
    for group, axes in zip(report.groups, figure.axes, strict=True):
        shown = [np.asarray(line.get_xdata())[0] for line in axes.lines]
        assert shown == [pytest.approx(means[group, name]) for name in names]


EXPERIMENT = """
data:
  task: table
  runs: [scores.csv]
  group: lp
score: {}
similarity: {}
check:
  fail-if: [scores.zh.a.bleu < 0.3, scores.*.bleu < 0.1, scores_over_groups.b.bleu < 0.3]
"""


@pytest.fixture
def experiment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = [",".join(TABLE), *(",".join(map(str, row)) for row in zip(*TABLE.values(), strict=True))]
    Path("scores.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    Path("experiment.yaml").write_text(EXPERIMENT, encoding="utf-8")
    return tmp_path


@pytest.mark.usefixtures("experiment")
def test_an_experiment_its_conditions_and_its_baseline(metaeval: CommandLine) -> None:
    report = metaeval.report("run", "experiment.yaml")
    assert report["groups"] == ["zh", "de"]
    assert {row["group"] for row in report["tables"]["similarity"]} == {"zh", "de"}
    assert metaeval("check", "experiment.yaml", "--save-baseline", "earlier.json").code == 0
    worse = Path("scores.csv").read_text(encoding="utf-8").replace("zh,a,1,0.5", "zh,a,1,0.1")
    Path("scores.csv").write_text(worse, encoding="utf-8")
    checked = metaeval("check", "experiment.yaml", "--baseline", "earlier.json", "-f", "json")
    assert checked.code == 1
    result = json.loads(checked.out)
    assert [row["verdict"] for row in result["tables"]["gates"]] == ["failed", "passed", "passed"]
    drops = {(row["group"], row["system"], row["measure"]): row["difference"] for row in result["tables"]["baseline"]}
    assert (drops["zh", "a", "bleu"], drops["de", "a", "bleu"]) == (pytest.approx(-0.2), 0)
    assert ("zh", "d", "bleu") not in drops


def test_a_baseline_of_groups_is_one_family(metaeval: CommandLine, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(8)
    before = {pair: random.random((2, 40)).round(3) for pair in ("zh", "de")}
    now = {pair: values - (0.03 if pair == "zh" else 0) + random.normal(0, 0.1, (2, 40)).round(3)
           for pair, values in before.items()}  # fmt: skip

    def drops(name: str, pairs: tuple[str, ...]) -> dict[tuple[str, str], dict[str, Any]]:
        for values in (before, now):
            rows = [f"{pair},{system},{item},{values[pair][index, item]}"
                    for pair in pairs for index, system in enumerate("ab") for item in range(40)]  # fmt: skip
            Path("scores.csv").write_text("\n".join(["lp,system,item,bleu", *rows]) + "\n", encoding="utf-8")
            baseline = ["--save-baseline", f"{name}.json"] if values is before else ["--baseline", f"{name}.json"]
            Path(f"{name}.yaml").write_text("data: {task: table, runs: [scores.csv], group: lp}\n", encoding="utf-8")
            checked = metaeval("check", f"{name}.yaml", *baseline, "-f", "json")
        return {(row["group"], row["system"]): row for row in json.loads(checked.out)["tables"]["baseline"]}

    together, alone = drops("both", ("zh", "de")), {**drops("zh", ("zh",)), **drops("de", ("de",))}
    assert {key: row["p"] for key, row in together.items()} == {key: min(1, 2 * row["p"]) for key, row in alone.items()}
    assert min(row["p"] for row in alone.values()) <= 0.05 < min(row["p"] for row in together.values())
    for key, row in together.items():
        assert row["difference"] == alone[key]["difference"]
        assert row["low"] < alone[key]["low"]
        assert (row["verdict"] == "failed") == (row["p"] <= 0.05) == (row["high"] < 0), key


@pytest.mark.usefixtures("experiment")
def test_an_interrupted_run_continues_in_the_group_where_it_stopped(
    metaeval: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    from metaeval.cli.folder import CheckpointFolder

    section, done = CheckpointFolder.section, []

    def stopping(self: CheckpointFolder, name: str, compute: Any) -> AnalysisOutput:
        done.append(name)
        if len(done) == 4:
            raise KeyboardInterrupt
        return cast(AnalysisOutput, section(self, name, compute))

    monkeypatch.setattr(CheckpointFolder, "section", stopping)
    assert metaeval("run", "experiment.yaml", "--output-dir", "folder").code == 130
    monkeypatch.setattr(CheckpointFolder, "section", section)
    assert done == ["0-score", "0-similarity", "1-score", "1-similarity"]
    assert metaeval("run", "experiment.yaml", "--output-dir", "folder", "--resume").code == 0
    assert metaeval("run", "experiment.yaml", "--output-dir", "whole").code == 0
    for path in Path("whole").glob("*.csv"):
        assert path.read_bytes() == (Path("folder") / path.name).read_bytes()


@pytest.mark.usefixtures("experiment")
def test_scores_of_items_have_their_groups(metaeval: CommandLine) -> None:
    assert metaeval("score", "--config", "experiment.yaml", "--per-item", "items.csv").code == 0
    lines = Path("items.csv").read_text(encoding="utf-8").splitlines()
    assert lines[:2] == ["group,measure,system,item,value", "zh,bleu,a,1,0.5"]
    assert len(lines) == 1 + 24


@needs_shared_data
def test_the_mean_over_talks_of_a_shared_task_is_that_of_pandas_and_scipy() -> None:
    pandas, stats = pytest.importorskip("pandas"), pytest.importorskip("scipy.stats")
    path, human, measures = SHARED_DATA / "wmt21_ted_ende/ted_ende.csv", "human_mqm_neg_penalty", ["sentBLEU", "chrF2"]
    runs = metaeval.read(path, task="table", group="doc", human=human, on_missing="drop")
    options: dict[str, Any] = {"levels": "system", "coefficients": "kendall-b", "interval": "none", "test": "none"}
    over = rows(metaeval.correlate(runs, measures, **options), "correlations_over_groups", "measure")
    frame = pandas.read_csv(path)
    for measure in measures:
        taus = []
        for _, talk in frame.groupby("doc"):
            unscored = talk.loc[talk[[*measures, human]].isna().any(axis=1), "item"]
            means = talk[~talk["item"].isin(unscored)].groupby("system")[[measure, human]].mean()
            taus.append(stats.kendalltau(means[measure], means[human])[0])
        assert over[(measure,)]["mean"] == pytest.approx(sum(taus) / len(taus), abs=1e-12)
