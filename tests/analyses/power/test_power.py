"""`metaeval power`: what it tells of labels, texts and tables, and what it refuses."""

from typing import Any

import numpy as np
import pytest
from command_line import CommandLine, Write
from label_studies import label_files
from score_cubes import score_table
from shared_data import FNC1, needs_shared_data

from metaeval.analyses.power.report import findings

STANCE = ("--config", "configs/stance.yaml")
TWO = ("-m", "cem-ord", "-m", "macro-f1")
FEW = ("--permutations", "199")


def by_measure(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["measure"]: row for row in report["tables"]["power"]}


@pytest.mark.usefixtures("repository")
def test_the_table_counts_what_the_curve_lists(metaeval: CommandLine) -> None:
    report = metaeval.report("power", *STANCE, *TWO, "-m", "mae", *FEW)
    score_report = metaeval.report("score", *STANCE, *TWO, "-m", "mae")
    scores = {row["system"]: row for row in score_report["tables"]["scores"]}
    for measure, row in by_measure(report).items():
        curve = [pair for pair in report["tables"]["power_differences"] if pair["measure"] == measure]
        p = [pair["p_adjusted"] for pair in curve]
        assert p == sorted(p)
        assert [pair["rank"] for pair in curve] == list(range(1, row["pairs"] + 1)) == list(range(1, 92))
        differences = [abs(pair["difference"]) for pair in curve if pair["p_adjusted"] <= 0.05]
        assert (row["different"], row["smallest"]) == (len(differences), min(differences))
        assert row["power"] == len(differences) / 91
        for pair in curve:
            apart = scores[pair["system"]][measure] - scores[pair["other"]][measure]
            assert pair["difference"] == pytest.approx(apart, abs=1e-9)
            assert pair["p_adjusted"] <= 0.05 or abs(pair["difference"]) <= row["needed"] + 1e-12


@pytest.mark.usefixtures("repository")
def test_a_measure_is_tested_alike_whatever_stands_beside_it(metaeval: CommandLine) -> None:
    alone = by_measure(metaeval.report("power", *STANCE, "-m", "macro-f1", *FEW))["macro-f1"]
    beside = by_measure(metaeval.report("power", *STANCE, "-m", "accuracy", "-m", "macro-f1", "-m", "mcc", *FEW))
    same = ("pairs", "different", "power", "ci_low", "ci_high", "needed", "smallest")
    assert [alone[name] for name in same] == pytest.approx([beside["macro-f1"][name] for name in same])


@pytest.mark.usefixtures("repository")
def test_texts_are_tested_as_means_over_items(metaeval: CommandLine) -> None:
    arguments = ("--config", "configs/news.yaml", "-m", "rouge-n:n=1", *FEW)
    for test, column_name in (("permutation", "expected"), ("tukey", "power")):
        report = metaeval.report("power", *arguments, "--test", test)
        assert by_measure(report)["rouge-n:n=1"]["test"] == test
        # Readers are shown the share that has intervals and letters, where there are any.
        scores = [column for column in report["layout"]["power"]["columns"] if column["kind"] == "score"]
        alone = [column["name"] for column in scores if not column.get("detail") and "ci" not in column["name"]]
        assert alone == [column_name]


def test_a_table_of_scores_is_tested_and_lower_may_be_better(metaeval: CommandLine, write: Write) -> None:
    # Three systems, each better than the last.
    one, other = np.random.default_rng(1).normal(size=(2, 3, 200)) + np.arange(3)[:, np.newaxis]
    write("scores.csv", score_table({"bleu": one, "ter": other}))
    report = metaeval.report("power", "--task", "table", "scores.csv", "--lower-is-better", "ter", *FEW)
    assert [row["power"] for row in report["tables"]["power"]] == [1, 1]
    assert all(row["difference"] < 0 for row in report["tables"]["power_differences"])


def test_pairs_with_the_same_difference_on_all_items_are_expected_to_differ_where_they_do(
    metaeval: CommandLine, write: Write
) -> None:
    write("scores.csv", score_table({"acc": [[0] * 6, [1] * 6, [1] * 6]}))
    (row,) = metaeval.tables("power", "--task", "table", "scores.csv")["power"]
    comparisons = metaeval.tables("compare", "--task", "table", "scores.csv")["comparisons"]
    # The last two are copies that never differ, and are the same pair to both.
    assert [row["power"], row["expected"]] == pytest.approx([2 / 3, 2 / 3])
    assert [pair["p_adjusted"] <= 0.05 for pair in comparisons] == [True, True, False]
    assert row["ci_low"] is row["ci_high"] is None


def test_pairs_without_a_score_are_not_tested_and_a_note_says_so(metaeval: CommandLine, write: Write) -> None:
    files = label_files(write, gold="ab" * 30, good="ab" * 30, weak="abb" * 20, mute="a" * 60)
    report = metaeval.report("power", "--gold", *files, "-m", "mcc", "-m", "accuracy", *FEW)
    assert {row["measure"]: row["pairs"] for row in report["tables"]["power"]} == {"mcc": 1, "accuracy": 3}
    assert "mcc is undefined (—) for 1 of 3 systems, left out of tests" in report["notes"]


@pytest.mark.usefixtures("repository")
def test_tukey_needs_means_over_items(metaeval: CommandLine) -> None:
    measures = ("-m", "kappa:weights=linear", "-m", "accuracy")
    message = metaeval.refuses("power", *STANCE, "--test", "tukey", *measures)
    assert "--test tukey with kappa:weights=linear" in message


def test_the_sentence_names_no_measure_that_the_test_cannot_distinguish() -> None:
    def sentence(shares: list[float], p: list[list[float]] | None) -> str:
        (finding,) = findings("abc", np.array(shares), None if p is None else np.array(p), alpha=0.05)
        return finding.sentence

    apart = [[1, 0.3, 0.01], [0.3, 1, 0.02], [0.01, 0.02, 1]]
    assert sentence([0.9, 0.8, 0.5], apart) == (
        "a and b distinguish the most pairs (expected power 80% to 90%, not significantly different). "
        "c distinguishes significantly fewer than a (50%, adjusted p ≤ 0.01)"
    )
    assert sentence([0.9, 0.8, 0.7], np.ones((3, 3)).tolist()) == (
        "no two measures differ significantly in power (expected power 70% to 90%): none distinguishes the most pairs"
    )
    assert sentence([0.9, 0.8, 0.7], None) == "measures distinguish 70% to 90% of the pairs of systems at 0.05"
    assert findings("a", np.array([np.nan]), None, alpha=0.05) == []


@pytest.mark.usefixtures("repository")
def test_letters_say_what_the_comparison_of_measures_says(metaeval: CommandLine) -> None:
    report = metaeval.report("power", *STANCE, *FEW)
    letters = [set(row["letters"]) for row in report["tables"]["power"]]
    assert all(letters)
    assert not letters[0] & letters[-1]
    assert all(row["ci_low"] <= row["expected"] <= row["ci_high"] for row in report["tables"]["power"])


@needs_shared_data
def test_of_fourteen_real_systems_every_measure_tells_most_apart(metaeval: CommandLine) -> None:
    rows = by_measure(metaeval.report("power", *FNC1, "-m", "macro-f1", "-m", "cem-ord", "--permutations", "499"))
    assert all(0.6 < row["power"] < 0.95 for row in rows.values())
    # Of 7,064 items a standard error of accuracy is 0.005.
    assert 0.01 < rows["cem-ord"]["needed"] < 0.03
