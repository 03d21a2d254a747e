"""Tables with gaps on the command line: --on-missing pairwise."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from command_line import CommandLine, refusals
from scipy.stats import kendalltau

from metaeval.analyses.declaration import RUNS
from metaeval.registry import ANALYSES, declaration

SYSTEMS, ITEMS = ("bert", "svm", "crf", "rule", "hmm"), 24
PAIRWISE = ("--on-missing", "pairwise")


def frame(*, gaps: bool = True) -> pandas.DataFrame:
    """Scores under 'bleu' and 'ter' with gaps, under 'comet' without, and ratings 'da' with gaps; clusters 'doc'."""
    random = np.random.default_rng(5)
    rows = pandas.DataFrame(
        [(system, f"i{item}", f"d{item // 3}") for system in SYSTEMS for item in range(ITEMS)],
        columns=["system", "item", "doc"],
    )
    quality = np.repeat([0.9, 0.5, 0.3, 0.2, 0.0], ITEMS)
    for name in ("bleu", "ter", "comet", "da"):
        rows[name] = (quality + random.normal(size=len(rows))).round(3)
        if gaps and name != "comet":
            rows.loc[random.random(len(rows)) < 0.2, name] = np.nan
    return rows


def saved(folder: Path, rows: pandas.DataFrame) -> str:
    path = folder / "table.csv"
    rows.to_csv(path, index=False)
    return str(path)


def report_of(metaeval: CommandLine, command: str, path: str, *words: str) -> dict[str, Any]:
    return metaeval.report(command, "--task", "table", path, *words)


@pytest.mark.parametrize("command", ["score", "compare", "power", "similarity", "stability", "correlate", "summary"])
def test_without_gaps_the_results_are_the_same(metaeval: CommandLine, tmp_path: Path, command: str) -> None:
    path = saved(tmp_path, frame(gaps=False))
    words = ["--human", "da"] if command == "correlate" else []
    tables = [report_of(metaeval, command, path, *words, *policy)["tables"] for policy in ((), PAIRWISE)]
    assert tables[0] == tables[1]


@pytest.mark.parametrize("command", ["score", "compare", "power"])
def test_a_measure_without_gaps_has_the_results_that_it_has_alone(
    metaeval: CommandLine, tmp_path: Path, command: str
) -> None:
    path, names = saved(tmp_path, frame()), {"score": "scores", "compare": "comparisons", "power": "power_differences"}
    every = report_of(metaeval, command, path, "--human", "da", *PAIRWISE)["tables"]
    alone = report_of(metaeval, command, path, "-m", "comet")["tables"]
    if command == "score":
        for table in ("scores", "ranks"):
            values, expected = ({row["system"]: row["comet"] for row in tables[table]} for tables in (every, alone))
            assert values == expected
        return
    rows = [row for row in every[names[command]] if row["measure"] == "comet"]
    assert {row.pop("items") for row in rows} == {ITEMS}
    assert rows == alone[names[command]]


def test_scores_are_means_over_own_items_with_their_number(metaeval: CommandLine, tmp_path: Path) -> None:
    rows = frame()
    report = report_of(metaeval, "score", saved(tmp_path, rows), "--lower-is-better", "ter", *PAIRWISE)
    means, counts = rows.groupby("system")["bleu"].mean(), rows.groupby("system")["bleu"].count()
    assert {row["system"]: row["bleu"] for row in report["tables"]["scores"]} == pytest.approx(means.to_dict())
    assert {row["system"]: row["bleu"] for row in report["tables"]["cells"]} == counts.to_dict()
    wide = {name: rows[rows["system"] == name].set_index("item")["ter"] for name in SYSTEMS}
    better = {
        name: 1 + sum(float((wide[other] - wide[name]).mean()) < 0 for other in SYSTEMS if other != name)
        for name in SYSTEMS
    }
    ranks = {row["system"]: row["ter"] for row in report["tables"]["ranks"]}
    assert all(rank in (None, better[name]) for name, rank in ranks.items())
    assert any("missing: scores are means over the items that a system has" in note for note in report["notes"])


def test_differences_are_on_common_items(metaeval: CommandLine, tmp_path: Path) -> None:
    rows = frame()
    tables = report_of(metaeval, "compare", saved(tmp_path, rows), "-m", "bleu", *PAIRWISE)
    wide = rows.pivot(index="item", columns="system", values="bleu")
    for row in tables["tables"]["comparisons"]:
        both = wide[[row["system"], row["other"]]].dropna()
        assert row["items"] == len(both)
        assert row["difference"] == pytest.approx((both[row["system"]] - both[row["other"]]).mean())
    assert any(note.startswith("warning: bleu: ") and "80 % of the items in common" in note for note in tables["notes"])


def test_correlations_and_similarities_are_those_of_pandas_on_the_cells_of_both(
    metaeval: CommandLine, tmp_path: Path
) -> None:
    rows = frame()
    path = saved(tmp_path, rows)
    words = ("--human", "da", "--level", "global", "--level", "system", "--coefficient", "pearson")
    table = report_of(metaeval, "correlate", path, *words, "--interval", "none", *PAIRWISE)["tables"]["correlations"]
    cell_correlations = rows[["bleu", "ter", "comet", "da"]].corr()["da"]
    for row in table:
        both = rows[["system", row["measure"], "da"]].dropna()
        if row["level"] == "global":
            assert row["value"] == pytest.approx(cell_correlations[row["measure"]])
            assert row["n"] == len(both)
        else:
            assert row["value"] == pytest.approx(both.groupby("system").mean().corr().iloc[0, 1])
    tables = report_of(metaeval, "similarity", path, *PAIRWISE)["tables"]
    values = {row["measure"]: row for row in tables["similarity"]}
    for row in tables["similarity_cells"]:
        for other in ("bleu", "ter", "comet"):
            both = rows[["system", *{row["measure"], other}]].dropna()
            assert row[other] == len(both)
            means = both.groupby("system").mean()
            tau = kendalltau(means[row["measure"]], means[other]).statistic
            assert values[row["measure"]][other] == pytest.approx(tau)


def test_stability_compares_pairs_of_systems_on_both_halves(metaeval: CommandLine, tmp_path: Path) -> None:
    path, words = saved(tmp_path, frame()), ("--cluster", "doc", "--trials", "50")
    report = report_of(metaeval, "stability", path, "--human", "da", *words, *PAIRWISE)
    alone = report_of(metaeval, "stability", path, "-m", "comet", *words)
    rows = {row["measure"]: row for row in report["tables"]["stability"]}
    assert rows["comet"].pop("scores") == len(SYSTEMS) * ITEMS
    expected = alone["tables"]["stability"][0]
    for name in ("mean", "sd", "low", "high", "winner", "swap_rate", "expected", "undefined"):
        assert rows["comet"][name] == pytest.approx(expected[name]), name


def test_a_circle_of_significant_differences_has_no_ranks_and_letters(metaeval: CommandLine, tmp_path: Path) -> None:
    nan = float("nan")
    values = {"a": [2, nan, 1], "b": [1, 2, nan], "c": [nan, 1, 2]}
    rows = pandas.DataFrame(
        [
            (system, f"{part}.{item}", value + 0.001 * item)
            for system, part_values in values.items()
            for part, value in enumerate(part_values)
            for item in range(20)
        ],
        columns=["system", "item", "bleu"],
    )
    path = saved(tmp_path, rows)
    report = report_of(metaeval, "compare", path, *PAIRWISE)
    assert {row["better"] for row in report["tables"]["comparisons"]} == {"a", "b", "c"}
    assert {
        tuple(row[name] for name in ("rank", "rank_low", "rank_high", "tier", "letters"))
        for row in report["tables"]["tiers"]
    } == {(None, None, None, None, "")}
    assert "bleu: on common items the order of a, b, c is a circle: no ranks, letters and tiers" in report["notes"]
    ranks = report_of(metaeval, "score", path, *PAIRWISE)["tables"]["ranks"]
    assert [row["bleu"] for row in ranks] == [None, None, None]


def test_a_system_that_shares_no_item_is_not_compared_and_a_note_says_so(metaeval: CommandLine, tmp_path: Path) -> None:
    scored = {"a": range(6), "b": range(6, 12), "c": range(12), "alone": range(12, 16)}
    rows = [(system, item, ord(system[0]) + item % 3) for system, items in scored.items() for item in items]
    path = saved(tmp_path, pandas.DataFrame(rows, columns=["system", "item", "bleu"]))
    report = report_of(metaeval, "score", path, *PAIRWISE)
    assert {row["system"]: row["bleu"] for row in report["tables"]["ranks"]} == {"a": 2, "b": 2, "c": 1, "alone": None}
    (note,) = (note for note in report["notes"] if "in common" in note)
    assert note.startswith("bleu: a and b have no item in common (of 4 such pairs) and are not compared")


@refusals("""
summary => summary of systems that lack scores of items | compare | --on-missing drop
plan => plan of systems that lack scores
power --test tukey => tukey with systems that lack scores of items | --test permutation
score --on-unknown drop => --on-missing pairwise, but --on-unknown drop | treats scores that are no number
compare --cluster doc --cluster lang => two columns of clusters with missing scores | --on-missing drop
""")
def test_what_needs_every_score_is_refused(
    metaeval: CommandLine, tmp_path: Path, words: tuple[str, ...], parts: list[str]
) -> None:
    rows = frame()
    rows["lang"] = "l" + rows["item"].str[-1]
    path = saved(tmp_path, rows.drop(columns="da"))
    metaeval.refuses_with(parts, *words, "--task", "table", path, *PAIRWISE)


def test_baselines_need_every_score(metaeval: CommandLine, tmp_path: Path) -> None:
    path, config = saved(tmp_path, frame()), tmp_path / "gaps.yaml"
    config.write_text(f"data: {{task: table, runs: [{path}], on-missing: pairwise}}\nscore: {{}}\n")
    message = metaeval.refuses("check", config, "--save-baseline", tmp_path / "b.json")
    assert "a baseline of systems that lack scores of items, with data.on-missing: pairwise" in message
    assert metaeval.succeeds("check", config, "--fail-if", "cells.bert.bleu < 5").code == 0


@pytest.mark.parametrize("task", ["labels", "scores", "texts", "r4c"])
def test_other_data_refuse_it(metaeval: CommandLine, task: str) -> None:
    message = metaeval.refuses("score", "--task", task, "--gold", "gold.csv", "run.csv", *PAIRWISE)
    assert "--on-missing pairwise, but the data are no table of scores" in message


@pytest.mark.parametrize("command", [name for name in ANALYSES if declaration(name).begins_with == RUNS])
def test_the_policy_is_a_remedy_where_the_analysis_can_use_it(
    metaeval: CommandLine, tmp_path: Path, command: str
) -> None:
    path = saved(tmp_path, frame())
    config = tmp_path / "c.yaml"
    config.write_text(
        f"data: {{task: table, runs: [{path}]}}\nsimilarity: {{}}\n{command}: {{}}\n".replace(
            "similarity: {}\n" * 2, "similarity: {}\n"
        )
    )
    explained = ["bleu", "ter"] if command == "explain" else []
    for policy, words in {
        "--on-missing": (command, *explained, "--task", "table", path),
        "data.on-missing:": ("run", config),
    }.items():
        message = metaeval.refuses(*words)
        assert (f"{policy} pairwise" in message) is declaration(command).gaps
        assert f"{policy} zero" in message
