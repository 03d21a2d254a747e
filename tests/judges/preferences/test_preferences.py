"""`preferences`: plain counts of the statistics, the accepted files, and errors."""

import csv
import json
import math
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import CommandLine, Write, sentences
from hypothesis import example, given, settings
from hypothesis import strategies as st

from metaeval.judges.preferences.groups import Groups

ROOT = Path(__file__).resolve().parents[3]
VERDICTS = str(ROOT / "sample_data/preferences/verdicts.csv")
DARR = str(ROOT / "sample_data/preferences/darr.csv")
SIGN = {"left": 1, "tie": 0, "right": -1}
SCORES = str(ROOT / "sample_data/preferences/scores.csv")
METRICS = ("metric_preferences", "language_pair", "metric")
JUDGES = ("judge_preferences", "judge", "statistic")
"""Tables and the columns that name their rows."""


def rows_of(path: str) -> list[dict[str, str]]:
    with Path(path).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def table(report: dict[str, Any], name: str, *keys: str) -> dict[Any, dict[str, Any]]:
    return {tuple(row[key] for key in keys): row for row in report["tables"][name]}


# Metrics


@pytest.mark.parametrize(("treatment", "worth"), [("discordant", -1), ("left-out", None), ("half", 0)])
def test_tau_on_better_and_worse_is_a_plain_count(metaeval: CommandLine, treatment: str, worth: int | None) -> None:
    agreements = table(metaeval.report("preferences", DARR, "--ties", treatment), *METRICS)
    for pair, metric in (key for key in agreements if key[0] != "all (average)"):
        rows = [row for row in rows_of(DARR) if row["lp"] == pair]
        signs = [np.sign(float(row[f"{metric}-better"]) - float(row[f"{metric}-worse"])) for row in rows]
        counted = [int(sign) or worth for sign in signs if sign or worth is not None]
        assert agreements[pair, metric]["tau"] == pytest.approx(sum(filter(None, counted)) / len(counted), abs=1e-12)
        assert agreements[pair, metric]["accuracy"] == pytest.approx(np.mean(np.array(signs) > 0), abs=1e-12)
        assert agreements[pair, metric]["ties"] == pytest.approx(signs.count(0) / len(signs), abs=1e-12)
        assert agreements[pair, metric]["pairs"] == len(rows)


def test_accuracy_counts_ties_of_people_that_the_metric_ties(metaeval: CommandLine) -> None:
    report = metaeval.report("preferences", VERDICTS, "--judge", "juno", "--judge", "kite")
    agreements = table(report, "metric_preferences", "metric")
    verdicts = [row for row in rows_of(VERDICTS) if row["judge"] in ("ann", "bob")]
    for (metric,), row in agreements.items():
        signs = [np.sign(float(verdict[f"{metric}-left"]) - float(verdict[f"{metric}-right"])) for verdict in verdicts]
        equal = [sign == SIGN[verdict["winner"]] for sign, verdict in zip(signs, verdicts, strict=True)]
        assert row["accuracy"] == pytest.approx(np.mean(equal), abs=1e-12)
        assert row["low"] < row["tau"] < row["high"]
    statistics = {row["statistic"] for row in report["tables"]["metric_statistics"]}
    assert statistics == {"tau discordant", "tau left-out", "tau half", "accuracy"}
    (difference,) = report["tables"]["metric_differences"]
    expected = agreements[difference["metric"],]["tau"] - agreements[difference["other"],]["tau"]
    assert difference["difference"] == pytest.approx(expected, abs=1e-12)
    assert difference["p"] == pytest.approx(difference["p_adjusted"])
    assert (difference["p_adjusted"] <= 0.05) == (difference["low"] > 0 or difference["high"] < 0)


def test_lower_is_better_turns_a_metric_around(metaeval: CommandLine) -> None:
    one, other = (
        table(metaeval.report("preferences", DARR, "--ties", "half", *more), *METRICS)
        for more in ((), ("--lower-is-better", "lexi"))
    )
    for key in one:
        assert other[key]["tau"] == pytest.approx(one[key]["tau"] * (-1 if key[1] == "lexi" else 1), abs=1e-12)


def test_averages_are_means_over_language_pairs(metaeval: CommandLine, write: Write) -> None:
    rows = rows_of(DARR)
    # Items of one language pair are those of no other one, so that variances add.
    lines = [",".join((row["lp"], row["lp"] + row["sid"], *list(row.values())[2:])) for row in rows]
    path = write("v.csv", "\n".join([",".join(rows[0]), *lines]) + "\n")
    report = metaeval.report("preferences", path, "--ties", "left-out")
    agreements = table(report, *METRICS)
    for metric in ("lexi", "sema"):
        average, parts = agreements["all (average)", metric], [agreements[pair, metric] for pair in ("de-en", "en-de")]
        for column in ("tau", "accuracy", "ties"):
            assert average[column] == pytest.approx(np.mean([row[column] for row in parts]), abs=1e-12)
        assert average["pairs"] == sum(row["pairs"] for row in parts)
        widths = [row["high"] - row["low"] for row in parts]
        assert average["high"] - average["low"] == pytest.approx(np.hypot(*widths) / 2, rel=0.1)
    differences = table(report, "metric_differences", "language_pair")
    pairs = [differences[pair,]["difference"] for pair in ("de-en", "en-de")]
    assert differences["all (average)",]["difference"] == pytest.approx(np.mean(pairs), abs=1e-12)
    assert report["findings"][0]["sentence"].startswith("sema agrees best with people on average (tau 0.")


def test_the_average_with_a_language_pair_of_ties_alone_is_undefined(metaeval: CommandLine, write: Write) -> None:
    verdicts = write("v.csv", "item,left,right,winner,lp,m-left,m-right\n1,a,b,left,de,1,0\n2,a,b,tie,fr,1,0\n")
    for ties in ("left-out", "discordant", "half"):
        rows = metaeval.tables("preferences", verdicts, "--human", "v", "--ties", ties)["metric_preferences"]
        assert [(row["language_pair"], row["pairs"], row["tau"]) for row in rows][-1] == ("all (average)", 1, None)


def test_averages_are_of_metrics_that_every_language_pair_has(metaeval: CommandLine, write: Write) -> None:
    text = "lp,item,better,worse,a-better,a-worse,b-better,b-worse\n"
    rows = "".join(f"{lp},{item},A,B,{item % 3},1,{item if lp == 'x' else ''},2\n" for lp in "xy" for item in range(9))
    report = metaeval.report("preferences", write("v.csv", text + rows))
    agreements = table(report, *METRICS)
    assert [metric for pair, metric in agreements if pair == "all (average)"] == ["a"]
    assert any(note.endswith("; without b, not scored on every language pair") for note in report["notes"])
    one = metaeval.report("preferences", write("one.csv", text + rows[: len(rows) // 2].rpartition("\n")[0] + "\n"))
    assert not any(pair == "all (average)" for pair, _ in table(one, *METRICS))


def test_language_pairs_without_a_metric_in_common_have_a_best_metric_each(metaeval: CommandLine, write: Write) -> None:
    text = "lp,item,better,worse,a-better,a-worse,b-better,b-worse\n"
    rows = [f"x,{item},A,B,{item % 3},1,," for item in range(9)] + [f"y,{item},B,A,,,{item % 3},1" for item in range(9)]
    report = metaeval.report("preferences", write("v.csv", "\n".join([text.strip(), *rows, ""])))
    sentence = "The metrics that agree best with people are a (x) and b (y)"
    assert sentence in sentences(report)
    strongest = "is the strongest system on de-en and en-de, significantly stronger than all others on none of 2"
    assert any(strongest in sentence for sentence in sentences(metaeval.report("preferences", DARR)))


def test_verdicts_without_a_score_are_left_out_for_all_metrics(metaeval: CommandLine, write: Write) -> None:
    text = "item,better,worse,a-better,a-worse,b-better,b-worse\n"
    path = write("v.csv", text + "1,A,B,2,1,,1\n2,A,B,1,2,2,1\n3,B,A,2,1,1,2\n")
    report = metaeval.report("preferences", path)
    assert [row["pairs"] for row in report["tables"]["metric_preferences"]] == [2, 2]
    assert "1 verdict without a score of every metric left out" in report["notes"]


@pytest.mark.parametrize(
    ("cells", "notes"),
    [
        (
            ["x,2,1,,", "x,1,2,,", "x,,,2,1", "x,,,1,2"],
            ["no verdict of people on x has all scores of m and n: leave out the columns of some of them"],
        ),
        (["x,,,,", "x,,,,", "y,,,,"], ["no verdict of people on x and y has both scores of m or n"]),
        (["x,2,,1,2", "x,1,,1,2", "x,,1,1,2"], ["no verdict of people on x has both scores of m"]),
        (
            ["x,2,1,,", "x,1,2,,", "y,,,1,2", "y,,,2,1"],
            [
                "no verdict of people on x has both scores of n",
                "no verdict of people on y has both scores of m",
                "no all (average): no metric is compared with people on every language pair",
            ],
        ),
    ],
)
def test_no_metric_vanishes_without_a_note(
    metaeval: CommandLine, write: Write, cells: list[str], notes: list[str]
) -> None:
    rows = "".join(f"{item},A,B,{row}\n" for item, row in enumerate(cells))
    report = metaeval.report(
        "preferences", write("v.csv", "item,better,worse,lp,m-better,m-worse,n-better,n-worse\n" + rows)
    )
    assert [note for note in report["notes"] if note.startswith(("no verdict of people", "no all"))] == notes


# Judges


def test_statistics_of_judges_are_plain_counts(metaeval: CommandLine) -> None:
    statistics = table(metaeval.report("preferences", VERDICTS, "--human", "ann", "--human", "bob"), *JUDGES)
    rows = rows_of(VERDICTS)
    people = [row for row in rows if row["judge"] in ("ann", "bob")]

    def winner(row: dict[str, str]) -> str:
        return row[row["winner"]] if row["winner"] != "tie" else "tie"

    def same_outputs(one: dict[str, str], other: dict[str, str]) -> bool:
        return one["item"] == other["item"] and {one["left"], one["right"]} == {other["left"], other["right"]}

    for judge in ("juno", "kite"):
        verdicts = [row for row in rows if row["judge"] == judge]
        both = [(one, other) for one in verdicts for other in people if same_outputs(one, other)]
        equal = [winner(one) == winner(other) for one, other in both]
        untied = [winner(one) == winner(other) for one, other in both if "tie" not in (winner(one), winner(other))]
        swapped = [
            (one, other)
            for one, other in combinations(verdicts, 2)
            if same_outputs(one, other) and one["left"] == other["right"]
        ]
        flips = [winner(one) != winner(other) for one, other in swapped]
        expected = {"agreement": equal, "agreement without ties": untied, "flips": flips}
        for name, values in expected.items():
            assert statistics[judge, name]["share"] == pytest.approx(np.mean(values), abs=1e-12), name
            assert statistics[judge, name]["verdicts"] == len(values), name
    pairs = [
        (one, other)
        for one, other in combinations(people, 2)
        if same_outputs(one, other) and one["judge"] != other["judge"]
    ]
    equal = [winner(one) == winner(other) for one, other in pairs]
    assert statistics["people", "agreement"]["share"] == pytest.approx(np.mean(equal), abs=1e-12)
    assert statistics["people", "agreement"]["verdicts"] == len(equal)


def test_judges_are_compared_on_what_people_and_all_of_them_judged(metaeval: CommandLine, write: Write) -> None:
    rows = Path(VERDICTS).read_text(encoding="utf-8").splitlines()
    # Two verdicts of kite are left out: those on outputs that it no longer judges count for juno neither.
    items = {next(row.split(",")[0] for row in rows if ",kite," in row)}
    path = write("v.csv", "\n".join(row for row in rows if not (",kite," in row and row.split(",")[0] in items)) + "\n")
    report = metaeval.report("preferences", path, "--judge", "juno", "--judge", "kite")
    differences = table(report, "judge_differences", "judge", "other", "statistic")
    rest = "\n".join(row for row in rows if row.split(",")[0] not in items) + "\n"
    rest_report = metaeval.report("preferences", write("rest.csv", rest), "--judge", "juno", "--judge", "kite")
    shares = table(rest_report, *JUDGES)
    by_people = [row for row in rows_of("rest.csv") if row["judge"] in ("ann", "bob")]
    decided = {(row["item"], *sorted((row["left"], row["right"]))) for row in by_people}
    for statistic in ("agreement", "agreement without ties"):
        expected = shares["juno", statistic]["share"] - shares["kite", statistic]["share"]
        row = differences["juno", "kite", statistic]
        assert row["difference"] == pytest.approx(expected, abs=1e-12)
        assert (row["p_adjusted"] <= 0.05) == (row["low"] > 0 or row["high"] < 0)
    assert any(f"of {len(decided)} comparisons)" in finding["sentence"] for finding in report["findings"])
    assert table(rest_report, "judge_differences", "judge", "other", "statistic") == differences


def test_a_clearly_better_judge_is_found_and_judges_without_common_comparisons_are_not_tested(
    metaeval: CommandLine, write: Write
) -> None:
    def verdicts(judge: str, items: range, right: int) -> str:
        return "".join(f"{item},A,B,{'left' if item % 10 < right else 'right'},{judge}\n" for item in items)

    options = ("--judge", "good", "--judge", "bad")
    text = "item,left,right,winner,judge\n" + verdicts("ann", range(40), 10)
    both = text + verdicts("good", range(40), 9) + verdicts("bad", range(40), 5)
    report = metaeval.report("preferences", write("v.csv", both), *options)
    row = table(report, "judge_differences", "judge", "other", "statistic")["good", "bad", "agreement"]
    assert (row["difference"], row["p_adjusted"] <= 0.05) == (pytest.approx(0.4), True)
    sentence = "good agrees best with ann (90% of 40 comparisons), significantly better than the other"
    assert f"{sentence} (adjusted p ≤ 0.05)" in sentences(report)
    apart = text + verdicts("good", range(20), 9) + verdicts("bad", range(20, 40), 5)
    report = metaeval.report("preferences", write("apart.csv", apart), *options)
    assert "judge_differences" not in report["tables"]
    finding = "Agreement with ann: good 90% and bad 50% of pairs of verdicts"
    assert finding in sentences(report)
    assert any(note.startswith("no tests of differences of judges") for note in report["notes"])


def test_a_judge_without_verdicts_in_common_with_people_is_named(metaeval: CommandLine, write: Write) -> None:
    path = write("v.csv", "item,better,worse,judge\n1,A,B,ann\n2,B,A,ann\n3,A,B,kim\n1,A,B,lee\n")
    report = metaeval.report("preferences", path, "--judge", "kim", "--judge", "lee")
    assert {row["judge"] for row in report["tables"]["judge_preferences"]} == {"lee"}
    assert "no agreement with ann of kim: no verdicts on the same outputs" in report["notes"]
    assert any(note.startswith("no tests of differences of judges: there is no") for note in report["notes"])
    path = write("apart.csv", "item,better,worse,judge\n1,A,B,ann\n2,B,A,ann\n3,A,B,kim\n")
    report = metaeval.report("preferences", path, "--judge", "kim")
    assert "judge_preferences" not in report["tables"]
    assert "no agreement with ann of kim: no verdicts on the same outputs" in report["notes"]


def test_p_values_of_each_judge_are_adjusted_by_holm(metaeval: CommandLine) -> None:
    tables = metaeval.tables("preferences", VERDICTS, "--human", "ann", "--human", "bob")
    for name, judge in product(("judge_preferences", "judge_biases"), ("juno", "kite", "people")):
        tested = [row for row in tables[name] if row["judge"] == judge and row["p"] is not None]
        rows = sorted(tested, key=lambda row: row["p"])
        assert rows
        adjusted = 0.0
        for index, row in enumerate(rows):
            adjusted = max(adjusted, min(1, (len(rows) - index) * row["p"]))
            assert row["p_adjusted"] == pytest.approx(adjusted)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), min_size=1, max_size=12), st.integers(0, 5))
@example(cells=[(0, 1), (4, 3)], null=0)
@settings(max_examples=60, deadline=None)
def test_an_interval_has_the_values_that_the_test_does_not_reject(cells: list[tuple[int, int]], null: int) -> None:
    denominator = np.array([wins + rest for wins, rest in cells], dtype=np.float64)
    numerator = np.array([wins for wins, _ in cells], dtype=np.float64)
    groups = Groups.of(np.repeat(np.arange(len(cells)), 1), 1)
    ratio = groups.ratio(numerator, denominator, null=null / 5, lowest=0.0)
    if denominator.sum() == 0:
        assert np.isnan(ratio.value)
        return
    assert ratio.value == pytest.approx(numerator.sum() / denominator.sum())
    assert 0 <= ratio.low <= ratio.value <= ratio.high <= 1
    # Relative to the distance from the ends of the scale, which intervals do not reach where there is variation.
    rounding = 1e-7 * min(null / 5, 1 - null / 5)
    assert (ratio.p > 0.05) == (ratio.low - rounding <= null / 5 <= ratio.high + rounding)


@pytest.mark.parametrize("value", [-1.0, -0.5, 0.0, 0.25, 1.0])
def test_clusters_that_all_agree_do_not_make_certain(value: float) -> None:
    groups, ones = Groups.of(np.arange(50), 1), np.ones(50)
    ratio = groups.ratio(value * ones, ones, null=0.0, lowest=-1.0)
    other = 1 - 0.025 ** (1 / 50)
    expected = value - other * (value + 1), value + other * (1 - value)
    assert (ratio.low, ratio.high) == pytest.approx(expected)
    assert ratio.p == pytest.approx(min(1.0, 2 * (1 - abs(value) / (1 + abs(value))) ** 50))


def test_clusters_of_different_sizes_that_all_agree_are_tested_as_their_interval_says() -> None:
    sizes = np.array([40.0, 1, 1, 1, 1, 1, 1])
    ratio = Groups.of(np.arange(len(sizes)), 1).ratio(sizes, sizes, null=0.5, lowest=0.0)
    assert ratio.low < 0.5
    assert ratio.p > 0.05


# Files


def games_file(*games: tuple[int, int, str, str], judge: Any) -> str:
    """Games of FastChat: question, turn, and the winner in each order."""
    keys = ("question_id", "turn", "g1_winner", "g2_winner")
    lines = ({"model_1": "A", "model_2": "B", "judge": judge, **dict(zip(keys, game, strict=True))} for game in games)
    return "".join(json.dumps(line) + "\n" for line in lines)


def test_fastchat_has_two_verdicts_the_second_with_the_order_swapped(metaeval: CommandLine, write: Write) -> None:
    games = ((80, 1, "model_1", "model_1"), (81, 1, "model_1", "model_2"), (82, 1, "tie", "error"))
    path = write("gpt-4_pair.jsonl", games_file(*games, judge=["gpt-4", "pair-v2"]))
    report = metaeval.report("preferences", path, "--judge", "gpt-4")
    statistics = table(report, *JUDGES)
    assert statistics["gpt-4", "flips"]["share"] == 0.5
    (bias,) = report["tables"]["judge_biases"]
    assert (bias["bias"], bias["verdicts"]) == ("first", 5)
    assert f"{path}: 1 of 6 games without a verdict left out" in report["notes"]
    assert report["tables"]["strengths"][0]["system"] == "A"
    assert any(note.startswith("no human_scores: no verdict is by people") for note in report["notes"])


# The same verdicts, A over B, B over C twice, a tie of A and C, in each form.
BATTLES = [("A", "B", 1), ("B", "C", 1), ("C", "B", -1), ("A", "C", 0)]
FORMS: dict[str, tuple[str, Any]] = {
    "own": ("item,left,right,winner,rater", lambda sign: {1: "left", -1: "right", 0: "tie"}[sign]),
    "Chatbot Arena": ("question_id,model_a,model_b,winner,judge",
                      lambda sign: {1: "model_a", -1: "model_b", 0: "tie (bothbad)"}[sign]),
    "Arena, newer": ("id,model_a,model_b,winner,judge_hash",
                     lambda sign: {1: "model_a", -1: "model_b", 0: "both_bad"}[sign]),
    "LMSYS at Kaggle": ("id,model_a,model_b,winner_model_a,winner_model_b,winner_tie,user_id",
                        lambda sign: {1: "1,0,0", -1: "0,1,0", 0: "0,0,1"}[sign]),
    "AlpacaEval": ("instruction,generator_1,generator_2,preference,annotator", lambda sign: 1.5 - sign / 2),
    "AlpacaEval, graded": ("instruction,generator_1,generator_2,preference,annotator", lambda sign: 1.5 - sign / 8),
}  # fmt: skip


def battles(form: str) -> str:
    header, winner = FORMS[form]
    rows = (f"{row},{one},{other},{winner(sign)},ann\n" for row, (one, other, sign) in enumerate(BATTLES))
    return f"{header}\n{''.join(rows)}"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("suffix", ["csv", "json"])
def test_verdicts_are_the_same_in_each_form(metaeval: CommandLine, write: Write, form: str, suffix: str) -> None:
    text = battles(form)
    rows = json.dumps(list(csv.DictReader(text.splitlines())))
    report = metaeval.report("preferences", write(f"v.{suffix}", rows if suffix == "json" else text))
    reference = metaeval.report("preferences", write("own.csv", battles("own")))
    if "graded" not in form:
        assert report["tables"]["head_to_head"] == reference["tables"]["head_to_head"]
    people_note = {
        "own": "nothing says whether ann is a person or a judge",
        "Chatbot Arena": "nothing says whether ann is a person or a judge",
        "Arena, newer": "people: ann",
        "LMSYS at Kaggle": "people: ann",
    }.get(form, "no agreement with people: every verdict is by a judge")
    assert any(note.startswith(people_note) for note in report["notes"])
    graded = "3 graded preferences counted for both outputs by the probability"
    assert any(graded in note for note in report["notes"]) == ("graded" in form)
    first = any(row["bias"] == "first" for row in report["tables"].get("judge_biases", ()))
    assert first == (not form.startswith("AlpacaEval"))


@pytest.mark.parametrize("sides", ["left,right", "model_a,model_b", "system_a,system_b", "System_A,System_B"])
def test_a_winner_may_be_a_side_or_the_name_of_its_system(metaeval: CommandLine, write: Write, sides: str) -> None:
    reference = metaeval.report("preferences", write("own.csv", battles("own")))
    words = dict(zip((1, -1), sides.casefold().split(","), strict=True))
    for by_name in (True, False):
        rows = [f"item,{sides},winner,judge"]
        for row, (one, other, sign) in enumerate(BATTLES):
            winner = "tie" if sign == 0 else (one if sign > 0 else other) if by_name else words[sign]
            rows.append(f"{row},{one},{other},{winner},ann")
        report = metaeval.report("preferences", write("v.csv", "\n".join(rows)))
        assert report["tables"]["head_to_head"] == reference["tables"]["head_to_head"]


def test_rows_without_a_verdict_and_unread_columns_are_told(metaeval: CommandLine, write: Write) -> None:
    text = battles("AlpacaEval").replace("preference", "price,preference,output_1").replace(",1.5,", ",7,,x,")
    text = text.replace(",1.0,", ",7,1,x,").replace(",2.0,", ",7,2,x,")
    notes = metaeval.report("preferences", write("v.csv", text))["notes"]
    assert "v.csv: 1 of 4 rows without a verdict left out" in notes
    assert "not read: price, output_1" in notes


def test_rows_of_people_with_questions_and_turns_are_items_and_clusters_as_of_fastchat(
    metaeval: CommandLine, write: Write
) -> None:
    turns = [(question, turn) for question in (81, 82, 83) for turn in (1, 2)]
    games = ((question, turn, "model_1", "model_1") for question, turn in turns)
    judge = write("gpt_pair.jsonl", games_file(*games, judge="gpt"))
    rows = "".join(f"{question},{turn},A,B,{'left' if turn == 1 else 'tie'},ann\n" for question, turn in turns)
    people = write("people.csv", "question_id,turn,left,right,winner,judge\n" + rows)
    report = metaeval.report("preferences", judge, people, "--judge", "gpt")
    agreement = table(report, *JUDGES)["gpt", "agreement"]
    assert (agreement["share"], agreement["verdicts"]) == (0.5, 12)
    assert "|items:6|" in report["signature"]
    assert not any("repeated" in note for note in report["notes"])
    assert any("the smallest effective number of clusters is 3" in note for note in report["notes"])


def test_a_file_without_judges_is_of_one_with_its_name(metaeval: CommandLine, write: Write) -> None:
    text = "item,left,right,winner\n1,A,B,left\n2,B,A,left\n"
    write("human.csv", text)
    write("llm.csv", text.replace("2,B,A,left", "2,B,A,right"))
    statistics = table(metaeval.report("preferences", "human.csv", "gpt=llm.csv", "--judge", "gpt"), *JUDGES)
    assert statistics["gpt", "agreement"]["share"] == 0.5


def test_strengths_are_human_scores_for_correlate(metaeval: CommandLine, tmp_path: Path) -> None:
    human = str(tmp_path / "human.csv")
    judges = ("--judge", "juno", "--judge", "kite")
    metaeval.succeeds("preferences", VERDICTS, *judges, "--table", "human_scores", "-f", "csv", "-o", human)
    ranked = metaeval.tables("preferences", VERDICTS, *judges)["strengths"]
    assert [row["system"] for row in rows_of(human)] == [row["system"] for row in ranked]
    report = metaeval.report(
        "correlate", "--task", "table", SCORES, "--human", human, "--resamples", "50", "--permutations", "50"
    )
    ratings = {row["system"]: row["rating"] for row in report["tables"]["correlation_scores"]}
    assert ratings == pytest.approx({row["system"]: row["strength"] for row in ranked})


@pytest.mark.parametrize(
    ("content", "options", "reason", "remedy"),
    [
        ("lp,item,better,worse\nx,1,A,B\nx,2,B,A\ny,1,A,B\ny,2,B,A\n", (),
         "no human_scores: strengths are of 2 language pairs", "analyse the verdicts of a language pair by themselves"),
        ("item,better,worse\n1,A,B\n2,B,C\n3,C,B\n", (), "no human_scores: A won every verdict against the others",
         "add verdicts on these systems, or leave them out"),
        ("item,left,right,winner\n1,A,B,left\n2,A,B,right\n3,C,D,left\n4,C,D,right\n", (),
         "the systems are in 2 groups, which were never compared with each other (A and B; C and D)",
         "add verdicts on systems of different groups"),
        ("item,left,right,winner\n1,A,B,tie\n", (), "all verdicts are ties", "add verdicts that prefer an output"),
        ("item,left,right,winner,judge\n1,A,B,left,x\n2,A,B,right,y\n", ("--judge", "x", "--judge", "y"),
         "no human_scores: no verdict is by people", "name people with --human, or add their verdicts"),
    ],
)  # fmt: skip
def test_without_a_human_ranking_a_note_and_the_error_say_why(
    metaeval: CommandLine, write: Write, content: str, options: tuple[str, ...], reason: str, remedy: str
) -> None:
    path = write("v.csv", content)
    notes = metaeval.report("preferences", path, *options)["notes"]
    (note,) = (note for note in notes if "no human_scores:" in note)
    assert reason in note
    assert note.endswith(remedy)
    assert not any("judged" in note for note in notes)
    message = metaeval.refuses("preferences", path, *options, "--table", "human_scores")
    assert message.startswith("Error: ")
    assert reason in message
    assert message.endswith(f"{remedy}.\n")


def test_methods_claim_the_tests_that_were_made(metaeval: CommandLine, write: Write) -> None:
    judges = ("--judge", "juno", "--judge", "kite")
    text = " ".join(metaeval.report("preferences", VERDICTS, *judges, "--methods")["methods"])
    tested = "The shares of juno, kite and people (agreement without ties) were tested against 0.5, with Holm's"
    assert tested in text
    assert "Biases (first, longer (×2) and own family) are coefficients of the model of Davidson" in text
    assert "Standard errors are clustered by items, and p-values have Holm's adjustment" in text
    assert "Differences in tau were tested against 0 by 4,999 random signs" in text
    assert "95 % intervals are Wilson's, with the variance between the items and Student's t" in text
    path = write("v.csv", "item,better,worse,judge\n1,A,B,x\n2,A,B,x\n1,A,B,ann\n2,B,A,ann\n")
    text = " ".join(metaeval.report("preferences", path, "--judge", "x", "--methods")["methods"])
    assert "(agreement without ties) were tested against 0.5, with Holm's adjustment" in text


def test_ranks_hold_the_order_of_the_strengths_and_wins_their_counts(metaeval: CommandLine) -> None:
    people = [row for row in rows_of(VERDICTS) if row["judge"] in ("ann", "bob")]
    report = metaeval.report("preferences", VERDICTS, "--judge", "juno", "--judge", "kite")
    for row in report["tables"]["strengths"]:
        assert row["rank_low"] <= row["rank"] <= row["rank_high"]
        assert row["low"] < row["strength"] < row["high"]
        wins = [verdict for verdict in people if verdict.get(verdict["winner"]) == row["system"]]
        assert row["wins"] == len(wins)
        shown = [verdict for verdict in people if row["system"] in (verdict["left"], verdict["right"])]
        assert row["wins"] + row["ties"] + row["losses"] == len(shown)
    for row in report["tables"]["head_to_head"]:
        pair = row["system"], row["other"]
        both = [verdict for verdict in people if {verdict["left"], verdict["right"]} == set(pair)]
        wins = [sum(verdict.get(verdict["winner"]) == system for verdict in both) for system in pair]
        assert [row["wins"], row["losses"]] == wins
        assert row["ties"] == len(both) - row["wins"] - row["losses"]
        assert row["share"] == pytest.approx((row["wins"] + row["ties"] / 2) / len(both))
    assert len(report["tables"]["head_to_head"]) == math.comb(len(report["tables"]["strengths"]), 2)


def test_clusters_are_a_column(metaeval: CommandLine, write: Write) -> None:
    text = "item,topic,better,worse,a-better,a-worse\n"
    path = write("v.csv", text + "".join(f"{item},t{item % 4},A,B,{item % 3},1\n" for item in range(40)))
    report = metaeval.report("preferences", path, "--cluster", "topic")
    assert any("the smallest effective number of clusters is 4 (tau), below" in note for note in report["notes"])
    assert any("no two systems have verdicts for either of them" in note for note in report["notes"])
    assert report["tables"]["strengths"][0]["strength"] is None
    assert "wins" in metaeval.succeeds("preferences", path).out


# Errors


HEADER = "item,left,right,winner,judge\n"
TWO_JUDGES = "1,A,B,left,a\n1,A,B,left,b\n"
KINDS = "item,left,right,winner,judge,kind\n"
WEIGHTS = "item,system_a,system_b,winner,weight\n0,a,b,a,1\n"


def test_the_highest_of_equals_is_no_single_one(metaeval: CommandLine, write: Write) -> None:
    tied = HEADER.replace("judge", "judge,m-left,m-right,o-left,o-right")
    rows = "1,A,B,left,x,2,1,2,1\n2,A,B,right,x,2,1,2,1\n3,B,A,left,x,2,1,2,1\n4,B,A,right,x,2,1,2,1\n"
    assert sentences(metaeval.report("preferences", write("v.csv", tied + rows))) == [
        "m and o have the same tau with x (0.00), the highest of 2",
        "Intervals may be too narrow with so few clusters",
    ]


def test_a_single_judge_has_its_agreement_in_the_finding(metaeval: CommandLine) -> None:
    report = metaeval.report("preferences", VERDICTS, "--judge", "juno", "--judge", "kite")
    juno = metaeval.report("preferences", VERDICTS, "--judge", "juno")
    (alone,) = (sentence for sentence in sentences(juno) if "juno agrees" in sentence)
    assert alone == "juno agrees with ann, bob and kite in 72% of pairs of verdicts (95 % interval 64% to 79%)"
    assert any(note.startswith("nothing says whether ann and bob are people or judges") for note in report["notes"])


def test_a_file_that_is_named_twice_is_refused(metaeval: CommandLine) -> None:
    assert "again; expected every file once" in metaeval.refuses("preferences", DARR, DARR)


@pytest.mark.parametrize(
    ("content", "options", "parts"),
    [
        (HEADER + "1,A,B,lft,x\n", (), ["v.csv:2", "winner 'lft'", "one of left, right, tie, A, B"]),
        (HEADER + "1,A,B,Left,x\n2,A,B,xx,x\n", (), ["winner 'Left'", "What to do: did you mean 'left'?"]),
        (HEADER + "1,A,B,left,x\n2,A,A,left,x\n", (), ["v.csv:3", "'A' on both sides"]),
        (HEADER + ",A,B,left,x\n1,,B,left,\n", (), ["v.csv:2", "'item'", "v.csv:3", "'left'", "'judge'"]),
        ("item,left,right\n1,A,B\n", (), ["v.csv:1", "a column 'winner'"]),
        ("item,one,two,winner\n1,A,B,left\n", (), ["v.csv:1", "item, left, right, winner; item, better, worse"]),
        ("item,better,worse,a-better\n1,A,B,2\n", (), ["v.csv:1", "a column 'a-worse'", "add the column"]),
        ("item,better,worse,a-better,a-worse\n1,A,B,2,x\n", (), ["v.csv:2", "value 'x' in column 'a-worse'"]),
        ("item,better,worse,a-better,a-worse\n1,A,B,2,nan\n", (), ["v.csv:2", "value 'nan' in column 'a-worse'"]),
        (HEADER + "1,A,B,left,juno\n", ("--judge", "jun"), ["--judge jun", "did you mean 'juno'"]),
        (HEADER + "1,A,B,left,x\n", ("--lower-is-better", "ter"), ["--lower-is-better ter", "ter-left and ter-right"]),
        (
            "id,model_a,model_b,winner_model_a,winner_model_b,winner_tie\n1,A,B,1,1,0\n",
            (),
            ["v.csv:2: winner_model_a 1 and winner_model_b 1 and winner_tie 0; expected a 1 in one of them"],
        ),
        (
            "generator_1,generator_2,preference\nA,B,2.5\n",
            (),
            ["v.csv:2: preference '2.5'; expected a number from 1 to 2"],
        ),
        ("question_id,model_a,model_b\n1,A,B\n", (), ["a column 'winner'"]),
        (HEADER + "1,A,B,left,x\n", ("--judge-column", "who"), ["a column 'who'", "--judge-column"]),
        (HEADER + "1,A,B,left,x\n", ("--cluster", "topic"), ["a column 'topic'", "--cluster"]),
        (HEADER + "1,A,B,left,x\n", ("--language-pair-column", "lng"), ["a column 'lng'", "--language-pair-column"]),
        ("model_1,model_2,g1_winner,g2_winner,judge\nA,B,error,error,x\n", (), ["no verdict in any of 2 games"]),
        ("item,left,right,winner,family-left,family-right\n1,A,B,left,x,y\n", (), ["a column 'family-judge'"]),
        (HEADER + TWO_JUDGES, ("--human", "c*"), ["--human 'c*'", "one of a, b"]),
        (
            HEADER + TWO_JUDGES,
            ("--human", "a", "--judge", "a"),
            ["'a' as a person and as a judge", "--human or --judge"],
        ),
        (HEADER + TWO_JUDGES, ("--baseline", "Q"), ["--baseline Q", "one of A, B"]),
        (KINDS + "1,A,B,left,a,human\n2,A,B,left,a,robot\n", (), ["v.csv:3", "kind 'robot'", "human"]),
        (
            KINDS + "1,A,B,left,a,human\n2,A,B,left,a,llm\n",
            (),
            ["v.csv:3", "kind 'llm' of 'a'", "'human', as before"],
        ),
        (
            WEIGHTS + "1,b,a,a,1\n",
            (),
            ["winner 'a', which names a system and says that it did not win; expected a system with another name"],
        ),
        (WEIGHTS + "1,tie,a,tie,1\n", (), ["winner 'tie', which names a system"]),
        (WEIGHTS + "1,a,b,a,1e300\n", (), ["weight '1e+300'; expected a number of at most 1e+09"]),
    ],
)
def test_errors_say_where_and_what(
    metaeval: CommandLine, write: Write, content: str, options: tuple[str, ...], parts: list[str]
) -> None:
    metaeval.refuses_with(parts, "preferences", write("v.csv", content), *options)


def test_work_that_would_take_minutes_is_refused_before_it_begins(metaeval: CommandLine, write: Write) -> None:
    judges = ("ann", "gpt", "kim")
    rows = [f"q{one},s{one},s{other},{judges[other % 3]}\n" for one, other in combinations(range(300), 2)]
    path = write("v.csv", "item,better,worse,judge\n" + "".join(rows))
    error = metaeval.refuses("preferences", path, "--human", "ann")
    assert "verdicts on 300 systems (44,850 pairs), 1 language pair and 0 metrics, with 2 judges" in error
    assert "min of work; expected work of at most 30 s" in error
    assert "leave out systems, judges, language pairs or metrics" in error


# Systems and metrics that are left out


@pytest.mark.usefixtures("repository")
def test_what_is_excluded_is_as_if_it_were_not_in_the_file(metaeval: CommandLine, tmp_path: Path) -> None:
    rows = Path("sample_data/preferences/verdicts.csv").read_text(encoding="utf-8").splitlines()
    columns = [index for index, name in enumerate(rows[0].split(",")) if not name.startswith("lexi-")]
    remaining = [row.split(",") for row in rows if "Elm" not in row.split(",")[1:3]]
    without = tmp_path / "verdicts.csv"
    without.write_text("".join(",".join(row[index] for index in columns) + "\n" for row in remaining), encoding="utf-8")
    call = ("preferences", "sample_data/preferences/verdicts.csv", "--judge", "kite")
    excluded = metaeval.report(*call, "--exclude-system", "E*", "--exclude-measure", "lex*")
    assert excluded["tables"] == metaeval.tables("preferences", without, "--judge", "kite")
    assert "excluded systems (1): Elm" in excluded["notes"]
    assert "exclude-systems:E*|exclude-measures:lex*" in excluded["signature"]
    for more, message in (
        (("--exclude-system", "X*"), "--exclude-system 'X*'; expected one of Cedar"),
        (("--exclude-measure", "nope"), "--exclude-measure 'nope'; expected one of lexi, sema"),
        (("--exclude-system", "[ABCD]*"), "no pair of systems is left: Elm is alone"),
        (("--exclude-system", "*"), "no system is left"),
    ):
        assert message in metaeval.refuses(*call, *more)


def test_systems_that_were_never_compared_are_no_pair(metaeval: CommandLine, write: Write) -> None:
    write("verdicts.csv", "item,left,right,winner\n1,a,c,left\n2,b,c,left\n")
    message = metaeval.refuses("preferences", "verdicts.csv", "--exclude-system", "c")
    assert "no pair of systems is left: a and b were never compared" in message
