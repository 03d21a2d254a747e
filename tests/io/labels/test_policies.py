"""Predictions that are missing, outside the scale, or of no item: what each policy makes of them, by hand."""

import numpy as np
import pytest
from command_line import CommandLine, Write
from label_studies import read_labels

from metaeval.config import DataConfig, ExperimentConfig
from metaeval.errors import InputError
from metaeval.io.labels.join import Policy, farthest_classes
from metaeval.model.runs import LabelledRuns
from metaeval.model.scale import ClassScale

GOLD = "id,label\n1,low\n2,mid\n3,high\n4,mid\n5,low\n"
HOLES = "id,label\n1,low\n2,\n4,other\n5,strange\n"
"""Item 3 has no row, item 2 no label; items 4 and 5 are outside the scale."""
WHOLE = GOLD.replace("1,low", "1,high")


@pytest.fixture
def files(write: Write) -> tuple[str, ...]:
    return ("--gold", write("gold.csv", GOLD), write("holes.csv", HOLES), write("whole.csv", WHOLE))


def scored(metaeval: CommandLine, *arguments: str) -> tuple[dict[str, float], dict[str, int], list[str]]:
    """Accuracy by system, what was touched, and the notes."""
    report = metaeval.report("score", "-m", "accuracy", "--labels", "low<mid<high", *arguments)
    scores = {row["system"]: row["accuracy"] for row in report["tables"]["scores"]}
    return scores, report["provenance"]["repairs"], report["notes"]


def touched(**counts: int) -> dict[str, int]:
    names = ("gold_dropped", "extra_dropped", "missing", "unknown", "worst_ties", "items_dropped")
    return dict.fromkeys(names, 0) | counts


def test_all_holes_are_errors_by_default_with_every_line(metaeval: CommandLine, files: tuple[str, ...]) -> None:
    message = metaeval.refuses("score", "--labels", "low<mid<high", *files)
    assert "4 problems" in message
    assert "holes.csv:4: prediction 'other'; expected one of low, mid, high" in message
    assert "holes.csv:5: prediction 'strange'; expected one of low, mid, high" in message
    assert "holes.csv:3: no prediction for id '2'; expected one for every item" in message
    assert "holes.csv: no prediction for id '3'; expected one for every item" in message
    assert "--on-unknown to drop, miss, worst or label:NAME" in message
    assert "--on-missing to drop, miss, worst or label:NAME" in message


def test_drop_leaves_the_items_out_for_every_system(metaeval: CommandLine, files: tuple[str, ...]) -> None:
    scores, counts, notes = scored(metaeval, "--on-missing", "drop", "--on-unknown", "drop", *files)
    assert scores == {"holes": 1.0, "whole": 0.0}
    assert counts == touched(missing=2, unknown=2, items_dropped=4)
    assert "dropped 4 items for every system" in notes


def test_worst_takes_the_class_farthest_from_gold_and_counts_ties(
    metaeval: CommandLine, files: tuple[str, ...]
) -> None:
    options = ("--on-missing", "worst", "--on-unknown", "worst", "-m", "mae:average=micro")
    scores, counts, notes = scored(metaeval, *options, *files)
    # Items 2 and 4 are mid: low and high are equally far. Items 3 and 5 go to the other end.
    assert scores == {"holes": 0.2, "whole": 0.8}
    assert counts == touched(missing=2, unknown=2, worst_ties=2)
    assert "for 2 of these two classes are farthest from gold; the first declared is used" in notes
    numbers = metaeval.succeeds("score", "--labels", "low<mid<high", "-f", "csv", "-q", *options, *files)
    assert numbers.column("mae:average=micro") == {"holes": (1 + 2 + 1 + 2) / 5, "whole": 0.4}


def test_missing_and_unknown_answers_have_policies_of_their_own(metaeval: CommandLine, files: tuple[str, ...]) -> None:
    scores, counts, _ = scored(metaeval, "--on-missing", "label:mid", "--on-unknown", "label:low", *files)
    assert scores == {"holes": 3 / 5, "whole": 4 / 5}
    assert counts == touched(missing=2, unknown=2)
    message = metaeval.refuses("score", "--labels", "low<mid<high", "--on-unknown", "drop", *files)
    assert "2 problems" in message
    assert "no prediction" in message
    assert "outside" not in message


def test_dropped_gold_classes_take_their_items_along(metaeval: CommandLine, write: Write) -> None:
    gold = write("gold.csv", GOLD.replace("2,mid", "2,none").replace("4,mid", "4,none"))
    run = write("run.csv", GOLD.replace("2,mid", "2,whatever"))
    scores, counts, notes = scored(metaeval, "--drop-gold", "none", "--gold", gold, run)
    assert scores == {"run": 1.0}
    assert counts == touched(gold_dropped=2)
    assert "dropped 2 items of gold class none" in notes
    assert "no item of gold class mid: averages over all classes include it nevertheless" in notes


def test_dropped_classes_have_to_be_there_and_leave_something(
    metaeval: CommandLine, files: tuple[str, ...], write: Write
) -> None:
    parts = ("gold.csv: gold class to drop 'hgh'; expected one of high, low, mid", "did you mean 'high'?")
    metaeval.refuses_with(parts, "score", "--drop-gold", "hgh", *files)
    drops = [word for label in ("low", "mid", "high") for word in ("--drop-gold", label)]
    assert "no item is left" in metaeval.refuses("score", "--labels", "low,mid,high", *drops, *files)
    none = write("none.csv", "id,label\n1,?\n2,?\n3,?\n4,?\n5,?\n")
    parts = ("none.csv: no item is left: each lacks a usable prediction of some system", "--exclude-system none")
    metaeval.refuses_with(parts, "score", "--on-unknown", "drop", "--on-missing", "drop", *files, none)
    options = ("--labels", "low,mid,high", "--on-unknown", "drop", "--on-missing", "miss")
    metaeval.refuses_with(["another --on-unknown than drop"], "score", *options, *files[:2], none)


def test_extra_predictions_are_errors_unless_dropped(metaeval: CommandLine, write: Write) -> None:
    gold, run = write("gold.csv", GOLD), write("run.csv", "id,label\n0,low\n" + WHOLE[9:] + "9,low\n")
    parts = ("run.csv:2: id '0'", "run.csv:8: id '9'")
    metaeval.refuses_with(parts, "score", "--gold", gold, run)
    scores, counts, notes = scored(metaeval, "--on-extra", "drop", "--gold", gold, run)
    assert scores == {"run": 0.8}
    assert counts == touched(extra_dropped=2)
    assert "dropped 2 predictions for ids that are not in gold" in notes


def test_worst_needs_an_order_and_label_a_class(metaeval: CommandLine, files: tuple[str, ...]) -> None:
    parts = ("policy 'worst', but the scale 'high,low,mid' has no order", "expected an ordered scale", "choose miss")
    metaeval.refuses_with(parts, "score", "--on-missing", "worst", "--on-unknown", "drop", *files)
    no_class = metaeval.refuses("score", "--on-missing", "label:lo", "--on-unknown", "drop", *files)
    assert "class of the policy label:NAME 'lo'; expected one of high, low, mid" in no_class
    assert "did you mean 'low'?" in no_class


def test_numbers_can_only_be_errors_or_dropped(metaeval: CommandLine, write: Write) -> None:
    gold = write("gold.csv", GOLD)
    run = write("run.csv", "id,score\n1,0.5\n2,nan\n3,2\n4,\n5,x\n")
    options = (
        "score", "--task", "scores", "--labels", "low<mid<high", "--class-values", "low=0,mid=1,high=2",
        "-m", "mae:average=micro", "-f", "csv", "-q",
    )  # fmt: skip
    message = metaeval.refuses(*options, "--gold", gold, run)
    assert "run.csv:3: prediction 'nan'; expected a finite number" in message
    assert "run.csv:6: prediction 'x'; expected a finite number" in message
    assert "run.csv:5: no prediction for id '4'" in message
    assert "--on-unknown to drop.\n" in message
    assert "worst" not in message
    dropped = metaeval.succeeds(*options, "--on-missing", "drop", "--on-unknown", "drop", "--gold", gold, run)
    assert dropped.column("mae:average=micro") == {"run": 0.25}
    assert "--on-missing worst" in metaeval.refuses(*options, "--on-missing", "worst", "--gold", gold, run)
    assert "--labels 'high<low<mid'" in metaeval.refuses("score", "--task", "scores", "--gold", gold, run)


def test_a_policy_prints_as_it_is_written_and_another_is_refused() -> None:
    for text in ("error", "drop", "miss", "worst", "label:a b", "label:x:y"):
        assert str(Policy.parse(text, option="--on-missing")) == text
    for text in ("label:", "label", "Drop", "", "label: "):
        with pytest.raises(InputError, match="expected one of error, drop, miss, worst, label:NAME"):
            Policy.parse(text, option="--on-missing")


def test_the_farthest_class_goes_by_declared_values() -> None:
    scale = ClassScale(("a", "b", "c"), ordered=True, values=(0.0, 1.0, 10.0))
    farthest, tied = farthest_classes(scale)
    assert farthest.tolist() == [2, 2, 0]
    assert not np.any(tied)


def test_of_two_classes_equally_far_worst_takes_the_first_declared(write: Write) -> None:
    write("gold.csv", "id,label\na,mid\nb,low\nc,high\n")
    write("run.csv", "id,label\na,\nb,low\nc,high\n")
    for text, label in (("low<mid<high", "low"), ("high<mid<low", "high")):
        scale = ClassScale.parse(text)
        data = DataConfig("gold.csv", ("run.csv",), labels=scale, on_missing=Policy("worst"))
        runs = read_labels(ExperimentConfig(data)).runs
        assert isinstance(runs, LabelledRuns)
        assert scale.labels[int(runs.predicted[0, 0])] == label
