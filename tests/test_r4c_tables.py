"""The published numbers of R4C, from its own files through the command line.

Tables 2 and 3 are those of Inoue, Stenetorp & Inui (2020, in Japanese); the alignments are what the program of the
authors prints for its own file of the CORE baseline.
"""

from typing import Any

import pytest
from command_line import CommandLine
from shared_data import SHARED_DATA, needs_shared_data

pytestmark = needs_shared_data

FOLDER = SHARED_DATA / "r4c"
CORE = ("--task", "r4c", "--gold", FOLDER / "dev_csf.json", FOLDER / "pred_core.json")
LEFT_OUT = ("--on-extra", "drop", "--on-missing", "drop")
LEVELS = ("entity", "relation", "full")
STATS = ("precision", "recall", "f")

Rows = dict[str, tuple[float, float, float]]
"""Precision, recall and F by level."""

TABLE_3: Rows = {"entity": (60.7, 69.1, 62.4), "relation": (74.4, 40.3, 46.6), "full": (72.2, 56.4, 61.5)}
PROGRAM: Rows = {"entity": (0.664, 0.601, 0.621), "relation": (0.510, 0.460, 0.475), "full": (0.594, 0.536, 0.554)}


def rows_of(report: dict[str, Any], measure: str) -> Rows:
    (row,) = report["tables"]["scores"]
    assert len(row) == 10
    rates_by_level = {level: [float(row[f"{measure}:level={level},stat={stat}"]) for stat in STATS] for level in LEVELS}
    return {level: (rates[0], rates[1], rates[2]) for level, rates in rates_by_level.items()}


def test_the_core_baseline_has_its_row_of_table_3(metaeval: CommandLine) -> None:
    # The published file of predictions is not quite the one of the paper.
    report = metaeval.report("score", *CORE)
    for level, rates in rows_of(report, "r4c-rouge").items():
        assert tuple(100 * rate for rate in rates) == pytest.approx(TABLE_3[level], abs=0.2)
    assert report["provenance"]["repairs"]["items_dropped"] == 0


@pytest.mark.slow
def test_the_core_baseline_is_aligned_as_by_the_authors(metaeval: CommandLine) -> None:
    # Their program takes one of several equally good references at random.
    report = metaeval.report("score", *CORE, "--preset", "r4c-alignment")
    for level, rates in rows_of(report, "r4c-align").items():
        assert rates == pytest.approx(PROGRAM[level], abs=0.002)


def test_the_oracle_is_ahead_of_the_baseline_on_the_questions_of_both(metaeval: CommandLine) -> None:
    report = metaeval.report(
        "score", *CORE, FOLDER / "pred_oracle.json", *LEFT_OUT, "-m", "r4c-rouge", "-m", "r4c-align"
    )
    assert report["tables"]["ranks"] == [
        {"system": "pred_oracle", "r4c-rouge": 1, "r4c-align": 1},
        {"system": "pred_core", "r4c-rouge": 2, "r4c-align": 2},
    ]
    assert "|n:67|systems:2|" in report["signature"]
