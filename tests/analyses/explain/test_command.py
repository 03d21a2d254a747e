"""`metaeval explain` as a shell would call it."""

import json

import pytest
from command_line import CommandLine

STANCE = ("--config", "configs/stance.yaml")
TWO = ("explain", "cem-ord", "accuracy")

pytestmark = pytest.mark.usefixtures("repository")


def test_two_measures_are_explained(metaeval: CommandLine) -> None:
    outcome = metaeval.succeeds(*TWO, *STANCE)
    assert outcome.out.startswith("cem-ord and accuracy: differences (system − other) of 10 of 14 pairs of systems")
    assert "Not shown: contributions (use --table, --format json or --output-dir)." in outcome.out
    assert "Finding: cem-ord and accuracy order 14 of 91 pairs of systems differently" in outcome.err
    assert "max-pairs:10|max-items:5" in outcome.out


def test_a_pair_asked_for_shows_its_contributions(metaeval: CommandLine) -> None:
    outcome = metaeval.succeeds(*TWO, *STANCE, "--system", "atlas_large", "--system", "atlas_base")
    assert "differences (system − other) of two systems" in outcome.out
    assert "Contribution of each confusion to the difference of two systems" in outcome.out


def test_the_tables_have_their_public_columns(metaeval: CommandLine) -> None:
    told = json.loads(metaeval.succeeds(*TWO, *STANCE, "-f", "json", "-q", "--max-pairs", 2).out)
    assert list(told["tables"]) == ["disagreements", "contributions"]
    assert list(told["tables"]["disagreements"][0]) == [
        *("system", "other", "cem-ord", "accuracy", "verdict", "strength", "errors", "share")
    ]
    cells = ["system", "other", "gold", "predicted", "items", "items_other", "cem-ord", "accuracy"]
    assert [list(row) for row in told["tables"]["contributions"]] == [cells] * 12
    assert [finding["criterion"] for finding in told["findings"]] == ["explain"] * 3


def test_with_all_the_words_are_runs(metaeval: CommandLine) -> None:
    data = ("--task", "fnc1", "--gold", "sample_data/fnc1/gold.csv", "--labels", "disagree<discuss<agree")
    runs = [f"sample_data/fnc1/systems/{name}.csv" for name in ("atlas_large", "atlas_base", "even_recall")]
    wanted = ("-m", "accuracy", "-m", "macro-f1", "-m", "cem-ord")
    assert "of 3, that two measures" in metaeval.succeeds("explain", "--all", *runs, *data, *wanted).out
    assert "order both systems identically" in metaeval.succeeds(*TWO, *runs[:2], *data).err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("cem-ord", "acuracy", *STANCE), "unknown measure 'acuracy'. Did you mean 'accuracy'?"),
        (("accuracy", "accuracy", *STANCE), "only one measure (accuracy); expected two different measures"),
        (("kappa", "kappa:weights=linear", *STANCE), "only one measure (kappa)"),
        (("accuracy", *STANCE), "Name two measures to explain, or use --all"),
        (("cem-ord", "accuracy", "-m", "mcc", *STANCE), "-m and --preset require --all"),
        (("cem-ord", "accuracy", "--max-pairs", "0", *STANCE), "--max-pairs"),
        (("cem-ord", "rouge-l", *STANCE), "measure 'rouge-l', which reads texts"),
    ],
)
def test_what_cannot_be_explained_is_refused(metaeval: CommandLine, arguments: tuple[str, ...], message: str) -> None:
    assert message in metaeval.refuses("explain", *arguments)


def test_one_system_is_refused(metaeval: CommandLine) -> None:
    run = "sample_data/fnc1/systems/atlas_large.csv"
    assert "one system (atlas_large); expected at least two" in metaeval.refuses(*TWO, run, *STANCE)
