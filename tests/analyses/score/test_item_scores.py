"""`score --per-item` of labels: what each item adds to measures that are means over items."""

from __future__ import annotations

import numpy as np
import pytest
from command_line import CommandLine, Write, item_scores
from label_studies import label_files

GOLD, ONE, TWO = "aabbcabcca", "abbbcaaccb", "cabacabbca"
MEANS = ("accuracy", "mae:average=micro", "mae:average=macro", "closeness", "decay", "cem-ord", "recall:class=b")


@pytest.fixture
def data(write: Write) -> tuple[str, ...]:
    gold, *runs = label_files(write, gold=GOLD, one=ONE, two=TWO)
    return ("--gold", gold, *runs, "--labels", "a<b<c")


def test_the_mean_over_the_items_is_the_score(metaeval: CommandLine, data: tuple[str, ...]) -> None:
    measures = [word for name in MEANS for word in ("-m", name)]
    scores = item_scores(metaeval, *data, *measures)
    rows = {row["system"]: row for row in metaeval.tables("score", *data, *measures)["scores"]}
    for system, labels in {"one": ONE, "two": TWO}.items():
        for name in MEANS:
            values = [scores[name, system, f"i{item}"] for item in range(len(GOLD))]
            assert np.mean(values) == pytest.approx(rows[system][name])
        distances = [abs(ord(label) - ord(gold)) for label, gold in zip(labels, GOLD, strict=True)]
        closeness = [scores["mae:average=micro", system, f"i{item}"] for item in range(len(GOLD))]
        assert closeness == pytest.approx(distances)


def test_measures_that_are_no_means_over_items_are_named(metaeval: CommandLine, data: tuple[str, ...]) -> None:
    report = metaeval.report("score", *data, "-m", "macro-f1", "-m", "accuracy", "-m", "mcc", "--per-item", "i.csv")
    assert "no scores of items under macro-f1, mcc, which are no means over items" in report["notes"]
    assert {name for name, _, _ in item_scores(metaeval, *data, "-m", "mcc", "-m", "accuracy")} == {"accuracy"}
