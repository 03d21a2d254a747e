"""`compare --revised`: scores, ranks and differences by gold and by revised gold, from raw labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from command_line import CommandLine, Write, sentences
from label_studies import label_file
from sklearn.metrics import accuracy_score, f1_score, mean_absolute_error

RNG = np.random.default_rng(8)
CLASSES = ("a", "b", "c")
GOLD = RNG.choice(CLASSES, 300).tolist()


def system(quality: float) -> list[str]:
    return [label if RNG.random() < quality else str(RNG.choice(CLASSES)) for label in GOLD]


RUNS = {"best": system(0.8), "good": system(0.6), "weak": system(0.4)}
REVISED = [str(RNG.choice(CLASSES)) if RNG.random() < 0.2 else label for label in GOLD]
PLANTED = [weak if number % 2 else label for number, (weak, label) in enumerate(zip(RUNS["weak"], GOLD, strict=True))]
"""Gold that follows the weak system in half of the items, so that it is better than the good one."""


def files(write: Write, revised: Sequence[str] = REVISED) -> list[str]:
    """The words of a command; the items of the revised gold are in another order."""
    for name, labels in RUNS.items():
        write(f"runs/{name}.csv", label_file(labels))
    head, *rows = label_file(revised).splitlines(keepends=True)
    write("revised.csv", head + "".join(RNG.permutation(rows)))
    return ["--gold", write("gold.csv", label_file(GOLD)), "runs", "--labels", "a,b,c", "--revised", "revised.csv"]


SCORES: dict[str, Callable[[Sequence[str], Sequence[str]], float]] = {
    "accuracy": accuracy_score,
    "macro-f1": lambda gold, predicted: float(f1_score(gold, predicted, average="macro")),
    "mae:average=micro": lambda gold, predicted: float(mean_absolute_error([*map(ord, gold)], [*map(ord, predicted)])),
}


@pytest.mark.parametrize("name", SCORES)
def test_scores_ranks_and_differences_are_those_of_both_golds(metaeval: CommandLine, write: Write, name: str) -> None:
    score, sign = SCORES[name], -1 if name.startswith("mae") else 1
    words = [word if word != "a,b,c" else "a<b<c" for word in files(write)]
    tables = metaeval.tables("compare", *words, "-m", name, "--permutations", "999")
    before, after = ({run: score(gold, labels) for run, labels in RUNS.items()} for gold in (GOLD, REVISED))
    for row in tables["revision"]:
        compared = row["system"]
        assert row["before"] == pytest.approx(before[compared])
        assert row["after"] == pytest.approx(after[compared])
        assert row["change"] == pytest.approx(after[compared] - before[compared])
        assert row["rank_before"] == 1 + sum(sign * before[compared] < sign * value for value in before.values())
        assert row["rank_after"] == 1 + sum(sign * after[compared] < sign * value for value in after.values())
        assert row["low"] <= row["change"] <= row["high"]
        assert (row["p_adjusted"] <= 0.05) == (row["low"] > 0 or row["high"] < 0)
    for row in tables["revision_pairs"]:
        one, other = row["system"], row["other"]
        assert row["before"] == pytest.approx(before[one] - before[other])
        assert row["after"] == pytest.approx(after[one] - after[other])
        assert row["change"] == pytest.approx(row["after"] - row["before"])


def test_the_change_of_a_mean_is_tested_by_what_items_add_to_it(metaeval: CommandLine, write: Write) -> None:
    (row, *_) = metaeval.tables("compare", *files(write), "-m", "accuracy", "--system", "best", "--system", "good")[
        "revision_pairs"
    ]
    # Cells of a permutation test by hand: the change of the difference on each item, with random signs.
    right = {
        name: [
            np.array([answer == label for answer, label in zip(labels, gold, strict=True)], float)
            for gold in (GOLD, REVISED)
        ]
        for name, labels in RUNS.items()
    }
    changes = (right["best"][1] - right["good"][1]) - (right["best"][0] - right["good"][0])
    random = np.random.default_rng(1)
    signs = random.choice([-1.0, 1.0], size=(20_000, len(changes)))
    by_hand = (np.abs(signs @ changes) >= abs(changes.sum()) - 1e-9).mean()
    assert row["p"] == pytest.approx(by_hand, abs=0.03)


def test_equal_gold_changes_nothing(metaeval: CommandLine, write: Write) -> None:
    report = metaeval.report("compare", *files(write, GOLD), "-m", "macro-f1", "--permutations", "99")
    assert sentences(report) == ["the revision of 0 gold labels swaps no two systems"]
    assert {row["change"] for row in report["tables"]["revision"]} == {0.0}


def test_a_planted_swap_is_found_beyond_chance(metaeval: CommandLine, write: Write) -> None:
    report = metaeval.report("compare", *files(write, PLANTED), "-m", "accuracy", "--permutations", "999")
    claim = report["findings"][0]["sentence"]
    assert claim.startswith(f"the revision of {sum(map(str.__ne__, PLANTED, GOLD))} gold labels swaps")
    assert "weak is now above good" in claim
    verdicts = {(row["system"], row["other"]): row["verdict"] for row in report["tables"]["revision_pairs"]}
    assert verdicts["good", "weak"] == "significantly reversed"


def test_several_measures_have_a_row_each(metaeval: CommandLine, write: Write) -> None:
    report = metaeval.report("compare", *files(write), "-m", "accuracy", "-m", "macro-f1", "--permutations", "99")
    assert [row["measure"] for row in report["tables"]["revision_by_measure"]] == ["accuracy", "macro-f1"]
    assert len(report["findings"]) == 1
    assert any(file["path"] == "revised.csv" for file in report["provenance"]["files"])


def test_of_repeated_runs_other_items_are_tested_alone(metaeval: CommandLine, write: Write) -> None:
    words = files(write, PLANTED)
    words[2:3] = [f"{name}@{number}=runs/{name}.csv" for name in ("good", "weak") for number in range(3)]
    call = ("compare", *words, "-m", "accuracy", "--permutations", "99")
    report = metaeval.report(*call)
    assert "for other items and these runs, adjusted p" in report["findings"][0]["sentence"]
    assert report["tables"]["comparisons"] == metaeval.tables(*call, "--over", "items")["comparisons"]
    for over in ("runs", "both"):
        metaeval.refuses_with([f"--over {over} with --revised revised.csv", "set --over items"], *call, "--over", over)


def test_other_items_are_refused(metaeval: CommandLine, write: Write) -> None:
    words = files(write)
    write("revised.csv", label_file(REVISED[:-1]))
    message = metaeval.refuses("compare", *words, "-m", "accuracy")
    assert "revised.csv: 299 items, without item 'i299'; expected the 300 items of gold" in message
