"""`metaeval power`: what it tells of labels, texts and tables, and what it refuses."""

import json
from typing import Any

import numpy as np
import pytest
from command_line import CommandLine, Write
from shared_data import SHARED_DATA, needs_shared_data

from metaeval.analyses.power.tables import findings

STANCE = ("--config", "configs/stance.yaml")
TWO = ("-m", "cem-ord", "-m", "macro-f1")
FEW = ("--resamples", "199")
COLUMNS = ["measure", "test", "pairs", "different", "power", "needed", "smallest"]
FNC1 = (
    *("--labels", "disagree<discuss<agree", "--drop-gold", "unrelated", "--on-unknown", "worst"),
    *("--gold", str(SHARED_DATA / "fnc1/gold.csv"), str(SHARED_DATA / "fnc1/systems")),
)


def report_of(metaeval: CommandLine, *arguments: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(metaeval.succeeds("power", *arguments, "-f", "json").out)
    return found


def by_measure(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["measure"]: row for row in found["tables"]["power"]}


@pytest.mark.usefixtures("repository")
def test_power_has_its_public_tables(metaeval: CommandLine) -> None:
    found = report_of(metaeval, *STANCE, *TWO, *FEW)
    assert list(found["tables"]) == ["power", "power_differences"]
    assert list(found["tables"]["power"][0]) == COLUMNS
    curve = found["tables"]["power_differences"]
    assert list(curve[0]) == ["measure", "rank", "system", "other", "difference", "p"]
    assert "test:auto|resamples:199|alpha:0.05" in found["signature"]


@pytest.mark.usefixtures("repository")
def test_csv_is_the_main_table(metaeval: CommandLine) -> None:
    rows = metaeval.succeeds("power", *STANCE, *TWO, *FEW, "-f", "csv").rows()
    assert list(rows[0]) == COLUMNS
    assert {row["measure"]: row["test"] for row in rows} == {"cem-ord": "tukey", "macro-f1": "bootstrap"}


@pytest.mark.usefixtures("repository")
def test_the_table_counts_what_the_curve_lists(metaeval: CommandLine) -> None:
    found = report_of(metaeval, *STANCE, *TWO, "-m", "mae", *FEW)
    scored = json.loads(metaeval.succeeds("score", *STANCE, *TWO, "-m", "mae", "-f", "json").out)
    scores = {row["system"]: row for row in scored["tables"]["scores"]}
    for measure, row in by_measure(found).items():
        curve = [each for each in found["tables"]["power_differences"] if each["measure"] == measure]
        p = [each["p"] for each in curve]
        assert p == sorted(p)
        assert [each["rank"] for each in curve] == list(range(1, row["pairs"] + 1)) == list(range(1, 92))
        told = [abs(each["difference"]) for each in curve if each["p"] <= 0.05]
        assert (row["different"], row["smallest"]) == (len(told), min(told))
        assert row["power"] == len(told) / 91
        for each in curve:
            apart = scores[each["system"]][measure] - scores[each["other"]][measure]
            assert each["difference"] == pytest.approx(apart, abs=1e-12)
            assert each["p"] <= 0.05 or abs(each["difference"]) <= row["needed"] + 1e-12


@pytest.mark.parametrize("test", ["auto", "bootstrap"])
@pytest.mark.usefixtures("repository")
def test_the_bits_are_the_same_for_one_worker_and_two(metaeval: CommandLine, test: str) -> None:
    one, two, other = (
        report_of(metaeval, *STANCE, *TWO, *FEW, "--test", test, *more)["tables"]
        for more in ((), ("--workers", "2"), ("--seed", "1"))
    )
    assert one == two
    assert one != other


@pytest.mark.usefixtures("repository")
def test_a_measure_is_tested_alike_whatever_stands_beside_it(metaeval: CommandLine) -> None:
    alone = by_measure(report_of(metaeval, *STANCE, "-m", "macro-f1", *FEW))
    beside = by_measure(report_of(metaeval, *STANCE, "-m", "accuracy", "-m", "macro-f1", "-m", "mcc", *FEW))
    assert alone["macro-f1"] == beside["macro-f1"]


@pytest.mark.usefixtures("repository")
def test_texts_are_tested_as_means_over_items(metaeval: CommandLine) -> None:
    arguments = ("--config", "configs/news.yaml", "-m", "rouge-n:n=1", *FEW)
    for test, taken in (("auto", "tukey"), ("tukey", "tukey"), ("bootstrap", "bootstrap")):
        assert by_measure(report_of(metaeval, *arguments, "--test", test))["rouge-n:n=1"]["test"] == taken


def table_of(items: int) -> str:
    """Three systems, each better than the last, by two measures."""
    random = np.random.default_rng(1)
    rows = [
        f"{measure},s{system},i{item},{random.normal() + system}"
        for measure in ("bleu", "ter")
        for system in range(3)
        for item in range(items)
    ]
    return "\n".join(["measure,system,item,value", *rows, ""])


def test_a_table_of_scores_is_tested_and_lower_may_be_better(metaeval: CommandLine, write: Write) -> None:
    write("scores.csv", table_of(200))
    found = report_of(metaeval, "--task", "table", "scores.csv", "--lower-is-better", "ter", *FEW)
    assert [row["power"] for row in found["tables"]["power"]] == [1, 1]
    assert all(row["difference"] < 0 for row in found["tables"]["power_differences"])


def test_pairs_without_a_score_are_not_tested_and_a_note_says_so(metaeval: CommandLine, write: Write) -> None:
    gold = ["a", "b"] * 30
    runs = {"good": gold, "weak": ["a", "b", "b"] * 20, "mute": ["a"] * 60}
    for name, labels in (("gold", gold), *((f"runs/{name}", labels) for name, labels in runs.items())):
        write(f"{name}.csv", "id,label\n" + "".join(f"{number},{label}\n" for number, label in enumerate(labels)))
    found = report_of(metaeval, "--gold", "gold.csv", "runs", "-m", "mcc", "-m", "accuracy", *FEW)
    assert {row["measure"]: row["pairs"] for row in found["tables"]["power"]} == {"mcc": 1, "accuracy": 3}
    assert any("not tested (mcc)" in note for note in found["notes"])


def test_resamples_without_a_score_are_counted(metaeval: CommandLine, write: Write) -> None:
    gold = ["a"] * 38 + ["b"] * 2
    runs = {"good": gold, "weak": ["a"] * 37 + ["b"] * 3, "poor": ["b", *gold[1:]]}
    for name, labels in (("gold", gold), *((f"runs/{name}", labels) for name, labels in runs.items())):
        write(f"{name}.csv", "id,label\n" + "".join(f"{number},{label}\n" for number, label in enumerate(labels)))
    arguments = ("--gold", "gold.csv", "runs", "-m", "mcc", "-m", "accuracy", "--test", "bootstrap", *FEW)
    notes = [note for note in report_of(metaeval, *arguments)["notes"] if "left out" in note]
    compared = json.loads(metaeval.succeeds("compare", *arguments, "-f", "json").out)["notes"]
    assert len(notes) == 1
    assert notes[0].startswith("mcc: up to ")
    assert notes[0] in compared


@pytest.mark.usefixtures("repository")
def test_under_tukey_a_note_says_that_power_depends_on_who_takes_part(metaeval: CommandLine) -> None:
    for test, told in (("tukey", True), ("bootstrap", False)):
        err = metaeval.succeeds("power", *STANCE, "-m", "accuracy", *FEW, "--test", test).err
        assert ("its power depends on which other systems take part" in err) == told


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--test", "tukey", "-m", "kappa:weights=linear", "-m", "accuracy"), "--test tukey, and kappa:weights=linear"),
        (("--test", "tuckey"), "Did you mean 'tukey'?"),
        (("--alpha", "0"), "expected a level between 0 and 1"),
        (("--alpha", "1"), "expected a level between 0 and 1"),
        (("--resamples", "0"), "0"),
        (("-m", "acuracy"), "Did you mean 'accuracy'?"),
    ],
)
@pytest.mark.usefixtures("repository")
def test_what_is_wrong_is_said(metaeval: CommandLine, arguments: tuple[str, ...], told: str) -> None:
    assert told in metaeval.refuses("power", *STANCE, *arguments)


@pytest.mark.usefixtures("repository")
def test_predicted_numbers_can_not_be_tested(metaeval: CommandLine) -> None:
    assert "systems that predict labels" in metaeval.refuses("power", "--config", "configs/ordinal.yaml")


@pytest.mark.usefixtures("repository")
def test_one_system_has_nobody_to_differ_from(metaeval: CommandLine) -> None:
    one = ("--gold", "sample_data/fnc1/gold.csv", "sample_data/fnc1/systems/atlas_base.csv")
    assert "one system (atlas_base)" in metaeval.refuses("power", "--task", "fnc1", *one)


@pytest.mark.usefixtures("repository")
def test_too_few_resamples_are_told(metaeval: CommandLine) -> None:
    told = metaeval.succeeds("power", *STANCE, "-m", "accuracy", "--resamples", "18").err
    assert "say --resamples 19 or more" in told
    assert "too few" not in metaeval.succeeds("power", *STANCE, "-m", "accuracy", "--resamples", "19").err


@pytest.mark.usefixtures("repository")
def test_quiet_leaves_the_table_alone(metaeval: CommandLine) -> None:
    outcome = metaeval.succeeds("power", *STANCE, "-m", "accuracy", *FEW, "-q")
    assert outcome.err == ""
    assert "accuracy" in outcome.out


@pytest.mark.parametrize("name", ["table", "tsv", "markdown", "latex"])
@pytest.mark.usefixtures("repository")
def test_every_format_has_it(metaeval: CommandLine, name: str) -> None:
    assert "accuracy" in metaeval.succeeds("power", *STANCE, "-m", "accuracy", *FEW, "-f", name).out


def test_the_sentence_names_the_most_and_the_least_of_each_test() -> None:
    shares = {"bootstrap": {"a": 0.9, "b": 0.5, "c": 0.9}, "tukey": {"d": 0.4}}
    told = findings(shares, alpha=0.05)[0].sentence
    assert told == (
        "at 0.05 a, c tell most pairs of systems apart (90%, bootstrap), b fewest (50%); "
        "d tells 40% of the pairs of systems apart (tukey)"
    )
    assert findings({"tukey": {"a": float("nan")}}, alpha=0.05) == []
    partly = findings({"tukey": {"a": 0.5, "b": float("nan")}}, alpha=0.05)[0].sentence
    assert partly == "at 0.05 a tells most pairs of systems apart (50%, tukey)"


@needs_shared_data
def test_of_fourteen_real_systems_every_measure_tells_most_apart(metaeval: CommandLine) -> None:
    found = by_measure(report_of(metaeval, *FNC1, "-m", "macro-f1", "-m", "cem-ord", "--resamples", "499"))
    assert all(0.75 < row["power"] < 0.95 for row in found.values())
    # Of 7,064 items a standard error of accuracy is 0.005.
    assert 0.01 < found["cem-ord"]["needed"] < 0.03
