"""Class values and weights of a study, and its notes on them."""

import numpy as np
import pytest
from command_line import CommandLine, Write

GOLD = "id,label\na,1\nb,2\nc,3\nd,1\n"
NUMBERS = "id,score\na,1\nb,2.5\nc,3\nd,1\n"
SCORES = ("score", "--task", "scores")


def test_classes_that_are_numbers_are_their_own_values(metaeval: CommandLine, write: Write) -> None:
    files = ("--gold", write("gold.csv", GOLD), write("run.csv", NUMBERS))
    report = metaeval.report(*SCORES, "--labels", "1<2<3", "-m", "mae:average=micro", *files)
    assert report["tables"]["scores"] == [{"system": "run", "mae:average=micro": 0.125}]
    assert "|values:1=1,2=2,3=3|" in report["signature"]
    assert "the class labels are the class values (1, 2, 3)" in report["notes"]
    shifted = metaeval.report(
        *SCORES, "--labels", "1<2<3", "--class-values", "1=0,2=1,3=2", "-m", "mae:average=micro", *files
    )
    assert shifted["tables"]["scores"] == [{"system": "run", "mae:average=micro": 1.125}]


@pytest.mark.parametrize(
    ("labels", "gold"), [("lo<mid<hi", "lo mid hi lo"), ("3<2<1", "1 2 3 1"), ("1<2<nan", "1 2 nan 1")]
)
@pytest.mark.parametrize("command", ["score", "validate"])
def test_an_error_of_numbers_needs_numbers_that_classes_stand_for(
    metaeval: CommandLine, write: Write, labels: str, gold: str, command: str
) -> None:
    rows = "".join(f"{item},{label}\n" for item, label in zip("abcd", gold.split(), strict=True))
    files = ("--gold", write("gold.csv", "id,label\n" + rows), write("run.csv", NUMBERS))
    options = ("--task", "scores", "--labels", labels)
    message = metaeval.refuses(command, *options, "-m", "mae", *files)
    assert "no class values for measure 'mae' of predicted numbers" in message
    assert f"a value for each of {', '.join(labels.split('<'))} in --class-values" in message
    for name in ("pearson", "spearman", "kendall", "pairwise-accuracy"):
        assert metaeval.succeeds(command, *options, "-m", name, *files).code == 0
    names = metaeval.report("score", *options, "--preset", "all", *files)["tables"]["scores"][0]
    assert not [name for name in names if name.startswith("mae")]


def test_pearson_reads_class_values_where_there_are_some(metaeval: CommandLine, write: Write) -> None:
    gold = write("gold.csv", "id,label\na,1\nb,2\nc,10\n")
    run = write("run.csv", "id,score\na,1\nb,2\nc,10\n")
    report = metaeval.report(*SCORES, "--labels", "1<2<10", "-m", "pearson", "--gold", gold, run)
    assert report["tables"]["scores"] == [{"system": "run", "pearson": pytest.approx(1.0, abs=1e-12)}]


def test_classes_that_are_numbers_keep_equal_steps_where_systems_predict_labels(
    metaeval: CommandLine, write: Write
) -> None:
    files = ("--gold", write("gold.csv", GOLD), write("run.csv", GOLD))
    assert "values:" not in metaeval.report("score", "--labels", "1<2<3", *files)["signature"]


@pytest.mark.parametrize(
    ("weights", "has_note"), [("1=2,2=1,3=1", True), ("1=.5,2=.3,3=.2", False), ("1=.1,2=.2,3=.7", False)]
)
def test_weights_that_do_not_sum_to_one_are_told_where_a_measure_sums_them(
    metaeval: CommandLine, write: Write, weights: str, has_note: bool
) -> None:
    files = ("--class-weights", weights, "--gold", write("gold.csv", GOLD), write("run.csv", GOLD))
    report = metaeval.report("score", "-m", "wauc", "-m", "weighted-f", "-m", "accuracy", *files)
    note = "class weights sum to 4, so that wauc, weighted-f can reach 4 instead of 1"
    assert (note in report["notes"]) == has_note
    others = metaeval.report("score", "-m", "weighted-accuracy:weights=scale", *files)
    assert not [line for line in others["notes"] if "weights sum" in line]


def test_gold_of_numbers_needs_no_declared_order(metaeval: CommandLine, write: Write) -> None:
    random = np.random.default_rng(4)
    gold = np.round(random.uniform(0, 10, 200), 1)
    runs = {name: gold + random.normal(0, spread, 200) for name, spread in {"near": 0.5, "far": 2.0}.items()}
    files = [
        write(f"{name}.csv", "id,score\n" + "".join(f"i{item},{value!r}\n" for item, value in enumerate(run.tolist())))
        for name, run in {"gold": gold, **runs}.items()
    ]
    measures = ("-m", "rmse", "-m", "mae:average=micro", "-m", "pearson")
    report = metaeval.report("score", "--task", "scores", "--gold", *files, *measures)
    for row in report["tables"]["scores"]:
        errors = runs[row["system"]] - gold
        assert row["rmse"] == pytest.approx(np.sqrt((errors**2).mean()))
        assert row["mae:average=micro"] == pytest.approx(np.abs(errors).mean())
        assert row["pearson"] == pytest.approx(np.corrcoef(runs[row["system"]], gold)[0, 1])
    assert f"|numbers:{len(set(gold.tolist()))}|" in report["signature"]
