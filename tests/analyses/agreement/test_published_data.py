"""Agreement through the command: the data sets of TSC-3, golden values of alpha, votes on restaurant reviews."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import CommandLine, Write
from numpy.typing import NDArray
from shared_data import SHARED_DATA, needs_shared_data

from metaeval.papers.published import PublishedTable, read_paper
from metaeval.stats.agreement import krippendorff_alpha

HALF_A_DIGIT = 5e-4
LEVELS = ("nominal", "ordinal", "interval", "ratio")


def statistics(tables: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    return {row["statistic"]: row["value"] for row in tables["agreement"]}


def values_of(table: PublishedTable) -> NDArray[np.float64]:
    return np.array([[cell.value for cell in table.row(name).values()] for name in table.names])


def table_3(part: str, *, nudge: float = 0) -> str:
    """The human scores of TSC-3 as a file; nudge: what is added to system 5 in D4 of the short ones."""
    table = read_paper("hirao2006").table("3", part)
    values = values_of(table)
    values[table.names.index("D4"), table.header.index("sys5")] += nudge
    rows = (
        f"{name}," + ",".join(map(repr, column)) for name, column in zip(table.header, values.T.tolist(), strict=True)
    )
    return f"system,{','.join(table.names)}\n" + "\n".join(rows) + "\n"


@pytest.mark.parametrize(("part", "corrected", "uncorrected"), [("short", 0.855, 0.854), ("long", 0.919, 0.918)])
def test_concordance_of_the_data_sets_of_tsc_3(
    metaeval: CommandLine, write: Write, part: str, corrected: float, uncorrected: float
) -> None:
    tables = metaeval.tables("agreement", write("tsc3.csv", table_3(part)), "--by", "system")
    values = statistics(tables)
    assert values["kendall-w"] == pytest.approx(corrected, abs=HALF_A_DIGIT)
    assert values["kendall-w uncorrected"] == pytest.approx(uncorrected, abs=HALF_A_DIGIT)
    assert "fleiss" not in values
    means = values_of(read_paper("hirao2006").table("3", part))
    assert values["alpha:level=interval"] == pytest.approx(float(krippendorff_alpha(means, level="interval")), abs=1e-9)
    by_name = {row["statistic"]: row for row in tables["agreement"]}
    assert by_name["kendall-w"]["units"] == 10
    assert by_name["kendall-w"]["p"] == pytest.approx(1 / 1001)


@pytest.mark.parametrize("part", ["short", "long"])
def test_pearson_of_the_data_sets_is_that_of_table_4(metaeval: CommandLine, write: Write, part: str) -> None:
    rows = metaeval.tables("agreement", write("tsc3.csv", table_3(part)), "--by", "system")["agreement_pearson"]
    printed = read_paper("hirao2006").table("4", f"{part} r")
    spread = values_of(read_paper("hirao2006").table("3", part)).std(axis=1)
    for one, row in enumerate(rows):
        for other, name in enumerate(printed.header[one + 1 :], start=one + 1):
            expected = printed.cell(row["annotator"], name).value
            # The paper's are of unrounded scores: at first order, what half a digit in each score can make of r.
            allowed = np.sqrt(1 - expected**2) * HALF_A_DIGIT * (1 / spread[one] + 1 / spread[other]) + HALF_A_DIGIT
            assert abs(row[name] - expected) <= allowed, (row["annotator"], name)


def test_spearman_of_the_data_sets_is_that_of_table_4(metaeval: CommandLine, write: Write) -> None:
    # Of the two systems that tie in D4, the fifth came first before the scores were rounded.
    path = write("tsc3.csv", table_3("short", nudge=1e-6))
    rows = metaeval.tables("agreement", path, "--by", "system")["agreement_spearman"]
    printed = read_paper("hirao2006").table("4", "short rho")
    for one, row in enumerate(rows):
        for name in printed.header[one + 1 :]:
            assert printed.cell(row["annotator"], name).rounds(row[name]), (row["annotator"], name)


VOTES = str(SHARED_DATA / "cebab_stars_judges" / "human_votes.csv")
JUDGES = str(SHARED_DATA / "cebab_stars_judges" / "systems")


@needs_shared_data
def test_six_judges_of_restaurant_reviews(metaeval: CommandLine) -> None:
    report = metaeval.report("agreement", VOTES, "--judge", JUDGES)
    tables = report["tables"]
    values = statistics(tables)
    assert all(0 < values[f"alpha:level={level}"] < 1 for level in LEVELS[:3])
    assert values["kendall-w"] is None
    assert "kendall-w excludes 711 of 711 units: not all 10 annotators rated them" in report["notes"]
    assert any(note.startswith("low agreement with the other annotators") and "w40" in note for note in report["notes"])
    judges = tables["judges"]
    assert {row["judge"] for row in judges} == {path.stem for path in Path(JUDGES).glob("*.csv")}
    assert len(judges) == 6
    assert all((row["annotators"], row["units"], row["left_out"]) == (10, 711, 0) for row in judges)
    assert all(0 < row["advantage"] <= 1 and row["passes"] == (row["winning_rate"] >= 0.5) for row in judges)
