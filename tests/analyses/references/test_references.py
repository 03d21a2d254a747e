"""`metaeval references`: how many references are enough."""

import numpy as np
import pytest
from command_line import CommandLine, Write
from text_reading import outputs_of, references_of

from metaeval.analyses.references.report import findings

WORDS = {"t1": ["a b c d", "a b x y", "a c d q"], "t2": ["e f g", "e f", "f g h"], "t3": ["k l", "l m n", "k m"]}
SYSTEMS = {
    "good": {"t1": "a b c d", "t2": "e f g", "t3": "k l m"},
    "fair": {"t1": "a b", "t2": "g h", "t3": "n k"},
    "poor": {"t1": "z", "t2": "e", "t3": "z z"},
}
TEXTS = ("references", "--task", "texts", "--gold", "references.jsonl", "outputs.jsonl")
ASKED = ("-m", "rouge-n:refs=best,stat=recall", "-m", "rouge-l:refs=mean", "-m", "wsk")


@pytest.fixture(autouse=True)
def files(write: Write) -> Write:
    """References and outputs, in the working folder."""
    write("references.jsonl", references_of(WORDS))
    write("outputs.jsonl", outputs_of(SYSTEMS))
    return write


def test_a_row_for_every_measure_system_and_number(metaeval: CommandLine) -> None:
    tables = metaeval.tables(*TEXTS, *ASKED, "--trials", 50)
    assert list(tables) == ["references", "references_rankings"]
    assert [list(row) for row in tables["references"][:1]] == [
        ["measure", "system", "references", "value", "low", "high"]
    ]
    assert [(row["measure"], row["system"], row["references"]) for row in tables["references"]] == [
        (name, system, size) for name in ASKED[1::2] for system in SYSTEMS for size in (1, 2, 3)
    ]
    assert [(row["measure"], row["references"]) for row in tables["references_rankings"]] == [
        (name, size) for name in ASKED[1::2] for size in (1, 2, 3)
    ]
    # Of all references the value is the score, and the ranking the same.
    scores = {row["system"]: row for row in metaeval.tables("score", *TEXTS[1:], *ASKED)["scores"]}
    for row in tables["references"]:
        assert row["low"] - 1e-12 <= row["value"] <= row["high"] + 1e-12
        if row["references"] == 3:
            expected = pytest.approx(scores[row["system"]][row["measure"]], abs=1e-12)
            assert (row["value"], row["low"], row["high"]) == (expected, expected, expected)
    whole = [row for row in tables["references_rankings"] if row["references"] == 3]
    assert {(row["tau"], row["low"], row["high"], row["undefined"]) for row in whole} == {(1.0, 1.0, 1.0, 0)}


def test_of_the_best_reference_recall_grows_and_a_mean_stays(metaeval: CommandLine) -> None:
    rows = metaeval.tables(*TEXTS, *ASKED, "--trials", 10)["references"]
    for system in SYSTEMS:
        best, mean = (
            [row["value"] for row in rows if (row["measure"], row["system"]) == (name, system)]
            for name in (ASKED[1], ASKED[3])
        )
        assert best == sorted(best)
        assert best[0] < best[2]
        assert mean == pytest.approx([mean[0]] * 3, abs=1e-12)


def test_the_finding_states_the_tau_of_these_items_and_names_no_measure() -> None:
    (fewer,) = findings((1, 2, 3), np.array([[0.5, 0.75, 1.0], [0.25, 0.5, 1.0], [np.nan, np.nan, 1.0]]), 12)
    with_one = "on these 12 items, with 1 reference of 3, the mean tau with the ranking against all is"
    assert fewer.sentence == f"{with_one} 0.25 to 0.50 under 2 measures"
    (single,) = findings((1, 2, 3), np.array([[0.5, 0.75, 1.0]]), 12)
    assert single.sentence == f"{with_one} 0.50"
    assert findings((1,), np.array([[1.0]]), 12) == []


def test_too_many_choices_are_sampled_and_told(metaeval: CommandLine, write: Write) -> None:
    many = {item: [f"{text} w{index}" for text in some for index in range(2)] for item, some in WORDS.items()}
    write("references.jsonl", references_of(many))
    call = (*TEXTS, "-m", "rouge-n:refs=best", "--trials", 20)
    sampled, complete = metaeval.report(*call, "--subsets", 6)["notes"], metaeval.report(*call)["notes"]
    assert any("mean over a sample of 6 subsets of that number" in note for note in sampled)
    assert any("mean over all subsets of that number" in note for note in complete)


def test_items_with_more_references_than_others_are_told(metaeval: CommandLine, write: Write) -> None:
    write("references.jsonl", references_of({**WORDS, "t1": [*WORDS["t1"], "a"]}))
    report = metaeval.report(*TEXTS, "-m", "rouge-n", "--trials", 5)
    assert "some items have up to 4 references, but all items have 3: no larger number is used" in report["notes"]
    assert {row["references"] for row in report["tables"]["references"]} == {1, 2, 3}


def test_what_has_no_several_references_is_refused(metaeval: CommandLine, write: Write) -> None:
    write("references.jsonl", references_of({**WORDS, "t2": ["e f"]}))
    message = metaeval.refuses(*TEXTS, "-m", "rouge-n")
    assert (
        "references.jsonl: a single reference for 1 of 3 items, for example 't2'; expected at least two for every"
        in message
    )
    assert "--on-extra drop" in message
    table = write("items.csv", "measure,system,item,value\nx,a,i,1\nx,b,i,0\n")
    labels = write("labels.csv", "id,label\na,yes\nb,no\n")
    for data in (("--task", "table", table), ("--gold", labels, f"me={labels}")):
        parts = ("a comparison of references with --task", "expected --task texts or --task r4c")
        metaeval.refuses_with(parts, "references", *data)


def test_a_single_system_has_no_ranking(metaeval: CommandLine, write: Write) -> None:
    write("outputs.jsonl", outputs_of({"good": SYSTEMS["good"]}))
    assert list(metaeval.tables(*TEXTS, "-m", "rouge-n", "--trials", 5)) == ["references"]
