"""A run against an earlier one of the same systems: what has become worse?"""

import json
import math
import shutil
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from analysis_runs import run_named
from baseline_studies import (
    ATLAS,
    GOLD,
    PERMUTATIONS,
    answering,
    change_rows,
    drops,
    experiment,
    labels,
    news,
    numbers,
    records,
    refused,
    saved,
    stance,
    table_experiment,
    verdicts,
    with_table,
)

from metaeval.config import CheckSettings, ExperimentConfig
from metaeval.gates.baselines import with_items
from metaeval.render import render
from metaeval.study.read import read_study

pytestmark = pytest.mark.usefixtures("sample")


def test_a_run_has_not_dropped_below_itself() -> None:
    result = drops(stance(alpha=0.01), saved(stance()))
    assert verdicts(result).keys() == {"passed"}
    assert {record["difference"] for record in records(result)} == {0.0}
    assert {record["p"] for record in records(result)} == {1.0}
    assert result.findings[0].sentence == "none of 42 scores is significantly worse than in the baseline"
    assert str(result.notes[0]) == (
        "baseline: random signs of the differences of clusters of headline and of body (199 permutations); p: "
        "one-sided, adjusted for 42 comparisons, so that 0.01 is the probability of any false alarm; low, high: "
        "simultaneous interval of 98 %, which is on the worse side of 0 exactly where p ≤ 0.01; "
        "none where all items have the same difference"
    )


def test_a_system_that_was_damaged_is_found_and_no_other() -> None:
    earlier = saved(stance())
    change_rows(ATLAS, answering("disagree", every=4))
    result = drops(stance(), earlier)
    assert verdicts(result)["failed"] == {"atlas_large"}
    assert "atlas_large" not in verdicts(result)["passed"]
    assert "3 of 42 scores are significantly worse than in the baseline: atlas_large" in result.findings[0].sentence
    drop_records = records(result)
    # The worst come first.
    assert [record["verdict"] for record in drop_records[:4]] == ["failed", "failed", "failed", "passed"]
    assert all(one["p"] <= other["p"] for one, other in pairwise(drop_records))
    by_measure = {record["measure"]: record for record in drop_records[:3]}
    # An error has become larger, a share smaller, and the interval of a drop is on its side of 0.
    assert by_measure["mae"]["low"] > 0
    assert by_measure["accuracy"]["high"] < 0
    # The scores are those of `score`.
    now = {record["system"]: record for record in run_named("score", stance()).table("scores").records()}
    before = {record["system"]: record for record in earlier.table("scores").records()}
    for record in drop_records:
        system, measure = record["system"], record["measure"]
        assert record["now"] == now[system][measure]
        assert record["earlier"] == before[system][measure]
        assert record["difference"] == record["now"] - record["earlier"]
    # The order of the items in the baseline does not matter.
    predictions = earlier.table("predictions")
    turned = with_table(earlier, replace(predictions, rows=tuple(reversed(predictions.rows))))
    assert records(drops(stance(), turned)) == drop_records


def test_two_items_are_no_significant_drop() -> None:
    earlier = saved(stance())
    right = [
        number
        for number, (gold, answer) in enumerate(zip(labels(GOLD), labels(ATLAS), strict=True))
        if gold == answer == "agree"
    ]
    change_rows(ATLAS, lambda number, row: [*row[:-1], "disagree"] if number in right[:2] else row)
    result = drops(stance(), earlier)
    assert any(record["difference"] != 0 for record in records(result) if record["system"] == "atlas_large")
    assert verdicts(result).keys() == {"passed"}


@pytest.mark.parametrize("config", [stance, news], ids=["labels", "texts"])
def test_any_number_of_workers_gives_the_same_bits(config: Callable[..., ExperimentConfig]) -> None:
    earlier = saved(config())
    change_rows(ATLAS, answering("disagree", every=40))
    Path("sample_data/news/systems/extract/n1.txt").write_text("nothing")
    alone, together, other = (
        records(drops(replace(config(), workers=workers, seed=seed), earlier))
        for workers, seed in ((1, 5), (2, 5), (2, 6))
    )
    assert alone == together
    assert alone != other


def test_a_measure_that_the_baseline_does_not_have_is_computed_from_its_predictions() -> None:
    earlier = saved(experiment("stance", "accuracy"))
    change_rows(ATLAS, answering("disagree", every=4))
    result = drops(experiment("stance", "mcc"), earlier)
    assert verdicts(result)["failed"] == {"atlas_large"}
    assert {record["measure"] for record in records(result)} == {"mcc"}


def test_systems_that_only_this_run_has_are_noted() -> None:
    earlier = saved(stance())
    shutil.copy(ATLAS, "sample_data/fnc1/systems/newcomer.csv")
    result = drops(stance(), earlier)
    assert len(records(result)) == 14 * 3
    assert verdicts(result).keys() == {"passed"}
    assert "1 system only in this run, not compared: newcomer" in map(str, result.notes)


@pytest.mark.parametrize(
    ("config", "systems", "path", "measures"),
    [(stance, 14, ATLAS, 3), (news, 6, "sample_data/news/systems/extract", 2)],
    ids=["labels", "texts"],
)
def test_a_system_that_vanished_can_not_be_told(
    config: Callable[..., ExperimentConfig], systems: int, path: str, measures: int
) -> None:
    earlier = saved(config())
    missing = Path(path).stem
    before = next(record for record in earlier.table("scores").records() if record["system"] == missing)
    Path(path).rename("elsewhere")
    result = drops(config(), earlier)
    assert verdicts(result)["undefined"] == {missing}
    first = records(result)[:measures]
    assert [(record["system"], record["verdict"]) for record in first] == [(missing, "undefined")] * measures
    for record in first:
        assert record["earlier"] == pytest.approx(before[record["measure"]], abs=1e-12)
        assert [record[name] for name in ("now", "difference", "low", "high", "p")] == [None] * 5
    assert len(records(result)) == systems * measures
    assert f"1 system only in the baseline, not compared: {missing}" in map(str, result.notes)
    assert f"1 system of the baseline cannot be compared, because missing: {missing}" in result.findings[0].sentence
    assert result.tables[0].title.endswith(", 1 system missing")


def test_numbers_of_a_system_that_vanished_can_not_be_told() -> None:
    config = numbers([1.0, 2.0, 3.0, 1.5])
    shutil.copy("svm.csv", "twin.csv")
    both = replace(config, data=replace(config.data, runs=("svm.csv", "twin.csv")))
    earlier = with_items(run_named("score", both), read_study(both))
    assert verdicts(drops(config, earlier))["undefined"] == {"twin"}


def test_a_score_that_is_undefined_now_fails_and_one_that_always_was_does_not() -> None:
    config = experiment("stance", "mcc")
    earlier = saved(config)
    # A constant system has no correlation with gold.
    change_rows(ATLAS, answering("disagree"))
    result = drops(config, earlier)
    by_system = {record["system"]: record for record in records(result)}
    assert by_system["atlas_large"]["verdict"] == "undefined"
    assert by_system["always_discuss"]["verdict"] == "passed"
    for system in ("atlas_large", "always_discuss"):
        assert by_system[system]["now"] is None
        assert by_system[system]["p"] is None
    assert "1 cannot be compared, because undefined: atlas_large by mcc" in result.findings[0].sentence
    # What is defined again was not known before.
    back = drops(experiment("stance", "mcc"), saved(config, "constant.json"))
    assert {record["verdict"] for record in records(back)} == {"passed"}


def test_a_score_that_was_undefined_and_is_not_any_more_can_not_be_compared() -> None:
    content = Path(ATLAS).read_bytes()
    change_rows(ATLAS, answering("disagree"))
    earlier = saved(experiment("stance", "mcc"))
    Path(ATLAS).write_bytes(content)
    assert verdicts(drops(experiment("stance", "mcc"), earlier))["undefined"] == {"atlas_large"}


def test_a_measure_of_items_that_the_baseline_does_not_have_is_left_out() -> None:
    earlier = saved(experiment("news", "rouge-l"))
    result = drops(news(), earlier)
    assert {record["measure"] for record in records(result)} == {"rouge-l"}
    assert "1 measure only in this run, not compared: rouge-n:n=1" in map(str, result.notes)
    assert "other measures (rouge-l); expected some of rouge-n:n=1" in refused(
        experiment("news", "rouge-n:n=1"), earlier
    )


def test_derivations_have_baselines_too() -> None:
    result = drops(experiment("r4c"), saved(experiment("r4c")))
    assert verdicts(result).keys() == {"passed"}


def test_a_drop_that_is_the_same_for_every_item_is_certain() -> None:
    values = np.random.default_rng(0).normal(size=30).tolist()
    config = table_experiment({"same": values, "down": values, "up": values})
    Path("before.json").write_text(render(with_items(run_named("score", config), read_study(config)), "json"))
    now = {"same": values, "down": [value - 0.01 for value in values], "up": [value + 0.01 for value in values]}
    for lower, failed in (((), "down"), (("loss",), "up")):
        config = table_experiment({"same": values, "down": values, "up": values}, lower=lower)
        earlier = with_items(run_named("score", config), read_study(config))
        by_system = {record["system"]: record for record in records(drops(table_experiment(now, lower=lower), earlier))}
        assert {system: record["verdict"] for system, record in by_system.items()} == {
            "same": "passed",
            "down": "passed",
            "up": "passed",
            failed: "failed",
        }
        assert by_system[failed]["p"] == pytest.approx(1 / (PERMUTATIONS + 1))
        assert by_system["same"]["p"] == 1.0


def test_it_is_the_exact_test_that_swaps_the_runs_of_items() -> None:
    random = np.random.default_rng(3)
    before = random.normal(size=10)
    after = before + random.normal(-0.2, 0.5, size=10)
    config = replace(table_experiment({"a": before.tolist()}), check=CheckSettings(permutations=20_000))
    earlier = with_items(run_named("score", config), read_study(config))
    [record] = records(drops(replace(table_experiment({"a": after.tolist()}), check=config.check), earlier))
    differences = after - before
    swapped = np.array([differences @ signs for signs in product((1, -1), repeat=10)])
    assert record["difference"] == pytest.approx(differences.mean())
    assert record["p"] == pytest.approx((swapped <= differences.sum() + 1e-12).mean(), abs=0.015)
    assert (record["p"] <= 0.05) == (record["high"] < 0)


def test_versions_are_compared_as_long_as_measures_have_the_same_signature() -> None:
    earlier = saved(stance())
    other = replace(earlier.provenance, version="0.0.9", versions={"numpy": "1.0"})
    assert verdicts(drops(stance(), replace(earlier, provenance=other))).keys() == {"passed"}
    changed = replace(other, measures={**other.measures, "mae": "mae:average=median"})
    message = refused(stance(), replace(earlier, provenance=changed))
    assert "a baseline made with mae as mae:average=median; expected mae:average=macro" in message
    assert "record the baseline again" in message


def test_clusters_make_a_drop_less_certain() -> None:
    random = np.random.default_rng(6)
    before = random.normal(size=100)
    after = before - 0.3 + np.repeat(random.normal(0, 0.8, 10), 10)
    threads = "id,thread\n" + "".join(f"i{number},t{number // 10}\n" for number in range(100))
    Path("threads.csv").write_text(threads)
    p = {}
    for clusters in ((), ("threads.csv:thread",)):
        config = table_experiment({"a": before.tolist()})
        config = replace(config, data=replace(config.data, clusters=clusters))
        earlier = with_items(run_named("score", config), read_study(config))
        table_experiment({"a": after.tolist()})
        result = drops(config, earlier)
        p[clusters] = records(result)[0]["p"]
        assert any("clusters of thread" in note for note in map(str, result.notes)) == bool(clusters)
    assert p["threads.csv:thread",] > 5 * p[()]


def test_numbers_have_baselines_too() -> None:
    random = np.random.default_rng(4)
    good = [number % 3 + random.normal(0, 0.5) for number in range(60)]
    earlier = saved(numbers(good))
    assert earlier.table("predictions").records()[1] == {"item": "i1", "gold": "b", "svm": good[1]}
    assert verdicts(drops(numbers(good), earlier)) == {"passed": {"svm"}}
    result = drops(numbers(random.normal(size=60).tolist()), earlier)
    assert [record["verdict"] for record in records(result)] == ["failed", "failed"]
    assert not any(math.isnan(row[2]) for row in result.tables[0].rows if isinstance(row[2], float))


def test_the_table_of_predictions_holds_what_was_read() -> None:
    table = saved(stance()).table("predictions")
    assert table.detail
    assert [column.name for column in table.columns][:3] == ["item", "gold", "always_discuss"]
    assert len(table.rows) == len({row[0] for row in table.rows})
    assert json.loads(Path("before.json").read_text())["tables"]["predictions"][0]["always_discuss"] == "discuss"
