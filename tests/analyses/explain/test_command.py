"""`metaeval explain` as a shell would call it."""

import pytest
from command_line import CommandLine

STANCE = ("--config", "configs/stance.yaml")
TWO = ("explain", "cem-ord", "accuracy")

pytestmark = pytest.mark.usefixtures("repository")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("cem-ord", "acuracy", *STANCE), "unknown measure 'acuracy'. Did you mean 'accuracy'?"),
        (("accuracy", "accuracy", *STANCE), "one measure (accuracy); expected at least two"),
        (("kappa", "kappa:weights=linear", *STANCE), "one measure (kappa)"),
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
