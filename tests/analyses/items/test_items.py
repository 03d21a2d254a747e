"""`items`: every number against a computation from raw labels or scores, and what is said about them."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from command_line import CommandLine, Write
from label_studies import label_files
from scipy.stats import norm, spearmanr
from score_cubes import score_table

import metaeval as package

RNG = np.random.default_rng(44)
GOLD = RNG.choice(list("abc"), 40).tolist()
QUALITY = {"worst": 0.1, "low": 0.3, "mid": 0.5, "good": 0.7, "better": 0.8, "best": 0.95}
RUNS = {
    name: [label if RNG.random() < quality else str(RNG.choice(list("abc"))) for label in GOLD]
    for name, quality in QUALITY.items()
}


def table_of(report: package.Report, name: str = "items") -> pd.DataFrame:
    return report.to_pandas(name)


def analysed(runs: dict[str, list[str]], gold: list[str]) -> package.Report:
    return package.items(package.from_labels(runs, gold=gold, labels="a,b,c"))


def item_and_rest(runs: dict[str, list[str]], gold: list[str], item: int) -> tuple[list[float], list[float]]:
    """Whether each system is right on an item, and its number of right answers on the others."""
    right = [[float(label == truth) for label, truth in zip(labels, gold, strict=True)] for labels in runs.values()]
    return [row[item] for row in right], [sum(row) - row[item] for row in right]


def test_numbers_are_those_of_single_items_from_raw_labels() -> None:
    rows = table_of(analysed(RUNS, GOLD))
    for item, gold in enumerate(GOLD):
        row, predictions = rows.iloc[item], [labels[item] for labels in RUNS.values()]
        counts = Counter(predictions)
        others = Counter(label for label in predictions if label != gold)
        assert row["gold"] == gold
        assert others[row["other"]] == max(others.values(), default=0)
        assert row["share"] == pytest.approx(max(others.values(), default=0) / 6)
        assert row["difficulty"] == pytest.approx(counts[gold] / 6)
        pairs = list(combinations(predictions, 2))
        assert row["disagreement"] == pytest.approx(sum(one != other for one, other in pairs) / len(pairs))
        right, rest = item_and_rest(RUNS, GOLD, item)
        correlation = spearmanr(right, rest).statistic if 0 < sum(right) < 6 else math.nan
        assert row["discrimination"] == pytest.approx(correlation, nan_ok=True)
        preferred = [(label == gold) - (label == row["other"]) for label in predictions]
        preference = spearmanr(preferred, rest).statistic if len(set(preferred)) > 1 else math.nan
        assert row["preference"] == pytest.approx(preference, nan_ok=True)


def test_dead_items_are_counted_by_gold_class() -> None:
    report = analysed(RUNS | {"oracle": GOLD}, GOLD)
    rows, counts = table_of(report), table_of(report, "item_counts").set_index("gold")
    for name, subset in [("all", rows), *rows.groupby("gold")]:
        right = [item for item in subset.index if all(labels[item] == GOLD[item] for labels in RUNS.values())]
        assert counts.loc[name, "all_right"] == len(right) == (subset["verdict"] == "all_right").sum()
        assert counts.loc[name, "all_wrong"] == 0
        assert counts.loc[name, "items"] == len(subset)


def test_few_systems_are_not_tested_and_the_finding_says_how_many_are_needed() -> None:
    report = analysed(RUNS, GOLD)
    assert table_of(report)["p_adjusted"].isna().all()
    assert not set(table_of(report)["verdict"]) & {"discriminating", "suspicious"}
    sentence = next(str(finding) for finding in report.findings if "nothing is tested" in str(finding))
    needed, items = int(sentence.split()[-3]), int(sentence.split(" for ")[1].split()[0])
    for systems in (needed, needed - 1):
        # The largest correlation that an item with half of the systems right can have.
        largest = math.sqrt(0.75 * systems**2 / (systems**2 - 1)) * math.sqrt(systems - 1)
        assert (norm.sf(largest) <= 0.05 / items) == (systems == needed) or systems == needed - 1


def many_systems(random: np.random.Generator, gold: list[str], systems: int) -> dict[str, list[str]]:
    """Systems of different quality, which predict another class where they are wrong."""
    others = {"a": "bc", "b": "ac", "c": "ab"}
    qualities = np.linspace(0.2, 0.9, systems)
    return {
        f"s{number}": [label if random.random() < quality else others[label][int(random.integers(2))] for label in gold]
        for number, quality in enumerate(qualities)
    }


def test_planted_wrong_gold_labels_are_listed_and_no_others() -> None:
    random = np.random.default_rng(1)
    truth = random.choice(list("abc"), 200).tolist()
    runs = many_systems(random, truth, 60)
    wrong = {3, 50, 120}
    gold = [("b" if label != "b" else "c") if item in wrong else label for item, label in enumerate(truth)]
    report = analysed(runs, gold)
    rows = table_of(report)
    assert set(rows.index[rows["verdict"] == "suspicious"]) == wrong
    assert set(rows.loc[sorted(wrong), "other"]) == {truth[item] for item in wrong}
    assert set(table_of(report, "suspicious")["item"].iloc[:3]) == {str(item + 1) for item in wrong}
    assert "check the gold labels of" in str(report.findings[1])
    discriminating = (rows["verdict"] == "discriminating").sum()
    assert str(report.findings[0]).startswith(f"{discriminating} of 200 items discriminate between the 60 systems")


def test_p_values_are_of_one_direction_and_adjusted_for_the_items_that_could_be_significant() -> None:
    random = np.random.default_rng(2)
    gold = random.choice(list("abc"), 30).tolist()
    runs = many_systems(random, gold, 40)
    rows = table_of(analysed(runs, gold))
    for item in range(len(gold)):
        right, rest = item_and_rest(runs, gold, item)
        if len(set(right)) == 2:
            assert rows["p"][item] == pytest.approx(norm.sf(spearmanr(right, rest).statistic * math.sqrt(39)))
    assert rows["p_negative"].to_numpy() == pytest.approx(norm.cdf(rows["preference"] * math.sqrt(39)), nan_ok=True)
    tested = rows.dropna(subset=["p_adjusted"])
    assert (tested["p_adjusted"] >= tested["p"] - 1e-12).all()
    # Step up by hand, over the p-values of all items that are tested.
    ordered = np.sort(tested["p"].to_numpy())
    by_hand = np.minimum.accumulate((ordered * len(ordered) / np.arange(1, len(ordered) + 1))[::-1])[::-1]
    expected = np.minimum(by_hand[np.searchsorted(ordered, tested["p"])], 1.0)
    assert tested["p_adjusted"].to_numpy() == pytest.approx(expected)


def test_a_class_that_weaker_systems_predict_more_often_is_not_suspicious() -> None:
    random = np.random.default_rng(3)
    gold = ["a" if random.random() < 0.5 else "b" for _ in range(300)]
    runs = {
        f"s{number}": ["a" if random.random() < bias or label == "a" else "b" for label in gold]
        for number, bias in enumerate(np.linspace(0.0, 0.9, 50))
    }
    # Better systems predict a less often, and are wrong on some of its items.
    for number, labels in enumerate(runs.values()):
        for item, label in enumerate(gold):
            if label == "a" and random.random() < 0.3 * (1 - number / 50):
                labels[item] = "b"
    report = package.items(package.from_labels(runs, gold=gold, labels="a,b"))
    counts = table_of(report, "item_counts").set_index("gold")
    assert counts["discrimination"]["a"] < -0.1
    assert counts["suspicious"]["a"] == 0
    assert any("the preference for a is negative on average" in str(note) for note in report.notes)


def test_copies_of_a_system_do_not_make_correlations_more_certain() -> None:
    copies = {f"copy{number}": RUNS["best"] for number in range(30)}
    alone, copied = (table_of(analysed(runs, GOLD)) for runs in (RUNS, RUNS | copies))
    assert copied["discrimination"].tolist() == pytest.approx(alone["discrimination"].tolist(), nan_ok=True)
    assert copied["p"].tolist() == pytest.approx(alone["p"].tolist(), nan_ok=True)
    assert any("30 systems are left out of correlations" in str(n) for n in analysed(RUNS | copies, GOLD).notes)


def test_a_table_has_mean_scores_and_their_deviation(metaeval: CommandLine, write: Write) -> None:
    scores = np.round(np.random.default_rng(5).random((5, 12)), 3)
    scores[:, 4] = 0.25
    tables = metaeval.tables("items", "--task", "table", write("scores.csv", score_table({"bleu": scores})))
    for item, row in enumerate(tables["items"]):
        item_scores, rest = scores[:, item], scores.sum(axis=1) - scores[:, item]
        assert row["difficulty"] == pytest.approx(item_scores.mean())
        assert row["disagreement"] == pytest.approx(item_scores.std(ddof=1))
        if item != 4:
            assert row["discrimination"] == pytest.approx(spearmanr(item_scores, rest).statistic)
    assert (tables["items"][4]["verdict"], tables["items"][4]["discrimination"]) == ("equal", None)
    assert tables["item_counts"][0]["equal"] == 1


def test_missing_scores_are_left_out_pair_by_pair(metaeval: CommandLine, write: Write) -> None:
    random = np.random.default_rng(6)
    scores = np.round(random.random((7, 20)) + np.linspace(0, 1, 7)[:, np.newaxis], 3)
    scores[random.random(scores.shape) < 0.15] = np.nan
    options = ("--task", "table", write("scores.csv", score_table({"bleu": scores})), "--on-missing", "pairwise")
    rows = metaeval.tables("items", *options)["items"]
    centred = scores - np.nanmean(scores, axis=0)
    for row in rows:
        item = int(row["item"][1:])
        present = ~np.isnan(scores[:, item])
        rest = np.nanmean(np.delete(centred, item, axis=1), axis=1)
        assert row["difficulty"] == pytest.approx(scores[present, item].mean())
        assert row["discrimination"] == pytest.approx(spearmanr(scores[present, item], rest[present]).statistic)


def test_a_table_of_zeros_and_ones_has_right_and_wrong_in_the_direction_of_the_measure(
    metaeval: CommandLine, write: Write
) -> None:
    scores = np.array([[0, 1, 1, 0], [0, 1, 0, 0], [0, 1, 1, 1]], dtype=float)
    file = write("scores.csv", score_table({"bleu": scores}))
    verdicts = [row["verdict"] for row in metaeval.tables("items", "--task", "table", file)["items"]]
    assert verdicts == ["all_wrong", "all_right", "", ""]
    tables = metaeval.tables("items", "--task", "table", file, "--lower-is-better", "bleu")
    assert [row["verdict"] for row in tables["items"]] == ["all_right", "all_wrong", "", ""]


def test_items_on_which_all_predict_the_same_wrong_class_are_said(metaeval: CommandLine, write: Write) -> None:
    gold, *runs = label_files(write, gold="abab", one="bbab", two="bbaa", three="baba")
    report = metaeval.report("items", "--gold", gold, *runs, "--labels", "a,b")
    assert report["findings"][-1]["sentence"] == ("on 1 of the 1 items that all get wrong, all predict one class")


def test_one_system_and_predicted_numbers_are_refused(metaeval: CommandLine, write: Write) -> None:
    gold, one, two = label_files(write, gold="0101", one="0111", two="1101")
    data = ("--gold", gold, "--labels", "0<1")
    assert "at least two systems" in metaeval.refuses("items", *data, one)
    message = metaeval.refuses("items", "--task", "scores", *data, one, two)
    assert "predicted numbers" in message
    assert "one run of each system" in metaeval.refuses("items", *data, f"a@1={one}", f"a@2={two}", f"b@1={one}")


def test_blocks_of_items_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = table_of(analysed(RUNS, GOLD))
    monkeypatch.setattr("metaeval.analyses.items.compute.CELLS_AT_ONCE", 20)
    pd.testing.assert_frame_equal(table_of(analysed(RUNS, GOLD)), whole)
