"""Patterns of the names of measures in `-m`."""

import pytest
from command_line import CommandLine

pytestmark = pytest.mark.usefixtures("repository")


@pytest.mark.parametrize(
    ("words", "measures"),
    [
        ("--config configs/stance.yaml -m mae* -m accuracy", ["mae:average=macro", "mae:average=micro", "accuracy"]),
        ("--config configs/news.yaml -m rouge-?", ["rouge-n", "rouge-s", "rouge-l", "rouge-w"]),
        ("--config configs/reviews.yaml -m r*nod", ["rnod", "rsnod"]),
    ],
)
def test_a_pattern_chooses_measures_of_the_data(metaeval: CommandLine, words: str, measures: list[str]) -> None:
    rows = metaeval.tables("score", *words.split())["scores"]
    assert [*rows[0]][1:] == measures


def test_a_pattern_chooses_measures_of_contrasts(metaeval: CommandLine) -> None:
    rows = metaeval.tables("contrast", "--labels", "low<mid<high", "-m", "mae:*")["contrast"]
    assert {row["measure"] for row in rows} == {"mae:average=macro", "mae:average=micro"}
