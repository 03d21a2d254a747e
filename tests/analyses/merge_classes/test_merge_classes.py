"""Rankings with and without a distinction, their notes, and systems that tie."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from command_line import CommandLine, Write
from scipy import stats
from score_cubes import cube
from shared_data import FNC1, needs_shared_data
from sklearn.metrics import cohen_kappa_score

from metaeval import from_labels, merge_classes
from metaeval.analyses.merge_classes.compute import merge_similarity


def test_every_merge_is_compared_with_the_original_ranking() -> None:
    random = np.random.default_rng(0)
    merged, original = random.integers(5, size=(3, 4, 2, 8)), random.integers(5, size=(3, 2, 8))
    reference = cube(original, ("trial",), lower_is_better=(1,))
    tau = merge_similarity(cube(merged, ("trial", "merge"), lower_is_better=(1,)), reference)
    assert tau.shape == (3, 4, 2)
    for trial, merge, measure in np.ndindex(3, 4, 2):
        expected = stats.kendalltau(merged[trial, merge, measure], original[trial, measure]).statistic
        assert tau[trial, merge, measure] == pytest.approx(expected, abs=1e-12)


def test_many_merges_of_distant_classes_have_one_note(metaeval: CommandLine, write: Write) -> None:
    labels = [f"c{number}" for number in range(6)]
    rows = [
        f"{item},{labels[item % 6]},{labels[(item + (item % 5 == 0)) % 6]},{labels[item % 4]}" for item in range(60)
    ]
    table = write("wide.csv", "\n".join(["id,gold,a,b", *rows, ""]))
    call = ("--gold", table, "--labels", "<".join(labels), "-m", "accuracy", "-m", "mae", "--permutations", "9")
    notes = [note for note in metaeval.report("merge-classes", *call)["notes"] if "not adjacent" in note]
    sentence = "10 merges are of classes that are not adjacent, such as c0 and c2"
    assert notes == [f"{sentence}: the merged class takes the position of the lowest of them"]
    notes = metaeval.report("merge-classes", *call, "--merge", "c0+c2", "--merge", "c1+c4")["notes"]
    assert [note for note in notes if "not adjacent" in note] == [
        "c0 and c2 are not adjacent: the merged class takes the position of c0",
        "c1 and c4 are not adjacent: the merged class takes the position of c1",
    ]


@pytest.mark.usefixtures("repository")
def test_readers_see_the_statistic_that_is_tested_and_sorts_the_rows(metaeval: CommandLine) -> None:
    call = ("merge-classes", "--config", "configs/stance.yaml", "--permutations", "99")
    rows = metaeval.tables(*call)["merge_classes"]
    assert [row["corrected"] for row in rows] == sorted(row["corrected"] for row in rows)
    output = metaeval.succeeds(*call).out
    assert "  corrected tau\n" in output
    assert "] a\n" in output
    assert "mean tau, corrected for unreliable rankings; lower: notices classes more" in output
    assert not any(name in output for name in ("↓ mean", "reliability", "corrected_low"))
    balanced = metaeval.succeeds("merge-classes", "--config", "configs/stance.yaml", "--balance", "--trials", "9").out
    assert "↓ mean" in balanced


def test_tied_systems_have_no_reliability_and_no_table_without_numbers() -> None:
    gold = list("abc" * 4)
    shifted = [gold[(index + 1) % 3] for index in range(12)]
    systems = {"one": gold[:6] + shifted[6:], "other": shifted[:6] + gold[6:]}
    runs = from_labels(systems, gold=gold, labels="a<b<c")
    report = merge_classes(runs, ["accuracy", "mae"], permutations=99)
    tables = report.to_dict()["tables"]
    assert [(row["mean"], row["reliability"]) for row in tables["merge_classes"]] == [(None, None)] * 2
    assert [table.name for table in report.tables if not table.detail] == ["merge_classes"]
    assert report.findings == ()


def test_of_many_classes_neighbours_are_merged_or_all_but_one() -> None:
    """Against scores of labels that are replaced by hand."""
    random, classes = np.random.default_rng(2), [f"c{number}" for number in range(11)]
    gold = random.choice(classes, 300).tolist()
    systems = {
        str(share): [label if random.random() < share else str(random.choice(classes)) for label in gold]
        for share in (0.3, 0.5, 0.6, 0.7, 0.9)
    }

    def taus(labels: str, *merges: str) -> dict[str, float]:
        runs = from_labels(systems, gold=gold, labels=labels)
        (row,) = merge_classes(runs, ["kappa:weights=none"], permutations=0, merges=merges).to_dict()["tables"][
            "merge_classes"
        ]
        return {name: value for name, value in row.items() if name not in ("measure", "mean")}

    def expected(merged: set[str]) -> float:
        def kappas(name: Callable[[str], str]) -> list[float]:
            return [cohen_kappa_score([*map(name, gold)], [*map(name, labels)]) for labels in systems.values()]

        return float(
            stats.kendalltau(kappas(str), kappas(lambda label: "merged" if label in merged else label)).statistic
        )

    rests = taus(",".join(classes))
    assert rests == {f"{label}:rest": pytest.approx(expected({*classes} - {label})) for label in classes}
    neighbours = taus("<".join(classes))
    assert neighbours == {f"{one}+{other}": pytest.approx(expected({one, other})) for one, other in pairwise(classes)}
    assert taus(",".join(classes), "c1:rest", "c3+c0") == {
        "c1:rest": rests["c1:rest"],
        "c0+c3": pytest.approx(expected({"c0", "c3"})),
    }


def test_readers_of_many_merges_see_their_mean(metaeval: CommandLine, write: Write) -> None:
    rows = [f"{item},c{item % 12},c{(item + (item % 5 == 0)) % 12},c{item % 7}" for item in range(120)]
    table = write("many.csv", "\n".join(["id,gold,a,b", *rows, ""]))
    call = ("--gold", table, "--labels", ",".join(f"c{number}" for number in range(12)), "-m", "accuracy")
    output = metaeval.succeeds("merge-classes", *call, "--permutations", "0", "--notes").out
    assert "↓ mean" in output
    assert "c3:rest" not in output
    assert "of 12 classes all but one are merged, for each; others by --merge" in output


@needs_shared_data
def test_measures_that_use_the_order_notice_a_merge_of_the_ends_more_than_accuracy(metaeval: CommandLine) -> None:
    rows = metaeval.tables("merge-classes", "--permutations", "0", *FNC1, "--preset", "stance-nine")["merge_classes"]
    ends = {row["measure"]: row["disagree+agree"] for row in rows}
    assert ends["mae:average=macro"] < ends["accuracy"]
    assert ends["alpha:level=interval"] < ends["accuracy"]
