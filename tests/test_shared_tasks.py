"""The shared tasks themselves: official scores and published tables."""

import csv

import pytest
from command_line import CommandLine
from shared_data import FNC1 as RELATED
from shared_data import SHARED_DATA, needs_shared_data

from metaeval.measures import measure

pytestmark = needs_shared_data

FNC1 = SHARED_DATA / "fnc1"
NATIVE = FNC1 / "native"
CSV = ("-f", "csv", "-q")

# The official scorer's points: FNC-1's results page for Athene and Talos; the others as of the organisers' baseline
# and UCL's paper. 11651.25 is the highest score possible on the test set.
POINTS = {"athene_official": 9550.75, "talos_ensemble": 9556.50, "fnc_baseline_gb": 8761.75, "ucl_official": 9521.50}
HIGHEST = 11651.25


def test_native_files_get_the_official_scores_of_fnc1(metaeval: CommandLine) -> None:
    runs = (f"athene={NATIVE / 'athene_official_submission.csv'}", f"talos={NATIVE / 'talos_ensemble_averaged.csv'}")
    outcome = metaeval.succeeds(
        "score", "--task", "fnc1", "-m", "fnc1-score:scale=points", "-m", "fnc1-score", "--gold",
        NATIVE / "competition_test_stances.csv", *runs, *CSV,
    )  # fmt: skip
    assert outcome.column("fnc1-score:scale=points") == {"athene": 9550.75, "talos": 9556.50}
    assert outcome.column("fnc1-score") == pytest.approx(
        {"athene": 9550.75 / HIGHEST, "talos": 9556.50 / HIGHEST}, abs=1e-12
    )


def test_tidy_files_get_the_official_scores_of_fnc1(metaeval: CommandLine) -> None:
    outcome = metaeval.succeeds(
        "score", "-m", "fnc1-score:scale=points", "--gold", FNC1 / "gold.csv", FNC1 / "systems", *CSV
    )
    points = outcome.column("fnc1-score:scale=points")
    assert len(points) == 14
    assert {name: points[name] for name in POINTS} == POINTS


def test_three_related_classes_have_all_nine_measures(metaeval: CommandLine) -> None:
    report = metaeval.report("score", *RELATED)
    rows = report["tables"]["scores"]
    assert (len(rows), len(rows[0])) == (14, 10)
    assert not [row for row in rows if None in row.values()]
    assert (
        "|n:7064|systems:14|scale:disagree<discuss<agree|drop-gold:unrelated|on-unknown:worst|" in report["signature"]
    )
    touched = report["provenance"]["repairs"]
    assert touched["gold_dropped"] == 18349
    assert 0 < touched["worst_ties"] < touched["unknown"]


def test_the_baseline_of_rumoureval_2019_scores_as_published(metaeval: CommandLine) -> None:
    gold = SHARED_DATA / "rumoureval2019/native/final-eval-key.json"
    answer = gold.with_name("baseline_answer.json")
    outcome = metaeval.succeeds("score", "--task", "rumoureval2019", "--gold", gold, answer, *CSV)
    assert f"{outcome.column('accuracy')['baseline_answer']:.3f}" == "0.841"
    assert f"{outcome.column('macro-f1')['baseline_answer']:.3f}" == "0.493"


@pytest.mark.parametrize(
    ("folder", "labels", "systems", "items"),
    [("sentiment_so", "-1<0<1", 16, 4423), ("cebab_stars_judges", "1<2<3<4<5", 6, 711)],
)
def test_ordinal_data_sets_have_all_nine_measures(
    metaeval: CommandLine, folder: str, labels: str, systems: int, items: int
) -> None:
    root = SHARED_DATA / folder
    arguments = ("score", "--labels", labels, "--gold", root / "gold.csv", root / "systems")
    report = metaeval.report(*arguments)
    assert f"|n:{items}|systems:{systems}|" in report["signature"]
    assert not [row for row in report["tables"]["scores"] if None in row.values()]
    assert len(report["tables"]["scores"][0]) == 10


def test_accuracies_of_sentiment_tools_are_those_published(metaeval: CommandLine) -> None:
    root = SHARED_DATA / "sentiment_so"
    with (root / "systems_index.csv").open(newline="") as file:
        published = {row["name"]: row for row in csv.DictReader(file) if row["missing"] == "0"}
    outcome = metaeval.succeeds(
        "score", "-m", "accuracy", "-m", "macro-f1", "--gold", root / "gold.csv", root / "systems", *CSV
    )
    assert str(measure("accuracy")) in outcome.rows()[0]
    for name, row in published.items():
        assert f"{outcome.column('accuracy')[name]:.4f}" == row["accuracy"]
        assert f"{outcome.column('macro-f1')[name]:.4f}" == row["macro_f1"]
