"""`metaeval correlate`: its numbers are those of SciPy, nlpstats and mt-metrics-eval; its notes and findings."""

from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from command_line import CommandLine, Write
from human_scores import golden
from label_studies import label_files
from numpy.typing import NDArray
from scipy import stats
from score_cubes import score_table
from shared_data import SHARED_DATA, needs_shared_data
from stats.test_association import ORACLES, by_loop

Scores = NDArray[np.float64]

OF_GOLDENS = {"pearson": "pearson", "spearman": "spearman", "kendall-b": "kendall", "kendall-c": "kendall_c"}
LEVELS = ("--level", "system", "--level", "item", "--level", "global")
ALL_FOUR = ("pearson", "spearman", "kendall-b", "kendall-c")
BARE = ("--interval", "none", "--test", "none")
POOL = ("--human-pool", "mean")
FEW = ("--resamples", "30", "--permutations", "99")
CEILING = "human ceiling"


class Result(NamedTuple):
    """A report, its rows by measure, human, level and coefficient."""

    report: dict[str, Any]
    rows: dict[tuple[str, str, str, str], dict[str, Any]]

    def value(self, *key: str) -> float:
        """One correlation; NaN where it is undefined."""
        measure, human, level, coefficient = key
        return number(self.rows[measure, human, level, coefficient]["value"])

    @property
    def notes(self) -> str:
        return "\n".join(self.report["notes"])


def number(cell: float | None) -> float:
    return np.nan if cell is None else cell


def correlate(metaeval: CommandLine, *arguments: object) -> Result:
    report = metaeval.report("correlate", *arguments)
    table = report["tables"]["correlations"]
    keys = ("measure", "human", "level", "coefficient")
    rows = {(row[keys[0]], row[keys[1]], row[keys[2]], row[keys[3]]): row for row in table}
    assert len(rows) == len(table)
    return Result(report, rows)


def coefficients(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(word for name in names for word in ("--coefficient", name))


# The public data sets


@needs_shared_data
def test_every_correlation_on_newsroom_is_that_of_nlpstats_and_mt_metrics_eval(metaeval: CommandLine) -> None:
    expected = golden("newsroom")["human"]
    people = tuple(word for name in expected for word in ("--human", name))
    options = coefficients((*ALL_FOUR, "acc-eq", "pairwise-accuracy", "soft-pairwise"))
    path = SHARED_DATA / "newsroom" / "newsroom.csv"
    result = correlate(metaeval, "--task", "table", path, *people, *LEVELS, *options, *BARE)
    for human, part in expected.items():
        for measure, values in part["metrics"].items():
            for level, name in (("system", "system"), ("item", "input"), ("global", "global")):
                for ours in ALL_FOUR[:3]:
                    value = values[f"nlpstats_{name}_{OF_GOLDENS[ours]}"]
                    assert result.value(measure, human, level, ours) == pytest.approx(value, abs=1e-9, nan_ok=True)
            ours_item, count = result.rows[measure, human, "item", "kendall-b"], values["mtme_kendall_b_item"][2]
            assert (ours_item["n"], ours_item["left_out"]) == (count, 60 - count)
            accuracy = result.value(measure, human, "item", "acc-eq")
            assert accuracy == pytest.approx(values["mtme_acc_eq_item"]["acc23"], abs=1e-9)
            agree, pairs = values["mtme_system_pairwise_accuracy"]
            assert result.value(measure, human, "system", "pairwise-accuracy") == pytest.approx(agree / pairs, abs=1e-9)
            assert result.value(measure, human, "system", "soft-pairwise") == pytest.approx(
                values["mtme_SPA"], abs=0.02
            )


@needs_shared_data
def test_intervals_and_tests_on_realsumm_are_those_of_nlpstats(metaeval: CommandLine) -> None:
    path = SHARED_DATA / "realsumm" / "realsumm_scores.csv"
    human, goldens = "human_litepyramid_recall", golden("realsumm")
    names = {"pearson": "pearson", "spearman": "spearman", "kendall": "kendall-b"}
    levels = {"system": "system", "input": "item", "item": "item", "global": "global"}
    call = ("--task", "table", path, "--human", human, *LEVELS, *coefficients(names.values()))
    fisher = correlate(metaeval, *call, "--interval", "fisher", "--test", "williams")
    assert goldens["fisher"]
    for one in goldens["fisher"]:
        row = fisher.rows[one["metric"], human, levels[one["level"]], names[one["coefficient"]]]
        # Theirs has normal quantiles, and at level item the number of systems as n.
        low, high = np.arctanh((one["lower"], one["upper"]))
        number = 2500 if levels[one["level"]] == "global" else 25
        half = (high - low) / 2 * stats.t.ppf(0.975, number - 2) / stats.norm.ppf(0.975)
        ends = np.tanh((low + high) / 2 - half), np.tanh((low + high) / 2 + half)
        assert (row["low"], row["high"]) == pytest.approx(ends, abs=1e-9)
    # Of two measures alone, Holm leaves a p-value as it is.
    for pair in goldens["pair_tests"]:
        two = ("-m", pair["metric1"], "-m", pair["metric2"], "--level", "system", "--coefficient", "pearson")
        call = ("--task", "table", path, "--human", human, *two, "--interval", "none", "--test", "williams")
        (row,) = correlate(metaeval, *call).report["tables"]["correlation_differences"]
        expected = pair["nlpstats_williams_system_pearson"]["two-sided"]
        assert row["p"] == pytest.approx(expected, abs=1e-9)


# Made-up scores of items


SYSTEMS = tuple("abcdef")


class Made(NamedTuple):
    """Scores (S, N) by name, and options that name their file."""

    scores: dict[str, Scores]
    call: tuple[str, ...]


@pytest.fixture
def made(write: Write) -> Made:
    """Two good measures, errors, noise; and two raters in the same table, whole numbers with ties."""
    random = np.random.default_rng(3)
    quality = np.arange(6)[:, np.newaxis] * 0.8 + random.normal(size=(6, 20))
    scores = {
        "good": quality + random.normal(scale=0.5, size=(6, 20)),
        "fair": quality + random.normal(scale=2.0, size=(6, 20)),
        "errors": -quality + random.normal(scale=0.7, size=(6, 20)),
        "noise": random.normal(size=(6, 20)),
        "ann": np.clip(np.round(quality), 0, 4),
        "bob": np.clip(np.round(quality + random.normal(scale=0.8, size=(6, 20))), 0, 4),
    }
    path = write("scores.csv", score_table(scores, systems=SYSTEMS))
    return Made(scores, ("--task", "table", path, "--lower-is-better", "errors"))


def test_people_of_a_table_are_not_scored_as_measures(metaeval: CommandLine, made: Made) -> None:
    result = correlate(metaeval, *made.call, "--human", "ann", "--human", "bob", *POOL, *BARE)
    assert {key[0] for key in result.rows} == {"good", "fair", "errors", "noise", CEILING}
    assert {key[1] for key in result.rows} == {
        "ann",
        "bob",
        "mean of scores",
        "mean of correlations",
        "mean of the others",
    }
    alone = correlate(metaeval, *made.call, "--human", "ann", *BARE)
    assert {key[0] for key in alone.rows} == {"good", "fair", "errors", "noise", "bob"}


def test_a_value_is_scipys_with_lower_is_better_turned(metaeval: CommandLine, made: Made) -> None:
    call = (*made.call, "--human", "ann", "--human", "bob", *POOL)
    result = correlate(metaeval, *call, *LEVELS, "--level", "by-system", *coefficients(ALL_FOUR), *BARE)
    scores = {name: -values if name == "errors" else values for name, values in made.scores.items()}
    people = np.stack([scores["ann"], scores["bob"]])
    for level, coefficient in product((*LEVELS[1::2], "by-system"), ALL_FOUR):
        for measure in ("good", "fair", "errors", "noise"):
            for human, ratings in (("ann", people[0]), ("bob", people[1]), ("mean of scores", people.mean(axis=0))):
                row = result.rows[measure, human, level, coefficient]
                expected = by_loop(scores[measure], ratings, level, coefficient)
                assert (row["value"], row["n"], row["left_out"]) == pytest.approx(expected, abs=1e-9)
            pair = [result.value(measure, human, level, coefficient) for human in ("ann", "bob")]
            mean = result.rows[measure, "mean of correlations", level, coefficient]
            assert (mean["value"], mean["n"], mean["left_out"]) == pytest.approx((np.mean(pair), 2, 0), abs=1e-9)
        ceiling = result.value(CEILING, "mean of the others", level, coefficient)
        assert ceiling == pytest.approx(by_loop(people[0], people[1], level, coefficient)[0], abs=1e-9)
        values = [row["value"] for key, row in result.rows.items() if key[1:] == ("ann", level, coefficient)]
        assert values == sorted(values, reverse=True), "the best first, with its sign"


def test_people_of_whom_lower_is_better_are_turned_too(metaeval: CommandLine, made: Made) -> None:
    result = correlate(metaeval, *made.call, "--human", "ann", "--lower-is-better", "ann", *BARE)
    plainly = correlate(metaeval, *made.call, "--human", "ann", *BARE)
    for key, row in plainly.rows.items():
        assert result.rows[key]["value"] == pytest.approx(-row["value"], abs=1e-12)


def test_items_that_somebody_rates_alike_are_left_out_and_counted(
    metaeval: CommandLine, made: Made, write: Write
) -> None:
    scores = {name: values.copy() for name, values in made.scores.items()}
    scores["ann"][:, :3] = 2
    scores["good"][:, 2:5] = 0.25
    call = (
        "--task",
        "table",
        write("constant.csv", score_table(scores, systems=SYSTEMS)),
        "--human",
        "ann",
        "--level",
        "item",
    )
    result = correlate(metaeval, *call, "-m", "good", "-m", "fair", *coefficients(ALL_FOUR), *BARE)
    for coefficient in ALL_FOUR:
        for measure, left_out in (("good", 5), ("fair", 3)):
            row = result.rows[measure, "ann", "item", coefficient]
            expected = by_loop(scores[measure], scores["ann"], "item", coefficient)
            assert expected[1:] == (20 - left_out, left_out)
            assert (row["value"], row["n"], row["left_out"]) == pytest.approx(expected, abs=1e-9)
        assert f"{coefficient} at level item excludes up to 5 items: constant, or without scores" in result.notes


def test_soft_pairwise_accuracy_is_of_systems_alone(metaeval: CommandLine, made: Made) -> None:
    result = correlate(metaeval, *made.call, "--human", "ann", *coefficients(("pearson", "soft-pairwise")), *BARE)
    assert {key[2] for key in result.rows if key[3] == "soft-pairwise"} == {"system"}
    assert 0.9 < result.value("good", "ann", "system", "soft-pairwise") <= 1
    row = result.rows["noise", "ann", "system", "soft-pairwise"]
    assert (row["n"], row["left_out"]) == (6, 0)
    assert "only 6 systems" in result.report["findings"][0]["sentence"]
    assert row["value"] < result.value("good", "ann", "system", "soft-pairwise")
    message = metaeval.refuses(
        "correlate", *made.call, "--human", "ann", "--level", "item", "--coefficient", "soft-pairwise"
    )
    assert "soft-pairwise with level item; expected level system" in message


@pytest.mark.parametrize("interval", ["both", "systems", "items", "fisher"])
def test_an_interval_holds_its_value(metaeval: CommandLine, made: Made, interval: str) -> None:
    call = (*made.call, "--human", "ann", "-m", "fair", "-m", "errors", *LEVELS)
    result = correlate(metaeval, *call, "--interval", interval, "--resamples", "200", "--test", "none")
    for row in result.rows.values():
        assert -1 <= row["low"] <= row["value"] <= row["high"] <= 1
        assert row["low"] < row["high"]
    units = {"both": "systems and items"}.get(interval, interval)
    method = "Fisher's z" if interval == "fisher" else f"for other {units}"
    columns = {column["name"]: column for column in result.report["layout"]["correlations"]["columns"]}
    assert columns["low"]["about"] == columns["high"]["about"] == f"95 % interval ({method})"
    assert "intervals at level" in result.notes
    assert "correlation_differences" not in result.report["tables"]


def test_without_interval_and_test_there_are_none(metaeval: CommandLine, made: Made) -> None:
    result = correlate(metaeval, *made.call, "--human", "ann", *BARE)
    expected = ["correlations", "correlations_by_measure", "correlation_influence", "correlation_scores"]
    assert list(result.report["tables"]) == expected
    for row in result.rows.values():
        assert row["low"] is row["high"] is None
        assert not row["best"]
    assert "intervals" not in result.notes
    assert "best" not in result.notes


def test_the_test_marks_the_best_and_what_is_no_worse(metaeval: CommandLine, made: Made) -> None:
    call = (*made.call, "--human", "ann", "--level", "item", "--coefficient", "kendall-b", "--interval", "none")
    for swap, units in (("both", "cells"), ("items", "items"), ("systems", "systems")):
        result = correlate(metaeval, *call, "--test", swap, "--permutations", "999")
        assert f"{units}, p_adjusted for all 10 pairs" in result.notes
        rows = [row for row in result.rows.values() if row["measure"] != "bob"]
        best = max(result.rows.values(), key=lambda row: row["value"])
        assert best["best"] is True
        if swap != "systems":
            assert not next(row for row in rows if row["measure"] == "noise")["best"]
        differences = result.report["tables"]["correlation_differences"]
        assert len(differences) == 10
        for row in differences:
            one, other = (result.value(row[name], "ann", "item", "kendall-b") for name in ("measure", "other"))
            assert row["difference"] == pytest.approx(one - other, abs=1e-12)
            assert 0 < row["p"] <= row["p_adjusted"] <= 1


def test_of_pooled_people_their_mean_is_tested_and_the_others_say_nothing(metaeval: CommandLine, made: Made) -> None:
    result = correlate(metaeval, *made.call, "--human", "ann", "--human", "bob", *POOL, *FEW)
    for (_, human, *_), row in result.rows.items():
        assert (row["best"] is None) == (row["rank"] is None) == (human != "mean of scores")
    assert {row["human"] for row in result.report["tables"]["correlation_differences"]} == {"mean of scores"}


def test_too_few_swaps_are_told_with_how_many_it_takes(metaeval: CommandLine, made: Made) -> None:
    call = (*made.call, "--human", "ann", "--level", "item", "--coefficient", "kendall-b", "--interval", "none")
    few = correlate(metaeval, *call, "--permutations", "18")
    assert "18 permutations are too few for a difference to be significant: use at least --permutations 19" in few.notes
    assert min(row["p_adjusted"] for row in few.report["tables"]["correlation_differences"]) == pytest.approx(1 / 19)
    enough = correlate(metaeval, *call, "--permutations", "199")
    assert "use at least --permutations" not in enough.notes
    assert min(row["p_adjusted"] for row in enough.report["tables"]["correlation_differences"]) <= 0.05


def test_williams_is_for_pearson_of_systems(metaeval: CommandLine, made: Made) -> None:
    result = correlate(metaeval, *made.call, "--human", "ann", "--test", "williams", "--interval", "none")
    differences = result.report["tables"]["correlation_differences"]
    assert {(row["level"], row["coefficient"]) for row in differences} == {("system", "pearson")}
    assert "best, rank: Williams' test, p_adjusted for all 10 pairs of measures" in result.notes
    assert {key[2:] for key, row in result.rows.items() if row["best"]} == {("system", "pearson")}


@pytest.mark.parametrize("what", [(), ("--interval", "items", "--test", "systems"), ("--coefficient", "soft-pairwise")])
def test_a_seed_gives_the_same_bytes_whoever_works(metaeval: CommandLine, made: Made, what: tuple[str, ...]) -> None:
    call = ("correlate", *made.call, "--human", "ann", "--human", "bob", *FEW, *what, "-f", "csv", "--seed")
    printed = [metaeval.succeeds(*call, "7", "--workers", workers).out for workers in ("1", "2", "3")]
    assert printed[0] == printed[1] == printed[2] == metaeval.succeeds(*call, "7").out
    assert metaeval.succeeds(*call, "8").out != printed[0]


# Scores of whole systems, and labels


def system_table(names: Iterable[str], **columns: Iterable[float]) -> str:
    rows = [",".join([name, *map(repr, cells)]) for name, *cells in zip(names, *columns.values(), strict=True)]
    return "\n".join([",".join(["system", *columns]), *rows, ""])


def test_a_table_of_whole_systems_has_level_system_alone(metaeval: CommandLine, write: Write) -> None:
    columns = {"bleu": [3.0, 1, 2, 5, 4], "ter": [2.0, 5, 4, 3, 1], "mqm": [1.0, 1, 3, 4, 5]}
    path = write("systems.csv", system_table("abcde", **columns))
    call = ("--task", "table", path, "--human", "mqm", "--lower-is-better", "ter")
    result = correlate(metaeval, *call, *FEW)
    assert {key[2] for key in result.rows} == {"system"}
    for (measure, _, _, name), row in result.rows.items():
        x = np.array(columns[measure]) * (-1 if measure == "ter" else 1)
        assert row["value"] == pytest.approx(ORACLES[name](x, np.array(columns["mqm"])), abs=1e-9)
        assert (row["n"], row["left_out"]) == (5, 0)
    for level in ("item", "global", "by-system"):
        message = metaeval.refuses("correlate", *call, "--level", level)
        assert f"level {level} with no scores of single items; expected level system" in message
        assert "ratings of whole systems, have no scores of single items" in message
    message = metaeval.refuses("correlate", *call, "--coefficient", "soft-pairwise")
    assert "soft-pairwise with no scores of single items" in message


def test_ratings_of_whole_systems_go_with_means_over_items(metaeval: CommandLine, made: Made, write: Write) -> None:
    ratings = [1.0, 2, 2, 4, 3, 5]
    path = write("people.csv", system_table(SYSTEMS, adequacy=ratings))
    result = correlate(metaeval, *made.call, "--human", path, *FEW)
    for (measure, human, level, name), row in result.rows.items():
        assert (human, level) == ("adequacy", "system")
        x = made.scores[measure].mean(axis=1) * (-1 if measure == "errors" else 1)
        assert row["value"] == pytest.approx(ORACLES[name](x, np.array(ratings)), abs=1e-9)


STANCE = ("--config", "configs/stance.yaml")
MEASURES = ("accuracy", "mae:average=macro", "macro-f1", "kappa:weights=linear")
ASKED = tuple(word for name in MEASURES for word in ("-m", name))


def test_measures_of_labels_follow_ratings_of_items_as_their_means(
    metaeval: CommandLine, repository: Path, tmp_path: Path
) -> None:
    output = metaeval.succeeds("score", *STANCE, *ASKED, "-f", "csv", "-q")
    systems = [row["system"] for row in output.rows()]
    items = pd.read_csv(repository / "sample_data/fnc1/gold.csv").head(40)
    names = [f"{row['Body ID']}: {row['Headline']}" for _, row in items.iterrows()]
    random = np.random.default_rng(5)
    ratings = random.integers(1, 6, size=(len(systems), len(names))) + np.arange(len(systems))[:, np.newaxis] / 7
    path = tmp_path / "people.csv"
    table = pd.DataFrame(ratings, index=pd.Index(systems, name="system"), columns=pd.Index(names, name="item"))
    table.melt(ignore_index=False).to_csv(path)
    result = correlate(metaeval, *STANCE, *ASKED, "--human", path, *coefficients(ALL_FOUR), *FEW)
    assert {key[:3] for key in result.rows} == {(measure, "value", "system") for measure in MEASURES}
    for (measure, _, _, name), row in result.rows.items():
        scores = np.array(list(output.column(measure).values())) * (-1 if measure.startswith("mae") else 1)
        assert row["value"] == pytest.approx(ORACLES[name](scores, ratings.mean(axis=1)), abs=1e-9)
    assert "1,373 items of 1,413 without any human score" in result.notes
    assert [file["path"] for file in result.report["provenance"]["files"]][-1] == str(path)
    for level in ("item", "global"):
        parts = (f"level {level} with no scores of single items; expected level system", "measures of labels")
        metaeval.refuses_with(parts, "correlate", *STANCE, "--human", path, "--level", level)


def test_a_system_whose_score_is_undefined_is_left_out_and_counted(
    metaeval: CommandLine, repository: Path, tmp_path: Path
) -> None:
    assert repository
    scores = metaeval.succeeds("score", *STANCE, "-m", "pearson", "-f", "csv", "-q").column("pearson")
    undefined = [system for system, score in scores.items() if np.isnan(score)]
    assert undefined == ["always_discuss"]
    ratings = np.random.default_rng(8).random(len(scores))
    path = tmp_path / "people.csv"
    # In another order than the systems.
    path.write_text(system_table(list(scores)[::-1], value=ratings[::-1].tolist()))
    result = correlate(metaeval, *STANCE, "-m", "pearson", "--human", path, *BARE)
    for (*_, name), row in result.rows.items():
        assert row["value"] == pytest.approx(ORACLES[name](np.array(list(scores.values())), ratings), abs=1e-9)
        assert (row["n"], row["left_out"]) == (len(scores) - 1, 1)
    assert "pearson at level system excludes up to 1 system: constant, or without scores" in result.notes


@pytest.mark.parametrize("test", ["williams", "systems"])
def test_two_measures_are_compared_on_the_systems_that_both_score(
    metaeval: CommandLine, write: Write, test: str
) -> None:
    # MCC is undefined for a constant system, and accuracy is not.
    random = np.random.default_rng(4)
    gold = random.integers(2, size=60)
    answers = {f"s{index}": np.where(random.random(60) < 0.5 + index / 20, gold, 1 - gold) for index in range(8)}
    paths = label_files(write, gold=gold, **answers, constant="0" * 60)
    rated = [*(f"s{index},{index + index % 3}" for index in range(8)), "constant,20"]
    human = write("human.csv", "\n".join(["system,rating", *rated, ""]))
    data = ("--labels", "0,1", "-m", "accuracy", "-m", "mcc", "--human", human, "--on-extra", "drop")
    options = (*data, "--coefficient", "pearson", "--test", test, "--interval", "none", "--gold", paths[0])
    with_constant, without = (metaeval.report("correlate", *options, *runs) for runs in (paths[1:], paths[1:-1]))
    (one,), (other,) = (report["tables"]["correlation_differences"] for report in (with_constant, without))
    assert one["n"] == other["n"] == 8
    assert one["difference"] == pytest.approx(other["difference"], abs=1e-12)
    note = "two measures are compared where both have a score: n in correlation_differences is their number"
    assert [note in report["notes"] for report in (with_constant, without)] == [True, False]
    if test == "williams":
        assert one["p"] == pytest.approx(other["p"], abs=1e-12)


def test_measures_and_human_scores_of_a_table_may_be_patterns(metaeval: CommandLine, write: Write) -> None:
    random = np.random.default_rng(3)
    columns = ("bleu-1", "bleu-4", "chrf", "human_a", "human_b")
    rows = [f"s{row},{','.join(f'{value:.3f}' for value in random.normal(row, 2, 5))}\n" for row in range(8)]
    path = write("t.csv", f"system,{','.join(columns)}\n{''.join(rows)}")

    def pairs(*options: str) -> list[tuple[str, str]]:
        command = ("correlate", "--task", "table", path, "--coefficient", "spearman", "--test", "none", *options)
        return [(row["measure"], row["human"]) for row in metaeval.tables(*command)["correlations"]]

    people, both = ["human_a", "human_b"], ["bleu-1", "bleu-4"]
    assert sorted(pairs("--human", "human*", "-m", "bleu*")) == sorted(product(both, people))
    assert sorted(pairs("--human", "human_a", "--exclude-measure", "bleu*")) == [
        ("chrf", "human_a"),
        ("human_b", "human_a"),
    ]
    for options, message in (
        (("--human", "human_a", "--exclude-measure", "ter*"), "--exclude-measure 'ter*'; expected one of bleu-1"),
        (("--human", "people*"), "people*"),
        (("--human", "human*", "-m", "human_a"), "'human_a' as a measure"),
        (("--human", "human*", "--exclude-measure", "*"), "no measure is left"),
    ):
        metaeval.refuses_with((message,), "correlate", "--task", "table", path, *options)
