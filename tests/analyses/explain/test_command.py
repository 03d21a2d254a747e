"""`metaeval explain` as a shell would call it."""

import pytest
from command_line import CommandLine

STANCE = ("--config", "configs/stance.yaml")

pytestmark = pytest.mark.usefixtures("repository")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("accuracy", "accuracy", *STANCE), "one measure (accuracy); expected at least two"),
        (("kappa", "kappa:weights=linear", *STANCE), "one measure (kappa)"),
        (("accuracy", *STANCE), "Name two measures to explain, or use --all"),
        (("cem-ord", "accuracy", "-m", "mcc", *STANCE), "-m and --preset require --all"),
        (("cem-ord", "accuracy", "--max-pairs", "0", *STANCE), "--max-pairs"),
    ],
)
def test_what_cannot_be_explained_is_refused(metaeval: CommandLine, arguments: tuple[str, ...], message: str) -> None:
    assert message in metaeval.refuses("explain", *arguments)
