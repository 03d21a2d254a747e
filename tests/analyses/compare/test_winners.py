"""`metaeval compare`: probabilities to be the best, corrected scores, other runs, and a single system."""

import numpy as np
import pytest
from command_line import CommandLine, Write
from score_cubes import run_table, score_table

FEW = ("--permutations", "999")
STANCE = ("--config", "configs/stance.yaml")


RUNS = ("--task", "table", "scores.csv", "--replicate", "seed", *FEW)
LUCKY = {"coral": [0.74, 0.66, 0.67], "amber": [0.66, 0.64, 0.67]}


def test_a_system_with_a_lucky_seed_is_better_on_other_items_alone(metaeval: CommandLine, write: Write) -> None:
    write("scores.csv", run_table(LUCKY))
    by_over = {over: metaeval.report("compare", *RUNS, "--over", over) for over in ("items", "runs", "both")}
    p = {over: report["tables"]["comparisons"][0]["p_adjusted"] for over, report in by_over.items()}
    assert p["items"] == 0.001
    assert p["runs"] > 0.2
    assert p["both"] > 0.2
    claims = {over: report["findings"][0]["sentence"] for over, report in by_over.items()}
    assert claims["items"] == (
        "coral is significantly better than amber under bleu (for other items and these runs, adjusted p ≤ 0.05)"
    )
    assert "for other runs of the systems and these items" in claims["runs"]
    assert "for other items and other runs of the systems" in claims["both"]
    assert metaeval.tables("compare", *RUNS) == by_over["both"]["tables"]
    assert "over:runs" in by_over["runs"]["signature"]


@pytest.mark.parametrize("over", ["runs", "both"])
def test_other_runs_take_three_runs_of_each_system(metaeval: CommandLine, write: Write, over: str) -> None:
    write("scores.csv", run_table({"coral": [0.7, 0.7, 0.7], "amber": [0.6, 0.6]}))
    message = metaeval.refuses("compare", *RUNS, "--over", over)
    assert f"--over {over}; expected at least 3 runs of each system" in message
    assert "set --over items" in message
    (finding,) = metaeval.report("compare", *RUNS)["findings"]
    assert "for other items and these runs" in finding["sentence"]


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize("more", [("-m", "macro-f1"), ("-m", "mae:average=macro"), ("-m", "accuracy", "-m", "cem-ord")])
def test_probabilities_and_corrected_scores_agree_with_the_ranks(metaeval: CommandLine, more: tuple[str, ...]) -> None:
    tables = metaeval.tables("compare", *STANCE, *more, *FEW)
    rows = tables["tiers"]
    for measure in {row["measure"] for row in rows}:
        measure_rows = [row for row in rows if row["measure"] == measure]
        assert sum(row["p_best"] for row in measure_rows) == pytest.approx(1)
        assert all(row["best"] for row in measure_rows if row["p_best"] > 0)
        (best,) = (row for row in tables["best"] if row["measure"] == measure)
        first = next(row for row in measure_rows if row["rank"] == 1)
        assert (best["system"], best["score"], best["p_best"]) == (first["system"], first["score"], first["p_best"])
        assert best["low"] <= best["corrected"] <= best["high"]
        worse = best["score"] - best["corrected"]
        assert (worse <= 0) if measure.startswith("mae") else (worse >= 0)


@pytest.mark.parametrize("over", ["items", "runs", "both"])
@pytest.mark.parametrize("others", [[0.66, 0.63, 0.7], [0.7, 0.7, 0.72]])
@pytest.mark.parametrize("items", [6, 200])
def test_no_probability_is_nearly_1_where_the_tests_leave_the_best_open(
    metaeval: CommandLine, write: Write, over: str, others: list[float], items: int
) -> None:
    means = {"coral": [0.74, 0.72, 0.71], "amber": others, "jade": [0.5, 0.5, 0.55]}
    write("scores.csv", run_table(means, items=items))
    report = metaeval.report("compare", *RUNS, "--over", over)
    rows = report["tables"]["tiers"]
    if "not significantly different" not in report["findings"][0]["sentence"]:
        assert [row["p_best"] for row in rows] == [1, 0, 0]
    elif items == 6 or over != "items":
        assert "p_best" not in rows[0]
    else:
        assert max(row.get("p_best", 0) for row in rows) <= 0.95


def test_runs_of_one_item_are_compared_for_other_runs(metaeval: CommandLine, write: Write) -> None:
    write("scores.csv", run_table({"coral": [0.74, 0.73, 0.75], "amber": [0.24, 0.23, 0.25]}, items=1))
    call = ("compare", *RUNS)
    (row,) = metaeval.tables(*call, "--over", "runs")["comparisons"]
    assert (row["better"], row["low"] > 0) == ("coral", True)
    metaeval.refuses_with(["1 item; expected at least two", "--over runs"], *call)


def test_the_finding_says_what_the_best_score_would_be(metaeval: CommandLine, write: Write) -> None:
    write("scores.csv", score_table({"x": np.random.default_rng(3).random((12, 397)) < 0.7}))
    report = metaeval.report("compare", "--task", "table", "scores.csv", *FEW)
    (best,) = report["tables"]["best"]
    observed, corrected, low, high = (f"{best[name]:.2f}" for name in ("score", "corrected", "low", "high"))
    assert float(corrected) < float(observed)
    assert report["findings"][1]["sentence"] == (
        f"{best['system']}'s {observed} would be about {corrected} on other items (95 % interval {low} to {high}), "
        "corrected for its having been chosen"
    )


def test_nothing_is_corrected_where_scores_have_gaps_or_never_vary(metaeval: CommandLine, write: Write) -> None:
    scores = np.repeat([[1.0], [2.0], [3.0]], 30, axis=1)
    for gap in (3.0, np.nan):
        scores[2, 3] = gap
        write("scores.csv", score_table({"x": scores}))
        report = metaeval.report("compare", "--task", "table", "scores.csv", "--on-missing", "pairwise", *FEW)
        assert "best" not in report["tables"]
        assert "p_best" not in report["tables"]["tiers"][0]


@pytest.mark.parametrize("scale", ["e200", "e300", "e-310"])
def test_scores_at_the_ends_of_the_range_of_numbers_have_short_sentences(
    metaeval: CommandLine, write: Write, scale: str
) -> None:
    scores = np.random.default_rng(3).random((6, 30)) * float(f"1{scale}")
    write("scores.csv", score_table({"x": scores}, systems="abcdef"))
    data = ("--task", "table", "scores.csv")
    for words in (("compare", *FEW), ("compare", "--system", "a"), ("leaderboard", *FEW), ("score", "--interval")):
        output = metaeval.succeeds(*words, *data).out
        assert max(map(len, output.splitlines())) < 150, words
    row = metaeval.tables("leaderboard", *data, *FEW)["standings"][0]
    if scale != "e-310":
        assert row["low"] < row["x"] < row["high"]


# A single system


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize("measures", [("-m", "accuracy"), ("-m", "accuracy", "-m", "macro-f1")])
def test_a_single_system_has_the_intervals_of_score(metaeval: CommandLine, measures: tuple[str, ...]) -> None:
    report = metaeval.report("compare", *STANCE, *measures, "--system", "atlas_base")
    scored = metaeval.tables("score", *STANCE, *measures, "--interval")["intervals"]
    assert report["tables"] == {"single_system": [row for row in scored if row["system"] == "atlas_base"]}
    (finding,) = report["findings"]
    assert finding["sentence"].startswith("atlas_base has ")
    assert finding["sentence"].endswith("no other system is compared with it")


def test_a_data_set_with_one_system_is_not_refused(metaeval: CommandLine, write: Write) -> None:
    write("scores.csv", score_table({"x": [np.arange(40) % 2]}))
    (row,) = metaeval.tables("compare", "--task", "table", "scores.csv")["single_system"]
    assert row["low"] < row["score"] == 0.5 < row["high"]


@pytest.mark.usefixtures("repository")
def test_a_single_system_beside_a_baseline_is_a_pair(metaeval: CommandLine) -> None:
    call = ("compare", *STANCE, "-m", "accuracy", "--system", "atlas_large", "--baseline", "atlas_base", *FEW)
    (row,) = metaeval.tables(*call)["comparisons"]
    assert (row["system"], row["other"]) == ("atlas_large", "atlas_base")
