"""Intervals of scores in the command: what they are of, and when they are shown."""

from __future__ import annotations

import numpy as np
import pytest
from command_line import CommandLine, Write
from scipy.stats import binomtest

ITEMS = 400


@pytest.fixture
def runs(write: Write) -> list[str]:
    """Gold and two systems; x is right in 120 of 400 items, in threads of 20 that are alike."""
    random = np.random.default_rng(2)
    gold = random.integers(0, 2, ITEMS)
    x = np.where(np.repeat(np.arange(20) < 6, 20), gold, 1 - gold)
    y = np.where(random.random(ITEMS) < 0.9, gold, 1 - gold)
    for name, codes in {"gold": gold, "x": x, "y": y}.items():
        rows = "".join(f"i{item},{'ab'[code]},t{item // 20}\n" for item, code in enumerate(codes.tolist()))
        write(f"{name}.csv", f"id,label,thread\n{rows}")
    return ["--gold", "gold.csv", "x.csv", "y.csv", "--labels", "a<b"]


def test_clusters_that_are_alike_are_as_many_items(metaeval: CommandLine, runs: list[str]) -> None:
    call = ("score", *runs, "-m", "accuracy", "--interval")
    (_, alone), (_, together) = (metaeval.tables(*call, *more)["intervals"] for more in ((), ("--cluster", "thread")))
    wilson = binomtest(6, 20).proportion_ci(method="wilson")
    assert together["high"] - together["low"] > 3 * (alone["high"] - alone["low"])
    assert (together["low"], together["high"]) == pytest.approx(wilson, abs=0.04)


def test_an_interval_of_errors_is_in_their_direction(metaeval: CommandLine, runs: list[str]) -> None:
    call = ("score", *runs, "-m", "mae:average=micro", "-m", "accuracy", "-m", "macro-f1", "--interval")
    rows = {(row["measure"], row["system"]): row for row in metaeval.tables(*call)["intervals"]}
    for system in "xy":
        share, error = rows["accuracy", system], rows["mae:average=micro", system]
        assert (error["low"], error["high"]) == pytest.approx((1 - share["high"], 1 - share["low"]), abs=0.01)
        assert all(row["low"] < row["score"] < row["high"] for row in rows.values())


def test_a_single_system_has_intervals_and_others_on_request(metaeval: CommandLine, runs: list[str]) -> None:
    one = [name for name in runs if name != "y.csv"]
    tables = {
        (len(call), more): [name for name, table in report["layout"].items() if not table["detail"] and name != "ranks"]
        for call in (runs, one)
        for more in ("", "--interval", "--no-interval")
        for report in [metaeval.report("score", *call, *([more] if more else []))]
    }
    assert tables[len(one), ""] == tables[len(one), "--interval"] == tables[len(runs), "--interval"] == ["intervals"]
    assert tables[len(runs), ""] == tables[len(one), "--no-interval"] == tables[len(runs), "--no-interval"]
    assert "intervals" not in tables[len(runs), ""]
    outputs = [metaeval.succeeds("score", *runs, *more, "-f", "csv").out for more in ((), ("--interval",))]
    assert outputs[0] == outputs[1]
    trivial = metaeval.tables("score", *runs, "-m", "accuracy", "--trivial", "--interval")["intervals"]
    assert [row["system"] for row in trivial] == ["y", "x"]


def test_one_item_or_cluster_has_no_interval(metaeval: CommandLine, write: Write) -> None:
    write("gold.csv", "id,label\na,x\n")
    write("one.csv", "id,label\na,x\n")
    call = ("score", "--gold", "gold.csv", "one.csv", "--labels", "x,y", "-m", "accuracy")
    assert "intervals" not in metaeval.tables(*call)
    assert "1 item; expected at least two, because an interval says how scores vary between items" in (
        metaeval.refuses(*call, "--interval")
    )
    means = write("means.csv", "system,bleu\na,0.5\nb,0.6\n")
    assert "scores are those of whole systems" in metaeval.refuses("leaderboard", means)
