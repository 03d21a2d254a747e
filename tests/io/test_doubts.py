"""Data that can be read but may be wrong: a warning of each kind, and none for usual data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from command_line import CommandLine, Write

ITEMS = range(12)
GOLD = "abcabcabcabc"


def labels(answers: str) -> str:
    return "id,label\n" + "".join(f"{item},{answer}\n" for item, answer in zip(ITEMS, answers, strict=True))


def texts(answers: str) -> str:
    return "item,text\n" + "".join(f"{item},word {answer}\n" for item, answer in zip(ITEMS, answers, strict=True))


def numbers(answers: str) -> str:
    rows = (",".join(f"{(answer == label) * 0.8 + 0.1:.1f}" for label in "ab") for answer in answers)
    return "item,a,b\n" + "".join(f"{item},{row}\n" for item, row in enumerate(rows)).replace("0.1,0.1", "0.5,0.5")


def stances(answers: str) -> str:
    words = {"a": "agree", "b": "disagree", "c": "discuss"}
    rows = (f"h{item},{item},{words[answer]}\n" for item, answer in enumerate(answers))
    return "Headline,Body ID,Stance\n" + "".join(rows)


TASKS: dict[str, tuple[Callable[[str], str], str]] = {
    "labels": (labels, ".csv"),
    "fnc1": (stances, ".csv"),
    "texts": (texts, ".csv"),
    "distributions": (numbers, ".csv"),
}
MEASURE = {"labels": "accuracy", "fnc1": "accuracy", "texts": "rouge-n", "distributions": "jsd"}
OTHERS = ("bbcabcabcabc", "abcabcabcaba", "cbcabcabcabc")


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("way", ["gold", "./gold", "absolute", "link", "hard link"])
def test_gold_among_the_runs_is_no_run(
    metaeval: CommandLine, write: Write, tmp_path: Path, task: str, way: str
) -> None:
    content, suffix = TASKS[task]
    gold, bert = write(f"gold{suffix}", content(GOLD)), write(f"bert{suffix}", content(OTHERS[0]))
    other = {"gold": gold, "./gold": f"./{gold}", "absolute": str(Path(gold).resolve())}.get(way)
    if other is None:
        other = f"other{suffix}"
        (Path(other).symlink_to if way == "link" else Path(other).hardlink_to)(gold)
    report = metaeval.report("score", "--task", task, "--gold", gold, other, bert, "-m", MEASURE[task])
    assert [row["system"] for row in report["tables"]["scores"]] == ["bert"]
    assert f"{other}: it is the file of gold, and no run" in report["warnings"]


@pytest.mark.parametrize("task", TASKS)
def test_a_run_that_equals_gold_or_another_run_is_told(metaeval: CommandLine, write: Write, task: str) -> None:
    content, suffix = TASKS[task]
    gold, copy = write(f"gold{suffix}", content(GOLD)), write(f"copy{suffix}", content(GOLD))
    one, two = write(f"one{suffix}", content(OTHERS[0])), write(f"two{suffix}", content(OTHERS[0]))
    words = ("score", "--task", task, "--gold", gold, "-m", MEASURE[task])
    assert "copy equals gold in all 12 items: is it gold?" in metaeval.report(*words, copy, one)["warnings"]
    assert (
        "one and two are equal in all 12 items: are they one system?" in metaeval.report(*words, one, two)["warnings"]
    )
    usual = [write(f"{number}{suffix}", content(answers)) for number, answers in enumerate(OTHERS)]
    assert not [note for note in metaeval.report(*words, *usual).get("warnings", []) if "equal" in note]


def test_systems_of_the_file_of_gold_are_kept(metaeval: CommandLine, write: Write) -> None:
    wide = write("wide.csv", "id,gold,s\n" + "".join(f"{item},{GOLD[item]},a\n" for item in ITEMS))
    other = write("other.csv", labels(OTHERS[0]))
    report = metaeval.report("score", "--gold", wide, wide, other, "-m", "accuracy")
    assert {row["system"] for row in report["tables"]["scores"]} == {"s", "other"}


def table(columns: dict[str, np.ndarray], systems: Sequence[str] = "xyz") -> str:
    rows = [(system, item) for system in systems for item in range(20)]
    cells = [",".join(f"{values[row]:.6f}" for values in columns.values()) for row in range(len(rows))]
    lines = (f"{system},{item},{cell}\n" for (system, item), cell in zip(rows, cells, strict=True))
    return f"system,item,{','.join(columns)}\n" + "".join(lines)


def usual() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(7)
    quality = rng.normal(size=60)
    return {name: np.clip(0.5 + 0.1 * quality + rng.normal(scale=0.05, size=60), 0, 1) for name in ("a", "b", "c", "d")}


def changed(name: str) -> str:
    columns = usual()
    a = columns["a"]
    if name == "multiple":
        columns["b"] = 100 * a
    if name == "system":
        columns = {key: np.concatenate([values[:20], values[:20], values[40:]]) for key, values in columns.items()}
    if name == "constant":
        columns["b"] = np.ones(60)
    if name == "inverted":
        columns["d"] = 1 - columns["d"]
    if name == "sentinel":
        a[[3, 9]] = -999
    if name == "minus one":
        a[[3, 9]] = -1
    if name == "scales":
        a[20:40] *= 100
    return table(columns)


DOUBTS = {
    "multiple": "a and b are equal or multiples of each other in all 20 items: are they one measure?",
    "system": "x and y are equal in all 20 items: are they one system?",
    "constant": "the scores of all systems and items are the same under b",
    "inverted": "d correlates negatively with most other measures: is lower better? set --lower-is-better d",
    "sentinel": "a is -999 in 2 scores, far from all others: does it stand for a missing score?",
    "minus one": "a is -1 in 2 scores, far from all others: does it stand for a missing score?",
    "scales": "scores of a seem to be on scales that differ by 100: y (",
}


@pytest.mark.parametrize(("name", "doubt"), DOUBTS.items())
def test_scores_that_may_be_wrong_are_told_in_a_line(
    metaeval: CommandLine, write: Write, name: str, doubt: str
) -> None:
    warnings = metaeval.report("score", "--task", "table", write("t.csv", changed(name)))["warnings"]
    assert [warning for warning in warnings if warning.startswith(doubt)]
    assert len(warnings) == 1


def test_usual_scores_are_not_doubted(metaeval: CommandLine, write: Write) -> None:
    assert "warnings" not in metaeval.report("score", "--task", "table", write("t.csv", changed("")))
    words = ("--lower-is-better", "d")
    assert "warnings" not in metaeval.report("score", "--task", "table", write("t.csv", changed("inverted")), *words)


def test_a_class_that_no_system_predicts_is_told(metaeval: CommandLine, write: Write) -> None:
    rows = "".join(f"{item},{'abc'[item % 3]},{'ab'[item % 2]},{'aab'[item % 3]}\n" for item in range(30))
    report = metaeval.report("score", "--gold", write("g.csv", "id,gold,s,t\n" + rows), "-m", "accuracy")
    assert any(note.startswith("no system predicts class c, which gold has") for note in report["warnings"])
